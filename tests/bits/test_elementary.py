"""log, exp and pow: our own steps give glibc's digits, the right ones but for the last."""

import math
import random
import re
from collections.abc import Callable

import mpmath
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sparsek.bits import elementary
from tests.bits.test_extended import run_python
from tests.places import ROOT

glibc = pytest.mark.skipif(not elementary.IS_GLIBC, reason="the C library is not glibc on x86-64")
POSITIVE = st.floats(5e-324, 1.7e308)
DRAWS = 4000


def uniform(low: float, high: float) -> Callable[[random.Random], float]:
    return lambda r: r.uniform(low, high)


def any_size(r: random.Random) -> float:
    return math.ldexp(r.uniform(0.5, 1), r.randint(-1073, 1023))


@glibc
@pytest.mark.seeds(1)
@pytest.mark.parametrize(
    ("ours", "theirs", "draws"),
    [
        (elementary.own_log, math.log, [uniform(0.93, 1.07)]),
        (elementary.own_log, math.log, [any_size]),
        (elementary.own_exp, math.exp, [uniform(-40, 5)]),
        (elementary.own_exp, math.exp, [uniform(-745, 709)]),
        (elementary.own_pow, math.pow, [lambda r: float(r.randint(2, 10**6)), uniform(-1, 1)]),
        (elementary.own_pow, math.pow, [any_size, uniform(-0.95, 0.95)]),
        (elementary.own_pow, math.pow, [uniform(1e-9, 1e-8), uniform(28, 39)]),
    ],
)
def test_glibc_has_the_same_digits(ours, theirs, draws, seed) -> None:
    r = random.Random(seed)
    arguments = [[draw(r) for draw in draws] for _ in range(DRAWS)]
    assert [a for a in arguments if ours(*a) != theirs(*a)] == []


@glibc
def test_correct_rounding_is_not_the_same() -> None:
    for x in elementary.MISSED_LOGS:
        with mpmath.workprec(53):
            assert float(mpmath.log(mpmath.mpf(x))) != math.log(x) == elementary.own_log(x)


def near(ours: float, exact: mpmath.mpf) -> bool:
    """Within one unit in the last place of the exact value."""
    return abs(mpmath.mpf(ours) - exact) <= math.ulp(float(exact))


@given(POSITIVE)
@example(1.0)
@example(5e-324)
def test_logarithms_are_right(x: float) -> None:
    with mpmath.workprec(200):
        assert near(elementary.own_log(x), mpmath.log(mpmath.mpf(x)))


@given(st.floats(-745.5, 709.7))
@example(-1e-300)
def test_exponentials_are_right(x: float) -> None:
    with mpmath.workprec(200):
        assert near(elementary.own_exp(x), mpmath.exp(mpmath.mpf(x)))


@given(POSITIVE, st.floats(-1e3, 1e3))
@example(1.0, 5.0)
@example(2.0, 0.0)
def test_powers_are_right(x: float, y: float) -> None:
    assume(abs(y * math.log(x)) < 700)
    with mpmath.workprec(200):
        assert near(elementary.own_pow(x, y), mpmath.power(mpmath.mpf(x), mpmath.mpf(y)))


@pytest.mark.parametrize(
    ("ours", "theirs", "arguments"),
    [
        (elementary._log, math.log, [(0.0,), (-1.0,), (math.inf,), (math.nan,), (3,)]),
        (
            elementary._exp_or_error,
            math.exp,
            [(710.0,), (-800.0,), (math.inf,), (-math.inf,), (math.nan,), (2,)],
        ),
        (
            elementary._power,
            math.pow,
            [
                (0.0, 2.0),
                (0.0, -1.0),
                (-8.0, 3.0),
                (10.0, 400.0),
                (2, -0.5),
                (math.inf, -1.0),
                (3.0, math.nan),
                (2.0, 0.0),
            ],
        ),
    ],
)
def test_special_values_are_those_of_math(ours, theirs, arguments) -> None:
    for a in arguments:
        try:
            expected = theirs(*a)
        except (ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                ours(*a)
        else:
            assert repr(ours(*a)) == repr(expected)


def test_the_switch_chooses_our_own() -> None:
    code = "from sparsek.bits import elementary; print(elementary.log is elementary._log)"
    done = run_python(code, "software")
    assert done.stdout == "True\n", done.stderr


def test_no_other_logarithms_decide_answers_of_r() -> None:
    files = [
        *sorted((ROOT / "sparsek" / "bits").rglob("*.py")),
        *sorted((ROOT / "sparsek" / "rng").rglob("*.py")),
        *sorted((ROOT / "sparsek" / "rcompat").rglob("*.py")),
        *sorted((ROOT / "r_reference" / "packages").rglob("ours.py")),
        ROOT / "sparsek" / "methods" / "minmax" / "minmax.py",
    ]
    named = [
        path.relative_to(ROOT / "sparsek").as_posix()
        for path in files
        if re.search(r"\b(math|np)\.(log|exp|pow|power|log1p|expm1|log2|log10)\(", path.read_text())
    ]
    # `elementary` is what the others call. The pools' logarithms guess sizes, which are then corrected; the
    # scale of medians.py has a tolerance. Silhouettes are rounded to some digits. The logarithm to base 10 of
    # daisy is the C library's, in R too; on other systems its last digits may differ. LAPACK's logarithm
    # counts levels, those of rounding count digits. The literal draws and trees, and the weights of wskm, run
    # only where `is_glibc_compiled` has found the C library's digits. Tests after clustering and NbClust,
    # which rounds to four decimals, have a tolerance.
    assert named == [
        "bits/elementary.py",
        "bits/lapack/divided.py",
        "rng/literal.py",
        "rng/literal_draws.py",
        "rng/pools.py",
        "rcompat/base/values/api_rounding.py",
        "rcompat/cluster/api_silhouette.py",
        "rcompat/cluster/arguments_daisy.py",
        "rcompat/gmedian/medians.py",
        "rcompat/kmeansinference/api.py",
        "rcompat/nbclust/gap.py",
        "rcompat/nbclust/pooled.py",
        "rcompat/nbclust/scatter_indices.py",
        "rcompat/stats/literal_trees.py",
        "rcompat/stats/selective/cluster_contrast.py",
        "rcompat/stats/selective/truncated.py",
        "rcompat/validiclust/api.py",
        "rcompat/wskm/literal.py",
    ]
