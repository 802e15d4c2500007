"""The part of the cases that `make test` compares with R; `make test-all` and `make validate` compare all."""

import pytest
from _pytest.mark import ParameterSet

from r_reference.case_parts import Case
from r_reference.recipes import load_table

EVERY = 8
"""Every eighth case of a function, of the chosen ones and of the random ones behind them."""
CASES: dict[str, list[Case]] = {}
"""The cases of the table by function."""
for _case in load_table()["cases"]:
    CASES.setdefault(_case["function"], []).append(_case)
FUNCTIONS = list(CASES)


def some_cases(function: str) -> list[Case]:
    """The cases of a function that `make test` compares."""
    return CASES[function][::EVERY]


def other_cases(function: str) -> list[Case]:
    """The cases that it leaves out; a function may have none."""
    return [case for i, case in enumerate(CASES[function]) if i % EVERY]


WITH_LOOPS = (
    "runif", "rnorm", "rexp", "sample", "sample.int", "rgamma", "rpois", "rbinom", "kmeans", "hclust", "dist",
    "KMeansSparseCluster", "KMeansSparseCluster.permute", "HierarchicalSparseCluster",
    "HierarchicalSparseCluster.permute", "kpod", "Gmedian", "Weiszfeld", "GmedianCov", "WeiszfeldCov",
    "kGmedian", "ewkm", "fgkm", "twkm", "RSKC", "RSKC.trimkmeans", "sparsekmeans1", "sparsekmeans2",
)  # fmt: skip
"""Functions with loops of their own, whose cases run by both engines; others only call these."""


def by_engine(functions: list[str]) -> list[ParameterSet]:
    """Each function with the engine "numpy", and with "compiled" where it has loops."""
    compiled = [name for name in functions if name in WITH_LOOPS]
    return [pytest.param(name, "numpy", id=name) for name in functions] + [
        pytest.param(name, "compiled", id=f"{name}-compiled", marks=pytest.mark.compiled) for name in compiled
    ]
