"""The tests behind ``sparsek test``: assumptions, one cluster or more, pairs of clusters, features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sparsek import FeatureFDR, inference
from sparsek.cli._cells import InputError
from sparsek.cli._methods import METHODS, takes_missing
from sparsek.cli._read import Table
from sparsek.cli._summary import Part


def check_complete(table: Table, method: str) -> None:
    """Refuse missing values and few rows before any work."""
    holes = np.argwhere(table.frame.isna().to_numpy())
    if len(holes):
        row, column = holes[0]
        able = [name for name in METHODS if takes_missing(name)]
        raise InputError(
            f"{table.file} has {len(holes)} missing values, the first in row {table.ids[row]}, column "
            f"{table.frame.columns[column]}; sparsek test needs complete data: leave out "
            f"columns by --drop, or impute first; sparsek fit --method {able[-1]} takes them"
        )


def run_tests(
    model: Any,
    frame: pd.DataFrame,
    sigma: float | None,
    fdr: float,
    n_null: int,
    seed: int,
    n_jobs: int | None,
) -> dict[str, Any]:
    """All tests of a fitted model on the data of its fit, as result.json holds them."""
    data = frame.to_numpy(dtype=float)
    assumptions = inference.check_assumptions(data, model.labels_, sigma)
    names = [str(frame.columns[j]) if j >= 0 else "" for j in assumptions["feature"]]
    running: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    k = int(model.get_params()["n_clusters"])
    single = inference.test_one_cluster(data, model, sorted({2, k}), n_null=n_null, **running)
    thinned = inference.test_thinned(data, model, sigma=sigma, **running)
    features = FeatureFDR(model, fdr, n_null=n_null, **running).fit(frame)
    return {
        "assumptions": assumptions.assign(feature=names).rename_axis("assumption").reset_index(),
        "one cluster": {"p_value": single.p_value, "n_clusters": single.n_clusters, "n_null": n_null},
        "pairs": thinned.pairs,
        "part": {"p_value": thinned.p_value, "labels": thinned.labels},
        "features": features.summary().features.drop(columns="rank"),
        "fdr": fdr,
        "selected": int(features.get_support().sum()),
    }


def as_parts(tests: Mapping[str, Any], shown: int = 10) -> list[Part]:
    """The tests as sentences and tables; of the features the first ones."""
    single, table = tests["one cluster"], tests["assumptions"].drop(columns="remedy")
    tried = " or ".join(map(str, single["n_clusters"]))
    broken = tests["assumptions"].loc[~tests["assumptions"]["holds"]]
    advice = [
        Part(f"{name}: {remedy}") for name, remedy in broken[["assumption", "remedy"]].itertuples(index=False)
    ]
    features = f"{tests['selected']} of {len(tests['features'])}"
    return [
        Part(f"One cluster, or {tried}: p = {single['p_value']:.3g}"),
        Part("Assumptions of the tests of pairs", table),
        *advice,
        Part("Pairs of clusters of one half of the information, tested on the other", tests["pairs"]),
        Part(
            f"Features at a false discovery rate of {tests['fdr']:g}: {features}",
            tests["features"].head(shown),
        ),
    ]
