"""The command line on bad input: one line, exit code 2, nothing written."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsek
from r_reference import bridge
from sparsek.cli import _checkout, _fitting, _methods, _tune
from tests.cli.cli_runner import error_of, make_frame, run
from tests.places import ROOT


@pytest.fixture
def frame() -> pd.DataFrame:
    return make_frame()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    make_frame().to_csv(file)
    return file


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "none.csv", "--k", 3], "there is no file none.csv"),
        (["fit", "DATA", "--k", 3], "columns that are not numbers: id; name the one that identifies"),
        (
            ["fit", "DATA", "--k", 3, "--id-col", "id", "--method", "skfrr"],
            "there is no method 'skfrr'; try skfr",
        ),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--method", "zzz"], "`sparsek methods`"),
        (["fit", "DATA", "--k", 3, "--id-col", "name"], "no column 'name'; it has 7: id, a, b"),
        (["fit", "DATA", "--k", 3, "--id-col", "8"], "no column '8'"),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--drop", "a,z"], "no column 'z'"),
        (
            ["fit", "DATA", "--k", 3, "--id-col", "id", "--bound", 2],
            "method skfr has no --bound; these have: sp",
        ),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--set", "tol"], "--set takes name=value"),
        (
            ["fit", "DATA", "--k", 3, "--id-col", "id", "--set", "tol=1"],
            "has no parameter 'tol'; it has always",
        ),
        (
            ["fit", "DATA", "--k", 0, "--id-col", "id"],
            "--k must be a whole number from 1 to 2147483647; got 0",
        ),
        (["fit", "DATA", "--k", 31, "--id-col", "id"], "n_samples=30"),
        (
            ["fit", "DATA", "--k", 3, "--id-col", "id", "--select", 2.5],
            "--select must be a whole",
        ),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--out", "no/where"], "there is no folder"),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--out", "DATA"], "is a file; name a folder"),
        (
            ["fit", "DATA", "--k", 3, "--id-col", "id", "--constraints", "none.csv", "--method", "pckm"],
            "no file",
        ),
        (["tune", "DATA", "--k", 3, "--id-col", "id", "--method", "kpod"], "nothing to choose"),
        (["tune", "DATA", "--k", "4:2", "--id-col", "id"], "--k has no values"),
        (
            ["tune", "DATA", "--k", "two", "--id-col", "id"],
            "--k takes numbers such as 3 or 2,4,8 or 2:6; got 'two'",
        ),
        (
            ["tune", "DATA", "--k", 3, "--id-col", "id", "--rule", "best"],
            "--rule is one of min, one_se for --criterion thinning; got 'best'",
        ),
        (
            ["tune", "DATA", "--k", 3, "--id-col", "id", "--rule", "max", "--criterion", "strength"],
            "--rule is not to be given for --criterion strength; got 'max'",
        ),
        (
            ["tune", "DATA", "--k", 3, "--id-col", "id", "--criterion", "best"],
            "--criterion is one of separation, gap, thinning, entries, blocks, strength, consistency; "
            "got 'best'",
        ),
        (
            ["tune", "DATA", "--k", 3, "--id-col", "id", "--permutations", 5],
            "--permutations belong to --criterion gap; got --criterion thinning",
        ),
        (
            ["tune", "DATA", "--k", 3, "--id-col", "id", "--criterion", "gap", "--permutations", 1],
            "--permutations must be a whole number from 2 to 100000000; got 1",
        ),
        (["tune", "DATA", "--k", 3, "--id-col", "id", "--bound", 2], "method skfr has no --bound"),
        *[
            (
                ["tune", "DATA", "--k", k, "--id-col", "id", "--method", method, "--criterion", "gap"],
                "has no criterion by which the gap",
            )
            for method, k in (("cosa", "2:3"), ("madd", "2:3"), ("dec", "2:3"), ("cosa", 3), ("pcskm", 3))
        ],
        *[
            (
                ["fit", "DATA", "--k", 3, "--id-col", "id", "--select", value],
                "--select must be a whole number of at least 1, or a share between 0 and 1; got ",
            )
            for value in ("inf", "-inf", "nan")
        ],
        *[
            (
                ["tune", "DATA", "--k", value, "--id-col", "id"],
                "--k takes numbers such as 3 or 2,4,8 or 2:6; got",
            )
            for value in ("inf", "2,nan", "2:2.5", "1_0", "\u00b2", "2,", "")
        ],
        (["tune", "DATA", "--k", "1:1000000000000", "--id-col", "id"], "--k takes at most 1000 values"),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--drop", "\u00b2"], "has no column"),
        (["fit", "DATA", "--k", 3, "--id-col", "id", "--sep", "ab"], "--sep takes a single character"),
    ],
)
def test_bad_input_is_one_line(data: Path, arguments: list[object], message: str) -> None:
    line = error_of(*[data if argument == "DATA" else argument for argument in arguments])
    assert line.startswith("sparsek: error: ")
    assert message in line


def test_missing_values_are_refused_with_the_methods_that_take_them(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    file = tmp_path / "holes.csv"
    frame.mask((frame.index.to_series() == "r4"), axis=0).to_csv(file)
    line = error_of("fit", file, "--k", 3, "--id-col", "id", "--method", "sparse-kmeans")
    assert "6 missing values, the first in row r4, column a" in line
    assert "kpod" in line
    frame.mask(np.eye(30, 6, k=-3, dtype=bool)).to_csv(file)
    run("fit", file, "--k", 3, "--id-col", "id", "--method", "kpod", "--n-init", 2)


def test_usage_errors_have_exit_code_2(data: Path) -> None:
    assert "Missing option '--k'" in run("fit", data, code=2).stderr
    assert "No such option" in run("fit", data, "--k", 3, "--clusters", 3, code=2).stderr


def test_traceback_shows_where(data: Path) -> None:
    done = run("fit", data, "--k", 0, "--id-col", "id", "--traceback", code=2)
    assert "Traceback (most recent call last)" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("sparsek: error: --k must be")


def test_errors_of_ours_have_exit_code_1(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(_fitting, "read_table", fail)
    assert "unexpected KeyError: 'oops'; please report it" in error_of("fit", data, "--k", 3, code=1)


def test_pictures_without_matplotlib(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_methods, "find_spec", lambda _: None)
    command = ["fit", data, "--k", 3, "--id-col", "id", "--out", tmp_path / "result"]
    assert "or use --no-plots" in error_of(*command)
    run(*command, "--no-plots")


def test_importing_sparsek_loads_nothing_of_the_command_line() -> None:
    code = "import sys, sparsek; print({'typer', 'matplotlib', 'sparsek.cli'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_typer_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sparsek.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [name for name in sys.modules if name.startswith("sparsek.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert 'typer is missing: pip install "sparsek[cli]"' in capsys.readouterr().err


def test_outside_a_checkout_compare_and_validate_say_so(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_checkout, "OWN", tmp_path)
    for command in (["compare", data, "--call", "kmeans(centers=3)", "--seed", 1], ["validate"]):
        message = error_of(*command)
        assert "which the installed library lacks" in message
        assert f"--checkout sparsek-{sparsek.__version__}, or --checkout . for the current folder" in message
        message = error_of(*command, "--checkout", tmp_path / "no")
        assert f"which --checkout {tmp_path / 'no'} lacks" in message


def test_commands_that_need_a_checkout_are_offered_there_alone(tmp_path: Path) -> None:
    assert _checkout.OWN == ROOT
    assert _checkout.is_checkout(ROOT)
    assert not _checkout.is_checkout(tmp_path)


@pytest.mark.parametrize("name", _methods.METHODS)
def test_tune_knows_the_methods_that_it_cannot_compare(frame: pd.DataFrame, name: str) -> None:
    settings = {"dec": {"layer_epochs": "1", "finetune_epochs": "1", "max_iter": "1"}}.get(name, {})
    model = _methods.make_estimator(name, 2, {}, settings, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame)
    comparable = hasattr(model, "inertia_") or hasattr(model, "gap_objective_")
    assert comparable == (name not in _tune.WITHOUT_CRITERION)


def test_compare_without_r_and_with_a_wrong_call(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["compare", data, "--id-col", "id", "--seed", 1, "--call"]
    assert "unknown function 'foo'" in error_of(*command, "foo(3)")
    assert "--seed must be from -2147483647" in error_of(*command, "kmeans(3)", "--seed", 2147483648)
    assert "leave out outputfile.prefix" in error_of(
        *command, "HierarchicalSparseCluster(wbound=2, outputfile.prefix='x')"
    )
    assert "sample_kind must be" in error_of(*command, "kmeans(3)", "--sample-kind", "Rounded")
    monkeypatch.setattr(bridge, "available", lambda _=None: (False, "R is not installed"))
    message = error_of(*command, "kmeans(3)")
    assert "R cannot make this call: R is not installed" in message
    assert '"make r" in the checkout' in message
