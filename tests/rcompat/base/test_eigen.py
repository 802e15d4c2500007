"""R's eigen: errors, warnings, printing, orthogonality, columns that rest on rounding."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.bits.lapack.reflectors import norm
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen
from sparsek.errors import BlasDependentWarning, RError
from sparsek.rcompat import eigen
from validation.parity.outcome import call_ours

PRINTED = """eigen() decomposition
$values
[1] 3 1

$vectors
          [,1]       [,2]
[1,] 0.7071068 -0.7071068
[2,] 0.7071068  0.7071068
"""


def test_print_is_rs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BlasDependentWarning)
        assert str(eigen([[2, 1], [1, 2]])) == PRINTED


def test_values_alone_have_no_vectors_and_no_warning():
    found = eigen(np.eye(3), only_values=True)
    assert (found["values"].tolist(), found.vectors) == ([1, 1, 1], None)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], RError, "non-square matrix in 'eigen'"),
        ([[1, np.nan], [np.nan, 1]], RError, "infinite or missing values in 'x'"),
        ([[1, 2], [3, 1]], ValueError, "x must be symmetric"),
        ([["a"]], TypeError, "x must hold real numbers"),
    ],
)
def test_bad_input(x, error, message):
    with pytest.raises(error, match=message):
        eigen(x)


def test_rounding_errors_in_symmetry_are_passed_over():
    a = np.array([[2.0, 1.0], [1.0 + 1e-15, 2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BlasDependentWarning)
        assert eigen(a)["values"].tolist() == eigen(a, symmetric=True)["values"].tolist()


def test_equal_eigenvalues_are_warned_of():
    equal = np.full((5, 5), 0.5) + 0.5 * np.eye(5)
    with pytest.warns(BlasDependentWarning, match="R's own answer depends on its BLAS here"):
        eigen(equal)
    assert set(symmetric_eigen(equal).unsettled) >= {1, 2, 3, 4}


def test_compare_reports_it_apart_from_rs_warnings():
    setting = {"function": "eigen", "seed": 1, "sample_kind": "Rejection", "before": 0}
    ours = call_ours(setting, {"x": np.full((3, 3), 0.5) + np.eye(3)})
    assert (ours["rests_on_blas"], ours["warnings"]) == (True, [])
    assert not call_ours(setting, {"x": np.diag([2.0, 1.0])})["rests_on_blas"]


def test_diagonal_matrices_rest_on_nothing():
    assert not len(symmetric_eigen(np.diag([5.0, 3.0, 1.0])).unsettled)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 70), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e-160, 1e150]))
def test_vectors_are_orthonormal_and_give_the_matrix_back(n, seed, size):
    b = np.random.default_rng(seed).normal(size=(n, n))
    a = b + b.T
    found = symmetric_eigen(a * size)
    v = found.vectors
    bound = 1e-13 * n  # backward error of LAPACK: a small multiple of n times the rounding unit
    assert np.abs(v.T @ v - np.eye(n)).max() < bound
    assert np.abs((v * (found.values / size)) @ v.T - a).max() < bound * np.abs(a).max() * 10
    assert (np.diff(found.values) <= 0).all()


def test_where_dstemr_fails_bisection_takes_over():
    b = np.random.default_rng(63).normal(size=(63, 63))
    a = (b + b.T) * 1e150
    values = np.linalg.eigvalsh(a / 1e150)[::-1]
    assert np.abs(symmetric_eigen(a).values / 1e150 - values).max() < 1e-11  # rounding of a norm of 22


@pytest.mark.parametrize("x", [[3e200, 4e200], [3e-200, 4e-200], [3.0, 4.0]])
def test_norm_of_extreme_numbers(x):
    assert norm(np.array(x)) == pytest.approx(5 * x[0] / 3, rel=1e-15)  # scaled by powers of two


def test_norm_of_mixed_sizes():
    assert norm(np.array([1e-160, 1.0])) == 1.0
    assert norm(np.array([1e200, 1.0])) == 1e200
    assert norm(np.zeros(2)) == 0
