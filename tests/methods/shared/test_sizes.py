"""The number of features, or the L1 bound, that "auto" chooses."""

import pickle
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, PermutationGap, SparseKMeans, skfr_path
from sparsek.core.shuffles import shuffled_matrix, sorted_columns, weight_points
from sparsek.engine import has_numba, set_engine
from sparsek.errors import SelectionWarning
from sparsek.methods.shared import sizes
from sparsek.methods.shared.sizes import SizeChoice, _run_of


def groups(n: int = 60, p: int = 40, informative: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two groups that differ in the first features."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    truth = np.arange(n) % 2
    X[truth == 1, :informative] += 4
    return X, truth


def choice(gaps: list[float], error: float, name: str = "n_features_to_select") -> SizeChoice:
    """A choice with these gaps for the values 1, 2, 4, ..."""
    values = [2**i for i in range(len(gaps))]
    top = int(np.argmax(gaps))
    return SizeChoice(name, values, np.exp(gaps), np.ones(len(gaps)), error, top, None)


def test_skfr_finds_the_features() -> None:
    X, truth = groups()
    model = SKFR(2, random_state=0).fit(X)
    np.testing.assert_array_equal(model.get_support(indices=True), range(4))
    assert adjusted_rand_score(truth, model.labels_) == 1
    path = model.selection_path_
    assert list(path) == ["n_features_to_select", "gap", "gap_se", "chosen"]
    assert path.loc[path["chosen"], "n_features_to_select"].tolist() == [4]
    assert path["gap"].idxmax() == path["chosen"].idxmax()
    assert path["n_features_to_select"].iloc[[0, -1]].tolist() == [1, 40]


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.booleans())
def test_a_single_feature_has_no_gap(seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) if whole else rng.integers(0, 5, size=(40, 6)).astype(float)
    for kind in (SKFR, SparseKMeans):
        path = kind(3, n_init=2, standardize=False, random_state=0).fit(X).selection_path_
        # The logarithms of one number from two sums of 40 terms.
        assert path.iloc[0, 0] == 1
        assert path["gap"][0] <= 1e-12


def test_the_bound_is_the_smallest_as_good() -> None:
    X, truth = groups()
    model = SparseKMeans(2, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    path = model.selection_path_
    near = path["gap"] >= path["gap"].max() - path["gap_se"]
    assert model.l1_bound_ == path.loc[path["chosen"], "l1_bound"].item()
    assert model.l1_bound_ <= path.loc[near, "l1_bound"].max()
    assert path["gap"][path["chosen"]].item() >= path["gap"].max() - path["gap_se"][0]


@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
def test_same_seed_same_choice(kind: Any) -> None:
    X, _ = groups(p=20, seed=1)
    first, second = kind(2, n_init=4, random_state=3).fit(X), kind(2, n_init=4, random_state=3).fit(X)
    pd.testing.assert_frame_equal(first.selection_path_, second.selection_path_)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)).predict(X), first.labels_)


@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
def test_a_given_value_is_fitted_as_before(kind: Any) -> None:
    """The fit with the chosen value given explains no more than "auto" did, and leaves no path."""
    X, _ = groups(p=20, seed=2)
    auto = kind(2, n_init=4, random_state=0).fit(X)
    chosen = auto.selection_path_.loc[auto.selection_path_["chosen"]].iloc[0, 0]
    name = auto.selection_path_.columns[0]
    model = clone(auto).set_params(**{name: int(chosen) if kind is SKFR else float(chosen)}).fit(X)
    assert not hasattr(model, "selection_path_")
    assert auto.objective_ <= model.objective_
    again = auto.set_params(**{name: None}).fit(X)
    assert not hasattr(again, "selection_path_")


@pytest.mark.filterwarnings("ignore::sparsek.errors.SelectionWarning")  # many rows show all features too
@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
def test_sparse_matrices_and_files(kind: Any, tmp_path: Any) -> None:
    X, truth = groups(p=20)
    X[np.abs(X) < 0.7] = 0
    for data in (csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        model = kind(2, n_init=4, random_state=0).fit(data)
        assert adjusted_rand_score(truth, model.labels_) == 1
        assert model.get_support()[:4].all()
    large, truth = groups(n=1500, p=8)
    np.save(tmp_path / "rows.npy", large)
    model = kind(2, random_state=0, memory_limit=80_000, n_init=3).fit(str(tmp_path / "rows.npy"))
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.get_support()[:4].all()


def test_holes_weights_and_losses() -> None:
    X, truth = groups(p=20)
    holed = X.copy()
    holed[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    model = SKFR(2, n_init=4, random_state=0).fit(holed)
    assert model.get_support()[:4].all()
    weights = np.random.default_rng(2).integers(0, 3, len(X))
    model = SKFR(2, n_init=4, random_state=0).fit(X, sample_weight=weights)
    assert adjusted_rand_score(truth[weights > 0], model.labels_[weights > 0]) == 1
    counts = np.random.default_rng(3).poisson(4, (60, 30)).astype(float)
    counts[:30, :4] += 12
    model = SKFR(2, loss="poisson", n_init=4, random_state=0).fit(counts)
    assert model.get_support()[:4].all()


@pytest.mark.parametrize("missing", ["observed", "mm"])
def test_shuffled_columns_with_holes_are_fitted_as_the_data_are(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken for complete rows, they would give NaN as the places of features: wrong ones, or a crash."""
    rng = np.random.default_rng(4)
    holed = np.where(rng.random((30, 6)) < 0.2, np.nan, groups(30, 6)[0])
    whole, seen = sizes._shuffles, []

    def watched(model: Any, problem: Any, rng: np.random.Generator) -> Iterator[Any]:
        for noise in whole(model, problem, rng):
            assert np.isnan(noise.source.array).any()
            seen.append((type(noise), noise.rank))
            assert seen[-1] == (type(problem), problem.rank)
            yield noise

    monkeypatch.setattr(sizes, "_shuffles", watched)
    found = []
    for engine in ("numpy", "compiled") if has_numba() else ("numpy",):
        with set_engine(engine):
            found.append(SKFR(2, standardize=True, missing=missing, random_state=0).fit(holed))
        gaps = found[-1].selection_path_
        assert np.isfinite(gaps["gap"]).all()
        pd.testing.assert_frame_equal(gaps, found[0].selection_path_)
        np.testing.assert_array_equal(found[-1].labels_, found[0].labels_)
    assert len(seen) == sizes.N_SHUFFLED * len(found)


@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_whole_weights_are_repeated_rows(kind: Any, container: Any) -> None:
    X, _ = groups(p=20)
    X[np.abs(X) < 0.7] = 0
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    order = np.random.default_rng(3).permutation(weights.sum())
    repeated = np.repeat(X, weights, axis=0)[order]
    init = X[[np.flatnonzero(weights)[0], np.flatnonzero(weights)[1]]]  # drawn starts number the rows
    weighted = kind(2, init=init, n_init=4, random_state=0).fit(container(X), sample_weight=weights)
    found = kind(2, init=init, n_init=4, random_state=0).fit(container(repeated))
    pd.testing.assert_frame_equal(weighted.selection_path_, found.selection_path_)
    np.testing.assert_array_equal(weighted.predict(X), found.predict(X))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 3)), min_size=1, max_size=12))
def test_columns_of_weighted_rows_are_those_of_repeated_ones(entries: list[tuple[int, int]]) -> None:
    values, weights = np.array(entries, float).T
    repeated = np.sort(np.repeat(values, weights.astype(int)))
    points = weight_points(weights, 1)
    np.testing.assert_array_equal(sorted_columns(values[:, None], weights, points)[:, 0], repeated)
    matrix = csr_array(values[:, None])
    shuffled = shuffled_matrix(matrix, weights, points, np.random.default_rng(0)).toarray()
    np.testing.assert_array_equal(np.sort(shuffled[:, 0]), repeated)
    plain = shuffled_matrix(csr_array(repeated[:, None]), None, None, np.random.default_rng(0)).toarray()
    np.testing.assert_array_equal(shuffled, plain)


@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_a_common_factor_of_weights_is_no_gap(container: Any) -> None:
    X, _ = groups(p=20)
    X[np.abs(X) < 0.7] = 0
    paths = [
        SparseKMeans(2, n_init=4, random_state=0, standardize=False).fit(
            container(X), sample_weight=np.full(len(X), weight)
        )
        for weight in (1.0, 2.5)
    ]
    gaps = [path.selection_path_["gap"] for path in paths]
    np.testing.assert_allclose(gaps[0], gaps[1], atol=1e-9)


@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
def test_given_starts_and_weights(kind: Any) -> None:
    X, truth = groups(p=20)
    weights = np.where(np.arange(len(X)) < 10, 0, 2)
    for init in (truth, np.array([50, 51]), X[50:52]):
        labels = kind(2, init=init, n_init=4, random_state=0).fit(X, sample_weight=weights).labels_
        assert adjusted_rand_score(truth[10:], labels[10:]) == 1


def test_the_bound_does_not_depend_on_units() -> None:
    X = np.random.default_rng(1).normal(size=(30, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        first, *others = (
            SparseKMeans(2, n_init=3, random_state=0).fit(np.ldexp(X, power)) for power in (0, -30, 200, 505)
        )
    for other in others:
        pd.testing.assert_frame_equal(first.selection_path_, other.selection_path_, check_exact=True)


def test_noise_is_warned_of_and_dense_clusters_are_not() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 30))
    with pytest.warns(SelectionWarning, match="there may be no clusters"):
        SKFR(3, random_state=0).fit(noise)
    everywhere, _ = groups(p=6, informative=6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # all features are no fault of the data
        SKFR(2, random_state=0).fit(everywhere)
    with pytest.warns(SelectionWarning, match="permutation gap is only"):
        SparseKMeans(3, random_state=0).fit(noise)


@pytest.mark.parametrize(
    ("X", "k"), [(np.ones((5, 3)), 2), (np.arange(6.0).reshape(6, 1), 2), (np.eye(4), 1), (np.eye(4), 4)]
)
@pytest.mark.parametrize("kind", [SKFR, SparseKMeans])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nothing_to_choose_takes_all(kind: Any, X: np.ndarray, k: int) -> None:
    model = kind(k, random_state=0).fit(X)
    assert len(model.selection_path_) == 1
    assert model.selection_path_.iloc[0, 0] == pytest.approx(X.shape[1] ** (1 if kind is SKFR else 0.5))
    assert "nothing to choose" in str(model.summary())


def test_summary_says_what_was_chosen() -> None:
    X, _ = groups()
    text = " ".join(str(SKFR(2, random_state=0).fit(X).summary()).split())
    assert re.search(r"n_features_to_select='auto' tried \d+ values from 1 to \d+ and took 4: largest", text)
    assert "second came" in text
    assert "standard error" in text


def test_choice_in_words() -> None:
    assert choice([0.1, 0.5, 0.9, 0.85, 0.2], 0.1).in_words() == (
        "n_features_to_select='auto' tried 5 values from 1 to 16 and took 4: largest permutation gap, 0.9 "
        "(standard error 0.1); 4 to 8 are within one error; second came 2, with 0.5, 4.0 errors behind"
    )
    assert "do not tell the values apart" in choice([0.1, 0.11], 0.1).in_words()


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(0, 5))
def test_run_of_values_as_good(gaps: list[int], error: int) -> None:
    array = np.array(gaps, float)
    top = int(np.argmax(array))
    first, last = _run_of(array, top, error)
    assert first <= top <= last
    assert (array[first : last + 1] >= array[top] - error).all()
    assert first == 0 or array[first - 1] < array[top] - error
    assert last == len(array) - 1 or array[last + 1] < array[top] - error


@settings(deadline=None, max_examples=5)
@given(st.integers(2, 30), st.integers(1, 12), st.integers(1, 3), st.integers(0, 9))
def test_any_shape_is_fitted(n: int, p: int, k: int, seed: int) -> None:
    X = np.random.default_rng(seed).integers(0, 3, (n, p)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (SKFR, SparseKMeans):
            model = kind(min(k, n), n_init=2, random_state=seed).fit(X)
            assert model.selection_path_["chosen"].sum() == 1


@pytest.mark.parametrize(("n", "sampled"), [(1300, True), (1000, False)])
def test_large_data_are_sampled_for_the_choice(n: int, sampled: bool) -> None:
    X = np.random.default_rng(0).normal(size=(n, 260))  # at least 1000 rows: 260,000 entries
    model = SKFR(3, random_state=0)
    model._check_sizes(260, None)
    problem = model._problem(model._array_source(X, None))
    local = sizes._local(model, problem, np.random.RandomState(0))
    assert (local is not problem) == sampled
    assert local.source.shape == ((1000, 260) if sampled else X.shape)


def test_auto_is_no_value_of_a_path() -> None:
    X, _ = groups()
    with pytest.raises(ValueError, match="values must hold numbers of features"):
        skfr_path(SKFR(2), X, ["auto"])
    with pytest.raises(TypeError, match="numbers"):
        PermutationGap(SKFR(2), "n_features_to_select", ["auto"]).fit(X)
    with pytest.raises(ValueError, match="n_features_to_select"):
        SKFR(2, "automatic").fit(X)
