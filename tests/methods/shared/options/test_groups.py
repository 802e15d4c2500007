"""Groups of features: their labels and columns, and the methods that select or weight them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import (
    SKFR,
    PermutationGap,
    SparseKMeans,
    StabilitySelection,
    explain,
    inference,
    rcompat,
    set_engine,
    skfr_path,
)
from sparsek.core.scaling import prepare
from sparsek.core.weights import group_weights
from sparsek.methods.search.stability import false_selection_bound
from sparsek.methods.shared.groups import group_labels, grouping_of
from sparsek.methods.sparse_kmeans.algorithm import sparse_kmeans
from sparsek.plots import plot_weights
from sparsek.rcompat.vimpclust.algorithm import make_groups, threshold
from sparsek.sources.local import array_rows
from tests.methods.shared.options.test_forced import ENGINES, LOSSES, as_frame, positive_rows
from tests.sources.blocks_data import as_kind

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::sparsek.errors.SelectionWarning"
)  # small random data


class TestGrouping:
    def test_groups_come_in_the_order_of_their_first_columns(self):
        found = grouping_of(np.array(["b", "a", "b", "c"]))
        assert found.names.tolist() == ["b", "a", "c"]
        assert [columns.tolist() for columns in found.columns] == [[0, 2], [1], [3]]
        assert found.degrees.tolist() == [2.0, 1.0, 1.0]
        assert found.codes.tolist() == [0, 1, 0, 2]

    def test_degrees_by_label(self):
        found = grouping_of(np.array(["b", "a", "b"]), {"a": 1, "b": 0.5})
        assert found.degrees.tolist() == [0.5, 1.0]
        np.testing.assert_array_equal(found.per_degree(np.array([1.0, 2.0, 3.0])), [8.0, 2.0])

    def test_sums_are_literal(self):
        values = np.random.default_rng(0).normal(size=(4, 9))
        found = grouping_of(np.array([3, 1, 3, 2, 2, 1, 3, 0, 1]))
        literal = [[sum(row[j] for j in columns) for columns in found.columns] for row in values.tolist()]
        np.testing.assert_array_equal(found.totals(values), literal)
        np.testing.assert_array_equal(found.totals(values[0]), literal[0])

    def test_masks_of_chosen_groups(self):
        found = grouping_of(np.array([5, 4, 5, 3]))
        assert found.mask(np.array([0, 2])).tolist() == [True, False, True, True]
        assert found.mask(np.array([[1], [0]])).tolist() == [
            [False, True, False, False],
            [True, False, True, False],
        ]


class TestLabels:
    def test_a_mapping_takes_names_indices_and_masks(self):
        names = np.array(["x", "y", "z"])
        assert group_labels({"g": ["z", "x"], "h": ["y"]}, 3, names).tolist() == ["g", "h", "g"]
        assert group_labels({1: [0], 0: np.array([False, True, True])}, 3).tolist() == [1, 0, 0]

    @pytest.mark.parametrize(
        "groups", [["u", "v", "u"], pd.Series(["u", "v", "u"]), pd.Categorical(["u", "v", "u"])]
    )
    def test_an_array_has_one_label_per_feature(self, groups):
        assert group_labels(groups, 3).tolist() == ["u", "v", "u"]

    @pytest.mark.parametrize(
        ("groups", "error", "message"),
        [
            ({"g": [0, 1]}, ValueError, r"leaves out 1 of 3 features, first 2; give each a group"),
            (
                {"g": [0, 1], "h": [1, 2]},
                ValueError,
                r"feature 1 is in groups\['g'\] and groups\['h'\]; leave",
            ),
            ({"g": [0, 1, 2], "h": []}, ValueError, r"groups\['h'\] has no features; leave it out"),
            ({"g": [0, 1], 1: [2]}, TypeError, r"keys of groups must be all strings or all integers"),
            ({"g": [0, 3]}, ValueError, r"groups\['g'\] has index 3"),
            ({"g": ["a"]}, ValueError, "X has no column names"),
            (["a", "b"], ValueError, r"must have shape \(3,\)"),
            (["a", "b", None], TypeError, "must hold integers or strings"),
        ],
    )
    def test_bad_groups(self, groups, error, message):
        with pytest.raises(error, match=message):
            group_labels(groups, 3)


def literal_skfr(
    Z: np.ndarray, labels: np.ndarray, k: int, s: int, groups: list[list[int]], local: bool
) -> tuple[np.ndarray, list[list[int]], list[float]]:
    """Algorithms 1 and 2 of the SKFR paper with groups ranked by gain per feature, in loops."""
    n, p = Z.shape
    while True:
        sizes = [int((labels == m).sum()) for m in range(k)]
        means = [[sum(Z[labels == m, j]) / max(1, sizes[m]) for j in range(p)] for m in range(k)]
        gains = [[sizes[m] * means[m][j] ** 2 for j in range(p)] for m in range(k)]
        rows = gains if local else [[sum(gains[m][j] for m in range(k)) for j in range(p)]]
        chosen = []
        for row in rows:
            scores = [sum(row[j] for j in own) / len(own) for own in groups]
            first = sorted(range(len(groups)), key=lambda g: (-scores[g], g))[:s]
            chosen.append(sorted(j for g in first for j in groups[g]))
        of, union = chosen if local else chosen * k, sorted({j for row in chosen for j in row})
        new = np.empty(n, int)
        for i in range(n):
            far = [sum((Z[i, j] - (means[m][j] if j in of[m] else 0)) ** 2 for j in union) for m in range(k)]
            new[i] = far.index(min(far))
        if (new == labels).all():
            return labels, chosen, [sum(row[j] for j in own) / len(own) for row in rows for own in groups]
        labels = new


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(0, 10**6), st.booleans())
def test_skfr_with_groups_is_the_literal_algorithm(data: st.DataObject, seed: int, local: bool) -> None:
    g = np.random.default_rng(seed)
    n, p, k = data.draw(st.integers(8, 30)), data.draw(st.integers(2, 8)), data.draw(st.integers(2, 3))
    labels = g.integers(0, data.draw(st.integers(1, p)), size=p)
    groups = grouping_of(labels)
    s = data.draw(st.integers(1, len(groups.names)))
    X, start = g.normal(size=(n, p)), np.append(np.arange(k), g.integers(k, size=n - k))
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    own = [columns.tolist() for columns in groups.columns]
    expected, chosen, gains = literal_skfr(Z, start, k, s, own, local)
    for engine in ENGINES:
        with set_engine(engine):
            fit = SKFR(
                k, s, init=start, groups=labels, scope="local" if local else "global", standardize=True
            ).fit(X)
        assert fit.labels_.tolist() == expected.tolist()
        found = fit.selected_features_ if local else [fit.selected_features_]
        assert [np.asarray(row).tolist() for row in found] == chosen
        np.testing.assert_allclose(fit.group_gains_.ravel(), gains, rtol=1e-9, atol=1e-9)  # rounding
        names = fit.selected_groups_ if local else [fit.selected_groups_]
        assert [np.flatnonzero(np.isin(labels, row)).tolist() for row in names] == chosen


@pytest.mark.seeds(6)
def test_the_best_of_all_labels_and_groups_stays(seed: int) -> None:
    """With groups of one size the ranking maximises what is explained."""
    X = np.random.default_rng(seed).normal(size=(8, 6))
    X[:4, :2] += 2
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    best = (-1.0, None, 0)
    for bits in product([0, 1], repeat=7):
        labels = np.array([0, *bits])
        gains = sum((labels == m).sum() * Z[labels == m].mean(axis=0) ** 2 for m in set(labels.tolist()))
        value = max(float(gains[2 * g : 2 * g + 2].sum()) for g in range(3))
        best = max(best, (value, tuple(labels.tolist()), 0))
    fit = SKFR(2, 1, groups=[0, 0, 1, 1, 2, 2], init=np.array(best[1])).fit(X)
    assert fit.gap_objective_ == pytest.approx(best[0], rel=1e-12)
    assert fit.labels_.tolist() == list(best[1])


SINGLE: list[tuple[Any, dict[str, Any]]] = [
    (SKFR, {"n_features_to_select": 0.4, "standardize": True}),
    (
        SKFR,
        {
            "n_features_to_select": 4,
            "missing": "mm",
            "scope": "local",
            "always": [4],
            "never": [0],
            "standardize": True,
        },
    ),
    (SKFR, {"n_features_to_select": 4, "scope": "local", "loss": "poisson", "standardize": False}),
    (SKFR, {"n_features_to_select": "auto"}),
    (SparseKMeans, {"l1_bound": 2.0, "dissimilarity": "absolute", "standardize": False}),
    (SparseKMeans, {"l1_bound": "auto", "never": [0, 7]}),
]
ENTRIES = (
    "groups",
    "_groups",
    "_own_groups",
    "_size_choice",
    "_start_details",
    "groups_",
    "group_gains_",
    "group_weights_",
)


@pytest.mark.parametrize(("estimator", "options"), SINGLE)
@pytest.mark.parametrize("engine", ENGINES)
def test_groups_of_one_feature_change_no_bit(engine: str, estimator: Any, options: dict[str, Any]) -> None:
    X = positive_rows()
    if "missing" in options:
        X[::7, 2] = np.nan
    with set_engine(engine):
        plain = estimator(3, random_state=0, **options).fit(X)
        fit = estimator(3, random_state=0, groups=np.arange(12), **options).fit(X)
    for name in {*vars(plain)} - {*ENTRIES, "_given"}:  # the parameters of the fit, groups among them
        own, other = getattr(plain, name), getattr(fit, name)
        if isinstance(own, np.ndarray):
            np.testing.assert_array_equal(own, other, strict=True)
        else:
            assert own.equals(other) if isinstance(own, pd.DataFrame) else repr(own) == repr(other)
    if estimator is SKFR:
        assert plain.restart_table_.equals(fit.restart_table_)
        np.testing.assert_array_equal(fit.group_gains_, fit.feature_gains_)
        np.testing.assert_array_equal(fit.selected_groups_, fit.selected_features_)


@settings(max_examples=3)
@given(st.integers(0, 10**6))
@example(3)
def test_groups_of_one_feature_choose_the_same(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(40, 8))
    X[:20, :2] += 1
    for model, value in (
        (SparseKMeans(2, random_state=0, standardize=False), "l1_bound_"),
        (SKFR(2, random_state=0, standardize=True), "gap_objective_"),
    ):
        plain, fit = clone(model).fit(X), model.set_params(groups=list("hgfedcba")).fit(X)
        assert plain.selection_path_.equals(fit.selection_path_)
        assert getattr(plain, value) == getattr(fit, value)
        assert plain.labels_.tolist() == fit.labels_.tolist()


GROUPS = {"first": [0, 1, 2], "second": [3, 4, 5], "third": [6, 7], "rest": [8, 9, 10, 11]}
"""The groups of `positive_rows`, of which the first two have clusters."""


@pytest.mark.parametrize(
    "options", [*LOSSES, {"scope": "local", "missing": "mm"}, {"scope": "local", "loss": "absolute"}]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_groups_are_whole_under_every_loss(engine: str, options: dict[str, Any]) -> None:
    X = positive_rows()
    if "missing" in options:
        X[::7, 2] = np.nan
    with set_engine(engine):
        fit = SKFR(3, 2, groups=GROUPS, random_state=0, **({"standardize": True} | options)).fit(X)
    for row in np.atleast_2d(fit.selected_groups_):
        assert sorted(row.tolist()) == ["first", "second"]
    assert fit.get_support().tolist() == 6 * [True] + 6 * [False]
    assert fit.predict(X).shape == fit.labels_.shape
    assert fit.inertia_ >= 0


def test_never_and_always_hold_labels() -> None:
    fit = SKFR(3, 2, groups=GROUPS, always=["rest"], never=["first"], random_state=0, standardize=True).fit(
        positive_rows()
    )
    assert fit.selected_groups_.tolist() == ["second", "rest"]
    weighted = SparseKMeans(
        3, l1_bound=2.0, groups=GROUPS, never=["first"], random_state=0, standardize=False
    )
    weighted.fit(positive_rows())
    assert "first" not in weighted.selected_groups_
    assert not weighted.feature_weights_[:3].any()
    without = SparseKMeans(3, l1_bound=2.0, groups=list("aaabbcccc"), random_state=0, standardize=False)
    without.fit(positive_rows()[:, 3:])
    np.testing.assert_array_equal(weighted.feature_weights_[3:], without.feature_weights_)
    assert weighted.labels_.tolist() == without.labels_.tolist()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_never_says_nothing_of_when_filled_holes_have_settled(seed: int, local: bool) -> None:
    """With many features that never count, an earlier end would leave other late digits."""
    g = np.random.default_rng(seed)
    X, left = g.normal(size=(60, 40)), np.sort(g.permutation(40)[:8])
    X[:20, left[:3]] += 2
    X[g.random(X.shape) < 0.25] = np.nan
    options: dict[str, Any] = {"missing": "mm", "scope": "local" if local else "global", "n_init": 3}
    fit = SKFR(
        3, 4, never=np.setdiff1d(np.arange(40), left), random_state=0, **options, standardize=True
    ).fit(X)
    without = SKFR(3, 4, random_state=0, **options, standardize=True).fit(X[:, left])
    assert fit.n_iter_ == without.n_iter_
    np.testing.assert_array_equal(fit.feature_gains_[..., left], without.feature_gains_)
    np.testing.assert_array_equal(fit.feature_weights_[..., left], without.feature_weights_)
    np.testing.assert_array_equal(fit.cluster_centers_[:, left], without.cluster_centers_)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_labels_of_groups_and_their_order_do_not_matter(seed: int) -> None:
    g = np.random.default_rng(seed)
    X, labels, start = positive_rows(seed=seed), g.integers(0, 4, 12), g.integers(0, 3, 60)
    fit = SKFR(3, 0.5, groups=labels, init=start, standardize=True).fit(X)
    renamed = SKFR(3, 0.5, groups=np.array(["zyxw"[i] for i in labels]), init=start, standardize=True).fit(X)
    np.testing.assert_array_equal(fit.feature_gains_, renamed.feature_gains_)
    assert renamed.selected_groups_.tolist() == ["zyxw"[i] for i in fit.selected_groups_]
    mapping = {label: np.flatnonzero(labels == label) for label in np.unique(labels)[::-1].tolist()}
    mapped = SKFR(3, 0.5, groups=mapping, init=start, standardize=True).fit(X)
    np.testing.assert_array_equal(mapped.selected_groups_, fit.selected_groups_)
    order = g.permutation(12)
    moved = SKFR(3, 0.5, groups=labels[order], init=start, standardize=True).fit(X[:, order])
    assert sorted(moved.selected_groups_.tolist()) == sorted(fit.selected_groups_.tolist())
    assert moved.labels_.tolist() == fit.labels_.tolist()


def test_the_automatic_number_counts_groups() -> None:
    X = positive_rows()
    fit = SKFR(3, groups=GROUPS, always=["third"], random_state=0).fit(X)
    tried = fit.selection_path_["n_features_to_select"]
    assert (tried.min(), tried.max()) == (1, 4)
    assert "third" in fit.selected_groups_
    bounds = SparseKMeans(3, groups=GROUPS, random_state=0).fit(X).selection_path_["l1_bound"]
    assert (bounds.min(), bounds.max()) == pytest.approx((2**0.5, 12**0.5), rel=1e-15)
    with pytest.warns(UserWarning, match="n_features_to_select=5 is more than n_groups=4: 4 is used"):
        assert SKFR(3, 5, groups=GROUPS, random_state=0).fit(X).get_support().all()
    path = skfr_path(SKFR(3, groups=GROUPS, random_state=0), X)
    assert path.values.tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize("kind", ["csr", "npy", "dask"])
def test_the_same_wherever_the_rows_lie(kind: str, tmp_path: Any) -> None:
    X = positive_rows(300)
    for model, attribute in (
        (SKFR(3, 2, groups=GROUPS, init=X[[0, 150, 299]], standardize=True), "group_gains_"),
        (
            SparseKMeans(
                3, l1_bound=2.5, groups=GROUPS, init=X[[0, 150, 299]], refine=False, standardize=False
            ),
            "group_weights_",
        ),
    ):
        expected = clone(model).fit(X)
        given = csr_array(X) if kind == "csr" else as_kind(X, kind, tmp_path)
        fit = model.set_params(memory_limit="200kB" if kind == "npy" else None).fit(given)
        assert np.asarray(fit.labels_).tolist() == expected.labels_.tolist()
        np.testing.assert_allclose(getattr(fit, attribute), getattr(expected, attribute), rtol=1e-12)


class TestGroupWeights:
    @settings(max_examples=200, deadline=None)
    @given(st.data(), st.integers(0, 10**6))
    def test_no_weights_are_better(self, data: st.DataObject, seed: int) -> None:
        """The criterion is that of the dual problem: s delta + |S(a, delta)|, smallest over delta."""
        g = np.random.default_rng(seed)
        p = data.draw(st.integers(1, 12))
        codes = np.unique(g.integers(0, data.draw(st.integers(1, p)), p), return_inverse=True)[1]
        degrees = np.bincount(codes) * data.draw(st.sampled_from([1.0, 0.5, 0.8]))
        a = g.gamma(0.5, size=p) * (g.random(p) < 0.8)
        s = float(g.uniform(1, max(1.0, np.sqrt(degrees.sum()))))
        weights, roots = group_weights(a, s, codes, degrees), np.sqrt(degrees)
        norms, sizes = (np.sqrt(np.bincount(codes, values**2)) for values in (weights, a))
        assert roots @ norms <= s * (1 + 1e-12)
        assert norms @ norms <= 1 + 1e-12

        def dual(delta: float) -> float:
            return float(s * delta + np.linalg.norm(np.maximum(sizes - delta * roots, 0)))

        top = float((sizes / roots).max())
        inner = minimize_scalar(dual, bounds=(0, top or 1), method="bounded", options={"xatol": 1e-12})
        least = min(float(inner.fun), dual(0), dual(top))
        assert weights @ a == pytest.approx(least, rel=1e-8, abs=1e-12)  # the search for delta has 1e-12

    @settings(max_examples=100, deadline=None)
    @given(st.integers(0, 10**6), st.floats(0.0, 0.95))
    @example(231015, 0.8755976340609462)  # one group is left, whose root the bound exceeds by a rounding
    @example(437545, 0.95)
    def test_the_same_as_the_threshold_of_vimpclust(self, seed: int, share: float) -> None:
        g = np.random.default_rng(seed)
        codes = np.unique(g.integers(0, 4, 10), return_inverse=True)[1]
        b, groups = g.gamma(0.5, size=10), make_groups(codes + 1, True)
        largest = float(np.max(groups.norms(b) / groups.roots()))
        expected = threshold(b, share * largest, groups)
        degrees = np.bincount(codes).astype(float)
        bound = float(groups.roots() @ groups.norms(expected))
        found = group_weights(b, bound, codes, degrees)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)  # the bound is rounded
        # By as much as the bound was rounded up, another group may come in.
        assert (groups.norms(found) > 1e-12).tolist() == (groups.norms(expected) > 0).tolist()

    def test_a_bound_below_the_best_group_leaves_it_alone(self) -> None:
        found = group_weights(np.array([3.0, 4.0, 1.0]), 1.0, np.array([0, 0, 1]), np.array([2.0, 1.0]))
        np.testing.assert_allclose(found, np.array([0.6, 0.8, 0.0]) / np.sqrt(2), rtol=1e-15)

    def test_equal_groups_share_the_bound(self) -> None:
        found = group_weights(np.array([1.0, 1.0, 1.0]), 1.6, np.array([0, 0, 1]), np.array([2.0, 1.0]))
        norms = np.array([np.hypot(*found[:2]), found[2]])
        assert norms @ norms == pytest.approx(1, rel=1e-12)
        assert np.sqrt([2, 1]) @ norms == pytest.approx(1.6, rel=1e-12)

    @pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
    def test_sizes_do_not_matter(self, size: float) -> None:
        a, codes, degrees = np.array([3.0, 4.0, 1.0, 2.5]), np.array([0, 0, 1, 2]), np.array([2.0, 1.0, 1.0])
        found = group_weights(size * a, 1.7, codes, degrees)
        np.testing.assert_allclose(found, group_weights(a, 1.7, codes, degrees), rtol=1e-12)


def between(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Between-cluster variances of centred columns."""
    parts = [X[labels == m] for m in np.unique(labels)]
    return sum(len(part) * part.mean(axis=0) ** 2 for part in parts) / len(X)


def test_at_the_labels_of_vimpclust_the_weights_are_its_weights() -> None:
    X = StandardScaler().fit_transform(load_iris().data)
    index = np.array([1, 1, 2, 2])
    rcompat.set_seed(1)
    found = rcompat.groupsparsewkm(X, 3, nlambda=4, index=index, scaling=False)
    labels, weights = np.asarray(found["cluster"]), np.asarray(found["W"])
    for own, expected in zip(labels.T, weights.T, strict=True):
        norms = np.array([np.linalg.norm(expected[index == g]) for g in (1, 2)])
        bound = float(np.sqrt(2) * norms.sum())
        ours = group_weights(between(X, own), bound, index - 1, np.array([2.0, 2.0]))
        np.testing.assert_allclose(ours, expected, atol=1e-3)  # R stops at a change of 1e-4 of the weights


@pytest.mark.seeds(5, also=[1046341065])  # where a k-means by all features alike leaves the best partition
def test_the_best_of_all_partitions_stays(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(8, 6))
    X[:4, :2] += 2
    X -= X.mean(axis=0)
    groups, bound = np.array([0, 0, 1, 1, 1, 2]), 1.9
    best = (-1.0, [0])
    for bits in product([0, 1], repeat=7):
        labels = np.array([0, *bits])
        b = len(X) * between(X, labels)
        best = max(best, (float(group_weights(b, bound, groups, np.array([2.0, 3.0, 1.0])) @ b), [0, *bits]))
    fit = SparseKMeans(2, l1_bound=bound, groups=groups, init=np.array(best[1])).fit(X)
    assert fit.gap_objective_ <= best[0] * (1 + 1e-10)
    start = array_rows(prepare(X, None, standardize=False)[0], np.array(best[1], np.int32), 2)
    found = sparse_kmeans(start, l1_bound=bound, groups=grouping_of(groups), warm=True)
    assert -found.params.criterion == pytest.approx(best[0], rel=1e-10)
    assert found.labels.tolist() == best[1]


class TestWhatUsersSee:
    def fits(self) -> list[Any]:
        X = as_frame(positive_rows())
        named = {name: list(X.columns[columns]) for name, columns in GROUPS.items()}
        skfr, local = (
            SKFR(3, 2, groups=named, random_state=0, standardize=True),
            SKFR(3, 2, groups=named, scope="local", standardize=True),
        )
        weighted = SparseKMeans(3, l1_bound=2.0, groups=named, random_state=0, standardize=False)
        return [skfr.fit(X), local.fit(X), weighted.fit(X), explain(X, skfr.labels_, 2, groups=named)]

    def test_summary_lists_groups_with_their_features(self) -> None:
        for fit in self.fits():
            summary = fit.summary()
            text = summary.as_text()
            assert "Selected groups" in text
            assert f"{summary.groups['selected'].sum()} of 4" in text
            assert "a, b, c" in text
            assert max(map(len, text.splitlines())) <= 80
            assert len(summary.groups) == 4
            assert summary.features["group"].isin(list(GROUPS)).all()
            for other in (summary.as_html(), summary.as_latex()):
                assert "first" in other
        assert SKFR(3, 2, random_state=0).fit(positive_rows()).summary().groups.empty

    def test_plots_by_group(self) -> None:
        for fit in self.fits():
            for top in (2, None):
                ax = plot_weights(fit, by_group=True, top=top)
                assert "groups in use" in ax.get_title()
        with pytest.raises(ValueError, match="by_group=True needs a fit with groups"):
            plot_weights(SKFR(3, 2, random_state=0).fit(positive_rows()), by_group=True)
        with pytest.raises(ValueError, match="by_group=True needs a fit with groups"):
            plot_weights([0.5, 0.5], by_group=True)

    def test_nothing_is_left_of_groups_after_a_fit_without(self) -> None:
        for model in (SKFR(3, 2, random_state=0), SparseKMeans(3, l1_bound=2.0, random_state=0)):
            model.set_params(groups=GROUPS).fit(positive_rows())
            model.set_params(groups=None).fit(positive_rows())
            assert not [name for name in vars(model) if "group" in name and name.endswith("_")]


def test_searches_pass_groups_on_by_name() -> None:
    X = as_frame(positive_rows())
    named = {name: list(X.columns[columns]) for name, columns in GROUPS.items()}
    tables = []
    for groups in (named, GROUPS):
        model = SKFR(3, groups=groups, n_init=3)
        gap = PermutationGap(model, "n_features_to_select", [1, 2, 4], n_permutations=3, random_state=0)
        tables.append(gap.fit(X).results_)
    assert tables[0].equals(tables[1])


def test_stability_selection_counts_groups() -> None:
    X = as_frame(positive_rows())
    named = {name: list(X.columns[columns]) for name, columns in GROUPS.items()}
    model = SKFR(3, 2, groups=named, always=["rest"], n_init=3)
    found = StabilitySelection(model, n_resamples=10, threshold=0.7, random_state=0).fit(X)
    assert found.n_selected_ == 1.0
    assert found.expected_false_selections_ == false_selection_bound(1.0, 0.7, 3)
    for columns in GROUPS.values():
        assert np.ptp(found.selection_frequencies_[columns]) == 0
    with pytest.raises(ValueError, match="groups is of the features that the last step of the Pipeline sees"):
        StabilitySelection(make_pipeline(StandardScaler(), SKFR(3, 2, groups=GROUPS)), n_resamples=2).fit(X)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"groups": GROUPS, "always": [0]},
        ValueError,
        "always has 0, which is no label of groups; with groups it",
    ),
    ({"groups": GROUPS, "never": list(GROUPS)}, ValueError, "never has all 4 groups; leave at least one out"),
    ({"groups": GROUPS, "always": ["rest"], "never": ["rest"]}, ValueError, "group 'rest' is in both always"),
    (
        {"groups": GROUPS, "always": ["rest", "first", "third"]},
        ValueError,
        "always has 3 groups, more than the 2",
    ),
    (
        {"groups": GROUPS, "never": ["rest", "first", "third"]},
        ValueError,
        "is more than the 1 of 4 groups that",
    ),
    (
        {"groups": "abc"},
        ValueError,
        "'groups' parameter of SKFR must be an array-like, a mapping from labels",
    ),
    (
        {"groups": [0, 1]},
        ValueError,
        r"groups must have shape \(12,\), one label per feature; got shape \(2,\)",
    ),
    ({"groups": [None] * 12}, TypeError, "groups must hold integers or strings"),
    (
        {"groups": GROUPS, "projection": "nonnegative", "n_features_to_select": None},
        ValueError,
        "leave groups out",
    ),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD)
def test_bad_input(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        SKFR(**{"n_clusters": 3, "n_features_to_select": 2, **options}).fit(positive_rows())


def test_what_groups_do_not_go_with() -> None:
    X = positive_rows()
    fit = SKFR(3, 2, groups=GROUPS, random_state=0, standardize=True).fit(X)
    with pytest.raises(ValueError, match=r"a certificate bounds .* fit with groups=None"):
        fit.certificate(X)
    exact = SKFR(3, 2, groups=GROUPS, standardize=False, init=np.array([0, 25, 59])).fit(X)
    with pytest.raises(ValueError, match="the exact test of SKFR needs groups=None"):
        inference.test_kmeans(exact, X, 0, 1, sigma=1.0)
    with pytest.raises(ValueError, match="names 'a', but X has no column names"):
        SKFR(3, 1, groups={"g": ["a"]}, standardize=True).fit(X)
    with pytest.warns(UserWarning, match=r"more than sqrt\(degrees of freedom of the groups\)=3.4641"):
        SparseKMeans(3, l1_bound=9, groups=GROUPS, random_state=0, standardize=False).fit(X)
