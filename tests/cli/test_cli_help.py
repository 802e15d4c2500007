"""The help of the commands: groups, examples, nothing heavy loaded, names whole at 80 columns."""

import inspect
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.utils import get_tags

from sparsek.cli import _app, _checkout, _methods, _options
from sparsek.methods.search.choice.model_choice import CRITERIA
from tests.cli.cli_runner import run
from tests.places import ROOT

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "rich")
GOOD, TUNE, TEST = "fit data.csv --k 3", "tune data.csv --k", "test data.csv --k"
LIGHT = (
    f"""
--version; ; --help; methods; nothing; fit; fit --help; tune --help; report --help; validate --help
fit no.csv --k 3; tune no.csv --k 2:3; test no.csv --k 3; report nowhere; port a.R b.py; port --hints a.R
compare no.csv --call "kmeans(centers=3)" --seed 1; fit data.csv --k x; fit data.csv --k 0
{GOOD} --method zz; {GOOD} --bound 2; {GOOD} --select 2.5; {GOOD} --set tol; {GOOD} --sep ab; {GOOD} --set a=1
{GOOD} --n-init 0; {GOOD} --n-jobs 0; {GOOD} --seed -1; {GOOD} --out no/where; {GOOD} --groups no.csv
{GOOD} --proba; {GOOD} --constraints data.csv; {GOOD} --method pckm --constraints no.csv
{GOOD} --decimal x; {GOOD} --method som --categories a; {GOOD} --method kpod --batch a
{TUNE} two; {TUNE} 0:2; {TUNE} 3 --criterion best; {TUNE} 3 --rule best; {TUNE} 3 --permutations 4
{TUNE} 3 --bound 2; {TUNE} 3 --select x; {TUNE} 3 --select 0; {TUNE} 3 --method kpod
{TUNE} 3 --method som --categories a; {TEST} 3 --ordered a
{TEST} 1; {TEST} 3 --fdr 2; {TEST} 3 --fdr .001; {TEST} 3 --null 0; {TEST} 3 --sigma -1
""".strip()
    .replace("\n", "; ")
    .split("; ")
)
"""Calls that end before any library is needed."""
CODE = f"""
import shlex, sys
from sparsek.cli import main
for line in {LIGHT!r}:
    sys.argv = ["sparsek", *shlex.split(line)]
    try:
        main()
    except SystemExit as end:
        print("@", end.code, sorted(set({HEAVY!r}) & set(sys.modules)), line)
"""


def test_what_ends_at_once_loads_nothing_heavy(tmp_path: Path) -> None:
    """All calls in one process: none of them loads what would be there in the next."""
    (tmp_path / "data.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    path = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=path)
    ends = [line for line in done.stdout.splitlines() if line.startswith("@")]
    good = {"--version", "--help", "methods"}
    expected = [f"@ {0 if line in good or '--help' in line else 2} [] {line}" for line in LIGHT]
    assert ends == expected
    assert done.stdout.count("Examples:") == sum("--help" in line for line in LIGHT)
    assert "unexpected" not in done.stderr


def test_the_registry_has_the_options_of_the_classes() -> None:
    parameters = {**_methods.OPTIONS, "categories": "categories"}
    arguments = {"constraints": "must_link", "batch": "batch"}
    for name, row in _methods.METHODS.items():
        kind = _methods.method_class(name)
        own, of_fit = (inspect.signature(function).parameters for function in (kind, kind.fit))
        found = {option for option, parameter in parameters.items() if parameter in own}
        found |= {option for option, argument in arguments.items() if argument in of_fit}
        found |= {"missing"} if get_tags(kind()).input_tags.allow_nan else set()
        assert found == set(row.takes.split()), name


def test_commands_are_in_groups() -> None:
    text = run("--help").stdout
    places = [text.index(f"\n{group}:") for group in (_app.CLUSTERS, _app.FROM_R, _app.CHECKS, "Options")]
    assert places == sorted(places)
    assert "  report " in text[places[0] : places[1]]
    assert "  port " in text[places[1] : places[2]]
    assert "  validate " in text[places[2] : places[3]]
    assert "...\n" not in text.replace("[ARGS]...", "")  # no description is cut off


def test_options_are_in_groups() -> None:
    text = run("fit", "--help").stdout
    groups = ("Arguments", _options.FITTING, _options.WRITING, _options.RUNNING, _options.READING, "Options")
    places = [text.index(f"\n{group}:") for group in groups]
    assert places == sorted(places)
    assert "--no-scale" in text[places[1] : places[2]]
    assert "--decimal" in text[places[4] : places[5]]


def test_every_example_is_a_call_of_its_command() -> None:
    for name, examples in _app.EXAMPLES.items():
        for line in examples.splitlines():
            program, command, *options = shlex.split(line)
            assert (program, command) == ("sparsek", name)
            known = run(name, "--help").stdout
            assert all(option in known for option in options if option.startswith("--")), line


def test_named_criteria_are_those_of_the_search() -> None:
    assert {name: tuple(row.rules) for name, row in CRITERIA.items()} == _options.CRITERIA


@pytest.mark.parametrize("name", _methods.METHODS)
def test_parameters_in_the_source_are_those_of_the_estimator(name: str) -> None:
    assert _methods.parameters_of(name) == list(_methods.method_class(name)().get_params())


def test_methods_fit_80_columns_with_a_purpose_each() -> None:
    lines = run("methods").stdout.splitlines()
    assert lines[0].split() == ["method", "purpose"]
    assert max(map(len, lines)) <= 80
    named = dict(line.split(maxsplit=1) for line in lines[1:])
    assert named == {name: row.purpose for name, row in _methods.METHODS.items()}
    assert all(named.values())


def test_all_about_the_methods_is_given_on_request() -> None:
    head, *rows = run("methods", "--long").stdout.splitlines()
    assert head.split() == [
        *("method", "size", "missing", "constraints", "local", "features", "estimator", "R", "paper")
    ]
    assert [row.split()[0] for row in rows] == list(_methods.METHODS)
    assert all(row.paper in line for row, line in zip(_methods.METHODS.values(), rows, strict=True))


def test_compare_is_offered_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\n  compare " in run("--help").stdout
    command = next(found for found in _app.app.registered_commands if found.callback is _checkout.compare)
    assert not command.hidden
