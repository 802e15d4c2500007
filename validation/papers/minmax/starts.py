"""Single starts of sparse MinMax k-means: both forms beside the printed numbers, the choice among starts."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.metrics import misclassification_error
from validation.papers.minmax.designs import DATA, MINMAX, MINMAX_PAPER, TABLES, VARIANTS
from validation.papers.minmax.methods import minmax_model
from validation.papers.minmax.samples import load_sample, scaled
from validation.papers.minmax.study import Study, printed_features
from validation.papers.minmax.summary import is_exact, load_published
from validation.papers.shared.cells import Row, file_name, run_cells
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.runs import on_one_thread, quietly
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

N_STARTS = 10
"""Starts of the fits among which the best is chosen; the default of the estimator."""
N_GROUPS = 2000
"""Groups of ten starts that are drawn from the single ones."""
CLOSE = 0.005
"""Half a step of alpha."""
AIMED = {"r": 0.1, "paper": 0.5}
"""The alpha at which each form aims."""


@dataclass(frozen=True, slots=True)
class StartCell:
    """Single starts of one form of sparse MinMax k-means on one data set.

    Attributes
    ----------
    data : str
        Key of `DATA`.
    method : str
        Key of `VARIANTS`.
    bound : float
        s.
    start : {"random", "classes"}
        Random rows, or the clusters begin as the classes.
    n_trials : int
        Number of starts.
    """

    data: str
    method: str
    bound: float
    start: str
    n_trials: int
    seconds: ClassVar[float] = 1.0

    @property
    def file_name(self) -> str:
        """File of the starts, named by all attributes but their number."""
        return file_name("minmax-start", self.data, VARIANTS[self.method], self.start, f"{self.bound:.9g}")


def run_start(cell: StartCell, trial: int) -> Row:
    """One start.

    Parameters
    ----------
    cell : StartCell
        Cell of the start.
    trial : int
        Its number; random rows are those of R after ``set.seed(trial + 1)``, as in the tables.

    Returns
    -------
    dict
        Error, criterion at the alpha reached and at the one aimed for, alpha, features, largest cluster.
    """
    sample = load_sample(cell.data)
    options: dict[str, Any] = {"variant": VARIANTS[cell.method]}
    if cell.start == "classes":
        options["init"] = np.unique(sample.target, return_inverse=True)[1]
    with on_one_thread(), quietly():
        model = minmax_model(sample.n_clusters, cell.bound, trial, **options)
        model.fit(scaled(cell.data, DATA[cell.data].scaling))
    return {
        "data": cell.data, "method": cell.method, "start": cell.start, "trial": trial, "bound": cell.bound,
        "error": misclassification_error(sample.target, model.labels_, matching="many-to-one"),
        "own": model.objective_, "compared": model.start_objectives_[0], "alpha": model.alpha_,
        "n_features": model.n_features_retained_, "largest": np.bincount(model.labels_).max(),
    }  # fmt: skip


def bounds_by_form(
    here: list[str], released: pd.DataFrame, formulas: pd.DataFrame
) -> dict[tuple[str, str], float]:
    """s by data set and form; where the formulas have none, that of the released code."""
    of_released = {key[0]: float(bound) for key, bound in released["bound"].items()}
    of_formulas = of_released | {key[0]: float(bound) for key, bound in formulas["bound"].items()}
    by_form = {MINMAX: of_released, MINMAX_PAPER: of_formulas}
    return {(data, method): by_form[method][data] for data in here for method in VARIANTS}


def run_starts(study: Study, here: list[str], released: pd.DataFrame, formulas: pd.DataFrame) -> pd.DataFrame:
    """All starts, from random rows and from the classes.

    Parameters
    ----------
    study : Study
        Amount of work.
    here : list of str
        Data sets at hand.
    released, formulas : DataFrame
        The values of s of the released code and, for the gene sets, of the formulas. For the other sets both
        forms take those of the released code.

    Returns
    -------
    DataFrame
        One row per start.
    """
    chosen = bounds_by_form(here, released, formulas)
    n_starts = {"random": study.scale.runs_unprinted, "classes": 1}
    cells = [
        StartCell(data, method, bound, start, n)
        for (data, method), bound in chosen.items()
        for start, n in n_starts.items()
    ]
    return run_cells(cells, run_start, study.folder, study.n_jobs, "starts")


def variants_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Both forms beside the printed numbers.

    Parameters
    ----------
    runs : DataFrame
        From `run_starts`.

    Returns
    -------
    DataFrame
        One row per data set, form and printed statistic: the best of 20 runs or, for the gene sets, also the
        mean.
    """
    rows: list[Row] = []
    for (data, method), cell in _groups(runs):
        for number in (table for table in (1, 2, 3, 4) if data in TABLES[table][0]):
            found = load_published()[f"table{number}"][MINMAX][data]
            printed, printed_sd = found[:2] if number == 4 else (found, np.nan)
            rows.append({"data": DATA[data].title, "variant": VARIANTS[method], "table": number,
                         "statistic": "mean" if number == 4 else "best", "printed": printed,
                         **_beside(printed, printed_sd, cell["error"].to_numpy()), "runs": len(cell),
                         "bound": cell["bound"].iloc[0],
                         "printed_features": printed_features(data, MINMAX) or np.nan,
                         "n_features": cell["n_features"].median()})  # fmt: skip
    return pd.DataFrame(rows)


def _beside(printed: float, printed_sd: float, errors: NDArray[np.float64]) -> Row:
    """Ours beside a printed number: the mean of all runs where a spread is printed, else the best of 20."""
    ours = float(errors[:RUNS_OF_THE_PAPERS].min() if np.isnan(printed_sd) else errors.mean())
    return {"ours": ours, "exact": is_exact(printed, ours), "printed_sd": printed_sd,
            "sd": errors.std(ddof=1)}  # fmt: skip


def is_near(table: pd.DataFrame) -> pd.Series:
    """Whether our numbers of `variants_table` are within the margin of the printed ones."""
    return (table["ours"] - table["printed"]).abs() <= MARGINS["error rate"].value


def starts_table(runs: pd.DataFrame) -> pd.DataFrame:
    """The error of one start, and of the best of ten by the criterion.

    Parameters
    ----------
    runs : DataFrame
        From `run_starts`.

    Returns
    -------
    DataFrame
        One row per data set and form. ``one`` and ``ten`` are mean errors of a single start and of the best
        of ten by the criterion at the alpha aimed for, ``ten_own`` of the best by the criterion at the alpha
        that each start reached, ``ten_classes`` of the best by the classes. ``ended_lower`` is the share of
        starts that did not reach the alpha aimed for, ``correlation`` that of the ranks of criterion (smaller
        is better) and error. ``classes`` is the error of the start from the classes, ``beat_classes`` the
        share of random starts whose criterion is better than that one's. The last columns are the rows of
        the largest class and of the largest cluster of the best start.
    """
    rows: list[Row] = []
    for (data, method), cell in _groups(runs):
        error, criterion = cell["error"].to_numpy(), cell["compared"].to_numpy()
        groups = _draw_groups(len(cell))
        at = (runs["data"] == data) & (runs["method"] == method) & (runs["start"] == "classes")
        classes = runs[at].iloc[0]
        target = load_sample(data).target
        ends = AIMED[VARIANTS[method]] - CLOSE
        rows.append({
            "data": DATA[data].title, "variant": VARIANTS[method], "bound": cell["bound"].iloc[0],
            "starts": len(cell), "ended_lower": float((cell["alpha"] < ends).mean()),
            "one": error.mean(), "one_sd": error.std(ddof=1),
            "ten": _mean_of_best(criterion, error, groups),
            "ten_own": _mean_of_best(cell["own"].to_numpy(), error, groups),
            "ten_classes": _mean_of_best(error, error, groups),
            "correlation": cell["compared"].rank().corr(cell["error"].rank()),
            "classes": classes["error"],
            "beat_classes": float((criterion < classes["compared"] - 1e-9 * abs(classes["compared"])).mean()),
            "rows": len(target), "largest_class": np.unique(target, return_counts=True)[1].max(),
            "largest_cluster": cell["largest"].iloc[int(criterion.argmin())],
        })  # fmt: skip
    return pd.DataFrame(rows)


def _groups(runs: pd.DataFrame) -> Any:
    """The random starts by data set and form."""
    return runs[runs["start"] == "random"].groupby(["data", "method"], sort=False)


def _draw_groups(n_starts: int) -> NDArray[np.intp]:
    """Groups of ten different starts, always the same ones; of all starts if there are fewer."""
    rng = np.random.default_rng(0)
    size = min(N_STARTS, n_starts)
    return np.array([rng.choice(n_starts, size, replace=False) for _ in range(N_GROUPS)])


def _mean_of_best(
    criterion: NDArray[np.float64], error: NDArray[np.float64], groups: NDArray[np.intp]
) -> float:
    """Mean error of the start with the smallest criterion in each group."""
    best = criterion[groups].argmin(axis=1)
    return float(error[groups[np.arange(len(groups)), best]].mean())


def paper_bounds(study: Study, here: list[str]) -> pd.DataFrame:
    """The values of s at which the formulas retain the printed number of features, for the gene sets."""
    sets = [name for name in here if DATA[name].bound == "features"]
    return study.bounds((name, MINMAX_PAPER, DATA[name].scaling, "features") for name in sets)
