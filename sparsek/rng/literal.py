"""R's generator and its draws as they were published, output by output.

A stream is a record: the words of the Mersenne Twister, their uniform draws, the position of the next one.
Three arrays would do in Python; numba counts references to arrays at every call, but none to a record.
Sources: Matsumoto & Nishimura (1998), ACM TOMACS 8, 3-30; normals by inversion: Wichura (1988), AS 241;
exponentials: Ahrens & Dieter (1972), algorithm SA; indices: R's rejection sampling.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop

WORDS, OFFSET = 624, 397
_FIELDS = [("key", np.uint32, WORDS), ("uniforms", np.float64, WORDS), ("place", np.int64)]
STREAM = np.dtype((np.record, _FIELDS))
BIG = 134217728.0
"""The first of the two uniforms of a normal gives so many values."""
LN2_SUMS = np.array([
    0.6931471805599453, 0.9333736875190459, 0.9888777961838675, 0.9984959252914960,
    0.9998292811061389, 0.9999833164100727, 0.9999985691438767, 0.9999998906925558,
    0.9999999924734159, 0.9999999995283275, 0.9999999999728814, 0.9999999999985598,
    0.9999999999999289, 0.9999999999999968, 0.9999999999999999, 1.0,
])  # fmt: skip
"""Sums of the first k terms of (ln 2)^i / i!, written out because computing them gives other last digits."""
# Coefficients of AS 241 from the constant term up: A/B for the centre, C/D for the tails, E/F far out.
A = np.array([3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727])  # fmt: skip
B = np.array([1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610])  # fmt: skip
C = np.array([1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833,
     7.74545014278341407640e-4])  # fmt: skip
D = np.array([1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
     1.05075007164441684324e-9])  # fmt: skip
E = np.array([6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
     0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5,
     2.01033439929228813265e-7])  # fmt: skip
F = np.array([1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15])  # fmt: skip


@Loop
def mix(key, i, following, other):
    """New word i of the twister, of its first bit, the last bits of the following one, and another word."""
    y = (key[i] & 0x80000000) | (key[following] & 0x7FFFFFFF)
    key[i] = key[other] ^ (y >> 1) ^ ((y & 1) * 0x9908B0DF)


@Loop
def twist(key):
    """All new words of the twister."""
    for i in range(WORDS - OFFSET):
        mix(key, i, i + 1, i + OFFSET)
    for i in range(WORDS - OFFSET, WORDS - 1):
        mix(key, i, i + 1, i + OFFSET - WORDS)
    mix(key, WORDS - 1, 0, OFFSET - 1)


@Loop
def temper(stream):
    """The uniform draws in (0, 1) that the words give."""
    key, uniforms = stream.key, stream.uniforms
    for i in range(WORDS):
        y = key[i]
        y = y ^ (y >> 11)
        y = y ^ ((y << 7) & 0x9D2C5680)
        y = y ^ ((y << 15) & 0xEFC60000)
        u = (y ^ (y >> 18)) * 2.3283064365386963e-10
        uniforms[i] = u if u > 0.0 else 0.5 * 2.328306437080797e-10


@Loop
def uniform(stream):
    """A uniform draw in (0, 1)."""
    if stream.place == WORDS:
        twist(stream.key)
        temper(stream)
        stream.place = 0
    stream.place += 1
    return stream.uniforms[stream.place - 1]


@Loop
def exponential(stream):
    """A standard exponential draw."""
    a = 0.0
    u = uniform(stream) * 2
    while u <= 1.0:
        u += u
        a += LN2_SUMS[0]
    u -= 1.0
    if u <= LN2_SUMS[0]:
        return a + u
    smallest = min(uniform(stream), uniform(stream))
    i = 1
    while u > LN2_SUMS[i]:
        smallest = min(smallest, uniform(stream))
        i += 1
    return a + smallest * LN2_SUMS[0]


@Loop
def polynomial(coefficients, r):
    """Polynomial of degree 7 by Horner's rule."""
    value = coefficients[7] * r + coefficients[6]
    for i in range(5, -1, -1):
        value = value * r + coefficients[i]
    return value


@Loop
def normal_quantile(p):
    """Quantile of the standard normal distribution, 0 < p < 1: function PPND16."""
    c = p - 0.5
    if abs(c) <= 0.425:
        r = 0.180625 - c * c
        return c * polynomial(A, r) / polynomial(B, r)
    r = math.sqrt(-math.log(p if c < 0.0 else (0.5 - p) + 0.5))
    if r <= 5.0:
        value = polynomial(C, r - 1.6) / polynomial(D, r - 1.6)
    else:
        value = polynomial(E, r - 5.0) / polynomial(F, r - 5.0)
    return -value if c < 0.0 else value


@Loop
def normal(stream):
    """A standard normal draw by inversion, of two uniforms."""
    first = float(int(BIG * uniform(stream)))
    return normal_quantile((first + uniform(stream)) / BIG)


@Loop
def index(stream, n, bits):
    """An index below n, which has so many bits: attempts of 16 bits of each output until one is below n."""
    while True:
        value = int(65536.0 * uniform(stream))
        for _ in range(bits // 16):
            value = (value << 16) | (int(65536.0 * uniform(stream)))
        value = value & ((1 << bits) - 1)
        if value < n:
            return value


@Loop
def bit_length(n):
    """Number of bits of n."""
    bits = 0
    while n >> bits:
        bits += 1
    return bits


@Loop
def indices(stream, n, out):
    """Independent indices below n."""
    temper(stream)
    bits = bit_length(n - 1)
    for i in range(out.shape[0]):
        out[i] = index(stream, n, bits)


@Loop
def pools(stream, n, out):
    """Samples without replacement, a row each: an element taken is replaced by the last of the pool."""
    temper(stream)
    pool = np.empty(n, np.int32)
    for row in range(out.shape[0]):
        for i in range(n):
            pool[i] = i + 1
        left, bits = n, bit_length(n - 1)
        for i in range(out.shape[1]):
            j = index(stream, left, bits)
            out[row, i] = pool[j]
            left -= 1
            pool[j] = pool[left]
            if bits > 0 and (left - 1) >> (bits - 1) == 0:
                bits -= 1


@Loop
def following(i, n):
    """The index after i, 0 after the last one."""
    return i + 1 if i + 1 < n else 0


@Loop
def runif(stream, low, high, out):
    """Uniform draws between limits, which are recycled."""
    temper(stream)
    first, second = 0, 0
    for i in range(out.shape[0]):
        a, b = low[first], high[second]
        first, second = following(first, low.shape[0]), following(second, high.shape[0])
        if not (math.isfinite(a) and math.isfinite(b) and a <= b):
            out[i] = np.nan
        elif a == b:
            out[i] = a
        else:
            out[i] = a + (b - a) * uniform(stream)


@Loop
def rnorm(stream, mean, sd, out):
    """Normal draws."""
    temper(stream)
    first, second = 0, 0
    for i in range(out.shape[0]):
        a, s = mean[first], sd[second]
        first, second = following(first, mean.shape[0]), following(second, sd.shape[0])
        if math.isnan(a) or not math.isfinite(s) or s < 0.0:
            out[i] = np.nan
        elif s == 0.0 or math.isinf(a):
            out[i] = a
        else:
            out[i] = a + s * normal(stream)


@Loop
def rexp(stream, rate, out):
    """Exponential draws."""
    temper(stream)
    at = 0
    for i in range(out.shape[0]):
        scale = 1.0 / rate[at]
        at = following(at, rate.shape[0])
        if not math.isfinite(scale) or scale < 0.0:
            out[i] = np.nan
        elif scale == 0.0:
            out[i] = 0.0
        else:
            out[i] = scale * exponential(stream)
