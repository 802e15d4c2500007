"""prediction.strength: bad input, and properties beside the cases."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.errors import RError, RWarning
from sparsek.rcompat import pam, prediction_strength
from sparsek.rcompat.fpc.api_prediction_strength import nearest_centroids
from sparsek.rng import RRandom

X = np.random.default_rng(1).normal(size=(24, 2)) + np.repeat([0.0, 9.0], 12)[:, None]
HOLES = np.where(np.arange(48).reshape(24, 2) == 5, np.nan, X)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: prediction_strength(X[:, :1]), RError, "dims of 'test' and 'train' differ"),
        (lambda: prediction_strength(X, 1, 3), RError, "Gmin must be at least 2"),
        (lambda: prediction_strength(X, 3, 2), ValueError, "Gmin must be from 2 to Gmax"),
        (lambda: prediction_strength(X, 2.5, 3), ValueError, "Gmin must be a whole number; got 2.5"),
        (lambda: prediction_strength(X, 2, 12), ValueError, "below half of the rows, 12; got 12"),
        (lambda: prediction_strength(X, 2, 3, M=0), ValueError, "M must be at least 1; got 0"),
        (lambda: prediction_strength(X, 2, np.nan), ValueError, "Gmax must be a whole number"),
        (lambda: prediction_strength(X, 2, 3, clustermethod="hclustCBI"), ValueError, "kmeansCBI, claraCBI"),
        (lambda: prediction_strength(X, 2, 3, clustermethod=pam), TypeError, "a single name"),
        (lambda: prediction_strength(X, 2, 3, stand=True), RError, r"unused argument \(stand = TRUE\)"),
        (lambda: prediction_strength(X, 2, 3, k=4), RError, r"unused argument \(k = 4\)"),
        (lambda: prediction_strength(X, 2, 3, centers=4), TypeError, "centers of kmeans is set by"),
        (
            lambda: prediction_strength(X, 2, 3, clustermethod="claraCBI", samples=5),
            RError,
            "unused argument",
        ),
        (
            lambda: prediction_strength(X, 2, 3, clustermethod="claraCBI", k=4),
            TypeError,
            "k of pam is set by",
        ),
        (lambda: prediction_strength(X, 2, 3, classification="qda"), ValueError, 'must be "centroid"'),
        (lambda: prediction_strength([["a", "b"]] * 9, 2, 3), TypeError, "xdata must hold real numbers"),
        (lambda: prediction_strength(np.ones((12, 2)), 2, 3), ValueError, "R would try without end"),
        (lambda: prediction_strength(np.full((12, 2), np.nan), 2, 3), ValueError, "R would try without end"),
        (
            lambda: prediction_strength(X * 1e200, 2, 3, clustermethod="claraCBI"),
            ValueError,
            "distances .* overflow",
        ),
        (lambda: prediction_strength(HOLES, 2, 3, clustermethod="claraCBI"), RError, "no missing values"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nothing_above_the_cutoff():
    with pytest.warns(RWarning, match="no non-missing arguments to max; returning -Inf"):
        assert prediction_strength(X, 2, 2, M=2, cutoff=1, rng=RRandom(1)).optimalk == -np.inf


def test_progress_goes_to_the_log(caplog, capsys):
    with caplog.at_level(logging.INFO, "sparsek"):
        prediction_strength(X, 2, 3, M=2, count=True, rng=RRandom(1))
    assert len(caplog.messages) == 4
    assert "3 clusters, division 2 of 2" in caplog.messages[-1]
    assert capsys.readouterr().out == ""


@given(st.integers(1, 10**6), st.sampled_from(["kmeansCBI", "claraCBI"]))
@settings(deadline=None, max_examples=15)
def test_clusters_far_apart_predict_each_other(seed, method):
    found = prediction_strength(X, 2, 2, M=3, clustermethod=method, rng=RRandom(seed), **_starts(method))
    assert found.predcorr[1].tolist() == [1, 1, 1]
    assert found.optimalk == 2


def _starts(method):
    """Starts enough for k-means to find the two groups."""
    return {"nstart": 20} if method == "kmeansCBI" else {}


@given(st.integers(1, 10**6), st.integers(2, 5))
@settings(deadline=None, max_examples=25)
def test_strengths_are_shares(seed, last):
    x = np.random.default_rng(seed).normal(size=(26, 3))
    found = prediction_strength(x, 2, last, M=2, clustermethod="claraCBI", rng=RRandom(seed))
    strengths = np.concatenate(found.predcorr[1:])
    assert ((strengths >= 0) & (strengths <= 1)).all()
    assert len(found.mean_pred) == last


def test_near_ties_are_drawn_and_others_are_not():
    centroids, x = np.array([[0.0, 0.0], [2.0, 0.0], [9.0, 9.0]]), np.array([[1.0, 0.0]] * 40)
    drawn = nearest_centroids(x, centroids, RRandom(1))
    assert set(drawn.tolist()) == {0, 1}
    stream = RRandom(1)
    assert nearest_centroids(x - 0.01, centroids, stream).tolist() == [0] * 40
    assert stream.runif(1)[0] == RRandom(1).runif(1)[0]


def test_ties_are_drawn_as_by_r():
    centroids = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    stream = RRandom(1)
    drawn = nearest_centroids(np.zeros((20, 2)), centroids, stream)
    # set.seed(1); class::knn1(centroids, matrix(0, 20, 2), factor(0:3)); runif(1)
    assert drawn.tolist() == [1, 2, 0, 3, 0, 1, 1, 3, 3, 1, 1, 1, 2, 1, 0, 2, 0, 3, 2, 0]
    assert stream.runif(1)[0] == pytest.approx(0.9128759, abs=1e-7)


def test_infinite_squares_beside_finite_ones_are_not_near():
    centroids = np.array([[1e200], [0.0], [-1e200]])
    assert nearest_centroids(np.array([[1.0], [1e200]]), centroids, RRandom(1)).tolist() == [1, 0]
    with pytest.raises(ValueError, match="row 2 to all centroids overflow"):
        nearest_centroids(np.array([[1.0], [5e200]]), centroids, RRandom(1))
