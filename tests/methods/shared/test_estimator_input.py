"""Bad input to both estimators: a clear exception, or the defined answer."""

from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sparsek import SKFR, KernelKMeans, KPod, SparseKMeans
from sparsek.methods.shared import base

BOTH = pytest.mark.parametrize("estimator", [SparseKMeans, SKFR])
X = np.random.default_rng(0).standard_normal((20, 4))


@cache
def fitted(estimator):
    """A fit with the default of every parameter."""
    return estimator(3, random_state=0).fit(X)


def with_entry(value):
    bad = X.copy()
    bad[3, 1] = value
    return bad


@BOTH
@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (with_entry(np.inf), ValueError, "contains infinity"),
        (with_entry(-np.inf), ValueError, "contains infinity"),
        ([["a", "b"]] * 20, TypeError, "X has type <U1, and X must hold real numbers"),
        (X.astype(object), None, ""),
        (np.array([[{}, 1]] * 20, dtype=object), TypeError, "must be a string or a real number"),
        (X[0], ValueError, "Expected 2D array, got 1D array"),
        (X[None], ValueError, "Found array with dim 3"),
        (np.empty((0, 4)), ValueError, "0 sample"),
        (np.empty((20, 0)), ValueError, "0 feature"),
        (X + 1j, ValueError, "Complex data not supported"),
        (X[:2], ValueError, r"n_samples=2 .* at least n_clusters=3; add rows or lower n_clusters"),
        (None, ValueError, "2D array"),
    ],
)
def test_bad_data(estimator, data, error, message):
    model = estimator(3, random_state=0)
    if error is None:
        assert np.array_equal(model.fit_predict(data), fitted(estimator).labels_)
        return
    with pytest.raises(error, match=message):
        model.fit(data)
    if isinstance(data, np.ndarray) and data.shape == (2, 4):
        return
    known = fitted(estimator)
    for method in (known.predict, known.transform, known.score):
        with pytest.raises(error, match=message):
            method(data)


@BOTH
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": -1}, ValueError, "'n_clusters' parameter of .* Got -1 instead"),
        ({"n_clusters": 2.5}, TypeError, "'n_clusters' parameter of .* Got 2.5 instead"),
        ({"n_clusters": True}, TypeError, "'n_clusters' parameter of .* Got True instead"),
        ({"n_clusters": "3"}, TypeError, "'n_clusters' parameter of .* Got '3' instead"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"max_iter": 1.5}, TypeError, "'max_iter' parameter of .* Got 1.5 instead"),
        ({"init": "kmeans"}, ValueError, "'init' parameter of"),
        ({"init": X[:2]}, ValueError, r"centres of shape \(3, 4\).*got shape \(2, 4\)"),
        ({"init": X[:3, :2]}, ValueError, r"centres of shape \(3, 4\).*got shape \(3, 2\)"),
        ({"init": np.full((3, 4), np.nan)}, ValueError, "init contains NaN"),
        ({"init": np.full(20, 3)}, ValueError, r"must lie in 0\.\.2; got 3\.\.3"),
        ({"init": np.zeros(20)}, ValueError, "integer labels"),
        ({"init": lambda X, k, random_state: X[:1]}, ValueError, r"got shape \(1, 4\)"),
        ({"random_state": "a"}, ValueError, "'random_state' parameter of"),
    ],
)
def test_bad_parameters(estimator, options, error, message):
    with pytest.raises(error, match=message):
        estimator(**{"n_clusters": 3, **options}).fit(X)


@pytest.mark.parametrize(
    ("bound", "error", "message"),
    [
        (0.99, ValueError, "'l1_bound' parameter of .* Got 0.99 instead"),
        (np.nan, ValueError, "'l1_bound' parameter of .* Got nan instead"),
        (np.inf, ValueError, "'l1_bound' parameter of .* Got inf instead"),
        ("2", TypeError, "'l1_bound' parameter of .* Got '2' instead"),
    ],
)
def test_bad_l1_bound(bound, error, message):
    with pytest.raises(error, match=message):
        SparseKMeans(3, l1_bound=bound).fit(X)


@pytest.mark.parametrize("tol", [-1e-9, np.nan])
def test_bad_tol(tol):
    with pytest.raises(ValueError, match="'tol' parameter of"):
        SparseKMeans(3, tol=tol).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_features_to_select": 0}, ValueError, "'n_features_to_select' .* Got 0 instead"),
        (
            {"n_features_to_select": 0.0},
            ValueError,
            r"'n_features_to_select' .* Got 0\.0 instead",
        ),
        (
            {"n_features_to_select": 1.5},
            ValueError,
            r"'n_features_to_select' .* Got 1\.5 instead",
        ),
        (
            {"n_features_to_select": np.nan},
            ValueError,
            "'n_features_to_select' .* Got nan instead",
        ),
        (
            {"n_features_to_select": True},
            TypeError,
            "'n_features_to_select' .* Got True instead",
        ),
        (
            {"n_features_to_select": "all"},
            TypeError,
            "'n_features_to_select' .* Got 'all' instead",
        ),
        ({"scope": "both"}, ValueError, "'scope' parameter of .* Got 'both' instead"),
        ({"ddof": 2}, ValueError, "'ddof' parameter of .* Got 2 instead"),
    ],
)
def test_bad_skfr_parameters(options, error, message):
    with pytest.raises(error, match=message):
        SKFR(3, **options).fit(X)


@pytest.mark.parametrize("scope", ["global", "local"])
def test_more_features_than_there_are_are_all_of_them_with_a_warning(scope):
    model = SKFR(3, 5, scope=scope, random_state=0)
    with pytest.warns(UserWarning, match="=5 is more than n_features=4: 4 is used") as caught:
        model.fit(X)
    (warning,) = caught
    assert warning.filename == __file__
    exact = SKFR(3, 4, scope=scope, random_state=0).fit(X)
    assert model.n_features_to_select == 5
    assert model.objective_ == exact.objective_
    np.testing.assert_array_equal(model.selected_features_, exact.selected_features_)


@BOTH
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.full(20, -1.0), "sample_weight must not be negative; got -1"),
        (np.zeros(20), "sample_weight is zero for every row"),
        (np.ones(19), r"sample_weight must have shape \(20,\).*got \(19,\)"),
        (np.ones((20, 1)), r"sample_weight must have shape \(20,\).*got \(20, 1\)"),
        (np.full(20, np.nan), "sample_weight contains NaN"),
        (np.eye(20)[0], r"n_samples=1 .*positive weight"),
        (np.full(20, 1e78), r"0 or from 8\.64e-78 to 1\.16e\+77 .*float64; got 1e\+78; divide"),
        (np.full(20, 1e-78), "sample_weight must be 0 or from .*got 1e-78"),
        (np.full(20, 1e-310), "sample_weight must be 0 or from .*got 1e-310"),
    ],
)
def test_bad_sample_weight(estimator, weight, message):
    with pytest.raises(ValueError, match=message):
        estimator(3).fit(X, sample_weight=weight)


@pytest.mark.parametrize(("dtype", "exponent"), [(np.float64, 256), (np.float32, 60)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_weights_at_the_limits(dtype, exponent, sign):
    data, limit = X.astype(dtype), 2.0 ** (sign * exponent)
    weights = np.full(20, limit)
    weights[3] = 0
    for model in (
        SparseKMeans(3, l1_bound=1.5, standardize=False),
        SparseKMeans(3, standardize=False),
        KernelKMeans(3),
        KPod(3),
    ):
        model.set_params(n_init=2, random_state=0)
        plain = clone(model).fit_predict(data, sample_weight=weights > 0)
        assert model.fit_predict(data, sample_weight=weights).tolist() == plain.tolist()
        with pytest.raises(ValueError, match=f"for data of type {np.dtype(dtype)}; got"):
            model.fit(data, sample_weight=weights * 2.0**sign)


def test_weights_that_leave_no_degree_of_freedom():
    with pytest.raises(ValueError, match=r"sums to 0.2, which must exceed ddof=1.*ddof=0"):
        SKFR(3).fit(X, sample_weight=np.full(20, 0.01))
    SKFR(3, ddof=0, random_state=0).fit(X, sample_weight=np.full(20, 0.01))


@BOTH
def test_single_feature_works(estimator):
    line = np.repeat([0.0, 5.0, 50.0], 5)[:, None] + np.tile(np.arange(5.0), 3)[:, None] / 10
    labels = estimator(3, random_state=0).fit_predict(line)
    assert [len(set(labels[i : i + 5])) for i in (0, 5, 10)] == [1, 1, 1]
    assert len(set(labels)) == 3


@BOTH
@pytest.mark.parametrize("n_distinct", [1, 2])
def test_fewer_distinct_rows_than_clusters_warns_as_kmeans_does(estimator, n_distinct):
    rows = X[np.arange(20) % n_distinct]
    with pytest.warns(
        ConvergenceWarning, match=rf"distinct clusters \({n_distinct}\) found smaller than n_clusters"
    ):
        model = estimator(3, random_state=0).fit(rows)
    assert len(np.unique(model.labels_)) == n_distinct
    assert np.isfinite(model.cluster_centers_).all()
    # Rows equal the mean of their cluster up to rounding.
    assert model.transform(rows).min(axis=1).max() <= 1e-14


@BOTH
def test_constant_data_has_one_cluster_and_no_weights(estimator):
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\) found"):
        model = estimator(2, random_state=0).fit(np.full((10, 3), 0.1))
    assert not model.labels_.any()
    assert not model.feature_weights_.any()
    assert model.inertia_ == 0
    assert (model.cluster_centers_ == 0.1).all()


@BOTH
def test_number_of_clusters_equal_to_rows(estimator):
    model = estimator(20, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 20


@BOTH
def test_unfitted(estimator):
    for call in (estimator().predict, estimator().transform, estimator().score):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        estimator().get_support()


@BOTH
def test_input_is_never_changed(estimator):
    data, weight, centers = X.copy(), np.ones(20), X[:3].copy()
    estimator(3, init=centers).fit(data, sample_weight=weight)
    assert np.array_equal(data, X)
    assert np.array_equal(weight, np.ones(20))
    assert np.array_equal(centers, X[:3])


@BOTH
def test_verbose_logs_each_start(estimator, caplog, capsys):
    with caplog.at_level("INFO", logger="sparsek"):
        estimator(2, n_init=2, verbose=1, random_state=0, **{estimator._path_parameter: None}).fit(X)
    assert [record.msg.split()[0] for record in caplog.records] == ["start", "start", "the"]
    assert capsys.readouterr().out == ""


def test_missing_values_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="contains NaN"):
        SparseKMeans(3).fit(with_entry(np.nan))
    for options in ({"loss": "absolute"}, {"projection": "nonnegative"}):
        with pytest.raises(ValueError, match=r"missing values .* impute them first"):
            SKFR(3, **options).fit(with_entry(np.nan))


@pytest.mark.parametrize(("at_most", "lengths"), [(1, [1] * 7), (6, [2, 2, 2, 1]), (100, [7])])
def test_pieces_of_a_sparse_matrix_are_its_rows_in_order(monkeypatch, at_most, lengths):
    monkeypatch.setattr(base, "PIECE_ENTRIES", at_most)
    X = np.arange(21.0).reshape(7, 3)
    rows, pieces = zip(*base.dense_pieces(csr_array(X)), strict=True)
    assert [len(piece) for piece in pieces] == lengths
    np.testing.assert_array_equal(np.concatenate(pieces), X)
    np.testing.assert_array_equal(np.concatenate([X[part] for part in rows]), X)
