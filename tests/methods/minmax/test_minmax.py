"""MinMax k-means and its sparse form: reference cases, literal loops, invariants, R's draws."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from r_reference.packages.SparseMinMax.ours import SpaceInOrder, StepsInOrder
from sparsek import MinMaxKMeans, PermutationGap, SparseMinMaxKMeans, l1_bound_path
from sparsek.methods.minmax.distances import ProductSpace
from sparsek.methods.minmax.minmax import MAX_STARTS, draw_released, minmax, minmax_released, weight_powers
from sparsek.methods.minmax.sparse_minmax import ReleasedSteps, sparse_minmax_path
from sparsek.rng import RRandom
from tests.methods.minmax.literal_minmax import literal_between, literal_released, literal_tl
from tests.partitions import by_size

CASE_A = np.array([(0, 0), (0, 1), (1, 0), (1, 1), (4, 4), (5, 4), (9, 0), (9, 1), (10, 0)], dtype=float)
NOISE = np.array([[1, -1, 0.5, 0, -0.5, 1, 0, 0.2, -1], [0.3, 0.1, -0.2, 0.4, 0.2, -0.1, -0.3, 0.1, 0]]).T
CASE_B = np.column_stack([CASE_A, NOISE])
START_A = CASE_A[[0, 1, 6]]
LABELS_A = [0, 0, 0, 0, 1, 1, 2, 2, 2]
PRINTED = 1e-9  # reference numbers have ten digits
ROUNDING = 1e-9  # sums in another order, over up to 60 iterations


def prepared(X):
    """Centred data with a column of ones."""
    return np.column_stack([X - X.mean(axis=0), np.ones(len(X))])


def quietly(model, X):
    """Fit without convergence warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


class FixedDraws(RRandom):
    """A random stream that always samples the given rows."""

    def sample_int(self, *args, **kwargs):
        return np.array([1, 5, 7])


@pytest.mark.parametrize(("beta", "n_iter", "value"), [(0, 52, 2.4551533104), (0.3, 53, 2.4551532410)])
def test_case_a_of_tzortzis_and_likas(beta, n_iter, value):
    space = ProductSpace(prepared(CASE_A))
    fit = minmax(space, START_A - CASE_A.mean(axis=0), n_clusters=3, beta=beta)
    assert fit.labels.tolist() == LABELS_A
    assert (fit.n_iter, fit.alpha, fit.converged, fit.n_events) == (n_iter, 0.5, True, 0)
    assert fit.history[-1] == pytest.approx(value, rel=PRINTED)
    assert fit.scatter == pytest.approx([2, 0.5, 4 / 3])
    if beta == 0:
        assert fit.weights == pytest.approx([0.66359447, 0.0414746544, 0.2949308756], abs=1e-8)
        assert fit.history[:3] == pytest.approx([61, 34.5163270363, 3.7596559145], rel=PRINTED)


@pytest.mark.parametrize(("n_iter", "alpha", "largest"), [(1, 0.01, 25.5), (2, 0.02, 2), (3, 0.03, 2)])
def test_first_iterations_of_case_a(n_iter, alpha, largest):
    space, start = ProductSpace(prepared(CASE_A)), START_A - CASE_A.mean(axis=0)
    labels = minmax(space, start, n_clusters=3, beta=0, max_iter=n_iter).labels
    # V about the means of the labels; alpha is that of the next iteration.
    V = [((rows - rows.mean(axis=0)) ** 2).sum() for rows in (CASE_A[labels == k] for k in range(3))]
    assert max(V) == pytest.approx(largest, rel=1e-14)
    assert minmax(space, start, n_clusters=3, beta=0, max_iter=n_iter + 1).alpha == alpha


@pytest.mark.parametrize(
    ("power", "weights", "first", "last"),
    [
        (1, [0.5047775781, 0.158994974, 0.3362274479], [122.6900219673, 127.0741293536], 115.5385619255),
        (2, [0.5400706164, 0.1157430716, 0.344186312], [], 810.3198568549),
    ],
)
def test_case_a_of_the_released_code(power, weights, first, last):
    for space, start in (
        (SpaceInOrder(CASE_A, power), START_A),
        (ProductSpace(prepared(CASE_A), power), START_A - CASE_A.mean(axis=0)),
    ):
        fit = minmax_released(space, start, n_clusters=3)
        assert fit.labels.tolist() == LABELS_A
        assert (fit.n_iter, round(fit.alpha, 12)) == (10, 0.1)
        assert fit.weights == pytest.approx(weights, rel=PRINTED)
        assert fit.history[: len(first)] == pytest.approx(first, rel=PRINTED)
        assert fit.history[-1] == pytest.approx(last, rel=PRINTED)


@pytest.mark.parametrize("steps", [StepsInOrder(CASE_B, 3, FixedDraws(1)),
                                   ReleasedSteps(prepared(CASE_B), 3, FixedDraws(1))])  # fmt: skip
def test_case_b(steps):
    (fit,) = sparse_minmax_path(steps, steps.start(), [1.1])
    assert fit.labels.tolist() == LABELS_A
    assert fit.weights == pytest.approx([0.9944110931, 0.1055773548, 0, 0], abs=PRINTED)
    assert fit.minmax.weights == pytest.approx([0.4794093122, 0.2098352304, 0.3107554574], rel=PRINTED)
    assert fit.history == pytest.approx([135.4161133098, 135.4159035971], rel=PRINTED)
    assert fit.weights.sum() <= 1.1 * (1 + 1e-3)  # accuracy of the bisection
    (fit,) = sparse_minmax_path(steps, steps.start(), [1.5])
    assert fit.weights == pytest.approx([0.9889994286, 0.1477975559, 0.0059444511, 0.0008223091], abs=PRINTED)
    assert fit.history == pytest.approx([135.5411913, 135.5411091], abs=1e-7)  # seven decimals are printed


data_sets = st.builds(
    lambda seed, n, p, k, gap: (_clusters(seed, n, p, k, gap), k),
    st.integers(0, 10**6), st.integers(8, 30), st.integers(1, 40), st.integers(2, 4), st.sampled_from([0, 3]),
)  # fmt: skip


def _clusters(seed, n, p, k, gap):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, : p // 3 + 1] += gap * rng.integers(0, k, n)[:, None]
    return X


@settings(max_examples=20)
@given(data_sets, st.sampled_from([0, 0.1, 0.3]), st.sampled_from([0.01, 0.1, 0.25]), st.sampled_from([1, 2]))
def test_released_equals_the_literal_loop(drawn, beta, step, power):
    X, k = drawn
    expected = literal_released(X, X[:k].tolist(), beta, step, power=power)
    for space, start in (
        (SpaceInOrder(X, power), X[:k]),
        (ProductSpace(prepared(X), power), X[:k] - X.mean(axis=0)),
    ):
        fit = minmax_released(space, start, n_clusters=k, beta=beta, alpha_step=step)
        assert fit.solved == (expected is not None)
        if expected is not None:
            labels, weights, alpha, criteria = expected
            assert fit.labels.tolist() == labels.tolist()
            assert (fit.alpha, fit.n_iter) == (pytest.approx(alpha), len(criteria))
            np.testing.assert_allclose(fit.weights, weights, rtol=ROUNDING, atol=1e-12)
            np.testing.assert_allclose(fit.history, criteria, rtol=ROUNDING)


@pytest.mark.parametrize(
    ("seed", "beta", "n_events"), [(1, 0.3, 5), (10, 0.3, 1), (46, 0.3, 1), (51, 0.3, 2), (51, 0, 2)]
)
def test_lost_clusters_equal_the_literal_loop(seed, beta, n_events):
    X = _clusters(seed, 14, 2, 3, 0)
    labels, weights, alpha, criteria = literal_tl(X, X[:3].tolist(), beta, 0.05, max_iter=40)
    start = X[:3] - X.mean(axis=0)
    fit = minmax(ProductSpace(prepared(X)), start, n_clusters=3, beta=beta, alpha_step=0.05, max_iter=40)
    assert (fit.n_events, fit.alpha) == (n_events, pytest.approx(alpha))
    assert fit.labels.tolist() == labels.tolist()
    np.testing.assert_allclose(fit.weights, weights, rtol=ROUNDING)
    np.testing.assert_allclose(fit.history, criteria, rtol=ROUNDING)


@settings(max_examples=25)
@given(data_sets, st.sampled_from([0, 0.3]), st.sampled_from([0.05, 0.1]))
def test_tzortzis_and_likas_equals_the_literal_loop(drawn, beta, step):
    X, k = drawn
    expected = literal_tl(X, X[:k].tolist(), beta, step, max_iter=25)
    start = X[:k] - X.mean(axis=0)
    options = {"n_clusters": k, "beta": beta, "alpha_step": step}
    fit = minmax(ProductSpace(prepared(X)), start, max_iter=25, **options)
    assert fit.solved == (expected is not None)
    if expected is not None:
        labels, weights, alpha, criteria = expected
        if fit.n_iter == len(criteria):  # shorter if a cycle was found
            assert fit.labels.tolist() == labels.tolist()
            np.testing.assert_allclose(fit.weights, weights, rtol=ROUNDING, atol=1e-12)
            assert fit.alpha == pytest.approx(alpha)
        shared = min(fit.n_iter, len(criteria))
        np.testing.assert_allclose(fit.history[:shared], criteria[:shared], rtol=ROUNDING)


@settings(max_examples=10)
@given(data_sets, st.sampled_from(["tl", "r"]), st.integers(0, 99))
def test_invariants_of_minmax(drawn, variant, seed):
    X, k = drawn
    model = quietly(MinMaxKMeans(k, variant=variant, n_init=2, random_state=seed), X)
    assert model.cluster_weights_.sum() == pytest.approx(1)
    assert model.cluster_weights_.min() >= 0
    assert 0 <= model.alpha_ <= (0.5 if variant == "tl" else 0.1)
    assert model.objective_ == model.scatter_.max() == model.start_objectives_.min()
    assert model.score(X) == -model.inertia_
    Z, order = prepared(X), np.random.default_rng(seed).permutation(len(X))
    step, power = (minmax, 2) if variant == "tl" else (minmax_released, 1)
    fit, moved = (
        step(ProductSpace(rows, power), Z[:k, :-1], n_clusters=k, max_iter=60) for rows in (Z, Z[order])
    )
    assert moved.solved == fit.solved
    assert moved.labels.tolist() == fit.labels[order].tolist()


@pytest.mark.seeds(4, 20, also=[1981632290])
def test_centres_are_the_means_of_the_labels(seed):
    """The iterations stopped while labels still changed: seed 21 gave centres .33 from the means."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        k = int(rng.integers(2, 7))
        X = rng.normal(size=(int(rng.integers(15, 60)), 3)) * rng.uniform(0.5, 4, 3)
        model = quietly(MinMaxKMeans(k, n_init=1, random_state=seed), X)
        means = [X[model.labels_ == j].mean(axis=0) for j in range(k)]
        np.testing.assert_allclose(model.cluster_centers_, means, rtol=ROUNDING, atol=1e-12)
        own = np.square(X - model.cluster_centers_[model.labels_]).sum(axis=1)
        scatter = np.bincount(model.labels_, own, k)  # of a single row: the square of rounding
        np.testing.assert_allclose(model.scatter_, scatter, rtol=ROUNDING, atol=1e-28)


@pytest.mark.parametrize("limit", range(1, 12))
def test_centres_are_the_means_at_the_last_iteration_allowed(limit):
    X = np.random.default_rng(5).normal(size=(60, 3))
    model = quietly(MinMaxKMeans(4, n_init=1, max_iter=limit, random_state=0), X)
    means = [X[model.labels_ == j].mean(axis=0) for j in range(4)]
    np.testing.assert_allclose(model.cluster_centers_, means, rtol=ROUNDING, atol=1e-12)


@pytest.mark.parametrize("variant", ["r", "paper"])
def test_memory_and_first_alpha_of_the_sparse_form(variant):
    X = np.random.default_rng(0).normal(size=(40, 12))
    X[:20, :3] += 2
    options = {"l1_bound": 2.0, "variant": variant, "n_init": 2, "random_state": 0}
    plain = SparseMinMaxKMeans(2, **options).fit(X)
    same = SparseMinMaxKMeans(2, beta=0.0, alpha_init=0.0, **options).fit(X)
    assert same.objective_ == plain.objective_
    frozen = SparseMinMaxKMeans(2, beta=1.0, **options).fit(X)
    assert frozen.cluster_weights_.tolist() == [0.5, 0.5]  # the weights of the start are kept
    some = SparseMinMaxKMeans(2, beta=0.3, **options).fit(X)
    assert some.cluster_weights_.tolist() != plain.cluster_weights_.tolist()


def test_the_first_alpha_of_the_sparse_form():
    X = np.random.default_rng(0).normal(size=(40, 12))
    X[:20, :3] += 2
    options = {"l1_bound": 2.0, "variant": "paper", "n_init": 1, "random_state": 0}
    model = SparseMinMaxKMeans(2, alpha_init=0.3, alpha_max=0.3, **options).fit(X)
    assert model.alpha_ == 0.3
    # One step of the literal loop from the same weights: V^(1 / (1 - alpha)), normalised.
    weighted = X * np.sqrt(model.feature_weights_)
    means = np.array([weighted[model.labels_ == j].mean(axis=0) for j in range(2)])
    V = np.bincount(model.labels_, np.square(weighted - means[model.labels_]).sum(axis=1), 2)
    powers = V ** (1 / 0.7)
    np.testing.assert_allclose(model.cluster_weights_, powers / powers.sum(), rtol=1e-3)  # tol of the start


@settings(max_examples=15)
@given(data_sets, st.sampled_from(["r", "paper"]), st.floats(0, 1), st.integers(0, 99))
@example((_clusters(1, 8, 2, 4, 0), 4), "paper", 0.0, 0)  # the smaller weight is less than 1e-6
def test_invariants_of_sparse_minmax(drawn, variant, share, seed):
    X, k = drawn
    bound = 1 + share * (np.sqrt(X.shape[1]) - 1)
    model = quietly(SparseMinMaxKMeans(k, variant=variant, l1_bound=bound, n_init=1, random_state=seed), X)
    weights = model.feature_weights_
    assert weights.min() >= 0
    assert np.linalg.norm(weights) == pytest.approx(1)
    # R's bisection ends at 2^-15 of the largest a_j: 600 such data sets miss the bound by 5e-4 at most.
    assert weights.sum() <= bound * (1 + (1e-2 if variant == "r" else 1e-9))
    in_use = np.count_nonzero(weights >= 1e-6 * weights.max())
    assert model.n_features_retained_ == model.get_support().sum() == in_use
    between = literal_between(X, model.labels_, model.cluster_weights_, model.alpha_)
    assert model.objective_ == pytest.approx(-weights @ between, rel=1e-8)
    assert model.predict(X).shape == model.labels_.shape
    assert model.transform(X).shape == (len(X), k)


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=6), st.floats(0, 0.999))
def test_weights_of_the_clusters(scatter, alpha):
    V = np.array(scatter)
    powers = weight_powers(V, alpha)
    assert np.isfinite(powers).all()
    assert powers.sum() > 0
    if V.any():
        assert (powers[V == 0] == 0).all()
        assert powers.argmax() == V.argmax() or powers[V.argmax()] == powers.max()


def test_alpha_zero_is_k_means():
    X = _clusters(3, 60, 4, 3, 3)
    start = X[[0, 1, 2]]
    expected = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    model = MinMaxKMeans(3, init=start, alpha_max=0, tol=0).fit(X)
    assert model.labels_.tolist() == expected.labels_.tolist()
    assert model.scatter_.sum() == pytest.approx(expected.inertia_)
    refined = MinMaxKMeans(3, init=start, refine=True).fit(X)
    assert refined.alpha_ == 0
    unrefined = MinMaxKMeans(3, init=start).fit(X)
    assert refined.scatter_.sum() <= unrefined.scatter_.sum()


def test_the_best_start_has_the_least_objective():
    # Two starts with the same clusters in another order; on some processors the second sum is one unit lower.
    model = quietly(MinMaxKMeans(3, variant="r", n_init=2, random_state=48), _clusters(3, 28, 14, 3, 3))
    assert model.objective_ == model.start_objectives_.min()


def test_an_empty_cluster_restores_the_last_partition():
    X = _clusters(5, 20, 2, 3, 0)
    lost = [minmax_released(SpaceInOrder(X), X[[i, i + 1, i + 2]], n_clusters=3, alpha_step=0.1)
            for i in range(18)]  # fmt: skip
    events = [fit for fit in lost if fit.n_events and fit.solved]
    assert events, "the data are chosen to lose clusters"
    assert all(len(np.unique(fit.partition)) == 3 and fit.alpha < 0.5 for fit in events)


def test_equal_starts_have_no_solution():
    start = CASE_A[[0, 0, 6]]
    fit = minmax_released(SpaceInOrder(CASE_A), start, n_clusters=3)
    assert (fit.solved, fit.alpha, fit.n_events) == (False, 0, 1)
    assert not minmax(ProductSpace(prepared(CASE_A)), start, n_clusters=3).solved


def test_too_few_distinct_rows_end_as_k_means():
    X = np.repeat(CASE_A[[0, 6]], 4, axis=0)

    class Counting(RRandom):
        drawn = 0

        def sample_int(self, *args, **kwargs):
            Counting.drawn += 1
            return super().sample_int(*args, **kwargs)

    fit = draw_released(SpaceInOrder(X), 3, len(X), Counting(1))
    assert (Counting.drawn, fit.solved, fit.alpha) == (MAX_STARTS, False, 0)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "model",
    [
        MinMaxKMeans(3, n_init=1),
        MinMaxKMeans(3, variant="r", n_init=1),
        SparseMinMaxKMeans(3, n_init=1, max_iter=2),
    ],
)
def test_estimators_warn_that_they_ran_k_means(model):
    X = np.repeat(CASE_A[[0, 6]], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match="plain k-means"):
        model.fit(X)
    assert model.labels_[0] != model.labels_[-1]


def test_cycles_end():
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(10):
        X = rng.normal(size=(40, 3))
        fit = minmax(ProductSpace(prepared(X)), X[:6] - X.mean(axis=0), n_clusters=6)
        cyclic = fit.converged and abs(1 - fit.history[-1] / fit.history[-2]) >= 1e-6
        ended += cyclic
        if cyclic:  # the result is the best of the last iterations
            assert fit.n_iter < 500
    assert ended, "some of these data sets cycle"


def test_estimator_draws_as_r_does():
    X = _clusters(11, 40, 12, 3, 3)
    for seed in (1, 2, 3):
        steps = StepsInOrder(X, 3, RRandom(seed))
        fits = sparse_minmax_path(steps, steps.start(), [1.4, 2.5])
        path = l1_bound_path(SparseMinMaxKMeans(3, n_init=1, random_state=seed), X, [1.4, 2.5])
        for fit, model in zip(fits, path.estimators, strict=True):
            assert model.labels_.tolist() == by_size(fit.labels).tolist()
            assert model.alpha_ == fit.minmax.alpha
            np.testing.assert_allclose(model.feature_weights_, fit.weights, rtol=ROUNDING, atol=1e-12)
            np.testing.assert_allclose(-model.criterion_history_, fit.history, rtol=ROUNDING)
        single = SparseMinMaxKMeans(3, l1_bound=1.4, n_init=1, random_state=seed).fit(X)
        assert single.labels_.tolist() == path.labels[0].tolist()
        minmax_r = MinMaxKMeans(3, variant="r", n_init=1, random_state=seed).fit(X)
        drawn = draw_released(SpaceInOrder(X), 3, len(X), RRandom(seed))
        assert minmax_r.labels_.tolist() == by_size(drawn.labels).tolist()


@pytest.mark.parametrize(("variant", "n_init"), [("r", 1), ("r", 2), ("paper", 2)])
def test_gap_shares_the_first_clusters_without_changing_a_bit(variant, n_init, monkeypatch):
    X = _clusters(2, 20, 12, 2, 2)
    model = SparseMinMaxKMeans(2, variant=variant, n_init=n_init)
    gap = PermutationGap(model, "l1_bound", [1.3, 2, 3], n_permutations=2, random_state=0)
    shared = quietly(gap, X).results_
    monkeypatch.setattr(SparseMinMaxKMeans, "_path_parameter", "none")
    separate = quietly(gap, X).results_
    assert shared.equals(separate)
    assert quietly(SparseMinMaxKMeans(2, random_state=0), X).gap_objective_ > 0


def test_gap_finds_the_informative_features():
    X = _clusters(2, 60, 60, 2, 4)
    for variant in ("r", "paper"):
        model = SparseMinMaxKMeans(2, variant=variant, n_init=1)
        gap = quietly(PermutationGap(model, "l1_bound", [2, 4], n_permutations=2, random_state=0), X)
        weights = gap.best_estimator_.feature_weights_
        assert np.flatnonzero(weights > 0).size == 20
        assert not weights[21:].any()


def test_path_is_as_documented():
    X = _clusters(1, 30, 20, 2, 3)
    path = l1_bound_path(SparseMinMaxKMeans(2, n_init=2, random_state=0), X)
    assert len(path.values) == 20
    assert path.values[[0, -1]].tolist() == [1.1, np.sqrt(20)]
    assert path.to_frame()["n_features_retained"].tolist() == path.n_features_retained.tolist()
    backwards = l1_bound_path(SparseMinMaxKMeans(2, n_init=2, random_state=0), X, path.values[::-1])
    assert backwards.values.tolist() == path.values[::-1].tolist()
    assert path.labels.shape == (20, 30)
    assert path.feature_weights.shape == (20, 20)


@pytest.mark.parametrize(
    "model",
    [
        MinMaxKMeans(2),
        MinMaxKMeans(2, variant="r"),
        SparseMinMaxKMeans(2),
        SparseMinMaxKMeans(2, variant="paper"),
    ],
)
@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e150])
def test_extreme_scales(model, scale):
    start = np.array([[0, 0], [9, 0]])
    expected = quietly(clone(model).set_params(init=start), CASE_A)
    found = quietly(clone(model).set_params(init=start * scale), CASE_A * scale)
    assert found.labels_.tolist() == expected.labels_.tolist()


def test_float32_and_no_mutation():
    X = _clusters(4, 40, 10, 2, 3).astype(np.float32)
    before = X.copy()
    for model in (MinMaxKMeans(2), SparseMinMaxKMeans(2), SparseMinMaxKMeans(2, variant="paper")):
        quietly(model, X)
        assert model.cluster_centers_.dtype == model.transform(X).dtype == np.float32
    assert np.array_equal(X, before)


@pytest.mark.parametrize(("variant", "limit"), [("tl", 500), ("r", 10)])
def test_iterations_end_at_the_documented_limit(variant, limit):
    X = np.random.default_rng(0).normal(size=(30, 2))
    # A step this small leaves alpha growing all the time, so that nothing else ends the iterations.
    model = MinMaxKMeans(3, variant=variant, alpha_step=1e-5, tol=0, n_init=1, random_state=0)
    assert quietly(model, X).n_iter_ == limit


def test_a_hundred_starts_are_drawn_where_none_is_solved():
    rng, expected = RRandom(3), RRandom(3)
    fit = draw_released(SpaceInOrder(np.ones((5, 2))), 2, 5, rng)  # equal rows lose a cluster
    assert not fit.solved
    for _ in range(100):
        expected.sample_int(5, 2)
    assert rng.runif(1) == expected.runif(1)


def test_k_means_in_place_of_unsolved_starts_is_exact_far_from_the_origin():
    # Two different rows for three clusters: no start is solved. Squares near 1e16 are 2 apart.
    x = 1e8 + np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    fit = draw_released(SpaceInOrder(x), 3, 20, RRandom(0))
    assert not fit.solved
    assert len(set(fit.labels[:10])) == len(set(fit.labels[10:])) == 1
    assert fit.labels[0] != fit.labels[10]
