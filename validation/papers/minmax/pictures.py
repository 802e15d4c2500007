"""Figures 1 and 2: convergence of the weighted BCSS, and the clusters of the leukemias in the plane."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.manifold import TSNE

from sparsek import MinMaxKMeans
from sparsek.metrics import misclassification_error
from validation.papers.minmax.designs import DATA, FIGURES, IFPCA, MINMAX, SPARSE
from validation.papers.minmax.methods import Run, answer, minmax_model
from validation.papers.minmax.samples import load_sample, scaled
from validation.papers.shared.claims import Claim
from validation.papers.shared.runs import on_one_thread, quietly
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

TSNE_TABLE, CONVERGENCE = "minmax-tsne", "minmax-convergence"
UPDATES = 10
"""Weight updates of the picture; according to the paper, no data set needs more."""
SETTLED = 1e-4
"""A criterion that changes by a smaller share of itself in the last update has converged."""
COLOURS = ("#1f6f8b", "#c98a2b", "#7a4e8a", "#5b8c5a", "#b3261e")


def make_pictures(
    here: Sequence[str], bounds: pd.DataFrame
) -> tuple[dict[str, pd.DataFrame], dict[str, Figure]]:
    """Numbers of both figures, and the figures, as far as the data are at hand."""
    frames, figures = {}, {}
    with quietly(), on_one_thread():
        if FIGURES["tsne"] in here:
            frames[TSNE_TABLE] = place_rows(FIGURES["tsne"], bounds)
            figures[TSNE_TABLE] = draw_rows(frames[TSNE_TABLE])
        sets = [name for name in FIGURES["convergence"] if name in here]
        if sets:
            frames[CONVERGENCE] = follow_criterion(sets, bounds)
            figures[CONVERGENCE] = draw_criterion(frames[CONVERGENCE])
    return frames, figures


def _bound(bounds: pd.DataFrame, data: str, method: str) -> float:
    return float(bounds.loc[(data, method, DATA[data].scaling, DATA[data].bound), "bound"])


def place_rows(data: str, bounds: pd.DataFrame) -> pd.DataFrame:
    """The rows of a data set in two dimensions, by t-SNE, with classes and clusters."""
    sample, scaling = load_sample(data), DATA[data].scaling
    X, k = scaled(data, scaling), sample.n_clusters

    def best(labels_of: Callable[[int], np.ndarray], n_runs: int) -> np.ndarray:
        found = [labels_of(trial) for trial in range(n_runs)]
        errors = [misclassification_error(sample.target, labels) for labels in found]
        return np.asarray(found[int(np.argmin(errors))], dtype=int)

    def run(method: str, bound: float) -> Callable[[int], np.ndarray]:
        return lambda trial: answer(method, Run(data, scaling, trial, bound)).labels

    def minmax(trial: int) -> np.ndarray:
        return MinMaxKMeans(k, variant="r", n_init=1, random_state=trial + 1).fit(X).labels_

    xy = TSNE(random_state=0, perplexity=min(30, (len(X) - 1) / 3)).fit_transform(X)
    labels = {
        "classes": sample.target,
        MINMAX: best(run(MINMAX, _bound(bounds, data, MINMAX)), RUNS_OF_THE_PAPERS),
        "MinMax k-Means": best(minmax, RUNS_OF_THE_PAPERS),
        SPARSE: best(run(SPARSE, _bound(bounds, data, SPARSE)), 1),
        IFPCA: best(run(IFPCA, np.nan), 1),
    }
    return pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], **labels})


def follow_criterion(names: Sequence[str], bounds: pd.DataFrame) -> pd.DataFrame:
    """Weighted BCSS after every weight update of the first run."""
    rows = []
    for name in names:
        model = minmax_model(
            load_sample(name).n_clusters, _bound(bounds, name, MINMAX), 0, max_iter=UPDATES, tol=0.0
        )
        history = -2 * model.fit(scaled(name, DATA[name].scaling)).criterion_history_
        rows += [
            {"data": DATA[name].title, "iteration": place + 1, "bcss": value}
            for place, value in enumerate(history)
        ]
    return pd.DataFrame(rows)


def convergence_claims(table: pd.DataFrame) -> list[Claim]:
    """What the paper says of its Figure 1."""
    last = table.groupby("data")["bcss"].agg(lambda values: abs(values.iloc[-1] / values.iloc[-2] - 1))
    measured = f"the last update changes it by a share of at most {last.max():.0e} ({last.idxmax()})"
    text = f"the weighted BCSS converges within {UPDATES} updates of the weights on {len(last)} sets"
    return [Claim(text, measured, bool((last < SETTLED).all()))]


def draw_rows(table: pd.DataFrame) -> Figure:
    """Classes and clusters in the plane."""
    names = list(table.columns[2:])
    figure = Figure(figsize=(2.3 * len(names), 2.5), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(names)), names, strict=True):
        groups = table.groupby(name)["classes"].agg(lambda classes: classes.mode().iloc[0])
        taken = groups if groups.is_unique else pd.Series(groups.index, groups.index)
        ax.scatter(table["x"], table["y"], s=10, c=[COLOURS[taken[label] % 5] for label in table[name]])
        ax.set_title(name, fontsize=9)
        ax.set(xticks=[], yticks=[])
    return figure


def draw_criterion(table: pd.DataFrame) -> Figure:
    """Weighted BCSS against iteration."""
    groups = list(table.groupby("data", sort=False))
    figure = Figure(figsize=(2.3 * len(groups), 2.2), layout="constrained")
    panels = figure.subplots(1, len(groups), squeeze=False)[0]
    for ax, (name, rows) in zip(panels, groups, strict=True):
        ax.plot(rows["iteration"], rows["bcss"], marker="o", markersize=3, color=COLOURS[0])
        ax.set_title(str(name), fontsize=9)
        ax.tick_params(labelsize=7)
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("weighted BCSS")
    figure.supxlabel("weight update", fontsize=9)
    return figure
