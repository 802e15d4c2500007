"""The verdict and the outcomes of the sections of the report in a few words."""

from typing import Any


def verdict_sentence(report: dict[str, Any]) -> str:
    """The verdict with the numbers of recorded, live and skipped comparisons, without the final period."""
    counts = {name: f"{count:,}" for name, count in report["counts"].items()}
    made = f"{counts['recorded']} with recorded answers and {counts['live']} with R live"
    skipped = f"{counts['skipped']} live ones were skipped"
    if report["passed"]:
        counting = "that count" if report["counts"]["apart"] else "made"
        exact = f"{counts['exact']} exactly and {counts['within']} within a stated tolerance"
        return (
            f"Pass, which is about R alone: sparsek agrees with R in all comparisons {counting}, {exact}, "
            f"{made}; {skipped}"
        )
    if not report["counts"]["compared"]:
        return f"Fail: no case was compared; {skipped}"
    return (
        f"Fail: sparsek differs from R in {counts['failing']} of {counts['compared']} comparisons, {made}; "
        f"{skipped}"
    )


def requirements_gist(report: dict[str, Any]) -> str:
    """How many requirements there are, and what their tests gave."""
    outcomes = [row["outcomes"] for row in report["requirements"]]
    if report["tests"] is None:
        return f"{len(outcomes)}; their tests were not run (make test runs them)"
    left = sum(1 for found in outcomes if not any(found.values()))
    failed = sum(1 for found in outcomes if found["failed"])
    passed = sum(1 for found in outcomes if found["passed"] and not found["failed"])
    skipped = len(outcomes) - failed - passed - left
    counts = [
        f"tests of {passed} passed",
        f"{failed} failed" * bool(failed),
        f"{skipped} skipped" * bool(skipped),
        f"{left} only in make test-all" * bool(left),
    ]
    return f"{len(outcomes)}; {', '.join(filter(None, counts))}"


def package_gist(package: dict[str, Any]) -> str:
    """Exact cases of a package by source, and those within a tolerance."""
    texts = [
        f"{package['exact'][source]:,} of {count:,} {source} exact"
        + (f", {package['within'][source]:,} within tolerance" if package["within"][source] else "")
        for source, count in package["cases"].items()
        if count
    ]
    return "; ".join(texts)


def missing_gist(data_sets: dict[str, bool]) -> str:
    """How many of the papers' data sets are not here, and where they come from; nothing if all are here."""
    missing = list(data_sets.values()).count(False)
    if not missing:
        return ""
    return (
        f"{missing} of the papers' {len(data_sets)} data sets are not here: "
        "their tables are shown from recorded runs (docs/reproducing.md#data)"
    )


def campaign_gist(campaign: dict[str, Any] | None) -> str:
    """Number of calls with inputs of every kind, and how many were neither right nor clearly refused."""
    if campaign is None:
        return "none recorded"
    calls = sum(sum(counts) for counts in campaign["groups"].values())
    good = [campaign["kinds"].index(kind) for kind in ("right", "clear")]
    findings = calls - sum(counts[i] for counts in campaign["groups"].values() for i in good)
    return f"{calls:,} calls, {findings:,} findings"
