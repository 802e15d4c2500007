"""R's other generators: their states, copies, blocks, and what a state must be. Every comparison is exact."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rng import RRandom
from sparsek.rng.kinds import LECUYER_MODULI, LECUYER_STEPS, OTHERS, product

KINDS = sorted(OTHERS)
NORMALS = ["Inversion", "Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage", "Buggy Kinderman-Ramage"]


@pytest.mark.parametrize(
    ("kind", "draws", "state"),
    [
        ("Wichmann-Hill", [0.12971341365353894, 0.982240726317961], [10400, 22819, 28832, 16288]),
        ("Marsaglia-Multicarry", [0.006153224270360828, 0.55323395006201082], [10401, 222536863, 756841322]),
        ("Super-Duper", [0.37140747797009699, 0.47897232335036899], [10402, 635404935, -1788029315]),
        (
            "Knuth-TAOCP",
            [0.93130223546177193, 0.099692700430750888],
            [10404, 999978161, 107044222, 524628894],
        ),
        ("Knuth-TAOCP-2002", [0.47016307152807735, 0.15850737318396577], [10406, 504833754, 170195996]),
        ("L'Ecuyer-CMRG", [0.6775328286287442, 0.42734572288764422], [10407, 1803868724, 1257461568]),
    ],
)
def test_values_that_r_gave(kind, draws, state):
    rng = RRandom(1, kind=kind)
    assert rng.runif(4)[:2].tolist() == draws
    assert rng.random_seed[: len(state)].tolist() == state


def test_normals_that_r_gave():
    expected = {
        "Ahrens-Dieter": [0.67411773164281497, 1.0641435248508742, -0.14389729777363211],
        "Box-Muller": [-0.13679691335324776, 1.3994082455603096, -0.39364406143566405],
        "Kinderman-Ramage": [-0.72586443635002973, 1.2325156080972606, 0.28036952823499206],
        "Buggy Kinderman-Ramage": [-0.72586443635143016, 1.2325156080942392, 0.28036952823392824],
    }
    for kind, draws in expected.items():
        assert RRandom(1, normal_kind=kind).rnorm(3).tolist() == draws


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(NORMALS),
    st.integers(-(2**31) + 1, 2**31 - 1),
    st.integers(0, 400),
)
def test_blocks_and_copies_go_on_alike(kind, normal_kind, seed, n):
    whole, parts = (RRandom(seed, normal_kind, kind=kind) for _ in range(2))
    drawn = np.concatenate([whole.rnorm(n), whole.runif(n), whole.rexp(5)])
    first = [parts.rnorm(n // 3), parts.rnorm(n - n // 3)]
    others = [copy.copy(parts), pickle.loads(pickle.dumps(parts)), RRandom()]
    others[2].setstate(parts.getstate())
    for other in (parts, *others):
        rest = [other.runif(n // 2), other.runif(n - n // 2), other.rexp(5)]
        assert np.concatenate(first + rest).tolist() == drawn.tolist()
        assert other.getstate() == whole.getstate()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample_kind", ["Rejection", "Rounding"])
def test_single_indices_are_those_of_blocks(kind, sample_kind):
    single, block = (RRandom(3, sample_kind=sample_kind, kind=kind) for _ in range(2))
    for n in (1, 7, 65536, 2**25 + 1, 2**31 - 1, 10**15):
        assert [single.unif_index(n) + 1 for _ in range(60)] == block.sample_int(n, 60, True).tolist()
        assert single.getstate() == block.getstate()


@pytest.mark.parametrize("kind", KINDS)
def test_random_seed_of_r_goes_in_and_out(kind):
    rng = RRandom(8, "Ahrens-Dieter", "Rounding", kind)
    other = RRandom(1)
    other.setstate(rng.random_seed.tolist())
    assert other.kinds == (kind, "Ahrens-Dieter", "Rounding")
    assert other.getstate() == rng.getstate()
    assert kind in repr(rng)
    rng.skip(9)
    other.runif(9)
    assert other.getstate() == rng.getstate()


def test_states_are_repaired_as_r_does():
    # what R 4.2.2 shows after one uniform from the state on the left
    for given_state, after in [
        ([10400, 0, 0, 0], [10400, 171, 172, 170]),
        ([10400, 30269, -1, 99999], [10400, 171, 7153, 18950]),
        ([10401, 0, 0], [10401, 36969, 18000]),
        ([10402, 0, 0], [10402, 131073, 69069]),
        ([10402, 5, 4], [10402, 655365, 345345]),
        ([10407, 1, 2, 3, 0, 0, 0], [10407, 2, 3, 1996432, 0, 0, 0]),
    ]:
        rng = RRandom(1)
        rng.setstate(given_state)
        rng.runif(1)
        assert rng.random_seed.tolist() == after


def test_states_that_no_generator_has():
    rng = RRandom(1)
    for state in (
        [10407] + [0] * 6,
        [10407] + [-1] * 6,
        [10407, 1, 2, 3, 4, -22800, 0],
        [10404] + [0] * 100 + [5],
        [10406] + [2**30] * 100 + [5],
        [10405, 1, 2],
        [10408, 1, 2, 3],
        [10603] + [1] * 625,
        [20403] + [1] * 625,
        [10400, 1, 2],
        [10407, 1, 2, 3, 4, 5, 6, 7],
    ):
        with pytest.raises(RError, match=r"Random\.seed"):
            rng.setstate(state)
    assert rng.getstate() == RRandom(1).getstate()


def test_largest_and_smallest_draws_stay_inside():
    top = OTHERS["Super-Duper"].at((0, 1))
    assert 0 < top.random_raw() < 1
    assert RRandom(1, kind="Super-Duper").runif(3).max() < 1


def test_matrices_multiply_as_steps():
    state = np.array([11, 12, 13], dtype=object)
    for step, modulus in zip(LECUYER_STEPS, LECUYER_MODULI, strict=True):
        twice = product(step, step, modulus)
        steps = np.array(step, dtype=object)
        assert (np.array(twice, dtype=object) @ state % modulus).tolist() == (
            steps @ (steps @ state % modulus) % modulus
        ).tolist()
