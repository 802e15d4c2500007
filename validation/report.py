"""The validation report: one HTML file for people, report.json with every number for machines.

`build_report` gathers plain values, `render_html` turns them into the page, `write_report` writes both files.
"""

import dataclasses
import datetime
import hashlib
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from validation import figures
from validation.parity import CaseResult

FOLDER = Path(__file__).parent
SHORTEST_TIMED = 0.05  # seconds in all; R's clock ticks in milliseconds, so less says nothing about a ratio


def load_table(name: str) -> list[dict[str, Any]]:
    """The entries of `requirements.toml` or `deviations.toml`, by the file's stem."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))[name]


def _function_row(package: str, function: str, source: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Summary of one function's cases of one source (recorded or live)."""
    exact = sum(case["exact"] for case in cases)
    seconds, r_seconds = (sum(case[name] for case in cases) for name in ("seconds", "r_seconds"))
    return {
        "package": package,
        "function": function,
        "source": source,
        "cases": len(cases),
        "exact": exact,
        "share": exact / len(cases),
        "lres": [case["worst_lre"] for case in cases],
        "worst_lre": min(case["worst_lre"] for case in cases),
        "seconds": seconds,
        "r_seconds": r_seconds,
        "ratio": seconds / r_seconds if r_seconds >= SHORTEST_TIMED else None,
    }


def summarise(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per function and source, functions in the order of the cases, recorded before live."""
    groups: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for case in cases:
        sources = groups.setdefault((case["package"], case["function"]), {})
        sources.setdefault(case["source"], []).append(case)
    return [
        _function_row(*function, source, sources[source])
        for function, sources in groups.items()
        for source in ("recorded", "live")
        if source in sources
    ]


def _requirement_rows(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requirements, each with the parity cases of this run that bear on it."""
    rows = []
    for requirement in load_table("requirements"):
        relevant = [case for case in cases if case["function"] in requirement.get("functions", [])]
        rows.append(
            {**requirement, "cases": len(relevant), "exact": sum(case["exact"] for case in relevant)},
        )
    return rows


def build_report(
    results: Sequence[CaseResult],
    skipped: Sequence[dict[str, Any]],
    real_data: Sequence[dict[str, Any]],
    environment: dict[str, Any],
) -> dict[str, Any]:
    """Everything the report shows, as plain values.

    Parameters
    ----------
    results : sequence of CaseResult
        One per compared case.
    skipped : sequence of dict
        `cases` (int) and `reason` (str) of the live comparisons that could not be made.
    real_data : sequence of dict
        From `validation.realdata.analyse`.
    environment : dict
        From `validation.environment.describe_environment`.

    Returns
    -------
    dict
        The content of report.json.
    """
    cases = [dataclasses.asdict(result) for result in results]
    failing = [case for case in cases if not case["exact"]]
    by_source = {source: sum(case["source"] == source for case in cases) for source in ("recorded", "live")}
    return {
        "title": "sparsek validation report",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "passed": bool(cases) and not failing,
        "counts": {
            **by_source,
            "compared": len(cases),
            "exact": len(cases) - len(failing),
            "failing": len(failing),
            "skipped": sum(entry["cases"] for entry in skipped),
        },
        "skipped": list(skipped),
        "environment": environment,
        "requirements": _requirement_rows(cases),
        "functions": summarise(cases),
        "failing": failing,
        "real_data": list(real_data),
        "deviations": load_table("deviations"),
        "cases": cases,
    }


def _weights_figure(data: dict[str, Any]) -> str:
    """The weights of the methods that weigh features, for one data set."""
    weighing = [row for row in data["rows"] if row["weights"] is not None]
    weights = {f"{row['method']}: {row['call']}": row["weights"] for row in weighing}
    return figures.draw_weights(f"weights-{data['name']}", data["features"], weights)


def render_html(report: dict[str, Any], json_sha256: str) -> str:
    """The report as one HTML page that loads nothing.

    Parameters
    ----------
    report : dict
        From `build_report`.
    json_sha256 : str
        SHA-256 of report.json, printed so that a signature binds the numbers too.

    Returns
    -------
    str
        The page.
    """
    loader = jinja2.FileSystemLoader(FOLDER)
    template = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).get_template("report.html.j2")
    histograms = [
        figures.draw_lre_histogram(f"lre-{i}", row["lres"]) for i, row in enumerate(report["functions"])
    ]
    weights = [_weights_figure(data) for data in report["real_data"]]
    return template.render(
        **report,
        histograms=histograms,
        weight_figures=weights,
        json_sha256=json_sha256,
        shortest_timed=SHORTEST_TIMED,
    )


def write_report(report: dict[str, Any], folder: Path) -> int:
    """Write index.html and report.json, say where, and return the process's exit code.

    Parameters
    ----------
    report : dict
        From `build_report`.
    folder : Path
        Made when missing.

    Returns
    -------
    int
        0 if every parity claim holds, else 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report, indent=1, allow_nan=False)
    (folder / "report.json").write_text(text, encoding="utf-8")
    page = render_html(report, hashlib.sha256(text.encode()).hexdigest())
    (folder / "index.html").write_text(page, encoding="utf-8")
    counts = report["counts"]
    verdict = "PASS" if report["passed"] else "FAIL"
    print(f"{verdict}: {counts['exact']} of {counts['compared']} parity cases exact")
    print(f"report: {folder / 'index.html'}  numbers: {folder / 'report.json'}")
    return 0 if report["passed"] else 1
