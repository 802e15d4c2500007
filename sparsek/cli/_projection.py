"""The picture of the rows in two dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from sparsek.plots._figure import PALETTE


def draw_projection(file: Path, model: Any, data: pd.DataFrame) -> None:
    """Draw the rows on principal components, of the selected features and of all, coloured by cluster."""
    from matplotlib.figure import Figure

    standard = _standardise(data.to_numpy(dtype=float))
    support = (
        np.asarray(model.get_support()) if hasattr(model, "get_support") else np.ones(data.shape[1], bool)
    )
    parts = {"the selected features": support} if 0 < support.sum() < len(support) else {}
    parts["all features"] = np.ones(len(support), dtype=bool)
    figure = Figure(figsize=(4.6 * len(parts), 4.2), layout="constrained")
    for axes, (name, columns) in zip(
        figure.subplots(1, len(parts), squeeze=False)[0], parts.items(), strict=True
    ):
        scores, shares = _components(standard[:, columns])
        for label in np.unique(model.labels_):
            chosen = np.asarray(model.labels_) == label
            colour = PALETTE[int(label) % len(PALETTE)] if label >= 0 else "black"
            axes.plot(*scores[chosen].T, ".", color=colour, markersize=5, label=str(label))
        axes.set_title(f"Components of {name}: {columns.sum()}", loc="left", fontsize=10)
        axes.set_xlabel(f"component 1, {shares[0]:.0%} of the variance")
        axes.set_ylabel(f"component 2, {shares[1]:.0%}")
    axes.legend(title="cluster", fontsize=8)
    figure.savefig(file, dpi=150)


def _standardise(X: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and sd 1; missing cells take the mean, constant columns are 0."""
    unit = np.nanmax(np.abs(X), axis=0, initial=1e-300)
    centred = X / unit - np.nanmean(X / unit, axis=0)
    sd = np.sqrt(np.nanmean(centred**2, axis=0))
    return np.nan_to_num(centred / np.where(sd > 0, sd, 1.0))


def _components(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores on the first two principal components, 0 where there are fewer; their shares of the variance."""
    scores, shares = np.zeros((len(Z), 2)), np.zeros(2)
    count = min(2, *Z.shape) if Z.any() else 0
    if count:
        pca = PCA(count, random_state=0)
        scores[:, :count] = pca.fit_transform(Z)
        shares[:count] = pca.explained_variance_ratio_
    return scores, shares
