"""Deep embedded clustering of handwritten digits against k-means: scikit-learn's 1797 images of 8 x 8 pixels.

The DEC paper uses larger images; the expectations here come from a prototype. Run alone
with ``python -m validation.papers.kernel.dec``.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import normalized_mutual_info_score

from sparsek import DEC
from sparsek.metrics import misclassification_error
from validation.papers.shared.claims import Claim
from validation.report.drawing import STYLE

N_SEEDS = 5
ON_PIXELS, BEFORE, AFTER = "k-means on pixels", "k-means on the embedding", "DEC"
LEAST_GAIN = 0.01
"""Least gain of DEC in mean accuracy over its start; three runs of a prototype gave 0.025, 0.011, 0.043."""
SECONDS = 60.0
"""Target for one fit at the default (quick) setting, on one core of the two allowed."""


@lru_cache(maxsize=1)
def fit(seed: int) -> DEC:
    """DEC at its defaults, which for fewer than 2000 rows are the quick setting."""
    return DEC(10, random_state=seed).fit(load_digits().data)


def _scores(seed: int, method: str, labels: np.ndarray, **others: Any) -> dict[str, Any]:
    """One row of the table."""
    truth = load_digits().target
    return {
        "method": method,
        "seed": seed,
        "accuracy": 1 - misclassification_error(truth, labels),
        "nmi": normalized_mutual_info_score(truth, labels),
        **others,
    }


def run_seed(seed: int) -> list[dict[str, Any]]:
    """One row per method."""
    pixels = KMeans(10, n_init=20, random_state=seed).fit(load_digits().data)
    begin = time.process_time()
    model = fit(seed)
    seconds = time.process_time() - begin
    mse = model.reconstruction_error_ * model.scale_**2 / 16**2
    return [
        _scores(seed, ON_PIXELS, pixels.labels_),
        _scores(seed, BEFORE, model.initial_labels_, autoencoder_mse=mse),
        _scores(seed, AFTER, model.labels_, autoencoder_mse=mse, steps=model.n_iter_, seconds=seconds),
    ]


def run(n_seeds: int = N_SEEDS, n_jobs: int = 1) -> pd.DataFrame:
    """Every method under every seed."""
    # A single seed runs in this process, so that `draw` finds its model in the cache.
    jobs = n_jobs if n_seeds > 1 else 1
    rows = Parallel(n_jobs=jobs)(delayed(run_seed)(seed) for seed in range(n_seeds))
    return pd.DataFrame([row for some in rows for row in some])


def summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean, smallest and largest accuracy and mean NMI of each method."""
    groups = trials.groupby("method", sort=False)
    return groups.agg(
        accuracy=("accuracy", "mean"),
        least=("accuracy", "min"),
        largest=("accuracy", "max"),
        nmi=("nmi", "mean"),
    ).reset_index()


def claims(trials: pd.DataFrame) -> list[Claim]:
    """Expectations of the experiment, compared with the trials."""
    by_seed = trials.pivot_table(index="seed", columns="method", values=["accuracy", "nmi"])
    accuracy, nmi = by_seed["accuracy"], by_seed["nmi"]
    better = int((accuracy[AFTER] > accuracy[BEFORE]).sum())
    gain = float((accuracy[AFTER] - accuracy[BEFORE]).mean())
    slowest = float(trials["seconds"].max())
    return [
        Claim(
            "DEC is more accurate than its own start under every seed",
            f"{better} of {len(accuracy)}",
            better == len(accuracy),
        ),
        Claim(f"it gains at least {LEAST_GAIN} on average", f"{gain:.3f}", gain >= LEAST_GAIN),
        Claim(
            "mean NMI of DEC above that of k-means on pixels",
            f"{nmi[AFTER].mean():.3f} against {nmi[ON_PIXELS].mean():.3f}",
            bool(nmi[AFTER].mean() > nmi[ON_PIXELS].mean()),
        ),
        Claim(
            f"a fit takes less than {SECONDS:.0f} s of one core",
            f"at most {slowest:.1f} s",
            slowest < SECONDS,
        ),
    ]


def draw(trials: pd.DataFrame, model: DEC | None = None) -> Figure:
    """The embedding before and after the clustering (two principal axes), and the accuracies."""
    model = fit(0) if model is None else model
    truth = load_digits().target
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 3.4), layout="constrained")
        *panels, scores = figure.subplots(1, 3, width_ratios=[1, 1, 0.8])
        stages = (("autoencoder", model.initial_embedding_), ("after clustering", model.embedding_))
        for axes, (title, Z) in zip(panels, stages, strict=True):
            points = axes.scatter(*PCA(2).fit_transform(Z).T, s=3, c=truth, cmap="tab10", vmin=-0.5, vmax=9.5)
            axes.set(title=title, xticks=[], yticks=[], xlabel="first principal axis")
        panels[0].set_ylabel("second principal axis")
        figure.colorbar(points, ax=panels[-1], ticks=range(10), label="digit")
        wide = trials.pivot_table(index="seed", columns="method", values="accuracy")
        wide = wide[[ON_PIXELS, BEFORE, AFTER]]
        for _, row in wide.iterrows():
            scores.plot(range(3), row, ".-", color="#0072b2", linewidth=0.7)
        scores.set(xticks=range(3), xticklabels=["pixels", "embedding", "DEC"])
        scores.set_title("accuracy by seed")
    return figure


def main() -> None:
    """Print the tables and the claims."""
    trials = run()
    print(trials.round(4).to_string(index=False))
    print(summarise(trials).round(4).to_string(index=False))
    for claim in claims(trials):
        print(claim)


if __name__ == "__main__":
    main()
