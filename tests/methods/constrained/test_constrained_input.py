"""Constrained estimators: bad input, bad options, contradictions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from sparsek import COPKMeans, MPCKMeans, PCKMeans, PCSparseKMeans
from sparsek.errors import (
    ConstraintConflictWarning,
    ContradictoryConstraintsError,
    InfeasibleConstraintsError,
)

IRIS, SPECIES = load_iris(return_X_y=True)
SOFT = [PCKMeans, MPCKMeans, PCSparseKMeans]
EACH = pytest.mark.parametrize("estimator", [*SOFT, COPKMeans])
EACH_SOFT = pytest.mark.parametrize("estimator", SOFT)
CENTERS = IRIS[[7, 126, 92]]


@EACH
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"must_link": [(0, 150)]}, r"must_link\[0\] = \(0, 150\) names a row outside 0\.\.149"),
        ({"cannot_link": [(-1, 3)]}, r"cannot_link\[0\] = \(-1, 3\) names a row outside"),
        ({"cannot_link": [(1, 2), (4, 4)]}, r"cannot_link\[1\] = \(4, 4\) pairs a row with itself"),
        ({"must_link": [[0, 1, 2]]}, r"must_link must have shape \(n_pairs, 2\)"),
        ({"must_link": [[0, 1]], "ml_weight": 0}, "ml_weight must be positive"),
        ({"must_link": [[0, 1]], "ml_weight": [1, 2]}, r"ml_weight must be one number or have shape \(1,\)"),
        ({"cannot_link": [[0, 1]], "cl_weight": np.nan}, "cl_weight must be positive and finite; got nan"),
        ({"y": [0, 1]}, "y must have one label for each of the 150 rows of X; got 2"),
        ({"y": np.zeros((150, 2))}, r"y must have shape \(n_samples,\)"),
    ],
)
def test_bad_constraints(estimator, pairs, message):
    with pytest.raises(ValueError, match=message):
        estimator(3).fit(IRIS, **pairs)


@EACH
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 151}, ValueError, "n_samples=150 .* at least n_clusters=151"),
        ({"n_clusters": "3"}, TypeError, "'n_clusters' parameter of"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of"),
        (
            {"init": "seed"},
            ValueError,
            "'init' parameter of .* Got 'seed' instead",
        ),
        ({"init": CENTERS[:2]}, ValueError, r"centres of shape \(3, 4\)"),
        ({"init": [0, 0, 1]}, ValueError, "row numbers given as init must be different"),
        ({"init": np.where(SPECIES == 1, -1, 0)}, ValueError, "must have every cluster; no row has label 1"),
        ({"init": SPECIES - 1 + 2 * (SPECIES > 1)}, ValueError, "must lie in 0..2"),
        ({"order": np.arange(149)}, ValueError, "order must be a permutation of the 150 rows"),
        ({"order": np.zeros(150, int)}, ValueError, "order must be a permutation"),
    ],
)
def test_bad_options(estimator, options, error, message):
    with pytest.raises(error, match=message):
        estimator(**{"n_clusters": 3, **options}).fit(IRIS)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (
            PCKMeans(3, max_separation="far"),
            ValueError,
            "'max_separation' parameter of",
        ),
        (PCKMeans(3, on_empty="stop"), ValueError, "'on_empty' parameter of"),
        (MPCKMeans(3, log_weight=0), ValueError, "'log_weight' parameter of .* Got 0 instead"),
        (MPCKMeans(3, log_weight=-1), ValueError, "'log_weight' parameter of"),
        (PCSparseKMeans(3, l1_bound=0.9), ValueError, "'l1_bound' parameter of .* Got 0.9 instead"),
        (PCSparseKMeans(3, inner_max_iter=0), ValueError, "'inner_max_iter' parameter of"),
        (PCSparseKMeans(3, tol=-1), ValueError, "'tol' parameter of"),
        (
            PCSparseKMeans(3, weight_solver="bisection"),
            ValueError,
            "'weight_solver' parameter of",
        ),
        (COPKMeans(3, anchor="centre"), ValueError, "'anchor' parameter of"),
    ],
)
def test_bad_own_options(model, error, message):
    with pytest.raises(error, match=message):
        model.fit(IRIS)


@EACH
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values(estimator, value):
    X = IRIS.copy()
    X[3, 1] = value
    with pytest.raises(ValueError, match=r"contains NaN|contains infinity"):
        estimator(3).fit(X, must_link=[(0, 1)])
    model = estimator(3, init=CENTERS).fit(IRIS)
    for method in (model.predict, model.transform):
        with pytest.raises(ValueError, match=r"contains NaN|contains infinity"):
            method(X)


def test_farthest_pair_is_for_few_rows():
    with pytest.raises(ValueError, match=r"at most 5000 of them; got 5001 rows; use 'box'"):
        PCKMeans(2, max_separation="pair").fit(np.random.default_rng(0).normal(size=(5001, 1)))


@EACH_SOFT
def test_soft_methods_warn_of_conflicts(estimator):
    pairs = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2), (0, 1), (5, 60)]}
    with pytest.warns(ConstraintConflictWarning, match="2 cannot-links contradict the must-links") as caught:
        model = estimator(3, init=CENTERS).fit(IRIS, **pairs)
    assert caught[0].filename == __file__
    assert len(model.violated_must_link_) + len(model.violated_cannot_link_) >= 1


def test_hard_constraints_refuse_conflicts():
    with pytest.raises(
        ContradictoryConstraintsError, match=r"cannot-link \(0, 2\) contradicts .*: 0 - 1 - 2"
    ):
        COPKMeans(3).fit(IRIS, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(InfeasibleConstraintsError, match=r"cannot-link \(0, 9\) needs at least 2 clusters"):
        COPKMeans(1).fit(IRIS, cannot_link=[(0, 9)])


def test_blocked_rows_are_named_in_the_order_of_the_data():
    order = np.arange(150)[::-1]
    with pytest.raises(InfeasibleConstraintsError, match=r"row 2 fits no cluster: .*; rows 2, 5, 8 and"):
        COPKMeans(2, order=order).fit(IRIS, cannot_link=[(2, 5), (5, 8), (2, 8)])


def test_a_small_integer_type_does_not_overflow():
    fits = [
        MPCKMeans(3, init=CENTERS, log_weight=weight).fit(IRIS, y=np.where(np.arange(150) % 9, -1, SPECIES))
        for weight in (2, np.int8(2))
    ]
    assert np.array_equal(*(fit.criterion_history_ for fit in fits))
    assert np.array_equal(*(fit.start_objectives_ for fit in fits))


@pytest.mark.parametrize("weight", [1e300, 1e-300, [1.0, 1e100]])
def test_weights_of_pairs_whose_products_overflow_are_refused(weight):
    x = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match="stay finite: give the weights in another unit"):
        PCSparseKMeans(2).fit(x, cannot_link=[[0, 5], [1, 4]], cl_weight=weight)


@pytest.mark.parametrize("estimator", [COPKMeans, PCKMeans, PCSparseKMeans])
def test_columns_are_standardised_on_request(estimator):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(30, 3)) + 3 * (np.arange(30)[:, None] % 3)) * [1, 50, 2500]
    mean, sd = X.mean(axis=0), X.std(axis=0, ddof=1)
    Z = (X - mean) / sd
    pairs = {"must_link": [[0, 3]], "cannot_link": [[1, 2]]}
    found = estimator(3, init=X[:3], standardize=True).fit(X, **pairs)
    by_hand = estimator(3, init=Z[:3]).fit(Z, **pairs)
    assert found.labels_.tolist() == by_hand.labels_.tolist()
    # Means of 30 numbers of size 1, scaled before or after: some roundings.
    np.testing.assert_allclose(found.cluster_centers_, mean + sd * by_hand.cluster_centers_, rtol=1e-13)
    assert found.inertia_ == pytest.approx(by_hand.inertia_, rel=1e-13)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning", "ignore::sparsek.errors.PrecisionWarning")
@pytest.mark.parametrize("cell", [1e16, 1e75, 1e300])
def test_weights_of_the_smallest_strength_are_normal_numbers(cell):
    X = np.arange(24.0).reshape(12, 2) % 7
    X[3, 1] = cell
    fit = MPCKMeans(1, log_weight=1e-100).fit(X)
    assert np.isfinite(fit.criterion_history_).all()
    with pytest.raises(ValueError, match=r"'log_weight' parameter .* range \[1e-100"):
        MPCKMeans(1, log_weight=1e-101).fit(X)
