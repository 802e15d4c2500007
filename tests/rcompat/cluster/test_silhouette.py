"""R's silhouette: what its records cannot say."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_samples

from sparsek.errors import RError
from sparsek.rcompat import dist, pam, silhouette

ROWS = np.array([[1.0], [2.0], [4.0], [8.0], [9.0]])


@given(hnp.arrays(float, (10, 2), elements=st.integers(-9, 9)), st.integers(2, 9))
@settings(deadline=None, max_examples=40)
def test_widths_are_those_of_scikit_learn(x, k):
    labels = 1 + np.arange(10) % k
    d = dist(x)
    found = silhouette(labels, d)
    wanted = np.nan_to_num(silhouette_samples(squareform(np.asarray(d)), labels, metric="precomputed"))
    assert np.abs(found[:, 2] - wanted).max() < 1e-12  # sums of ten distances in another order


def test_a_fit_of_pam_needs_no_distances():
    fit = pam(ROWS, 2)
    found = silhouette(fit)
    assert found.tolist() == fit.silinfo.widths.tolist()
    assert found.attributes["dimnames"][0] == ["2", "1", "3", "5", "4"]
    assert found.attributes["Ordered"] is True
    assert found.summary().avg_width == pytest.approx(fit.silinfo.avg_width, rel=1e-15)  # other order of sums


def test_no_silhouettes_of_one_cluster_or_of_single_objects():
    assert np.isnan(silhouette([1] * 5, dist(ROWS)))
    assert np.isnan(silhouette([1, 2, 3, 4, 5], dist(ROWS)))
    with pytest.raises(RError, match="invalid partition object"):
        silhouette(pam(ROWS, 1))


def test_attributes_survive_pickling_and_parts_are_printed_as_matrices():
    found = silhouette([0, 0, 5, 5, 5], dist(ROWS))
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert again.attributes["codes"].tolist() == [0, 5]
    assert str(found[:1]).split() == [
        "cluster",
        "neighbor",
        "sil_width",
        "[1,]",
        "0",
        "5",
        f"{found[0, 2]:.7g}",
    ]
    assert found[:, 2].mean() == np.asarray(found)[:, 2].mean()


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([1, 1, 2], {"dist": dist(ROWS)}, "'x' and dissimilarity 'dist' are incompatible .*3 labels"),
        ([1, 1, 2, 2, 2.5], {"dist": dist(ROWS)}, "'x' must only have integer codes"),
        ([1, 1, 2, 2, np.nan], {"dist": dist(ROWS)}, "missing value where TRUE/FALSE needed"),
        (list("aabbb"), {"dist": dist(ROWS)}, "non-numeric argument to mathematical function"),
        ({"cluster": [1, 1, 2, 2, 2]}, {"dist": dist(ROWS)}, "non-numeric argument .*field clustering"),
        ([1, 1, 2, 2, 2], {}, "Need either a dissimilarity 'dist' or diss.matrix 'dmatrix'"),
        ([1, 1, 2, 2, 2], {"dmatrix": np.zeros((2, 2))}, "'dmatrix' is not a dissimilarity matrix"),
        ([1, 1, 2, 2, 2], {"dist": np.full(10, np.inf)}, "NA/NaN/Inf in foreign function call"),
    ],
)
def test_bad_arguments(labels, options, message):
    with pytest.raises(RError, match=message):
        silhouette(labels, **options)


@pytest.mark.parametrize("name", ["dist", "dmatrix"])
def test_dissimilarities_of_another_type_are_named(name):
    with pytest.raises(TypeError, match=f"^{name} has type"):
        silhouette([1, 1, 2, 2, 2], **{name: list("abcd")})


def test_parts_are_printed_as_by_r():
    found = silhouette([1, 1, 1, 2, 2, 2], dist(np.array([[1.0], [2], [3], [9], [10], [11]])))
    # R 4.2.2 with cluster: s[1:3, ], s[2, ] and s[1:2, 3]
    assert str(found[:3]).splitlines() == [
        "     cluster neighbor sil_width",
        "[1,]       1        2 0.8333333",
        "[2,]       1        2 0.8750000",
        "[3,]       1        2 0.7857143",
    ]
    assert str(found[1]).splitlines() == [
        "  cluster  neighbor sil_width ",
        "    1.000     2.000     0.875 ",
    ]
    assert str(found[:2, 2]) == "[1] 0.8333333 0.8750000"
    assert str(found[:, :2]).splitlines()[:2] == ["     cluster neighbor", "[1,]       1        2"]
    assert np.asarray(found[:3]).tolist() == np.asarray(found)[:3].tolist()
