"""LaplacianScore and EntropyRanking: the published formulas, invariances, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from sparsek import SKFR, EntropyRanking, LaplacianScore
from sparsek.methods.filters import algorithm
from sparsek.methods.filters.estimator import FeatureFilter

FILTERS = pytest.mark.parametrize("model", [LaplacianScore(3), EntropyRanking(3)], ids=repr)


def two_groups(n: int = 60, p: int = 10, seed: int = 0) -> np.ndarray:
    """Rows in two groups that three features tell apart."""
    x = np.random.default_rng(seed).normal(size=(n, p))
    x[: n // 2, :3] += 5
    return x


def literal_laplacian(x: np.ndarray, n_neighbors: int, width: float | None) -> np.ndarray:
    """Equations 1 to 6 of He, Cai and Niyogi with full matrices."""
    n = len(x)
    squares = ((x[:, None] - x) ** 2).sum(axis=2)
    near = np.zeros((n, n), dtype=bool)
    for i in range(n):
        last = np.sort(np.delete(squares[i], i))[n_neighbors - 1]
        near[i] = squares[i] <= last * (1 + 1e-9)
        near[i, i] = False
    near |= near.T
    t = squares[near].mean() if width is None else width
    similar = np.where(near, np.exp(-squares / t), 0)
    degrees = np.diag(similar.sum(axis=1))
    laplacian = degrees - similar
    ones = np.ones(n)
    scores = []
    for f in x.T:
        centered = f - (f @ degrees @ ones) / (ones @ degrees @ ones)
        scores.append((centered @ laplacian @ centered) / (centered @ degrees @ centered))
    return np.array(scores)


def literal_entropy(x: np.ndarray) -> float:
    """Dash and Liu's entropy of all pairs, one after the other."""
    distances = [math.dist(a, b) for i, a in enumerate(x) for b in x[:i]]
    mean = sum(distances) / len(distances)
    total = 0.0
    for distance in distances:
        similar = math.exp(math.log(0.5) * distance / mean)
        for share in (similar, 1 - similar):
            total -= share * math.log2(share) if share > 0 else 0
    return total / len(distances)


@settings(max_examples=30)
@given(
    st.integers(0, 10**6), st.integers(4, 25), st.integers(2, 6), st.booleans(), st.sampled_from([None, 2.0])
)
def test_laplacian_score_is_the_published_formula(
    seed: int, n: int, p: int, ties: bool, width: float | None
) -> None:
    x = np.random.default_rng(seed).normal(size=(n, p))
    if ties:
        x = np.round(x)
        x[0] += 0.5  # no column is constant
        width = 2.0  # all neighbours may be at distance 0
    k = min(3, n - 1)
    found = LaplacianScore(n_neighbors=k, width=width, standardize=False).fit(x).scores_
    # The product formula of the paper cancels: up to n roundings of the largest square.
    np.testing.assert_allclose(found, literal_laplacian(x, k, width), rtol=1e-9, atol=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(3, 15), st.integers(2, 5))
def test_entropy_ranking_is_the_published_formula(seed: int, n: int, p: int) -> None:
    x = np.random.default_rng(seed).normal(size=(n, p))
    found = EntropyRanking(standardize=False).fit(x).scores_
    expected = [literal_entropy(np.delete(x, j, axis=1)) - literal_entropy(x) for j in range(p)]
    # Squares of all features minus one's cancel where one feature holds nearly all of a distance.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@FILTERS
def test_informative_features_are_first(model: FeatureFilter) -> None:
    x = two_groups()
    assert model.fit(x).get_support(indices=True).tolist() == [0, 1, 2]
    assert sorted(model.ranking_) == list(range(1, 11))
    np.testing.assert_array_equal(model.transform(x), x[:, :3])
    labels = make_pipeline(model, SKFR(2, 3, random_state=0)).fit_predict(x)
    assert len(set(labels[:30])) == len(set(labels[30:])) == 1


@FILTERS
def test_order_unit_and_origin_do_not_matter(model: FeatureFilter) -> None:
    x = two_groups()
    order = np.random.default_rng(1).permutation(len(x))
    scores = model.fit(x).scores_
    for other in (x[order], 3.7 * x, x + 100, x * 10.0 ** np.arange(-5, 5)):
        # Columns are centred and scaled first: an offset of 100 leaves 14 digits.
        np.testing.assert_allclose(model.fit(other).scores_, scores, rtol=1e-9, atol=1e-12)


@pytest.mark.seeds(3)
def test_ties_do_not_depend_on_the_order_of_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, size=(40, 4)).astype(float)
    order = rng.permutation(len(x))
    first, second = (LaplacianScore().fit(rows).scores_ for rows in (x, x[order]))
    np.testing.assert_allclose(first, second, rtol=1e-12)  # sums in another order


def test_pieces_give_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    x = two_groups()
    whole = LaplacianScore().fit(x).scores_
    monkeypatch.setattr(algorithm, "ENTRIES", 100)
    # numpy adds up a single column in another order than several beside each other.
    np.testing.assert_allclose(LaplacianScore().fit(x).scores_, whole, rtol=1e-13)


@FILTERS
def test_constant_features_come_last(model: FeatureFilter) -> None:
    x = two_groups()
    x[:, 5] = 7
    assert np.isinf(model.fit(x).scores_[5])
    assert model.ranking_[5] == 10
    assert np.isinf(model.fit(np.ones((10, 4))).scores_).all()


def test_a_sample_of_rows_is_drawn_by_the_seed() -> None:
    x = two_groups(300)
    model = EntropyRanking(3, max_samples=100, random_state=0)
    scores = model.fit(x).scores_
    np.testing.assert_array_equal(model.fit(x).scores_, scores)
    assert (model.set_params(random_state=1).fit(x).scores_ != scores).all()
    assert model.get_support(indices=True).tolist() == [0, 1, 2]


@FILTERS
def test_number_of_features(model: FeatureFilter) -> None:
    x = two_groups()
    for wanted, count in ((None, 5), (4, 4), (0.3, 3)):
        assert model.set_params(n_features_to_select=wanted).fit(x).get_support().sum() == count
    with pytest.warns(UserWarning, match="n_features_to_select=11 is more than n_features=10"):
        assert model.set_params(n_features_to_select=11).fit(x).get_support().all()


@FILTERS
@pytest.mark.parametrize("wanted", [0, -1, 0.0, 1.5, "auto", "half"])
def test_a_bad_number_of_features(model: FeatureFilter, wanted: object) -> None:
    with pytest.raises(ValueError, match="n_features_to_select"):
        model.set_params(n_features_to_select=wanted).fit(two_groups())


def test_bad_input() -> None:
    x = two_groups(5)
    with pytest.raises(ValueError, match="n_neighbors=5 must be less than n_samples=5; lower n_neighbors"):
        LaplacianScore().fit(x)
    for bad in (0, 2.5, "5"):
        with pytest.raises(ValueError, match="n_neighbors"):
            LaplacianScore(n_neighbors=bad).fit(x)  # type: ignore[arg-type]
    for width in (0, -1.0, np.nan):
        with pytest.raises(ValueError, match="width"):
            LaplacianScore(width=width).fit(x)
    for rows in (1, 0):
        with pytest.raises(ValueError, match="max_samples"):
            EntropyRanking(max_samples=rows).fit(x)
    with pytest.raises(ValueError, match="NaN"):
        EntropyRanking().fit(np.where(x > 2, np.nan, x))
