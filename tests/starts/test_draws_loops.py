"""Draws of k-means++ step by step: the loops in Python and compiled give the bits of whole arrays."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import set_engine
from sparsek.core.scaling import prepare
from sparsek.engine import Loop
from sparsek.methods.kernel.kernel_kmeans import KernelView
from sparsek.starts import seeds
from sparsek.starts.seeds import View, each_start

LOOPS = ["in Python", pytest.param("compiled", marks=pytest.mark.compiled)]


@contextmanager
def looped(how: str) -> Iterator[None]:
    """The loops run, compiled or in Python."""
    if how == "compiled":
        with set_engine("compiled"):
            yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "compiles", lambda *_: True)
        patch.setattr(Loop, "compiled", property(lambda self: self.plain))
        patch.setattr(Loop, "called", property(lambda self: self.plain))
        yield


@st.composite
def prepared(draw):
    """Prepared data with many equal rows and equal distances, sample weights or None, and a power."""
    n, p = draw(st.integers(4, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, draw(st.integers(1, 5)), (n, p)) / draw(st.sampled_from([1.0, 3.0]))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    weights = rng.integers(1, 4, n).astype(dtype) if draw(st.booleans()) else None
    Z, _ = prepare(X.astype(dtype), weights, standardize=draw(st.booleans()))
    return Z, weights, draw(st.sampled_from([0, 1, 2]))


def same_starts(views: list[View], weights: np.ndarray | None, power: int, how: str) -> None:
    """Labels and rows of three starts of each view agree with those of numpy."""
    drawn = np.arange(3 * len(views))
    with set_engine("numpy"):
        expected = each_start(views, 3, drawn, weights, power)
    with looped(how):
        found = each_start(views, 3, drawn, weights, power)
    for (labels, rows), (expected_labels, expected_rows) in zip(found, expected, strict=True):
        assert np.array_equal(rows, expected_rows)
        assert labels.dtype == expected_labels.dtype
        assert np.array_equal(labels, expected_labels)


@pytest.mark.parametrize("how", LOOPS)
@given(problem=prepared(), piece=st.sampled_from([20, 2**17]))
def test_starts_of_rows(how, problem, piece):
    Z, weights, power = problem
    p = Z.shape[1] - 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "PIECE_ENTRIES", piece)
        same_starts([View(Z), View(Z[:, [*range(0, p, 2), p]])], weights, power, how)


@pytest.mark.parametrize("how", LOOPS)
@given(problem=prepared())
def test_starts_of_a_kernel(how, problem):
    Z, weights, power = problem
    K = np.asfortranarray(np.column_stack([Z[:, :-1] @ Z[:, :-1].T, np.ones(len(Z), Z.dtype)]))
    same_starts([KernelView(K, mass=weights)], weights, power, how)
