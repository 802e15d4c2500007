"""Finds the first statements after which the random streams of two scripts part."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from sparsek.port.recording import Recording, Statement


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two random streams part."""

    # r, python: the first statement on each side whose stream the other side does not have; None where there
    # is none
    r: Statement | None
    python: Statement | None


def _steps(recording: Recording) -> list[Statement]:
    """The statements of a script after which the stream is another than before."""
    before = [recording.before, *(statement.state for statement in recording.statements)]
    pairs = zip(before, recording.statements, strict=False)
    return [statement for state, statement in pairs if statement.state not in (state, None)]


def common_states(r: Recording, python: Recording) -> int:
    """How many states of the streams the scripts have in common, one after the other."""
    return sum(block.size for block in _matcher(_steps(r), _steps(python)).get_matching_blocks())


def _matcher(r: list[Statement], python: list[Statement]) -> SequenceMatcher[str | None]:
    """The alignment of the states of two streams."""
    left, right = ([statement.state for statement in side] for side in (r, python))
    return SequenceMatcher(None, left, right, autojunk=False)


def find_parting(r: Recording, python: Recording) -> Parting | None:
    """The first statements after which the streams part.

    A statement of one script may do what several do in the other. So states that only one side has are no
    parting where that side goes on from them, without a new seed, to a state that both have. Where both sides
    have states of their own the streams have parted, even if they meet again: samples that draw again what
    they cannot use often bring two streams together.
    """
    left, right = _steps(r), _steps(python)
    for kind, i, i_end, j, j_end in _matcher(left, right).get_opcodes():
        at_end = i_end == len(left) and j_end == len(right)
        if kind != "equal" and (
            kind == "replace" or at_end or _loses(left, i, i_end) or _loses(right, j, j_end)
        ):
            return Parting(_statement(left, i, i_end), _statement(right, j, j_end))
    return None


def _loses(steps: list[Statement], begin: int, end: int) -> bool:
    """Whether states that the other side does not have are followed by a new seed."""
    return begin < end < len(steps) and steps[end].seeded


def _statement(steps: list[Statement], begin: int, end: int) -> Statement | None:
    """The first of some statements, None where there are none."""
    return steps[begin] if begin < end else None
