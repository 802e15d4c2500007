"""R's stream: recorded values, state, edges and bad input. Every comparison is exact."""

import contextvars
import math

import numpy as np
import pytest

from sparsek.errors import RError, RWarning
from sparsek.rng import RRandom, current_stream, resolve_rng
from sparsek.rng.exponentials import exponentials
from sparsek.rng.generator import normal_quantile, uniforms

# Values that R 4.2.2 gave on x86-64 Linux.


def test_random_seed():
    seed = RRandom(1).random_seed
    assert seed.dtype == np.int32
    assert seed.shape == (626,)
    assert seed[:6].tolist() == [10403, 624, -169270483, -442010614, -603558397, -222347416]
    assert RRandom(1, sample_kind="Rounding").random_seed[0] == 403


@pytest.mark.parametrize(
    ("seed", "method", "n", "expected"),
    [
        (1, "runif", 4, [0.26550866314209998, 0.37212389963679016, 0.57285336335189641, 0.90820778999477625]),
        (
            1,
            "rnorm",
            4,
            [-0.62645381074233242, 0.18364332422208224, -0.83562861241004716, 1.5952808021377916],
        ),
        (-7, "rnorm", 2, [-0.44961272857821438, -0.65965939010483454]),
        (1, "rexp", 4, [0.75518183312834519, 1.181642779107106, 0.14570672670379281, 0.13979526186849781]),
    ],
)
def test_distributions(seed, method, n, expected):
    assert getattr(RRandom(seed), method)(n).tolist() == expected


def test_range_of_normals():
    draws = RRandom(10).rnorm(10000)
    assert (draws.min(), draws.max()) == (-3.5315628653314461, 3.8125803358760901)


def test_rejection_stream():
    rng = RRandom(42)
    assert rng.sample_int(10).tolist() == [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]
    assert rng.sample_int(70000, 4).tolist() == [47128, 16740, 61605, 9091]
    assert rng.sample_int(6, 8, True).tolist() == [1, 1, 3, 4, 5, 5, 5, 4]
    assert rng.runif(1).tolist() == [0.81105514126829803]


def test_rounding_stream():
    rng = RRandom(42, sample_kind="Rounding")
    assert rng.sample_int(10).tolist() == [10, 9, 3, 6, 4, 8, 5, 1, 2, 7]
    assert rng.sample_int(6, 8, True).tolist() == [3, 5, 6, 2, 3, 6, 6, 1]
    assert rng.runif(1).tolist() == [0.47499708156101406]


def test_weighted():
    rng = RRandom(3)
    weights = [0.1, 0.2, 0.2, 0.4, 0.1]
    assert rng.sample_int(5, 3, False, weights).tolist() == [4, 5, 3]
    assert rng.sample_int(5, 6, True, weights).tolist() == [4, 2, 2, 4, 4, 3]
    alias = RRandom(3).sample_int(300, 6, True, np.arange(1, 301))
    assert alias.tolist() == [206, 140, 283, 216, 183, 277]
    # for a single weighted draw `replace` chooses the algorithm, never the alias method
    assert RRandom(1).sample_int(300, 1, False, np.ones(300)).tolist() == [81]
    assert RRandom(1).sample_int(300, 1, True, np.ones(300)).tolist() == [167]


def test_hashed_and_sample():
    assert RRandom(3).sample_int(2 * 10**7, 3).tolist() == [17092282, 9130983, 2333370]
    rng = RRandom(5)
    assert rng.sample([2.5, 7]).tolist() == [7, 2.5]
    assert rng.sample(4).tolist() == [1, 3, 4, 2]
    assert rng.sample(3.7).tolist() == [1, 3, 2]


def test_uniform_is_never_zero():
    tiny = uniforms(np.array([0, 1], dtype=np.uint64))
    assert tiny.tolist() == [0.5 * 2.328306437080797e-10, 2.0**-32]


def test_quantiles_at_the_ends():
    p = np.array([0.0, 5e-324, 0.5, 1 - 2**-53, 1.0])
    q = normal_quantile(p)
    assert (q[0], q[2], q[4]) == (-math.inf, 0.0, math.inf)
    assert q[1] < -38
    assert q[3] > 8


# State.


def test_skip_is_drawing():
    rng, drawn = RRandom(1), RRandom(1)
    rng.skip(7)
    drawn.runif(1)
    drawn.rnorm(3)
    assert rng.getstate() == drawn.getstate()


def test_sample_kind_leaves_the_state_alone():
    rng = RRandom(1)
    before = rng.random_seed[1:]
    rng.sample_kind = "Rounding"
    np.testing.assert_array_equal(rng.random_seed[1:], before)


def test_repr_and_fresh_entropy():
    assert repr(RRandom(5)) == "<RRandom Rejection, words a8f65896, position 624 of 624>"
    assert RRandom().getstate() != RRandom().getstate()


def test_fractions_are_truncated_toward_zero():
    assert RRandom(1.9).getstate() == RRandom(1).getstate()
    assert RRandom(-0.9).getstate() == RRandom(0).getstate()
    assert RRandom(np.int8(-7)).getstate() == RRandom(np.float32(-7.5)).getstate()
    assert RRandom(2147483647.5).getstate() == RRandom(2**31 - 1).getstate()
    assert RRandom(1).sample_int(3.9, 1.9).tolist() == RRandom(1).sample_int(3, 1).tolist()


# Edges and bad input.


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("runif", (2, 1, 0), [math.nan, math.nan]),
        ("runif", (2, math.nan, 0), [math.nan, math.nan]),
        ("runif", (2, math.inf, math.inf), [math.nan, math.nan]),
        ("runif", (1, []), [math.nan]),
        ("rnorm", (2, 0, -1), [math.nan, math.nan]),
        ("rnorm", (2, 0, math.inf), [math.nan, math.nan]),
        ("rnorm", (2, math.inf, -1), [math.nan, math.nan]),
        ("rexp", (3, [-1, 0, 1e-320]), [math.nan] * 3),
    ],
)
def test_nan_with_warning_and_no_draw(method, arguments, expected):
    rng = RRandom(1)
    with pytest.warns(RWarning, match="NAs produced"):
        draws = getattr(rng, method)(*arguments)
    np.testing.assert_array_equal(draws, expected)
    assert rng.getstate() == RRandom(1).getstate()


def test_degenerate_parameters_draw_nothing():
    rng = RRandom(1)
    assert rng.runif(2, 3, 3).tolist() == [3, 3]
    assert rng.rnorm(2, 3, 0).tolist() == [3, 3]
    assert rng.rnorm(1, math.inf).tolist() == [math.inf]
    assert rng.rexp(2, math.inf).tolist() == [0, 0]
    assert rng.sample_int(0).size == rng.sample_int(5, 0).size == rng.runif(0).size == 0
    assert rng.unif_index(0) == rng.unif_index(-3) == 0
    assert rng.getstate() == RRandom(1).getstate()


def test_a_pool_of_one_costs_a_draw():
    rng = RRandom(1)
    assert rng.sample_int(1).tolist() == [1]
    assert rng.runif(1).tolist() == RRandom(1).runif(2)[1:].tolist()


@pytest.mark.parametrize(
    "seed", [True, np.True_, "1", math.nan, math.inf, 2**31, -(2**31), 10**400, 1j, [1, 2]], ids=repr
)
def test_bad_seed(seed):
    with pytest.raises(RError, match="supplied seed is not a valid integer"):
        RRandom(seed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 5), "cannot take a sample larger than the population when 'replace = FALSE'"),
        ((3, 5, False, [1, 2]), "cannot take a sample larger than the population when 'replace = FALSE'"),
        ((3, 2, False, [1, math.nan, 2]), "NA in probability vector"),
        ((3, 2, False, "abc"), "NA in probability vector"),
        ((3, 2, False, [1, -1, 2]), "negative probability"),
        ((3, 3, False, [1, 0, 2]), "too few positive probabilities"),
        ((3, 2, True, [0, 0, 0]), "too few positive probabilities"),
        ((3, 2, True, [1, 2]), "incorrect number of probabilities"),
        ((-1,), "invalid first argument"),
        ((math.nan,), "invalid first argument"),
        (("5",), "invalid first argument"),
        ((1e16, 3), "invalid first argument"),
        ((0, 1), "invalid first argument"),
        ((0, 1, True), "invalid first argument"),
        ((3, -1), "invalid 'size' argument"),
        ((3, True), "invalid 'size' argument"),
        ((3, 1, None), "invalid 'replace' argument"),
    ],
    ids=str,
)
def test_bad_sample(arguments, message):
    rng = RRandom(1)
    with pytest.raises(RError) as caught:
        rng.sample_int(*arguments)
    assert caught.value.r_message == message
    assert str(caught.value).startswith(f"{message} [")
    assert rng.getstate() == RRandom(1).getstate()


@pytest.mark.parametrize("n", [-1, math.nan, math.inf, "3", None, True], ids=repr)
@pytest.mark.parametrize("method", ["runif", "rnorm", "rexp", "skip"])
def test_bad_count(method, n):
    with pytest.raises(RError, match="invalid arguments"):
        getattr(RRandom(1), method)(n)


def test_other_bad_input():
    rng = RRandom(1)
    with pytest.raises(RError, match="min must be numbers; got 'a'"):
        rng.runif(1, "a")
    with pytest.raises(ValueError, match=r"got shape \(2, 2\)"):
        rng.sample(np.eye(2))
    with pytest.raises(RError, match="cannot take a sample larger"):
        rng.sample_sets(3, 4, 2)
    with pytest.raises(RError, match="sample_kind must be 'Rejection' or 'Rounding'; got 'R'"):
        RRandom(1, sample_kind="R")
    with pytest.raises(RError, match=r"normal_kind must be 'Buggy Kinderman-Ramage' or .*; got 'Box'"):
        RRandom(1, normal_kind="Box")
    with pytest.raises(RError, match=r"kind must be 'Mersenne-Twister' or .*; got 'Knuth'"):
        RRandom(1, kind="Knuth")
    for state in ([1, 2], np.zeros(626), np.zeros(626, int), (10403, 625, bytes(2496)), (403, 1, b""), None):
        with pytest.raises(RError, match=r"Random\.seed"):
            rng.setstate(state)
    assert rng.getstate() == RRandom(1).getstate()


def test_the_largest_uniform_takes_the_most_draws_for_an_exponential():
    # Twice the first uniform, less 1, is u = 1 - 2^-31. The sums of (ln 2)^i / i! pass it at i = 11: the
    # rest of the series falls below 2^-31 there: algorithm SA takes the least of 11 uniforms.
    rest = [sum(math.log(2) ** i / math.factorial(i) for i in range(k + 1, 40)) for k in (10, 11)]
    assert rest[1] < 2.0**-31 <= rest[0]
    words = np.array([2**32 - 1, *range(3_000_000_000, 1_000_000_000, -100_000_000)], dtype=np.uint64)
    draws, used = exponentials(words, 1)
    assert used == 12
    assert draws[0] == uniforms(words[11:12])[0] * 0.6931471805599453


def test_there_is_no_stream_before_its_first_draw_or_seed():
    """As R has no ``.Random.seed`` then; a call that asks for the stream and does not draw makes none."""

    def states():
        found = []
        for step in (
            lambda: None,
            resolve_rng,
            lambda: resolve_rng().runif(1),
            lambda: resolve_rng().seed(1),
        ):
            step()
            found.append(current_stream() is not None)
        return found

    assert contextvars.Context().run(states) == [False, False, True, True]
