"""StabilitySelection against a literal loop, its bound on simulated data, every backend, summary and plot."""

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sparsek import (
    SKFR,
    SparseAgglomerativeClustering,
    SparseKMeans,
    StabilitySelection,
)
from sparsek.methods.search.stability import (
    false_selection_bound,
    largest_q,
    mean_union_sizes,
    threshold_for,
)

mpl.use("Agg")
RESULTS = ("selection_frequencies_", "path_frequencies_", "n_selected_", "expected_false_selections_")


def planted(n: int = 40, p: int = 8, informative: int = 2, shift: float = 3.0, seed: int = 0) -> np.ndarray:
    """Two clusters that differ in the first columns."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[: n // 2, :informative] += shift
    return X


X = planted()


def selection(**options: Any) -> StabilitySelection:
    """A quick selection over numbers of features."""
    values = {"param_range": [1, 2, 4], "n_resamples": 6, "random_state": 3, **options}
    return StabilitySelection(SKFR(2, n_init=2, standardize=True), "n_features_to_select", **values)


class Largest(BaseEstimator):
    """Selects the `size` columns of the largest means; records the data it is fitted to."""

    seen: list = []  # noqa: RUF012  # one list for all copies, on purpose

    def __init__(self, size: int = 1, random_state: Any = None) -> None:
        self.size = size
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: Any = None) -> "Largest":
        Largest.seen.append((self.random_state, X.copy(), y))
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[np.argsort(-X.mean(axis=0), kind="stable")[: self.size]] = True
        return self

    def get_support(self) -> np.ndarray:
        return self.support_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize(
    ("estimator", "name", "values"),
    [
        (SKFR(2, n_init=2, standardize=True), "n_features_to_select", [1, 2, 4]),
        (SKFR(3, n_init=2, scope="local", standardize=True), "n_features_to_select", [1, 3]),
        (SparseKMeans(2, n_init=2, standardize=False), "l1_bound", [1.2, 2]),
        (SparseAgglomerativeClustering(2), "l1_bound", [1, 1.5]),
    ],
)
def test_frequencies_of_a_literal_loop(estimator, name, values, pairs):
    model = StabilitySelection(
        estimator, name, values, n_resamples=4, complementary_pairs=pairs, random_state=5
    ).fit(X)
    seed = int(np.random.RandomState(5).randint(2**31 - 1))
    supports = []
    for child in np.random.SeedSequence(seed).spawn(2 if pairs else 4):
        rng = np.random.default_rng(child)
        order = rng.permutation(40)
        for half in (order[:20], order[20:])[: 1 + pairs]:
            fit_seed = int(rng.integers(2**31 - 1))
            row = []
            for value in values:
                copy = clone(estimator).set_params(**{name: value})
                if "random_state" in copy.get_params():
                    copy.set_params(random_state=fit_seed)
                row.append(copy.fit(X[np.sort(half)]).get_support())
            supports.append(row)
    found = np.array(supports)
    np.testing.assert_array_equal(model.path_frequencies_, found.mean(axis=0))
    np.testing.assert_array_equal(model.selection_frequencies_, found.mean(axis=0).max(axis=0))
    q = np.mean([len({j for support in row for j in np.flatnonzero(support)}) for row in found])
    assert model.n_selected_ == q
    assert model.threshold_ == 0.6
    # The formula with its operations in another order: a few units in the last place.
    assert model.expected_false_selections_ == pytest.approx(q**2 / ((2 * 0.6 - 1) * 8), rel=1e-14)
    np.testing.assert_array_equal(model.get_support(), model.selection_frequencies_ >= 0.6)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(4, 15), st.integers(1, 5), st.booleans(), st.fractions(0.25, 0.5, max_denominator=60),
    st.integers(0, 100),
)  # fmt: skip
def test_subsets_are_rows_without_repeats(n, p, pairs, fraction, seed):
    Largest.seen.clear()
    data = np.arange(n * p, dtype=float).reshape(n, p)
    StabilitySelection(
        Largest(), "size", [1, 2], n_resamples=4, sample_fraction=float(fraction), complementary_pairs=pairs,
        random_state=seed,
    ).fit(data)  # fmt: skip
    seeds = [state for state, _, _ in Largest.seen]
    assert seeds[::2] == seeds[1::2]  # equal starts for all values on one subset
    assert len(set(seeds)) == 4  # and different ones on every subset
    subsets = [fitted[:, 0] for _, fitted, _ in Largest.seen[::2]]
    for first, second in zip(subsets, (fitted[:, 0] for _, fitted, _ in Largest.seen[1::2]), strict=True):
        np.testing.assert_array_equal(first, second)
        assert len(first) == n * fraction.numerator // fraction.denominator
        assert (np.diff(first) > 0).all()  # in the order of the data
        assert set(first) <= set(data[:, 0])
    if pairs:
        assert not set(subsets[0]) & set(subsets[1])
        assert not set(subsets[2]) & set(subsets[3])


def test_more_resamples_keep_the_first_ones():
    few, many = selection(n_resamples=3).fit(X), selection(n_resamples=6).fit(X)
    counts = 3 * few.path_frequencies_, 6 * many.path_frequencies_
    assert ((counts[0] <= np.round(counts[1])) & (np.round(counts[1]) <= counts[0] + 3)).all()
    Largest.seen.clear()
    for n_resamples in (2, 5):
        StabilitySelection(Largest(), n_resamples=n_resamples, random_state=0).fit(X)
    for early, late in zip(Largest.seen[:2], Largest.seen[2:4], strict=True):
        np.testing.assert_array_equal(early[1], late[1])


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.permutations(range(5)), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_invariants(seed, order, sizes):
    data = np.random.default_rng(seed).normal(size=(12, 5))
    options = {"n_resamples": 6, "random_state": seed}
    model = StabilitySelection(Largest(), "size", sizes, **options).fit(data)
    assert (model.path_frequencies_ >= 0).all()
    assert (model.path_frequencies_ <= 1).all()
    # Rounding of sums of sixths.
    np.testing.assert_allclose(model.results_["mean_selected"], sorted(set(sizes)), rtol=1e-12)
    assert model.n_selected_ == max(sizes)  # a larger size includes the features of a smaller one
    assert (np.diff(model.results_["q"]) >= 0).all()
    moved = StabilitySelection(Largest(), "size", sizes, **options).fit(data[:, order])
    np.testing.assert_array_equal(moved.path_frequencies_, model.path_frequencies_[:, order])
    np.testing.assert_array_equal(moved.get_support(), model.get_support()[order])
    assert moved.expected_false_selections_ == model.expected_false_selections_


def test_skfr_does_not_mind_the_order_of_columns():
    # Clear clusters, so that rounding of sums in another order has no effect.
    data, order = planted(shift=6.0), np.array([5, 0, 3, 7, 1, 2, 6, 4])
    model, moved = (
        StabilitySelection(
            SKFR(2, 2, n_init=3, init="random", standardize=True), n_resamples=6, random_state=0
        ).fit(Z)
        for Z in (data, data[:, order])
    )
    np.testing.assert_array_equal(moved.selection_frequencies_, model.selection_frequencies_[order])
    assert model.get_support(indices=True).tolist() == [0, 1]


@settings(max_examples=100, deadline=None)
@given(st.floats(0.5, 50), st.floats(0.1, 20), st.floats(0.51, 1), st.integers(50, 1000))
def test_bound_threshold_and_size_are_one_equation(q, expected_false, threshold, p):
    # Rounding of 1 + a small number, relative to that number.
    assert false_selection_bound(q, threshold_for(q, expected_false, p), p) == pytest.approx(
        expected_false, rel=1e-9
    )
    size = largest_q(expected_false, threshold, p)
    assert false_selection_bound(size, threshold, p) == pytest.approx(expected_false, rel=1e-9)
    assert false_selection_bound(0, 0.5, p) == 0


def test_bound_of_the_paper():
    # Meinshausen and Buhlmann: q = sqrt(0.8 p) and a threshold of 0.9 give E(V) <= 1.
    assert false_selection_bound(np.sqrt(0.8 * 1000), 0.9, 1000) == pytest.approx(1, rel=1e-12)


def test_union_of_the_values_counts():
    supports = np.zeros((2, 2, 4), dtype=bool)
    supports[0, 0, 0] = supports[0, 1, 1] = supports[1, 0, 0] = supports[1, 1, 0] = True
    assert mean_union_sizes(supports).tolist() == [1, 1.5]


def test_threshold_follows_from_the_bound_asked_for():
    model = selection(expected_false=3.0, n_resamples=20).fit(X)
    assert model.threshold_ == (1 + model.n_selected_**2 / (3 * 8)) / 2
    assert model.expected_false_selections_ == pytest.approx(3, rel=1e-12)  # roundings of 2 * 0.9 - 1
    assert model.n_values_used_ == 3
    with pytest.raises(ValueError, match=r"no threshold keeps.*expected_false=0.1.*at most 0.8944 may be"):
        selection(expected_false=0.1).fit(X)


def test_number_of_features_follows_from_bound_and_threshold():
    model = selection(expected_false=1.0, threshold=0.75, n_resamples=20).fit(X)
    # q <= sqrt(0.5 * 8 * 1) = 2: just satisfied by 2 features.
    q = model.results_["q"]
    assert model.n_values_used_ == np.count_nonzero(q <= 2)
    assert model.n_selected_ == q[model.n_values_used_ - 1] <= 2
    assert model.expected_false_selections_ <= 1 < model.results_["bound"].iloc[-1]
    assert model.results_["used"].sum() == model.n_values_used_
    used = model.path_frequencies_[: model.n_values_used_]
    np.testing.assert_array_equal(model.selection_frequencies_, used.max(axis=0))
    with pytest.raises(ValueError, match=r"n_features_to_select=1, the smallest value, selects 1 features"):
        selection(expected_false=0.1, threshold=0.75).fit(X)


def test_exact_bound_is_kept_in_spite_of_rounding():
    # 2^2 / (0.2 * 20) = 1, but 2 * 0.6 - 1 is a little less than 0.2.
    data = np.random.default_rng(0).normal(size=(12, 20))
    model = StabilitySelection(Largest(), "size", [2], threshold=0.6, expected_false=1, n_resamples=2)
    assert model.fit(data).n_values_used_ == 1


# The bound of Theorem 1 on data that satisfy its assumption of exchangeable noise columns, with weak and
# strong clusters. The mean over the samples, of standard error below 0.8, must stay below the bound.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # rows without clusters
@pytest.mark.parametrize("shift", [0.0, 1.5, 3.0])
def test_false_selections_stay_below_the_bound(shift):
    false, bounds = [], []
    for seed in range(4):
        data = planted(40, 20, 3, shift, seed)
        model = StabilitySelection(
            SparseKMeans(2, l1_bound=1.6, n_init=1, standardize=False),
            n_resamples=20,
            complementary_pairs=True,
            random_state=seed,
        ).fit(data)
        false.append(np.count_nonzero(model.get_support()[3 if shift else 0 :]))
        bounds.append(model.expected_false_selections_)
    assert np.mean(false) < np.mean(bounds)


def test_features_of_another_grouping_break_the_bound():
    # These columns do not separate the first clusters, but are selected together, unlike noise.
    rng = np.random.default_rng(0)
    data = planted(60, 40, 3, 2.0)
    data[:, 3:8] += 5 * rng.permutation(np.arange(60) % 2)[:, None]
    model = StabilitySelection(
        SKFR(2, 5, n_init=3, standardize=True), n_resamples=20, threshold=0.9, random_state=0
    ).fit(data)
    assert model.get_support(indices=True).tolist() == [3, 4, 5, 6, 7]
    assert model.expected_false_selections_ < 1


def test_processes_change_no_bit():
    expected = selection(complementary_pairs=True).fit(X)
    with parallel_config(backend="multiprocessing", n_jobs=2):
        found = selection(complementary_pairs=True).fit(X)
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@settings(max_examples=2)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 3]))
def test_threads_do_not_change_a_bit(seed, n_jobs):
    data = planted(seed=seed)
    with parallel_config(backend="threading"):
        fits = [selection(n_jobs=jobs, n_resamples=3, random_state=seed).fit(data) for jobs in (None, n_jobs)]
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(fits[0], name), getattr(fits[1], name))


@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_warnings_are_summed_up(backend):
    hurried = SparseKMeans(3, l1_bound=None, n_init=1, max_iter=1, standardize=False)
    with parallel_config(backend=backend, n_jobs=2), pytest.warns(ConvergenceWarning) as caught:
        StabilitySelection(hurried, n_resamples=4, random_state=0).fit(X)
    (message,) = [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]
    assert message.startswith("4 warnings about convergence in the fits, such as: the best start did not")


def test_progress_bar_on_a_terminal_on_request(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    selection().fit(X)
    assert capsys.readouterr().err == ""
    selection(verbose=1).fit(X)
    assert "6/6" in capsys.readouterr().err


def test_summary_and_plot():
    model = selection().fit(X)
    summary = model.summary(3)
    assert summary.title == "StabilitySelection: SKFR"
    assert list(summary.tables) == ["", "Path", "Features: the first 3 of 8"]
    assert summary.features["frequency"].is_monotonic_decreasing
    assert summary.features.set_index("feature")["selected"].sum() == model.get_support().sum()
    assert f"{model.expected_false_selections_:.4g}" in summary.as_text()
    assert (
        "Path"
        not in StabilitySelection(SKFR(2, 2, n_init=1, standardize=True), n_resamples=2)
        .fit(X)
        .summary(8)
        .tables
    )
    ax = model.plot()
    widths = sorted(bar.get_width() for bar in ax.patches)
    assert widths == sorted(model.selection_frequencies_)
    assert model.plot(ax) is ax
    mpl.pyplot.close(ax.figure)
    with pytest.raises(NotFittedError):
        selection().summary()
    with pytest.raises(NotFittedError):
        selection().get_support()
