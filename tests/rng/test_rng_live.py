"""R's stream against a running R: values and the state afterwards, bit for bit."""

import zlib

import numpy as np
import pytest

from r_reference.bridge import available
from sparsek.errors import RError
from sparsek.rng import RRandom

pytestmark = pytest.mark.live_r

_RANDOM = np.random.default_rng(20240501).integers(-(2**31) + 1, 2**31, 8)
SEEDS = [0, 1, 42, 123, -1, 2**31 - 1, -(2**31 - 1), *_RANDOM.tolist()]
KINDS = ["Rejection", "Rounding"]

PERMUTED = [1, 2, 3, 7, 16, 100, 255, 256, 257, 1000, 4095, 4097, 32768, 32769]
LARGE_PERMUTED = [65535, 65536, 65537, 100000]
PARTIAL = [(1, 1), (5, 1), (6, 2), (10, 3), (256, 200), (1000, 10), (5000, 100), (32768, 5), (32769, 40),
           (65536, 10), (70000, 4), (70000, 3000), (10**6, 50), (10**7, 20)]  # fmt: skip
REPLACED = [(1, 5), (2, 100), (6, 50), (16, 40), (17, 40), (300, 200), (32768, 50), (32769, 50), (65536, 50),
            (65537, 50), (10**6, 50), (2**31 - 1, 20), (2**31, 20), (2**33 + 5, 20), (10**15, 9)]  # fmt: skip
WEIGHTS = {
    "distinct": "c(.1,.25,.2,.4,.05)",
    "ties": "rep(c(1,2,3,2), 10)",
    "zeros": "c(0,1,0,2,2,1,0,3)",
    "integers": "as.numeric((1:60 * 7919) %% 31 + 1)",
    "equal 250": "rep(1, 250)",
    "skewed 1000": "as.numeric((1:1000 * 7919) %% 997 + 1)",
    "few of many": "c(rep(1e-9, 900), 1:150)",
}


@pytest.fixture(scope="module")
def r():
    """Evaluate R code and return an array; skips the test if R or rpy2 is missing."""
    there, reason = available()
    if not there:
        pytest.skip(reason)  # counted and printed with its reason by conftest
    from rpy2 import robjects

    def evaluate(code):
        return np.array(robjects.r(f"suppressWarnings({{{code}}})"))

    return evaluate


def start(r, seed, kind):
    """Seed R and one of our streams equally."""
    r(f"set.seed({seed}, kind='default', normal.kind='default', sample.kind='{kind}'); 0")
    return RRandom(seed, sample_kind=kind)


def same_state(r, rng):
    """Compare the complete state with R's."""
    np.testing.assert_array_equal(rng.random_seed, r(".Random.seed"))


@pytest.fixture(params=[(s, k) for k in KINDS for s in SEEDS], ids=lambda p: f"{p[1]}-{p[0]}")
def pair(request, r):
    seed, kind = request.param
    return r, start(r, seed, kind)


def test_seeding(pair):
    r, rng = pair
    same_state(r, rng)


def test_distributions(pair):
    r, rng = pair
    np.testing.assert_array_equal(rng.runif(1500), r("runif(1500)"))
    np.testing.assert_array_equal(rng.rnorm(3000), r("rnorm(3000)"))
    np.testing.assert_array_equal(rng.rexp(300), r("rexp(300)"))
    np.testing.assert_array_equal(rng.runif(7, -3, 1e10), r("runif(7, -3, 1e10)"))
    np.testing.assert_array_equal(rng.rnorm(5, [1, 2, 3], [1e-3, 0]), r("rnorm(5, 1:3, c(1e-3, 0))"))
    np.testing.assert_array_equal(rng.rexp(5, [3, np.inf]), r("rexp(5, c(3, Inf))"))
    np.testing.assert_array_equal(rng.runif(6, [0, 1], [1, 1, 4]), r("runif(6, c(0, 1), c(1, 1, 4))"))
    same_state(r, rng)


def test_permutations(pair):
    r, rng = pair
    for n in PERMUTED:
        np.testing.assert_array_equal(rng.sample_int(n), r(f"sample.int({n})"), err_msg=str(n))
    expected = r("t(vapply(1:50, function(i) sample.int(37), 1:37))")
    np.testing.assert_array_equal(rng.permutations(37, 50), expected)
    same_state(r, rng)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", LARGE_PERMUTED)
def test_large_permutations(r, n, kind):
    rng = start(r, 11, kind)
    np.testing.assert_array_equal(rng.permutations(n, 2), r(f"rbind(sample.int({n}), sample.int({n}))"))
    same_state(r, rng)


def test_partial_samples(pair):
    r, rng = pair
    for n, size in PARTIAL:
        np.testing.assert_array_equal(rng.sample_int(n, size), r(f"sample.int({n}, {size})"), err_msg=str(n))
    same_state(r, rng)


def test_with_replacement(pair):
    r, rng = pair
    for n, size in REPLACED:
        expected = r(f"sample.int({n}, {size}, TRUE)")
        np.testing.assert_array_equal(rng.sample_int(n, size, True), expected, err_msg=str(n))
    same_state(r, rng)


def test_hashed(pair):
    r, rng = pair
    for n in (2 * 10**7, 3 * 10**9, 10**15):
        np.testing.assert_array_equal(rng.sample_int(n, 30), r(f"sample.int({n}, 30)"), err_msg=str(n))
    same_state(r, rng)


@pytest.mark.parametrize("kind", KINDS)
def test_hashed_with_collisions(r, kind):
    rng = start(r, 5, kind)
    np.testing.assert_array_equal(rng.sample_int(10**7 + 1, 20000), r("sample.int(1e7 + 1, 20000)"))
    same_state(r, rng)


def test_weighted(pair):
    r, rng = pair
    for name, code in WEIGHTS.items():
        prob = r(code)
        n = prob.size
        for size in (1, 2, min(n // 2, int((prob > 0).sum()))):
            expected = r(f"sample.int({n}, {size}, FALSE, {code})")
            np.testing.assert_array_equal(rng.sample_int(n, size, False, prob), expected, err_msg=name)
            expected = r(f"sample.int({n}, {20 * size}, TRUE, {code})")
            np.testing.assert_array_equal(rng.sample_int(n, 20 * size, True, prob), expected, err_msg=name)
        same_state(r, rng)


def test_sample_quirks(pair):
    r, rng = pair
    for ours, code in [
        ([2.5, 7], "c(2.5, 7)"), (4, "4"), (3.7, "3.7"), ([6.0], "6"), (0.5, "0.5"), (-3, "-3"),
        ([True], "TRUE"), (np.arange(20) / 4, "0:19 / 4"), (np.inf, "Inf"),
    ]:  # fmt: skip
        np.testing.assert_array_equal(rng.sample(ours), r(f"sample({code})"), err_msg=code)
    same_state(r, rng)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((3, 5), "sample.int(3, 5)"),
        ((3, 5, False, [1, 2]), "sample.int(3, 5, FALSE, c(1, 2))"),
        ((3, 2, False, [1, np.nan, 2]), "sample.int(3, 2, FALSE, c(1, NA, 2))"),
        ((3, 2, False, [1, -1, np.inf]), "sample.int(3, 2, FALSE, c(1, -1, Inf))"),
        ((2, 2, False, [np.inf, -1]), "sample.int(2, 2, FALSE, c(Inf, -1))"),
        ((3, 3, False, [1, 0, 2]), "sample.int(3, 3, FALSE, c(1, 0, 2))"),
        ((3, 0, True, [0, 0, 0]), "sample.int(3, 0, TRUE, c(0, 0, 0))"),
        ((3, 2, True, [1, 2]), "sample.int(3, 2, TRUE, c(1, 2))"),
        ((-1,), "sample.int(-1)"),
        ((0, 1, True), "sample.int(0, 1, TRUE)"),
        ((3, -1), "sample.int(3, -1)"),
        ((3, -1, None), "sample.int(3, -1, NA)"),
        ((1e16, 3), "sample.int(1e16, 3)"),
    ],
    ids=str,
)
def test_error_messages(r, arguments, code):
    message = str(r(f"tryCatch({{{code}; 'none'}}, error = conditionMessage)")[0])
    rng = RRandom(1)
    before = rng.getstate()
    with pytest.raises(RError) as caught:
        rng.sample_int(*arguments)
    assert caught.value.r_message == message
    assert rng.getstate() == before


def test_state_from_r(r):
    r("set.seed(8, kind='default', sample.kind='Rounding'); runif(700); 0")
    rng = RRandom()
    rng.setstate(r(".Random.seed"))
    np.testing.assert_array_equal(rng.sample_int(50), r("sample.int(50)"))
    same_state(r, rng)
    assert zlib.crc32(rng.random_seed.tobytes()) == zlib.crc32(r(".Random.seed").astype(np.int32).tobytes())


def test_kind_reseeds_as_r(r):
    from sparsek import rcompat

    r("set.seed(3, kind='default', sample.kind='default'); runif(2); RNGkind('Mersenne-Twister'); 0")
    rcompat.set_seed(3, sample_kind="default")
    rcompat.runif(2)
    rcompat.RNGkind("Mersenne-Twister")
    same_state(r, rcompat.resolve_rng())
