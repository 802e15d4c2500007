"""Mutation testing: changes without effect, choice of tests, wrong entries."""

import importlib
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

import sparsek
from tests.places import ROOT
from validation.mutants import reach
from validation.mutants.command import match_equivalents
from validation.mutants.noise import behaviour
from validation.mutants.reach import off_default_lines
from validation.mutants.session import select_tests

SETTINGS = tomllib.loads((ROOT / "validation" / "mutants" / "settings.toml").read_text())
EQUIVALENT = tomllib.loads((ROOT / "validation" / "mutants" / "equivalent.toml").read_text())["equivalent"]
CODE = """
Rows = list | tuple

@dataclass(slots=True)
class A:
    x: int | None = 1

def f(a: int | str, *, b: float = 2.0) -> int | None:
    for x, y in zip(a, b, strict=True):
        if x < y:
            raise ValueError(f"{x + 1} is below {y}")
    warnings.warn("slow", stacklevel=2)
    return x - y
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("list | tuple", "list & tuple"),
        ("int | None = 1", "int & None = 1"),
        ("a: int | str", "a: int & str"),
        ("-> int | None", "-> int & None"),
        ("slots=True", "slots=False"),
        ("strict=True", "strict=False"),
        ("x + 1", "x - 1"),
        ("stacklevel=2", "stacklevel=3"),
        ("*, b", "/, b"),
    ],
)
def test_noise(before: str, after: str) -> None:
    assert before in CODE
    assert behaviour(CODE.replace(before, after)) == behaviour(CODE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("= 1\n", "= 2\n"),
        ("2.0", "3.0"),
        ("x < y", "x <= y"),
        ("x - y", "x + y"),
        ("ValueError", "TypeError"),
        ("zip(a, b", "zip([], b"),
    ],
)
def test_behaviour(before: str, after: str) -> None:
    assert before in CODE
    assert behaviour(CODE.replace(before, after)) != behaviour(CODE)


def test_what_is_not_python_has_no_behaviour() -> None:
    assert behaviour("def f(: pass") is None


def test_tests_of_the_mirrored_folder_and_its_records() -> None:
    found = select_tests(ROOT, Path("sparsek/rcompat/clues/api.py"), "adjustedRand", SETTINGS)
    assert found[:2] == ["sparsek/rcompat/clues/api.py", "tests/rcompat/clues/test_clues.py"]
    cases = found[2:-1]
    assert [name.rpartition("::")[2] for name in cases] == [
        "test_some_recorded_cases[adjustedRand]",
        "test_the_other_recorded_cases[adjustedRand]",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *cases]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout  # the tests are there
    assert found[-1] in SETTINGS["always"]


def test_tests_that_name_the_function_come_first(tmp_path: Path) -> None:
    (tmp_path / "sparsek" / "methods" / "a").mkdir(parents=True)
    (tmp_path / "sparsek" / "methods" / "a" / "x.py").write_text("def f(): ...")
    (tmp_path / "tests" / "methods" / "a").mkdir(parents=True)
    for name, text in {"one": "", "two": "from sparsek.methods.a.x import fast", "slow": "fast"}.items():
        (tmp_path / "tests" / "methods" / "a" / f"test_{name}.py").write_text(text)
    settings = {"left_out": ["test_slow.py"], "also": {}, "records": {}, "always": []}
    found = select_tests(tmp_path, Path("sparsek/methods/a/x.py"), "fast", settings)
    assert found == ["tests/methods/a/test_two.py", "tests/methods/a/test_one.py"]


def test_settings_name_what_exists() -> None:
    for folder, further in SETTINGS["also"].items():
        assert (ROOT / folder).is_dir(), folder
        assert all((ROOT / "tests" / name).is_dir() for name in further), folder
    assert all((ROOT / folder).is_dir() for folder in SETTINGS["records"])
    assert all(list((ROOT / "tests").rglob(name)) for name in SETTINGS["left_out"])
    assert all((ROOT / name).is_file() for name in SETTINGS["always"])


@dataclass
class Line:
    """The fields of a mutant with which entries are compared."""

    key: str
    file: str
    before: str
    after: str


def test_entries_are_checked_against_the_sample() -> None:
    sample = [Line("1", "a.py", "x < 1", "x <= 1"), Line("2", "a.py", "x < 1", "x < 2")]
    entry = {"file": "a.py", "before": "x < 1", "after": "x <= 1", "reason": "x is never 1"}
    assert match_equivalents([entry], sample) == ({"1": "x is never 1"}, [])
    _, wrong = match_equivalents([{**entry, "after": "x > 1"}], sample)
    assert wrong == ["matches no mutant of the sample: a.py: x > 1"]
    _, wrong = match_equivalents([{**entry, "reason": " "}], sample)
    assert wrong == ["has no reason: a.py: x <= 1"]


def dead_entries(entries: list[dict[str, str]], root: Path) -> list[str]:
    """Entries whose file, or whose line of code, is not in the tree."""
    lines = {
        entry["file"]: [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        for entry in entries
        if (path := root / entry["file"]).exists()
    }
    return [entry["after"] for entry in entries if entry["before"] not in lines.get(entry["file"], [])]


def test_every_equivalent_change_is_of_code_that_is_there() -> None:
    assert EQUIVALENT
    assert dead_entries(EQUIVALENT, ROOT) == []


def test_an_entry_whose_code_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x:\n    step = 1\n")
    there = {"file": "a.py", "before": "step = 1", "after": "step = 2"}
    gone = [
        there | {"before": "step = 3", "after": "step = 4"},
        there | {"file": "b.py", "after": "step = 5"},
    ]
    assert dead_entries([there, *gone], tmp_path) == ["step = 4", "step = 5"]


BRANCHES = """
LIMIT = 3

def f(a, b=1):
    if a > LIMIT:
        b = (a +
             b)
    else:
        b = 2
    return b
"""


@pytest.mark.parametrize(
    ("run", "off"),
    [
        (set(), {5, 6, 7, 9, 10}),
        ({5, 9, 10}, {6, 7}),  # the other branch
        ({5, 7, 10}, {9}),  # a statement of two lines was run if one of them was
        ({5, 6, 9, 10}, set()),
    ],
)
def test_statements_that_defaults_do_not_reach(run: set[int], off: set[int]) -> None:
    assert off_default_lines(BRANCHES, run) == off


def test_lines_of_default_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKFR centres and scales, and by default does not winsorize."""
    model = sparsek.SKFR(2, 1, standardize=True)
    monkeypatch.setattr(reach, "_default_calls", lambda: [partial(model.fit, [[1.0, 2], [3, 5]])])
    run = reach.default_lines(ROOT, ("sparsek/methods", "sparsek/rcompat"))
    text = (ROOT / "sparsek/methods/skfr/estimator.py").read_text("utf-8").splitlines()
    off = off_default_lines("\n".join(text), run["sparsek/methods/skfr/estimator.py"])
    (winsorizes,) = [n for n, line in enumerate(text, 1) if "self._limits = winsorized(" in line]
    (begins,) = [n for n, line in enumerate(text, 1) if line.strip() == "self._limits = None"]
    assert winsorizes in off
    assert begins not in off


def test_half_of_the_sample_is_beside_the_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed: make test-all")
    sample = importlib.import_module("validation.mutants.sample")
    (tmp_path / "sparsek" / "methods").mkdir(parents=True)
    lines = [f"    if a == {i}:\n        return {i} + a\n" for i in range(30)]
    (tmp_path / "sparsek" / "methods" / "x.py").write_text("def f(a):\n" + "".join(lines))
    run = {"sparsek/methods/x.py": {1, *range(2, 62, 2)}}  # no condition holds
    monkeypatch.setattr(sample, "default_lines", lambda root, folders: run)
    found = sample.draw_sample(tmp_path, SETTINGS["operators"], 20)
    beside = [mutant for mutant in found if mutant.before.startswith("return")]
    assert (len(found), len(beside)) == (20, 10)
    assert found == sorted(found, key=lambda mutant: mutant.key)
