"""NIST's Statistical Reference Datasets of univariate summaries: means, deviations and autocorrelations.

Source: https://www.itl.nist.gov/div898/strd/univ/homepage.html. The values of NumAcc1 to NumAcc4 are made
here as NIST describes them. Michelso has Michelson's 100 speeds of light in 1000 km/s; here is what
they have above 299000 km/s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.compare import log_relative_error

SPEEDS = """
850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960 960 940 960 940
880 800 850 880 900 840 830 790 810 880 880 830 800 790 760 800 880 880 880 860 720 720 620 860 970
950 880 910 850 870 840 840 850 840 840 840 890 810 810 820 800 770 760 740 750 760 910 920 890 860
880 720 840 850 850 780 890 840 780 810 760 810 790 810 820 850 870 870 810 740 810 940 950 800 810
870
"""


def alternating(middle: str, low: str, high: str) -> list[float]:
    """A number, then 500 pairs of two numbers around it."""
    return [float(middle), *[float(low), float(high)] * 500]


@dataclass(frozen=True)
class Certified:
    """Data, certified mean, deviation and autocorrelation, and how many digits must agree."""

    values: list[float]
    mean: float
    deviation: float
    autocorrelation: float
    digits: float


SETS = {
    # the speeds lose the last of 16 digits as binary numbers; they differ in their fourth digit
    "Michelso": lambda: Certified(
        [299 + float(v) / 1000 for v in SPEEDS.split()],
        299.8524,
        0.0790105478190518,
        0.535199668621283,
        12.5,
    ),
    "NumAcc1": lambda: Certified([10000001, 10000003, 10000002], 10000002, 1, -0.5, 15),
    "NumAcc2": lambda: Certified(alternating("1.2", "1.1", "1.3"), 1.2, 0.1, -0.999, 14),
    # of these numbers 6 and 7 digits are equal in all, so that as many of 16 are lost
    "NumAcc3": lambda: Certified(
        alternating("1000000.2", "1000000.1", "1000000.3"), 1000000.2, 0.1, -0.999, 9
    ),
    "NumAcc4": lambda: Certified(
        alternating("10000000.2", "10000000.1", "10000000.3"), 10000000.2, 0.1, -0.999, 8
    ),
}


def agreeing(computed: float, certified: float) -> float:
    """Leading decimal digits that agree."""
    return float(log_relative_error([computed], [certified])[0])


@pytest.mark.parametrize("name", SETS)
def test_certified_values(name: str) -> None:
    certified = SETS[name]()
    x = np.array(certified.values, dtype=float)
    assert agreeing(rcompat.mean(x), certified.mean) >= 14.5  # a rounding of the last of 16 digits
    assert agreeing(rcompat.sd(x), certified.deviation) >= certified.digits
    assert agreeing(rcompat.var(x), certified.deviation**2) >= certified.digits - 0.5  # the square of it
    gaps = x - rcompat.mean(x)
    found = rcompat.sum(gaps[1:] * gaps[:-1]) / rcompat.sum(gaps * gaps)
    assert agreeing(found, certified.autocorrelation) >= min(
        certified.digits, 12.5
    )  # products of gaps cancel


@pytest.mark.parametrize("name", ["NumAcc2", "NumAcc3", "NumAcc4"])
def test_neighbours_are_correlated_as_certified(name: str) -> None:
    x = np.array(SETS[name]().values)
    # without the first value, neighbours lie on opposite sides of the mean by the same distance
    assert agreeing(rcompat.cor(x[1:-1], x[2:]), -1.0) >= 15
