"""All methods of the command line on the same four data sets: the table and the picture of `choosing.md`."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import sparsek
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sparsek._registry import ESTIMATORS
from sparsek.datasets import make_doughnut

Sample = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows, their groups, and the plane in which they are drawn."""
SMALL: dict[str, dict[str, Any]] = {
    "DEC": {
        "n_components": 4,
        "hidden_sizes": (32,),
        "layer_epochs": 20,
        "finetune_epochs": 20,
    },
    "IFPCA": {"n_null": 20_000, "cache": False},
    "COSA": {"max_iter": 10},
}
"""Settings that make slow methods quick; all others run with their defaults."""
GREY = "#8c8c8c"


def _sample(n_features: int, n_informative: int, apart: float, seed: int) -> Sample:
    """Three groups of 30 rows, apart in the first features; the others are noise."""
    rng = np.random.default_rng(seed)
    groups = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, n_features))
    levels = rng.permuted(np.tile([-1, 0, 1], (n_informative, 1)), axis=1)
    X[:, :n_informative] += apart * levels[:, groups].T
    return (
        X,
        groups,
        PCA(2, random_state=0).fit_transform(X[:, :n_informative]),
    )


def _with_outliers() -> Sample:
    """A few of many, with five rows that are far off in features of noise."""
    X, groups, plane = _sample(50, 6, 3.0, 1)
    rows = np.random.default_rng(2).choice(len(X), 5, replace=False)
    X[rows, 10:20] += 15
    return X, groups, plane


def _rings() -> Sample:
    """A disc in a ring, which show in two of 20 features."""
    found = make_doughnut(120, random_state=0)
    return found.data, np.asarray(found.target), found.data[:, :2]


SETS = {
    "6 of 200 matter": lambda: _sample(200, 6, 3.0, 0),
    "all 6 matter": lambda: _sample(6, 6, 2.0, 0),
    "6 of 50, outliers": _with_outliers,
    "a disc in a ring": _rings,
}
"""What each data set is called, and what makes it."""


def _models() -> dict[str, type]:
    """The classes of the methods, SKFR first, k-means last."""
    named = {row.name: getattr(sparsek, row.name) for row in ESTIMATORS if row.method}
    return {**named, "KMeans": KMeans}


@cache
def fit_all() -> dict[str, dict[str, np.ndarray | None]]:
    """Labels by method and data set; None where a method has none."""
    samples = {
        name: StandardScaler().fit_transform(make()[0]) for name, make in SETS.items()
    }
    groups = {name: len(np.unique(make()[1])) for name, make in SETS.items()}
    found: dict[str, dict[str, np.ndarray | None]] = {}
    for name, kind in _models().items():
        settings = dict(SMALL.get(name, {}))
        if "random_state" in kind().get_params():
            settings["random_state"] = 0
        found[name] = {}
        for title, X in samples.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    model = kind(n_clusters=groups[title], **settings)
                    found[name][title] = np.asarray(model.fit_predict(X))
                except (ValueError, sparsek.errors.EmptyClusterError):
                    found[name][title] = None
    return found


def _scores() -> dict[str, dict[str, float]]:
    """Adjusted Rand index by method and data set, NaN without labels."""
    truth = {name: make()[1] for name, make in SETS.items()}
    return {
        name: {
            title: np.nan if labels is None else adjusted_rand_score(truth[title], labels)
            for title, labels in row.items()
        }
        for name, row in fit_all().items()
    }


def table_of_methods() -> pd.DataFrame:
    """Purpose and scores of every method, as texts."""
    purposes = {row.name: row.purpose for row in ESTIMATORS}
    rows = [
        {
            "estimator": f"{{py:class}}`~sparsek.{name}`" if name in purposes else "scikit-learn's `KMeans`",
            "what it does": purposes.get(name, "k-means on all features"),
            **{title: "" if np.isnan(score) else f"{score:z.2f}" for title, score in row.items()},
        }
        for name, row in _scores().items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def draw_all(ink: str, colors: tuple[str, ...]) -> Figure:
    """A row for each method, a column for each data set; colours are clusters, numbers the indices."""
    found, scores = fit_all(), _scores()
    planes = {name: make()[2] for name, make in SETS.items()}
    figure = Figure(figsize=(8.6, 1.0 * len(found)))
    axes = figure.subplots(len(found), len(SETS))
    figure.subplots_adjust(
        left=0.29, right=0.995, top=0.985, bottom=0.003, wspace=0.04, hspace=0.06
    )
    for ax, title in zip(axes[0], SETS, strict=True):
        ax.set_title(title, fontsize=9, color=ink)
    for row, (name, labels) in zip(axes, found.items(), strict=True):
        row[0].set_ylabel(
            name, rotation=0, ha="right", va="center", fontsize=9, color=ink, labelpad=6
        )
        for ax, (title, own) in zip(row, labels.items(), strict=True):
            shown = (
                [GREY] * len(planes[title])
                if own is None
                else [colors[int(k) % len(colors)] if k >= 0 else GREY for k in own]
            )
            ax.scatter(*planes[title].T, c=shown, s=4)
            ax.set(xticks=[], yticks=[])
            score = scores[name][title]
            text = "no result" if np.isnan(score) else f"{score:z.2f}"
            ax.text(
                0.98,
                0.02,
                text,
                transform=ax.transAxes,
                ha="right",
                va="bottom",
                fontsize=8,
                color=ink,
            )
    return figure
