"""NbClust: bad input, and properties beside the cases."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from sparsek.errors import RError, RWarning
from sparsek.rcompat import NbClust, dist, kmeans
from sparsek.rcompat.nbclust.grouping import group, make_rows, scatter
from sparsek.rcompat.nbclust.pooled import pool
from sparsek.rng import RRandom

X = np.random.default_rng(1).normal(size=(30, 3)) + np.repeat([0.0, 9.0, 20.0], 10)[:, None]
D = dist(X)
DEFAULTS = {"min_nc": 2, "max_nc": 6, "method": "average"}


def call(x=X, **named):
    """A call with other arguments than the defaults."""
    return NbClust(x, **{**DEFAULTS, **named})


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({"index": "foo"}, RError, "invalid clustering index"),
        ({"index": "hubert", "max_nc": 3}, RError, "must be at least equal to 2"),
        ({"index": "alllong", "max_nc": 3}, RError, "must be at least equal to 2"),
        ({"max_nc": 3}, RError, "must be at least equal to 2"),
        ({"max_nc": 3, "index": "ball"}, RError, "must be at least equal to 2"),
        ({"min_nc": 1}, ValueError, "numbers of clusters must be from 2"),
        ({"max_nc": 29}, ValueError, "from 2 to n - 2 = 28; got 2 to 29"),
        ({"method": None}, RError, "method is NULL"),
        ({"method": "ward"}, RError, "invalid clustering method"),
        ({"distance": "cosine"}, RError, "invalid distance"),
        ({"distance": None}, RError, "are both NULL"),
        ({"diss": D}, RError, "are both not null"),
        ({"diss": dist(X[:9]), "distance": None}, ValueError, "diss must be of the 30 rows"),
        (
            {"x": None, "diss": D, "distance": None, "index": "ch"},
            ValueError,
            "needed for index 'ch'",
        ),
        ({"x": None, "index": "dunn"}, ValueError, "data are needed for index 'dunn'"),
        (
            {"x": None, "diss": D, "distance": None, "index": "gap"},
            ValueError,
            "needed for index 'gap'",
        ),
        ({"x": X[:, :1]}, ValueError, "two columns or more"),
        ({"x": np.where(X > 20, np.nan, X)}, ValueError, "missing or infinite values"),
        ({"x": [["a", "b"]] * 9}, TypeError, "data must hold real numbers"),
        ({"x": np.column_stack([X, np.zeros(30)])}, RError, r"exactly singular: U\[4,4\] = 0 .*lower max_nc"),
        ({"x": np.column_stack([X, X[:, 0] / 3])}, RError, "computationally singular: reciprocal condition"),
        ({"x": X * [1, 1e-155, 1]}, RError, "computationally singular: reciprocal condition number = 0"),
    ],
)
def test_bad_input(named, error, message):
    with pytest.raises(error, match=message):
        call(**named)


def test_no_value_of_frey_below_one():
    with pytest.raises(RError, match=r"object 'best\.nc' not found"):
        call(index="frey", min_nc=3, max_nc=3)
    with pytest.raises(RError, match=r"object 'best\.nc' not found"):
        call(index="beale", max_nc=3, alphaBeale=1.1)


def test_no_gap_decides():  # R 4.2.2, NbClust 3.0.1
    x = np.random.default_rng(2).normal(size=(12, 2))
    found = NbClust(x, min_nc=2, max_nc=9, method="kmeans", index="gap")
    lone = [q for q, value in zip(range(2, 10), found.All_CriticalValues, strict=True) if value < 0]
    with pytest.raises(RError, match=r"object 'best\.nc' not found"):
        NbClust(x, min_nc=lone[0], max_nc=lone[0], method="kmeans", index="gap")


def test_hubert_and_dindex_propose_nothing():
    for index in ("hubert", "dindex"):
        assert [*call(index=index)] == ["All.index"]
    found = call(max_nc=4)
    place = found.All_index.attributes["dimnames"][1].index("Hubert")
    assert np.array_equal(found.All_index[:, place], call(index="hubert", max_nc=4).All_index)
    assert found.Best_nc[:, place].tolist() == [0, 0]


@given(st.integers(1, 10**6), st.sampled_from(["average", "kmeans"]))
@settings(deadline=None, max_examples=10)
def test_gap_and_hubert_do_not_know_the_place_of_the_data(seed, method):
    x = np.random.default_rng(seed).integers(0, 64, size=(16, 2)) / 4
    for index in ("gap", "hubert"):
        one, other = (_values(y, method, index) for y in (x, x + 32))
        # R gives four decimals, and k-means, the means and the sums of squares have rounding errors.
        np.testing.assert_allclose(one, other, rtol=0, atol=1.01e-4)


def _values(x, method, index):
    """The values of an index, with critical values that may be negative everywhere."""
    try:
        return NbClust(x, min_nc=2, max_nc=4, method=method, index=index).All_index
    except RError:
        reject()


def test_a_single_row_far_away_is_an_error_of_gap():
    x = X.copy()
    x[0] = [1e6, 0, 0]
    message = r"invalid 'nrow' value .*the numbers of a single row have a variance of 3.33e\+11"
    with (
        pytest.warns(RWarning, match="NAs introduced by coercion to integer range"),
        pytest.raises(RError, match=message),
    ):
        call(x, index="gap")


def test_tau_of_too_many_ties():
    x = np.random.default_rng(4).integers(0, 3, size=(30, 2))
    with pytest.warns(RWarning) as caught:
        found = call(x, method="single", index="tau", max_nc=4)
    assert ["data length" in str(warning.message) for warning in caught] == [False, True, True, False, False]
    assert np.isnan(found.All_index).all()
    assert found.Best_nc.tolist() == [-np.inf, 0]
    assert found.Best_partition.shape == (30, 0)
    with (
        pytest.warns(RWarning),
        pytest.raises(RError, match="must have same number of columns"),
    ):
        call(x, method="kmeans", index="tau", max_nc=4)


@pytest.mark.parametrize("method", ["average", "ward.D2", "kmeans"])
def test_three_groups_far_apart(method):
    found = call(method=method, max_nc=4)
    assert len(np.unique(found.Best_partition)) == 3
    assert all(len(set(part)) == 1 for part in np.split(found.Best_partition, 3))


@given(st.integers(1, 10**6))
@settings(deadline=None, max_examples=15)
def test_indices_of_scikit_learn(seed):
    x = np.random.default_rng(seed).normal(size=(20, 3))
    # R gives four decimals.
    found = NbClust(x, min_nc=2, max_nc=4, method="ward.D2", index="ch")
    labels = _labels(x, found)
    assert found.Best_nc[1] == pytest.approx(calinski_harabasz_score(x, labels), abs=5.001e-5)
    found = NbClust(x, min_nc=2, max_nc=4, method="ward.D2", index="silhouette")
    labels = _labels(x, found)
    lone = (np.bincount(labels)[1:] == 1).sum()  # their width is 1 here, 0 there
    assert found.Best_nc[1] == pytest.approx(silhouette_score(x, labels) + lone / 20, abs=5.001e-5)


def _labels(x, found):
    """The labels of the proposed number."""
    assert len(found.Best_partition) == len(x)
    assert found.Best_partition.max() == found.Best_nc[0]
    return np.asarray(found.Best_partition)


@pytest.mark.filterwarnings("ignore:NaNs produced:sparsek.errors.RWarning")  # of Beale's index, as in R
@given(st.integers(1, 10**6))
@settings(deadline=None, max_examples=10)
def test_all_holds_the_single_indices(seed):
    x = np.random.default_rng(seed).normal(size=(18, 2))
    try:
        together = NbClust(x, min_nc=2, max_nc=4, method="complete", index="alllong")
    except RError:
        reject()  # a cluster of two rows
    columns = together.All_index.attributes["dimnames"][1]
    for index, column in (("kl", "KL"), ("tracew", "TraceW"), ("gamma", "Gamma"), ("sdbw", "SDbw")):
        place = columns.index(column)
        alone = NbClust(x, min_nc=2, max_nc=4, method="complete", index=index)
        assert np.array_equal(alone.All_index, together.All_index[:, place])
        assert np.array_equal(alone.Best_nc, together.Best_nc[:, place])


WHOLE = np.array([[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 6], [0, 0, 0, 0, 1, 0, 5, 5, 7, 7, 9, 9]]).T


@pytest.mark.parametrize("index", ["ccc", "scott", "marriot", "trcovw", "tracew", "friedman", "rubin"])
def test_a_column_without_variance_within_is_an_error_where_R_inverts_w(index):  # R 4.2.2, NbClust 3.0.1
    with pytest.raises(RError, match=r"Lapack routine dgesv: system is exactly singular: U\[2,2\] = 0"):
        call(WHOLE, method="single", index=index)


def test_a_determinant_beyond_the_largest_number():
    """Exponentials of numbers above 709.8 are infinite, as in R."""
    rows = np.random.default_rng(0).normal(size=(30, 6)) * 1e60
    found = pool(group(make_rows(rows, np.zeros((30, 30))), np.arange(30) % 3))
    assert found.determinant == np.inf
    assert np.isnan(found.ratio)


def test_nothing_left_within():  # R 4.2.2, NbClust 3.0.1
    found = call(WHOLE, method="single", index="hartigan")
    assert np.isinf(found.All_index).any()


def test_equal_dissimilarities_have_no_frey():  # R 4.2.2, NbClust 3.0.1
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        call(None, diss=dist(np.eye(9)), distance=None, index="frey")


def test_where_the_stream_stands_after_an_error():  # R 4.2.2, NbClust 3.0.1
    stream, after = RRandom(9), RRandom(1)
    with (
        pytest.warns(RWarning, match="NaNs produced"),
        pytest.raises(RError, match="missing value where TRUE/FALSE needed"),
    ):
        call(X[:9], method="kmeans", index="beale", min_nc=5, alphaBeale=0.999, rng=stream)
    kmeans(X[:9], 5, rng=after)
    assert stream.runif(1)[0] == after.runif(1)[0]


def test_a_cluster_of_two_rows_has_no_p_value():
    with pytest.warns(RWarning, match="NaNs produced"):
        found = call(X[:9], index="beale", alphaBeale=0)
    assert np.isnan(found.All_CriticalValues).any()


def test_kmeans_is_seeded_alike():
    found = [call(method="kmeans", index="ch", rng=RRandom(seed)) for seed in (1, 2)]
    assert np.array_equal(found[0].Best_partition, found[1].Best_partition)


@pytest.mark.parametrize("index", ["hubert", "dindex"])
def test_where_the_stream_stands_after_an_index_without_a_proposal(index):  # R 4.2.2, NbClust 3.0.1
    stream, after = RRandom(9), RRandom(1)
    call(method="kmeans", index=index, max_nc=5, rng=stream)
    kmeans(X, 4, rng=after)
    assert stream.runif(1)[0] == after.runif(1)[0]


def test_where_the_stream_stands_after_the_gap_of_a_tree():  # R 4.2.2, NbClust 3.0.1
    stream, after = RRandom(9), RRandom(1)
    call(index="gap", rng=stream)
    assert stream.runif(1)[0] == after.runif(31)[30]


@given(st.integers(1, 10**6), st.integers(2, 5))
@settings(deadline=None, max_examples=25)
def test_w_its_determinant_and_its_inverse_are_those_of_lapack(seed, p):
    x = np.random.default_rng(seed).normal(size=(20, p))
    g = group(make_rows(x, np.zeros((20, 20))), np.arange(20) % 3)
    pooled = pool(g)
    # Rounding of sums of 20 squares about zero, and of a matrix with a condition number below 1e4.
    np.testing.assert_allclose(pooled.within, scatter(g), rtol=0, atol=1e-12)
    np.testing.assert_allclose(pooled.inverse @ pooled.within, np.eye(p), rtol=0, atol=1e-11)
    assert pooled.determinant == pytest.approx(np.linalg.det(scatter(g)), rel=1e-10)
    assert pooled.ratio == pytest.approx(np.linalg.det(x.T @ x) / np.linalg.det(scatter(g)), rel=1e-10)


def test_the_last_decimal_where_rounding_decides():  # R 4.2.2, NbClust 3.0.1
    x = np.random.default_rng(5).integers(0, 12, size=(14, 2)) / 4
    found = call(x, method="ward.D2", index="ball")
    assert found.All_index.tolist() == [6.5062, 2.5703, 1.0104, 0.4812, 0.2726]
