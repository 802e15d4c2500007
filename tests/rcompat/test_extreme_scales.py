"""Numbers whose squares overflow or vanish: R's infinite and undefined answers, without numpy's warnings.

Warnings are errors in these tests, so that a RuntimeWarning of numpy fails them.
"""

import contextlib
import warnings

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.errors import BlasDependentWarning, RError, RWarning

X = np.random.default_rng(3).normal(size=(24, 6)) + np.repeat([0, 4, 8], 8)[:, None]
GROUPS = [0, 0, 0, 1, 1, 1]


def test_infinite_distances_are_those_of_r():
    np.testing.assert_array_equal(rcompat.dist([[1e200, 0], [0, 0], [0, 3]]), [np.inf, np.inf, 3])


@pytest.mark.parametrize("factor", [1e154, 1e160, 1e300, 1e304, 1e-160, 1e-300, 1e-320])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: rcompat.ewkm(x, 3),
        lambda x: rcompat.fgkm(x, 3, GROUPS, 3, 1),
        lambda x: rcompat.twkm(x, 3, GROUPS, 3, 1),
        lambda x: rcompat.GmedianCov(x, scores=2),
        lambda x: rcompat.KMeansSparseCluster(x, K=3, wbounds=[1.5, 2]),
        lambda x: rcompat.RSKC(x, 3, 0.1, L1=2),
        lambda x: rcompat.Clest(x, 3, 0.1, B=2, B0=2, L1=2, nstart=2),
        lambda x: rcompat.wrsk(x, 3, 2),
        lambda x: rcompat.hclust(rcompat.dist(x), "single"),
    ],
)
def test_extreme_data_give_an_answer_or_an_error_and_no_warning_of_numpy(call, factor):
    rcompat.set_seed(1)
    with warnings.catch_warnings(), contextlib.suppress(RError, ValueError):
        for ours in (RWarning, BlasDependentWarning):
            warnings.simplefilter("ignore", ours)
        call(X * factor)


def test_one_huge_entry_of_a_covariance_has_no_weight():
    far = X.copy()
    far[1, 0] = -1e154
    rcompat.set_seed(1)
    assert np.isfinite(rcompat.GmedianCov(far, scores=2)["median"]).all()


def test_weights_that_r_divides_by_zero_end_in_its_error():
    rcompat.set_seed(1)
    with pytest.raises(RError):
        rcompat.KMeansSparseCluster(X * 1e-160, K=3, wbounds=[1.6, 2.4])
