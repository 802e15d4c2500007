"""Prepared copies of rows, all at once and piece by piece."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.core.scaling import Scaling


def unaligned(X):
    """The same numbers at an address that is not a multiple of their size, as in memory from a socket."""
    copy = np.frombuffer(b"0" + X.tobytes(), X.dtype, offset=1).reshape(X.shape)
    assert not copy.flags.aligned
    return copy


LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "unaligned": unaligned, "strided": lambda X: X}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(
    seed=st.integers(0, 1000),
    n_rows=st.integers(1, 40),
    columns=st.sampled_from([slice(None), slice(0), [4], [0, 2, 5]]),
    some=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_pieces_are_the_formula(layout, seed, n_rows, columns, some, dtype):
    rng = np.random.default_rng(seed)
    X = LAYOUTS[layout](rng.normal(size=(60, 6)).astype(dtype)[::2])
    unit, spread = [rng.choice(values, 6).astype(dtype) for values in ([1, 2.0**40], [1, 3.7])]
    scaling = Scaling(unit, rng.normal(size=6).astype(dtype), spread)
    chosen = np.flatnonzero(rng.random(30) < 0.4) if some else None
    expected = ((X * unit - scaling.offset) * (1 / spread))[:, columns]
    expected = np.column_stack([expected, np.ones(30, dtype)])[slice(None) if chosen is None else chosen]
    found, end = [np.empty((0, expected.shape[1]))], 0
    for rows, piece in scaling.pieces(X, n_rows, columns, chosen):
        assert (rows.start, len(piece)) == (end, rows.stop - rows.start)
        assert piece.dtype == dtype
        found.append(piece.copy())
        end = rows.stop
    np.testing.assert_array_equal(np.concatenate(found), expected)


def test_apply_takes_no_rows():
    scaling = Scaling(np.ones(3), np.zeros(3), np.ones(3))
    assert scaling.apply(np.empty((0, 3)), [1]).shape == (0, 2)
