"""The validation report: one HTML file for people, report.json with every number for machines.

`build_report` gathers plain values, `render_html` turns them into the page, `write_report` writes both files.
"""

import dataclasses
import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from r_reference.listing import tolerances
from r_reference.recipes import load_table as load_cases
from r_reference.records import PART_OF_R
from sparsek._files import whole_file
from validation.papers.overview import overview_links
from validation.parity.cases import CaseResult
from validation.report.checks import installation_checks, operational_checks
from validation.report.drawing import draw_lre_histogram, draw_weights
from validation.report.outcomes import TestRun
from validation.report.pages import render
from validation.report.release import bill_of_materials, describe_release
from validation.report.requirements import load_table, requirement_rows
from validation.report.risks import (
    campaign_gist,
    failed_tests,
    missing_gist,
    package_gist,
    requirements_gist,
    risk_rows,
    verdict_scope,
    verdict_sentence,
)
from validation.report.sections import Section, Table, count_claims, without_pictures

SOURCES = ("recorded", "live")
R_ITSELF = "stats and base"
SHORTEST_TIMED = 0.05  # total seconds needed for a ratio, because R's clock counts milliseconds


def _function_row(function: str, source: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Summary of one function's cases of one source (recorded or live); times in milliseconds per call."""
    seconds, r_seconds = (sum(case[name] for case in cases) for name in ("seconds", "r_seconds"))
    return {
        "function": function,
        "source": source,
        "cases": len(cases),
        "exact": sum(case["exact"] for case in cases),
        "within": sum(case["within_tolerance"] for case in cases),
        "lres": [case["worst_lre"] for case in cases],
        "worst_lre": min(case["worst_lre"] for case in cases),
        "ms": 1000 * seconds / len(cases),
        "r_ms": 1000 * r_seconds / len(cases),
        "ratio": seconds / r_seconds if r_seconds >= SHORTEST_TIMED else None,
    }


def _function_rows(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per function and source, functions in the order of the cases, recorded before live."""
    groups: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for case in cases:
        groups.setdefault(case["function"], {}).setdefault(case["source"], []).append(case)
    return [
        _function_row(function, source, sources[source])
        for function, sources in groups.items()
        for source in SOURCES
        if source in sources
    ]


def summarise(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per R package in the order of the cases; stats and base as one entry at the end."""
    members: dict[str, list[dict[str, Any]]] = {}
    for case in sorted(cases, key=lambda case: case["package"] in PART_OF_R):
        package = case["package"]
        members.setdefault(R_ITSELF if package in PART_OF_R else package, []).append(case)
    return [
        {
            "name": name,
            "anchor": "package-" + name.replace(" ", "-"),
            "cases": {source: sum(case["source"] == source for case in found) for source in SOURCES},
            "exact": {
                source: sum(case["source"] == source and case["exact"] for case in found)
                for source in SOURCES
            },
            "within": {
                source: sum(case["source"] == source and case["within_tolerance"] for case in found)
                for source in SOURCES
            },
            "worst_lre": min(case["worst_lre"] for case in found),
            "functions": _function_rows(found),
        }
        for name, found in members.items()
    ]


def build_report(
    results: Sequence[CaseResult],
    skipped: Sequence[dict[str, Any]],
    real_data: Sequence[dict[str, Any]],
    environment: dict[str, Any],
    sections: Sequence[Section] = (),
    campaign: dict[str, Any] | None = None,
    verdicts: Table | None = None,
    tests: TestRun | None = None,
    data_sets: dict[str, bool] | None = None,
    left_out: Sequence[str] = (),
    benchmark: Section | None = None,
) -> dict[str, Any]:
    """The content of the report as plain values."""
    cases = [dataclasses.asdict(result) for result in results]
    within = sum(case["within_tolerance"] for case in cases)
    different = [case for case in cases if not (case["exact"] or case["within_tolerance"])]
    apart = [case for case in different if case["source"] == "live" and environment["live_r_differs"]]
    failing = [case for case in different if case not in apart]
    by_source = {source: sum(case["source"] == source for case in cases) for source in SOURCES}
    outcomes = None if tests is None else tests.total()
    report = {
        "title": "sparsek validation report",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "passed": bool(cases) and not failing and not failed_tests(outcomes),
        "counts": {
            **by_source,
            "compared": len(cases),
            "exact": len(cases) - len(different) - within,
            "within": within,
            "failing": len(failing),
            "apart": len(apart),
            "skipped": sum(entry["cases"] for entry in skipped),
            "compiled": sum(case["compiled"] for case in cases),
        },
        "skipped": list(skipped),
        "environment": environment,
        "requirements": requirement_rows(cases, tests, campaign),
        "tests": outcomes,
        "packages": summarise(cases),
        "failing": failing,
        "real_data": list(real_data),
        "data_sets": data_sets or {},
        "left_out": list(left_out),
        "sections": [dataclasses.asdict(section) for section in sections],
        "benchmark": None if benchmark is None else dataclasses.asdict(benchmark),
        "overview": None if verdicts is None else dataclasses.asdict(verdicts),
        "campaign": campaign,
        "deviations": load_table("deviations"),
        "tolerances": tolerances(),
        "functions": risk_rows(cases, tests),
        "installation": installation_checks(environment),
        "release": describe_release(),
        "cases": cases,
    }
    return {**report, "operation": operational_checks(report, tests)}


def _weights_figure(data: dict[str, Any]) -> str:
    """A figure of the weights of methods with feature weights, for one data set."""
    weighing = [row for row in data["rows"] if row["weights"] is not None]
    weights = {f"{row['method']}: {row['call']}": row["weights"] for row in weighing}
    return draw_weights(f"weights-{data['name']}", data["features"], weights)


def render_html(report: dict[str, Any], json_sha256: str) -> str:
    """The report as one HTML page without external resources."""
    rows = [row for package in report["packages"] for row in package["functions"]]
    counted = {section["anchor"]: count_claims(section) for section in report["sections"]}
    packages = [{**package, "gist": package_gist(package)} for package in report["packages"]]
    return render(
        "report.html.j2",
        **{**report, "packages": packages},
        verdict=verdict_sentence(report),
        scope=verdict_scope(report),
        failed=failed_tests(report["tests"]),
        requirements_gist=requirements_gist(report),
        campaign_gist=campaign_gist(report["campaign"]),
        missing_gist=missing_gist(report["data_sets"]),
        impacts=load_table("impacts"),
        case_lists=list_cases(report["cases"]),
        claims={anchor: f"{holding} of {all_}" for anchor, (holding, all_) in counted.items() if all_},
        overview_links=overview_links(counted),
        histograms={(row["function"], row["source"]): draw_lre_histogram(row["lres"]) for row in rows},
        weight_figures=[_weights_figure(data) for data in report["real_data"]],
        json_sha256=json_sha256,
        shortest_timed=SHORTEST_TIMED,
    )


def write_report(report: dict[str, Any], folder: Path) -> int:
    """Write index.html, report.json and sbom.json, print their place, and return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {**report, "sections": [without_pictures(section) for section in report["sections"]]}
    text = json.dumps(numbers, indent=1, allow_nan=False)
    page = render_html(report, hashlib.sha256(text.encode()).hexdigest())
    bill = json.dumps(bill_of_materials(report["release"]), indent=1)
    for name, content in (("report.json", text), ("sbom.json", bill), ("index.html", page)):
        with whole_file(folder / name) as temporary:
            temporary.write_text(content, encoding="utf-8")
    counts = report["counts"]
    verdict = "PASS" if report["passed"] else "FAIL"
    tolerated = f", {counts['within']} within a stated tolerance" if counts["within"] else ""
    environment = report["environment"]
    unlike = "; ".join(environment["unlike_reference"])
    why = f", {counts['failing']} differ" if counts["failing"] else ""
    why += f"; this is not the platform of the records: {unlike}" if why and unlike else ""
    made = f"{counts['recorded']} recorded, {counts['live']} live, {counts['skipped']} live skipped"
    print(f"{verdict}: {counts['exact']} of {counts['compared']} parity cases exact ({made}){tolerated}{why}")
    if failed := failed_tests(report["tests"]):
        print(f"{verdict}: {failed} tests failed, which section 8 of the report names")
    apart = "are judged apart, in section 2 of the report" if report["sections"] else "were left out"
    print(f"{verdict} is about {verdict_scope(report)}; the numbers that papers print {apart}")
    if counts["apart"]:
        print(f"counted apart: {counts['apart']} live cases differ: {environment['live_r_differs']}")
    if left := missing_gist(report["data_sets"]):
        print(left)
    print(f"report: {folder / 'index.html'}  numbers: {folder / 'report.json'}")
    return 0 if report["passed"] else 1


LONGEST = 90
"""Characters of a call or of a message after which it is cut off."""
SHOWN = 6
"""Entries of a vector that are shown."""


def list_cases(cases: Sequence[Mapping[str, Any]]) -> dict[str, list[list[Any]]]:
    """Rows of the lists, by function."""
    known = {case["id"]: case for case in load_cases()["cases"]}
    lists: dict[str, dict[str, list[Any]]] = {}
    for case in cases:
        rows = lists.setdefault(case["function"], {})
        call = describe_call(known[case["id"]]) if case["id"] in known else ""
        row = rows.setdefault(case["id"], [case["id"], call, case["seed"], "", "", 15.0, ""])
        row[3 if case["source"] == "recorded" else 4] = outcome(case)
        row[5] = min(row[5], round(case["worst_lre"], 1))
        row[6] = row[6] or _cut(case["message"])
    return {function: list(rows.values()) for function, rows in lists.items()}


def outcome(case: Mapping[str, Any]) -> str:
    """The word for how a case came out."""
    if case["exact"]:
        return "equal"
    return "within tolerance" if case["within_tolerance"] else "differs"


def describe_call(case: Mapping[str, Any]) -> str:
    """Arguments of a case as R has them, and its data, in short."""
    arguments = [f"{name}={_show(value)}" for name, value in case["args"].items()]
    data = describe_data(case["data"]) if case["data"] else ""
    return _cut("; ".join(part for part in (", ".join(arguments), data) if part))


def describe_data(recipe: Mapping[str, Any]) -> str:
    """A data recipe in short: where the data come from and what was done to them."""
    if "rows" in recipe:
        start = f"{len(recipe['rows'])} x {len(recipe['rows'][0])} given"
    elif "dataset" in recipe:
        start = recipe["dataset"] + (", scaled" if recipe.get("scaled") else "")
    else:
        start = f"{recipe['n']} x {recipe['p']} {recipe['draw']}"
    return ", ".join([start, *(str(step[0]) for step in recipe.get("steps", []))])


def _show(value: Any) -> str:
    """A value as R writes it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list):
        more = ", ..." if len(value) > SHOWN else ""
        return f"c({', '.join(map(_show, value[:SHOWN]))}{more})"
    if isinstance(value, Mapping):
        return f"x[{_show(value['rows_of_x'])}, ]" if "rows_of_x" in value else "a matrix"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cut(text: str) -> str:
    """A text of at most `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
