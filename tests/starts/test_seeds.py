"""Seeds against literal draws, one by one; the choice among equal starts."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from sparsek import (
    SKFR,
    EntropyWeightedKMeans,
    GeometricKMedians,
    KernelKMeans,
    KPod,
    MinMaxKMeans,
    PCKMeans,
    PowerKMeans,
    RobustSparseKMeans,
    SparseKMeans,
    set_engine,
)
from sparsek.core.scaling import prepare
from sparsek.core.steps import FitResult
from sparsek.methods.shared.base import best_of
from sparsek.starts import seeds
from sparsek.starts.seeds import (
    View,
    least_normal,
    normal_distance,
    screened_labels,
    screened_views,
    seeded_labels,
    seeded_rows,
)
from tests.starts import literal_starts

pytestmark = pytest.mark.engines

ROUNDING = 1e-12
"""Share of the total sum of squares: sums of a few hundred terms in another order."""


def groups(seed: int, n: int = 70, p: int = 9, k: int = 4) -> np.ndarray:
    """Overlapping groups in the first columns, and columns of different size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, :3] += 2 * rng.normal(size=(k, 3))[rng.integers(k, size=n)]
    return X * rng.uniform(0.5, 4, p)


def ranking_criterion(Z: np.ndarray, labels: list[int], s: int) -> float:
    """Sum of squares about the cluster means in the s features with the largest gains."""
    gains = np.zeros(Z.shape[1])
    for g in set(labels):
        rows = Z[np.array(labels) == g]
        gains += len(rows) * rows.mean(axis=0) ** 2
    return float((Z**2).sum() - np.sort(gains)[-s:].sum())


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_seeds_are_drawn_in_proportion_to_the_power_of_the_distance(power: int, seed: int) -> None:
    Z, _ = prepare(groups(seed), None, standardize=True)
    seeds = np.arange(8)
    expected = [literal_starts.seeds_and_labels(Z[:, :-1], 5, int(one), power) for one in seeds]
    assert seeded_rows(Z, 5, seeds, power=power).tolist() == [rows for rows, _ in expected]
    found = seeded_labels(Z, 5, seeds, power=power)
    assert [labels.tolist() for labels in found] == [labels for _, labels in expected]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_greedy_seeds_leave_the_smallest_sum(seed: int, weighted: bool) -> None:
    Z, _ = prepare(groups(seed), None, standardize=True)
    mass = np.random.default_rng(seed).integers(1, 5, len(Z)) if weighted else np.ones(len(Z))
    seeds = np.arange(6)
    found = seeded_rows(Z, 5, seeds, mass if weighted else None, n_trials=3)
    expected = [literal_starts.greedy_seeds(Z[:, :-1], 5, int(one), 3, mass.tolist()) for one in seeds]
    assert found.tolist() == expected
    assert found.tolist() != seeded_rows(Z, 5, seeds, mass if weighted else None).tolist()


ESTIMATORS: list[Any] = [SKFR(5, 3), SparseKMeans(5), KPod(5), KernelKMeans(5), RobustSparseKMeans(5)]
ESTIMATORS += [PCKMeans(5), MinMaxKMeans(5), PowerKMeans(5), GeometricKMedians(5), EntropyWeightedKMeans(5)]


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_estimators_take_greedy_starts(model: Any) -> None:
    X = groups(3)
    fits = {
        init: clone(model).set_params(init=init, n_init=3, random_state=0).fit(X)
        for init in ("k-means++", "greedy-k-means++", "random")
    }
    objectives = [fit.start_objectives_.tolist() for fit in fits.values()]
    assert objectives[0] != objectives[1] != objectives[2]


@pytest.mark.parametrize("init", ["greedy-k-means++", "greedy-screened"])
def test_greedy_starts_on_a_sparse_matrix_are_those_on_a_dense_one(init: str) -> None:
    X = np.where(np.random.default_rng(0).random((70, 9)) < 0.5, groups(2), 0)
    dense, sparse = (SKFR(4, 3, init=init, n_init=4, random_state=0).fit(x) for x in (X, csr_array(X)))
    assert np.array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_allclose(dense.start_objectives_, sparse.start_objectives_, rtol=ROUNDING)


def test_seeds_differ_from_power_to_power() -> None:
    Z = groups(0)
    rows = [[literal_starts.seeds_and_labels(Z, 5, seed, power)[0] for seed in range(12)] for power in (1, 2)]
    assert sum(a != b for a, b in zip(*rows, strict=True)) > 6


@pytest.mark.parametrize("power", [1, 2])
def test_screened_seeds_are_drawn_in_proportion_to_the_power_of_the_distance(power: int) -> None:
    Z, _ = prepare(groups(1), None, standardize=True)
    found = screened_labels(screened_views(Z, least_normal(View(Z)), 2), 5, np.arange(8), power=power)
    for seed, labels in enumerate(found):
        columns = literal_starts.screened_columns(Z[:, :-1], 2, seed)
        expected = literal_starts.seeds_and_labels(Z[:, columns], 5, seed, power)[1]
        assert labels.tolist() == expected


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # one iteration
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("init", ["k-means++", "paper", "screened"])
@pytest.mark.parametrize("standardize", [True, False])
def test_skfr_begins_at_seeds_of_its_power(init: str, standardize: bool, sparse: bool) -> None:
    X, s = groups(2), 2
    centred = X - X.mean(axis=0)
    Z = centred / X.std(axis=0, ddof=1)
    power = 1 if init == "paper" else 2
    seeds = np.random.RandomState(3).randint(2**31 - 1, size=4)  # the seeds of `random_state=3`
    measured = Z if standardize else centred
    expected = []
    for number, seed in enumerate(seeds):
        space = centred
        if init == "screened":
            space = measured[:, literal_starts.screened_columns(Z, s, number)]
        labels = literal_starts.seeds_and_labels(space, 4, int(seed), power)[1]
        expected.append(ranking_criterion(measured, labels, s))
    model = SKFR(4, s, init=init, n_init=4, max_iter=1, random_state=3, standardize=standardize)
    model.fit(csr_array(X) if sparse else X)
    np.testing.assert_allclose(model.start_objectives_, expected, rtol=0, atol=ROUNDING * model.tss_)


@pytest.mark.parametrize(
    ("criteria", "rounding", "first"),
    [
        ([3.0, 1.0, 2.0, 1.0, 1.0], 0.0, 1),
        ([3.0, 1.0 + 0.5, 1.0, 1.0 - 0.5, 4.0], 1.0, 1),
        ([2.0, 2.0, 2.0], 0.0, 0),
        ([1.0 + 1e-12, 1.0, 1.0 - 1e-12], 1e-11, 0),
        ([1.0 + 1e-10, 1.0, 1.0 - 1e-12], 1e-11, 1),
        ([-1.0, -2.0, -3.0], 0.5, 2),
    ],
)
def test_the_first_of_equal_starts_is_the_best(criteria: list[float], rounding: float, first: int) -> None:
    results: list[FitResult[Any]] = [
        FitResult(np.array([i], np.int32), None, (9.0, value), True) for i, value in enumerate(criteria)
    ]
    assert best_of(results, rounding) is results[first]


@pytest.mark.parametrize(
    "model", [SKFR(3, 2, standardize=True), SparseKMeans(3, l1_bound=1.5, standardize=False), KPod(3)]
)
def test_starts_that_differ_in_the_numbers_of_the_clusters_give_the_same_labels(model: Any) -> None:
    truth = np.arange(60) % 3
    X = np.random.default_rng(0).normal(size=(60, 4)) + 20 * np.eye(3, 4)[truth]
    turns = iter([np.array([1, 2, 0]), np.array([0, 1, 2]), np.array([2, 1, 0])])

    def init(X: np.ndarray, n_clusters: int, random_state: int) -> np.ndarray:
        return next(turns)[truth]

    model.set_params(init=init, n_init=3, random_state=0).fit(X)
    # The groups are far apart: every start is a fixed point, and all criteria are equal up to rounding.
    assert np.ptp(model.start_objectives_) <= ROUNDING * (X**2).sum()
    np.testing.assert_array_equal(model.labels_, truth)  # clusters of one size are in the order of the rows


@pytest.mark.parametrize("n_trials", [1, 3])
@pytest.mark.parametrize("per_batch", [1, 3, 7])
def test_starts_do_not_depend_on_how_many_are_drawn_together(per_batch, n_trials, monkeypatch):
    Z, _ = prepare(groups(0, p=40), None, standardize=True)
    options = {"n_trials": n_trials}
    views = screened_views(Z, least_normal(View(Z)), 3)
    together = screened_labels(views, 4, np.arange(10), **options)
    monkeypatch.setattr(seeds, "BATCH_ENTRIES", per_batch * len(Z) * n_trials)
    found = screened_labels(views, 4, np.arange(10), **options)
    assert all(np.array_equal(a, b) for a, b in zip(found, together, strict=True))


@pytest.mark.parametrize("entries", [7, 100, 2**17])
def test_starts_do_not_depend_on_the_pieces_of_the_rows(entries, monkeypatch):
    Z, _ = prepare(groups(0, p=40), None, standardize=True)
    views = screened_views(Z, least_normal(View(Z)), 6)
    expected = screened_labels(views, 4, np.arange(10))
    monkeypatch.setattr(seeds, "DRAWN_ENTRIES", 2 * len(Z))
    monkeypatch.setattr(seeds, "PIECE_ENTRIES", entries)
    found = screened_labels(views, 4, np.arange(10))
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_screening_has_the_same_bits_under_both_engines(dtype, weighted):
    Z, _ = prepare(groups(2, n=900, p=30).astype(dtype), None, standardize=True)
    weights = np.arange(1, len(Z) + 1).astype(dtype) if weighted else None
    with set_engine("numpy"):
        expected = normal_distance(View(Z), weights)
    with set_engine("compiled"):
        assert np.array_equal(normal_distance(View(Z), weights), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_greedy_seeds_that_leave_the_same_but_for_rounding_are_taken_in_their_order(dtype) -> None:
    half = np.random.default_rng(3).normal(size=(40, 7))
    Z = np.column_stack([np.vstack([half, -half]), np.ones(80)]).astype(dtype)  # each row has a mirror image
    view, steps = View(Z), seeds._ArraySteps(np.ones(80), 2, 0)
    closest = np.full((1, 80), 1e6, dtype)
    for row in range(40):
        for pair in ([row, row + 40], [row + 40, row]):
            found = steps._best_drawn(view, view.norms(), np.array([pair]), closest)
            assert found[0, 0] == pair[0]
    near, far = np.square(half).sum(axis=1).argsort()[[0, -1]].tolist()  # one leaves less by much
    for pair in ([near, far], [far, near]):
        assert steps._best_drawn(view, view.norms(), np.array([pair]), closest)[0, 0] == near
