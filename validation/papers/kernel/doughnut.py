"""The doughnut: k-means, sparse k-means, kernel k-means and sparse kernel k-means on a core in a ring.

Two features form a disc inside a ring, 18 are noise. The slides show one sample on which the first three
methods fail and the last succeeds. Their text states that the noise is U(-1, 1), but neither the number of
rows nor the radii nor the bound s; the radii are in a picture only, which we do not have. Ours are s = 1.41,
500 rows, and two designs: the radii of `sparsek.datasets.make_doughnut`, and a wider ring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.cluster import KMeans

from sparsek import KernelKMeans, PermutationGap, SparseKernelKMeans, SparseKMeans
from sparsek.datasets import make_doughnut
from sparsek.metrics import misclassification_error
from validation.papers.shared.claims import Claim
from validation.report.drawing import STYLE

N_SEEDS, N_SAMPLES = 20, 500
BOUND = 1.41
SPARSE_BOUNDS = (1.2, 1.41, 2.0, 3.0)
WEIGHT_RANGE = (0.6, 0.8)
"""Range of the weights of both coordinates if the doughnut is found; s < sqrt(2) makes them unequal."""
LARGEST_NOISE = 0.01
NARROW, WIDE = "ring 1 to 1.2", "ring 2 to 2.4"
RINGS: dict[str, dict[str, Any]] = {
    NARROW: {},
    WIDE: {"core_radius": 0.5, "ring_radii": (2.0, 2.4)},
}
"""Arguments of `make_doughnut`. The wider ring was added after an audit had found it in all of 20 samples."""
EXPECTED_EXACT = 9
"""Our own threshold on the narrow ring, not a number of the slides: samples of 20 that are found exactly; a
prototype found 12."""


def sum_of_squared_products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The kernels (x z)^2 of single features, added up without weights."""
    return A**2 @ (B**2).T


def _best_sparse(seed: int, X: np.ndarray, truth: np.ndarray) -> Any:
    """Sparse k-means with the bound that fits the truth best, which is unknown in practice."""
    model = SparseKMeans(2, init="k-means++", n_init=20, random_state=seed, refine=False, standardize=False)
    models = [clone(model).set_params(l1_bound=s).fit(X) for s in SPARSE_BOUNDS]
    return min(models, key=lambda model: misclassification_error(truth, model.labels_))


SPARSE_KERNEL = "sparse kernel k-means"
FAILING = ("k-means", "sparse k-means, best s", "kernel k-means, joint")
METHODS: dict[str, Callable[[int, np.ndarray, np.ndarray], Any]] = {
    "k-means": lambda seed, X, _: KMeans(2, n_init=20, random_state=seed).fit(X),
    "sparse k-means, best s": _best_sparse,
    "kernel k-means, joint": lambda seed, X, _: KernelKMeans(
        2, kernel="polynomial", init="k-means++", n_init=20, random_state=seed
    ).fit(X),
    "kernel k-means, by feature": lambda seed, X, _: KernelKMeans(
        2, kernel=sum_of_squared_products, init="k-means++", n_init=20, random_state=seed
    ).fit(X),
    SPARSE_KERNEL: lambda seed, X, _: SparseKernelKMeans(
        2, l1_bound=BOUND, init="k-means++", random_state=seed
    ).fit(X),
}
"""Fitted models from a seed, the data and the truth. Joint: <x, z>^2; by feature: the sum of (x_j z_j)^2, the
kernel of the sparse method without weights."""


def draw_sample(ring: str, seed: int) -> Any:
    """A sample of a design."""
    return make_doughnut(N_SAMPLES, **RINGS[ring], random_state=seed)


def run_seed(ring: str, seed: int) -> list[dict[str, Any]]:
    """One row per method on one sample; with the weights of the coordinates and of the noise, if any."""
    sample = draw_sample(ring, seed)
    rows = []
    for method, fit in METHODS.items():
        model = fit(seed, sample.data, sample.target)
        w = getattr(model, "feature_weights_", np.full(sample.data.shape[1], np.nan))
        rows.append(
            {
                "ring": ring,
                "method": method,
                "seed": seed,
                "error": misclassification_error(sample.target, model.labels_),
                "w1": w[0],
                "w2": w[1],
                "largest_noise_weight": w[2:].max(),
            }
        )
    return rows


def run(n_seeds: int = N_SEEDS, n_jobs: int = 1) -> pd.DataFrame:
    """Every method on every sample."""
    tasks = [(ring, seed) for ring in RINGS for seed in range(n_seeds)]
    rows = Parallel(n_jobs=n_jobs)(delayed(run_seed)(*task) for task in tasks)
    return pd.DataFrame([row for some in rows for row in some])


def summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean and median error of each method on each ring, and the number of samples found exactly."""
    groups = trials.groupby(["ring", "method"], sort=False)["error"]
    return groups.agg(mean="mean", median="median", exact=lambda e: int((e == 0).sum())).reset_index()


def claims(trials: pd.DataFrame) -> list[Claim]:
    """What the slides show, on both rings, and our own expectations on the narrow one."""
    return [
        *(claim for ring, group in trials.groupby("ring", sort=False) for claim in _of_slides(ring, group)),
        *_ours(trials[(trials["ring"] == NARROW) & (trials["method"] == SPARSE_KERNEL)]),
    ]


def _of_slides(ring: str, trials: pd.DataFrame) -> list[Claim]:
    """The slides show one sample, without numbers."""
    errors = trials.pivot_table(index="seed", columns="method", values="error", sort=False)
    exact = (errors == 0).sum()
    others = [name for name in METHODS if name in FAILING]
    measured = ", ".join(f"{name} exact in {exact[name]}, mean {errors[name].mean():.3f}" for name in others)
    return [
        Claim(
            f"{ring}: sparse kernel k-means finds the doughnut (slides, on one sample), here in every sample",
            f"exact in {exact[SPARSE_KERNEL]} of {len(errors)}, "
            f"mean error {errors[SPARSE_KERNEL].mean():.3f}",
            bool(exact[SPARSE_KERNEL] == len(errors)),
        ),
        Claim(
            f"{ring}: k-means, sparse k-means and kernel k-means fail (slides), here in every sample",
            measured,
            bool((exact[others] == 0).all()),
        ),
    ]


def _ours(trials: pd.DataFrame) -> list[Claim]:
    """Expectations from a prototype."""
    found = trials[trials["error"] == 0]
    pair, noise = found[["w1", "w2"]], float(found["largest_noise_weight"].max())
    (low, high), share = WEIGHT_RANGE, EXPECTED_EXACT / N_SEEDS
    return [
        Claim(
            f"{NARROW}, our expectation: sparse kernel k-means has error 0 in at least {share:.0%} of them",
            f"{len(found)} of {len(trials)}",
            len(found) >= share * len(trials),
        ),
        Claim(
            f"{NARROW}, our expectation: there w1 and w2 lie in ({low}, {high}), all others are at most "
            f"{LARGEST_NOISE}",
            f"{pair.min().min():.3f} to {pair.max().max():.3f}, others at most {noise:.4f}",
            bool(((pair > low) & (pair < high)).all(axis=None) and noise <= LARGEST_NOISE),
        ),
    ]


def tune(n_seeds: int = 3, n_permutations: int = 10) -> pd.DataFrame:
    """The permutation gap of the bound s, which on this design prefers bounds that miss the doughnut."""
    results = []
    for seed in range(n_seeds):
        estimator = SparseKernelKMeans(2, init="k-means++", n_init=10)
        options = {"n_permutations": n_permutations, "random_state": 0}
        search = PermutationGap(estimator, "l1_bound", [1.1, *SPARSE_BOUNDS], **options)
        search.fit(make_doughnut(N_SAMPLES, random_state=seed).data)
        results.append(search.results_.assign(seed=seed))
    return pd.concat(results, ignore_index=True)


def draw(trials: pd.DataFrame) -> Figure:
    """The sample of seed 0 with the clusters that four methods find, and all errors; a row for each ring."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 2.4 * len(RINGS)), layout="constrained")
        for line, ring in zip(figure.subplots(len(RINGS), 5), RINGS, strict=True):
            _draw_clusters(line[:-1], ring)
            _draw_errors(line[-1], trials[trials["ring"] == ring])
    return figure


def _draw_clusters(panels: Sequence[Axes], ring: str) -> None:
    """The first two features of the sample of seed 0, coloured by each method's clusters."""
    sample = draw_sample(ring, 0)
    shown = [name for name in METHODS if not name.endswith("by feature")]
    for axes, name in zip(panels, shown, strict=True):
        labels = METHODS[name](0, sample.data, sample.target).labels_
        swap = np.mean(labels == sample.target) < 0.5
        for k, colour in enumerate(("#0072b2", "#d55e00")):
            rows = (labels != k) if swap else (labels == k)
            axes.plot(*sample.data[rows, :2].T, ".", markersize=2, color=colour)
        axes.set(title=name.replace(", ", ",\n"), aspect="equal", xlabel="$x_1$")
        axes.title.set_fontsize(8)
    panels[0].set_ylabel(f"{ring}\n$x_2$")


def _draw_errors(axes: Axes, trials: pd.DataFrame) -> None:
    """Errors on all samples."""
    for i, (_, group) in enumerate(trials.groupby("method", sort=False)):
        shifts = np.linspace(-0.15, 0.15, len(group))
        axes.plot(group["error"], i + shifts, ".", color="#0072b2", markersize=4)
    names = [name.replace(", ", ",\n") for name in METHODS]
    axes.set(yticks=range(len(names)), yticklabels=names, xlabel="error", xlim=(-0.02, 0.52))
    axes.invert_yaxis()
