"""Breast and Leukemia under all settings of a grid: scaling, missing values and s."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from sparsek import rcompat
from sparsek.metrics import misclassification_error
from sparsek.rng import RRandom
from validation.papers.minmax.designs import DATA, MINMAX, SCALINGS, SPARSE
from validation.papers.minmax.methods import minmax_model
from validation.papers.minmax.runs import N_BOUNDS
from validation.papers.minmax.samples import FILLS, fill_holes, scale
from validation.papers.minmax.study import Study
from validation.papers.minmax.summary import is_exact, load_published
from validation.papers.shared.cells import Row, file_name, run_cells
from validation.papers.shared.runs import default_bounds, on_one_thread, quietly

GRID = {"breast_cancer_wisconsin": (1, FILLS, (SPARSE, MINMAX)), "leukemia": (2, FILLS[:1], (SPARSE,))}
"""Data sets with their tables, ways to fill missing values (Leukemia has none) and methods."""
RUNS = {SPARSE: 1, MINMAX: 5}
"""Runs of the methods at the full scale: a run of sparcl has 20 starts of its own, and runs of
sparse MinMax k-means hardly differ here but for standardised rows."""
SKIP = 4
"""The quick scale takes every fourth bound."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """Runs of one method under one setting."""

    data: str  # data, method: keys of `GRID` and `RUNS`
    method: str
    fill: str  # fill, scaling: from `FILLS` and `SCALINGS`
    scaling: str
    bound: float  # s
    n_trials: int  # Runs
    seconds: ClassVar[float] = 1.0

    @property
    def file_name(self) -> str:
        """File of the runs, named by all attributes but their number."""
        return file_name("minmax-grid", self.data, self.method, self.fill, self.scaling, f"{self.bound:.9g}")


def run_setting(cell: GridCell, trial: int) -> Row:
    """One run; seeds as in the tables."""
    sample = fill_holes(cell.data, cell.fill)
    X = scale(sample.X, cell.scaling)
    with on_one_thread(), quietly():
        if cell.method == SPARSE:
            (fit,) = rcompat.KMeansSparseCluster(
                X, sample.n_clusters, wbounds=cell.bound, nstart=20, rng=RRandom(trial + 1)
            )
            labels, weights = fit.Cs, fit.ws
        else:
            model = minmax_model(sample.n_clusters, cell.bound, trial).fit(X)
            labels, weights = model.labels_, model.feature_weights_
    return {
        "data": cell.data, "method": cell.method, "holes": cell.fill, "scaling": cell.scaling,
        "bound": cell.bound, "trial": trial,
        "error": misclassification_error(sample.target, labels, matching="many-to-one"),
        "n_features": int(np.count_nonzero(weights)),
    }  # fmt: skip


def run_grid(study: Study, here: list[str]) -> pd.DataFrame:
    """The grid."""
    full = study.scale.appendix
    cells = [
        GridCell(data, method, fill, scaling, float(bound), RUNS[method] if full else 1)
        for data, (_, fills, methods) in GRID.items()
        if data in here
        for method in methods
        for fill in fills
        for scaling in SCALINGS
        for bound in default_bounds(fill_holes(data, fill).X.shape[1], N_BOUNDS)[:: 1 if full else SKIP]
    ]
    if not cells:
        return pd.DataFrame(columns=["data", "method", "holes", "scaling", "bound", "best", "printed"])
    runs = run_cells(cells, run_setting, study.folder, study.n_jobs, "grid")
    rows: list[Row] = []
    keys = ["data", "method", "holes", "scaling", "bound"]
    for _, found in runs.groupby(keys, sort=False):
        setting = found.iloc[0][keys].to_dict()
        data = str(setting["data"])
        printed = load_published()[f"table{GRID[data][0]}"][setting["method"]][data]
        best = float(found["error"].min())
        rows.append({**setting, "data": DATA[data].title, "runs": len(found), "best": best,
                     "mean": found["error"].mean(), "sd": found["error"].std(ddof=1),
                     "n_features": found["n_features"].median(), "printed": printed,
                     "exact": is_exact(printed, best)})  # fmt: skip
    return pd.DataFrame(rows)
