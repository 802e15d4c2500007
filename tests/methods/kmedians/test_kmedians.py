"""GeometricKMedians: the criterion, its minimum by brute force, the paper's recursion, invariances."""

import itertools
from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from sparsek import GeometricKMedians, rcompat
from sparsek.methods.kmedians.algorithm import drawn_order, kmedians, vardi_zhang_step
from tests.methods.kmedians import literal_medians
from tests.partitions import by_size

TIGHT = {"tol": 1e-10, "max_iter": 5000}


def groups(n: int = 90, p: int = 4, k: int = 3, seed: int = 0) -> np.ndarray:
    """Gaussian groups of equal size."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 4 * rng.normal(size=(k, p))[np.arange(n) % k]


def prepared(x: np.ndarray) -> np.ndarray:
    """Rows with a last column of ones."""
    return np.column_stack([x, np.ones(len(x))])


def distance_sum(x: np.ndarray, centers: np.ndarray) -> float:
    """The criterion."""
    return float(np.sqrt(((x[:, None] - centers) ** 2).sum(axis=2)).min(axis=1).sum())


@settings(max_examples=35)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.integers(1, 4), st.booleans())
def test_criterion_never_increases(seed: int, n: int, p: int, k: int, rounded: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    x = np.round(x) if rounded else x
    weights = rng.integers(1, 4, n).astype(float)
    fit = kmedians(prepared(x), rng.integers(0, k, n).astype(np.int32), k, weights)
    history = np.array(fit.history)
    # A sum of n terms in another order: at most n roundings of half a unit.
    assert (np.diff(history) <= n * 2**-53 * history[0]).all()
    distances = np.sqrt(((x[:, None] - fit.params.centers) ** 2).sum(axis=2)).min(axis=1)
    assert fit.criterion == pytest.approx(weights @ distances, rel=1e-12)


def test_one_cluster_is_the_geometric_median() -> None:
    x = groups(40)
    model = GeometricKMedians(1, **TIGHT).fit(x)
    best = minimize(lambda c: distance_sum(x, c[None]), x.mean(axis=0), method="BFGS")
    # BFGS stops at a gradient of 1e-5, with a curvature of about 10.
    np.testing.assert_allclose(model.cluster_centers_[0], best.x, atol=1e-5)
    assert model.inertia_ <= best.fun * (1 + 1e-14)
    weiszfeld = rcompat.Weiszfeld(x, epsilon=1e-12, nitermax=5000).median[0]
    # Both stop at steps of 1e-10 and 1e-12.
    np.testing.assert_allclose(model.cluster_centers_[0], weiszfeld, atol=1e-8)


@pytest.mark.parametrize("n", [5, 9])
def test_one_feature_gives_the_median_itself(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, 1))
    model = GeometricKMedians(1).fit(x)
    assert model.cluster_centers_[0, 0] == pytest.approx(np.median(x), abs=1e-15)  # centring and its inverse


def test_a_median_that_is_a_row_is_found_and_a_row_that_is_not_is_left() -> None:
    square = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1], [0, 0]])
    np.testing.assert_allclose(GeometricKMedians(1).fit(square).cluster_centers_, 0, atol=1e-16)
    x = prepared(np.array([[0.0, 0], [4, 0], [4, 1], [5, 0]]))
    labels, ones = np.zeros(4, dtype=np.int32), np.ones(4)
    moved = vardi_zhang_step(x, labels, x[:1, :2], ones)
    assert distance_sum(x[:, :2], moved) < distance_sum(x[:, :2], x[:1, :2])
    held = vardi_zhang_step(x, labels, x[:1, :2], np.array([9.0, 1, 1, 1]))
    np.testing.assert_array_equal(held, x[:1, :2])  # weight 9 resists the others' pull of at most 3


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.seeds(2, also=[610930923, 877586506])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # slow where a median is a row
def test_minimum_over_all_partitions(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(6, 2))
    one = GeometricKMedians(1, n_init=1, **TIGHT)

    def centres(mask: tuple[bool, ...]) -> tuple[float, list[np.ndarray]]:
        fits = [copy(one).fit(x[np.array(side)]) for side in (mask, [not m for m in mask])]
        return sum(fit.inertia_ for fit in fits), [fit.cluster_centers_[0] for fit in fits]

    masks = (mask for mask in itertools.product([True, False], repeat=6) if 0 < sum(mask) < 6 and mask[0])
    best, medians = min(map(centres, masks), key=lambda found: found[0])
    # Both stop at steps of 1e-10. No start of rows may lead to the best partition, and none to a better one.
    model = GeometricKMedians(2, init=np.array(medians), n_init=1, **TIGHT).fit(x)
    assert model.inertia_ == pytest.approx(best, rel=1e-9)
    drawn = GeometricKMedians(2, n_init=20, random_state=0, **TIGHT).fit(x)
    assert drawn.inertia_ >= best * (1 - 1e-9)


def test_shift_rotation_and_scale() -> None:
    x = groups()
    model = GeometricKMedians(3, random_state=0, **TIGHT).fit(x)
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    for scale, shift in ((1e-200, 0), (1.0, 1e6), (1e200, 0)):
        other = GeometricKMedians(3, init=model.labels_, **TIGHT).fit(x @ rotation * scale + shift)
        expected = model.cluster_centers_ @ rotation * scale + shift
        # An offset of 1e6 leaves an accuracy of 1e-10.
        np.testing.assert_allclose(other.cluster_centers_ / scale, expected / scale, atol=1e-8)
        np.testing.assert_array_equal(other.labels_, model.labels_)


def test_order_of_rows_does_not_matter() -> None:
    x = groups()
    order = np.random.default_rng(3).permutation(len(x))
    for algorithm in ("batch", "recursive"):
        first, second = (
            GeometricKMedians(3, algorithm=algorithm, random_state=0).fit(rows) for rows in (x, x[order])
        )
        moved = first.labels_[order]
        np.testing.assert_array_equal(by_size(moved), second.labels_)
        places = [int(np.argmax(second.labels_ == k)) for k in range(3)]  # groups of one size change numbers
        # Sums in another order.
        centers = first.cluster_centers_[moved[places]]
        np.testing.assert_allclose(centers, second.cluster_centers_, rtol=1e-9)


def test_an_outlier_hardly_moves_a_center() -> None:
    x = groups(60, k=1)
    far = np.vstack([x, np.full((1, 4), 1e6)])
    before, after = (GeometricKMedians(1).fit(rows).cluster_centers_ for rows in (x, far))
    # One row of 61 pulls with weight 1 against a curvature of about 60 / 2; the mean moves by 3e4.
    assert np.linalg.norm(after - before) < 0.2


def test_weights_are_repetitions() -> None:
    x = groups(40)
    weights = np.arange(40) % 4
    for algorithm in ("batch", "recursive"):
        model = GeometricKMedians(3, algorithm=algorithm, random_state=0)
        weighted = model.fit(x, sample_weight=weights).cluster_centers_
        repeated = model.fit(np.repeat(x, weights, axis=0)).cluster_centers_
        np.testing.assert_allclose(weighted, repeated, rtol=1e-9)  # sums in another order


def test_results_fit_together() -> None:
    x = groups()
    for algorithm in ("batch", "recursive"):
        model = GeometricKMedians(3, algorithm=algorithm, random_state=0).fit(x)
        np.testing.assert_array_equal(model.predict(x), model.labels_)
        np.testing.assert_array_equal(model.transform(x).argmin(axis=1), model.labels_)
        assert model.inertia_ == pytest.approx(distance_sum(x, model.cluster_centers_), rel=1e-12)
        assert model.score(x) == -model.inertia_
        assert model.score(x, sample_weight=2 * np.ones(90)) == pytest.approx(-2 * model.inertia_)
        assert model.criterion_history_[-1] == pytest.approx(model.inertia_, rel=1e-12)
        assert model.start_objectives_.min() == pytest.approx(model.inertia_, rel=1e-12)
        assert model.get_feature_names_out().tolist() == [f"geometrickmedians{j}" for j in range(3)]


@pytest.mark.parametrize("algorithm", ["batch", "recursive"])
def test_single_precision_stays(algorithm: str) -> None:
    x = groups()
    model = GeometricKMedians(3, algorithm=algorithm, init=x[:3], random_state=0)
    single, double = model.fit(x.astype(np.float32)).cluster_centers_, model.fit(x).cluster_centers_
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=1e-3)  # tol = 1e-5 of the distance, and 1e-7 rounding


def recursion_of_the_paper(x, centers, gamma, alpha):
    """One pass, row by row: averaged stochastic gradient with steps gamma c^-alpha along the unit vector."""
    m, a, counts = centers.copy(), centers.copy(), np.ones(len(centers))
    for row in x:
        d = np.linalg.norm(row - m, axis=1)
        j = d.argmin()
        if d[j] > 0:
            m[j] += gamma * counts[j] ** -alpha * (row - m[j]) / d[j]
        counts[j] += 1
        a[j] += (m[j] - a[j]) / counts[j]
    return a


def test_partial_fit_is_the_recursion_of_the_paper() -> None:
    x = groups(300)
    init = np.array([x[:30][np.arange(30) % 3 == j].mean(axis=0) for j in range(3)])
    model = GeometricKMedians(3, algorithm="recursive", init=init, gamma=1.5, alpha=0.7)
    model.partial_fit(x[:30])
    labels = ((x[:30, None] - init) ** 2).sum(axis=2).argmin(axis=1)
    means = np.array([x[:30][labels == j].mean(axis=0) for j in range(3)])
    # Rounding, which the recursion does not amplify on well separated groups.
    expected = recursion_of_the_paper(x[:30], means, 1.5, 0.7)
    np.testing.assert_allclose(model.cluster_centers_, expected, rtol=1e-9)
    model.partial_fit(x[30:100]).partial_fit(x[100:])
    np.testing.assert_allclose(model.cluster_centers_, recursion_of_the_paper(x, means, 1.5, 0.7), rtol=1e-9)
    assert model.n_steps_ == 300


def test_recursive_comes_close_to_batch_on_many_rows() -> None:
    x = groups(3000)
    batch, recursive = (
        GeometricKMedians(3, algorithm=algorithm, n_init=3, random_state=0).fit(x)
        for algorithm in ("batch", "recursive")
    )
    assert batch.inertia_ <= recursive.inertia_ < 1.01 * batch.inertia_
    again = recursive.partial_fit(x[::-1])
    assert again.n_steps_ == 6000


def test_partial_fit_belongs_to_the_recursive_algorithm() -> None:
    assert not hasattr(GeometricKMedians(), "partial_fit")
    model = GeometricKMedians(3, algorithm="recursive", random_state=0)
    with pytest.raises(ValueError, match="at least n_clusters=3"):
        model.partial_fit(groups(2))
    model.fit(groups()).set_params(algorithm="batch").fit(groups())
    assert model.set_params(algorithm="recursive").partial_fit(groups(30)).n_steps_ == 30  # starts again


def test_draws_follow_the_weights() -> None:
    order = drawn_order(np.array([2, 0, 1]), np.array([1.0, 2, 997]), [1], 2)
    assert order.shape == (1000, 2)
    assert (np.bincount(order[:, 0], minlength=3) >= [0, 0, 980]).all()


def test_empty_clusters_and_duplicates() -> None:
    x = np.repeat([[0.0, 0], [5, 5], [9, 0]], 4, axis=0)
    model = GeometricKMedians(3, init="random", random_state=1).fit(x)
    assert model.inertia_ == 0
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        GeometricKMedians(4, random_state=0).fit(x)
    # All rows start in one cluster; the empty clusters take far rows.
    start = np.zeros(12, dtype=int)
    assert GeometricKMedians(3, init=start).fit(x).inertia_ == pytest.approx(0, abs=1e-12)


def test_warns_at_max_iter() -> None:
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        GeometricKMedians(3, max_iter=1, random_state=0).fit(groups())


def test_threads_do_not_change_a_bit() -> None:
    x = groups()
    one, two = (GeometricKMedians(3, n_jobs=n, random_state=0).fit(x).cluster_centers_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"algorithm": "online"}, ValueError, "'algorithm' parameter of"),
        ({"alpha": 0.5}, ValueError, "'alpha' parameter of .* Got 0.5 instead"),
        ({"alpha": "x"}, TypeError, "'alpha' parameter of"),
        ({"gamma": -1}, ValueError, "'gamma' parameter of"),
        ({"tol": -1}, ValueError, "'tol' parameter of"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of"),
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of"),
        ({"n_init": 1.5}, TypeError, "'n_init' parameter of"),
        ({"init": "best"}, ValueError, "'init' parameter of"),
    ],
)
def test_bad_parameters(parameters: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        GeometricKMedians(**{"n_clusters": 3, **parameters}).fit(groups())


def test_estimator_follows_the_paper_where_r_takes_the_square_root() -> None:
    x = np.array([[0.0, 0], [16, 0]])
    r = rcompat.kGmedian(x[1:], x[:1], gamma=1, nstart=1).centers[0]
    # The first row is the start; R's step is gamma / sqrt(16 / sqrt(2)) * 16, and averaging halves it.
    np.testing.assert_allclose(r, [16 / np.sqrt(16 / np.sqrt(2)) / 2, 0], rtol=1e-15)
    paper = GeometricKMedians(1, algorithm="recursive", init=x[:1], gamma=1).partial_fit(x[:1])
    paper.partial_fit(x[1:])
    # The first row is the start itself; the step of the second is 2 ** -0.75, and averaging takes a third.
    np.testing.assert_allclose(paper.cluster_centers_[0], [2**-0.75 / 3, 0], rtol=1e-12)


def test_sorted_rows_mislead_r_but_not_the_estimator() -> None:
    x = groups(600, p=2, k=2, seed=4)
    x = np.vstack([x[::2], x[1::2]])  # rows ordered by group
    batch = GeometricKMedians(2, random_state=0).fit(x)
    recursive = GeometricKMedians(2, algorithm="recursive", random_state=0).fit(x)
    assert recursive.inertia_ < 1.05 * batch.inertia_
    start = np.repeat(x[:2], 1, axis=0)
    r = rcompat.kGmedian(x, start, nstart=1)
    assert distance_sum(x, r.centers) > 1.2 * batch.inertia_


@pytest.mark.parametrize("kind", ["normal", "heavy rows", "few values"])
@pytest.mark.seeds(3, also=[502665222, 1775501523])
def test_same_path_as_the_literal_steps(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    x, weights = groups(33, 2, 3, seed), np.ones(33)
    if kind == "heavy rows":
        weights[:3] = 12.0
    if kind == "few values":
        x = np.round(x) + np.round(16 * rng.normal(size=2)) / 16  # in binary, so that ties are no rounding
    start = np.where(rng.random(33) < 0.2, rng.integers(3, size=33), np.arange(33) % 3)
    expected, centers, history, done = literal_medians.kmedians(x, start.tolist(), 3, weights, 1e-5)
    fit = kmedians(prepared(x), start.astype(np.int32), 3, weights)
    assert fit.labels.tolist() == expected
    assert (fit.n_iter, fit.converged) == (len(history), done)
    # Sums of 33 distances determine the centres only to the square root of rounding, 1e-8.
    np.testing.assert_allclose(fit.history, history, rtol=1e-13)
    np.testing.assert_allclose(fit.params.centers, centers, rtol=0, atol=1e-7)
    met = [[row.tolist() == center.tolist() for row in x] for center in centers]
    for center, rows in zip(fit.params.centers, met, strict=True):
        if any(rows):
            assert center.tolist() in x.tolist()  # to the last bit
    for own, rows in enumerate(met):  # a row as heavy as the rest of its cluster is its median
        mass = weights[fit.labels == own]
        assert any(rows) or 2 * mass.max() < mass.sum()


@pytest.mark.seeds(8, also=[824002609])  # that one takes 345 iterations
def test_ties_have_one_rule_in_the_fit_and_in_new_rows(seed: int) -> None:
    x = np.round(groups(33, 2, 3, seed))
    model = GeometricKMedians(3, n_init=2, max_iter=10_000, random_state=seed).fit(x)
    assert model.predict(x).tolist() == model.labels_.tolist()


def test_a_median_that_is_a_row_is_reached_in_few_steps() -> None:
    x = np.random.default_rng(0).normal(size=(30, 3))
    nearest = int(np.argmin([literal_medians.cost(x, np.ones(30), row) for row in x]))
    pull = np.linalg.norm(
        sum((row - x[nearest]) / np.linalg.norm(row - x[nearest]) for row in np.delete(x, nearest, axis=0))
    )
    weights = np.ones(30)
    weights[nearest] = 1.001 * pull  # barely resists the others: plain steps become ever shorter
    fit = kmedians(prepared(x), np.zeros(30, np.int32), 1, weights, tol=0.0)
    assert fit.params.centers[0].tolist() == x[nearest].tolist()
    _, _, history, done = literal_medians.kmedians(x, [0] * 30, 1, weights, 0.0)
    assert done
    assert (fit.n_iter, fit.converged) == (len(history), True)
    assert fit.n_iter <= 33


@pytest.mark.parametrize(
    ("seed", "n", "max_iter"), [(79, 6, 3), (132, 6, 3), (51, 6, 15), (120, 10, 7), (143, 20, 3)]
)
def test_centres_go_to_rows_after_the_last_step_too(seed: int, n: int, max_iter: int) -> None:
    """The last step is not among those after which a centre may move to its nearest row."""
    rng = np.random.default_rng(seed)
    x, weights = rng.normal(size=(n, 2)), rng.integers(1, 5, n).astype(float)
    _, centers, history, _ = literal_medians.kmedians(x, [0] * n, 1, weights, 0.0, max_iter)
    assert centers[0].tolist() in x.tolist()
    fit = kmedians(prepared(x), np.zeros(n, np.int32), 1, weights, max_iter, tol=0.0)
    assert fit.params.centers.tolist() == centers.tolist()
    np.testing.assert_allclose(fit.history, history, rtol=1e-13)  # few steps, sums of at most 20 terms


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_first_step_far_longer_than_the_data_is_refused(dtype: type) -> None:
    x = (groups() * 1e-30).astype(dtype)
    model = GeometricKMedians(3, algorithm="recursive", gamma=1e-5, random_state=0)
    for fit in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"gamma=1e-05 is more than 1e\+18 times the size of the data"):
            fit(x)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):  # a step that leaves the data behind
        model.set_params(gamma=1e-13).fit(x)
    assert np.isfinite(model.start_objectives_).all()
    assert np.isfinite(model.cluster_centers_).all()
    model.set_params(algorithm="batch", gamma=1e-5).fit(x)  # takes no steps of this length


def test_a_decay_of_one_may_be_a_whole_number() -> None:
    one, whole = (
        GeometricKMedians(3, algorithm="recursive", alpha=alpha, random_state=0).fit(groups())
        for alpha in (1.0, 1)
    )
    assert np.array_equal(one.cluster_centers_, whole.cluster_centers_)


def test_a_batch_with_a_row_too_far_away_is_refused_and_changes_nothing():
    r = np.random.default_rng(0)
    model = GeometricKMedians(2, algorithm="recursive").partial_fit(r.normal(size=(30, 3)))
    centers, far = model.cluster_centers_.copy(), r.normal(size=(30, 3))
    far[4, 1] = 1e200
    with pytest.raises(ValueError, match="row 4, column 1, so far from the data of the fit"):
        model.partial_fit(far)
    np.testing.assert_array_equal(model.cluster_centers_, centers)
