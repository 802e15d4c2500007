"""Table 3: mixed nodes of the mice proteins."""

import math
from pathlib import Path

import numpy as np
import pandas as pd

from validation.papers.shared.outcomes import OUTCOMES, write_outcomes
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS
from validation.papers.skfr.real_tables.designs import (
    APPENDIX_RUNS_3,
    MAIN_3,
    MICE,
    PRINTED_S,
    READINGS_3,
    READINGS_SOM,
    SCALES,
    Reading,
)
from validation.papers.skfr.real_tables.runs import MethodCell
from validation.papers.skfr.real_tables.samples import load_sample
from validation.papers.skfr.real_tables.study import Study
from validation.papers.skfr.real_tables.summary import (
    REPORTED,
    estimate_reported,
    load_published,
    rank_runs,
)
from validation.papers.skfr.real_tables.table3_maps import run_maps

METHODS = ("SOM", "SKFR1", "power k-means", "k-means++")
MEASURES = ("nodes", "total")


def make_table_3(scale: str, folder: Path, n_jobs: int) -> dict[str, pd.DataFrame]:
    """Table 3 and its further tables.

    Parameters
    ----------
    scale : {"quick", "full"}
        Key of `SCALES`.
    folder : Path
        Folder of the finished cells.
    n_jobs : int
        Processes.

    Returns
    -------
    dict of str to DataFrame
        "table-3"; "table-3-proteins", the proteins that SKFR1 selects; at the full scale also
        "table-3-tuning", the numbers of proteins that the gap statistic chooses, "table-3-readings", other
        readings, and "table-3-maps", the schedules of the map that were tried.
    """
    study = Study(SCALES[scale], folder, n_jobs, tuple(MICE))
    cells = [_cell(study, half, method, MAIN_3) for half in MICE for method in METHODS]
    trials = study.run(cells, "Table 3")
    appendix = {}
    if study.scale.appendix:
        appendix["table-3-tuning"], tuned = _tuned(study)
        appendix["table-3-readings"] = _readings(study, tuned)
        appendix["table-3-maps"] = run_maps(study)
    return {"table-3": _summarise(trials), "table-3-proteins": select_proteins(trials), **appendix}


def _cell(study: Study, half: str, method: str, reading: Reading, s: float | None = None) -> MethodCell:
    """The cell of a method on one half under a reading; readings other than the main one get fewer runs."""
    n_trials = study.scale.runs_som if method == "SOM" else study.scale.runs_3
    if reading != MAIN_3 or s is not None:
        n_trials = min(n_trials, APPENDIX_RUNS_3)
    value = float(PRINTED_S if s is None else s) if method.startswith("SKFR1") else math.nan
    return MethodCell(half, method, reading, value, n_trials)


def _estimates(cell: pd.DataFrame, half: str, method: str, reported: str) -> list[dict[str, object]]:
    """Both measures of one cell, beside the printed numbers."""
    printed = dict(
        zip(MEASURES, load_published()["table3"][method.removesuffix(", filled")][half], strict=True)
    )
    rows: list[dict[str, object]] = []
    for measure in MEASURES:
        ours = estimate_reported(cell, measure, reported)
        row = {"half": half, "method": method, "measure": measure, "printed": printed[measure]}
        row |= {"ours": ours.value, "sd": ours.sd, "se": ours.error}
        rows.append({**row, "runs": len(cell)})
    return rows


def _summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """One row per half, method and measure."""
    rows = []
    for (half, method), cell in trials.groupby(["data", "method"], sort=False):
        for row in _estimates(cell, half, method, REPORTED[0]):
            means = {f"{name}_mean": cell[name].mean() for name in ("ari", "nmi")}
            measure = str(row["measure"])
            outcomes = {OUTCOMES: write_outcomes(rank_runs(cell, measure, REPORTED[0]))}
            rows.append({**row, **outcomes, "run_mean": cell[measure].mean(), **means})
    return pd.DataFrame(rows)


def reported_run(trials: pd.DataFrame, half: str, method: str = "SKFR1") -> pd.Series:
    """The run that a table of the first 20 runs reports."""
    runs = trials[(trials["data"] == half) & (trials["method"] == method)]
    return runs[runs["trial"] < RUNS_OF_THE_PAPERS].sort_values(["nodes", "total"], kind="stable").iloc[0]


def select_proteins(trials: pd.DataFrame) -> pd.DataFrame:
    """Proteins that SKFR1 selects in the reported run, and the share of all runs that select them.

    Parameters
    ----------
    trials : DataFrame
        Runs with columns data, method, trial, nodes, total and selected.

    Returns
    -------
    DataFrame
        Columns protein, and for both halves ``<half>`` (selected in the reported run) and ``<half>_share``;
        proteins that no run selects are left out.
    """
    features = load_sample(next(iter(MICE))).features
    table = pd.DataFrame({"protein": features})
    for half in MICE:
        runs = trials[(trials["data"] == half) & (trials["method"] == "SKFR1")]
        uses = np.zeros((len(runs), len(features)), dtype=bool)
        for row, text in zip(uses, runs["selected"], strict=True):
            row[list(map(int, text.split()))] = True
        chosen = list(map(int, reported_run(trials, half)["selected"].split()))
        table[half] = np.isin(np.arange(len(features)), chosen)
        table[f"{half}_share"] = uses.mean(axis=0)
    shares = table[[f"{half}_share" for half in MICE]]
    return table[shares.gt(0).any(axis=1)].reset_index(drop=True)


def _tuned(study: Study) -> tuple[pd.DataFrame, dict[str, float]]:
    """The numbers of proteins at the largest gap, and the curves."""
    curves = study.tune([(half, "SKFR1", MAIN_3) for half in MICE])
    rows = [
        {"half": half, "printed": PRINTED_S, "largest gap": curve["largest"], "one_se": curve["one_se"],
         "values": curve["values"], "gaps": curve["gaps"], "errors": curve["errors"]}
        for (half, _, _), curve in curves.iterrows()
    ]  # fmt: skip
    return pd.DataFrame(rows), {row["half"]: float(row["one_se"]) for row in rows}


def _describe(cell: MethodCell) -> str:
    """A reading in words."""
    reading = cell.reading
    scaling = {"raw": "raw columns", "minmax": "columns from 0 to 1"}.get(
        reading.scaling, "standardised columns"
    )
    seeds = "squared distances" if reading.power == 2 else "distances"
    s = "" if math.isnan(cell.value) else f", s = {cell.value:g}"
    return f"{scaling}, {reading.fill} means, seeds by {seeds}{s}"


def _readings(study: Study, tuned: dict[str, float]) -> pd.DataFrame:
    """Results of every reading with every rule for the reported run."""
    wanted: list[tuple[str, Reading, str, float | None]] = [
        (method, reading, half, None)
        for reading in READINGS_3
        for method in ("SKFR1", "SKFR1, filled", "power k-means", "k-means++")
        for half in MICE
    ]
    wanted += [("SOM", reading, half, None) for reading in READINGS_SOM for half in MICE]
    wanted += [("SKFR1", MAIN_3, half, s) for half, s in tuned.items()]
    cells = [_cell(study, half, method, reading, s) for method, reading, half, s in wanted]
    trials = study.run(cells, "readings")
    ends = np.cumsum([cell.n_trials for cell in cells])
    rows = []
    for cell, end in zip(cells, ends, strict=True):
        runs = trials.iloc[end - cell.n_trials : end]
        for reported in REPORTED:
            about = {
                "reading": _describe(cell),
                "scaling": cell.reading.scaling,
                "filled by": cell.reading.fill,
                "power": cell.reading.power,
                "s": cell.value,
                "reported": reported,
            }
            rows += [{**about, **row} for row in _estimates(runs, cell.data, cell.method, reported)]
    return pd.DataFrame(rows)
