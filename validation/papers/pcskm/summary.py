"""Means over trials, choice of s, cases and Wilcoxon tests."""

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from validation.papers.pcskm.designs import DATA, FIGURE_1, METHODS, SPARSE, WEIGHTED
from validation.papers.pcskm.samples import load_sample
from validation.papers.pcskm.trials import bounds

GROUP = ["data", "start", "kind", "percent"]
CASE = ["data", "start", "kind"]


def summarise_scores(trials: pd.DataFrame) -> pd.DataFrame:
    """Figure 1: mean F-scores of the test rows."""
    rows = []
    for key, group in trials.groupby(GROUP, sort=False):
        chosen = {method: _at_best_bound(group, method) for method in METHODS}
        ours = chosen["PCSKM"][0]
        for method, (scores, s) in chosen.items():
            mean, se = _mean_and_se(scores)
            lead, lead_se = _mean_and_se(ours - scores)
            row = dict(zip(GROUP, key, strict=True)) | {"method": method, "f_score": mean, "se": se, "s": s}
            row |= {"pcskm_lead": lead, "lead_se": lead_se, "trials": len(scores)}
            row |= {"failed": int(np.isnan(scores).sum()), "n_constraints": group["n_constraints"].max()}
            rows.append(row)
    return pd.DataFrame(rows).round(6)


def summarise_penalties(trials: pd.DataFrame, penalties: pd.DataFrame) -> pd.DataFrame:
    """PCSKM with weights by equation (15) beside the authors' weights, on the same folds and draws."""
    both = trials.merge(penalties.drop(columns="n_constraints"), on=[*GROUP, "trial"])
    rows = []
    for key, group in both.groupby(GROUP, sort=False):
        (theirs, s), (ours, s_15) = (_at_best_bound(group, method) for method in ("PCSKM", "PCSKM (15)"))
        difference, se = _mean_and_se(ours - theirs)
        row = dict(zip(GROUP, key, strict=True)) | {"authors": _mean_and_se(theirs)[0], "s": s}
        row |= {"penalties": _mean_and_se(ours)[0], "s_penalties": s_15, "difference": difference}
        row |= {"difference_se": se, "trials": len(group), "failed": int(np.isnan(ours).sum())}
        rows.append(row)
    return pd.DataFrame(rows).round(6)


def summarise_choice(nested: pd.DataFrame) -> pd.DataFrame:
    """PCSKM with s chosen by the test rows, as in the paper, and by inner folds."""
    rows = []
    for (name, percent), group in nested.groupby(["data", "percent"], sort=False):
        scores, s = _at_best_bound(group, "PCSKM")
        inner = group["nested"].to_numpy(float)
        row = {"data": name, "percent": percent, "optimistic": _mean_and_se(scores)[0], "s": s}
        row |= {"nested": _mean_and_se(inner)[0], "mean_s": group["s"].mean()}
        row |= {"difference_se": _mean_and_se(scores - inner)[1], "trials": len(group)}
        rows.append(row)
    return pd.DataFrame(rows).round(6)


def _at_best_bound(group: pd.DataFrame, method: str) -> tuple[NDArray[np.float64], float]:
    """Scores of all trials at the bound with the best mean, and this bound (NaN for methods without one)."""
    scores = np.array([json.loads(text) for text in group[f"{method} F"]])
    if not method.startswith(SPARSE):
        return scores[:, 0], np.nan
    means = [_mean_and_se(column)[0] for column in scores.T]
    best = int(np.nanargmax(means)) if np.isfinite(means).any() else 0
    return scores[:, best], _grid(group, scores.shape[1])[best]


def _grid(group: pd.DataFrame, n_bounds: int) -> list[float]:
    """The bounds that were tried: all, or one in every few."""
    p = load_sample(group["data"].iloc[0], 0).X.shape[1]
    return next(grid for thin in range(1, 100) if len(grid := bounds(p, thin)) == n_bounds)


def _mean_and_se(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean of the values that are not NaN, and its standard error."""
    there = values[np.isfinite(values)]
    mean = float(there.mean()) if len(there) else np.nan
    return mean, float(there.std(ddof=1) / np.sqrt(len(there))) if len(there) > 1 else np.nan


def summarise_weights(trials: pd.DataFrame) -> pd.DataFrame:
    """Figure 2: share of every feature in the sum of the weights, under constraints of both kinds."""
    rows = []
    for (name, start, _, percent), group in _known(trials[trials["kind"] == "both"]):
        for method in WEIGHTED:
            shares = _shares(group, method)
            first_out = shares.shape[1] - DATA[name].n_uninformative
            for j, column in enumerate(shares.T):
                mean, se = _mean_and_se(column)
                row = {"data": name, "start": start, "percent": percent, "method": method, "feature": j + 1}
                rows.append(row | {"uninformative": j >= first_out, "weight": mean, "se": se})
    return pd.DataFrame(rows).round(5)


def summarise_shares(trials: pd.DataFrame) -> pd.DataFrame:
    """Joint weight share of the uninformative features."""
    rows = []
    for key, group in _known(trials):
        n_out = DATA[key[0]].n_uninformative
        for method in WEIGHTED:
            shares = _shares(group, method)
            p = shares.shape[1]
            mean, se = _mean_and_se(shares[:, p - n_out :].sum(axis=1))
            row = dict(zip(GROUP, key, strict=True)) | {"method": method, "share": mean, "se": se}
            largest = _mean_and_se(group[f"{method} largest"].to_numpy(float))[0]
            rows.append(row | {"largest_over_s": largest, "equal_weights": n_out / p, "trials": len(group)})
    return pd.DataFrame(rows).round(6)


def _known(trials: pd.DataFrame) -> Any:
    """Trials of the data sets with known uninformative features, by group."""
    names = [name for name, described in DATA.items() if described.n_uninformative]
    return trials[trials["data"].isin(names)].groupby(GROUP, sort=False)


def _shares(group: pd.DataFrame, method: str) -> NDArray[np.float64]:
    """Shares of the features, one row per trial that did not fail."""
    found = [json.loads(text) for text in group[f"{method} weights"]]
    return np.array([shares for shares in found if shares])


def case_means(table: pd.DataFrame, column: str = "f_score") -> pd.DataFrame:
    """Means over the numbers of constraints: the paper's cases."""
    chosen = table[table["data"].isin(FIGURE_1)]
    means = chosen.groupby([*CASE, "method"], sort=False)[column].mean()
    return means.unstack("method")[list(METHODS)]


def compare_methods(cases: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Wilcoxon's signed rank test of PCSKM against every other method."""
    others = [method for method in METHODS if method != "PCSKM"]
    return {method: signed_rank(cases["PCSKM"] - cases[method]) for method in others}


def compare_kinds(cases: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float]]:
    """Wilcoxon's test of the kinds of constraints against each other, over the methods that use them."""
    methods = [method for method in METHODS if method not in ("LKM", "SKM")]
    by_kind = cases[methods].stack().unstack("kind").dropna()
    pairs = (("cl", "ml"), ("both", "ml"), ("cl", "both"))
    return {(a, b): signed_rank(by_kind[a] - by_kind[b]) for a, b in pairs}


def signed_rank(differences: pd.Series) -> tuple[float, float]:
    """Median and two-sided p-value of Wilcoxon's signed rank test without zeros; p = 1 if all are 0."""
    values = differences.dropna().to_numpy()
    values = np.where(np.abs(values) < 1e-9, 0, values)
    if not values.any():
        return 0.0, 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about few pairs and ties
        return float(np.median(values)), float(wilcoxon(values).pvalue)
