"""Arguments as R matches them: abbreviations, errors, warnings at the caller's line."""

import inspect
import pickle
import sys
import warnings

import numpy as np
import pytest

from sparsek import rcompat as R
from sparsek.errors import RError, RWarning
from tests.rcompat.beside_r import differences

X = (7 * np.arange(1, 31)[:, None] + 5 * np.arange(1, 4)) % 11 / 2
Y = 3


def test_abbreviated_arguments():
    R.set_seed(1)
    short = R.kmeans(X, cent=3, iter=50, nst=2, alg="Ll")
    R.set_seed(1)
    assert str(short) == str(R.kmeans(X, 3, iter_max=50, nstart=2, algorithm="Lloyd"))
    R.set_seed(1)
    assert R.sample(5, r=True).tolist() == [1, 4, 1, 2, 5]
    assert R.ewkm(X, X[:2], lam=2).centers.tolist() == R.ewkm(X, X[:2], lambda_=2).centers.tolist()
    assert R.mean([1, 2, 3, 40], tr=0.25) == 2.5


def test_positions_fill_what_names_leave():
    R.set_seed(1)
    by_name = R.kmeans(3, x=X, nstart=2)
    R.set_seed(1)
    assert str(by_name) == str(R.kmeans(X, 3, nstart=2))


@pytest.mark.parametrize(
    ("call", "message"),  # what R 4.2.2 says
    [
        (lambda: R.kmeans(X, 3, foo=3), "unused argument (foo = 3)"),
        (lambda: R.kmeans(X, 3, foo=Y, bar=[1, "a"]), 'unused arguments (foo = Y, bar = c(1, "a"))'),
        (lambda: R.kmeans(X, 3, 10, 1, "Lloyd", False, Y + 4), "unused argument (Y + 4)"),
        (lambda: R.kmeans(X, 3, foo=1e6), "unused argument (foo = 1e+06)"),
        (lambda: R.kmeans(X, 3, iter_max=2, iter=3), "unused argument (iter = 3)"),
        (
            lambda: R.kmeans(X, 3, n=1, ns=2),
            'formal argument "nstart" matched by multiple actual arguments',
        ),
        (
            lambda: R.kmeans(X, 3, iter_m=1, it=2),
            'formal argument "iter.max" matched by multiple actual arguments',
        ),
        (lambda: R.hclust(R.dist(X), m="aver"), "argument 2 matches multiple formal arguments"),
        (lambda: R.set_seed(1, s="Rounding"), "argument 2 matches multiple formal arguments"),
        (R.kmeans, 'argument "x" is missing, with no default'),
        (lambda: R.kmeans(X), "'centers' must be a number or a matrix"),
        (lambda: R.cutree(k=3), 'argument "tree" is missing, with no default'),
        (R.sample, 'argument "x" is missing, with no default'),
        (lambda: R.KMeansSparseCluster_permute(), 'argument "x" is missing, with no default'),
    ],
)
def test_errors_about_arguments(call, message):
    with pytest.raises(RError) as caught:
        call()
    assert caught.value.r_message == message


def test_what_r_ignores_after_its_dots():
    assert R.mean([1, 2], foo=3) == 1.5
    assert R.median([1, 2], foo=3) == 1.5


def test_arguments_of_ours_are_written_out():
    with pytest.raises(RError, match="unused argument"):
        R.rnorm(1, rn=1)
    assert len(R.sample(5, 2, r=1)) == 2  # replace, not rng


def test_unpacked_arguments_are_shown_by_value():
    with pytest.raises(RError) as caught:
        R.kmeans(*[X, 3], foo=[1, 2], bar=X, baz=None)
    assert caught.value.r_message == "unused arguments (foo = c(1, 2), bar = ndarray, baz = NULL)"


@pytest.mark.parametrize("name", [n for n in R.__all__ if inspect.isfunction(getattr(R, n))])
def test_every_function_matches_and_is_pickled(name):
    function = getattr(R, name)
    assert pickle.loads(pickle.dumps(function)) is function
    if function.__module__ != "sparsek.rcompat":
        return
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
        return
    with pytest.raises(RError, match="unused argument"):
        function(no_such_argument=1)


def test_warnings_are_at_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        R.dist([[np.inf, 1.0], [2.0, 3.0]], "binary")
        line = sys._getframe().f_lineno - 1
        R.rnorm(1, float("nan"))
        R.KMeansSparseCluster(X, wbounds=1.5, centers=X[:2], maxit=2)
        R.kmeans(X, X[:3], iter_max=1)
    assert [(w.filename, w.lineno, w.category) for w in caught[:1]] == [(__file__, line, RWarning)]
    assert {w.filename for w in caught} == {__file__}


@pytest.mark.live_r
@pytest.mark.parametrize("nstart", [0, -1, 0.5, 1, 1.5, float("nan"), 2.7])
@pytest.mark.parametrize("centers", [X[:3], X[:1], 1, 2], ids=["three", "one", "1", "2"])
def test_numbers_of_starts(nstart, centers):
    assert differences("kmeans", "stats", {"x": X, "centers": centers, "nstart": nstart}) == ""


def test_starts_do_not_count_beside_given_centres():  # R: 15 15, also with nstart = 0
    assert R.kmeans(X, X[:2], nstart=0).size.tolist() == R.kmeans(X, X[:2]).size.tolist()
    with pytest.raises(RError, match="argument is of length zero"):
        R.kmeans(X, 2, nstart=0)


def test_trace_is_taken():
    assert R.kmeans(X, X[:2], trace=True).iter == R.kmeans(X, X[:2]).iter


def test_fitted_names():
    fit = R.kmeans(X, X[:2])
    rows = R.fitted(fit)
    assert rows.attributes["dimnames"] == ([str(label) for label in fit.cluster], None)
    with pytest.raises(TypeError, match="result of kmeans"):
        R.fitted({"cluster": 1})
    with pytest.raises(RError, match="'arg' should be one of “centers”, “classes”"):
        R.fitted(fit, "c")


def test_a_flag_of_length_one_is_a_flag():
    for flag in ([True], np.array([True])):
        assert R.dist(X, diag=flag).attributes["Diag"] is True


def test_rows_of_different_lengths_are_no_matrix():
    with pytest.raises(ValueError, match="x has rows of 1 to 2 entries; give all one length"):
        R.dist([[1.0, 2.0], [3.0]])
