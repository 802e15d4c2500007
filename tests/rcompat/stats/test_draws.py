"""R's random draws: numbers of draws, types, recycling, errors, and long runs against a running R."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r_reference.bridge import available
from sparsek import rcompat
from sparsek.bits import elementary
from sparsek.errors import RError, RWarning
from sparsek.rng import RRandom

ARGUMENTS = {
    "runif": (),
    "rnorm": (),
    "rexp": (),
    "rgamma": (2.5,),
    "rchisq": (3,),
    "rbeta": (2, 0.5),
    "rt": (4,),
    "rlnorm": (),
    "rweibull": (2,),
    "rcauchy": (),
    "rlogis": (),
    "rpois": (30,),
    "rbinom": (500, 0.3),
    "rgeom": (0.2,),
    "rnbinom": (3, 0.4),
    "rhyper": (30, 70, 40),
}
"""Usual parameters of every function whose number of draws may be a vector."""


@pytest.mark.parametrize("function", ARGUMENTS)
def test_a_vector_counts_by_its_length(function):
    draw, args = getattr(rcompat, function), ARGUMENTS[function]
    expected = draw(3, *args, rng=RRandom(1)).tolist()
    for n in ([5, 6, 7], (0, 0, 0), np.array([1.5, 2, np.nan]), range(3), [3], 3.9):
        assert draw(n, *args, rng=RRandom(1)).tolist() == expected
    assert draw([], *args, rng=RRandom(1)).shape == (0,)


@pytest.mark.parametrize("function", [name for name in ARGUMENTS if ARGUMENTS[name]])
@pytest.mark.parametrize("n", [-1, "three", None, np.nan, [-1]])
def test_a_wrong_number_of_draws(function, n):
    rng = RRandom(1)
    with pytest.raises(RError) as caught:
        getattr(rcompat, function)(n, *ARGUMENTS[function], rng=rng)
    assert caught.value.r_message == "invalid arguments"
    assert rng.getstate() == RRandom(1).getstate()


@pytest.mark.parametrize("function", [name for name in ARGUMENTS if ARGUMENTS[name]])
def test_parameters_that_are_no_numbers(function):
    rng = RRandom(1)
    with pytest.raises(RError, match="must be numbers"):
        getattr(rcompat, function)(3, *["a" for _ in ARGUMENTS[function]], rng=rng)
    assert rng.getstate() == RRandom(1).getstate()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(ARGUMENTS)), st.integers(0, 2**31 - 1), st.integers(0, 40), st.integers(0, 650))
def test_one_call_is_as_many_calls(function, seed, n, before):
    draw, args = getattr(rcompat, function), ARGUMENTS[function]
    at_once, one_by_one = RRandom(seed), RRandom(seed)
    at_once.skip(before)
    one_by_one.skip(before)
    draws = draw(n, *args, rng=at_once).tolist()
    assert draws == [draw(1, *args, rng=one_by_one)[0] for _ in range(n)]
    assert at_once.getstate() == one_by_one.getstate()


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["rgamma", "rchisq", "rpois", "rt"]),
    st.lists(st.floats(0.01, 200), min_size=1, max_size=5),
    st.integers(0, 12),
)
def test_recycling_is_one_call_for_each_draw(function, parameters, n):
    draw = getattr(rcompat, function)
    recycled, alone = RRandom(5), RRandom(5)
    draws = draw(n, parameters, rng=recycled).tolist()
    assert draws == [draw(1, parameters[i % len(parameters)], rng=alone)[0] for i in range(n)]
    assert recycled.getstate() == alone.getstate()


def test_counts_are_integers_where_R_has_integers():
    for function in ("rpois", "rbinom", "rgeom", "rnbinom", "rhyper"):
        assert getattr(rcompat, function)(4, *ARGUMENTS[function], rng=RRandom(1)).dtype == np.int64
    assert rcompat.rmultinom(2, 9, [1, 2, 3], rng=RRandom(1)).dtype == np.int64
    assert rcompat.rnbinom(4, 3, mu=2, rng=RRandom(1)).dtype == np.float64
    assert rcompat.rpois(2, 1e10, rng=RRandom(1)).dtype == np.float64  # above R's largest integer
    with pytest.warns(RWarning, match="^NAs produced$"):
        draws = rcompat.rpois(3, [1, -1], rng=RRandom(1))
    assert draws.dtype == np.float64
    assert np.isnan(draws).tolist() == [False, True, False]


def test_multinomial_draws_are_columns():
    draws = rcompat.rmultinom([4, 9], [10, 3], [1, 2, 0, 5], rng=RRandom(1))
    assert draws.shape == (4, 4)
    assert draws.sum(axis=0).tolist() == [10] * 4
    assert draws[2].tolist() == [0] * 4


def test_more_trials_than_carried_over():
    rng = RRandom(1)
    with pytest.raises(ValueError, match=r"size must be below 2\^31 - 1 = 2147483647; got 2147483648"):
        rcompat.rbinom(2, [5, 2**31], 0.5, rng=rng)
    assert rng.getstate() == RRandom(1).getstate()
    assert rcompat.rbinom(1, 2**40, 1, rng=rng).tolist() == [2**40]


def test_more_balls_than_carried_over():
    rng = RRandom(1)
    with pytest.raises(ValueError, match=r"m \+ n must be below 2\^31 = 2147483648; got 2147483648"):
        rcompat.rhyper(2, [5, 2**31 - 1], 1, 3, rng=rng)
    assert rng.getstate() == RRandom(1).getstate()
    assert rcompat.rhyper(1, 2**31 - 2, 1, 2**31 - 1, rng=rng).tolist() == [2**31 - 2]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2000), st.integers(0, 2000), st.data())
def test_white_and_black_balls_add_up(white, black, data):
    drawn = data.draw(st.integers(0, white + black))
    counts = rcompat.rhyper(20, white, black, drawn, rng=RRandom(3))
    assert counts.min() >= max(0, drawn - black)
    assert counts.max() <= min(white, drawn)


def test_the_first_seed_counts():
    rcompat.set_seed([1, 2], sample_kind="default")
    assert rcompat.resolve_rng().getstate() == RRandom(1).getstate()
    for seed in ([], [np.nan, 1]):
        with pytest.raises(RError, match="the seed must be a number"):
            rcompat.set_seed(seed)
    assert rcompat.resolve_rng().getstate() == RRandom(1).getstate()


def test_replace_may_be_a_number():
    for replace in (1, 2, 0.5, [1]):
        draws = rcompat.sample(5, 10, replace, rng=RRandom(7)).tolist()
        assert draws == rcompat.sample(5, 10, True, rng=RRandom(7)).tolist()
    assert rcompat.sample(1, 500, 1, rng=RRandom(7)).tolist() == [1] * 500
    assert sorted(rcompat.sample(4, 4, 0, rng=RRandom(7)).tolist()) == [1, 2, 3, 4]
    rng = RRandom(1)
    for replace in (np.nan, "a", [True, False], [], None):
        with pytest.raises(RError) as caught:
            rcompat.sample(5, 3, replace, rng=rng)
        assert caught.value.r_message == "invalid 'replace' argument"
    assert rng.getstate() == RRandom(1).getstate()


LONG = [
    *(("rgamma", (shape,)) for shape in (0.05, 0.8, 1, 2, 3.686, 10, 13.022, 500)),
    *(("rbeta", shapes) for shapes in ((0.5, 0.5), (0.1, 3), (3, 0.1), (1, 1), (2, 3), (3, 2), (50, 80))),
    *(("rt", (df,)) for df in (0.7, 3, 50)),
    ("rweibull", (0.5,)),
    ("rcauchy", ()),
    ("rlogis", ()),
    ("rlnorm", ()),
    *(("rpois", (mu,)) for mu in (0.3, 9.99, 10, 17.5, 1e4)),
    *(("rbinom", trials) for trials in ((10, 0.3), (100, 0.29), (100, 0.31), (500, 0.9), (10**6, 0.3))),
    ("rbinom", (10**9, 0.2)),  # the 32-bit product of step 5 wraps
    *(
        ("rhyper", urn)
        for urn in ((8, 8, 8), (60, 40, 70), (300, 500, 400), (9000, 4000, 7000), (38, 10**9, 10**8))
    ),
    ("rgeom", (0.01,)),
    ("rnbinom", (3, 0.1)),
]
"""Parameters for every branch of the algorithms."""


@pytest.mark.live_r
@pytest.mark.parametrize(("function", "args"), LONG, ids=str)
def test_long_runs(function, args):
    there, reason = available()
    if not there:
        pytest.skip(reason)  # counted and printed with its reason by conftest
    from rpy2 import robjects

    n = 20000 if elementary.IS_GLIBC else 1000  # our own logarithms are slow
    call = ", ".join([str(n), *map(repr, args)])
    robjects.r("set.seed(11, kind='default', normal.kind='default', sample.kind='default'); 0")
    expected = np.array(robjects.r(f"as.numeric({function}({call}))"))
    rng = RRandom(11)
    draws = getattr(rcompat, function)(n, *args, rng=rng)
    np.testing.assert_array_equal(draws, expected)
    np.testing.assert_array_equal(rng.random_seed, np.array(robjects.r(".Random.seed")))


def test_probabilities_that_are_text_are_refused():
    with pytest.raises(RError, match=r"NA in probability vector.*must be numbers; got 'x'"):
        rcompat.rmultinom(3, 105, "x")


@pytest.mark.parametrize("kind", ["Wichmann-Hill", "Knuth-TAOCP-2002", "L'Ecuyer-CMRG"])
@pytest.mark.parametrize("normal_kind", ["Inversion", "Box-Muller", "Ahrens-Dieter"])
@pytest.mark.parametrize(("function", "args"), [("rgamma", (2,)), ("rpois", (30,)), ("rbinom", (500, 0.7))])
def test_many_draws_of_other_kinds_are_those_of_some_at_a_time(kind, normal_kind, function, args):
    draw = getattr(rcompat, function)
    at_once, in_parts = RRandom(3, normal_kind, kind=kind), RRandom(3, normal_kind, kind=kind)
    draws = draw(400, *args, rng=at_once).tolist()
    assert draws == [x for _ in range(8) for x in draw(50, *args, rng=in_parts).tolist()]
    assert at_once.getstate() == in_parts.getstate()


@pytest.mark.parametrize("ncp", [0.0, 5e-324, 1e-300, 1e300])
def test_t_draws_with_negative_freedom_are_nan_with_rs_warning_alone(ncp):
    with pytest.warns(RWarning, match="^NAs produced$") as caught:
        found = rcompat.rt(3, -1, ncp=ncp, rng=RRandom(1))
    assert np.isnan(found).all()
    assert len(caught) == 1
