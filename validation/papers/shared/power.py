"""Size and power of every word, by simulation: ``python -m validation.papers.shared.power``.

The runs are those of real cells: mixtures of local optima. Both sides, ours and the paper's, are drawn from a
cell's runs; the paper's are moved by a multiple of the margin, or spread by a factor.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from validation.environment import commit_here
from validation.papers.shared.margins import MARGINS, SD_FACTOR
from validation.papers.shared.outcomes import OUTCOMES, read_outcomes
from validation.papers.shared.store import RESULTS, load_table, save_table
from validation.papers.shared.verdicts import (
    RUNS_OF_THE_PAPERS,
    WORDS,
    Verdict,
    judge_best,
    judge_mean,
    judge_spread,
)

NAME = "judging-power"
N_OURS = 400
REPEATS = {"quick": 10, "full": 60}
N_DRAWS = 2000
SHIFTS = (0.0, 0.5, 1.0, 2.0)
"""How far the paper's runs are moved, in margins; at 1 a cell is just no longer equivalent."""
FACTORS = (1.0, SD_FACTOR, 2.0)
ROUNDING = 5e-4
MARGIN = MARGINS["nmi"].value


@dataclass(frozen=True, slots=True)
class Setting:
    """What is judged, and what is true.

    Attributes
    ----------
    kind : {"mean", "spread", "best"}
        The printed number.
    truth : float
        Shift of the paper's runs in margins, or factor of their spread.
    """

    kind: str
    truth: float

    def draw(self, runs: NDArray[np.float64], rng: np.random.Generator) -> Verdict:
        """One simulated cell: ours and the paper's runs from the same runs but for what is true."""
        ours, theirs = (rng.choice(runs, size) for size in (N_OURS, RUNS_OF_THE_PAPERS))
        if self.kind == "spread":
            theirs = runs.mean() + (theirs - runs.mean()) * self.truth
        else:
            theirs = theirs + self.truth * MARGIN
        return JUDGES[self.kind](ours, theirs)


def _mean(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Verdict:
    """The verdict on a printed mean."""
    return judge_mean(
        ours, _printed(theirs.mean()), MARGIN, ROUNDING, _printed(theirs.std(ddof=1)), n_draws=N_DRAWS
    )


def _spread(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Verdict:
    """The verdict on a printed spread."""
    return judge_spread(ours, _printed(theirs.std(ddof=1)), ROUNDING, n_draws=N_DRAWS)


def _best(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Verdict:
    """The verdict on the best of the paper's runs; the smallest number is the best."""
    return judge_best(np.sort(ours), _printed(theirs.min()), MARGIN, ROUNDING, floor=-np.inf)


JUDGES: dict[str, Callable[[NDArray[np.float64], NDArray[np.float64]], Verdict]] = {
    "mean": _mean,
    "spread": _spread,
    "best": _best,
}
SETTINGS = (
    *(Setting("mean", shift) for shift in SHIFTS),
    *(Setting("spread", factor) for factor in FACTORS),
    *(Setting("best", shift) for shift in SHIFTS),
)


def _printed(value: float) -> float:
    """A number as it is printed."""
    return round(float(value), 3)


def simulate(cell: str, runs: NDArray[np.float64], setting: Setting, repeats: int) -> dict[str, Any]:
    """How often each word is given, of one cell alone: not adjusted for other cells.

    Parameters
    ----------
    cell : str
        Name of the cell.
    runs : ndarray of shape (n,)
        Its runs.
    setting : Setting
        What is judged, and what is true.
    repeats : int
        Simulated cells.

    Returns
    -------
    dict
        Share of each word.
    """
    rng = np.random.default_rng([len(cell), *map(ord, cell), SETTINGS.index(setting)])
    words = [setting.draw(runs, rng).word for _ in range(repeats)]
    shares = {word: words.count(word) / repeats for word in WORDS}
    about = {"cell": cell, "sd": float(runs.std(ddof=1)), "kind": setting.kind, "truth": setting.truth}
    return {**about, "repeats": repeats, **shares}


def real_cells(folder: Path = RESULTS) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The cells of SKFR's Table 4 whose runs vary."""
    table, _ = load_table("table-4", folder)
    for row in table.to_dict("records"):
        runs = read_outcomes(row[OUTCOMES])
        if len(runs) >= N_OURS and np.ptp(runs) > ROUNDING:
            yield f"{row['data']}, {row['method']}", runs


def run(scale: str, folder: Path = RESULTS, n_jobs: int = -1) -> pd.DataFrame:
    """All cells in all settings."""
    tasks = [(cell, runs, setting) for cell, runs in real_cells(folder) for setting in SETTINGS]
    rows = Parallel(n_jobs=n_jobs)(
        delayed(simulate)(cell, runs, setting, REPEATS[scale]) for cell, runs, setting in tasks
    )
    return pd.DataFrame(rows)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """The shares over all cells: their mean, and the largest share of a wrong word.

    Parameters
    ----------
    table : DataFrame
        From `run`.

    Returns
    -------
    DataFrame
        By kind and truth: the mean share of each word, and ``worst``, the largest share, over cells, of a
        word that is wrong: a difference where there is none, or within the margin where it is not.
    """
    rows = []
    for (kind, truth), cells in table.groupby(["kind", "truth"], sort=False):
        equal = truth == (1.0 if kind == "spread" else 0.0)
        beyond = truth >= (SD_FACTOR if kind == "spread" else 1.0)
        equivalent, within, different, _ = WORDS
        wrong = cells[[within, different]].sum(axis=1) if equal else cells[[equivalent, within]].sum(axis=1)
        worst = float(wrong.max()) if equal or beyond else np.nan
        rows.append({"kind": kind, "truth": truth, **cells[list(WORDS)].mean(), "worst": worst})
    return pd.DataFrame(rows)


def power_in_words(folder: Path = RESULTS) -> str:
    """Size and power as a table in Markdown, from the recorded simulation."""
    table, about = load_table(NAME, folder)
    lines = [["printed", "in truth", *WORDS, "worst cell"], ["---", "---", *["---:"] * 5]]
    for row in summarise(table).to_dict("records"):
        truth = (
            f"{row['truth']:g} margins apart" if row["kind"] != "spread" else f"{row['truth']:g} times ours"
        )
        worst = "" if np.isnan(row["worst"]) else f"{row['worst']:.1%}"
        lines.append([row["kind"], truth, *(f"{row[word]:.1%}" for word in WORDS), worst])
    shown = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    n_cells, repeats = table["cell"].nunique(), int(table["repeats"].max())
    return f"{shown}\n\n{n_cells} cells, {repeats} repeats each, recorded {about['created'][:10]}."


def main() -> None:
    """Simulate and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", choices=list(REPEATS), default="quick")
    parser.add_argument("--output", type=Path, default=Path("results"))
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    commit_here()  # before anything is written
    table = run(options.scale, n_jobs=options.n_jobs)
    print(save_table(table, options.output, NAME, options.scale))
    print(summarise(table).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
