"""R's pam: what its records cannot say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import squareform

from sparsek.errors import RError
from sparsek.rcompat import PamResult, dist, pam, set_seed
from sparsek.rng import RRandom

ROWS = np.array([[1.0], [2.0], [4.0], [8.0], [9.0]])


@given(
    hnp.arrays(float, st.tuples(st.integers(3, 12), st.integers(1, 3)), elements=st.integers(-5, 5)),
    st.data(),
)
@settings(deadline=None, max_examples=40)
def test_no_single_swap_is_better_and_the_objective_is_the_mean_distance(x, data):
    k = data.draw(st.integers(1, len(x) - 1))
    d, fit = squareform(dist(x)), pam(x, k)
    best = d[fit.id_med - 1].min(axis=0).mean()
    assert fit.objective[1] == pytest.approx(best, rel=1e-12, abs=1e-12)  # the sum is updated swap by swap
    for out in range(k):
        for other in range(len(x)):
            medoids = fit.id_med - 1
            medoids[out] = other
            assert d[medoids].min(axis=0).mean() >= best - 1e-12  # the rounding of means of these distances


@given(hnp.arrays(float, (9, 2), elements=st.integers(-5, 5)), st.integers(1, 8))
@settings(deadline=None, max_examples=30)
def test_dissimilarities_in_every_form_give_the_partition_of_the_rows(x, k):
    d, fit = dist(x), pam(x, k)
    for form in (pam(d, k), pam(np.asarray(d), k), pam(squareform(np.asarray(d)), k, diss=True)):
        assert form.clustering.tolist() == fit.clustering.tolist()
        assert form.objective.tolist() == fit.objective.tolist()
        assert form.medoids.tolist() == fit.id_med.tolist()


def test_a_vector_is_dissimilarities_unless_told_otherwise():
    with pytest.raises(ValueError, match=r"x must hold n \(n - 1\) / 2 dissimilarities"):
        pam(ROWS[:, 0], 2)
    assert pam(ROWS[:, 0], 2, diss=False).clustering.tolist() == [1, 1, 1, 2, 2]


def test_names_of_rows_and_columns():
    frame = pd.DataFrame({"u": [1.0, 2, 9], "v": [0.0, 1, 1]}, index=["a", "b", "c"])
    fit = pam(frame, 2)
    assert fit.medoids.attributes["dimnames"] == (["b", "c"], ["u", "v"])
    assert fit.silinfo.widths.attributes["dimnames"][0] == ["a", "b", "c"]
    assert pam(dist(frame), 2).medoids.tolist() == ["b", "c"]
    assert fit.clusinfo.attributes["dimnames"][1] == ["size", "max_diss", "av_diss", "diameter", "separation"]


def test_fields_are_in_rs_order():
    kept = [
        "medoids",
        "id.med",
        "clustering",
        "objective",
        "isolation",
        "clusinfo",
        "silinfo",
        "diss",
        "call",
    ]
    assert list(pam(ROWS, 2)) == [*kept, "data"]
    assert list(pam(dist(ROWS), 2)) == kept


def test_random_starts_take_the_stream():
    set_seed(1)
    first = pam(ROWS, 2, nstart=3)
    set_seed(1)
    assert pam(ROWS, 2, medoids="random", nstart=3).id_med.tolist() == first.id_med.tolist()
    assert isinstance(first, PamResult)


def test_one_random_start_draws_once():
    stream = RRandom(1)
    found = pam([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2, medoids="random", nstart=1, rng=stream)
    assert found.id_med.tolist() == [2, 5]
    assert stream.runif(1)[0] == pytest.approx(0.5728534, abs=1e-7)  # what R draws next


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 5}, r"Number of clusters 'k' must be in .*got k=5 for 5 objects"),
        ({"k": np.nan}, r"missing value where TRUE/FALSE needed .*k must be a number from 1 to 4"),
        ({"k": 2, "medoids": [1, 1]}, r"vector of 2 distinct indices"),
        ({"k": 2, "medoids": "random"}, r"random medoids need nstart"),
        ({"k": 2, "metric": "jaccard"}, r"'arg' should be one of “euclidean”, “manhattan”"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(RError, match=message):
        pam(ROWS, **arguments)


def test_bad_data():
    with pytest.raises(RError, match="'x' is not a numeric dataframe or matrix"):
        pam([["a"], ["b"], ["c"]], 2)
    with pytest.raises(RError, match="NA values in the dissimilarity matrix not allowed"):
        pam([1.0, np.nan, 2.0], 2)
    with pytest.raises(RError, match="No clustering performed, NAs in the computed dissimilarity matrix"):
        pam([[np.nan, 1.0], [2.0, np.nan], [3.0, 4.0]], 2)
    with pytest.raises(ValueError, match="nstart must be a whole number of at least 1; got 0"):
        pam(ROWS, 2, nstart=0)
    with pytest.raises(RError, match="Cannot keep data when 'x' is a dissimilarity!"):
        pam(dist(ROWS), 2, keep_data=True)
