"""Figure 1: the gap curve over the number of features kept, on data sets with 15 informative features."""

from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from sparsek import SKFR, PermutationGap
from sparsek.datasets import make_brodinova
from validation.papers.shared.store import write_whole
from validation.report.sections import Setting, inferred, our_choice

TRUE = 15
SIZES = {"sparse": 50, "dense": 20}
SCALES = {
    "quick": {"n_sets": 1, "n_permutations": 10, "n_init": 5},
    "full": {"n_sets": 10, "n_permutations": 25, "n_init": 10},
}
SETTINGS: tuple[Setting, ...] = (
    inferred("seeds are rows of the raw columns, drawn with probability proportional to distance"),
    our_choice("10 starts and 25 permutations (this run: 5 and 10)"),
    our_choice("all numbers of features from 2 to p"),
)


def run_gap(n_features: int, data_set: int, n_permutations: int, n_init: int) -> pd.DataFrame:
    """The gap curve over all numbers of features kept, on one data set."""
    X = make_brodinova(n_features, TRUE, random_state=data_set).data
    model = SKFR(10, init="paper", n_init=n_init, standardize=True)
    grid = np.arange(2, n_features + 1)
    gap = PermutationGap(
        model, "n_features_to_select", grid, n_permutations=n_permutations, random_state=data_set
    )
    with threadpool_limits(1):
        return gap.fit(X).results_.assign(n_features=n_features, data_set=data_set)


def run_gaps(scale: str, folder: Path, n_jobs: int) -> pd.DataFrame:
    """The curves of all data sets; curves in `folder` are not run again."""
    options = dict(SCALES[scale])
    sets = range(1, options.pop("n_sets") + 1)
    paths = {(p, i): folder / f"gap-{scale}-{p}-{i}.csv" for p in SIZES.values() for i in sets}
    tasks = [key for key, path in paths.items() if not path.exists()]
    curves = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(run_gap)(*key, **options) for key in tasks
    )
    bar = tqdm(curves, total=len(tasks), desc="gap curves", unit="curve", disable=None if tasks else True)
    for key, curve in zip(tasks, bar, strict=True):
        write_whole(paths[key], curve.to_csv(index=False))
    return pd.concat([pd.read_csv(path) for path in paths.values()], ignore_index=True)


def largest_gaps(curves: pd.DataFrame) -> dict[int, list[int]]:
    """By number of features, the numbers kept with the largest gap, one per data set."""
    return {
        int(p): [
            int(curve.loc[curve["gap"].idxmax(), "n_features_to_select"])
            for _, curve in group.groupby("data_set")
        ]
        for p, group in curves.groupby("n_features")
    }


def smallest_within_sd(curves: pd.DataFrame) -> dict[int, list[int]]:
    """By number of features, the smallest numbers kept with a gap within one sd of the largest."""
    found: dict[int, list[int]] = {}
    for (p, _), curve in curves.groupby(["n_features", "data_set"]):
        best = curve.loc[curve["gap"].idxmax()]
        near = curve[curve["gap"] >= best["gap"] - best["gap_sd"]]
        found.setdefault(int(p), []).append(int(near["n_features_to_select"].min()))
    return found
