"""Twenty labels of iris: the table of docs/methods/semi-supervised.md.

Run with ``python -m validation.papers.pcskm.labels [--draws 30]``.
"""

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from sparsek import COPKMeans, MPCKMeans, PairwiseConstraints, PCKMeans, PCSparseKMeans
from sparsek.errors import ConstraintConflictWarning
from sparsek.init import seeding
from sparsek.metrics import pairwise_f_score

N_KNOWN = 20
SETTINGS = ("iris", "20 noise features, sd 1/2", "20 noise features, sd 1", "2 of the 20 labels wrong")
ESTIMATORS = {
    "PCKMeans": PCKMeans(3, init="seeding"),
    "MPCKMeans": MPCKMeans(3, init="seeding"),
    "PCSparseKMeans": PCSparseKMeans(3, l1_bound=1.3, init="seeding"),
    "COPKMeans": COPKMeans(3, init="seeding"),
}
NONE = "k-means from the same centres"
Draw = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]


def draw(setting: str, seed: int) -> Draw:
    """Data, labels with -1 for unlabelled rows, mask of these rows, and all classes."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(seed)
    known = rng.choice(len(y), N_KNOWN, replace=False)
    scales = dict(zip(SETTINGS[1:3], (0.5, 1.0), strict=True))
    if setting in scales:
        X = np.hstack([X, rng.normal(scale=scales[setting], size=(len(y), 20))])
    given = np.full(len(y), -1)
    given[known] = y[known]
    if setting == SETTINGS[3]:
        given[known[:2]] = (given[known[:2]] + 1) % 3
    return X, given, given < 0, y


def score(name: str, setting: str, seed: int) -> float:
    """F-score of the unlabelled rows."""
    X, given, hidden, y = draw(setting, seed)
    if name == NONE:
        centers = seeding(X, 3, PairwiseConstraints.from_labels(given).must_link).centers
        model: Any = PCKMeans(3, init=centers).fit(X)
    else:
        model = ESTIMATORS[name].fit(X, given)
    return float(pairwise_f_score(y[hidden], model.labels_[hidden]))


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=30)
    n_draws = parser.parse_args(arguments).draws
    print("| |", " | ".join(SETTINGS), "|")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintConflictWarning)
        for name in (NONE, *ESTIMATORS):
            scores = np.array(
                [[score(name, setting, seed) for setting in SETTINGS] for seed in range(n_draws)]
            )
            errors = scores.std(axis=0, ddof=1) / np.sqrt(n_draws) if n_draws > 1 else np.full(4, np.nan)
            cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(scores.mean(axis=0), errors, strict=True)]
            print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
