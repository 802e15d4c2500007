"""The help of the commands: groups, examples, nothing heavy loaded, names whole at 80 columns."""

import shlex
import subprocess
import sys

import pytest

from sparsek.cli import _app, _checkout, _methods, _options
from sparsek.methods.search.choice.model_choice import CRITERIA
from tests.cli.cli_runner import run

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "matplotlib", "rich")


@pytest.mark.thorough
@pytest.mark.parametrize("command", [(), ("fit",), ("tune",), ("report",), ("validate",)])
def test_help_loads_nothing_heavy(command: tuple[str, ...]) -> None:
    code = (
        "import sys; from sparsek.cli import main\n"
        f"sys.argv = ['sparsek', *{command!r}, '--help']\n"
        "try: main()\n"
        f"except SystemExit: print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Examples:" in done.stdout


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
    assert tuple(CRITERIA) == _options.CRITERIA


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
