"""SKFR.certificate: never below the best of all labels and features, equal to it for clear clusters."""

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sparsek import SKFR, Certificate, skfr_path
from sparsek.methods.skfr.bounds import Branching, RankedColumns, largest_eigenvalues
from tests.methods.skfr.partitions import best_explained, partition_gains

SAME = 1e-9
"""Relative: the margins of small problems are below it, and so is the rounding of sums in other orders."""
LCM = 2520
"""Of 1 to 9: means of up to nine whole numbers have it as a common denominator."""

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # few distinct rows
    pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning"),  # whole numbers as they are
]


def problem(seed: int) -> tuple[np.ndarray, np.ndarray | None, SKFR]:
    """A small problem: normal data, groups, whole numbers with ties, repeated rows, constant columns."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(4, 9)), int(rng.integers(1, 7)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, p))
    kind = seed % 5
    if kind == 1:
        X[: n // 2] += 3
    elif kind == 2:
        X = rng.integers(-2, 3, (n, p)).astype(float)
    elif kind == 3:
        X = X[rng.integers(0, n, n)]
        X[:, 0] = 1.5
    weights = rng.uniform(0.2, 3, n) if kind == 4 else None
    s = int(rng.integers(1, p + 1))
    return X, weights, SKFR(k, s, n_init=2, standardize=bool(seed % 2), random_state=0)


@pytest.mark.seeds(5)
def test_bounds_are_never_below_the_best_of_all_labels_and_features(seed: int) -> None:
    for number in range(50 * seed, 50 * seed + 25):
        X, weights, model = problem(number)
        found = model.fit(X, sample_weight=weights).certificate(X)
        w = np.ones(len(X)) if weights is None else weights
        gains = partition_gains(model._scaling.apply(X)[:, :-1], w, model.n_clusters)
        best = best_explained(gains, found.n_selected)
        assert found.explained_bound >= best, number
        assert (found.feature_bounds >= gains.max(axis=0)).all(), number
        assert 0 <= found.ratio <= found.ratio_selected <= 1
        given = gains[:, model.selected_features_].sum(axis=1).max()
        assert found.ratio_selected * given <= found.explained + 2 * found.margin
        if found.optimal:
            assert found.explained >= best - 2 * found.margin


@pytest.mark.seeds(10)
def test_on_whole_numbers_the_bound_is_not_below_the_exact_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 10)), 4
    X = rng.integers(0, 6, (n, p))
    centred = n * X - X.sum(axis=0)  # n times the differences from the means, whole
    gains = np.rint(LCM * partition_gains(centred.astype(float), np.ones(n), 3))
    best = Fraction(int(best_explained(gains, 2)), LCM * n * n)
    model = SKFR(3, 2, standardize=False, n_init=2, random_state=0).fit(X)
    assert Fraction(model.certificate(X).explained_bound) >= best


@pytest.mark.seeds(2)
def test_of_twelve_rows_too(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(12, 5))
    model = SKFR(3, 2, n_init=20, random_state=0).fit(X)
    gains = partition_gains(model._scaling.apply(X)[:, :-1], np.ones(12), 3)
    assert model.certificate(X).explained_bound >= best_explained(gains, 2)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_every_bound_holds_for_all_sets_and_labels(seed: int, s: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(7, 6)) * rng.uniform(0.3, 2, 6)
    Z[:3, :3] += rng.uniform(0, 4)
    Z -= Z.mean(axis=0)
    gains = partition_gains(Z, np.ones(7), k)
    largest = gains.max(axis=0) + SAME  # raised, as they are
    order = np.argsort(-largest, kind="stable")
    columns = RankedColumns(Z[:, order], largest[order], s, k - 1, SAME)
    best = best_explained(gains, s)
    products = columns.Z.T @ columns.Z
    search = Branching(columns.gains, products, s, k - 1, SAME)
    by_steps = [search.bound(0, steps) for steps in (0, 1, 3, 10, 1000)]
    assert columns.pairs() >= best
    assert min(by_steps) >= best
    assert by_steps == sorted(by_steps, reverse=True)
    sets = [list(chosen) for chosen in combinations(range(6), s)]
    bounds = [
        min(columns.gains[c].sum(), largest_eigenvalues(products[np.ix_(c, c)], k - 1) + SAME) for c in sets
    ]
    # The last one is that of the best set, or of it and subsets of it by both bounds.
    assert best <= by_steps[-1] <= max(bounds) * (1 + SAME)


def clear(shift: float, n_features: int, seed: int = 0) -> np.ndarray:
    """Three groups of 20, which five features order each in its own way."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_features))
    X[:, :5] += shift * rng.permuted(np.tile([-1, 0, 1], (5, 1)), axis=1)[:, np.repeat([0, 1, 2], 20)].T
    return X


def test_clear_clusters_are_proven_best() -> None:
    X = clear(10, 200)
    model = SKFR(3, 5, random_state=0).fit(X)
    found = model.certificate(X)
    assert (found.optimal, found.ratio, found.excess, found.ratio_selected) == (True, 1.0, 0.0, 1.0)
    assert found.bound_from == "intervals"
    np.testing.assert_allclose(found.explained_bound, found.explained, rtol=SAME)
    assert str(found).endswith("So nothing is better than the fit.")


def test_two_clusters_by_their_sign_are_proven_best_by_branching() -> None:
    X = np.kron([[1.0], [-1.0]], np.ones((4, 3))) + np.tile([[0.0], [0.1], [0.2], [0.3]], (2, 3))
    X = np.hstack([X, np.random.default_rng(0).normal(size=(8, 3))])
    found = SKFR(2, 3, random_state=0).fit(X).certificate(X)
    assert found.optimal


def tumours() -> np.ndarray:
    """The example of README."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2000))
    for k in range(3):
        X[20 * k : 20 * k + 20, 6 * k : 6 * k + 6] += 3
    return X


FIGURES: dict[str, Any] = {  # by the first word of its row on the page
    "three": lambda: clear(6, 200),
    "iris": lambda: load_iris().data,
    "wine": lambda: load_wine().data,
    "the": tumours,
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_the_page(name: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "methods" / "skfr.md").read_text(encoding="utf-8")
    table = page.partition("| ratio to the 1-D bound |")[2]
    (row,) = re.findall(rf"^\| {name}\b[^|]*\| (\d+), (\d+) \|(.*)\|$", table, flags=re.MULTILINE)
    k, s, printed = int(row[0]), int(row[1]), [float(entry) for entry in row[2].split("|")]
    X = FIGURES[name]()
    found = SKFR(k, s, random_state=0, standardize=True).fit(X).certificate(X)
    alone = found.explained / np.sort(found.feature_bounds)[-s:].sum()
    ratios = np.array([alone, found.ratio, found.ratio_selected])
    # Three digits, rounded down: the least that is certain.
    assert printed == (np.floor(1000 * (ratios + SAME)) / 1000).tolist()


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_order_units_and_repetitions_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, counts = rng.normal(size=(15, 6)), rng.integers(0, 3, 15)
    counts[:4] = 1
    model = SKFR(2, 3, init=rng.integers(0, 2, 15), random_state=0, standardize=True)
    found = model.fit(X, sample_weight=counts).certificate(X)
    rows, columns = rng.permutation(15), rng.permutation(6)
    moved = SKFR(2, 3, init=model.init[rows], random_state=0, standardize=True)
    Y = (X * 2.5 + 7)[rows][:, columns]
    other = moved.fit(Y, sample_weight=counts[rows]).certificate(Y)
    repeated = SKFR(2, 3, init=np.repeat(model.init, counts), random_state=0, standardize=True)
    Y = np.repeat(X, counts, axis=0)
    for again in (other, repeated.fit(Y).certificate(Y)):
        np.testing.assert_allclose(again.explained_bound, found.explained_bound, rtol=SAME)


@pytest.mark.parametrize(
    "options",
    [
        {"winsorize": 2.0},
        {"refine": True},
        {"missing": "mm"},
        {"standardize": False},
        {"ddof": 0},
        {"n_features_to_select": "auto"},
        {"n_features_to_select": None},
        {"n_clusters": 1},
        {"n_clusters": 60},
    ],
)
def test_options_and_containers(options: dict[str, Any]) -> None:
    X = clear(3, 12)
    model = SKFR(
        **(
            {"standardize": True}
            | {"n_clusters": 3, "n_features_to_select": 5, "n_init": 3, "random_state": 0, **options}
        )
    )
    found = model.fit(X).certificate(X)
    np.testing.assert_allclose(found.explained, model.gap_objective_, rtol=SAME, atol=SAME * model.tss_)
    np.testing.assert_allclose(found.objective_bound, model.tss_ - found.explained_bound, atol=1e-6)
    assert found.objective == model.objective_
    assert found.explained_bound >= found.explained
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(12)])
    assert (
        SKFR(**({"standardize": True} | model.get_params())).fit(frame).certificate(frame).ratio
        == found.ratio
    )
    single = X.astype(np.float32)
    again = (
        SKFR(**({"standardize": True} | {**model.get_params(), "init": model.labels_}))
        .fit(single)
        .certificate(single)
    )
    # Single precision has 1e-7 of a number, and a millionth of a sum of squares.
    np.testing.assert_allclose(again.explained_bound, found.explained_bound, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
@pytest.mark.parametrize("standardize", [False, True])
def test_units_far_from_one(unit: float, standardize: bool) -> None:
    X = clear(4, 8)
    plain, other = (
        SKFR(3, 3, standardize=standardize, random_state=0).fit(data).certificate(data)
        for data in (X, X * unit)
    )
    np.testing.assert_allclose(other.ratio, plain.ratio, rtol=1e-6)  # subnormal numbers have fewer digits
    np.testing.assert_allclose(other.excess, plain.excess, rtol=1e-6)
    assert not np.isnan([other.explained, other.explained_bound, other.objective_bound, other.margin]).any()


def test_fits_of_a_path_and_of_sparse_data_have_one_for_their_dense_data() -> None:
    X = np.where(clear(4, 8) > 1, clear(4, 8), 0)
    for model in skfr_path(SKFR(3, random_state=0, standardize=True), X, [2, 4]).estimators:
        assert model.certificate(X).n_selected in (2, 4)
    dense = SKFR(3, 3, init="k-means++", random_state=0, standardize=True).fit(X).certificate(X)
    sparse = SKFR(3, 3, init="k-means++", random_state=0, standardize=True).fit(csr_array(X)).certificate(X)
    np.testing.assert_allclose(sparse.ratio, dense.ratio, rtol=SAME)


def test_columns_far_from_zero_are_recognised() -> None:
    X = clear(4, 8) + 1e9
    assert SKFR(3, 3, random_state=0).fit(X).certificate(X).ratio > 0.9


def test_constant_data_are_explained_best() -> None:
    X = np.ones((6, 3))
    with pytest.warns(ConvergenceWarning, match="distinct"):
        found = SKFR(2, 1, random_state=0).fit(X).certificate(X)
    assert (found.optimal, found.ratio, found.explained_bound) == (True, 1.0, 0.0)


def test_the_text_rounds_in_the_cautious_direction() -> None:
    numbers = {"explained": 99.96, "explained_bound": 100.001, "objective": 10.0, "objective_bound": 9.99}
    shares = {"ratio": 0.9996, "excess": 0.00101, "optimal": False, "ratio_selected": 0.9999}
    rest: dict[str, Any] = {"bound_from": "pairs", "feature_bounds": np.ones(4), "margin": 0.0}
    text = str(Certificate(**numbers, **shares, **rest, n_clusters=3, n_selected=2))
    assert text.splitlines() == [
        "The clusters explain 99.96 in the selected features.",
        "No 3 clusters and no 2 of the 4 features explain more than 100.01, by the",
        "    products of pairs of features.",
        "So the fit explains at least 99.9 % of the best possible, and its objective is",
        "    at most 0.2 % above the least possible.",
        "With the same features, any clusters: at least 99.9 %.",
    ]


X = np.random.default_rng(0).normal(size=(30, 6))
HOLES = np.where(np.arange(X.size).reshape(X.shape) == 7, np.nan, X)


@pytest.mark.parametrize(
    ("options", "given", "error", "text"),
    [
        ({"scope": "local"}, X, ValueError, "scope='local': fit with scope='global'"),
        ({"loss": "absolute"}, X, ValueError, "loss='absolute': fit with loss='squared'"),
        ({"projection": "nonnegative", "n_features_to_select": None}, X, ValueError, "projection=None"),
        ({}, HOLES, ValueError, r"X\[1, 1\] is NaN.*impute"),
        ({}, X[:, :5], ValueError, "5 features"),
        ({}, X[:20], ValueError, "sum of squares .* pass the X of the fit"),
        ({}, X + 1, ValueError, "sum of squares .* pass the X of the fit"),
        ({}, csr_array(X), TypeError, "dense array in memory; got csr_array"),
        ({}, "data.npy", (TypeError, FileNotFoundError), "data.npy|dense array"),
        ({}, X * 1e200, ValueError, "so far from the data"),
    ],
)
def test_bad_input(options: dict[str, Any], given: Any, error: Any, text: str) -> None:
    model = SKFR(**{"n_clusters": 2, "n_features_to_select": 2, "n_init": 2, "random_state": 0, **options})
    with pytest.raises(error, match=text):
        model.fit(X).certificate(given)


@pytest.mark.parametrize("max_nodes", [-1, 1.5, True, "all", None])
def test_bad_numbers_of_steps(max_nodes: Any) -> None:
    with pytest.raises(ValueError, match="max_nodes"):
        SKFR(2, 2, random_state=0).fit(X).certificate(X, max_nodes=max_nodes)


def test_before_the_fit_and_with_weights_of_other_rows() -> None:
    with pytest.raises(NotFittedError):
        SKFR(2, 2).certificate(X)
    model = SKFR(2, 2, random_state=0).fit(X, sample_weight=np.ones(len(X)))
    with pytest.raises(ValueError, match="X has 20 rows, and the fit had 30"):
        model.certificate(X[:20])
