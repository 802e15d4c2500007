"""R's ways to make normal draws beside inversion."""

import math
from collections.abc import Callable, Iterator

from sparsek.bits import elementary

Draw = Callable[[Iterator[float]], float]


def box_muller(stream: Iterator[float]) -> tuple[float, float]:
    """Two draws by Box & Muller (1958), from an angle and a radius.

    Shapes: returns (float, float).
    """
    angle = 6.283185307179586 * next(stream)
    radius = math.sqrt(-2 * elementary.log(next(stream)))
    return radius * math.cos(angle), radius * math.sin(angle)


# The tables of algorithm FL for m = 5, as RANLIB's public-domain ``snorm`` has them.
_A = (0.0, .3917609e-1, .7841241e-1, .1177699, .1573107, .1970991, .2372021, .2776904, .3186394, .3601299,
      .4022501, .4450965, .4887764, .5334097, .5791322, .6260990, .6744898, .7245144, .7764218, .8305109,
      .8871466, .9467818, 1.009990, 1.077516, 1.150349, 1.229859, 1.318011, 1.417797, 1.534121, 1.675940,
      1.862732, 2.153875)  # fmt: skip
_D = (0.0, 0.0, 0.0, 0.0, 0.0, .2636843, .2425085, .2255674, .2116342, .1999243, .1899108, .1812252, .1736014,
      .1668419, .1607967, .1553497, .1504094, .1459026, .1417700, .1379632, .1344418, .1311722, .1281260,
      .1252791, .1226109, .1201036, .1177417, .1155119, .1134023, .1114027, .1095039)  # fmt: skip
_T = (.7673828e-3, .2306870e-2, .3860618e-2, .5438454e-2, .7050699e-2, .8708396e-2, .1042357e-1, .1220953e-1,
      .1408125e-1, .1605579e-1, .1815290e-1, .2039573e-1, .2281177e-1, .2543407e-1, .2830296e-1, .3146822e-1,
      .3499233e-1, .3895483e-1, .4345878e-1, .4864035e-1, .5468334e-1, .6184222e-1, .7047983e-1, .8113195e-1,
      .9462444e-1, .1123001, .1364980, .1716886, .2276241, .3304980, .5847031)  # fmt: skip
_H = (.3920617e-1, .3932705e-1, .3950999e-1, .3975703e-1, .4007093e-1, .4045533e-1, .4091481e-1, .4145507e-1,
      .4208311e-1, .4280748e-1, .4363863e-1, .4458932e-1, .4567523e-1, .4691571e-1, .4833487e-1, .4996298e-1,
      .5183859e-1, .5401138e-1, .5654656e-1, .5953130e-1, .6308489e-1, .6737503e-1, .7264544e-1, .7926471e-1,
      .8781922e-1, .9930398e-1, .1155599, .1404344, .1836142, .2790016, .7010474)  # fmt: skip


def ahrens_dieter(stream: Iterator[float]) -> float:
    """One draw by Ahrens & Dieter (1973), algorithm FL with m = 5, as in RANLIB's ``snorm``."""
    u = next(stream)
    negative = u > 0.5
    u = 32 * (u + u - negative)
    i = min(int(u), 31)
    size = _from_centre(stream, u - i, i) if i else _from_tail(stream, u)
    return -size if negative else size


def _from_centre(stream: Iterator[float], u: float, i: int) -> float:
    """A draw of algorithm FL between the centre and the tail, in its interval i."""
    a = _A[i - 1]
    while u <= _T[i - 1]:
        w = next(stream) * (_A[i] - a)
        limit = (w * 0.5 + a) * w
        while u <= limit:
            limit = next(stream)
            if u < limit:
                break
            u = next(stream)
        else:
            return a + w
        u = next(stream)
    return a + (u - _T[i - 1]) * _H[i - 1]


def _from_tail(stream: Iterator[float], u: float) -> float:
    """A draw of algorithm FL in the tail."""
    i, a = 5, _A[31]
    u += u
    while u < 1:
        a += _D[i]
        i += 1
        u += u
    u -= 1
    while True:
        w = u * _D[i]
        limit = (w * 0.5 + a) * w
        while True:
            v = next(stream)
            if v > limit:
                return a + w
            limit = next(stream)
            if v < limit:
                break
        u = next(stream)


_EDGE = 2.216035867166471  # of the triangle, Kinderman & Ramage's xi


def kinderman_ramage(stream: Iterator[float]) -> float:
    """One draw by Kinderman & Ramage (1976)."""
    return _kinderman_ramage(stream, 1.131131635444180, 0.053377549506886)


def buggy_kinderman_ramage(stream: Iterator[float]) -> float:
    """One draw as R before version 1.7.1 made it: two constants differ from the paper's."""
    return _kinderman_ramage(stream, 1.13113163544180, 0.53377549506886)


_TRIANGLE = 0.884070402298758  # the share of the triangle
_TAIL = 0.973310954173898  # from this uniform on the tail is used, with the minus sign from the next on
_LEFT_TAIL = 0.986655477086949
_JOINT = 0.479727404222441  # where the first two regions between the triangle and the density meet


def _kinderman_ramage(stream: Iterator[float], slope: float, height: float) -> float:
    """The algorithm of Kinderman & Ramage: a triangle, three regions between it and the density, the tail."""
    u = next(stream)
    if u < _TRIANGLE:
        return _EDGE * (slope * u + next(stream) - 1)
    if u >= _TAIL:
        return _far_out(stream, 1 if u < _LEFT_TAIL else -1)
    if u >= 0.958720824790463:
        return _between(stream, _EDGE, -0.630834801921960, 0.755591531667601, 0.034240503750111)
    if u >= 0.911312780288703:
        return _between(stream, _JOINT, 1.105473661022070, 0.872834976671790, 0.049264496373128)
    return _between(stream, _JOINT, -0.595507138015940, 0.805577924423817, height)


def _far_out(stream: Iterator[float], sign: int) -> float:
    """A draw from the tail beyond the triangle."""
    while True:
        v, w = next(stream), next(stream)
        square = _EDGE * _EDGE - 2 * elementary.log(w)
        if v * v < _EDGE * _EDGE / square:
            return sign * math.sqrt(square)


def _between(stream: Iterator[float], offset: float, slope: float, at_once: float, height: float) -> float:
    """A draw from one region between the triangle and the density.

    Uniforms up to `at_once` are accepted without a look at the density. Below 0 the density is under the
    triangle: nothing is accepted there, as Tirler, Dalgaard, Hoermann & Leydold (2004) ask.
    """
    while True:
        v, w = next(stream), next(stream)
        size = offset + slope * min(v, w)
        if max(v, w) <= at_once or height * abs(v - w) <= _excess(size):
            return size if v < w else -size


def _excess(x: float) -> float:
    """The density less the triangle."""
    return 0.398942280401433 * elementary.exp(-x * x / 2) - 0.180025191068563 * (_EDGE - x)


BOX_MULLER = "Box-Muller"
INVERSION = "Inversion"
DRAWS: dict[str, Draw] = {
    "Ahrens-Dieter": ahrens_dieter,
    "Kinderman-Ramage": kinderman_ramage,
    "Buggy Kinderman-Ramage": buggy_kinderman_ramage,
}
"""The normal kinds whose draws depend on uniforms alone, by R's names."""
