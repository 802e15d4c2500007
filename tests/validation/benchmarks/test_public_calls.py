"""Every row of docs/speed.md times what a user calls: the scripts name nothing that is private."""

import ast
import importlib

import numpy as np
import pytest

import sparsek
from sparsek import rcompat
from sparsek._registry import SUBMODULES
from validation.benchmarks import speed
from validation.benchmarks.methods.skfr import LLOYD
from validation.benchmarks.public_calls import public_call
from validation.papers.shared.store import load_table

MODULES = {"sparsek", *(f"sparsek.{name}" for name in SUBMODULES)}
"""The modules of sparsek that users import."""
OF_ROWS = {"validation.benchmarks.rows", "validation.benchmarks.public_calls"}
"""What times the calls."""


def source_of(script: str) -> str:
    return (speed.FOLDER / f"{script.replace('.', '/')}.py").read_text(encoding="utf-8")


def not_public(source: str) -> list[str]:
    """What a script names that users do not call: inner modules and functions, names with an underscore."""
    tree = ast.parse(source)
    names = [pair for node in ast.walk(tree) for pair in imported(node)]
    found = [f"{module}.{name}" for module, name in names if not may_import(module, name)]
    modules = {name or module: f"{module}.{name}".strip(".") for module, name in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = modules.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
            inner = owner in MODULES and not is_public(owner, node.attr)
            found += [node.attr] * (inner or node.attr.startswith("_"))
        if isinstance(node, ast.Constant) and str(node.value).startswith("sparsek."):
            found.append(str(node.value))  # a module that is imported by its name
    return found


def imported(node: ast.AST) -> list[tuple[str, str]]:
    """Module and name of everything that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", alias.name) for alias in node.names]
    return [(alias.name, "") for alias in node.names] if isinstance(node, ast.Import) else []


def may_import(module: str, name: str) -> bool:
    """Whether a script with rows may import it: public names, other scripts with rows, what times them."""
    if module == "__future__":
        return True
    if any(part.startswith("_") for part in [*module.split("."), name]):
        return False
    if module.startswith("validation"):
        return module in OF_ROWS | {f"validation.benchmarks.{script}" for script in speed.scripts()}
    return not module.startswith("sparsek") or is_public(module, name)


def is_public(module: str, name: str) -> bool:
    """Whether a name of a module of sparsek is one that users import."""
    return module in MODULES and (not name or name in dir(importlib.import_module(module)))


@pytest.mark.parametrize("script", speed.scripts())
def test_scripts_with_rows_name_public_functions_alone(script: str) -> None:
    assert not_public(source_of(script)) == []


@pytest.mark.parametrize(
    "line",
    [
        "from sparsek.methods.skfr.problem import run_plain",
        "from sparsek.core.scaling import prepare",
        "from sparsek.methods.madd.algorithm import base_dissimilarities, madd",
        "from sparsek.rcompat.stats.hartigan_wong import hartigan_wong",
        "from validation.benchmarks.methods.skfr_parts import fit_from",
        "from sklearn.cluster._kmeans import lloyd_iter_chunked_dense",
        "import sparsek.methods.skfr.problem",
        "import sparsek\nours = sparsek.methods",
        "from sparsek import rcompat\nours = rcompat.arithmetic",
        "from sparsek import SKFR\nours = SKFR()._validate_fit",
        "ours = importlib.import_module('sparsek.methods.skfr.problem').run_plain",
    ],
)
def test_inner_functions_are_found(line: str) -> None:
    assert not_public(f"{line}\n{source_of('methods.skfr')}")


def test_the_parts_of_skfr_have_no_rows() -> None:
    assert not_public(source_of("methods.skfr_parts"))
    assert "methods.skfr_parts" not in speed.scripts()


def test_a_call_is_its_text() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = public_call("SKFR(2, 2, random_state=0).fit(X)", X=X)()
    assert np.array_equal(found.labels_, sparsek.SKFR(2, 2, random_state=0).fit(X).labels_)
    again = public_call("rcompat.kmeans(X, 2, rng=RRandom(1)).cluster", X=X)()
    assert np.array_equal(again, rcompat.kmeans(X, 2, rng=sparsek.rng.RRandom(1)).cluster)


@pytest.mark.parametrize("text", ["SKFR(2)._validate_fit(X)", "run_plain(X)", "sparsek.methods.skfr"])
def test_a_private_name_in_a_call_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"is private|is no public name"):
        public_call(text, X=1)


def test_recorded_calls_stand_in_their_scripts() -> None:
    rows, _ = load_table(speed.NAME)
    for (script, call), _ in rows.groupby(["script", "call"]):
        name = call.partition(",")[0].partition("(")[0]
        assert name in source_of(script), f"{script} no longer times {call!r}: drop its recorded rows"


def test_recorded_rows_of_one_start_name_the_settings_of_the_peer() -> None:
    rows, _ = load_table(speed.NAME)
    starts = rows[rows["call"] == "SKFR, one start"]
    assert len(starts) > 0
    assert starts["peer"].str.endswith(LLOYD).all()
