"""pamk: bad input, and properties beside the cases."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from sparsek.errors import RError
from sparsek.rcompat import dist, pam, pamk
from sparsek.rng import RRandom

X = np.random.default_rng(1).normal(size=(24, 2)) + np.repeat([0.0, 9.0, 20.0], 8)[:, None]
D = dist(X)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pamk(X, [2, 24]), RError, "Number of clusters 'k' must be in"),
        (lambda: pamk(X, 10**9), RError, "Number of clusters 'k' must be in"),
        (lambda: pamk(X, [2.5, 3]), ValueError, "krange must hold whole numbers"),
        (lambda: pamk(X, [2, -np.inf]), ValueError, "krange must hold whole numbers"),
        (lambda: pamk(X, -np.inf), RError, "vector size cannot be infinite"),
        (lambda: pamk(X, [2, np.inf]), RError, "vector size cannot be infinite"),
        (lambda: pamk(X, [2, np.nan]), RError, "vector size cannot be NA/NaN"),
        (lambda: pamk(X, ["a"]), TypeError, "krange must hold real numbers"),
        (lambda: pamk(X, [1]), RError, "put 2 into krange"),
        (lambda: pamk(X, criterion="silhouette"), RError, "criterion must be one of asw, multiasw, ch"),
        (lambda: pamk(X, criterion="multiasw", ns=1), ValueError, "ns must be a whole number of at least 2"),
        (lambda: pamk(X, [2], criterion="multiasw", ns=13), RError, "lower ns"),
        (lambda: pamk(X, [2], criterion="multiasw", seed=np.nan), RError, "not a valid integer"),
        (lambda: pamk(X, [1, 2], alpha=np.nan), RError, "alpha must be from 0 to 1; got nan"),
        (lambda: pamk(np.ones((9, 2)), [1, 2]), RError, "not all the same"),
        (lambda: pamk(D, [2, 3], usepam=False), ValueError, "usepam=False needs rows of data"),
        (lambda: pamk(D, [2, 3], scaling=True), ValueError, "scaling needs rows of data"),
        (lambda: pamk(D, [2, 3], criterion="multiasw"), ValueError, 'criterion="multiasw" needs rows'),
        (lambda: pamk(X, [2, 3], scaling=[1, 2, 3]), RError, "length of 'scale' must equal"),
        (lambda: pamk(X, [2, 3], x=3), TypeError, "x of pam is set by the function that calls it"),
        (lambda: pamk(X, [2, 3], samples=5), RError, r"unused argument \(samples = 5\)"),
        (lambda: pamk(X, [2, 3], usepam=False, nstart=2), RError, "unused argument"),
        (lambda: pamk(X, [2, 3], cluster_only=True), RError, "leave cluster_only out"),
        (lambda: pamk(X, [2, 3], usepam=np.nan), RError, "usepam must be True or False"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_no_criterion_above_zero_leaves_no_clustering():
    found = pamk(np.ones((6, 2)), [2, 3])
    assert found.nc == 1
    assert found.pamobject is None


def test_criteria_go_to_the_log(caplog, capsys):
    with caplog.at_level(logging.INFO, "sparsek"):
        pamk(X, [2, 3], critout=True)
    assert [m[:16] for m in caplog.messages] == ["pamk: 2 clusters", "pamk: 3 clusters"]
    assert capsys.readouterr().out == ""


@given(st.integers(1, 10**6), st.booleans())
@settings(deadline=None, max_examples=20)
def test_the_number_has_the_widest_silhouettes(seed, given_distances):
    x = np.random.default_rng(seed).normal(size=(20, 2))
    found = pamk(dist(x) if given_distances else x, range(2, 6))
    # Means of widths in another order.
    widths = [silhouette_score(x, pam(x, k, diss=False).clustering) for k in range(2, 6)]
    assert found.crit[1:] == pytest.approx(widths, rel=1e-10, abs=1e-12)
    assert found.nc == 2 + int(np.argmax(widths))
    assert len(found.pamobject.id_med) == found.nc


@given(st.integers(1, 10**6), st.integers(2, 3))
@settings(deadline=None, max_examples=15)
def test_a_seed_fixes_the_parts(seed, parts):
    runs = [
        pamk(X, [3], criterion="multiasw", ns=parts, seed=seed, rng=RRandom(start)).crit for start in (1, 2)
    ]
    assert np.array_equal(*runs)


def test_groups_far_apart_are_no_single_cluster():
    assert pamk(X, range(1, 6), alpha=0.01).nc == 3
    assert pamk(np.random.default_rng(5).normal(size=(40, 3)), range(1, 6)).nc == 1
