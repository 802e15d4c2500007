"""cluster.stats: bad input, and properties beside the cases."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score

from sparsek.errors import RError, RWarning
from sparsek.rcompat import as_matrix, cluster_stats, dist

X = np.array([[0.0, 0], [1, 0], [1, 2], [6, 5], [7, 7], [9, 6], [2, 9], [3, 8]])
D = dist(X)
LABELS = [1, 1, 1, 2, 2, 2, 3, 3]
UNDECIDED = "missing value where TRUE/FALSE needed"
ROWS = arrays(float, (12, 2), elements=st.integers(-30, 30).map(float), unique=True)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cluster_stats(D), RError, 'argument "clustering" is missing'),
        (lambda: cluster_stats(None, LABELS), RError, "'data' must be of a vector type, was 'NULL'"),
        (lambda: cluster_stats(D, []), ValueError, "it is empty"),
        (lambda: cluster_stats(D, [*LABELS[1:], np.nan]), RError, UNDECIDED),
        (lambda: cluster_stats(D, LABELS, [*LABELS[1:], np.nan]), RError, UNDECIDED),
        (lambda: cluster_stats(D, list("aabbccdd")), TypeError, "clustering must hold real numbers"),
        (lambda: cluster_stats(D, LABELS, [1, 2]), RError, "all arguments must have the same length"),
        (lambda: cluster_stats(D, LABELS[:-1]), RError, "clustering has 7 labels, and d 8 objects"),
        (lambda: cluster_stats(D, [*LABELS, 3]), RError, "logical subscript too long"),
        (lambda: cluster_stats("d", LABELS), TypeError, "d must hold real numbers"),
        (lambda: cluster_stats(D, LABELS, sepprob=-1), RError, "sepprob must be between 0 and 1; got -1"),
        (lambda: cluster_stats(D, LABELS, sepprob=np.inf), RError, "result would be too long a vector"),
        (lambda: cluster_stats(D, LABELS, sepprob=np.nan), RError, "NA/NaN argument"),
        (lambda: cluster_stats(D, LABELS, G2=np.nan), RError, UNDECIDED),
        (lambda: cluster_stats(D, list(range(1, 9))), RError, r"\$ operator is invalid for atomic vectors"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_labels_are_renumbered_with_a_warning():
    with pytest.warns(RWarning, match="clustering renumbered because maximum != number of clusters"):
        found = cluster_stats(D, [5, 5, 5, 7, 7, 7, 9, 9])
    assert str(found) == str(cluster_stats(D, LABELS))


def test_one_cluster_has_no_separation():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cluster_stats(D, [1] * 8, silhouette=False, sepindex=False)
    assert [str(w.message)[:23] for w in caught] == [
        "no non-missing argument",
        "the standard deviation ",
        "no non-missing argument",
    ]
    assert math.isnan(found.min_separation)
    assert found.n_between == 0


@given(ROWS)
@settings(deadline=None, max_examples=30)
def test_indices_of_scikit_learn(x):
    labels, other = np.repeat([1, 2, 3], 4), np.tile([1, 2], 6)
    found = cluster_stats(dist(x), labels, other)
    # Some ten roundings, and differences of sums that are near each other.
    assert found.ch == pytest.approx(calinski_harabasz_score(x, labels), rel=1e-8, abs=1e-8)
    assert found.avg_silwidth == pytest.approx(silhouette_score(x, labels), rel=1e-8, abs=1e-8)
    assert found.corrected_rand == pytest.approx(adjusted_rand_score(labels, other), rel=1e-12, abs=1e-12)


@given(ROWS, st.permutations(range(12)), st.integers(-3, 3))
@settings(deadline=None, max_examples=30)
def test_order_of_the_objects_and_powers_of_two_do_not_count(x, order, power):
    labels, order = np.repeat([1, 2, 3], 4), np.array(order)
    plain = cluster_stats(dist(x), labels, G2=True)
    moved = cluster_stats(dist(x[order]) * 2.0**power, labels[order], G2=True)
    for name in ("diameter", "separation", "cwidegap", "sindex"):
        assert np.array_equal(plain[name] * 2.0**power, moved[name])
    assert plain.g2 == moved.g2
    assert plain.dunn == moved.dunn
    assert plain.pearsongamma == pytest.approx(moved.pearsongamma, rel=1e-9, abs=1e-9)  # other order of sums


@given(st.lists(st.integers(1, 3), min_size=5, max_size=12), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_a_clustering_agrees_with_itself(labels, random):
    names = [1, 2, 3]
    random.shuffle(names)
    labels = [*labels, 1, 2, 3]
    found = cluster_stats(None, labels, [names[v - 1] for v in labels], compareonly=True)
    assert found.corrected_rand == 1
    assert found.vi == pytest.approx(0, abs=1e-14)  # two entropies less two sums of the same terms


@pytest.mark.filterwarnings("ignore::sparsek.errors.RWarning")
def test_infinite_dissimilarities_give_no_warnings_of_numpy():
    """Sums of squares overflow, and their difference is missing, as in R."""
    found = cluster_stats(D * 1e200, LABELS, silhouette=False, wgap=False, sepindex=False)
    assert np.isnan(found.ch)
    far = np.array(as_matrix(D))
    far[0, 1:] = far[1:, 0] = np.inf
    with np.errstate(all="raise"):
        for options in ({}, {"G2": True, "G3": True}, {"noisecluster": True}):
            cluster_stats(far, LABELS, silhouette=False, wgap=False, **options)
