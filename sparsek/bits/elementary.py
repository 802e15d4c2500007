"""log, exp and pow with the bits of the C library behind R on x86-64 Linux, on every platform.

There, glibc (2.28 and later) computes by table and polynomial, with fused multiply-add, and misses the
correctly rounded result once in some thousand arguments. Other C libraries miss it elsewhere. Where Python's
``math`` is wrong at the same arguments as glibc, it computes. Elsewhere, and under
``SPARSEK_LONGDOUBLE=software``, the functions here take glibc's steps; a fused multiply-add is one exact
quotient of whole numbers. numpy's functions of arrays have other digits on each kind of processor.

References
----------
Arm Limited (2018). Optimized routines, ``math/log.c``, ``math/exp.c`` and ``math/pow.c``, MIT License.
https://github.com/ARM-software/optimized-routines
"""

from __future__ import annotations

import math
import platform
import struct
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import numpy as np

from sparsek.bits import elementary_tables
from sparsek.bits.ordered_arithmetic import IN_SOFTWARE, FloatArray
from sparsek.engine import Loop

POINTS = 128
MASK = (1 << 64) - 1
LOWEST_POINT, LOWEST_POINT_OF_POW = 0x3FE6000000000000, 0x3FE6955500000000

_hex = float.fromhex


def _numbers(text: str) -> tuple[float, ...]:
    """Hexadecimal numbers."""
    return tuple(map(_hex, text.split()))


def _bits(x: float) -> int:
    """The 64 bits of a double."""
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


def _double(bits: int) -> float:
    """The double with these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits & MASK))[0])


LOG = [_numbers(line) for line in elementary_tables.LOG.split("\n") if line]
POW = [_numbers(line) for line in elementary_tables.POW.split("\n") if line]
_words = [int(word, 16) for word in elementary_tables.EXP.split()]
EXP = [(_double(tail), bits) for tail, bits in zip(_words[::2], _words[1::2], strict=True)]
LN2_HIGH, LN2_LOW = _hex("0x1.62e42fefa3800p-1"), _hex("0x1.ef35793c76730p-45")
LOG_NEAR_1 = _numbers(
    """
    -0x1p-1 0x1.5555555555577p-2 -0x1.ffffffffffdcbp-3 0x1.999999995dd0cp-3 -0x1.55555556745a7p-3
    0x1.24924a344de3p-3 -0x1.fffffa4423d65p-4 0x1.c7184282ad6cap-4 -0x1.999eb43b068ffp-4
    0x1.78182f7afd085p-4 -0x1.5521375d145cdp-4
    """
)
LOG_SERIES = _numbers(
    """
    -0x1.0000000000001p-1 0x1.555555551305bp-2 -0x1.fffffffeb459p-3 0x1.999b324f10111p-3
    -0x1.55575e506c89fp-3
    """
)
POW_SERIES = (
    -0.5,
    _hex("0x1.555555555556p-2") * -2,
    _hex("-0x1.0000000000006p-2") * -2,
    _hex("0x1.999999959554ep-3") * 4,
    _hex("-0x1.555555529a47ap-3") * 4,
    _hex("0x1.2495b9b4845e9p-3") * -8,
    _hex("-0x1.0002b8b263fc3p-3") * -8,
)
EXP_SERIES = _numbers("0x1.ffffffffffdbdp-2 0x1.555555555543cp-3 0x1.55555cf172b91p-5 0x1.1111167a4d017p-7")
INVERSE_LN2 = _hex("0x1.71547652b82fep0") * POINTS
LN2_PART_HIGH, LN2_PART_LOW = _hex("-0x1.62e42fefa0000p-8"), _hex("-0x1.cf79abc9e3b3ap-47")
SHIFT = _hex("0x1.8p52")


def _fma(a: float, b: float, c: float) -> float:
    """``a * b + c`` rounded once; finite numbers."""
    (an, ad), (bn, bd), (cn, cd) = a.as_integer_ratio(), b.as_integer_ratio(), c.as_integer_ratio()
    # Doubles are quotients of whole numbers, whose quotient Python rounds once.
    below = ad * bd
    return (an * bn * cd + cn * below) / (below * cd)


def own_log(x: float) -> float:
    """Natural logarithm of a positive finite number."""
    bits = _bits(x)
    if 1 - 2.0**-4 <= x < _hex("0x1.109p0"):
        return _log_near_1(x - 1.0) if x != 1 else 0.0
    if x < 2.0**-1022:
        # A subnormal number is made a normal one, and its exponent is set back.
        bits = _bits(x * 2.0**52) - (52 << 52)
    above = bits - LOWEST_POINT
    # The first seven bits of the fraction choose one of 128 points c with a tabled logarithm.
    inverse, log_c = LOG[above >> 45 & POINTS - 1]
    k = float(above >> 52)
    # r = z / c - 1 is small, and one rounding of the fused operation keeps its digits.
    r = _fma(_double(bits - (above >> 52 << 52)), inverse, -1.0)
    w = _fma(k, LN2_HIGH, log_c)
    high = w + r
    # The digits that the sum `high` lost, and the low part of k log 2.
    low = _fma(k, LN2_LOW, w - high + r)
    a = LOG_SERIES
    r2 = r * r
    series = _fma(r2, _fma(r, a[4], a[3]), _fma(r, a[2], a[1]))
    return _fma(r * r2, series, _fma(r2, a[0], low)) + high


def _log_near_1(r: float) -> float:
    """``log(1 + r)`` for r near 0."""
    b = LOG_NEAR_1
    r2 = r * r
    r3 = r * r2
    y = _fma(r3, b[10], _fma(r2, b[9], _fma(r, b[8], b[7])))
    y = _fma(r3, y, _fma(r2, b[6], _fma(r, b[5], b[4])))
    y = _fma(r3, y, _fma(r2, b[3], _fma(r, b[2], b[1])))
    # r is split in two, so that the square of the high part is exact.
    w = r * 2.0**27
    r_high = r + w - w
    r_low = r - r_high
    w = r_high * r_high * b[0]
    high = r + w
    low = _fma(b[0] * r_low, r_high + r, r - high + w)
    return _fma(r3, y, low) + high


def own_exp(x: float) -> float:
    """Exponential of a finite number; infinite beyond the largest double."""
    return _exp(x, 0.0)


def _exp(x: float, tail: float) -> float:
    """``exp(x + tail)`` with a tail that is 0 or tiny."""
    if abs(x) < 2.0**-54:
        return 1.0 + x
    if abs(x) >= 1024:
        return math.inf if x > 0 else 0.0
    # Adding 1.5 * 2^52 rounds to a whole number k of 128ths of log 2.
    shifted = _fma(INVERSE_LN2, x, SHIFT)
    k = shifted - SHIFT
    r = _fma(k, LN2_PART_LOW, _fma(k, LN2_PART_HIGH, x)) + tail
    point = int(k)
    rest, bits = EXP[point % POINTS]
    c2, c3, c4, c5 = EXP_SERIES
    r2 = r * r
    t = _fma(r2 * r2, _fma(r, c5, c4), _fma(r2, _fma(r, c3, c2), rest + r))
    # Whole multiples of log 2 in k go to the exponent.
    bits += point << 45
    if abs(x) < 512:
        scale = _double(bits)
        return _fma(scale, t, scale)
    if point > 0:
        # The scale alone would overflow, so that 2^1009 is multiplied last.
        scale = _double(bits - (1009 << 52))
        return 2.0**1009 * _fma(scale, t, scale)
    scale = _double(bits + (1022 << 52))
    product = scale * t
    y = scale + product
    if y < 1:
        low = scale - y + product
        # A subnormal result has fewer digits: the sum with 1 rounds it there, once.
        high = 1.0 + y
        y = high + (1.0 - high + y + low) - 1.0
    return 2.0**-1022 * y


def own_pow(x: float, y: float) -> float:
    """Power of a positive finite base, of an exponent within 2**63 in size."""
    # Logarithms of doubles are below 2^10 in size, so that the power differs from 1 by less than rounding.
    if abs(y) < 2.0**-65 or x == 1:
        return 1.0
    bits = _bits(x)
    if x < 2.0**-1022:
        bits = _bits(x * 2.0**52) - (52 << 52)
    high, low = _log_with_tail(bits)
    product = y * high
    if abs(product) >= 1024:
        return math.inf if product > 0 else 0.0
    # What the product y log x loses by rounding goes into the exponential as a tail.
    return _exp(product, _fma(y, low, _fma(y, high, -product)))


def _log_with_tail(bits: int) -> tuple[float, float]:
    """Logarithm and what its rounding leaves, about 15 bits more."""
    above = bits - LOWEST_POINT_OF_POW
    inverse, log_c, log_c_tail = POW[above >> 45 & POINTS - 1]
    k = float(above >> 52)
    r = _fma(_double(bits - (above >> 52 << 52)), inverse, -1.0)
    t1 = _fma(k, LN2_HIGH, log_c)
    t2 = t1 + r
    low = _fma(k, LN2_LOW, log_c_tail) + (t1 - t2 + r)
    a = POW_SERIES
    # The term -r^2 / 2 is the largest of the series, and is added with its rounding error.
    ar = a[0] * r
    ar2 = r * ar
    high = t2 + ar2
    low = low + _fma(ar, r, -ar2) + (t2 - high + ar2)
    series = _fma(ar2, _fma(ar2, _fma(r, a[6], a[5]), _fma(r, a[4], a[3])), _fma(r, a[2], a[1]))
    low = _fma(r * ar2, series, low)
    y = high + low
    return y, high - y + low


MISSED_LOGS = (
    8.411716, 18.67724, 13.06601, 1.103148, 1.257478, 0.7191396, 17.9007, 4.153603, 8.49415, 1.11845,
    1.853344, 2.499917, 4.68303, 8.139601, 5.183767, 7.318967, 1.051275, 1.055951, 0.9691588, 0.9400401,
    0.9764749, 0.940078, 0.9852686)  # fmt: skip
MISSED_EXPS = (
    -6.997792, -6.428419, -1.829349, -14.57504, -2.301591, -4.298011, -3.648715, 2.223056, -9.194887,
    -7.866278, -6.013216, -15.20496, -1.150321, -16.31768, 0.008888771, -1.389648, -10.3087, -15.5982,
    1.23309, 2.049497, -7.894758, -14.24052, -14.13204, 0.9683439)  # fmt: skip
MISSED_POWERS = (
    (9815.763, 2.343288), (478.1752, -2.603599), (686.2225, -1.581575), (2742.974, 1.514588),
    (6360.572, 2.884822), (8277.224, 1.259544), (7010.883, 2.894208), (1075.802, 2.41814),
    (8902.765, -1.632987), (6822.002, 0.2102627), (5410.51, 1.038669), (4217.7, -0.7956781),
    (5770.189, -0.8200588), (8008.026, -0.2116529), (5499.797, -0.7509441), (6657.993, -1.378606),
    (6360.678, -2.386445), (2256.235, 1.23961), (2870.465, 1.272375), (7254.578, -0.2581054),
    (3526.013, -0.1157187), (6676.297, -2.210823), (1970.82, 1.464261), (3305.936, 1.93223))  # fmt: skip
"""Arguments for which glibc's result is not the correctly rounded one."""


def other_digits() -> list[str]:
    """Names of the functions whose digits in Python's ``math`` are not glibc's on x86-64."""
    same = {
        "log": all(math.log(x) == own_log(x) for x in MISSED_LOGS),
        "exp": all(math.exp(x) == own_exp(x) for x in MISSED_EXPS),
        "pow": all(math.pow(*xy) == own_pow(*xy) for xy in MISSED_POWERS),
    }
    return [name for name, equal in same.items() if not equal]


IS_GLIBC = platform.machine() == "x86_64" and not IN_SOFTWARE and not other_digits()
"""Whether Python's ``math`` computes, not our own functions."""


@Loop
def _write_digits(
    logs: FloatArray, exps: FloatArray, bases: FloatArray, exponents: FloatArray, out: FloatArray
) -> None:
    """Results for numbers that glibc rounds wrongly, one function after the other."""
    for i in range(logs.shape[0]):
        out[0, i] = math.log(logs[i])
    for i in range(exps.shape[0]):
        out[1, i] = math.exp(exps[i])
    for i in range(bases.shape[0]):
        out[2, i] = math.pow(bases[i], exponents[i])


@cache
def is_glibc_compiled() -> bool:
    """Whether ``math`` has glibc's digits in compiled loops too."""
    if not IS_GLIBC:
        return False
    bases, exponents = np.array(MISSED_POWERS).T.copy()
    out = np.zeros((2, 3, len(bases)))
    arguments = np.array(MISSED_LOGS), np.array(MISSED_EXPS), bases, exponents
    _write_digits(*arguments, out[0])
    _write_digits.compiled(*arguments, out[1])
    return np.array_equal(*out)


def _log(x: float) -> float:
    """As ``math.log``, its error for 0 and below included."""
    return own_log(float(x)) if 0 < x < math.inf else math.log(x)


def _exp_or_error(x: float) -> float:
    """As ``math.exp``, its error for too large results included."""
    result = own_exp(float(x)) if math.isfinite(x) else math.inf
    return result if result < math.inf else math.exp(x)


def _power(x: float, y: float) -> float:
    """As ``math.pow``, its errors included."""
    result = own_pow(float(x), float(y)) if 0 < x < math.inf and abs(y) < 2.0**63 else math.inf
    return result if result < math.inf else math.pow(x, y)


log: Callable[[float], float] = math.log if IS_GLIBC else _log
"""Natural logarithm."""
exp: Callable[[float], float] = math.exp if IS_GLIBC else _exp_or_error
"""Exponential."""
power: Callable[[float, float], float] = math.pow if IS_GLIBC else _power
"""Power of a base (first) and an exponent."""
LIKE_MATH = SimpleNamespace(**vars(math) | {"log": log, "exp": exp, "pow": power})
"""Python's ``math`` with these digits."""
