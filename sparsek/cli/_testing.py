"""The tests behind ``sparsek test``: assumptions, one cluster or more, pairs of clusters, features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from sparsek import FeatureFDR, FitUncertainty, inference
from sparsek.cli._summary import Part
from sparsek.inference.one_cluster import LEVEL

RESAMPLES = 50
"""Bootstrap samples that say how sure the clusters are."""
NAMED = 5
"""So many features stand in the sentence."""
ALIKE = 0.8
"""Clusters of the half whose adjusted Rand index with those of the data is below this are other clusters."""


def run_tests(
    model: Any,
    frame: pd.DataFrame,
    sigma: float | None,
    fdr: float,
    n_null: int,
    seed: int,
    n_jobs: int | None,
    beside: Mapping[str, Any],
) -> dict[str, Any]:
    """All tests of a fitted model on the data of its fit, as result.json holds them."""
    running: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    k = int(model.get_params()["n_clusters"])
    single = inference.test_one_cluster(frame, model, sorted({2, k}), n_null=n_null, **beside, **running)
    features = FeatureFDR(model, fdr, n_null=n_null, **running).fit(frame, **beside)
    sure = FitUncertainty(model, n_resamples=RESAMPLES, **running).fit(frame, **beside)
    own = sure.membership_[np.arange(len(frame)), np.maximum(sure.labels_, 0)]
    membership = {int(label): own[sure.labels_ == label].mean() for label in range(k)}
    untested = _untested(frame, beside)
    return {
        "one cluster": {
            "p_value": single.p_value,
            "null_p_value": single.null_p_value,
            "peak_p_value": single.peak_p_value,
            "refused": single.refused,
            "n_clusters": single.n_clusters,
            "n_null": n_null,
            "text": str(single),
        },
        "membership": membership,
        "features": features.summary().features.drop(columns="rank"),
        "feature_p_value": features.cluster_p_value_,
        "fdr": fdr,
        "selected": int(features.get_support().sum()),
        **({"untested": untested} if untested else _test_pairs(model, frame, sigma, running)),
    }


def _untested(frame: pd.DataFrame, beside: Mapping[str, Any]) -> str:
    """Why pairs of clusters are not tested; empty where they are."""
    n_holes = int(frame.isna().to_numpy().sum())
    categories = [str(name) for name, kind in frame.dtypes.items() if str(kind) == "category"]
    if categories:
        return f"{categories[0]} holds answers in words. Leave such columns out to test pairs"
    if n_holes:
        return f"{n_holes} values are missing. Impute them to test pairs"
    return "the rows are of several batches. Test the rows of one batch" if beside else ""


def _test_pairs(
    model: Any, frame: pd.DataFrame, sigma: float | None, running: Mapping[str, Any]
) -> dict[str, Any]:
    """The tests of pairs of clusters, and of what they assume."""
    data = frame.to_numpy(dtype=float)
    # A feature that takes no part in the clusters spoils no test of theirs.
    used = np.flatnonzero(model.get_support()) if hasattr(model, "get_support") else np.arange(data.shape[1])
    assumptions = inference.check_assumptions(data[:, used], model.labels_, sigma)
    names = [str(frame.columns[used[j]]) if j >= 0 else "" for j in assumptions["feature"]]
    thinned = inference.test_thinned(data, model, sigma=sigma, **running)
    return {
        "assumptions": assumptions.assign(feature=names).rename_axis("assumption").reset_index(),
        "pairs": thinned.pairs,
        "part": {
            "p_value": thinned.p_value,
            "labels": thinned.labels,
            "sigma": sigma,
            "agreement": adjusted_rand_score(model.labels_, thinned.labels),
        },
    }


def as_parts(tests: Mapping[str, Any], shown: int = 10) -> list[Part]:
    """The tests as sentences and tables: three answers first; of the features the first ones."""
    return [
        *(Part(sentence) for sentence in _answers(tests)),
        *_pairs(tests),
        *_features(tests, shown),
    ]


def _pairs(tests: Mapping[str, Any]) -> list[Part]:
    """The tests of pairs with what they assume, or why there are none."""
    if "untested" in tests:
        why = tests["untested"]
        return [Part(f"Pairs of clusters are not tested: normal data can be halved for that, and {why}")]
    return [
        Part("Assumptions of the tests of pairs", _in_words(tests["assumptions"].drop(columns="remedy"))),
        *_advice(tests["assumptions"]),
        Part("Pairs of clusters of one half of the information, tested on the other", tests["pairs"]),
        *_about_part(tests["part"]),
    ]


def _answers(tests: Mapping[str, Any]) -> list[str]:
    """Is there more than one cluster, which features differ, how sure are the clusters?"""
    single, fdr = tests["one cluster"], tests["fdr"]
    tried = " or ".join(map(str, single["n_clusters"]))
    if single["refused"]:
        more = f"Is there more than one cluster? The test gives no answer. It says: {single['text']}"
    else:
        found = "Yes" if single["p_value"] <= LEVEL else "That is not shown"
        more = (
            f"Is there more than one cluster? {found}: one cluster against {tried} has p = "
            f"{single['p_value']:.3g}, by {single['n_null']} sets without clusters and the valleys between "
            "the clusters"
        )
    table = tests["features"]
    names = [str(name) for name in table.loc[table["selected"].astype(bool), "feature"]]
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = f"{', '.join(names[:NAMED])}{rest}" if names else "none is shown to"
    which = f"Which features differ? {listed}, at a false discovery rate of {fdr:g}"
    shares = tests["membership"]
    least = min(shares, key=shares.__getitem__)
    sure = (
        f"How sure are the clusters? In {RESAMPLES} bootstrap samples a row of the least sure cluster, "
        f"{least}, is in it with a share of {shares[least]:.2f}; the mean over the clusters is "
        f"{np.mean(list(shares.values())):.2f}"
    )
    return [more, which, sure]


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The table with yes and no for truth values."""
    truths = [name for name in table.columns if table[name].dtype == bool]
    return table.assign(**{name: table[name].map({True: "yes", False: "no"}) for name in truths})


def _advice(assumptions: pd.DataFrame) -> list[Part]:
    """What to do about broken assumptions, each remedy once."""
    broken = assumptions.loc[~assumptions["holds"].astype(bool)]
    return [
        Part(f"The p-values of pairs may be too small ({', '.join(part['assumption'])}): {remedy}")
        for remedy, part in broken.groupby("remedy", sort=False)
    ]


def _about_part(part: Mapping[str, Any]) -> list[Part]:
    """What the clusters of the half are, and what to do where they are not those of the data."""
    found = [
        Part(
            f"All means of these clusters are equal: p = {part['p_value']:.3g}; statistic: distance of two "
            "means in standard deviations of the noise"
        ),
        Part(
            "These are the clusters of the half, with numbers of their own (tests, part in result.json). "
            f"Their adjusted Rand index with the clusters of the data is {part['agreement']:.2f}"
        ),
    ]
    if part["sigma"] is None and part["agreement"] < ALIKE:
        found.append(
            Part(
                "So they tell little about the clusters of the data: the noise is estimated on the data and "
                "holds their differences. Give --sigma, as known from replicates or controls"
            )
        )
    return found


def _features(tests: Mapping[str, Any], shown: int) -> list[Part]:
    """The features, and why none is selected where there are no clusters."""
    table, fdr = tests["features"], tests["fdr"]
    first = f"; the first {shown}" if len(table) > shown else ""
    heading = f"Features at a false discovery rate of {fdr:g}: {tests['selected']} of {len(table)}{first}"
    found = [Part(heading, _in_words(table.head(shown)))]
    if not tests["selected"] and tests["feature_p_value"] > fdr:
        found.append(
            Part(
                f"None is selected, because one cluster is not rejected at {fdr:g} "
                f"(p = {tests['feature_p_value']:.3g})"
            )
        )
    return found
