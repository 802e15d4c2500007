"""Cases of wrsk."""

from collections.abc import Callable
from random import Random

from r_reference.tables.common import Case

N_RANDOM: dict[str, int] = {}
"""Random cases of each function in the table."""

GENERATORS: dict[str, Callable[[Random, int], Case]] = {}
"""The generator of random cases of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return []
