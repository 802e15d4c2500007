"""Compares the objects and random streams of an R script with those of its port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from sparsek.compare import FieldComparison, compare_fields
from sparsek.port.fields import format_field, free_signs, from_zero, moved_labels
from sparsek.port.recording import NAMES, Check, Recording, ScriptError, Statement, common, run_python, run_r

END = "at the end"
"""What the end of the scripts is called among the checks."""


@dataclass(frozen=True, slots=True)
class Row:
    """An object that is equal, or one of its fields that differs."""

    check: str  # Where it was compared: name of the check, or the end
    # How it compares; its field is the name of the object with the place inside it, as R writes it
    comparison: FieldComparison


@dataclass(frozen=True, slots=True)
class PortComparison:
    """An R script and its port."""

    r: Path  # r, python: the scripts
    python: Path
    rows: tuple[Row, ...]  # Objects in R's order, check by check
    notes: tuple[str, ...]  # Labels that differ, paired; objects of one script only
    states: int  # Number of states of the random streams that both scripts have
    parting: Parting | None  # Where the random streams part

    @property
    def passed(self) -> bool:
        """Whether all is equal."""
        return self.parting is None and all(row.comparison.exact for row in self.rows)

    @property
    def verdict(self) -> str:
        """The result in one line."""
        differing = sum(not row.comparison.exact for row in self.rows)
        objects = f"{differing} of {len(self.rows)} differ" if differing else f"all {len(self.rows)} equal"
        return f"objects: {objects}; random streams: {'equal' if self.parting is None else 'they part'}"

    @property
    def stream_lines(self) -> list[str]:
        """What there is to say about the random streams."""
        if self.parting is None:
            return [f"random streams: equal in all {self.states} states that both have"]
        sides = ((self.r, self.parting.r), (self.python, self.parting.python))
        places = [f"  {script}, {at.shown() if at else 'which draws nothing here'}" for script, at in sides]
        return ["random streams: they part after", *places]

    def as_text(self) -> str:
        """The comparison as text."""
        lines = []
        for check in dict.fromkeys(row.check for row in self.rows):
            lines.append(f"{check}:")
            lines += [format_field(row.comparison) for row in self.rows if row.check == check]
        return "\n".join([*lines, *self.notes, *self.stream_lines, self.verdict])

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for programs."""
        fields = [{"check": row.check, **asdict(row.comparison)} for row in self.rows]
        verdict = {"passed": self.passed, "verdict": self.verdict}
        return {**verdict, "fields": fields, "notes": list(self.notes), "streams": self.stream_lines}


def compare_scripts(r: Path, python: Path, wanted: Sequence[str] = ()) -> PortComparison:
    """Run an R script and its port and compare what they leave. This runs the code of both.

    Raises ScriptError if Rscript is missing, a script fails, they have different checks or no common object,
    or one lacks a wanted object.
    """
    names = [common(name) for name in wanted]
    return compare_recordings(run_r(r, names), run_python(python, names), names)


def compare_recordings(r: Recording, python: Recording, wanted: Sequence[str]) -> PortComparison:
    """Compare what two scripts left.

    Raises ScriptError if they have different checks or no common object, or one lacks a wanted object.
    """
    for one, other in ((r, python), (python, r)):
        alone = [name for name in one.checks if name not in other.checks]
        if alone:
            line = one.checks[alone[0]].line
            raise ScriptError(f"{one.script}, line {line}: {other.script} has no check {alone[0]!r}")
    rows: list[Row] = []
    notes: list[str] = []
    for name in r.checks:
        place = f"check {name}" if name else END
        ours, theirs = _by_name(python, name), _by_name(r, name)
        _require(wanted, {r.script: theirs, python.script: ours}, place)
        for key in [key for key in theirs if key in ours and ours[key][0] not in python.loops]:
            found, more = _compare(*theirs[key], *ours[key], python)
            rows += [Row(place, comparison) for comparison in found]
            notes += [f"{place}: {note}" for note in more]
    if not rows:
        raise ScriptError(
            f"{r.script} and {python.script} have no object of the same name with numbers or texts; "
            f"R has {_listed(r.checks[''])}, Python has {_listed(python.checks[''])}"
        )
    notes += _only(r, python) + _only(python, r)
    if python.loops:
        notes.append(f"not compared, loop variables of {python.script}: {', '.join(sorted(python.loops))}")
    parting = find_parting(r, python)
    return PortComparison(
        r.script, python.script, tuple(rows), tuple(notes), common_states(r, python), parting
    )


def _by_name(recording: Recording, check: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Names as spelled in the script, and fields, of the objects with numbers or texts, by common name."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, fields in recording.checks[check].objects.items():
        if fields:
            if common(name) in found:
                raise ScriptError(
                    f"{recording.script} has {found[common(name)][0]} and {name}, which are one name in the "
                    "other language; rename one of them"
                )
            found[common(name)] = (name, fields)
    return found


def _require(wanted: Sequence[str], sides: dict[Path, dict[str, Any]], place: str) -> None:
    """Refuse a wanted object that a script has not; before the end, both may lack it."""
    for name in wanted:
        lacking = [script for script, objects in sides.items() if name not in objects]
        if lacking and (place == END or len(lacking) < len(sides)):
            raise ScriptError(f"{lacking[0]} has no object {name} with numbers or texts, {place}")


def _compare(
    name: str, theirs: dict[str, Any], our_name: str, ours: dict[str, Any], python: Recording
) -> tuple[list[FieldComparison], list[str]]:
    """An object's differing fields, or the object as one where all are equal; notes on it."""
    spelled = {common(path): path for path in theirs}
    left = {f"{name}{path}": values for path, values in theirs.items()}
    right = {f"{name}{spelled.get(common(path), path)}": values for path, values in ours.items()}
    for side, other in ((left, right), (right, left)):
        for path in [path for path in side if path.endswith(NAMES) and path not in other]:
            del side[path]
    notes = []
    if our_name in python.positions:
        notes += from_zero(right, left)
    if python.free_signs:
        notes += free_signs(right, left)
    compared = compare_fields(right, left)
    differing = [comparison for comparison in compared if not comparison.exact]
    if differing:
        return differing, notes + moved_labels(right, left)
    least = min(compared, key=lambda comparison: comparison.lre)
    return [FieldComparison(name, True, least.lre, least.max_abs_diff, "", least.norm_lre)], notes


def _listed(check: Check) -> str:
    """The names of the objects with numbers or texts."""
    return ", ".join(name for name, fields in check.objects.items() if fields) or "none"


def _only(one: Recording, other: Recording) -> list[str]:
    """A note on the objects at the end that only one script has."""
    names = [pair[0] for key, pair in _by_name(one, "").items() if key not in _by_name(other, "")]
    return [f"not compared, only in {one.script}: {', '.join(names)}"] if names else []


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
