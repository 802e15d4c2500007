"""Table 4: NMI on ten benchmark data sets."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from validation.papers.shared.outcomes import OUTCOMES, write_outcomes
from validation.papers.shared.store import RESULTS
from validation.papers.skfr.real_tables.designs import (
    BENCHMARKS,
    MAIN_4,
    OTHERS_4,
    RUNS_IN_R,
    SCALES,
    Reading,
)
from validation.papers.skfr.real_tables.grid import run_grid
from validation.papers.skfr.real_tables.methods import IN_R, TUNED
from validation.papers.skfr.real_tables.runs import MethodCell
from validation.papers.skfr.real_tables.samples import load_sample
from validation.papers.skfr.real_tables.study import Study
from validation.papers.skfr.real_tables.summary import estimate_mean, load_published

METHODS = ("SKFR1", "k-means++", "k-means++, standardised", "SKM", "SKM, estimator", "EW k-means")
PRINTED_AS = {"k-means++, standardised": None, "SKM, estimator": "SKM"}
"""The printed row for comparison, for rows with another name."""
UNPRINTED = ("k-means++, standardised", "SKM, estimator")
"""Methods with fewer runs: nothing is judged by them."""
BY_READING = {
    "seeds by squared distances": ("k-means++", "SKM", "EW k-means"),
    "seeds on standardised columns": ("k-means++", "EW k-means"),
    "standardised columns": ("SKM", "EW k-means"),
    "columns from 0 to 1": ("EW k-means",),
}
"""Other readings of the competitors; those of SKFR1 are in the grid."""
R_RECORD = "table-4-r"
LARGEST_LISTED = 100


def make_table_4(
    scale: str, folder: Path, n_jobs: int, live_r: bool, names: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Table 4 and its further tables.

    Parameters
    ----------
    scale : {"quick", "full"}
        Key of `SCALES`.
    folder : Path
        Folder of the finished cells.
    n_jobs : int
        Processes.
    live_r : bool
        Whether R runs sparcl and wskm; otherwise the recorded runs of R are shown.
    names : sequence of str
        Data sets, keys of `BENCHMARKS`.

    Returns
    -------
    dict of str to DataFrame
        "table-4"; "table-4-r", R's runs; "table-4-tuning", gap curves; "table-4-grid", SKFR1 at every s under
        every reading; "table-4-readings", other readings of the others; "table-4-selected", the features in
        use.
    """
    study = Study(SCALES[scale], folder, n_jobs, tuple(names))
    curves = study.tune(
        [(data, method, MAIN_4) for data in study.names for method in METHODS if method in TUNED]
    )
    cells = [_cell(study, curves, data, method, MAIN_4) for data in study.names for method in METHODS]
    trials = study.run(cells, "Table 4")
    r_trials = _trials_in_r(study, cells) if live_r else _recorded_r()
    grid = run_grid(study.names, study.scale.runs_grid, study.scale.n_values, folder, n_jobs)
    readings = _readings(study, curves)
    frames = {
        "table-4": _summarise(trials, r_trials),
        R_RECORD: r_trials,
        "table-4-tuning": _long_curves(curves),
        "table-4-grid": grid,
        "table-4-selected": _selected(trials),
    }
    return frames | ({"table-4-readings": readings} if study.scale.appendix else {})


def _cell(study: Study, curves: pd.DataFrame, data: str, method: str, reading: Reading) -> MethodCell:
    """The cell of a method with its tuned value, from this reading if tuned there, else from the main one."""
    value = math.nan
    if method in TUNED:
        key = (data, method, str(reading))
        value = float(curves.loc[key if key in curves.index else (data, method, str(MAIN_4)), "largest"])
    scale = study.scale
    n_trials = scale.runs_slow if method == "SKM" else scale.runs_4
    if reading != MAIN_4 or method in UNPRINTED:
        n_trials = scale.runs_unprinted
    return MethodCell(data, method, reading, value, n_trials)


def _trials_in_r(study: Study, cells: list[MethodCell]) -> pd.DataFrame:
    """The runs of sparcl and wskm in R."""
    in_r = [
        replace(cell, source="R", n_trials=min(cell.n_trials, RUNS_IN_R.get((cell.data, cell.method), 1000)))
        for cell in cells
        if cell.method in IN_R
    ]
    return study.run(in_r, "Table 4 in R")


def _recorded_r() -> pd.DataFrame:
    """The recorded runs of R at full scale; empty without a record."""
    path = RESULTS / f"{R_RECORD}.csv"
    if path.exists():
        return pd.read_csv(path)
    return pd.DataFrame(columns=["data", "method", "value", "trial", "nmi", "ari", "labels"])


def _summarise(trials: pd.DataFrame, r_trials: pd.DataFrame) -> pd.DataFrame:
    """One row per data set and method."""
    printed = load_published()["table4"]
    rows = []
    for (data, method), cell in trials.groupby(["data", "method"], sort=False):
        ours = estimate_mean(cell["nmi"])
        source = PRINTED_AS.get(method, method)
        mean, sd = printed[source][data] if source else (math.nan, math.nan)
        n_runs = int(cell["nmi"].notna().sum())
        rows.append(
            {
                "data": BENCHMARKS[data],
                "method": method,
                "printed": mean,
                "printed_sd": sd,
                **_r_columns(cell, r_trials, data, method),
                "ours": ours.value,
                "sd": cell["nmi"].std(),
                "se": ours.error,
                "runs": n_runs,
                OUTCOMES: write_outcomes(cell["nmi"].sort_values()),
                "ari": cell["ari"].mean(),
                "nmi_joint": cell["nmi_joint"].mean(),
                "tuned": cell["value"].iloc[0],
                "n_selected": cell["n_selected"].mean(),
            }
        )
    return pd.DataFrame(rows)


def _r_columns(cell: pd.DataFrame, r_trials: pd.DataFrame, data: str, method: str) -> dict[str, float]:
    """Mean and number of R's runs; of the runs with our settings, the number with labels equal to ours."""
    theirs = r_trials[(r_trials["data"] == data) & (r_trials["method"] == method)]
    both = cell.merge(theirs, on="trial", suffixes=("", "_r"))
    # A bound is written with 17 digits, so reading it gives the same number.
    same = both[(both["value"] == both["value_r"]) | (both["value"].isna() & both["value_r"].isna())]
    return {
        "R": theirs["nmi"].mean() if len(theirs) else math.nan,
        "R_runs": len(theirs),
        "R_compared": len(same),
        "R_equal": int((same["labels"].fillna("") == same["labels_r"].fillna("")).sum()),
    }


def _long_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Gap curves, one row per value."""
    rows = []
    for (data, method, reading), curve in curves.iterrows():
        columns = [json.loads(curve[name]) for name in ("values", "gaps", "errors")]
        for value, gap, error in zip(*columns, strict=True):
            row = {"data": BENCHMARKS[data], "method": method, "reading": reading, "value": value}
            chosen = {name: value == curve[name] for name in ("largest", "one_se")}
            rows.append({**row, "gap": gap, "se": error, **chosen})
    return pd.DataFrame(rows)


def _readings(study: Study, curves: pd.DataFrame) -> pd.DataFrame:
    """Results of the other readings beside the printed numbers; none at a scale without appendix."""
    if not study.scale.appendix:
        return pd.DataFrame()
    standardised = OTHERS_4["standardised columns"]
    curves = pd.concat([curves, study.tune([(data, "SKM", standardised) for data in study.names])])
    cells = {
        (name, method, data): _cell(study, curves, data, method, OTHERS_4[name])
        for name, methods in BY_READING.items()
        for method in methods
        for data in study.names
    }
    printed = load_published()["table4"]
    trials = study.run(list(cells.values()), "readings")
    rows = []
    for place, ((name, method, data), cell) in enumerate(cells.items()):
        runs = trials.iloc[place * cell.n_trials : (place + 1) * cell.n_trials]
        ours = estimate_mean(runs["nmi"])
        mean, sd = printed[method][data]
        n_runs = int(runs["nmi"].notna().sum())
        row = {"reading": name, "method": method, "data": BENCHMARKS[data], "tuned": cell.value}
        row |= {"printed": mean, "printed_sd": sd, "ours": ours.value, "sd": runs["nmi"].std()}
        rows.append({**row, "se": ours.error, "runs": n_runs})
    return pd.DataFrame(rows)


def _selected(trials: pd.DataFrame) -> pd.DataFrame:
    """Features that SKFR1 and SKM use, with the share of runs that use them, if some but not all are used;
    the faces, with thousands of pixels, are left out."""
    rows = []
    for (data, method), cell in trials[trials["n_selected"].notna()].groupby(["data", "method"], sort=False):
        sample = load_sample(data)
        if cell["n_selected"].mean() == len(sample.features) or len(sample.features) > LARGEST_LISTED:
            continue
        counts = cell["selected"].astype(str).str.split().explode().astype(int).value_counts().sort_index()
        for feature, count in counts.items():
            row = {"data": BENCHMARKS[data], "method": method, "feature": sample.features[feature]}
            rows.append({**row, "share_of_runs": count / len(cell)})
    return pd.DataFrame(rows, columns=["data", "method", "feature", "share_of_runs"])
