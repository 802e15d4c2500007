"""Features that are always selected, and features that never are: `always` and `never`."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import (
    SKFR,
    FeatureFDR,
    ModelChoice,
    PermutationGap,
    RobustSparseKMeans,
    SparseKMeans,
    StabilitySelection,
    inference,
    set_engine,
    skfr_path,
)
from sparsek.methods.search.stability import false_selection_bound
from tests.sources.blocks_data import as_kind

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::sparsek.errors.SelectionWarning"
)  # small random data

ENGINES = ("numpy", "compiled")
LEFT = np.delete(np.arange(12), [0, 7])
"""The features that stay when 0 and 7 never take part."""
LOSSES: list[dict[str, Any]] = [
    {},
    {"scope": "local"},
    {"refine": True},
    {"winsorize": 3.0},
    {"standardize": False},
    {"loss": "absolute"},
    {"loss": "poisson", "standardize": False},
    {"loss": "itakura-saito", "standardize": False},
    {"missing": "mm"},
    *(
        {"init": init}
        for init in ("k-means++", "paper", "random", "greedy-screened", "dkm++", "robin", "maximin")
    ),
]
BOUNDED: list[tuple[Any, dict[str, Any]]] = [
    (SparseKMeans, {}),
    (SparseKMeans, {"refine": True, "standardize": True}),
    (SparseKMeans, {"refine": False, "init": "random"}),
    (SparseKMeans, {"dissimilarity": "absolute", "n_init": 3}),
    (SparseKMeans, {"init": "maximin"}),
    (RobustSparseKMeans, {}),
    (RobustSparseKMeans, {"standardize": True, "init": "random"}),
    (RobustSparseKMeans, {"init": "dkm++"}),
    (RobustSparseKMeans, {"trim": 0.0}),
]


def positive_rows(n: int = 60, seed: int = 0) -> np.ndarray:
    """Three groups in six of twelve columns, all of them positive; the first column separates them most."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, 12))
    X[: n // 3, :3] += 3
    X[-n // 3 :, 3:6] += 3
    X[: n // 2, 0] += 4
    return np.exp(X / 4)


def as_frame(X: np.ndarray) -> pd.DataFrame:
    """The columns a, b, c, ..."""
    return pd.DataFrame(X, columns=list("abcdefghijkl"))


def literal(
    X: np.ndarray, labels: np.ndarray, k: int, s: int, always: list[int], never: list[int]
) -> tuple[np.ndarray, list[int]]:
    """Algorithm 1 of the SKFR paper, sorting what is free by its gain, until no label changes."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    while True:
        means = np.array([Z[labels == m].sum(axis=0) / max(1, (labels == m).sum()) for m in range(k)])
        gains = np.bincount(labels, minlength=k) @ means**2
        free = [j for j in np.argsort(-gains, kind="stable").tolist() if j not in {*always, *never}]
        chosen = sorted([*always, *free[: s - len(always)]])
        new = np.array([((Z[:, chosen] - mean) ** 2).sum(axis=1) for mean in means[:, chosen]]).argmin(axis=0)
        if (new == labels).all():
            return labels, chosen
        labels = new


@settings(max_examples=15, deadline=None)
@given(st.data(), st.integers(0, 10**6))
def test_skfr_is_the_literal_algorithm_on_what_is_free(data: st.DataObject, seed: int) -> None:
    g = np.random.default_rng(seed)
    n, p, k = data.draw(st.integers(8, 40)), data.draw(st.integers(2, 9)), data.draw(st.integers(2, 3))
    order = data.draw(st.permutations(range(p)))
    first = data.draw(st.integers(0, p - 1))
    always, never = order[:first], order[first : first + data.draw(st.integers(0, p - 1 - first))]
    s = data.draw(st.integers(max(1, first), p - len(never)))
    X, labels = g.normal(size=(n, p)), np.append(np.arange(k), g.integers(k, size=n - k))
    expected, chosen = literal(X, labels, k, s, always, never)
    for engine in ENGINES:
        with set_engine(engine):
            fit = SKFR(k, s, init=labels, always=always, never=never, standardize=True).fit(X)
        assert fit.get_support(indices=True).tolist() == chosen
        assert fit.labels_.tolist() == expected.tolist()
        assert fit.predict(X).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("options", "engine"),
    [
        *((options, "numpy") for options in LOSSES),
        *((options, "compiled") for options in ({}, {"scope": "local"}, {"missing": "mm"})),
    ],
)
def test_never_is_to_leave_the_columns_out_of_skfr(options: dict[str, Any], engine: str) -> None:
    X = positive_rows()
    if options.get("missing") == "mm":
        X[::7, 2] = np.nan
    with set_engine(engine):
        fit = SKFR(
            3, 5, always=[4, 11], never=[0, 7], random_state=0, **({"standardize": True} | options)
        ).fit(X)
        without = SKFR(3, 5, always=[3, 9], random_state=0, **({"standardize": True} | options)).fit(
            X[:, LEFT]
        )
    assert fit.labels_.tolist() == without.labels_.tolist()
    assert fit.selected_features_.tolist() == LEFT[without.selected_features_].tolist()
    assert fit.predict(X).tolist() == without.predict(X[:, LEFT]).tolist()
    assert {4, 11} <= set(fit.get_support(indices=True))
    assert not fit.get_support()[[0, 7]].any()
    np.testing.assert_array_equal(fit.feature_weights_[..., LEFT], without.feature_weights_)
    assert (fit.feature_gains_[..., 0] > 0).all()  # how well the clusters separate what is left out


@pytest.mark.parametrize("scope", ["global", "local"])
def test_a_cluster_has_what_is_always_selected(scope: str) -> None:
    fit = SKFR(3, 2, scope=scope, always=[10, 11], random_state=0, standardize=True).fit(positive_rows())
    assert (fit.selected_features_ == [10, 11]).all()


@pytest.mark.parametrize("kind", ["csr", "npy", "dask"])
def test_the_same_wherever_the_rows_lie(kind: str, tmp_path: Any) -> None:
    X = positive_rows(300)
    for init in (X[[0, 150, 299]], "k-means++"):
        model = SKFR(3, 4, always=[11], never=[0], init=init, random_state=0, standardize=True)
        expected = model.fit(X)
        chosen, labels = expected.get_support(indices=True).tolist(), expected.labels_.tolist()
        given = csr_array(X) if kind == "csr" else as_kind(X, kind, tmp_path)
        fit = model.set_params(memory_limit="200kB" if kind == "npy" else None).fit(given)
        assert fit.get_support(indices=True).tolist() == chosen
        assert np.asarray(fit.labels_).tolist() == labels


@pytest.mark.parametrize(("estimator", "options"), BOUNDED)
@pytest.mark.parametrize("shape", [60, 11])  # more rows than features, and fewer
def test_never_is_to_leave_the_columns_out_under_a_bound(
    estimator: Any, options: dict[str, Any], shape: int
) -> None:
    X = positive_rows(shape)
    fit = estimator(3, l1_bound=2.0, never=[0, 7], random_state=0, **options).fit(X)
    without = estimator(3, l1_bound=2.0, random_state=0, **options).fit(X[:, LEFT])
    assert fit.labels_.tolist() == without.labels_.tolist()
    np.testing.assert_array_equal(fit.feature_weights_[LEFT], without.feature_weights_)
    assert not fit.feature_weights_[[0, 7]].any()
    assert not fit.get_support()[[0, 7]].any()
    np.testing.assert_array_equal(fit.cluster_centers_[:, LEFT], without.cluster_centers_)
    assert np.ptp(fit.cluster_centers_[:, 0]) > 0  # means of the clusters here too
    assert fit.predict(X).tolist() == without.predict(X[:, LEFT]).tolist()


@pytest.mark.parametrize("estimator", [SparseKMeans, RobustSparseKMeans])
def test_given_centres_count_where_the_columns_do(estimator: Any) -> None:
    X = positive_rows()
    for init in (X[[0, 25, 59]], np.array([0, 25, 59])):
        fit = estimator(3, l1_bound=2.0, never=[0, 7], init=init).fit(X)
        without = estimator(3, l1_bound=2.0, init=init[:, LEFT] if init.ndim == 2 else init).fit(X[:, LEFT])
        assert fit.labels_.tolist() == without.labels_.tolist()


@pytest.mark.parametrize(
    "model", [SKFR(3, 2, standardize=True), SparseKMeans(3, l1_bound=1.5, standardize=False)]
)
def test_given_centres_where_as_many_columns_are_left_as_clusters(model: Any) -> None:
    X, left = positive_rows(), [2, 5, 11]
    init = X[[0, 25, 59]]
    without = clone(model).set_params(init=init[:, left]).fit(X[:, left])
    fit = clone(model).set_params(init=init, never=np.setdiff1d(np.arange(12), left)).fit(X)
    assert fit.labels_.tolist() == without.labels_.tolist()


def test_a_bound_is_of_the_columns_left() -> None:
    X, never = positive_rows(), list(range(3, 12))
    assert SparseKMeans(2, l1_bound=None, never=never).fit(X).l1_bound_ == 1.0
    assert SparseKMeans(2, never=never, random_state=0).fit(X).selection_path_["l1_bound"].max() <= 3**0.5
    with pytest.warns(UserWarning, match=r"l1_bound=3 is more than sqrt\(n_features without never\)=1.73205"):
        fit = RobustSparseKMeans(2, l1_bound=3, never=never).fit(X)
    assert fit.l1_bound_ == pytest.approx(3**0.5, rel=1e-15)


def test_names_indices_and_masks_say_the_same() -> None:
    X = as_frame(positive_rows())
    mask = np.isin(np.arange(12), [10, 11])
    forms: list[Any] = [["k", "l"], ("l", "k", "k"), X.columns[10:], [10, 11], np.array([11, 10], np.uint8)]
    for always in [*forms, mask, pd.Series(mask), np.array(["k", "l"], dtype=object)]:
        fit = SKFR(3, 4, always=always, never=["a"], random_state=0, standardize=True).fit(X)
        assert fit.get_selected_names().tolist()[-2:] == ["k", "l"]
        assert not fit.get_support()[0]
        assert "4 of 12" in fit.summary().as_text()


def test_nothing_given_changes_no_bit() -> None:
    X = positive_rows()
    for none in ([], np.zeros(12, bool), None):
        fit = SKFR(3, 4, always=none, never=none, random_state=0).fit(X)
        assert fit.objective_ == SKFR(3, 4, random_state=0).fit(X).objective_
        assert fit._lift is None
    again = SKFR(3, 4, never=[0], random_state=0).fit(X).set_params(never=None).fit(X)
    assert again.objective_ == SKFR(3, 4, random_state=0).fit(X).objective_


def test_the_objective_is_that_of_the_features_selected() -> None:
    fit = SKFR(3, 4, always=[11], never=[0], random_state=0).fit(positive_rows())
    selected = fit.get_support()
    assert fit.gap_objective_ == pytest.approx(fit.feature_gains_[selected].sum(), rel=1e-12)  # rounding
    assert fit.inertia_ == pytest.approx(fit.objective_, rel=1e-12)
    assert (fit.feature_weights_[selected] > 0).all()


def test_a_constant_column_can_be_always_selected() -> None:
    X = positive_rows()
    X[:, 11] = 5.0
    fit = SKFR(3, 3, always=[11], random_state=0).fit(X)
    assert fit.get_support()[11]
    assert fit.feature_weights_[11] == 0


def test_the_automatic_number_counts_what_is_always_selected() -> None:
    X = positive_rows()
    fit = SKFR(3, always=[9, 10, 11], never=[0, 7], random_state=0).fit(X)
    tried = fit.selection_path_["n_features_to_select"]
    assert (tried.min(), tried.max()) == (3, 10)
    assert fit.get_support()[9:].all()
    assert not fit.get_support()[[0, 7]].any()
    one = SKFR(3, always=[5], never=np.arange(12) != 5, random_state=0).fit(X)
    assert one.get_support(indices=True).tolist() == [5]


def test_shares_are_of_the_columns_left() -> None:
    for wanted, found in ((None, 5), (0.5, 5), (1.0, 10)):
        assert (
            SKFR(3, wanted, never=[0, 7], random_state=0, standardize=True)
            .fit(positive_rows())
            .get_support()
            .sum()
            == found
        )


def test_a_path_is_among_what_is_left() -> None:
    path = skfr_path(SKFR(3, always=["l"], never=["a", "h"], random_state=0), as_frame(positive_rows()))
    assert (path.values.min(), path.values.max()) == (1, 10)
    assert all(11 in some and 0 not in some for some in path.selected)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"always": ["zz"]}, ValueError, "always names 'zz', which is no column of X; its columns are a, b, c, "),
    ({"never": [12]}, ValueError, "never has index 12, but the features of X are 0 to 11"),
    ({"never": [-1]}, ValueError, "never has index -1"),
    ({"always": [True, False]}, ValueError, "always is a mask of 2 features, but X has 12"),
    ({"always": [[0, 1]]}, ValueError, r"always must have one dimension; got shape \(1, 2\)"),
    ({"always": [0.5]}, TypeError, "always must hold names, indices from 0, or be a mask; got 0.5 of type"),
    ({"never": ["a", None]}, TypeError, "never must hold names, .* got None of type NoneType"),
    ({"always": ["a"], "never": [0]}, ValueError, r"feature 0 \('a'\) is in both always and never"),
    ({"never": np.ones(12, bool)}, ValueError, "never has all 12 features; leave at least one out of it"),
    ({"always": [0, 1, 2]}, ValueError, "always has 3 features, more than the 2 that n_features_to_select=2"),
    ({"always": [0, 1, 2], "n_features_to_select": 0.2}, ValueError, "=0.2 selects; raise it"),
    ({"never": range(11)}, ValueError, "n_features_to_select=2 is more than the 1 of 12 features that never"),
    ({"always": "a"}, ValueError, "'always' parameter of SKFR must be an array-like or None. Got 'a'"),
    ({"always": 3}, ValueError, "'always' parameter of SKFR must be an array-like"),
    (
        {"always": [0], "projection": "nonnegative", "n_features_to_select": None},
        ValueError,
        "leave always out",
    ),
    (
        {"never": [0], "projection": "nonnegative", "n_features_to_select": None},
        ValueError,
        "leave never out",
    ),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD)
def test_bad_input(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        SKFR(**{"n_clusters": 3, "n_features_to_select": 2, **options}).fit(as_frame(positive_rows()))


def test_names_need_names() -> None:
    for estimator in (SKFR, SparseKMeans, RobustSparseKMeans):
        with pytest.raises(ValueError, match="never names 'a', but X has no column names: give indices"):
            estimator(3, never=["a"]).fit(positive_rows())


@pytest.mark.parametrize("name", ["always", "never"])
def test_the_exact_test_of_the_steps_refuses_them(name: str) -> None:
    X = positive_rows()
    options: dict[str, Any] = {"standardize": False, "init": np.array([0, 25, 59]), name: np.array([11])}
    fit = SKFR(3, 4, **options).fit(X)
    with pytest.raises(ValueError, match=f"the exact test of SKFR needs {name}=None; got array"):
        inference.test_kmeans(fit, X, 0, 1, sigma=1.0)


def test_searches_pass_them_on_by_name() -> None:
    X, model = as_frame(positive_rows()), SKFR(3, always=["l"], never=["a", "h"], n_init=3, standardize=True)
    by_index = SKFR(3, always=[11], never=[0, 7], n_init=3, standardize=True)
    gap = PermutationGap(model, "n_features_to_select", [2, 4, 9], n_permutations=3, random_state=0).fit(X)
    other = PermutationGap(by_index, "n_features_to_select", [2, 4, 9], n_permutations=3, random_state=0).fit(
        X
    )
    assert gap.results_.equals(other.results_)
    assert gap.get_support()[11]
    assert not gap.get_support()[[0, 7]].any()
    grid = {"n_clusters": [2, 3], "n_features_to_select": [3, 5]}
    few = {"gap": {"n_permutations": 2}}
    choice = ModelChoice(model, grid, criteria="gap", options=few, random_state=0).fit(X)
    assert choice.get_support()[11]
    assert not choice.get_support()[[0, 7]].any()
    found = FeatureFDR(model.set_params(n_features_to_select=4), fdr=0.2, n_null=9, random_state=0).fit(X)
    assert found.best_estimator_.get_support()[11]


def test_stability_selection_counts_what_is_free() -> None:
    X, model = as_frame(positive_rows()), SKFR(3, 4, always=["l"], never=["a", "h"], n_init=3)
    found = StabilitySelection(model, n_resamples=10, threshold=0.7, random_state=0).fit(X)
    assert found.selection_frequencies_[11] == 1
    assert not found.selection_frequencies_[[0, 7]].any()
    assert found.n_selected_ == 3.0
    assert found.expected_false_selections_ == false_selection_bound(3.0, 0.7, 9)
    with pytest.raises(ValueError, match="so there is nothing to select; shorten them"):
        StabilitySelection(SKFR(3, 1, always=[0], never=range(1, 12)), n_resamples=2).fit(X)
    steps = make_pipeline(StandardScaler(), SKFR(3, 2, always=[0]))
    with pytest.raises(ValueError, match="always is of the features that the last step of the Pipeline sees"):
        StabilitySelection(steps, n_resamples=2).fit(X)
