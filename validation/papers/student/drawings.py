"""Figures 3 to 5 of the student report."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from validation.papers.student.listing import N_FEATURES, make_sample
from validation.papers.student.runs import LISTED, METHODS, REAL, fit_real, run_method, start_labels
from validation.report.drawing import STYLE

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
