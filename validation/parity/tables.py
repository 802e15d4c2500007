"""Comparisons as text: counts per function, what differs, the total."""

from collections.abc import Sequence

from validation.parity.cases import CaseResult


def format_table(results: Sequence[CaseResult]) -> str:
    """The counts per function and source."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        groups.setdefault((result.function, result.source), []).append(result)
    lines = [f"{'function':<28} {'against':<9} {'cases':>6} {'exact':>6} {'within':>6} {'worst LRE':>9}"]
    for (function, source), members in groups.items():
        exact = sum(member.exact for member in members)
        within = sum(member.within_tolerance for member in members)
        worst = min(member.worst_lre for member in members)
        lines.append(f"{function:<28} {source:<9} {len(members):>6} {exact:>6} {within:>6} {worst:>9.1f}")
    return "\n".join(lines)


def format_failures(results: Sequence[CaseResult]) -> str:
    """One line per case that differs, with its seed."""
    failing = [result for result in results if not result.passed]
    return "\n".join(f"DIFFERS {r.id} (seed {r.seed}, {r.source}): {r.message}" for r in failing)


def format_total(results: Sequence[CaseResult]) -> str:
    """How many of the comparisons are exact, and how many within a tolerance."""
    exact = sum(result.exact for result in results)
    within = sum(result.within_tolerance for result in results)
    tolerated = f", {within} within a stated tolerance" * (within > 0)
    return f"{exact} of {len(results)} comparisons exact{tolerated}"
