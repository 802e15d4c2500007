"""No module imports one that imports it: not at its head, not in a function, not for types only."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import sparsek

PACKAGE = Path(sparsek.__file__).parent
MODULES = {
    ".".join(["sparsek", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, but for the package itself, which loads its public names late."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            places = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {place if place in MODULES else str(node.module) for place in places}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return (found & MODULES.keys()) - {"sparsek"}


def test_no_modules_import_each_other() -> None:
    order = TopologicalSorter({name: imported(path) - {name} for name, path in MODULES.items()})
    order.prepare()  # raises CycleError, which names the circle
    assert len(MODULES) > 500
