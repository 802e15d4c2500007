"""What the names of a Python script stand for where Python counts from 0: loop variables and positions."""

from __future__ import annotations

import ast

POSITION_FUNCTIONS = frozenset(
    {
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "argwhere",
        "flatnonzero",
        "lexsort",
        "nanargmax",
        "nanargmin",
        "nonzero",
        "searchsorted",
        "where",
        "range",
        "arange",
        "index",
    }
)
"""Functions whose results are positions from 0."""


def loop_variables(tree: ast.Module) -> list[str]:
    """The names that only loops at the top of a script give values to."""
    loops: dict[str, None] = {}
    others: set[str] = set()
    targets = {
        id(name): name.id
        for node in _top_statements(tree.body)
        if isinstance(node, ast.For)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    for node in _top_statements(tree.body):
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                if id(name) in targets:
                    loops[name.id] = None
                elif not _inside_comprehension(node, name):
                    others.add(name.id)
    return [name for name in loops if name not in others]


def positions(tree: ast.Module) -> list[str]:
    """The names whose last value at the top of a script is made by a function that gives positions from 0."""
    found: dict[str, bool] = {}
    for node in _top_statements(tree.body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            given = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (part for target in given for part in ast.walk(target)):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found[name.id] = _gives_positions(node.value)
    return [name for name, of_positions in found.items() if of_positions]


def _top_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that run at the top of a script, those inside loops and conditions too."""
    found = []
    for node in body:
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                found += _top_statements(getattr(node, part, []))
    return found


def _inside_comprehension(node: ast.stmt, name: ast.Name) -> bool:
    """Whether a name is a variable of a comprehension, a function or a lambda inside a statement."""
    scopes = (ast.comprehension, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(
        isinstance(part, scopes) and any(inner is name for inner in ast.walk(part)) for part in ast.walk(node)
    )


def _gives_positions(value: ast.expr) -> bool:
    """Whether an expression calls a function that gives positions."""
    called = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    names = [func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in called]
    return not POSITION_FUNCTIONS.isdisjoint(names)
