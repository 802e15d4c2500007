"""`--set name=value` is read by the constraints of the parameter; no text becomes a truth value."""

import json
from pathlib import Path

import pytest

from sparsek import SKFR
from sparsek.cli import _methods, _read
from tests.cli.cli_runner import error_of, make_frame, run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    make_frame().to_csv(file)
    return file


@pytest.mark.parametrize("text", ["false", "False", "no", "NO"])
def test_false_is_false(data: Path, text: str) -> None:
    done = run("fit", data, "--k", 3, "--id-col", "id", "--set", f"standardize={text}", "--json")
    expected = SKFR(3, standardize=False, random_state=0).fit(make_frame()).objective_
    assert json.loads(done.stdout)["objective"] == expected
    assert expected != SKFR(3, random_state=0).fit(make_frame()).objective_


def test_a_divergence_fits_counts(tmp_path: Path) -> None:
    counts = (make_frame() * 10).abs().round()
    counts.to_csv(tmp_path / "counts.csv")
    options = ("--k", 3, "--id-col", "id", "--set", "loss=poisson")
    done = run("fit", tmp_path / "counts.csv", *options, "--json")
    expected = SKFR(3, loss="poisson", standardize=False, random_state=0).fit(counts).objective_
    assert json.loads(done.stdout)["objective"] == expected
    wrong = ("--set", "standardize=true")
    assert "set standardize=False" in error_of("fit", tmp_path / "counts.csv", *options, *wrong)


@pytest.mark.parametrize(
    ("method", "parameter", "text", "value"),
    [
        ("skfr", "refine", "yes", True),
        ("skfr", "refine", "TRUE", True),
        ("skfr", "winsorize", "none", None),
        ("skfr", "winsorize", "None", None),
        ("skfr", "winsorize", "4", 4),
        ("skfr", "n_features_to_select", "0.5", 0.5),
        ("skfr", "n_features_to_select", "2", 2),
        ("skfr", "scope", "local", "local"),
        ("skfr", "loss", "poisson", "poisson"),
        ("skfr", "loss", "itakura-saito", "itakura-saito"),
        ("skfr", "scope", "'local'", "local"),
        ("skfr", "projection", "nonnegative", "nonnegative"),
        ("skfr", "projection", "('box', -1, 1)", ("box", -1, 1)),
        ("skfr", "memory_limit", "2GB", "2GB"),
        ("skfr", "memory_limit", "2e9", 2e9),
        ("skfr", "memory_limit", "inf", float("inf")),
        ("skfr", "init", "[0, 5, 9]", [0, 5, 9]),
        ("skfr", "verbose", "1", 1),
        ("sparse-kmeans", "tol", "1e-3", 1e-3),
        ("dec", "hidden_sizes", "(8, 4)", (8, 4)),
        ("dec", "checkpoint", "true", "true"),
        ("ifpca", "cache", "no", False),
        ("ifpca", "cache", "folder", "folder"),
        ("spectral-gem", "standardize", "none", None),
    ],
)
def test_readings(method: str, parameter: str, text: str, value: object) -> None:
    found = _methods.parse_value(method, parameter, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        *(("standardize", text) for text in ("", "maybe", "0", "1", "none", "'false'")),
        *(("max_iter", text) for text in ("true", "1.5", "0", "ten", "", "none", "9" * 5000)),
        *(("winsorize", text) for text in ("nan", "inf", "-1", "true", "1e400")),
        *(("scope", text) for text in ("Local", "locall", "{[]: 1}", "(" * 2000)),
        *(("projection", text) for text in ("box", "('box', 2, 1)", "lambda x: x")),
    ],
)
def test_anything_else_is_an_error_that_says_what_is_allowed(parameter: str, text: str) -> None:
    with pytest.raises(
        _read.InputError, match=f"parameter {parameter} of method skfr must be .*; got "
    ) as found:
        _methods.parse_value("skfr", parameter, text)
    assert str(found.value).endswith(f"got {text!r}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "standardize=off"], "standardize of method skfr must be true or false, or a str among"),
        (["--n-init", 0], "--n-init must be a whole number from 1 to 100000000; got 0"),
        (["--select", "inf"], "or a share between 0 and 1; got inf"),
        (["--select", "nan"], "or a share between 0 and 1; got nan"),
        (["--method", "sparse-kmeans", "--bound", "nan"], "--bound must be a number of at least 1; got nan"),
        (["--method", "sparse-kmeans", "--bound", "inf"], "--bound must be a number of at least 1; got inf"),
        (["--seed", -1], "--seed must be a whole number from 0 to 4294967295; got -1"),
        (["--n-jobs", 0], "--n-jobs must be a number of jobs"),
    ],
)
def test_wrong_options_end_before_the_file_is_read(
    tmp_path: Path, arguments: list[object], message: str
) -> None:
    (tmp_path / "empty.csv").touch()
    assert message in error_of("fit", tmp_path / "empty.csv", "--k", 3, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", 3, "--select", "inf"], "--select takes numbers such as"),
        (
            ["--k", 3, "--method", "sparse-kmeans", "--bound", "0.5,2"],
            "--bound must be a number of at least 1; got 0.5",
        ),
        (["--k", "2,nan"], "--k takes numbers such as"),
    ],
)
def test_wrong_values_of_a_grid(data: Path, arguments: list[object], message: str) -> None:
    assert message in error_of("tune", data, "--id-col", "id", *arguments)
