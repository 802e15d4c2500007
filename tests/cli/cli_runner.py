"""Runs commands in this process, for the tests of the command line."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from typer import testing

from sparsek.cli import _app

# Typer makes all commands from the signatures of their functions, for each call again.
testing._get_command = cache(testing._get_command)
RUNNER = testing.CliRunner()
EXACT: dict[str, Any] = {}
"""Option that makes pandas read decimals correctly rounded; pandas 3.1 always does and deprecates it."""
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
    EXACT["float_precision"] = "round_trip"
FEATURES = [*"abcdef"]


def make_frame() -> pd.DataFrame:
    """Thirty rows in three groups that differ in the columns a and b."""
    X = np.random.default_rng(0).normal(size=(30, 6))
    X[:10, :2] += 6
    X[10:20, :2] -= 6
    return pd.DataFrame(X, columns=FEATURES, index=pd.Index([f"r{i}" for i in range(30)], name="id"))


def a_result(**changed: Any) -> dict[str, Any]:
    """The content of a result.json, with some entries changed."""
    return {
        "sparsek": "0.1.0",
        "command": "sparsek fit data.csv --k 2",
        "method": "skfr",
        "scaled": True,
        "estimator": "SKFR",
        "data": {"file": "data.csv", "sha256": "0" * 64, "rows": 3, "features": 2},
        "parameters": {"n_clusters": 2},
        "checks": {
            "missing": 0,
            "columns with missing": [],
            "constant columns": [],
            "rows equal to another": 0,
            "smallest sd": ["a", 1.0],
            "largest sd": ["b", 2.0],
        },
        "labels": [0, 0, 1],
        "warnings": [],
        "summary": {
            "lead": ["n_clusters=2"],
            "parts": [{"heading": "Clusters", "names": ["cluster"], "numbers": [True], "rows": [["0"]]}],
            "notes": [],
        },
        **changed,
    }


def run(*arguments: object, code: int = 0) -> Any:
    """Run a command in this process and check its exit code."""
    result = RUNNER.invoke(_app.app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object, code: int = 2) -> str:
    """The single line of the error message of a command."""
    result = run(*arguments, code=code)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return str(line)
