"""Where the random streams of two scripts part."""

import pytest

from sparsek.port.comparing import common_states, find_parting
from tests.port.scripts import stream


@pytest.mark.parametrize(
    ("r", "python", "lines"),
    [
        (["!a", "b", "c"], ["!a", "b", "c"], None),
        (["!a", "a", "b", "b"], ["!a", "b"], None),  # statements that draw nothing
        (["!a", "b", "c"], ["!a", "c"], None),  # one statement does what two do in R
        (["!c"], ["!a", "b", "c"], None),
        ([], [], None),
        (["!a", "b"], ["!a", "x"], (2, 2)),
        (["!a", "b", "c"], ["!a", "x", "c"], (2, 2)),  # streams that meet again by chance
        (["!a", "b", "!s", "t"], ["!a", "x", "!s", "t"], (2, 2)),
        (["!a", "b", "c"], ["!a", "b"], (3, None)),
        (["!a"], ["!a", "x"], (None, 2)),
        (["!a", "b", "!s"], ["!a", "!s"], (2, None)),  # a draw that a new seed hides
        (["!a", "!s"], ["!a", "x", "!s"], (None, 2)),
        (["!a", "b"], ["!x", "y"], (1, 1)),
        (["!a", "b"], [], (1, None)),
    ],
)
def test_parting(r: list[str], python: list[str], lines: tuple[int | None, int | None] | None) -> None:
    found = find_parting(stream(*r), stream(*python))
    places = found and tuple(statement and statement.line for statement in (found.r, found.python))
    assert places == lines


def test_states_in_common_are_counted() -> None:
    assert common_states(stream("!a", "b", "b", "c"), stream("!a", "c")) == 2
