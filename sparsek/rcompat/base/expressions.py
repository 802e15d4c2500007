"""Calls as R writes them: ``match.call`` and ``deparse`` of a call in a Python program."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterable
from itertools import islice
from types import FrameType, ModuleType
from typing import Any

import numpy as np

LINE_WIDTH = 60
"""Characters after which R breaks the line of a call."""
INDENT = "    "
MOST_VALUES = 20
"""Longest vector that is written out where only the value of an argument is known."""
OPERATORS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Pow: ("^", 4),
    ast.Mod: ("%%", 3),
    ast.FloorDiv: ("%/%", 3),
    ast.MatMult: (" %*% ", 3),
    ast.Mult: (" * ", 2),
    ast.Div: ("/", 2),
    ast.Add: (" + ", 1),
    ast.Sub: (" - ", 1),
}
"""R's operators and how strongly they bind."""


class Call(str):
    """A call as R writes it on one line; printed without quotes."""

    __slots__ = ()

    def lines(self) -> list[str]:
        """The lines that R's ``deparse`` breaks the call into."""
        lines, line, quoted = [], "", False
        for token in self.split(" "):
            quoted ^= token.count('"') % 2 == 1
            line += f"{token} "
            breaks = token.endswith(",") or token in ("+", "-", "*")
            if breaks and not quoted and len(line) > LINE_WIDTH:
                lines.append(line)
                line = INDENT
        return [*lines, line.rstrip(" ")]


def deparse(value: Any, otherwise: str) -> str:
    """A value as R writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return str(value)
    if isinstance(value, int | float | np.number) and not isinstance(value, complex):
        return _number(float(value))
    vector = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    if vector and len(value) <= MOST_VALUES:
        parts = ["" if isinstance(part, list | tuple) else deparse(part, "") for part in value]
        if all(parts):
            return f"c({', '.join(parts)})"
    return otherwise


def _number(value: float) -> str:
    """A number with up to 15 significant digits, the shorter of fixed and scientific."""
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Inf" if value > 0 else "-Inf"
    mantissa, exponent = f"{value:.14e}".split("e")
    digits = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    decimals = max(0, len(digits.lstrip("-").replace(".", "")) - 1 - int(exponent))
    scientific, fixed = f"{digits}e{exponent}", f"{value:.{decimals}f}"
    return fixed if len(fixed) <= len(scientific) else scientific


def call_in_source(frame: FrameType) -> ast.Call | None:
    """The call that a frame is just making, from its source, with names of modules left out."""
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    first, last, begin, end = place
    if first is None or last is None or begin is None or end is None:
        return None
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[first - 1 : last]
    encoded = [line.encode() for line in lines]
    if len(encoded) != last - first + 1:
        return None
    encoded[-1] = encoded[-1][:end]
    encoded[0] = encoded[0][begin:]
    try:
        node = ast.parse(b"(" + b"".join(encoded) + b")", mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    if not all(keyword.arg for keyword in node.keywords):
        return None
    _WithoutModules(frame.f_globals | frame.f_locals).visit(node)
    return node


class _WithoutModules(ast.NodeTransformer):
    """Writes what is taken from a module as R's name of it."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """The name alone, where it is taken from a module."""
        if isinstance(node.value, ast.Name) and isinstance(self.known.get(node.value.id), ModuleType):
            return ast.Name(r_name(node.attr), node.ctx)
        self.generic_visit(node)
        return node


def expression(node: ast.expr) -> str:
    """An expression of Python as R writes it; what R has no form for stays as in Python."""
    if isinstance(node, ast.Constant) and not isinstance(node.value, complex | bytes):
        return deparse(node.value, ast.unparse(node))
    if isinstance(node, ast.List | ast.Tuple):
        return f"c({', '.join(map(expression, node.elts))})"
    if isinstance(node, ast.Call):
        return _call(node)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return _operation(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return ("-" if isinstance(node.op, ast.USub) else "+") + _operand(node.operand, 3)
    if isinstance(node, ast.Attribute):
        return f"{expression(node.value)}${r_name(node.attr)}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        key = node.slice.value
        if isinstance(key, str):
            return f"{expression(node.value)}${key}"
        if isinstance(key, int):
            return f"{expression(node.value)}[[{key + 1}]]"
    return ast.unparse(node)


def r_name(name: str) -> str:
    """A name of a function or an argument with R's dots."""
    return name.rstrip("_").replace("_", ".")


def _call(node: ast.Call) -> str:
    """A call inside an expression: the module before the function is left out."""
    function = r_name(node.func.attr) if isinstance(node.func, ast.Attribute) else expression(node.func)
    named: Iterable[str] = (
        f"{r_name(word.arg)} = {expression(word.value)}" for word in node.keywords if word.arg
    )
    return f"{function}({', '.join([*map(expression, node.args), *named])})"


def _operation(node: ast.BinOp) -> str:
    """Two operands and R's operator between them."""
    sign, strength = OPERATORS[type(node.op)]
    right_first = isinstance(node.op, ast.Pow)
    left = _operand(node.left, strength + right_first)
    return f"{left}{sign}{_operand(node.right, strength + (not right_first))}"


def _operand(node: ast.expr, strength: int) -> str:
    """An operand, in parentheses where it binds less than its operator."""
    text = expression(node)
    weak = isinstance(node, ast.BinOp) and OPERATORS.get(type(node.op), ("", 0))[1] < strength
    return f"({text})" if weak else text
