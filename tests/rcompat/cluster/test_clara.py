"""R's clara: bad input, and properties beside the cases."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from sparsek.errors import RError, RWarning
from sparsek.rcompat import ClaraResult, clara, pam, set_seed
from sparsek.rcompat.cluster.arguments_clara import require_drawable
from sparsek.rcompat.cluster.samples import book_uniforms

ROWS = np.array([[1.0, 0], [2, 1], [4, 1], [8, 0], [9, 2], [3, 5], [7, 7], [8, 6]])
SETS = hnp.arrays(float, st.tuples(st.integers(4, 40), st.integers(1, 3)), elements=st.integers(-9, 9))


@given(SETS, st.data())
@settings(deadline=None, max_examples=40)
def test_each_row_is_with_its_nearest_medoid_and_medoids_are_in_the_sample(x, data):
    k = data.draw(st.integers(1, min(3, len(x) - 1)))
    fit = clara(x, k, sampsize=data.draw(st.integers(k + 1, len(x))), pamLike=data.draw(st.booleans()))
    d = cdist(x, x[fit.i_med - 1])
    chosen = d[np.arange(len(x)), fit.clustering - 1]
    assert np.array_equal(chosen, d.min(axis=1))
    assert fit.objective == pytest.approx(chosen.mean(), rel=1e-13, abs=0)  # another order of addition
    assert set(fit.i_med) <= set(fit["sample"])
    assert np.array_equal(fit.clustering[fit.i_med - 1], np.arange(k) + 1)
    assert np.array_equal(fit.clusinfo[:, 0], np.bincount(fit.clustering, minlength=k + 1)[1:])


@given(hnp.arrays(float, (9, 2), elements=st.floats(-5, 5)), st.integers(2, 4))
@settings(deadline=None, max_examples=30)
def test_a_sample_of_all_rows_swapped_as_by_pam_is_as_good_as_pam(x, k):
    whole, fit = clara(x, k, sampsize=9, pamLike=True), pam(x, k)
    assert whole.objective == pytest.approx(fit.objective[1], rel=1e-12, abs=1e-12)  # pam adds swap by swap


def test_the_generator_of_the_book():
    numbers = [x * 65536 for x in islice(iter(book_uniforms(), None), 4)]
    assert numbers == [999, 54606, 13365, 57500]  # 999, then 5761 x + 999 modulo 65536
    period = list(islice(iter(book_uniforms(), None), 65537))
    assert len(set(period)) == 65536
    assert period[0] == period[65536]


def test_its_own_generator_is_the_same_each_time_and_leaves_rs_alone():
    set_seed(1)
    first = clara(np.arange(100.0), 3, sampsize=10)
    assert first["sample"].tolist() == clara(np.arange(100.0), 3, sampsize=10)["sample"].tolist()
    set_seed(1)
    drawn = [clara(np.arange(100.0), 3, sampsize=10, rngR=True)["sample"].tolist() for _ in range(2)]
    assert drawn[0] != drawn[1]
    set_seed(1)
    assert clara(np.arange(100.0), 3, sampsize=10, rngR=True)["sample"].tolist() == drawn[0]


def test_names_and_what_is_kept():
    frame = pd.DataFrame(ROWS, [*"abcdefgh"], ["u", "v"])
    fit = clara(frame, 2, sampsize=5, call="clara(frame, 2)")
    assert isinstance(fit, ClaraResult)
    assert set(fit["sample"]) <= set("abcdefgh")
    assert fit.medoids.attributes["dimnames"][1] == ["u", "v"]
    assert fit.diss.attributes["Labels"] == fit["sample"].tolist()
    assert str(fit).startswith("Call:\t clara(frame, 2) \nMedoids:\n  u v\n")
    assert "data" not in clara(ROWS, 2, keep_data=False)
    assert clara(ROWS, 2, medoids_x=False).medoids is None
    labels = clara(frame, 2, sampsize=5, cluster_only=True)
    assert labels.tolist() == fit.clustering.tolist()
    assert labels.attributes["names"] == [*"abcdefgh"]
    assert "silinfo" not in clara(ROWS, 1)


def test_where_r_reads_outside_of_its_arrays_there_is_an_error():
    x = np.array([[1.0, np.nan], [1, np.nan], [1, np.nan], [1, 2], [5, 5]])
    with pytest.raises(ValueError, match="k=4 clusters, of which one has no rows: with missing values"):
        clara(x, 4, correct_d=True)
    with pytest.raises(
        ValueError, match=r"needs rows with a value above 0\.9, all but one; rows 1, 3 have none"
    ):
        clara([[0, 0], [1, 1], [0, 0.5]], 1, metric="jaccard")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 8}, r"number of cluster should be at least 1 and at most n-1.*got k=8 for 8 rows"),
        ({"k": np.nan}, r"missing value where TRUE/FALSE needed .*k must be a whole number"),
        ({"k": 2, "sampsize": 2}, r"'sampsize' should be at least 3 = max\(2, 1\+ number of clusters\)"),
        ({"k": 2, "sampsize": 9}, r"'sampsize' = 9 should not be larger than the number of objects, 8"),
        ({"k": 2, "samples": 0}, r"'samples' should be at least 1"),
        ({"k": 2, "metric": "foo"}, r"'arg' should be one of “euclidean”, “manhattan”, “jaccard”"),
        ({"k": 2, "medoids_x": False, "keep_data": True}, r"when 'medoids.x' is FALSE, 'keep.data' must be"),
        ({"k": 2, "rngR": np.nan}, r"NAs in foreign function call \(arg 12\)"),
        ({"k": 2, "pamLike": np.nan}, r"NAs in foreign function call \(arg 13\)"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(RError, match=message):
        clara(ROWS, **arguments)


def test_bad_data():
    with pytest.raises(RError, match=r"x is not a numeric dataframe or matrix\."):
        clara([["a"], ["b"], ["c"]], 2)
    with pytest.raises(RError, match=r"NA/NaN/Inf in foreign function call \(arg 4\)"):
        clara([[1.0], [np.inf], [2.0]], 1)
    with pytest.raises(RError, match=r"Observations 2,3 have \*only\* NAs --> omit them"):
        clara([[1.0], [np.nan], [np.nan], [2.0]], 1, correct_d=True)
    many = np.full(20, np.nan)
    many[::9] = 1.0
    with pytest.raises(RError, match=r"17 observations \(2,3,4,5,6,7,8,9,11,12,13,14 \.\.\.\) have"):
        clara(many, 1, correct_d=True)
    with pytest.raises(RError, match="Each of the random samples contains objects between which no distance"):
        clara([[1.0, np.nan], [np.nan, 1.0], [2.0, 2.0]], 2, correct_d=True)
    with pytest.raises(RError, match=r"invalid 'correct\.d'"):
        clara([[1.0, np.nan], [1.0, 1.0], [2.0, 2.0]], 2, correct_d=np.nan)
    with pytest.raises(
        ValueError, match=r"needs rows with a value above 0\.9, all but one; rows 1, 3 have none"
    ):
        clara([[0, 0], [1, 1], [0, 0.5]], 1, metric="jaccard")
    with pytest.raises(ValueError, match="needs 65534 draws; rngR=False has 65536, of them 3 of medoids"):
        require_drawable(200_000, 65_534, 3)
    with pytest.warns(RWarning, match="using correct instead of pre-2016 wrong formula"):
        clara([[1.0, np.nan], [1.0, 1.0], [2.0, 2.0]], 2)
