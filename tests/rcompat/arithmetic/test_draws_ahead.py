"""Draws of one distribution: many at a time are the same as one after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.numerics import elementary
from sparsek.rcompat.arithmetic import draws as core
from sparsek.rcompat.arithmetic.binomial_draws import binomial_sampler
from sparsek.rcompat.arithmetic.gamma_draws import gamma_sampler
from sparsek.rcompat.arithmetic.generator import LONGEST, exponential, exponentials_at
from sparsek.rcompat.arithmetic.poisson_draws import poisson_sampler
from sparsek.rng import RRandom

EXAMPLES = 60 if elementary.IS_GLIBC else 5  # our own logarithms are slow
SIZES = st.floats(-2, 6).map(lambda power: 10.0**power)
SAMPLERS = st.one_of(
    st.builds(gamma_sampler, SIZES | st.floats(0.01, 4), st.sampled_from([1.0, 0.3])),
    st.builds(poisson_sampler, SIZES | st.floats(8, 20)),
    st.builds(binomial_sampler, st.integers(1, 10**6).map(float), st.floats(0.001, 0.999)),
    st.builds(binomial_sampler, st.integers(60, 400).map(float), st.sampled_from([0.5, 0.1, 0.9])),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(SAMPLERS, st.integers(0, 2**31 - 1), st.integers(0, 1500))
def test_many_at_a_time_are_single_draws(sampler, seed, size):
    at_once, one_by_one = RRandom(seed), RRandom(seed)
    outputs = core.Outputs(at_once, 3 * size)
    draws = core.draw_ahead(outputs, size, sampler)
    outputs.close()
    outputs = core.Outputs(one_by_one, 3 * size)
    np.testing.assert_array_equal(draws, [sampler(outputs) for _ in range(size)])
    outputs.close()
    assert at_once.getstate() == one_by_one.getstate()


@pytest.mark.parametrize("kind", ["Wichmann-Hill", "Knuth-TAOCP-2002", "L'Ecuyer-CMRG"])
@pytest.mark.parametrize("normal_kind", ["Inversion", "Box-Muller", "Ahrens-Dieter"])
@pytest.mark.parametrize(("function", "args"), [("rgamma", (2,)), ("rpois", (30,)), ("rbinom", (500, 0.7))])
def test_other_kinds(kind, normal_kind, function, args):
    draw = getattr(rcompat, function)
    at_once, in_parts = RRandom(3, normal_kind, kind=kind), RRandom(3, normal_kind, kind=kind)
    draws = draw(400, *args, rng=at_once).tolist()
    assert draws == [x for _ in range(8) for x in draw(50, *args, rng=in_parts).tolist()]
    assert at_once.getstate() == in_parts.getstate()


class EverySecondOpen(core.BlockSampler):
    """Draws of one or two uniforms, half of which `ahead` leaves open."""

    def __call__(self, outputs):
        first = next(outputs)
        return first if first < 0.5 else -next(outputs)

    def ahead(self, u):
        used = np.where(u < 0.5, 1, 2).astype(np.uint8)
        used[(u * 1e6) % 2 < 1] = core.OPEN
        return used[:-1], lambda at: np.where(u[at] < 0.5, u[at], -u[at + 1])


def test_open_starts_are_drawn_one_by_one():
    outputs, alone = core.Outputs(RRandom(1), 10), core.Outputs(RRandom(1), 10)
    draws = core.draw_ahead(outputs, 300, EverySecondOpen())
    assert draws.tolist() == [EverySecondOpen()(alone) for _ in range(300)]
    assert outputs.used == alone.used


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3000), st.sampled_from([2, 3, 20, 240]))
def test_the_chain_of_starts(seed, length, longest):
    used = np.random.default_rng(seed).integers(1, longest, size=length, dtype=np.uint8)
    expected, at = [], 0
    while at < length:
        expected.append(at)
        at += int(used[at])
    assert core.chain(used).tolist() == expected


def test_exponentials_of_every_start():
    u = RRandom(2).runif(5000)
    u[100:104] = [0.5, 0.25, 2.0**-33, 1 - 2.0**-32]  # powers of two are doubled once more
    at = np.arange(len(u) - LONGEST)
    draws, used = exponentials_at(u, at)
    for i in at.tolist():
        stream = iter(u[i : i + LONGEST].tolist())
        assert draws[i] == exponential(stream)
        assert LONGEST - len(list(stream)) == used[i]
