"""Files for tree viewers, as sparcl writes them: ``.cdt`` (data), ``.atr`` (samples), ``.gtr`` (genes)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from sparsek._files import whole_file
from sparsek.rcompat.base.data import RMatrix


def as_character(v: float) -> str:
    """A number as R's ``as.character``: 15 significant digits, the shorter of fixed and scientific."""
    if not math.isfinite(v):
        return "NA" if math.isnan(v) else "Inf" if v > 0 else "-Inf"
    v += 0.0  # no negative zero
    mantissa, exponent = f"{abs(v):.14e}".split("e")
    digits = len(mantissa.replace(".", "").rstrip("0") or "0")
    fixed = f"{v:.{max(0, digits - int(exponent) - 1)}f}"
    scientific = f"{v:.{digits - 1}e}"
    return fixed if len(fixed) <= len(scientific) else scientific


def write_files(contents: Mapping[str, Sequence[str]], prefix: str) -> None:
    """Write files of lines, all of them or none: each is written under a temporary name first.

    Raises OSError when a file cannot be written, or its name leads to a folder or a device; those that were
    there are left as they were.
    """
    with ExitStack() as files:
        for ending, lines in contents.items():
            temporary = files.enter_context(whole_file(f"{prefix}.{ending}"))
            temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def treeview_files(
    fit: Mapping[str, Any],
    matrix: RMatrix,
    names: Sequence[str] | None = None,
    descriptions: Sequence[object] | None = None,
) -> dict[str, list[str]]:
    """Lines of the files for tree viewers."""
    tree, genes = fit["hc"], fit.get("hc.features")
    files = {"atr": _tree_lines(tree, "ARRY")}
    used = np.flatnonzero(fit["ws"])
    numbers = np.arange(1, len(used) + 1)
    if genes is not None:
        files["gtr"] = _tree_lines(genes, "GENE")
        numbers = genes["order"]
    order = tree["order"]
    samples = matrix.row_names or [f"Sample {i + 1}" for i in range(len(order))]
    lines = ["\t".join(["GID", "UID", "NAME", "GWEIGHT", *(samples[i - 1] for i in order)])]
    lines.append("\t".join(["AID", "", "", "", *(f"ARRY{i}X" for i in order)]))
    for number in numbers.tolist():
        j = int(used[number - 1])
        name = f"Gene {j + 1}" if names is None else names[j]
        text = "" if descriptions is None else _text(descriptions[j])
        cells = [as_character(v) for v in matrix.values[order - 1, j].tolist()]
        lines.append("\t".join([f"GENE{number}X", name, text, "1", *cells]))
    return {"cdt": lines, **files}


def _text(value: object) -> str:
    """A description: numbers as R writes them."""
    return as_character(float(value)) if isinstance(value, int | float | np.number) else str(value)


def _tree_lines(tree: Mapping[str, Any], leaf: str) -> list[str]:
    """A line per merge: its name, its two branches, and 1 - height / 2."""
    lines = []
    for i, (pair, height) in enumerate(zip(tree["merge"].tolist(), tree["height"].tolist(), strict=True)):
        ends = [f"{leaf}{-k}X" if k < 0 else f"NODE{k}X" for k in pair]
        lines.append("\t".join([f"NODE{i + 1}X", *ends, as_character(1 - height / 2)]))
    return lines
