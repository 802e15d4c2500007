"""Sphinx extension: the parts of the pages that come from a run, written to docs/_made before Sphinx reads
them.

These are the validation report, which `make validate` has to write first, the tables of the pages on
validation and reproduction, and the pictures of the first page and of the pages on methods. The page
r-functions.md, the reference of R's functions, is written to docs.
"""

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from r_reference.listing import tolerances
from sparsek.cli._methods import describe_methods
from sphinx.errors import ExtensionError
from validation.benchmarks.clusters.page import BATTERY, battery_text, clusters_text
from validation.benchmarks.clusters.page import CRITERIA as CLUSTERS_CRITERIA
from validation.benchmarks.clusters.page import NAME as CLUSTERS
from validation.benchmarks.clusters.page import criteria_text as clusters_criteria_text
from validation.benchmarks.criteria_page import NAME as CRITERIA
from validation.benchmarks.criteria_page import NULL_NAME as CRITERIA_NULL
from validation.benchmarks.criteria_page import criteria_text, null_text
from validation.benchmarks.default_page import NAME as DEFAULT
from validation.benchmarks.default_page import default_text
from validation.benchmarks.page import (
    describe_run,
    draw_speed,
    first_calls_in_words,
    first_calls_table,
    goals_in_words,
    goals_table,
    growth_table,
    speed_table,
    usual_table,
)
from validation.benchmarks.real.page import COMMAND as REAL_COMMAND
from validation.benchmarks.real.page import NAME as REAL
from validation.benchmarks.real.page import real_text
from validation.benchmarks.scale.first_calls import NAME as FIRST_CALLS
from validation.benchmarks.scale.growth import NAME as GROWTH
from validation.benchmarks.speed import NAME as SPEED
from validation.benchmarks.speed import USUAL
from validation.papers import find_papers
from validation.papers.overview import overview
from validation.papers.shared.margins import MARGINS, SD_FACTOR, SD_REASON
from validation.papers.shared.store import RESULTS, load_table
from validation.papers.skfr.real_tables.grid_section import agreement, is_usual, judged_grid

from all_methods import draw_all, table_of_methods
from method_pictures import draw_methods
from pictures import LOOKS, draw_selection, overlapping_texts, run_example, style
from r_functions import show_r_functions

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MADE = DOCS / "_made"
REPORT = MADE / "site" / "report"
PARTS = ("index.html", "report.json", "sbom.json")
"""The files of a report."""
NUMBER = re.compile(r"[\d(-]|$")
"""How a number, a size or an empty cell begins."""


def make_report() -> dict[str, Any]:
    """Copy the report of `make validate` for the site; returns its numbers."""
    existing = ROOT / "report"
    if not all((existing / name).is_file() for name in PARTS):
        raise ExtensionError(
            f"there is no whole validation report in {existing}: run make validate first"
        )
    numbers: dict[str, Any] = json.loads(
        (existing / "report.json").read_text(encoding="utf-8")
    )
    if not numbers["sections"]:
        raise ExtensionError(
            f"the report in {existing} lacks the printed results: run make validate again"
        )
    REPORT.mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        shutil.copyfile(existing / name, REPORT / name)
    return numbers


def as_markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; columns of numbers, after the first, are aligned to the right."""
    lines = [[str(cell) for cell in row] for row in rows]
    numeric = [all(NUMBER.match(row[i]) for row in lines) for i in range(1, len(header))]
    marks = ["---", *("--:" if right else "---" for right in numeric)]
    return "".join("| " + " | ".join(line) + " |\n" for line in [header, marks, *lines])


def show_parity(report: dict[str, Any]) -> str:
    """Verdict of a report, and its counts by R package."""
    counts = report["counts"]
    verdict = "**not all equal**" if counts["failing"] else "equal"
    live = f", {counts['live']} against R itself" if counts["live"] else ""
    text = (
        f"The report of this site was made on {report['created'][:10]}: {counts['recorded']} cases against "
        f"recorded results{live}; {counts['exact']} are the same bit for bit, {counts['within']} within a "
        f"stated tolerance, {counts['failing']} differ. Verdict: {verdict}.\n\n"
    )
    rows = [
        [package["name"], len({row["function"] for row in package["functions"]})]
        + [sum(package[key].values()) for key in ("cases", "exact", "within")]
        for package in report["packages"]
    ]
    header = ("R package", "functions", "cases", "exact", "within tolerance")
    return text + as_markdown(header, rows)


def show_tolerances() -> str:
    """The fields that may differ from R's, and by how much."""
    rows = [
        [
            ", ".join(f"`{name}`" for name in entry["functions"]),
            ", ".join(f"`{name}`" for name in entry["fields"]),
            entry["digits"],
            entry["reason"],
        ]
        for entry in tolerances()
    ]
    return as_markdown(("functions", "fields", "digits at least", "why"), rows)


def show_results() -> str:
    """The recorded full runs, with counts of verdicts and links to the results."""
    counts = overview()
    rows = []
    captions = {
        text: name
        for paper in find_papers().values()
        for name, text in paper.captions.items()
    }
    for title, row in counts.iterrows():
        shown = ["" if pd.isna(count) else count for count in row]
        name = captions.get(str(title))
        links = [
            f"{{download}}`{end} <../validation/results/{name}.{end}>`" if name else ""
            for end in ("csv", "json")
        ]
        rows.append([title, *shown, *links])
    return as_markdown(("full run", *counts.columns, "numbers", "versions"), rows)


def show_margins() -> str:
    """The margins of equivalence with their reasons."""
    rows = [
        [name, f"{margin.value:.0%} of the printed number" if margin.relative else f"{margin.value:g}",
         margin.reason]
        for name, margin in MARGINS.items()
    ]  # fmt: skip
    rows.append(["standard deviation", f"a factor of {SD_FACTOR:g}", SD_REASON])
    return as_markdown(("measure", "margin", "reason"), rows)


def show_readings() -> str:
    """How many readings of SKFR1 in Table 4 agree with the printed numbers, from the recorded grid."""
    cells, _ = judged_grid()
    every, usual = (
        agreement(some).to_dict("records") for some in (cells, cells[is_usual(cells)])
    )
    rows = [
        [row["data"], f"{row['printed']:.3f} ± {row['printed_sd']:.3f}"]
        + [f"{some['agree']} of {some['readings']}" for some in (row, few)]
        + [row["nearest"], f"{row['mean']:.3f} ± {row['sd']:.3f}"]
        for row, few in zip(every, usual, strict=True)
    ]
    header = (
        "data",
        "printed",
        "readings that agree",
        "... of usual k-means++",
        "nearest",
        "its numbers",
    )
    return as_markdown(header, rows)


def show_chosen() -> str:
    """What was chosen after seeing printed numbers."""
    rows = [
        [paper.captions[name], text]
        for paper in find_papers().values()
        for name, text in paper.chosen.items()
    ]
    return as_markdown(("full run", "chosen after seeing the printed numbers"), rows)


def show_methods() -> str:
    """The estimators, with the special data that each handles."""
    rows = []
    for row in describe_methods():
        local = row["local features"]
        handles = [name for name in ("missing", "constraints") if row[name]]
        handles += (
            [f"local features (`{local}`)" if "=" in local else "local features"]
            if local
            else []
        )
        shown = (
            ", ".join(handles)
            .replace("missing", "missing values")
            .replace("constraints", "pairs")
        )
        package, _, function = row["R"].partition("::")
        twin = f"{package} `{function}`" if package else ""
        name = f"{{py:class}}`~sparsek.{row['estimator']}` <br> `{row['method']}`"
        rows.append([name, shown, twin, row["paper"]])
    return as_markdown(
        ("estimator, name in the command line", "handles", "R", "paper"), rows
    )


def show_table(table: pd.DataFrame) -> str:
    """A table of texts in Markdown."""
    return as_markdown(list(table), table.itertuples(index=False))


def show_growth() -> str:
    """The growth of time and memory, if a run of it was recorded."""
    if not (RESULTS / f"{GROWTH}.csv").exists():
        return "No run is recorded here yet. The command below prints the numbers.\n"
    return show_table(growth_table(load_table(GROWTH)[0]))


def show_first_calls() -> str:
    """What first calls take, if a run of them was recorded."""
    if not (RESULTS / f"{FIRST_CALLS}.csv").exists():
        return "No run is recorded here yet. The command below prints the numbers.\n"
    table, run = load_table(FIRST_CALLS)
    summary = first_calls_in_words(table, run)
    return f"{summary}\n\n{show_table(first_calls_table(table))}"


def show_criteria() -> str:
    """What each criterion for k and s finds, if a run of it was recorded."""
    if not (RESULTS / f"{CRITERIA}.csv").exists():
        return "No run with standard errors is recorded here yet. The command below prints the tables.\n"
    return criteria_text(*load_table(CRITERIA), show_table)


def show_null() -> str:
    """How often each criterion finds clusters where there are none, if a run of it was recorded."""
    if not (RESULTS / f"{CRITERIA_NULL}.csv").exists():
        return (
            "No run is recorded here yet; `python validation/benchmarks/methods/criteria.py --null --trials "
            "60` makes the table.\n"
        )
    return null_text(*load_table(CRITERIA_NULL), show_table)


def show_default() -> str:
    """What the default number of features finds, if a run of it was recorded."""
    if not (RESULTS / f"{DEFAULT}.csv").exists():
        return "No run is recorded here yet. The command above prints the table.\n"
    return default_text(*load_table(DEFAULT), show_table)


def show_clusters() -> str:
    """Rules for the number of clusters on sets with a known one, if a run was recorded."""
    if not (RESULTS / f"{CLUSTERS}.csv").exists():
        return "No run is recorded here yet. `python -m validation clusters --record` makes the tables.\n"
    texts = {
        CLUSTERS: clusters_text,
        CLUSTERS_CRITERIA: clusters_criteria_text,
        BATTERY: battery_text,
    }
    recorded = {
        name: write for name, write in texts.items() if (RESULTS / f"{name}.csv").exists()
    }
    return "\n\n".join(
        write(*load_table(name), show_table) for name, write in recorded.items()
    )


def show_real() -> str:
    """Our defaults beside other methods on real data, if a run was recorded."""
    if not (RESULTS / f"{REAL}.csv").exists():
        return f"No run is recorded here yet. `{REAL_COMMAND}` makes the tables.\n"
    return real_text(*load_table(REAL), show_table)


def show_counts(report: dict[str, Any]) -> str:
    """Numbers of the project's checks."""
    tests = [
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
    ]
    functions = {
        row["function"] for package in report["packages"] for row in package["functions"]
    }
    rows = [
        ["R functions compared", len(functions)],
        ["recorded answers of R", report["counts"]["recorded"]],
        [
            "test functions",
            sum(len(re.findall(r"^def test_", text, re.MULTILINE)) for text in tests),
        ],
        [
            "of these, properties on data that hypothesis draws",
            sum(text.count("@given(") for text in tests),
        ],
        ["promises with the tests that check them", len(report["requirements"])],
        ["deliberate deviations from R, each with a test", len(report["deviations"])],
    ]
    return as_markdown(("", "number"), rows)


def show_example() -> str:
    """The section of README with the examples and what they print."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition("## Two examples\n\n")[2].partition("\n## ")[0]


def write_speed() -> pd.DataFrame:
    """Write the parts of the page on speed; returns the rows of its table."""
    recorded, about = load_table(SPEED)
    usual, rows = (
        recorded[(recorded["topic"] == USUAL) == first] for first in (True, False)
    )
    parts = {
        "speed-usual": show_table(usual_table(usual)),
        "speed-run": describe_run(recorded, about),
        "speed": show_table(speed_table(rows)),
        "speed-goals": f"{goals_in_words(rows)}\n{show_table(goals_table(rows))}",
    }
    for name, text in parts.items():
        (MADE / f"{name}.md").write_text(text, encoding="utf-8")
    return rows


def make_all(*_: Any) -> None:
    """Write all made parts; runs before Sphinx looks for its files."""
    report = make_report()
    (MADE / "parity.md").write_text(show_parity(report), encoding="utf-8")
    (MADE / "tolerances.md").write_text(show_tolerances(), encoding="utf-8")
    (DOCS / "r-functions.md").write_text(show_r_functions(), encoding="utf-8")
    (MADE / "results.md").write_text(show_results(), encoding="utf-8")
    (MADE / "margins.md").write_text(show_margins(), encoding="utf-8")
    (MADE / "readings.md").write_text(show_readings(), encoding="utf-8")
    (MADE / "chosen.md").write_text(show_chosen(), encoding="utf-8")
    (MADE / "counts.md").write_text(show_counts(report), encoding="utf-8")
    (MADE / "methods.md").write_text(show_methods(), encoding="utf-8")
    (MADE / "example.md").write_text(show_example(), encoding="utf-8")
    everything = table_of_methods()
    (MADE / "all-methods.md").write_text(
        as_markdown(list(everything), everything.itertuples(index=False)),
        encoding="utf-8",
    )
    example = run_example()
    for theme in LOOKS:
        with mpl.rc_context(style(theme)):
            for width in ("", "-narrow"):
                draw_selection(example, theme, bool(width)).savefig(
                    MADE / f"selection{width}-{theme}.svg",
                    transparent=True,
                    metadata={"Date": None},
                )
    speed = write_speed()
    (MADE / "growth.md").write_text(show_growth(), encoding="utf-8")
    (MADE / "first-calls.md").write_text(show_first_calls(), encoding="utf-8")
    (MADE / "criteria.md").write_text(show_criteria(), encoding="utf-8")
    (MADE / "criteria-null.md").write_text(show_null(), encoding="utf-8")
    (MADE / "real-data.md").write_text(show_real(), encoding="utf-8")
    (MADE / "clusters.md").write_text(show_clusters(), encoding="utf-8")
    (MADE / "default-size.md").write_text(show_default(), encoding="utf-8")
    for theme, colors in LOOKS.items():
        with mpl.rc_context(style(theme)):
            draw_all(colors[0], colors[1:]).savefig(
                MADE / f"all-methods-{theme}.png", transparent=True, dpi=130
            )
            figure = draw_speed(speed, *colors[:4])
            figure.savefig(
                MADE / f"speed-{theme}.svg", transparent=True, metadata={"Date": None}
            )
    for name, figure in draw_methods():
        if overlaps := overlapping_texts(figure):
            raise ExtensionError(f"the picture {name}: {'; '.join(overlaps)}")
        figure.savefig(MADE / f"{name}.svg", facecolor="white", metadata={"Date": None})


def setup(app: Any) -> dict[str, bool]:
    """Make the parts before Sphinx checks its settings, because ``html_extra_path`` names the report."""
    app.connect("config-inited", make_all, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
