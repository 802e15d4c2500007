"""Pictures of questions, drawn from the code of their pages, so that picture and numbers belong together."""

import re
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sparsek import plots

QUESTIONS = Path(__file__).parent / "questions"
DARK, ORANGE, GREEN, PALE = "#0072b2", "#d55e00", "#009e73", "#b0b7bd"
N_BINS = 10


def run_code(page: str) -> dict[str, Any]:
    """The names that the code of a page defines."""
    text = (QUESTIONS / f"{page}.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
        for block in re.findall(
            r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE
        ):
            exec(compile(block, page, "exec"), names)
    return names


def frequencies(stated: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of what is stated and of what is found, in bins of equal width that are not empty."""
    bins = np.minimum((stated * N_BINS).astype(int), N_BINS - 1)
    used = np.unique(bins)
    return (
        np.array([stated[bins == b].mean() for b in used]),
        np.array([found[bins == b].mean() for b in used]),
    )


def draw_questionnaires(figure: Figure) -> None:
    """Centres of the selected questions, in standard deviations from the mean of all women."""
    names = run_code("questionnaires")
    plots.plot_centers(names["fit"], names["answers"], figure.subplots())


def draw_soft_membership(figure: Figure) -> None:
    """How often rows are in the cluster by other samples, and of the kind, by what is stated."""
    names = run_code("soft-membership")
    share, kind = names["share"][:, 1], names["right"]
    member = names["fuzzy"].predict_proba(names["new"][:, :6])[:, 1]
    member = member if np.mean((member > 0.5) == kind) > 0.5 else 1 - member
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color=PALE, lw=1, zorder=0)
    for stated, found, color, mark, label in (
        (share, names["other"], DARK, "o", "resamples: other samples agree"),
        (share, kind, ORANGE, "s", "resamples: the row is of the kind"),
        (member, kind, GREEN, "^", "fuzzy c-means, m = 2: the row is of the kind"),
    ):
        ax.plot(*frequencies(stated, found), color=color, marker=mark, ms=5, label=label)
    ax.set(xlabel="stated by predict_proba", ylabel="found", xlim=(0, 1), ylim=(0, 1))
    ax.legend(frameon=False, fontsize=9)


def draw_genotypes(figure: Figure) -> None:
    """Frequencies of the first allele in two clusters, by variant."""
    names = run_code("genotypes")
    copies, fit = names["copies"], names["fit"]
    first, second = (copies[fit.labels_ == k].mean(axis=0) / 2 for k in (0, 1))
    chosen = fit.get_support()
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color=PALE, lw=1, zorder=0)
    ax.scatter(first[~chosen], second[~chosen], c=PALE, s=14, label="not selected")
    ax.scatter(first[chosen], second[chosen], c=DARK, s=26, label="selected")
    ax.set(
        xlabel="frequency of the first allele in cluster 0",
        ylabel="in cluster 1",
        xlim=(0, 1),
        ylim=(0, 1),
    )
    ax.legend(frameon=False, fontsize=9)
