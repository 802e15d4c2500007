"""Runs that are recorded name their start, so that a change of a default does not change their numbers."""

import ast
import inspect
from pathlib import Path

import sparsek
from sparsek._registry import ESTIMATORS
from validation import papers


def wanted(name: str) -> list[str]:
    """The options whose default is a choice of ours: drawn seeds that may become greedy, and single moves."""
    taken = inspect.signature(getattr(sparsek, name)).parameters
    ours = {"init": ("k-means++", "screened"), "refine": (None,)}
    return [option for option, values in ours.items() if option in taken and taken[option].default in values]


def test_every_estimator_of_a_paper_names_its_start() -> None:
    names = {row.name for row in ESTIMATORS}
    unnamed, seen = [], 0
    for path in sorted(Path(papers.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", "")
            if name not in names:
                continue
            given = {keyword.arg for keyword in node.keywords}
            seen += 1
            missing = [option for option in wanted(name) if option not in given and None not in given]
            unnamed += [f"{path.name}:{node.lineno} {name}({option}=)" for option in missing]
    assert seen > 20
    assert unnamed == []
