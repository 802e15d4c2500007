"""R's svd: errors, numbers of vectors, warnings, orthogonality, extreme numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.bits.lapack.bidiagonal import bidiagonal
from sparsek.bits.lapack.divided import solve_divided
from sparsek.bits.lapack.implicit_qr import diagonalise, rotation, solve_triangle
from sparsek.bits.lapack.singular_values import singular_values, singular_vectors, times_reflectors
from sparsek.errors import BlasDependentWarning, RError
from sparsek.rcompat import svd

PRINTED = """$d
[1] 4 3

$v
     [,1] [,2]
[1,]    0    1
[2,]    1    0
"""


def test_print_is_rs():
    assert str(svd([[3, 0], [0, 4]], nu=0)) == PRINTED


@pytest.mark.parametrize(
    ("x", "args", "error", "message"),
    [
        ([[1, np.nan]], {}, RError, "infinite or missing values in 'x'"),
        ([[1, np.inf]], {}, RError, "infinite or missing values in 'x'"),
        ([[1, 2]], {"nu": -1}, RError, "argument must be coercible to non-negative integer"),
        ([[1, 2]], {"nv": np.nan}, RError, "missing value where TRUE/FALSE needed"),
        ([[1, 2]], {"nv": "two"}, TypeError, "nv must be one number"),
        ([["a"]], {}, TypeError, "x must hold real numbers"),
        (np.empty((0, 2)), {}, ValueError, "x is empty"),
    ],
)
def test_bad_input(x, args, error, message):
    with pytest.raises(error, match=message):
        svd(x, **args)


def test_fields_and_shapes_follow_the_numbers_of_vectors():
    x = np.arange(12.0).reshape(4, 3) ** 2
    shapes = {name: np.shape(value) for name, value in svd(x, nu=1.7, nv=4).items()}
    assert shapes == {"d": (3,), "u": (4, 1), "v": (3, 3)}
    assert svd(x, nu=4).u.shape == (4, 4)
    assert list(svd(x, nu=0)) == ["d", "v"]
    assert list(svd(x, nu=0, nv=0)) == ["d"]


def test_zero_and_equal_values_are_warned_of():
    centred = np.random.default_rng(1).normal(size=(4, 9))
    centred -= centred.mean(axis=0)
    with pytest.warns(BlasDependentWarning, match="of 1 of 4 pairs of singular vectors"):
        svd(centred)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svd(centred, nu=3, nv=3)
    hadamard = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    assert len(singular_vectors(hadamard).unsettled)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 45),
    st.integers(1, 45),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 1e-160, 1e150]),
    st.booleans(),
)
def test_vectors_are_orthonormal_and_give_the_matrix_back(n, p, seed, size, full):
    a = np.random.default_rng(seed).normal(size=(n, p))
    found, k = singular_vectors(a * size, full), min(n, p)
    u, vt = found.left, found.right
    bound = 1e-13 * max(
        n, p
    )  # backward error of LAPACK: a small multiple of the size times the rounding unit
    assert np.abs(u.T @ u - np.eye(u.shape[1])).max() < bound
    assert np.abs(vt @ vt.T - np.eye(len(vt))).max() < bound
    assert np.abs((u[:, :k] * (found.values / size)) @ vt[:k] - a).max() < bound * np.abs(a).max() * 10
    assert (np.diff(found.values) <= 0).all()
    assert np.abs(singular_values(a * size) - found.values).max() <= bound * found.values[0]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(26, 70),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["normal", "few", "equal", "split", "zero"]),
)
def test_divided_matrices(n, seed, kind):
    rng = np.random.default_rng(seed)
    d, e = rng.normal(size=n), rng.normal(size=n - 1)
    if kind == "few":
        d, e = np.round(d), np.round(e)
    elif kind == "equal":
        d, e = np.ones(n), np.full(n - 1, 1e-9)
    elif kind == "split":
        e[rng.integers(0, n - 1, 4)] = 0.0
        e[-1] = 0.0
    elif kind == "zero":
        d, e = np.zeros(n), np.zeros(n - 1)
    left, values, right = solve_divided(d, e)
    bound = 1e-14 * n  # a small multiple of the size times the rounding unit
    assert (np.diff(values) <= 0).all()
    assert (values >= 0).all()
    assert np.abs(left.T @ left - np.eye(n)).max() < bound
    assert np.abs(right @ right.T - np.eye(n)).max() < bound
    assert np.abs(left * values @ right - np.diag(d) - np.diag(e, 1)).max() < bound * 10


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("room", [0, 4500, 10**6])
def test_blocks_of_reflectors_change_roundings_only(right, room):
    rng = np.random.default_rng(1)
    found = bidiagonal(rng.normal(size=(60, 50))).left
    c = rng.normal(size=(20, 60)) if right else rng.normal(size=(60, 20))
    one, other = c.copy(), c.copy()
    times_reflectors(found, one, room, right)
    times_reflectors(found[40:], other[:, 40:] if right else other[40:], 0, right)
    times_reflectors(found[:40], other, 0, right)
    assert np.abs(one - other).max() < 1e-13  # some tens of roundings of numbers of size 1
    assert np.abs((one**2).sum() - (c**2).sum()) < 1e-10  # they turn


@settings(max_examples=60, deadline=None)
@given(*[st.sampled_from([0.0, 1.0, -1.0, 3.0, -0.5, 1e-20, -1e20, 1e-200, 1e200]) for _ in range(3)])
def test_triangles_of_all_sizes(f, g, h):
    least, most, (cl, sl), (cr, sr) = solve_triangle(f, g, h)
    middle = np.array([[cl, sl], [-sl, cl]]) @ np.array([[f, g], [0, h]]) @ np.array([[cr, -sr], [sr, cr]])
    bound = 1e-14 * max(abs(f), abs(g), abs(h))  # some roundings of the largest entry
    assert np.abs(middle - np.diag([most, least])).max() <= bound


@pytest.mark.parametrize(
    ("f", "g"), [(3e200, 4e200), (3e-200, -4e-200), (-3.0, 4.0), (0.0, -2.0), (5.0, 0.0)]
)
def test_rotation_of_extreme_numbers(f, g):
    cosine, sine, length = rotation(f, g)
    assert cosine * f + sine * g == pytest.approx(length, rel=1e-15)  # two roundings
    assert abs(cosine * g - sine * f) <= 2**-52 * abs(length)  # a rounding of each product


@pytest.mark.parametrize(("row", "sign"), [([5, 5, 4], -1), ([5, 5, 4, 0], 1)])
def test_singular_values_of_0_keep_rs_order_of_vectors(row, sign):
    with pytest.warns(BlasDependentWarning):
        found = svd(np.vstack([np.zeros(len(row)), row, np.zeros(len(row))]))
    # R 4.2.2 with the reference BLAS; the second and the third value are both 0.
    np.testing.assert_array_equal(found["u"], [[0, 0, -1], [sign, 0, 0], [0, 1, 0]])
    expected = [[0, 0.78817010931151232], [-0.62469504755442429, -0.48059153006799538]]
    np.testing.assert_array_equal(found["v"][:2, 1:], expected)


def test_a_singular_value_of_minus_0_stays():
    diagonal, beside = np.array([2.0, -0.0]), np.array([0.0])
    assert np.signbit(diagonalise(diagonal, beside)[1]).tolist() == [False, True]


def test_values_beyond_the_largest_double_are_infinite():  # as in R, without a warning
    largest = np.finfo(float).max
    x = np.array([[largest, largest], [-largest, largest], [largest, -largest]])
    assert svd(x)["d"].tolist() == svd(x, 0, 0)["d"].tolist() == [np.inf, np.inf]
