"""Mutants that no test can distinguish from the code, each with its reason, checked against the sample."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validation.mutants.sample import Mutant


def match_equivalents(
    entries: Iterable[Mapping[str, str]], sample: "Iterable[Mutant]"
) -> tuple[dict[str, str], list[str]]:
    """Match the entries with mutants of the sample."""
    keys: dict[tuple[str, str, str], list[str]] = {}
    for mutant in sample:
        keys.setdefault((mutant.file, mutant.before, mutant.after), []).append(mutant.key)
    reasons, wrong = {}, []
    for entry in entries:
        found = keys.get((entry["file"], entry["before"], entry["after"]), [])
        if not found:
            wrong.append(f"matches no mutant of the sample: {entry['file']}: {entry['after']}")
        if not entry.get("reason", "").strip():
            wrong.append(f"has no reason: {entry['file']}: {entry['after']}")
        reasons.update(dict.fromkeys(found, entry.get("reason", "")))
    return reasons, wrong
