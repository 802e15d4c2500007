"""Figures 1 to 3 of the SKFR paper as sections of the report: pictures, medians, claims."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from validation.papers.paper import Result
from validation.papers.shared.claims import Claim, compare_claims
from validation.papers.shared.store import origin
from validation.papers.skfr.simulation import claims, gap
from validation.papers.skfr.simulation.designs import EXPERIMENTS, R_SPARCL
from validation.papers.skfr.simulation.figures import MEASURES, PANELS, draw_gap, draw_lines
from validation.papers.skfr.simulation.table_sections import Runs, load_runs, recorded_r, repeated
from validation.report.drawing import to_svg
from validation.report.sections import Picture, Section, Setting, Table, make_table

PANEL_NAMES = {
    "clean": "no outliers",
    "outliers": "outliers",
    "subsets": "features of their own (left)",
    "missing": "10 % missing (right)",
}
BESIDE_R = {"ari": "ARI", "nvi": "NVI", "fpr": "FPR", "fnr": "FNR", "n_nonzero": "Nonzero weights"}


def figure_1(result: Result, folder: Path) -> Section:
    """Figure 1: the gap curve."""
    runs = load_runs("figure-1", result, folder)
    full, quick = gap.largest_gaps(runs.full), gap.largest_gaps(runs.quick)
    sources = full, gap.smallest_within_sd(runs.full), quick
    rows = [
        [p, gap.TRUE, *(", ".join(map(str, values[p])) for values in sources)] for p in full if p in quick
    ]
    columns = ["p", "Printed", "Largest gap, full run", "Smallest within one sd", "Largest gap, this run"]
    picture = to_svg(draw_gap(runs.full), "paper-figure-1")
    return Section(
        "Figure 1: the gap statistic and the number of features",
        "paper-figure-1",
        "Ten groups, 15 informative features, no outliers; ten data sets at each p in the full run. The "
        "picture shows the first, with standard errors. A red ring marks the largest gap.",
        pictures=(Picture("Full run, first data set", picture),),
        tables=(
            make_table("Number of features kept, by data set", columns, rows),
            compare_claims("Claims", claims.gap_claims, full, quick),
        ),
        settings=gap.SETTINGS,
        remarks=(origin("Full run", runs.about),),
    )


def _median_table(runs: Runs, experiment: str, measure: str) -> Table:
    """Medians of one panel: each method in the full run and in this run."""
    chosen = {
        name: table[(table["experiment"] == experiment) & (table["measure"] == measure)]
        for name, table in (("full", runs.full), ("this", runs.quick))
    }
    sizes = list(dict.fromkeys(chosen["full"]["n_features"]))
    rows = []
    for method in dict.fromkeys(chosen["full"]["method"]):
        for name, table in chosen.items():
            cells = table[table["method"] == method].set_index("n_features")
            medians = cells["median"].reindex(sizes)
            trials = int(cells["trials"].iloc[0]) if len(cells) else None
            fails = [claims.below(medians.dropna()) or "never"] if measure == "ari" else []
            rows.append([method if name == "full" else None, name, trials, *medians, *fails])
    last = ["Below 0.5 from p ="] if measure == "ari" else []
    columns = ["Method", "Run", "Trials", *(f"p = {p}" for p in sizes), *last]
    return make_table(f"Median {measure.upper()}, {PANEL_NAMES[experiment]}", columns, rows)


def _claims_table(panel: str, make: Callable[..., list[Claim]], runs: Runs) -> Table:
    """The claims of one panel."""
    return compare_claims(f"Claims, {PANEL_NAMES[panel]}", make, runs.full, runs.quick)


def _lines_section(
    number: int, runs: Runs, title: str, text: str, more: Sequence[Table], remarks: Sequence[str]
) -> Section:
    """Figure 2 or 3: pictures, medians of both panels, further tables."""
    pictures = tuple(
        Picture(
            f"{measure.upper()}, full run: medians with quartiles",
            to_svg(draw_lines(runs.full, measure), f"paper-figure-{number}-{measure}"),
        )
        for measure in MEASURES
    )
    panels = PANELS[number]
    medians = [_median_table(runs, panel, measure) for measure in MEASURES for panel in panels]
    settings: dict[Setting, None] = dict.fromkeys(s for panel in panels for s in EXPERIMENTS[panel].settings)
    return Section(
        title,
        f"paper-figure-{number}",
        f"{text} The paper prints no numbers: claimed are the order of the methods and where they fail, "
        "nothing finer. An ARI of 1 and an NVI of 0 are best.",
        pictures=pictures,
        tables=(*medians, *more),
        settings=tuple(settings),
        remarks=(repeated(runs), *remarks, origin("Full run", runs.about)),
    )


def _whole(value: float) -> int | None:
    """A whole number as text."""
    return None if np.isnan(value) else round(value)


def _beside_r(full: pd.DataFrame, recorded: pd.DataFrame, experiment: str) -> Table:
    """A table of our sparse k-means beside R's sparcl."""
    both = pd.concat([full[full["method"] == "SKM"], recorded])
    both = both[(both["experiment"] == experiment) & both["measure"].isin(list(BESIDE_R))]
    medians = both.pivot(index="n_features", columns=["measure", "method"], values="median")
    columns = {"p": medians.index.tolist()}
    names = {"SKM": "ours", R_SPARCL: "R's"}
    trials = both.pivot_table("trials", "n_features", "method", "max")
    for method, name in names.items():
        columns[f"Trials, {name}"] = [_whole(value) for value in trials[method]]
    for measure, label in BESIDE_R.items():
        for method, name in names.items():
            if (measure, method) in medians:
                values = medians[measure, method].tolist()
                counted = measure == "n_nonzero"
                columns[f"{label}, {name}"] = [_whole(value) for value in values] if counted else values
    return make_table(
        f"SKM, ours and R's sparcl (recorded) on the same samples, {PANEL_NAMES[experiment]}: medians",
        list(columns),
        list(zip(*columns.values(), strict=True)),
    )


def figure_2(result: Result, folder: Path) -> Section:
    """Figure 2: ten groups, with and without outliers."""
    runs, recorded = load_runs("figure-2", result, folder), recorded_r(result, folder)
    more = [
        *(_beside_r(runs.full, recorded[0], name) for name in PANELS[2]),
        _claims_table("clean", claims.clean_claims, runs._replace(full=pd.concat([runs.full, recorded[0]]))),
        _claims_table("outliers", claims.outlier_claims, runs),
    ]
    low, high = runs.full[
        (runs.full["experiment"] == "clean")
        & (runs.full["method"] == "SKFR1")
        & (runs.full["measure"] == "ari")
        & (runs.full["n_features"] == 1000)
    ][["low", "high"]].to_numpy()[0]
    return _lines_section(
        2,
        runs,
        "Figure 2: ten groups with and without outliers",
        "Ten groups of 40, 10 informative features. The caption has the outliers left, the text right.",
        more,
        (
            "SKFR1 as in the paper, without outliers at p = 1000, is a borderline case: the 95 % interval "
            f"of a 30-trial median goes from {low:.2f} to {high:.2f}. The screened starts, sparsek's "
            "default, do not have it.",
            origin("R's sparcl, recorded", recorded[1]),
        ),
    )


def figure_3(result: Result, folder: Path) -> Section:
    """Figure 3: clusters with features of their own, and missing values."""
    runs = load_runs("figure-3", result, folder)
    more = [
        _claims_table("subsets", claims.subset_claims, runs),
        _claims_table("missing", claims.missing_claims, runs),
    ]
    return _lines_section(
        3,
        runs,
        "Figure 3: features of their own for each cluster; missing values",
        "Five groups of uneven size, 250 rows. Left: ten features of its own for each group. Right: ten "
        "shared features, and a tenth of the entries missing.",
        more,
        (),
    )
