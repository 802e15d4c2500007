"""R's fanny: bad input, and properties beside the cases."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import squareform

from sparsek.errors import RError, RWarning
from sparsek.rcompat import FannyResult, dist, fanny

ROWS = np.array([[1.0, 0], [2, 1], [4, 1], [8, 0], [9, 2], [3, 5], [7, 7], [8, 6]])
SETS = hnp.arrays(float, st.tuples(st.integers(6, 14), st.integers(1, 3)), elements=st.floats(-5, 5))


def quietly(x, k, **arguments):
    """A fit without R's warnings, which are not what these tests look at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        return fanny(x, k, **arguments)


def objective(d, p, r):
    """The sum that fanny lowers, as documented."""
    u = p**r
    return sum(v @ d @ v / (2 * v.sum()) for v in u.T)


@given(SETS, st.integers(2, 3), st.sampled_from([1.5, 2.0, 3.0]))
@settings(deadline=None, max_examples=40)
def test_memberships_are_shares_whose_objective_is_given(x, k, r):
    x = x + np.arange(len(x))[:, None] * 11.0  # distinct rows: equal ones may have no memberships, as in R
    k = min(k, len(x) // 2 - 1)
    fit, d = quietly(x, k, memb_exp=r), squareform(dist(x))
    p = np.asarray(fit.membership)
    assume(
        np.abs(p.sum(axis=1) - 1).max() < 1e-9
    )  # where a cluster has radius 0 objects have no shares, as in R
    assert (p >= 0).all()
    assert fit.objective[0] == pytest.approx(objective(d, p, r), rel=1e-9, abs=1e-9)  # R updates its sums
    assert np.array_equal(p[np.arange(len(p)), fit.clustering - 1], p.max(axis=1))
    assert 1 / k - 1e-9 <= fit.coeff[0] <= 1 + 1e-9  # rounding of a mean of squares


@given(SETS)
@settings(deadline=None, max_examples=20)
def test_iterations_lower_the_objective(x):
    values = [quietly(x, 2, maxit=limit).objective[0] for limit in (0, 1, 3, 10)]
    assert all(b <= a + 1e-9 * max(1, abs(a)) for a, b in pairwise(values))  # rounding


def test_dissimilarities_in_every_form_give_the_clusters_of_the_rows():
    d, fit = dist(ROWS), fanny(ROWS, 2)
    forms = (fanny(d, 2), fanny(np.asarray(d), 2), fanny(squareform(np.asarray(d)), 2, diss=True))
    for other in forms:
        assert np.array_equal(other.membership, fit.membership)
        assert "data" not in other
        assert other.diss is None


def test_the_start_is_blocks_of_rows():
    p = np.asarray(quietly(ROWS, 3, maxit=0).membership)
    assert p.argmax(axis=1).tolist() == [0, 0, 1, 1, 2, 2, 2, 2]
    assert p[0].tolist() == [0.9, 0.05, 0.05]


def test_names_and_what_is_kept():
    frame = pd.DataFrame(ROWS, [*"abcdefgh"], ["u", "v"])
    fit = fanny(frame, 2, call="fanny(frame, 2)")
    assert isinstance(fit, FannyResult)
    assert fit.clustering.attributes["names"] == [*"abcdefgh"]
    assert fit.membership.attributes["dimnames"] == ([*"abcdefgh"], None)
    assert list(fit)[-3:] == ["call", "silinfo", "data"]
    assert "silinfo" not in fanny(frame, 2, cluster_only=True)
    assert "Membership coefficients (in %, rounded):\n  [,1] [,2]\na " in str(fit)
    start = np.asarray(fit.membership)
    again = fanny(frame, 2, iniMem_p=start / start.sum(axis=1, keepdims=True))
    assert again.convergence[0] < fit.convergence[0]


def test_memberships_that_are_all_equal():
    with pytest.warns(RWarning, match="all very close to 1/k. Maybe decrease 'memb.exp'"):
        fit = fanny(ROWS, 2, memb_exp=20, iniMem_p=np.full((8, 2), 0.5))
    assert fit.k_crisp == 1
    assert "k_crisp (= 1) < k !!" in str(fit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 4}, r"'k' \(number of clusters\) must be in \{1,2, .., n/2 -1\}.*got k=4 for 8 objects"),
        ({"k": np.nan}, "missing value where TRUE/FALSE needed"),
        ({"k": 2, "memb_exp": 0.9}, "'memb.exp' must be a finite number > 1.*got 0.9"),
        ({"k": 2, "memb_exp": np.nan}, "missing value where TRUE/FALSE needed"),
        ({"k": 2, "maxit": -1}, "'maxit' must be non-negative integer"),
        ({"k": 2, "tol": np.inf}, r"foreign function call \(arg 26\).*tol must be a finite number"),
        ({"k": 2, "metric": "foo"}, "'arg' should be one of “euclidean”, “manhattan”, “SqEuclidean”"),
        ({"k": 2, "iniMem_p": np.full((8, 2), 0.6)}, "nonnegative n \\* k matrix with rowSums == 1"),
        ({"k": 2, "iniMem_p": np.full((7, 2), 0.5)}, r"need shape \(8, 2\), got \(7, 2\)"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(RError, match=message):
        fanny(ROWS, **arguments)


def test_bad_data():
    with pytest.raises(RError, match=r"x is not a numeric dataframe or matrix\."):
        fanny([["a"]] * 8, 2)
    with pytest.raises(RError, match="NA values in the dissimilarity matrix not allowed"):
        fanny([np.nan, *range(14)], 1)
    with pytest.raises(RError, match=r"foreign function call \(arg 5\)"):
        fanny([np.inf, *range(14)], 1)
    with pytest.raises(RError, match=r"foreign function call \(arg 4\)"):
        fanny([np.inf, *range(7)], 2, diss=False)
    with pytest.raises(RError, match="No clustering performed, NA-values in the dissimilarity matrix"):
        fanny([np.nan, *range(7)], 2, diss=False)
    with pytest.warns(RWarning, match="has not converged in 'maxit' = 1 iterations"):
        fanny(ROWS, 2, maxit=1)
