"""dist: scipy as oracle, missing values, attributes that stay, R's print and errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from sparsek.errors import RError, RWarning
from sparsek.rcompat import dist, hclust
from sparsek.rcompat.stats.distances import pairs as distances

IN_SCIPY = {
    "maximum": "chebyshev",
    "manhattan": "cityblock",
    "canberra": "canberra",
    "minkowski": "minkowski",
}
NAMED = pd.DataFrame({"v": [1.23456789, 2, 1e6]}, index=["a", "b", "c"])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(sorted(IN_SCIPY)))
def test_distances_are_those_of_scipy(seed, method):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rng.integers(2, 30), rng.integers(1, 5)))
    named = {"p": 3} if method == "minkowski" else {}
    # a sum of at most 4 terms and a root, each rounded
    np.testing.assert_allclose(dist(x, method, **named), pdist(x, IN_SCIPY[method], **named), rtol=1e-14)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(sorted(distances.SCIPY_NAMES)))
def test_compiled_loops_have_the_bits_of_our_own(seed, method):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 30), rng.integers(1, 40)
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, shape[1])
    found = np.asarray(dist(x, method))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances, "_scipy_adds_in_order", lambda: False)
        assert np.asarray(dist(x, method)).tolist() == found.tolist()


@pytest.mark.parametrize("method", ["euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski"])
def test_blocks_do_not_matter(method, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, size=(23, 7)).astype(float)
    x[rng.random(x.shape) < 0.2] = np.nan
    whole = dist(x, method)
    for entries in (1, 7, 40, 300):
        monkeypatch.setattr(distances, "BLOCK_ENTRIES", entries)
        np.testing.assert_array_equal(np.asarray(dist(x, method)), np.asarray(whole))


def test_features_without_a_number_are_left_out_and_the_sum_scaled_up():
    x = [[0, 1, np.nan, np.inf], [3, np.nan, 2, np.inf], [np.nan, 5, np.nan, np.nan]]
    np.testing.assert_array_equal(dist(x, "man"), [12, 16, np.nan])
    np.testing.assert_array_equal(dist(x), [6, 8, np.nan])
    np.testing.assert_array_equal(dist(x, "max"), [3, 4, np.nan])


def test_nothing_beside_nothing_is_left_out_of_canberra():
    assert dist([[0, 1e-310, 1], [0, 0, 3]], "canberra").tolist() == [1.5]  # R: 3 / 1 times 1 / 2


def test_binary_warns_for_every_infinite_value_of_a_pair():
    x = [[np.inf, 1, 3], [np.inf, 2, np.inf], [np.inf, np.nan, 4]]
    with pytest.warns(RWarning, match="treating non-finite values as NA") as caught:
        found = dist(x, "bin")
    assert len(caught) == 5
    np.testing.assert_array_equal(found, [0, 0, np.nan])


def test_attributes_are_those_of_r():
    attributes = {"Size": 3, "Labels": ["a", "b", "c"], "Diag": False, "Upper": True}
    made = {"method": "euclidean", "call": 'dist(x = NAMED, method = "eucl", upper = TRUE)'}
    assert dist(NAMED, "eucl", upper=True).attributes == attributes | made
    made = {"method": "minkowski", "p": 3.0, "call": 'dist(x = NAMED, method = "min", upper = TRUE, p = 3)'}
    assert dist(NAMED, "min", upper=True, p=3).attributes == attributes | made
    assert "Labels" not in dist(NAMED.to_numpy()).attributes


def test_arithmetic_and_copies_keep_the_attributes():
    d = dist(NAMED)
    for same in (d**2, 2 * d, np.sqrt(d), d.copy(), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert same.attributes == d.attributes
    assert hclust(d**2, "centroid").labels == ["a", "b", "c"]
    assert hclust(d**2, "centroid").dist_method == "euclidean"
    assert type(d[:2]) is np.ndarray
    assert isinstance(d.sum(), float)
    assert str(d.reshape(1, 3)) == str(np.asarray(d).reshape(1, 3))
    d *= 2
    assert d.attributes["Labels"] == ["a", "b", "c"]


def test_print_is_that_of_r():
    assert str(dist(NAMED)).splitlines() == [
        "             a            b",
        "b 7.654321e-01             ",
        "c 9.999988e+05 9.999980e+05",
    ]
    assert str(dist([1, 2, np.nan], diag=True)) == "   1  2  3\n1  0      \n2  1  0   \n3 NA NA  0"
    assert str(dist([1, 3], upper=True)) == "  1 2\n1   2\n2 2  "
    assert str(dist([[1.0]])) == "dist(0)"


def test_print_wraps_and_ends_as_in_r():
    lines = str(dist(np.arange(30) / 7)).splitlines()
    assert len(lines) == 150  # five parts of a header and 29 rows
    assert lines[0] == "           1         2         3         4         5         6         7"
    assert lines[-1] == "30 0.1428571"
    assert str(dist(np.arange(400.0))).endswith(' [ reached getOption("max.print") -- omitted 149 rows ]')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "m"}, "invalid distance method"),
        ({"method": "EUC"}, "invalid distance method"),
        ({"method": ""}, "invalid distance method"),
        ({"method": "min", "p": 0}, "distance(): invalid p"),
        ({"method": "min", "p": np.inf}, "distance(): invalid p"),
        ({"method": "min", "p": np.nan}, "distance(): invalid p"),
        ({"method": "min", "p": []}, "distance(): invalid p"),
    ],
)
def test_errors_of_r_in_dist(arguments, message):
    with pytest.raises(RError) as caught:
        dist([[0.0, 1], [2, 3]], **arguments)
    assert caught.value.r_message == message


@pytest.mark.parametrize("x", [["a", "b"], [[1j, 2]]])
def test_bad_data(x):
    with pytest.raises(TypeError, match="real numbers"):
        dist(x)


def test_arithmetic_on_distances_has_no_warnings_of_numpy():
    d = dist([[0.0], [1e200], [1e200]])
    assert (d**2).tolist() == [np.inf, np.inf, 0.0]
    with np.errstate(all="raise"):
        assert np.isnan((d / d)[2])
    assert (d**2).attributes == d.attributes
