"""Sphinx extension: formulas as MathML, which browsers show without a script from the network."""

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging


def as_mathml(node: nodes.Element, as_block: bool) -> str:
    """The formula of a node as MathML; if docutils cannot read it, a warning and its source."""
    source = " ".join(node.astext().split())
    source = re.sub(
        r"(\\hat ?\\?\w+)_", r"\1{}_", source
    )  # else docutils puts the index under the hat
    try:
        formula = str(tex2mathml(source, as_block=as_block))
    except MathError as error:
        logging.getLogger(__name__).warning("formula %s: %s", source, error, location=node)
        return f"<code>{escape(source)}</code>"
    return re.sub(
        r"<mo[^>]*>‖</mo>", "<mi>‖</mi>", formula
    )  # an operator would stretch over its index


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within the text."""
    translator.body.append(as_mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a displayed formula; wide ones scroll."""
    formula = as_mathml(node, as_block=True)
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer that ``html_math_renderer = "mathml"`` names."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
