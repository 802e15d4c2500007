"""One row per function: the counts of the comparisons, the times and the cases that differ."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from sparsek._files import whole_file
from validation.parity.cases import CaseResult

COLUMNS = (
    *("function", "package", "against", "cases", "exact", "within_tolerance", "different"),
    *("seconds", "seconds_in_r", "differing_cases"),
)


def by_function(results: Sequence[CaseResult]) -> dict[tuple[str, str], list[CaseResult]]:
    """The comparisons of each function with each source."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        groups.setdefault((result.function, result.source), []).append(result)
    return groups


def function_row(members: Sequence[CaseResult]) -> tuple[object, ...]:
    """The row of the comparisons of one function; differing cases by their ids."""
    differing = [member.id for member in members if not member.passed]
    return (
        *(members[0].function, members[0].package, members[0].source, len(members)),
        sum(member.exact for member in members),
        sum(member.within_tolerance for member in members),
        len(differing),
        f"{sum(member.seconds for member in members):.2f}",
        f"{sum(member.r_seconds for member in members):.2f}",
        " ".join(differing),
    )


def write_table(results: Sequence[CaseResult], file: Path) -> None:
    """Write the row of each function."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(function_row(members) for members in by_function(results).values())
    with whole_file(file) as temporary:
        temporary.write_text(text.getvalue(), encoding="utf-8")
