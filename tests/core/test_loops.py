"""Passes over rows entry by entry, in Python and compiled, against the same on whole arrays."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparsek import set_engine
from sparsek.core import exact_sums, loops, scaling
from sparsek.core.exact_sums import Extremes, MomentSums, added_rows, column_moments, reach_of, sum_grid
from sparsek.engine import Loop, loops_take


class InPython:
    """The loops, called as if they were compiled."""

    def __getattr__(self, name: str) -> Any:
        loop: Loop = getattr(loops, name)
        return type("Loops", (), {"compiled": staticmethod(loop.plain)})


FORMS = ["python", pytest.param("compiled", marks=pytest.mark.compiled)]
"""How the loops run."""


def looped(form: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function so that the loops run, in Python or compiled."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (exact_sums, scaling):
            patch.setattr(module, "loops_run", lambda X, entries=None: loops_take(X))
            if form == "python":
                patch.setattr(module, "loops", InPython())
        return function(*arguments)


def arrayed(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function so that it runs on whole arrays."""
    with set_engine("numpy"):
        return function(*arguments)


@st.composite
def tables(draw: st.DrawFn, holes: bool = False) -> Any:
    """Rows with huge offsets, tiny and constant columns, in either precision, and weights or None."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(1, 60)), draw(st.integers(1, 9))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    far, small = (1e12, 1e-200) if dtype == np.float64 else (1e5, 1e-30)
    X = rng.standard_normal((n, p)) + rng.choice([0.0, far], p)
    X *= rng.choice([1.0, small], p)
    X[:, rng.random(p) < 0.2] = 0.1
    if holes:
        X[rng.random((n, p)) < 0.3] = np.nan
        X[:, rng.random(p) < 0.2] = np.nan
    weights = rng.uniform(0.1, 3, n).astype(dtype) if draw(st.booleans()) else None
    return X.astype(dtype), weights


def powers(X: Any) -> Any:
    """A power of two for each column."""
    return np.ldexp(np.ones(X.shape[1], X.dtype), np.arange(X.shape[1]) - 3)


def assert_same(found: Any, expected: Any) -> None:
    for name in type(expected).__slots__:
        one, other = getattr(found, name), getattr(expected, name)
        assert type(one) is type(other)
        if one is not None:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(st.data(), st.booleans(), st.booleans())
def test_moments(form: str, data: st.DataObject, holes: bool, scaled: bool) -> None:
    X, weights = data.draw(tables(holes))
    unit = powers(X) if scaled else None
    arguments = X, weights, unit, holes
    assert_same(looped(form, column_moments, *arguments), arrayed(column_moments, *arguments))
    np.testing.assert_array_equal(looped(form, reach_of, X), arrayed(reach_of, X))


@pytest.mark.parametrize("form", FORMS)
def test_sums_of_moments_are_the_same_whole_numbers(form: str) -> None:
    X = 1e3 + np.random.default_rng(0).normal(size=(40, 5))
    second = MomentSums.of(Extremes.of(X), len(X))
    np.testing.assert_array_equal(looped(form, second.add, X), arrayed(second.add, X))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("holes", [False, True])
def test_extremes_of_columns_with_nan_and_infinity(form: str, dtype: Any, holes: bool) -> None:
    X = np.array([[np.nan, 1, np.nan, np.inf], [2, np.nan, np.nan, 0], [3, 4, np.nan, -np.inf]], dtype)
    for rows in (X, X[::-1].copy(), X[:1], X[:0]):
        assert_same(looped(form, Extremes.of, rows, holes), arrayed(Extremes.of, rows, holes))
        assert looped(form, Extremes.of, rows, holes).top.dtype == dtype


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5), st.booleans())
def test_sums_of_clusters(form: str, data: st.DataObject, k: int, moved: bool) -> None:
    X, weights = data.draw(tables())
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    labels, old = rng.integers(0, k, (2, len(X)))
    grid = sum_grid(reach_of(X), len(X), weights)
    Z = np.column_stack([X, np.ones(len(X), X.dtype)])
    arguments = Z, grid, k, labels, old if moved else None, weights
    np.testing.assert_array_equal(looped(form, added_rows, *arguments), arrayed(added_rows, *arguments))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans(), st.booleans(), st.booleans())
@example((np.array([[0.0], [1.0]]), np.array([0.1, 0.2])), True, False, False)  # of .3 rows: no variance
def test_prepared_rows(form: str, table: Any, standardize: bool, chosen: bool, rounded: bool) -> None:
    X, weights = table
    if standardize and weights is not None and scaling.has_little_weight(weights.sum(), 1, X.dtype):
        weights = weights * (8 / weights.sum())  # else nothing is left to divide by, which is refused
    one = arrayed(partial(scaling.prepare, X, weights, standardize=standardize, exact=rounded))[1]
    columns: Any = np.arange(0, X.shape[1], 2) if chosen else slice(None)
    expected = arrayed(one.apply, X, columns)
    found = looped(form, one.apply, X, columns)
    assert found.dtype == X.dtype
    assert found.tobytes() == expected.tobytes()  # the signs of zeros too
    pieces = looped(form, lambda: [Z.copy() for _, Z in one.pieces(X, 7, columns)])
    assert b"".join(piece.tobytes() for piece in pieces) == expected.tobytes()


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_rows(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X = (1e3 + rng.standard_normal((5000, 70)) * rng.uniform(0.1, 9, 70)).astype(dtype)
    labels = rng.integers(0, 9, 5000)
    Z, one = arrayed(partial(scaling.prepare, X, None, standardize=True, exact=True))
    assert looped("compiled", one.apply, X).tobytes() == Z.tobytes()
    columns = rng.choice(70, 30, replace=False)
    np.testing.assert_array_equal(looped("compiled", one.apply, X, columns)[:, :-1], Z[:, columns])
    assert_same(looped("compiled", column_moments, X), arrayed(column_moments, X))
    arguments = Z, sum_grid(one.grid.reach, 5000), 9, labels
    np.testing.assert_array_equal(looped("compiled", added_rows, *arguments), arrayed(added_rows, *arguments))


@pytest.mark.compiled
def test_rows_that_are_only_read_need_no_second_version() -> None:
    X = np.random.default_rng(0).normal(size=(6, 3))
    with set_engine("compiled"):
        expected = Extremes.of(X)
        versions = len(loops.extremes.compiled.signatures)  # type: ignore[attr-defined]
        X.setflags(write=False)
        assert_same(Extremes.of(X), expected)
        assert len(loops.extremes.compiled.signatures) == versions  # type: ignore[attr-defined]


def test_other_arrays_are_left_to_whole_arrays() -> None:
    X = np.ones((4, 6))
    assert loops_take(X)
    assert not any(map(loops_take, (X[:, ::2], X[::2, 1:], np.asfortranarray(X), X.astype(">f8"))))
