"""Columns far from 0 beside their spread: single precision gives what double gives, or a warning is given."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import sparsek
from sparsek.errors import PrecisionWarning
from tests.variants import FIRST, SEARCHES, VARIANTS, make

RNG = np.random.default_rng(6)
TRUTH = np.repeat([0, 1], [21, 27])
NEAR = np.rint(3 * RNG.normal(size=(48, 5)))
NEAR[:, :2] += 7 * TRUTH[:, None]
FAR = {"float32": (NEAR + (2**24 - 64)).astype(np.float32), "float64": NEAR + (2.0**53 - 64)}
"""The same whole numbers, exactly, at the end of what each precision counts."""
EVERY = sorted(FIRST | SEARCHES, key=VARIANTS.index)


def warned(fit):
    """A result, and whether it warned of precision."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fit()
    return found, any(issubclass(entry.category, PrecisionWarning) for entry in caught)


def fitted(text, X):
    """A fit of two clusters, and whether it warned of precision."""
    model = make(text)
    chosen = {"n_clusters": 2, "random_state": 0, "n_init": 1}
    model.set_params(**{name: value for name, value in chosen.items() if name in model.get_params()})
    return warned(lambda: model.fit(X))


def test_the_numbers_are_exact() -> None:
    np.testing.assert_array_equal(FAR["float32"].astype(np.float64) - (2**24 - 64), NEAR)
    np.testing.assert_array_equal(FAR["float64"] - (2.0**53 - 64), NEAR)


@pytest.mark.parametrize("text", EVERY)
def test_single_precision_gives_what_double_gives_or_a_warning(text) -> None:
    X = FAR["float32"]
    (single, told), (double, _) = fitted(text, X), fitted(text, X.astype(np.float64))
    if told:
        return
    for name in ("labels_", "ranking_", "selected_features_", "feature_weights_", "best_params_"):
        if hasattr(double, name):
            np.testing.assert_array_equal(getattr(single, name), getattr(double, name), err_msg=name)
    if hasattr(double, "predict"):
        np.testing.assert_array_equal(single.predict(X), double.predict(X.astype(np.float64)))
    if hasattr(double, "transform"):
        # A search transforms by columns of X, which keep their precision.
        np.testing.assert_array_equal(single.transform(X), double.transform(X.astype(np.float64)))


@pytest.mark.parametrize("text", EVERY)
def test_double_precision_near_its_last_whole_number_is_right_or_gives_a_warning(text) -> None:
    found, told = fitted(text, FAR["float64"])
    if not told:
        near, _ = fitted(text, NEAR)
        np.testing.assert_array_equal(found.labels_, near.labels_)


def test_the_estimators_of_centres_need_no_warning_in_single_precision() -> None:
    for text in sorted(FIRST):
        if not text.startswith("DEC"):
            assert not fitted(text, FAR["float32"])[1], text


def test_skfr_selects_the_columns_of_the_groups() -> None:
    rng = np.random.default_rng(0)
    Z = np.rint(1.2 * rng.normal(size=(400, 6)))
    Z[:200, :2] += 2
    for scope in ("global", "local"):
        model = sparsek.SKFR(2, 2, scope=scope, standardize=False, random_state=0)
        near = model.fit(Z).labels_
        far = sparsek.SKFR(**model.get_params()).fit((Z + (2**24 - 64)).astype(np.float32))
        np.testing.assert_array_equal(np.unique(far.selected_features_), [0, 1])
        np.testing.assert_array_equal(far.labels_, near)
        np.testing.assert_array_equal(far.predict((Z + (2**24 - 64)).astype(np.float32)), near)


@pytest.mark.parametrize("init", ["k-means++", np.array([0, 47])], ids=["drawn", "given"])
@pytest.mark.parametrize("name", ["SKFR", "SparseKMeans", "KPod", "PowerKMeans"])
def test_rows_that_are_not_in_memory_give_a_warning(name, init, tmp_path) -> None:
    """They are read in their own precision, block by block."""
    X = np.tile(FAR["float32"], (50, 10))
    np.save(tmp_path / "X.npy", X)
    model = getattr(sparsek, name)(2, init=init, random_state=0, memory_limit="300KB", max_iter=1)
    model.set_params(**{"n_init": 1, "l1_bound": 1.5} if name == "SparseKMeans" else {"n_init": 1})
    assert warned(lambda: model.fit(tmp_path / "X.npy"))[1]
    assert warned(lambda: model.fit(csr_array(X[:48])))[1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_warning_names_the_column_and_a_remedy(dtype) -> None:
    far = FAR[dtype]
    X = np.column_stack([NEAR[:, 0].astype(dtype), far[:, 1]])
    with pytest.warns(PrecisionWarning, match=r"column 1 goes from .* subtract a number") as caught:
        sparsek.SparseKMeans(2, l1_bound=1.2).fit(X if dtype == "float64" else csr_array(X))
    (message,) = [entry.message for entry in caught if isinstance(entry.message, PrecisionWarning)]
    assert (message.row, message.column) == (None, 1)
    remedy = type(far[0, 0])(str(message).rsplit(" ", 1)[1])
    np.testing.assert_array_equal(far[:, 1] - remedy, NEAR[:, 1] - NEAR[:, 1].min())


@pytest.mark.parametrize("text", EVERY)
def test_columns_of_infinity_alone_are_refused_without_another_word(text) -> None:
    with pytest.raises(ValueError, match="infinity"):
        make(text).fit(np.full((19, 2), -np.inf, np.float32))
