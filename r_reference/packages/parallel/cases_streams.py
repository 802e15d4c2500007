"""Cases of parallel: the next streams and parts of streams of L'Ecuyer's generator."""

from collections.abc import Callable
from random import Random

from r_reference.case_parts import Case, RandomCases, new_case

FUNCTIONS = ("nextRNGStream", "nextRNGSubStream")
CODES = (10407, 407, 10207, 10007, 507)


def random_state(function: str) -> Callable[[Random, int], Case]:
    """What makes a call with any seven words, now and then with too few or of another generator."""

    def make(r: Random, seed: int) -> Case:
        words = [r.randrange(-(2**31) + 1, 2**31) for _ in range(6)]
        odd = r.random()
        state = [10403 if odd < 0.05 else r.choice(CODES), *words]
        return new_case(function, {"seed": state[:6] if odd > 0.95 else state}, None, seed)

    return make


RANDOM_CASES: RandomCases = {name: (50, random_state(name)) for name in FUNCTIONS}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Small states, words at and above the moduli, states that are none."""
    states = [
        [10407, 1, 2, 3, 4, 5, 6],
        [407, 0, 0, 0, 0, 0, 0],
        [10407, -1, -1, -1, -1, -1, -1],
        [10407, -209, -210, -208, -22853, -22854, -22852],
        [10207, 12345, 12345, 12345, 12345, 12345, 12345],
        [10407, 2147483647, -2147483647, 0, 1, -2147483647, 2147483647],
        [10407, 0, 0, 1, 0, 0, 1],
        [10403, 1, 2, 3, 4, 5, 6],
        [7, 1, 2, 3, 4, 5, 6],
        [10407],
    ]
    return [new_case(name, {"seed": state}, None, 1) for name in FUNCTIONS for state in states]
