"""The memory of the cluster weights: the paper's claim that beta of 0, .1 and .3 are alike."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from sparsek.metrics import misclassification_error
from validation.papers.minmax.designs import DATA, VARIANTS
from validation.papers.minmax.methods import minmax_model
from validation.papers.minmax.samples import load_sample, scaled
from validation.papers.shared.cells import Row, file_name, run_cells
from validation.papers.shared.claims import Claim
from validation.papers.shared.joint import pool
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.runs import on_one_thread, quietly
from validation.papers.shared.verdicts import EQUIVALENT, FEWEST, WITHIN

SETS = ("colon", "srbct", "lymphoma", "leukemia", "brain", "glass", "synthetic_control")
"""The data sets on which a start takes well under a second."""
BETAS = (0.0, 0.1, 0.3)
"""The values that the paper names."""
MARGIN = MARGINS["error rate"].value


@dataclass(frozen=True, slots=True)
class MemoryCell:
    """Single starts of one form with one beta on one data set.

    Attributes
    ----------
    data, method : str
        Keys of `DATA` and of `VARIANTS`.
    bound : float
        s.
    beta : float
        Share of the old cluster weights.
    n_trials : int
        Number of starts.
    """

    data: str
    method: str
    bound: float
    beta: float
    n_trials: int
    seconds: ClassVar[float] = 1.0

    @property
    def file_name(self) -> str:
        """File of the starts, named by all attributes but their number."""
        form = VARIANTS[self.method]
        return file_name("minmax-memory", self.data, form, f"{self.beta:g}", f"{self.bound:.9g}")


def run_start(cell: MemoryCell, trial: int) -> Row:
    """The error of one start; its random rows are the same for every beta."""
    sample = load_sample(cell.data)
    with on_one_thread(), quietly():
        model = minmax_model(
            sample.n_clusters, cell.bound, trial, variant=VARIANTS[cell.method], beta=cell.beta
        ).fit(scaled(cell.data, DATA[cell.data].scaling))
    error = misclassification_error(sample.target, model.labels_, matching="many-to-one")
    return {
        "data": cell.data,
        "method": cell.method,
        "beta": cell.beta,
        "trial": trial,
        "error": error,
        "alpha": model.alpha_,
    }


def memory_table(
    bounds: dict[tuple[str, str], float], n_runs: int, folder: Path, n_jobs: int
) -> pd.DataFrame:
    """The mean error of single starts for each beta, with the difference to beta = 0.

    Parameters
    ----------
    bounds : dict
        s by data set and form.
    n_runs : int
        Starts of each cell.
    folder : Path
        Folder of the finished cells.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        One row per data set, form and beta: mean error, the mean difference to beta = 0 from the same random
        rows and its standard error, and the mean alpha reached.
    """
    cells = [
        MemoryCell(data, method, bound, beta, n_runs)
        for (data, method), bound in bounds.items()
        for beta in BETAS
    ]
    runs = run_cells(cells, run_start, folder, n_jobs, "memory of the weights")
    rows = []
    for (data, method), some in runs.groupby(["data", "method"], sort=False):
        errors = some.pivot_table("error", "trial", "beta")
        for beta in BETAS:
            gaps = errors[beta] - errors[0.0]
            rows.append({
                "data": DATA[str(data)].title, "variant": VARIANTS[str(method)], "beta": beta,
                "error": errors[beta].mean(), "difference": gaps.mean(),
                "se": gaps.std(ddof=1) / len(gaps) ** 0.5, "runs": len(gaps),
                "alpha": some.loc[some["beta"] == beta, "alpha"].mean(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def memory_claims(table: pd.DataFrame) -> list[Claim]:
    """The claim for each form and beta, judged over all data sets by random effects."""
    claims = []
    for (form, beta), rows in table[table["beta"] > 0].groupby(["variant", "beta"], sort=False):
        if len(rows) < FEWEST:
            continue
        errors = np.maximum(rows["se"], 1 / rows["runs"] / 100)  # starts that all end alike have no spread
        found = pool(str(form), "error", rows["difference"].tolist(), errors.tolist(), MARGIN).verdict
        measured = (
            f"{found.estimate:+.3f} ({found.low:+.3f} to {found.high:+.3f}) over {len(rows)} sets, "
            f"at most {rows['difference'].abs().max():.3f} on one: {found.text}"
        )
        text = f'beta = {beta:g} gives the error rate of beta = 0 (form "{form}", margin {MARGIN:g})'
        claims.append(Claim(text, measured, found.word in (EQUIVALENT, WITHIN)))
    return claims
