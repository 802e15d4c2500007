"""`sparsek.cluster`: which family it takes, what it says of it, and what it hands back."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, FactorSparseMixture, cluster

rng = np.random.default_rng(0)
WIDE = rng.normal(size=(60, 20))
WIDE[:30, :3] += 4
LONG = rng.normal(size=(120, 4)) @ np.diag([5, 1, 1, 1.0])
LONG[:60, 1] += 6


@pytest.mark.parametrize(
    ("X", "family"),
    [
        (LONG, "FactorSparseMixture"),  # 60 rows a cluster, 4 columns
        (WIDE, "SKFR"),  # 30 rows a cluster, 20 columns
        (WIDE[:48, :12], "FactorSparseMixture"),  # 24 rows a cluster are twice 12
        (WIDE[:47, :12], "SKFR"),
        (LONG[:20], "SKFR"),  # no column has more than 20 values
        (np.round(LONG), "SKFR"),  # few values in most columns
        (np.column_stack([np.round(LONG[:, 1:3] / 4), LONG[:, :3]]), "FactorSparseMixture"),
        (np.column_stack([np.round(LONG[:, 1:3] / 4), LONG[:, :2]]), "SKFR"),  # half of the columns
        (np.column_stack([LONG, np.ones((120, 30))]), "FactorSparseMixture"),  # constant columns do not count
    ],
)
def test_rows_for_each_column_and_few_values_decide(X: np.ndarray, family: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few rows
        fit = cluster(X, 2, compare=False, random_state=0)
    assert type(fit).__name__ == fit.family_choice_.family == family
    assert fit.family_choice_.index is None


def test_the_fit_is_that_of_the_family() -> None:
    long = cluster(LONG, 2, random_state=0)
    mixture, ranking = FactorSparseMixture(2, random_state=0).fit(LONG), SKFR(2, random_state=0).fit(LONG)
    np.testing.assert_array_equal(long.labels_, mixture.labels_)
    assert long.family_choice_.index == adjusted_rand_score(mixture.labels_, ranking.labels_)
    wide = cluster(WIDE, 2, random_state=0)
    np.testing.assert_array_equal(wide.labels_, SKFR(2, random_state=0).fit(WIDE).labels_)
    np.testing.assert_array_equal(wide.predict(WIDE), wide.labels_)


def test_the_summary_says_why() -> None:
    text = cluster(load_iris().data, 3, random_state=0).summary().as_text()
    flat = " ".join(text.split())
    assert "family: FactorSparseMixture, because there are 50 rows for each cluster and 4 columns" in flat
    assert "SKFR finds clusters whose adjusted Rand index with these is" in flat
    assert "family:" not in SKFR(3, random_state=0).fit(load_iris().data).summary().as_text()


def test_a_fit_anew_forgets_the_choice() -> None:
    fit = cluster(LONG, 2, compare=False, random_state=0).fit(LONG)
    assert not hasattr(fit, "family_choice_")


@pytest.mark.parametrize("kind", ["categories", "sparse", "file"])
def test_other_kinds_of_data_are_for_skfr(kind: str, tmp_path: Path) -> None:
    X = LONG
    if kind == "categories":
        X = pd.DataFrame(LONG, columns=list("abcd")).assign(e=np.repeat(["x", "y"], 60))
    elif kind == "sparse":
        X = csr_array(np.where(LONG > 0, LONG, 0))
    else:
        np.save(tmp_path / "rows.npy", LONG)
        X = tmp_path / "rows.npy"
    fit = cluster(X, 2, random_state=0)
    words = {"categories": "have categories", "sparse": "are sparse", "file": "are not in memory"}
    assert fit.family_choice_.reason == f"the data {words[kind]}"
    assert fit.family_choice_.index is None


def test_holes_weights_and_batches() -> None:
    X = LONG.copy()
    X[::7, 2] = np.nan
    assert isinstance(cluster(X, 2, compare=False, random_state=0), FactorSparseMixture)
    weights = np.repeat([1.0, 0.0], [14, 106])  # 7 rows a cluster are less than twice 4
    assert isinstance(cluster(LONG, 2, sample_weight=weights, compare=False, random_state=0), SKFR)
    batch = np.arange(120) % 2
    found = cluster(LONG, 2, batch=batch, compare=False, random_state=0)
    np.testing.assert_array_equal(
        found.labels_, FactorSparseMixture(2, random_state=0).fit(LONG, batch=batch).labels_
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cluster(LONG, 0), ValueError, "'n_clusters' parameter of cluster"),
        (lambda: cluster(LONG, 2, compare="yes"), ValueError, "'compare' parameter of cluster"),
        (lambda: cluster(LONG, 200), ValueError, "200"),
        (lambda: cluster(np.full((5, 2), np.inf), 2), ValueError, "infinity"),
        (lambda: cluster([["a", "b"], ["c", "d"]], 2), (TypeError, ValueError), "."),
        (lambda: cluster(LONG, 2, sample_weight=np.ones(3)), ValueError, "sample_weight"),
    ],
)
def test_bad_input(call, error, message: str) -> None:
    with pytest.raises(error, match=message):
        call()
