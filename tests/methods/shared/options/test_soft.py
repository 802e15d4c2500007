"""Probabilities of clusters: one convention for every estimator that has ``predict_proba``."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsek
from sparsek import COSA, SKFR, EntropyWeightedPowerKMeans, FitUncertainty, PowerKMeans, RobustSparseKMeans
from sparsek._registry import ESTIMATORS
from sparsek.methods.power.base import fuzzy_memberships
from sparsek.methods.shared.soft import led_by

PUBLIC = {name: getattr(sparsek, name) for name in sparsek.__all__}
SOFT = [row for row in ESTIMATORS if hasattr(PUBLIC[row.name], "predict_proba")]
EACH = pytest.mark.parametrize("entry", SOFT, ids=lambda entry: entry.name)
SMALL = {
    "n_clusters": 3,
    "random_state": 0,
    "n_resamples": 8,
    "keep_fits": True,
    "estimator": SKFR(3, 2, n_init=2, random_state=0),
    "hidden_sizes": (6,),
    "n_components": 2,
    "layer_epochs": 3,
    "finetune_epochs": 3,
    "batch_size": 16,
    "max_iter": 60,
}
rng = np.random.default_rng(5)
X = rng.normal(size=(60, 4))
X[:25, 0] += 4
X[45:, 1] += 4
NEW = np.vstack([rng.normal(size=(37, 4)) * 3, X[:3], (X[:25].mean(axis=0) + X[45:].mean(axis=0)) / 2])


def model_of(entry: Any) -> Any:
    """A small version of an estimator of the registry."""
    model = eval((entry.checks or (f"{entry.name}()",))[0], PUBLIC)
    return model.set_params(**{name: SMALL[name] for name in model.get_params(deep=False) if name in SMALL})


def check(model: Any, rows: Any, dtype: Any = np.float64) -> np.ndarray:
    """The probabilities of some rows, after all that the convention says of them."""
    found = model.predict_proba(rows)
    assert found.dtype == dtype
    assert found.shape == (rows.shape[0], 3)
    assert found.min() >= 0
    assert found.max() <= 1 + np.finfo(dtype).eps
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=8 * np.finfo(dtype).eps)
    assert np.array_equal(found.argmax(axis=1), model.predict(rows))
    return found


def test_these_estimators_have_probabilities() -> None:
    assert {row.name for row in SOFT} == {
        "DEC",
        "PowerKMeans",
        "EntropyWeightedPowerKMeans",
        "FactorSparseMixture",
        "FitUncertainty",
    }


@EACH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_convention(entry: Any) -> None:
    model = model_of(entry).fit(X)
    whole = check(model, NEW)
    check(model, NEW[:1])
    for step in (1, 2, 7, 40):
        pieces = [model.predict_proba(NEW[i : i + step]) for i in range(0, len(NEW), step)]
        # A network, and densities, multiply matrices, whose last digits depend on their sizes.
        if entry.name in ("DEC", "FactorSparseMixture"):
            np.testing.assert_allclose(np.vstack(pieces), whole, rtol=1e-9, atol=1e-15)
        else:
            assert np.array_equal(np.vstack(pieces), whole)
    again = check(model, X)
    if entry.name == "FitUncertainty":  # labels_ are of the fit to X, and all others of the resamples
        assert np.mean(again.argmax(axis=1) == model.labels_) > 0.9
    elif entry.name != "DEC":  # whose last step moves the centres after the last labels
        assert np.array_equal(again.argmax(axis=1), model.labels_)
    far = again[np.arange(len(X)), again.argmax(axis=1)]
    assert far.mean() > 0.6


@EACH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_containers(entry: Any) -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = model_of(entry).fit(frame)
    expected = check(model, frame)
    assert np.array_equal(check(model, frame.iloc[:1]), model_of(entry).fit(X).predict_proba(X[:1]))
    with pytest.raises(ValueError, match="feature names"):
        model.predict_proba(frame[["b", "a", "c", "d"]])
    plain = model_of(entry).fit(X)
    assert np.array_equal(plain.predict_proba(X), expected)
    with pytest.raises(ValueError, match=r"3 features, but .* is expecting 4 features"):
        plain.predict_proba(X[:, :3])
    bad = X.copy()
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        plain.predict_proba(bad)
    thin = sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    if plain.__sklearn_tags__().input_tags.sparse:
        found = check(plain, thin)
        np.testing.assert_allclose(found, plain.predict_proba(thin.toarray()), atol=1e-12)
    else:
        with pytest.raises(TypeError, match="dense"):
            plain.predict_proba(thin)


@EACH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_single_precision(entry: Any) -> None:
    single = X.astype(np.float32)
    model = model_of(entry).fit(single)
    found = check(model, NEW.astype(np.float32), np.float64 if entry.name == "FitUncertainty" else np.float32)
    assert np.isfinite(found).all()


@EACH
def test_not_fitted(entry: Any) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        model_of(entry).predict_proba(X)


@settings(max_examples=55)
@given(
    shares=arrays(np.float64, (5, 3), elements=st.sampled_from([0.25, 0.25 + 1e-17, 0.5, 0.5 + 1e-9, 0.1])),
    labels=arrays(np.int32, 5, elements=st.integers(0, 2)),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_the_label_leads(shares: np.ndarray, labels: np.ndarray, dtype: Any) -> None:
    found = led_by(shares, labels, dtype)
    assert np.array_equal(found.argmax(axis=1), labels)
    np.testing.assert_allclose(np.sort(found, axis=1), np.sort(shares.astype(dtype), axis=1), rtol=3e-7)
    leading = shares.argmax(axis=1)
    assert np.array_equal(led_by(shares, leading, np.float64), shares)


# ---- fuzzy c-means


def fuzzy_c_means(X: np.ndarray, centers: np.ndarray, m: float, n_iter: int) -> tuple[np.ndarray, np.ndarray]:
    """Bezdek's iteration, row by row and cluster by cluster."""
    n, k = len(X), len(centers)
    for _ in range(n_iter):
        u = np.zeros((n, k))
        for i in range(n):
            d = [float(np.sum((X[i] - center) ** 2)) for center in centers]
            for j in range(k):
                u[i, j] = 1 / sum((d[j] / other) ** (1 / (m - 1)) for other in d)
        centers = np.array([(u[:, j] ** m) @ X / np.sum(u[:, j] ** m) for j in range(k)])
    return u, centers


@pytest.mark.parametrize("power", [-1.0, -2.0, -0.5])
def test_power_kmeans_that_stays_at_a_power_is_fuzzy_c_means(power: float) -> None:
    rows = X[::2]
    start = rows[[0, 15, 25]] + 0.1
    model = PowerKMeans(3, init=start, schedule="geometric", s0=power, eta=1 + 1e-9, tol=1e-8).fit(rows)
    u, centers = fuzzy_c_means(rows, start, 1 - 1 / model.s_, 200)
    np.testing.assert_allclose(model.cluster_centers_, centers, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(rows), u, atol=1e-4)
    assert 0.4 < u.max(axis=1).mean() < 0.95  # soft


def test_memberships_at_every_power() -> None:
    D = np.array([[1.0, 4.0, 4.0], [0.0, 1.0, 2.0], [0.0, 0.0, 3.0], [1e300, 1e-300, 5.0], [2.0, 2.0, 2.0]])
    found = fuzzy_memberships(D, -1.0)
    expected = [[2 / 3, 1 / 6, 1 / 6], [1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    for s in (-0.1, -120.0, -1e12):
        found = fuzzy_memberships(D, s)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        np.testing.assert_allclose(found[4], 1 / 3)
    np.testing.assert_allclose(fuzzy_memberships(D, -1e12)[:3], [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0]])


def test_rows_between_two_centres_get_the_cluster_of_predict() -> None:
    square = np.array([[0.0, 0], [2, 0], [0, 2], [2, 2], [1, 1], [1, 0], [0, 1]])
    model = PowerKMeans(4, init=square[:4][::-1].copy(), polish=True).fit(square[:4])
    found = model.predict_proba(square)
    assert np.array_equal(found.argmax(axis=1), model.predict(square))
    np.testing.assert_allclose(found[4], 0.25)


def test_entropy_weights_count_in_the_distance() -> None:
    model = EntropyWeightedPowerKMeans(3, s0=-1.0, max_iter=4, random_state=0, standardize=True)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    d = model.transform(X) ** 2
    expected = d**model.s_ / (d**model.s_).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)


def test_files_and_dask_collections(tmp_path: Any) -> None:
    da = pytest.importorskip("dask.array")
    model = PowerKMeans(3, random_state=0).fit(X)
    np.save(tmp_path / "new.npy", NEW)
    expected = model.predict_proba(NEW)
    assert np.array_equal(model.predict_proba(tmp_path / "new.npy"), expected)
    lazy = model.predict_proba(da.from_array(NEW, chunks=(9, 4)))
    assert lazy.shape == expected.shape
    assert np.array_equal(lazy.compute(), expected)


# ---- shares of resamples


def votes(sure: Any, rows: np.ndarray) -> np.ndarray:
    """Shares of the fits by a loop over fits and rows."""
    found = np.zeros((len(rows), 3))
    for fit, match in zip(sure.estimators_, sure._matches, strict=True):
        for i, label in enumerate(fit.predict(rows)):
            if label >= 0:
                found[i, match[label]] += 1
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (SKFR(3, 2, n_init=2, random_state=0), "bootstrap"),
        (make_pipeline(StandardScaler(), SKFR(3, 2, n_init=2, random_state=0)), "subsampling"),
    ],
)
def test_shares_of_the_resamples(estimator: Any, method: str) -> None:
    sure = FitUncertainty(estimator, method, n_resamples=6, keep_fits=True, random_state=0).fit(X)
    np.testing.assert_allclose(sure.predict_proba(NEW), votes(sure, NEW), rtol=1e-14)
    plain = clone(sure).set_params(keep_fits=False).fit(X)
    assert np.array_equal(plain.membership_, sure.membership_, equal_nan=True)
    assert not hasattr(plain, "estimators_")
    surer = clone(sure).set_params(n_jobs=2).fit(X)
    assert np.array_equal(surer.predict_proba(NEW), sure.predict_proba(NEW))


def test_columns_are_the_clusters_of_labels() -> None:
    groups = np.vstack([rng.normal(m, 0.1, (20, 2)) for m in (0, 10, 20)])
    sure = FitUncertainty(SKFR(3, 2, random_state=0), n_resamples=10, keep_fits=True, random_state=1)
    sure.fit(groups)
    found = sure.predict_proba(groups)
    assert np.array_equal(found, np.eye(3)[sure.labels_])
    assert np.array_equal(found, sure.membership_)


def test_without_the_fits() -> None:
    sure = FitUncertainty(SKFR(2, 2, random_state=0), n_resamples=2, random_state=0).fit(X)
    for name in ("predict_proba", "predict"):
        assert not hasattr(sure, name)
        with pytest.raises(AttributeError, match=name) as error:
            getattr(sure, name)
        assert "keeps with keep_fits=True" in str(error.value.__cause__)
    tree = FitUncertainty(COSA(2), n_resamples=2, keep_fits=True)
    with pytest.raises(AttributeError) as error:
        tree.predict_proba(X)
    assert "COSA has no predict for new rows" in str(error.value.__cause__)
    assert not hasattr(tree, "predict_proba")


@pytest.mark.filterwarnings("ignore::sparsek.errors.PrecisionWarning")
def test_a_row_too_far_from_the_rows_of_a_resample_is_refused() -> None:
    X = np.arange(24.0).reshape(12, 2) % 5
    X[3, 1] = 1e160
    sure = FitUncertainty(
        SKFR(2, standardize=True), n_resamples=3, sample_fraction=0.3, keep_fits=True, random_state=0
    ).fit(X)
    with pytest.raises(ValueError, match=r"1e\+160 in row 3, column 1, so far from the data of the fit"):
        sure.predict(X)


def test_fits_and_checkpoints_exclude_each_other(tmp_path: Any) -> None:
    sure = FitUncertainty(SKFR(2), keep_fits=True, checkpoint=tmp_path / "kept", random_state=0)
    with pytest.raises(ValueError, match=r"keep_fits=True keeps whole fits.* leave one of them out"):
        sure.fit(X)
    assert not (tmp_path / "kept").exists()
    with pytest.raises(TypeError, match="keep_fits"):
        FitUncertainty(SKFR(2), keep_fits="yes").fit(X)


def test_rows_without_votes_have_equal_shares() -> None:
    sure = FitUncertainty(SKFR(3, 2, random_state=0), n_resamples=3, keep_fits=True, random_state=0).fit(X)
    for fit in sure.estimators_:
        fit.predict = lambda rows: np.full(len(rows), -1)
    assert np.array_equal(sure.predict_proba(NEW[:2]), np.full((2, 3), 1 / 3))


def test_trimmed_rows_have_votes() -> None:
    sure = FitUncertainty(
        RobustSparseKMeans(3, trim=0.1, n_init=2, random_state=0),
        n_resamples=6,
        keep_fits=True,
        random_state=0,
    ).fit(X)
    np.testing.assert_allclose(sure.predict_proba(X).sum(axis=1), 1)
