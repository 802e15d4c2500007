"""PermutationGap against a literal loop and against sparcl; choices, invariants, plots."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, PermutationGap, SparseKMeans, rcompat
from sparsek.methods.search.permutation_gap import gap_curve

mpl.use("Agg")
BOUNDS = [1.2, 1.5, 1.9]


def planted(n=40, p=6, informative=2, shift=3.0, seed=0):
    """Two clusters that differ in the first columns."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[: n // 2, :informative] += shift
    return X


X = planted()


def search(**options):
    """A quick search over an L1 bound."""
    settings_ = {"n_permutations": 4, "random_state": 3, **options}
    return PermutationGap(SparseKMeans(2, n_init=3, standardize=False), "l1_bound", BOUNDS, **settings_)


def literal_gap(estimator, name, values, X, n_permutations, random_state, objective):
    """The gap by definition, fit by fit: objectives, permuted objectives, gaps, deviations, errors."""
    seed = int(np.random.RandomState(random_state).randint(2**31 - 1))
    tables = []
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(n_permutations + 1)):
        rng = np.random.default_rng(child)
        fit_seed = int(rng.integers(2**31 - 1))
        data = rng.permuted(X, axis=0) if number else X
        models = [clone(estimator).set_params(**{name: v, "random_state": fit_seed}) for v in values]
        tables.append([objective(model.fit(data)) for model in models])
    objectives, permuted = np.array(tables[0]), np.array(tables[1:]).T
    gaps, deviations = [], []
    for o, row in zip(objectives, permuted, strict=True):
        logs = [np.log(v) for v in row]
        mean = sum(logs) / n_permutations
        gaps.append(np.log(o) - mean)
        deviations.append((sum((v - mean) ** 2 for v in logs) / (n_permutations - 1)) ** 0.5)
    return objectives, permuted, gaps, deviations, np.array(deviations) * (1 + 1 / n_permutations) ** 0.5


@pytest.mark.parametrize(
    ("estimator", "name", "values", "objective"),
    [
        (SparseKMeans(2, n_init=3, standardize=False), "l1_bound", BOUNDS, lambda fit: -fit.objective_),
        (
            SKFR(2, n_init=3, standardize=True),
            "n_features_to_select",
            [1, 2, 5],
            lambda fit: fit.tss_ - fit.objective_,
        ),
        (SKFR(2, 3, n_init=3, scope="local", standardize=True), "n_features_to_select", [1, 2, 5], None),
        (KMeans(2, n_init=2), "n_clusters", [2, 3], lambda fit: 1 / fit.inertia_),
    ],
)
def test_numbers_of_a_literal_loop(estimator, name, values, objective):
    given_objective = objective if isinstance(estimator, KMeans) else None
    model = PermutationGap(
        estimator, name, values, objective=given_objective, n_permutations=4, random_state=5
    ).fit(X)
    oracle = literal_gap(
        estimator, name, values, X, 4, 5, objective or (lambda fit: fit.tss_ - fit.objective_)
    )
    for found, expected in zip(
        (model.objectives_, model.permuted_objectives_, model.gap_, model.gap_sd_, model.gap_se_),
        oracle,
        strict=True,
    ):
        # The fits are equal, but the literal sums of logarithms are in another order: a few units in the last
        # place, and rounding errors instead of 0 for deviations of equal logarithms.
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_same_gap_as_sparcl_within_the_error_of_simulation():
    # With 4 features both programs find the optimum, so they differ only in the permutations: 4 standard
    # errors of the difference of two means of 10.
    x, bounds, n = planted(40, 4, 2, 2.0), [1.2, 1.5, 1.7], 10
    rcompat.set_seed(1)
    theirs = rcompat.KMeansSparseCluster_permute(x, 2, n, wbounds=bounds)
    ours = PermutationGap(
        SparseKMeans(2, standardize=False), "l1_bound", bounds, n_permutations=n, random_state=0
    ).fit(x)
    # sparcl's bisection misses the bound by up to 8e-5, and so the objective by about as much.
    np.testing.assert_allclose(ours.objectives_, theirs["tots"], rtol=2e-4)
    error = np.hypot(ours.gap_sd_, theirs["sdgaps"]) / np.sqrt(n)
    assert (np.abs(ours.gap_ - theirs["gaps"]) < 4 * error).all()


def test_best_estimator_is_the_fit_behind_the_numbers():
    model = search().fit(X)
    best = model.best_index_
    assert model.best_params_ == {"l1_bound": BOUNDS[best]}
    assert model.best_estimator_.l1_bound == BOUNDS[best]
    assert model.best_estimator_.gap_objective_ == model.objectives_[best]  # same seed, same bits
    assert np.count_nonzero(model.get_support()) == model.n_selected_[best]
    np.testing.assert_array_equal(model.labels_, model.best_estimator_.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.transform(X), model.best_estimator_.transform(X))
    np.testing.assert_array_equal(model.get_support(indices=True), model.best_estimator_.get_support(True))
    assert model.get_feature_names_out().tolist() == ["sparsekmeans0", "sparsekmeans1"]


def test_results_are_a_table():
    model = search().fit(X)
    table = model.results_
    assert list(table) == ["l1_bound", "objective", "n_selected", "gap", "gap_sd", "gap_se", "chosen"]
    assert table["l1_bound"].tolist() == BOUNDS
    np.testing.assert_array_equal(table["gap"], model.gap_)
    assert np.flatnonzero(table["chosen"]).tolist() == [model.best_index_]


def test_rules_choose_the_largest_gap_or_the_smallest_value_near_it():
    curve = gap_curve(np.exp([1.0, 2.9, 3.0, 3.0]), np.exp([[0.0, 0.2]] * 4))
    np.testing.assert_allclose(curve.gaps, [0.9, 2.8, 2.9, 2.9], rtol=1e-14)  # rounding of exp and log
    np.testing.assert_allclose(curve.errors, np.sqrt(0.02) * np.sqrt(1.5), rtol=1e-14)  # 0.173
    assert (curve.largest, curve.one_se) == (2, 1)
    data = planted(60, 20, 3, 2.0)
    both = [
        PermutationGap(
            SparseKMeans(2, n_init=2, standardize=False),
            "l1_bound",
            [1.2, 1.7, 3],
            n_permutations=5,
            rule=rule,
            random_state=0,
        ).fit(data)
        for rule in ("max", "one_se")
    ]
    assert [model.best_params_["l1_bound"] for model in both] == [3, 1.7]
    for model in both:
        assert (model.max_index_, model.one_se_index_) == (2, 1)


def test_grid_of_two_parameters_is_a_loop_over_one():
    names, ranges = ("n_clusters", "n_features_to_select"), ([3, 2], [5, 1, 2])
    both = PermutationGap(
        SKFR(n_init=3, standardize=True), names, ranges, n_permutations=3, random_state=5
    ).fit(X)
    assert both.param_range_ == [(2, 1), (2, 2), (2, 5), (3, 1), (3, 2), (3, 5)]
    assert list(both.results_)[:3] == ["n_clusters", "n_features_to_select", "objective"]
    for k, part in both.results_.groupby("n_clusters"):
        single = PermutationGap(
            SKFR(k, n_init=3, standardize=True),
            names[1],
            ranges[1],
            n_permutations=3,
            random_state=5,
            refit=False,
        ).fit(X)
        for column in ("n_features_to_select", "objective", "n_selected", "gap", "gap_sd", "gap_se"):
            np.testing.assert_array_equal(part[column], single.results_[column])
    best = both.best_estimator_
    assert both.best_params_ == {
        "n_clusters": best.n_clusters,
        "n_features_to_select": best.n_features_to_select,
    }
    assert tuple(both.best_params_.values()) == both.param_range_[np.argmax(both.gap_)]
    assert best.gap_objective_ == both.objectives_[both.best_index_]
    one_name = PermutationGap(
        SKFR(2, n_init=3, standardize=True), names[1:], ranges[1:], n_permutations=3, random_state=5
    ).fit(X)
    assert one_name.param_range_ == [(1,), (2,), (5,)]
    np.testing.assert_array_equal(one_name.gap_, both.gap_[:3])


def test_joint_choice_with_the_unexplained_scatter_finds_groups_and_features():
    g = np.random.default_rng(1)
    data = g.normal(size=(120, 15))
    data[:, :4] += np.repeat([[0, 0, 0, 0], [4, 4, 0, 0], [0, 4, 4, 4]], 40, axis=0)
    model = PermutationGap(
        SKFR(n_init=3, standardize=True), ("n_clusters", "n_features_to_select"), ([2, 3, 4], [2, 4, 8]),
        objective=lambda fit: 1 / fit.objective_, n_permutations=5, rule="one_se", random_state=0,
    ).fit(data)  # fmt: skip
    assert model.best_params_ == {"n_clusters": 3, "n_features_to_select": 4}
    assert model.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_joint_choice_by_weights_finds_groups_and_features():
    g = np.random.default_rng(0)
    data = g.normal(size=(90, 15))
    data[:, :4] += np.repeat([[0, 0, 0, 0], [4, 4, 0, 0], [0, 4, 4, 4]], 30, axis=0)
    model = PermutationGap(
        SparseKMeans(n_init=3, standardize=False),
        ("n_clusters", "l1_bound"),
        ([2, 3, 4], [1.5, 2, 3]),
        n_permutations=3,
        rule="one_se",
        random_state=0,
    ).fit(data)
    assert model.best_params_ == {"n_clusters": 3, "l1_bound": 2}  # four equal weights add up to 2
    assert set(np.argsort(-model.best_estimator_.feature_weights_)[:4]) == {0, 1, 2, 3}


def test_one_se_looks_along_the_last_parameter_only():
    logs = np.array([[2.95, 1.0, 1.0], [2.5, 2.95, 3.0]])
    curve = gap_curve(np.exp(logs.ravel()), np.exp([[-0.1, 0.1]] * 6), 3)
    assert (curve.largest, curve.one_se) == (5, 4)  # not 0, which lies in another run of values
    assert gap_curve(np.exp(logs.ravel()), np.exp([[-0.1, 0.1]] * 6)).one_se == 0
    first = gap_curve(np.exp(logs[::-1].ravel()), np.exp([[-0.1, 0.1]] * 6), 3)
    assert (first.largest, first.one_se) == (2, 1)


def test_grid_with_default_bounds_of_one_parameter():
    model = PermutationGap(
        SparseKMeans(n_init=1, standardize=False),
        ("n_clusters", "l1_bound"),
        ([2], None),
        n_permutations=2,
        random_state=0,
    ).fit(X)
    assert len(model.param_range_) == 10
    assert {k for k, _ in model.param_range_} == {2}


def test_default_grid_is_that_of_sparcl():
    model = PermutationGap(
        SparseKMeans(2, n_init=1, standardize=False), n_permutations=2, random_state=0
    ).fit(X)
    expected = np.exp(np.linspace(np.log(1.2), np.log(0.9 * np.sqrt(6)), 10))
    np.testing.assert_allclose(model.param_range_, expected, rtol=1e-14)  # exp and log instead of powers
    one = PermutationGap(SparseKMeans(2, n_init=1, standardize=False), n_permutations=2, random_state=0).fit(
        X[:, :1]
    )
    assert one.param_range_ == [1.0]


def test_values_are_sorted_and_keep_their_type():
    model = PermutationGap(
        SKFR(2, n_init=2, standardize=True),
        "n_features_to_select",
        [5, 1.0, 2, 5],
        n_permutations=2,
        random_state=0,
    ).fit(X)
    # 1 means one feature, 1.0 all features.
    assert [(v, type(v)) for v in model.param_range_] == [(1.0, float), (2, int), (5, int)]
    assert model.n_selected_.tolist() == [6, 2, 5]


def test_more_permutations_keep_the_first_ones():
    few, many = search(n_permutations=2).fit(X), search(n_permutations=5).fit(X)
    np.testing.assert_array_equal(many.permuted_objectives_[:, :2], few.permuted_objectives_)
    np.testing.assert_array_equal(many.objectives_, few.objectives_)


class Recorder(BaseEstimator):
    """Records the data it is fitted to; its objective is 1 + value."""

    seen: list = []  # noqa: RUF012  # one list for all copies, on purpose

    def __init__(self, value=0, random_state=None):
        self.value = value
        self.random_state = random_state

    def fit(self, X, y=None):
        Recorder.seen.append((self.value, self.random_state, X.copy()))
        self.gap_objective_ = 1.0 + self.value
        return self


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), st.integers(1, 5), st.integers(0, 100))
def test_every_column_is_shuffled_on_its_own(n, p, seed):
    Recorder.seen.clear()
    data = np.arange(n * p, dtype=float).reshape(n, p)
    PermutationGap(Recorder(), "value", [1, 2], n_permutations=3, refit=False, random_state=seed).fit(data)
    assert [value for value, _, _ in Recorder.seen] == [1, 2] * 4
    seeds = [state for _, state, _ in Recorder.seen]
    assert seeds[::2] == seeds[1::2]  # equal starts for all values on one data set
    assert len(set(seeds)) == 4  # and different ones for every data set
    for number, (_, _, fitted) in enumerate(Recorder.seen):
        np.testing.assert_array_equal(np.sort(fitted, axis=0), data)
        if number < 2:
            np.testing.assert_array_equal(fitted, data)


def test_columns_get_different_permutations():
    Recorder.seen.clear()
    data = np.repeat(np.arange(50.0)[:, None], 3, axis=1)
    PermutationGap(Recorder(), "value", [1], n_permutations=2, refit=False, random_state=0).fit(data)
    columns = np.hstack([fitted for _, _, fitted in Recorder.seen[1:]])
    assert len({tuple(column) for column in columns.T}) == 6


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.permutations(range(4)))
def test_definition_does_not_depend_on_the_order_of_columns(seed, order):
    rng = np.random.default_rng(seed)
    data = planted(14, 4, seed=seed)
    start = rng.integers(2, size=14).astype(np.int32)
    start[:2] = 0, 1
    shuffled = [rng.permuted(data, axis=0) for _ in range(3)]

    def gaps(columns):
        values = [
            [
                SparseKMeans(2, l1_bound=s, init=start, standardize=False).fit(z[:, columns]).gap_objective_
                for s in (1.1, 1.6)
            ]
            for z in (data, *shuffled)
        ]
        return gap_curve(np.array(values[0]), np.array(values[1:]).T).gaps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Sums over features in another order; differences of logarithms of order 1.
        np.testing.assert_allclose(gaps(list(order)), gaps([0, 1, 2, 3]), atol=1e-10)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), st.integers(2, 8), st.integers(0, 10**6), st.floats(-20, 20), st.floats(0.1, 10))
def test_curve_invariants(m, n_permutations, seed, log_scale, ratio):
    rng = np.random.default_rng(seed)
    objectives, permuted = np.exp(rng.normal(size=m)), np.exp(rng.normal(size=(m, n_permutations)))
    curve = gap_curve(objectives, permuted)
    assert curve.gaps[curve.largest] == curve.gaps.max()
    assert curve.one_se <= curve.largest
    # A common unit and the order of permutations have no effect, up to rounding of logarithms up to 25.
    scale = np.exp(log_scale)
    scaled = gap_curve(scale * objectives, scale * permuted[:, ::-1])
    np.testing.assert_allclose(scaled.gaps, curve.gaps, atol=1e-13)
    np.testing.assert_allclose(scaled.deviations, curve.deviations, atol=1e-13)
    raised = gap_curve(ratio * objectives, permuted)
    np.testing.assert_allclose(raised.gaps, curve.gaps + np.log(ratio), atol=1e-13)


def test_common_scale_of_the_data_cancels():
    # A power of two changes no bit of the fits; only the logarithms are rounded differently.
    np.testing.assert_allclose(search().fit(X * 2.0**40).gap_, search().fit(X).gap_, atol=1e-13)


def test_plot_marks_the_chosen_value():
    model = search().fit(X)
    ax = model.plot()
    np.testing.assert_array_equal(ax.containers[0].lines[0].get_xdata(), BOUNDS)
    np.testing.assert_array_equal(ax.containers[0].lines[0].get_ydata(), model.gap_)
    bars = ax.containers[0].lines[2][0].get_segments()
    heights = [segment[1][1] - segment[0][1] for segment in bars]
    np.testing.assert_allclose(heights, 2 * model.gap_se_, atol=1e-15)  # a sum and a difference of gaps
    marked = ax.lines[-1]
    assert marked.get_xdata() == BOUNDS[model.best_index_]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("l1_bound", "Gap")
    assert model.plot(ax) is ax
    mpl.pyplot.close(ax.figure)


def test_plot_of_a_grid_is_a_heat_map():
    model = PermutationGap(
        SKFR(n_init=2, standardize=True),
        ("n_clusters", "n_features_to_select"),
        ([2, 3], [1, 2, 5]),
        n_permutations=3,
        random_state=0,
    ).fit(X)
    ax = model.plot()
    (image,) = ax.images
    # The larger number of clusters is at the top.
    np.testing.assert_array_equal(image.get_array(), model.gap_.reshape(2, 3)[::-1])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["3", "2"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "5"]
    k, s = model.best_params_.values()
    assert ax.get_title() == f"chosen: n_clusters = {k}, n_features_to_select = {s}"
    mpl.pyplot.close(ax.figure)
