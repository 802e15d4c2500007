"""NIST's Statistical Reference Datasets of the analysis of variance: sums of squares, F, R² and deviation.

Source: https://www.itl.nist.gov/div898/strd/anova/anova.html. SiRstv and AtmWtAg are observed. SmLs01 to
SmLs09 are made here as Simon and Lesage (1989) do: Computational Statistics & Data Analysis 8, 325-332.
``python -m tests.rcompat.stats.test_nist_anova`` writes the digits that agree into docs/testing.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import astuple, dataclass
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.compare import log_relative_error
from tests.places import ROOT

PAGE = ROOT / "docs" / "testing.md"
MARKS = re.compile(r"(<!-- NIST -->\n).*?(<!-- End -->)", flags=re.DOTALL)
RESISTANCES = """
196.3052 196.1240 196.1890 196.2569 196.3403  196.3042 196.3825 196.1669 196.3257 196.0422
196.1303 196.2005 196.2889 196.0343 196.1811  196.2795 196.1748 196.1494 196.1485 195.9885
196.2119 196.1051 196.1850 196.0052 196.2090
"""
"""Of silicon, measured by five instruments, five times each."""
SILVER = """
1568 1465 1572 1785 1446 1903 1526 1494 1616 1587 1519 1486 1419 1569 1508 1672 1385 1518 1662 1424 1360 1333
1610 1477  1079 1344 1513 1197 1604 1385 1642 1365 1151 1082 1517 1448 1198 1482 1334 1609 1101 1512 1469 1360
1254 1261 1450 1368
"""
"""Atomic weights of silver by two instruments, 24 times each: their digits behind 107.868."""


@dataclass(frozen=True)
class Table:
    """A table of the analysis of variance with one factor."""

    between: float | Fraction  # between, within: sums of squares
    within: float | Fraction
    ratio: float | Fraction  # F
    share: float | Fraction  # R squared
    deviation: float  # Residual standard deviation


@dataclass(frozen=True)
class Certified:
    """Data and certified values."""

    groups: list[list[str]]  # Texts of the values
    table: Table
    equal: int  # Leading digits that are equal in all values, as NIST counts them
    digits: float  # Digits that must agree: of 16 those that are equal are lost, and two to rounding

    def doubles(self) -> list[list[float]]:
        """The values as the computer has them."""
        return [[float(text) for text in group] for group in self.groups]


def cut(values: str, size: int, before: str = "") -> list[list[str]]:
    """Groups of one size, with what stands before each number."""
    texts = [before + text for text in values.split()]
    return [texts[i : i + size] for i in range(0, len(texts), size)]


def simon_lesage(whole: int, size: int) -> list[list[str]]:
    """Nine groups: a number of tenths, then in turn one less and one more; the fifth digit is never used."""
    middles = [4, 3, 5, 3, 5, 3, 5, 3, 5]
    return [
        [f"{whole}.{middle}", *[f"{whole}.{middle - 1}", f"{whole}.{middle + 1}"] * (size // 2)]
        for middle in middles
    ]


def generated(size: int) -> Table:
    """The certified values, which are equal for 1, 10^6 and 10^12."""
    return {
        21: Table(1.68, 1.8, 21.0, 0.482758620689655, 0.1),
        201: Table(16.08, 18.0, 201.0, 0.471830985915493, 0.1),
        2001: Table(160.08, 180.0, 2001.0, 0.470712773465067, 0.1),
    }[size]


SETS: dict[str, Callable[[], Certified]] = {
    "SiRstv": lambda: Certified(
        cut(RESISTANCES, 5),
        Table(5.11462616e-2, 2.1663656e-1, 1.18046237440255, 1.90999039051129e-1, 1.04076068334656e-1),
        3,
        13.0,
    ),
    "AtmWtAg": lambda: Certified(
        cut(SILVER, 24, "107.868"),
        Table(3.638341875e-9, 1.04951729166667e-8, 15.9467335677930, 2.57426544538321e-1, 1.5104831444641e-5),
        7,
        10.0,
    ),
    **{
        f"SmLs{3 * power + place + 1:02}": lambda power=power, place=place: Certified(
            simon_lesage(10 ** (6 * power), (21, 201, 2001)[place]),
            generated((21, 201, 2001)[place]),
            (1, 7, 13)[power],
            (14.5, 9.5, 3.5)[power],
        )
        for power in range(3)
        for place in range(3)
    },
}
"""The data sets, from the easiest to the hardest of each kind."""


def analyse(groups: list[list[float]]) -> Table:
    """The table, by R's functions on deviations from the mean."""
    values = np.concatenate(groups)
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    gaps = values - rcompat.mean(values)
    sizes = np.asarray(rcompat.tapply(gaps, labels, "length"))
    means, variances = (np.asarray(rcompat.tapply(gaps, labels, name)) for name in ("mean", "var"))
    between = rcompat.sum(sizes * (means - rcompat.mean(gaps)) ** 2)
    within = rcompat.sum((sizes - 1) * variances)
    return complete(between, within, len(groups), len(values))


def analyse_exactly(groups: list[list[float]]) -> Table:
    """The table of the same doubles without any rounding."""
    exact = [[Fraction(value) for value in group] for group in groups]
    mean = sum(map(sum, exact)) / Fraction(sum(map(len, exact)))
    means = [sum(group) / Fraction(len(group)) for group in exact]
    between = sum(len(group) * (m - mean) ** 2 for group, m in zip(exact, means, strict=True))
    within = sum((value - m) ** 2 for group, m in zip(exact, means, strict=True) for value in group)
    return complete(Fraction(between), Fraction(within), len(groups), sum(map(len, groups)))


def complete(between: float | Fraction, within: float | Fraction, k: int, n: int) -> Table:
    """The table with these sums of squares, of k groups of n values."""
    ratio = (between / (k - 1)) / (within / (n - k))
    return Table(between, within, ratio, between / (between + within), math.sqrt(float(within / (n - k))))


def agreeing(computed: Table, reference: Table) -> list[float]:
    """Leading decimal digits that agree, of the five values."""
    pair = [[float(value) for value in astuple(table)] for table in (computed, reference)]
    return log_relative_error(*pair).tolist()


@pytest.mark.parametrize("name", SETS)
def test_certified_values(name: str) -> None:
    certified = SETS[name]()
    assert min(agreeing(analyse(certified.doubles()), certified.table)) >= certified.digits


@pytest.mark.parametrize("name", [name for name in SETS if name not in ("SmLs03", "SmLs06", "SmLs09")])
def test_no_digit_is_lost_that_the_doubles_have(name: str) -> None:
    doubles = SETS[name]().doubles()
    assert min(agreeing(analyse(doubles), analyse_exactly(doubles))) >= 13  # some roundings of 16 digits


@pytest.mark.parametrize("name", SETS)
def test_the_rule_and_the_numbers_are_nists(name: str) -> None:
    folder = files("scipy.stats").joinpath("tests", "data", "nist_anova")
    if not folder.is_dir():
        pytest.skip("this scipy comes without NIST's files")
    lines = folder.joinpath(f"{name}.dat").read_text(encoding="utf-8").splitlines()
    certified = SETS[name]()
    found = [line.split() for line in lines[60:] if line.strip()]
    groups: dict[str, list[str]] = {}
    for label, value in found:
        groups.setdefault(label, []).append(value)
    assert [[Fraction(v) for v in g] for g in groups.values()] == [
        [Fraction(v) for v in g] for g in certified.groups
    ]
    numbers = [float(text) for text in re.findall(r"-?\d\.\d{14}E[+-]\d\d", "\n".join(lines[40:60]))]
    assert set(astuple(certified.table)) <= set(numbers)
    assert f"{certified.equal} Constant Leading Digit" in "\n".join(lines)


def digits_table() -> str:
    """Digits that agree with NIST's, and those that the exact results of the doubles have."""
    lines = [
        "| set | values | equal digits | between | within | F | R² | deviation | exact F of the doubles |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for name, make in SETS.items():
        certified = make()
        doubles = certified.doubles()
        ours = agreeing(analyse(doubles), certified.table)
        best = agreeing(analyse_exactly(doubles), certified.table)[2]
        cells = [
            name,
            str(sum(map(len, doubles))),
            str(certified.equal),
            *(f"{digits:.1f}" for digits in [*ours, best]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def page_with(table: str) -> str:
    """The page with this table."""
    return MARKS.sub(lambda found: f"{found[1]}{table}\n{found[2]}", PAGE.read_text(encoding="utf-8"))


def test_the_page_shows_the_digits() -> None:
    assert "<!-- NIST -->" in PAGE.read_text(encoding="utf-8")
    assert page_with(digits_table()) == PAGE.read_text(encoding="utf-8"), (
        "run python -m tests.rcompat.stats.test_nist_anova"
    )


if __name__ == "__main__":
    PAGE.write_text(page_with(digits_table()), encoding="utf-8")
