"""R's random functions: the stream of the running thread or task."""

import asyncio
import threading

import pytest

from sparsek import rcompat
from sparsek.errors import RError, RWarning
from sparsek.rng import RRandom


def test_functions_use_the_contexts_stream():
    rng = RRandom(9)
    rcompat.set_seed(9, sample_kind="default")
    for name, arguments in [
        ("runif", (3,)),
        ("rnorm", (2, 1)),
        ("rexp", (2,)),
        ("sample", (5,)),
        ("sample_int", (9, 2)),
    ]:
        expected = getattr(rng, name)(*arguments).tolist()
        assert getattr(rcompat, name)(*arguments).tolist() == expected
    assert rcompat.resolve_rng().getstate() == rng.getstate()
    before = rcompat.resolve_rng().getstate()
    assert rcompat.runif(1, rng=RRandom(1)).tolist() == RRandom(1).runif(1).tolist()
    assert rcompat.resolve_rng().getstate() == before
    with pytest.raises(TypeError, match="got int"):
        rcompat.runif(1, rng=1)


def test_kinds():
    rcompat.set_seed(1, sample_kind="default")
    with pytest.warns(RWarning, match="non-uniform 'Rounding' sampler used"):
        previous = rcompat.RNGkind(sample_kind="Rounding")
    assert previous == ("Mersenne-Twister", "Inversion", "Rejection")
    assert rcompat.resolve_rng().getstate() == RRandom(1, sample_kind="Rounding").getstate()
    rcompat.set_seed(2)
    assert rcompat.RNGkind() == ("Mersenne-Twister", "Inversion", "Rounding")
    with pytest.warns(RWarning, match="Rounding"):
        rcompat.set_seed(2, sample_kind="Rounding")
    rcompat.set_seed(1, "default", "default", "default")
    # choosing the generator reseeds it from the stream; R gives these words
    rcompat.RNGkind("Mersenne-Twister")
    assert rcompat.resolve_rng().random_seed[:4].tolist() == [10403, 624, 1222746892, 1963142301]
    before = rcompat.resolve_rng().getstate()
    for bad, message in [
        ({"kind": "M"}, "'M' is not a valid abbreviation of an RNG"),
        ({"kind": "user-supplied"}, "'user_unif_rand' not in load table"),
        ({"kind": 3}, r"'kind' must be a character string of length 1 \(RNG to be used\)"),
        ({"normal_kind": "X"}, "'NA' is not a valid choice"),
        ({"sample_kind": "R"}, "'NA' is not a valid choice"),
    ]:
        with pytest.raises(RError, match=message):
            rcompat.RNGkind(**bad)
        with pytest.raises(RError, match=message):
            rcompat.set_seed(1, **bad)
    with pytest.raises(RError, match="buggy version of Kinderman-Ramage generator is not allowed"):
        rcompat.set_seed(1, normal_kind="Buggy")
    with pytest.raises(RError, match="not a valid integer"):
        rcompat.set_seed("x")
    assert rcompat.resolve_rng().getstate() == before


def test_other_kinds():
    rcompat.set_seed(1, "L'Ecuyer", "Box-Muller", "Rejection")
    assert rcompat.RNGkind() == ("L'Ecuyer-CMRG", "Box-Muller", "Rejection")
    rng = RRandom(1, "Box-Muller", kind="L'Ecuyer-CMRG")
    # the second normal of a pair is kept, by set_seed and by naming the normal kind it is forgotten
    expected = rng.rnorm(4).tolist()
    assert [float(rcompat.rnorm(1)[0]) for _ in range(3)] == expected[:3]
    assert rcompat.resolve_rng().getstate() != rng.getstate()
    assert rcompat.rnorm(1).tolist() == expected[3:]
    assert rcompat.resolve_rng().getstate() == rng.getstate()
    rcompat.rnorm(1)
    rcompat.RNGkind(normal_kind="Box")
    assert rcompat.resolve_rng().getstate()[3] == 0
    rcompat.set_seed(1, "default", "default", "default")
    assert rcompat.RNGkind() == ("Mersenne-Twister", "Inversion", "Rejection")


def test_warnings_of_kinds_come_in_rs_order():
    rng = RRandom(1)
    with pytest.warns(RWarning) as caught:
        rcompat.RNGkind("Mars", "Ahr", "Rou", rng=rng)
    assert [str(warning.message) for warning in caught] == [
        "non-uniform 'Rounding' sampler used",
        "RNGkind: Marsaglia-Multicarry has poor statistical properties",
        "RNGkind: deviations from normality for Ahrens-Dieter + Marsaglia-Multicarry",
    ]
    with pytest.warns(RWarning, match="severe deviations from normality for Kinderman-Ramage"):
        rcompat.RNGkind(normal_kind="Kin", rng=rng)
    with pytest.warns(RWarning, match="buggy version of Kinderman-Ramage generator used"):
        rcompat.RNGkind(normal_kind="Bug", rng=rng)


def run_in_threads(functions):
    """Run the functions at the same time, each in a thread of its own; return their results."""
    results = [None] * len(functions)
    barrier = threading.Barrier(len(functions))

    def call(i):
        barrier.wait()
        results[i] = functions[i]()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def seeded_draws(seed):
    """Draw in several steps from the stream of the context."""
    rcompat.set_seed(seed)
    return [float(rcompat.runif(1)[0]) for _ in range(300)]


def test_threads_do_not_disturb_each_other():
    rcompat.set_seed(77)
    results = run_in_threads([lambda seed=seed: seeded_draws(seed) for seed in range(6)])
    assert results == [RRandom(seed).runif(300).tolist() for seed in range(6)]
    assert rcompat.runif(2).tolist() == RRandom(77).runif(2).tolist()


def test_unseeded_threads_start_from_entropy():
    rcompat.set_seed(77)
    results = run_in_threads([lambda: rcompat.runif(3).tolist()] * 3)
    assert len(set(map(tuple, results))) == 3


async def interleaved_draws(seed, n):
    if seed is not None:
        rcompat.set_seed(seed)
    draws = []
    for _ in range(n):
        draws.append(float(rcompat.runif(1)[0]))
        await asyncio.sleep(0)
    return draws


def test_tasks_do_not_disturb_each_other():
    async def main():
        rcompat.set_seed(77)
        rcompat.runif(1)
        seeded = await asyncio.gather(*(interleaved_draws(seed, 40) for seed in range(5)))
        inherited = await asyncio.gather(*(interleaved_draws(None, 40) for _ in range(3)))
        in_thread = await asyncio.to_thread(lambda: rcompat.runif(1).tolist())
        return seeded, inherited, in_thread, rcompat.runif(1).tolist()

    rcompat.set_seed(5)
    seeded, inherited, in_thread, own = asyncio.run(main())
    assert seeded == [RRandom(seed).runif(40).tolist() for seed in range(5)]
    assert inherited == [RRandom(77).runif(41)[1:].tolist()] * 3  # each has a copy of the parent's stream
    assert in_thread == own == RRandom(77).runif(2)[1:].tolist()
    assert rcompat.runif(1).tolist() == RRandom(5).runif(1).tolist()
