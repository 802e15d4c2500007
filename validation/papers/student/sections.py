"""Sections of the report on the student report: its generated data with the listing, and three real sets."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from validation.papers.paper import Result, Task
from validation.papers.shared.claims import Claim, claim_table
from validation.papers.shared.store import load_table, origin
from validation.papers.student.listing import MAX_ITER, N_FEATURES, make_sample
from validation.papers.student.runs import (
    LISTED,
    METHODS,
    N_INIT,
    NEAREST,
    REAL,
    RISE,
    fit_real,
    run_generated,
    run_method,
    run_real,
    start_labels,
)
from validation.report.drawing import STYLE, to_svg
from validation.report.sections import Picture, Section, Table, make_table, our_choice

SEEDS = {"quick": 10, "full": 200}
TITLES = {
    "student-runs": "Student report, Figures 3 and 4: generated data, and the error in the listing",
    "student-real": "Student report, Figure 5: WDBC, Iris, Wine",
}


def run_figures_3_and_4(task: Task) -> Result:
    """Every method on generated data."""
    trials = run_generated(SEEDS[task.scale], task.n_jobs)
    figures = {"student-figure-3": draw_clusters(), "student-figure-4": draw_losses()}
    return Result({"student-runs": trials}, figures)


def run_figure_5(task: Task) -> Result:
    """SKFR1 on the real sets, the same at every scale."""
    table = run_real()
    return Result({"student-real": table}, {"student-figure-5": draw_real(table)})


def generated_claims(trials: pd.DataFrame) -> list[Claim]:
    """What the report says of its runs, and what the listing does."""
    by_method = trials.groupby("method")
    rises = by_method["rises"].apply(lambda counts: int((counts > 0).sum()))
    converged, n = by_method["converged"].sum(), by_method.size()
    equal = by_method["as_skfr2"].sum()

    def measured(method: str) -> str:
        return f"{converged[method]} of {n[method]} converge, the loss rises in {rises[method]}"

    falls = {method: converged[method] == n[method] and rises[method] == 0 for method in METHODS}
    return [
        Claim("SKFR1 converges and its loss never rises", measured("SKFR1"), bool(falls["SKFR1"])),
        Claim(
            "SKFR2 (Algorithm 2) converges and its loss never rises", measured("SKFR2"), bool(falls["SKFR2"])
        ),
        Claim(
            "the listing of SKFR2, which assigns to the farthest centre, converges and its loss never rises",
            f"{measured(LISTED)}; {by_method['clusters'].mean()[LISTED]:.1f} of 4 clusters have rows (mean)",
            bool(falls[LISTED]),
        ),
        Claim(
            "the listing gives the clusters of Algorithm 2",
            f"in {equal[LISTED]} of {n[LISTED]} runs",
            bool(equal[LISTED] == n[LISTED]),
        ),
        Claim(
            "with argmin for argmax it gives the clusters of sparsek's SKFR2 from the same start",
            f"in {equal[NEAREST]} of {n[NEAREST]} runs",
            bool(equal[NEAREST] == n[NEAREST]),
        ),
    ]


def real_claims(table: pd.DataFrame) -> list[Claim]:
    """What the report says of Figure 5."""
    best = {name: float(best_of(table, name)["nmi"]) for name in REAL}
    measured = ", ".join(f"{name} {nmi:.3f}" for name, nmi in best.items())
    text = "the clusters of WDBC look ideal, those of Iris and Wine do not (here: largest NMI over s)"
    return [Claim(text, measured, best["WDBC"] > max(best["Iris"], best["Wine"]))]


def generated(result: Result, folder: Path) -> Section:
    """Figures 3 and 4 of this run beside the full run in `folder`."""
    full, about = load_table("student-runs", folder)
    trials = result.frames["student-runs"]
    return Section(
        TITLES["student-runs"],
        "student-runs",
        "Four normal groups of 250 rows in two features. The listing of SKFR2 in the report's appendix takes "
        "torch.argmax of the distances: every row goes to the farthest centre. Algorithm 2 of the report "
        "takes the nearest, as Zhang, Lange and Xu (2020) do.",
        pictures=tuple(
            Picture(f"Figure {number}, sample of seed 0, s = {N_FEATURES}", _svg(result, number))
            for number in (3, 4)
        ),
        tables=(
            claim_table("Claims, by the full run", generated_claims(full)),
            _means(f"Means over {full['seed'].nunique()} samples, full run", full),
            _means(f"Means over {trials['seed'].nunique()} samples, this run", trials),
        ),
        settings=(
            our_choice(
                "clusters of k-means++ seeds as start: the report does not say where `clusters` come from"
            ),
            our_choice(f"at most {MAX_ITER} passes"),
            our_choice(f"a loss that grows by a share of more than {RISE:g} has risen"),
            our_choice("s = 1 beside the report's s = 2, with which nothing is selected from two features"),
        ),
        remarks=(
            "The figures of the report are pictures without numbers. Square roots in the listing change no "
            "assignment. Its printed loss has means of squares for sums.",
            origin("Full run", about),
        ),
    )


def real(result: Result, folder: Path) -> Section:
    """Figure 5 of this run beside the full run in `folder`."""
    full, about = load_table("student-real", folder)
    rows = [[name, *best_of(full, name)[["s", "nmi", "error"]]] for name in REAL]
    return Section(
        TITLES["student-real"],
        "student-real",
        "The report names no s and prints no numbers. Each set is shown at the s with the largest NMI.",
        pictures=(Picture("Figure 5, this run", _svg(result, 5)),),
        tables=(
            claim_table("Claim, by the full run", real_claims(full)),
            make_table("Best s, full run", ("Data", "s", "NMI", "Share of rows in the wrong class"), rows),
        ),
        settings=(
            our_choice(
                "s by the known classes, after the fact: an upper limit of what a choice of s can give"
            ),
            our_choice(f"the best of {N_INIT} starts"),
        ),
        remarks=(origin("Full run", about),),
    )


def _svg(result: Result, number: int) -> str:
    """A figure as SVG."""
    name = f"student-figure-{number}"
    return to_svg(result.figures[name], name)


def _means(caption: str, trials: pd.DataFrame) -> Table:
    """Means of each method."""
    columns = {
        "nmi": "NMI", "error": "error", "passes": "passes", "converged": "converged",
        "rises": "rises of the loss", "clusters": "clusters with rows", "as_skfr2": "labels of SKFR2",
    }  # fmt: skip
    means = trials.astype({"converged": float, "as_skfr2": float}).groupby(["s", "method"], sort=False)
    rows = [[*key, *group[list(columns)].mean()] for key, group in means]
    return make_table(caption, ["s", "Method", *columns.values()], rows)


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def draw_clusters() -> Figure:
    """Figure 3: the sample of seed 0, its groups, and the clusters of SKFR1, SKFR2 and the listing, s = 2."""
    X, y = make_sample(0)
    start = start_labels(X, 0)
    shown = {"groups": y}
    for method in ("SKFR1", "SKFR2", LISTED):
        shown[method] = run_method(method, X, start, N_FEATURES).labels
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 2.7), layout="constrained")
        panels = figure.subplots(1, len(shown), sharex=True, sharey=True)
        for axes, (title, labels) in zip(panels, shown.items(), strict=True):
            for k, colour in enumerate(COLOURS):
                axes.plot(*X[labels == k].T, ".", markersize=2, color=colour)
            axes.set(title=title, xlabel="feature 1")
            axes.title.set_fontsize(8)
        panels[0].set_ylabel("feature 2")
    return figure


def draw_losses() -> Figure:
    """Figure 4: losses of every method by pass on the sample of seed 0, s = 2."""
    X, _ = make_sample(0)
    start = start_labels(X, 0)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 2.4), layout="constrained")
        for axes, method in zip(figure.subplots(1, len(METHODS)), METHODS, strict=True):
            losses = run_method(method, X, start, N_FEATURES).losses[:20]
            axes.plot(np.arange(1, len(losses) + 1), losses, ".-", color="#0072b2", markersize=4)
            axes.set(title=method, xlabel="pass", xlim=(0.5, None))
            axes.title.set_fontsize(8)
            axes.set_ylabel("loss (4), first 20 passes" if method == LISTED else "loss (4)")
    return figure


def draw_real(table: pd.DataFrame) -> Figure:
    """Figure 5: clusters of SKFR1 on the real sets, on the two selected features of largest weight."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 3), layout="constrained")
        for axes, (name, load) in zip(figure.subplots(1, len(REAL)), REAL.items(), strict=True):
            best = best_of(table, name)
            bunch, model = load(), fit_real(name, int(best["s"]))
            order = np.argsort(-model.feature_weights_, kind="stable")[:2]
            for k, colour in enumerate(COLOURS):
                rows = model.labels_ == k
                axes.plot(*bunch.data[rows][:, order].T, ".", markersize=3, color=colour)
            axes.set(title=f"{name}, s = {int(best['s'])}: NMI {best['nmi']:.3f}")
            axes.set_xlabel(bunch.feature_names[order[0]], fontsize=8)
            axes.set_ylabel(bunch.feature_names[order[1]], fontsize=8)
    return figure


def best_of(table: pd.DataFrame, name: str) -> pd.Series:
    """The row of a data set with the largest NMI."""
    found = table[table["data"] == name]
    return found.loc[found["nmi"].idxmax()]
