"""Walks: a call passes through few files of a package, and folders have few files.

``python -m tests.package.test_walks`` prints the walks with their functions, and writes their files into
docs/architecture.md.
"""

import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np
import pytest

import sparsek
from sparsek import SKFR, rcompat
from tests.places import ROOT
from validation import __main__ as command

PAGE = ROOT / "docs" / "architecture.md"
MOST_FILES = {"SKFR.fit": 11}
"""Largest number of files in one walk, without those of its source; 10 where none is given. The file of the
paper's rule is one of SKFR's, since stacked starts take the rule from there."""
MOST_FILES_OF_A_SOURCE = 3
"""Largest number of files that a fit to an array enters to read its rows. The other sources have more."""
SOURCES, FIT = "sources/", "methods/shared/fits.py"
"""The folder of the sources, and the one file there that every fit enters whatever its source is."""
OPENING = {
    "CentroidClusterer._validate_weights",
    "CentroidClusterer._weighted_rows",
    "CentroidClusterer._widened",
    "Described.is_satisfied_by",
    "RowFits._array_source",
    "RowFits._keeps_to_limit",
    "RowFits._look_at",
    "SKFR._copies",
    "SKFR._reads_first",
    "SKFR._scales_rows",
    "cluster_sizes",
    "identity",
    "is_plain_array",
    "physical_memory",
    "safe_unit",
}
"""Functions that check arguments and open an array, or count its labels: other sources have their own."""
MACHINERY = (
    "engine.py",
    "inputs/arguments.py",
    "inputs/indices.py",
    "methods/shared/estimator.py",
    "methods/shared/batches.py",
    "methods/shared/forced.py",
    "inputs/threads.py",
    "inputs/validation.py",
    "rng/arguments.py",
    "rcompat/base/calls.py",
)
"""Files that a walk leaves out: they choose engine or threads, or check arguments, and compute nothing."""
MOST_FILES_OF_A_FOLDER = 20
CODE = (".py", ".pyi", ".R")
"""Extensions of code files."""
TABLE = ("tables", "--paper", "pcskm", "--table", "1")
"""A table that takes seconds, on the data that are at hand."""


@dataclass(frozen=True)
class Walk:
    """The functions that a call goes through: file and name, in the order of their first calls."""

    package: str
    steps: list[tuple[str, str]]

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they are met."""
        return list(dict.fromkeys(file for file, _ in self.steps))

    @property
    def source(self) -> list[str]:
        """Those that read the rows."""
        return [file for file in self.files if file.startswith(SOURCES) and file != FIT]

    @property
    def own(self) -> set[str]:
        """The functions of the other files."""
        return {name for file, name in self.steps if file not in self.source}

    @property
    def changes(self) -> int:
        """Number of times that the next new function is in another file than the last."""
        return sum(before[0] != after[0] for before, after in pairwise(self.steps))

    def __str__(self) -> str:
        """A line of counts, then a line for every file with its functions."""
        lines = [f"{len(self.files)} files, {len(self.steps)} functions, {self.changes} changes of file"]
        for file in self.files:
            lines.append(f"  {file}: {', '.join(name for where, name in self.steps if where == file)}")
        return "\n".join(lines)


def show_files(walk: Walk) -> str:
    """A table of the files of a walk, each with the first line of its docstring."""
    rows = f"| file of `{walk.package}/` | what is in it |\n|---|---|\n"
    for file in walk.files:
        docs = ast.get_docstring(ast.parse((ROOT / walk.package / file).read_text(encoding="utf-8")))
        rows += f"| `{file}` | {(docs or '').splitlines()[0]} |\n"
    return rows


def page_with(name: str, walk: Walk) -> str:
    """The page, with this walk in its place."""
    part = re.compile(rf"(<!-- {re.escape(name)} -->\n\n).*?(<!-- end -->)", re.DOTALL)
    return part.sub(
        lambda found: found[1] + show_files(walk) + "\n" + found[2], PAGE.read_text(encoding="utf-8")
    )


def trace(call: Callable[[], Any], package: str = "sparsek") -> Walk:
    """The walk of a call, which is made twice, so that imports and filled caches are not traced."""
    with sparsek.set_engine("numpy"):
        call()
    rcompat.set_seed(1)
    folder = f"{ROOT / package}/"
    steps: dict[tuple[str, str], None] = {}

    def see(frame: FrameType, event: str, _: object) -> None:
        path, name = frame.f_code.co_filename, frame.f_code.co_qualname
        if event == "call" and path.startswith(folder) and path.endswith(".py") and not name.endswith(">"):
            file = Path(path).relative_to(folder).as_posix()
            if file not in MACHINERY:
                steps[file, name] = None

    with sparsek.set_engine("numpy"):  # numba need not be there
        sys.setprofile(see)
        try:
            call()
        finally:
            sys.setprofile(None)
    return Walk(package, list(steps))


def groups() -> np.ndarray:
    """Three groups of rows that differ in two of five columns."""
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[:20, :2] += 6
    X[20:40, :2] -= 6
    return X


def fit_skfr() -> object:
    """SKFR on an array, with everything given."""
    return SKFR(3, n_features_to_select=2, standardize=True, random_state=0).fit(groups())


def call_sparcl() -> object:
    """R's sparse k-means."""
    return rcompat.KMeansSparseCluster(groups(), K=3, wbounds=2)


def make_table() -> object:
    """Table 1 of the PCSKM paper, by the command."""
    with TemporaryDirectory() as folder:
        return command.main([*TABLE, "--output", folder])


def fit_file(folder: Path) -> object:
    """SKFR on a file that is read by blocks."""
    np.save(folder / "rows.npy", groups())
    model = SKFR(3, n_features_to_select=2, standardize=True, random_state=0, memory_limit=4000)
    return model.fit(folder / "rows.npy")


def fit_dask(folder: Path) -> object:
    """SKFR on the chunks of a Dask array, which this thread computes."""
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        rows = pytest.importorskip("dask.array").from_array(groups(), chunks=(20, 5))
        return SKFR(3, n_features_to_select=2, standardize=True, random_state=0).fit(rows)


WALKS: dict[str, tuple[Callable[[], object], str]] = {
    "SKFR.fit": (fit_skfr, "sparsek"),
    "rcompat.KMeansSparseCluster": (call_sparcl, "sparsek"),
    "validation tables": (make_table, "validation"),
}
"""Calls, and the packages whose files are listed."""


@cache
def walk_of(name: str) -> Walk:
    """The walk of one of `WALKS`."""
    return trace(*WALKS[name])


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_short(name: str) -> None:
    walk = walk_of(name)
    print(name, walk, sep=": ")
    assert len(walk.files) - len(walk.source) <= MOST_FILES.get(name, 10)
    assert len(walk.source) <= MOST_FILES_OF_A_SOURCE


@pytest.mark.parametrize("fit", [fit_file, fit_dask])
def test_every_source_goes_the_road_of_an_array(fit: Callable[[Path], object], tmp_path: Path) -> None:
    array, other = trace(fit_skfr), trace(lambda: fit(tmp_path))
    print(fit.__name__, other, sep=": ")
    assert array.own - other.own <= OPENING
    assert {file for file in array.files if file not in array.source} <= set(other.files)


@pytest.mark.parametrize("name", WALKS)
def test_the_page_shows_the_walk(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"<!-- {name} -->" in page
    assert page_with(name, walk_of(name)) == page, "run python -m tests.package.test_walks"


def test_the_tracer_sees_functions_of_the_package_alone() -> None:
    walk = trace(lambda: sparsek.metrics.dunn_index(groups(), np.repeat([0, 1, 2], 20)))
    assert ("metrics/_dunn.py", "dunn_index") in walk.steps
    assert all((Path(sparsek.__file__).parent / file).is_file() for file in walk.files)


def test_folders_hold_few_files() -> None:
    folders = [ROOT / name for name in ("sparsek", "validation", "r_reference", "tests", "docs")]
    inside = [path for top in folders for path in top.rglob("*") if path.is_dir()]
    made = ("__pycache__", "_build", "_made", "auto_examples")
    counts = {
        folder.relative_to(ROOT).as_posix(): sum(path.suffix in CODE for path in folder.iterdir())
        for folder in [*folders, *inside]
        if not set(folder.relative_to(ROOT).parts) & set(made)
    }
    assert {name: n for name, n in counts.items() if n > MOST_FILES_OF_A_FOLDER} == {}


def test_the_name_of_a_class_has_one_meaning() -> None:
    """What R's `prediction.strength` returns is named like the search of ours that does the same."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "sparsek").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path.name)
    assert {name for name, files in found.items() if len(files) > 1} == {"PredictionStrength"}


if __name__ == "__main__":
    for title in WALKS:
        traced = walk_of(title)
        print(title, traced, sep=": ")
        PAGE.write_text(page_with(title, traced), encoding="utf-8")
