"""The published loops of the draws give what numpy gives, and leave the stream in the same state."""

import warnings

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.bits import elementary
from sparsek.engine import set_engine
from sparsek.rng import RRandom
from tests.loops import KINDS, by_loops

NAN, INF = float("nan"), float("inf")
CALLS = [
    ("runif", ([0.0, -3.0, 2.0, 5.0, INF, NAN], [1.0, 4.0, 2.0, 1.0])),
    ("rnorm", ([0.0, 2.5, INF, NAN], [1.0, 0.0, 3.0, -1.0, INF])),
    ("rexp", ([1.0, 0.25, INF, 0.0, -1.0, NAN],)),
    ("rgamma", ([0.3, 1.0, 2.0, 5.0, 60.0, 0.0, -1.0, INF, NAN, 1e9], [1.0, 2.0, 0.5])),
    ("rpois", ([0.0, 0.4, 2.0, 9.9, 10.0, 35.5, 1000.0, -1.0, INF, NAN],)),
    ("rbinom", ([10.0, 0.0, 1.5, 200.0, 1e6, 7.0, -1.0], [0.3, 0.9, 0.0, 0.5, 1.0, 2.0, NAN, 0.01])),
]
SINGLE = [
    ("runif", ()),
    ("rnorm", (1.0, 2.0)),
    ("rexp", (3.0,)),
    *(("rgamma", (shape,)) for shape in (0.1, 0.9, 1.0, 1.5, 3.7, 13.0, 14.0, 300.0)),
    *(("rpois", (mean,)) for mean in (0.01, 1.0, 5.5, 9.99, 10.0, 11.5, 77.0, 1e5)),
    *(("rbinom", pair) for pair in ((3, 0.5), (59, 0.5), (61, 0.5), (400, 0.93), (5000, 0.02), (10**6, 0.3))),
]


def drawn(function, args, size, seed):
    """Draws after a few others, the warnings, and the state."""
    stream = RRandom(seed)
    stream.skip(seed % 1000)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        draws = getattr(rcompat, function)(size, *args, rng=stream)
    return draws.tolist(), [str(warning.message) for warning in told], stream.getstate()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("function", "args"), CALLS + SINGLE)
def test_loops_draw_what_numpy_draws(kind, function, args):
    for seed, size in ((1, 0), (2, 1), (623, 60)):  # the last ones meet the end of a block of the generator
        with set_engine("numpy"):
            expected = drawn(function, args, size, seed)
        with by_loops(kind):
            found = drawn(function, args, size, seed)
        assert repr(found) == repr(expected)  # NaN equals NaN


@pytest.mark.compiled
@pytest.mark.skipif(not elementary.IS_GLIBC, reason="needs glibc")
@pytest.mark.parametrize(("function", "args"), SINGLE)
def test_many_draws(function, args):
    with set_engine("numpy"):
        expected = drawn(function, args, 5000, 5)
    with by_loops("compiled"):
        assert drawn(function, args, 5000, 5) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "size", "count"),
    [
        (1, 1, 3),
        (2, 2, 5),
        (5, 0, 2),
        (64, 64, 9),
        (65, 20, 3),
        (300, 300, 4),
        (70_000, 1500, 1),
        (65_537, 30, 2),
    ],
)
def test_samples_without_replacement(kind, n, size, count):
    with set_engine("numpy"):
        numpy_stream = RRandom(n)
        expected = numpy_stream.sample_sets(n, size, count)
    with by_loops(kind):
        stream = RRandom(n)
        np.testing.assert_array_equal(stream.sample_sets(n, size, count), expected)
    assert stream.getstate() == numpy_stream.getstate()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 10, 65_536, 65_537, 2**33 + 5])
def test_samples_with_replacement(kind, n):
    with set_engine("numpy"):
        numpy_stream = RRandom(3)
        expected = numpy_stream.sample_int(n, 500, replace=True)
    with by_loops(kind):
        stream = RRandom(3)
        np.testing.assert_array_equal(stream.sample_int(n, 500, replace=True), expected)
    assert stream.getstate() == numpy_stream.getstate()


@pytest.mark.parametrize(
    "kinds", [("Box-Muller",), ("Inversion", "Rounding"), ("Inversion", "Rejection", "Wichmann-Hill")]
)
def test_other_kinds_are_left_to_numpy(kinds):
    with set_engine("numpy"):
        expected = RRandom(1, *kinds).rnorm(2000).tolist()
    with by_loops("plain"):
        assert RRandom(1, *kinds).rnorm(2000).tolist() == expected


def test_too_many_trials_are_refused_before_a_draw():
    stream = RRandom(1)
    before = stream.getstate()
    with by_loops("plain"), pytest.raises(ValueError, match=r"size must be below 2\^31 - 1"):
        rcompat.rbinom(500, [10, 2**31], 0.3, rng=stream)
    assert stream.getstate() == before
