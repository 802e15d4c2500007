"""One fold and draw of constraints, clustered by every method: the trials of a checkpoint."""

import json
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsek import (
    ConstraintSplitter,
    MPCKMeans,
    PCKMeans,
    PCSparseKMeans,
    cross_validate_constraints,
    l1_bound_grid,
)
from sparsek.errors import EmptyClusterError
from sparsek.init import seeding
from sparsek.metrics import pairwise_f_score
from validation.papers.pcskm.designs import DATA, METHODS, N_FOLDS, N_INNER, SEED, WEIGHTED
from validation.papers.pcskm.samples import load_sample, start_rows
from validation.papers.shared.cells import Row, file_name

AUTHORS: dict[str, Any] = {"n_init": 1, "on_empty": "error", "max_separation": "box_origin"}
"""Options that reproduce the authors' program."""


class Fit(NamedTuple):
    """Labels and feature weights; both None if the fit failed, weights None for methods without weights."""

    labels: NDArray[np.int32] | None
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Cell:
    """All methods on one data set under constraints of one kind and number.

    Attributes
    ----------
    data, start, kind : str
        Keys of `DATA`, `STARTS` and `KINDS`.
    percent : float
        Constraints in percent of the pool.
    n_trials : int
        Folds and draws.
    thin : int
        One in this many of the bounds is tried.
    """

    data: str
    start: str
    kind: str
    percent: float
    n_trials: int
    thin: int

    @property
    def file_name(self) -> str:
        """File of the trials, named by all attributes except their number."""
        return file_name("pcskm", self.data, self.start, self.kind, f"{self.percent:g}", self.thin)

    @property
    def seconds(self) -> float:
        """Approximate seconds of a trial."""
        X = load_sample(self.data, 0).X
        return (2 + len(bounds(X.shape[1], self.thin))) * (0.004 + 1e-6 * X.size)


@dataclass(frozen=True, slots=True)
class NestedCell:
    """The choice of s by inner folds.

    Attributes
    ----------
    data : str
        Key of `DATA`.
    percent : float
        Constraints in percent of the pool.
    """

    data: str
    percent: float
    n_trials: ClassVar[int] = 1

    @property
    def file_name(self) -> str:
        """File of the choice, named by all attributes."""
        return file_name("pcskm-nested", self.data, f"{self.percent:g}")

    @property
    def seconds(self) -> float:
        """Approximate seconds of the choice."""
        return N_FOLDS * (1 + N_INNER) * Cell(self.data, "dkm++", "both", self.percent, 1, 1).seconds


def bounds(n_features: int, thin: int) -> list[float]:
    """One in every `thin` of the bounds s = 1.1, 1.3, ..."""
    return l1_bound_grid(n_features)[::thin]


def place(data: str, trial: int) -> tuple[int, int, int]:
    """Replicate, fold and draw of a trial; they do not depend on start, kind or number of constraints.

    Replicates vary fastest, then folds, then draws.
    """
    replicates = DATA[data].replicates
    replicate, turn = trial % replicates, trial // replicates
    return replicate, (replicate + turn) % N_FOLDS, turn // N_FOLDS


def attempt(model: Any, X: NDArray[np.float64], pairs: dict[str, Any]) -> Fit:
    """The fit; a `Fit` of None if a cluster loses all its rows."""
    try:
        model.fit(X, **pairs)
    except EmptyClusterError:
        return Fit(None, None)
    return Fit(model.labels_, getattr(model, "feature_weights_", None))


def plain_and_sparse(
    X: NDArray[np.float64], n_clusters: int, init: Any, pairs: dict[str, Any], thin: int, seed: int
) -> tuple[list[Fit], list[Fit]]:
    """PCKM, and PCSKM at every bound; without pairs these are LKM and SKM."""
    options = AUTHORS | {"init": init, "random_state": seed}
    plain = attempt(PCKMeans(n_clusters, **options), X, pairs)
    sparse = [
        attempt(PCSparseKMeans(n_clusters, l1_bound=s, weight_solver="bisection15", **options), X, pairs)
        for s in bounds(X.shape[1], thin)
    ]
    return [plain], sparse


@cache
def without_constraints(data: str, replicate: int, start: str, thin: int) -> tuple[list[Fit], list[Fit]]:
    """LKM and SKM from starting rows that do not depend on constraints."""
    sample = load_sample(data, replicate)
    rows = start_rows(data, replicate, start)
    return plain_and_sparse(sample.X, sample.n_clusters, rows, {}, thin, SEED)


def fit_all(cell: Cell, replicate: int, pairs: dict[str, Any], seed: int) -> dict[str, list[Fit]]:
    """Fits of every method, one per bound for the sparse ones."""
    sample = load_sample(cell.data, replicate)
    X, n_clusters = sample.X, sample.n_clusters
    if cell.start == "seeding":
        init: Any = "seeding"
        centers = seeding(X, n_clusters, pairs["must_link"], random_state=seed).centers
        free = plain_and_sparse(X, n_clusters, centers, {}, cell.thin, seed)
    else:
        init = start_rows(cell.data, replicate, cell.start)
        free = without_constraints(cell.data, replicate, cell.start, cell.thin)
    bound = plain_and_sparse(X, n_clusters, init, pairs, cell.thin, seed)
    metric = attempt(MPCKMeans(n_clusters, init=init, random_state=seed, **AUTHORS), X, pairs)
    return dict(zip(METHODS, (*free, bound[0], [metric], bound[1]), strict=True))


def run_trial(cell: Cell, trial: int) -> Row:
    """One fold and draw of constraints.

    Parameters
    ----------
    cell : Cell
        Cell of the trial.
    trial : int
        Number of the trial, from 0.

    Returns
    -------
    dict
        F-scores of each method on the test rows, one per bound for the sparse ones, NaN for failed fits; the
        weights' shares, averaged over the bounds, and the largest share of uninformative features over the
        bounds. Lists are JSON texts.
    """
    replicate, fold, draw = place(cell.data, trial)
    sample = load_sample(cell.data, replicate)
    splitter = ConstraintSplitter(
        cell.percent, kind=cell.kind, n_splits=N_FOLDS, n_draws=draw + 1, random_state=SEED + replicate
    )
    splits = splitter.split(sample.X, sample.target)
    split = next(split for split in splits if (split.fold, split.draw) == (fold, draw))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fits that reach the authors' 25 passes; ROBIN's fallback
        fits = fit_all(cell, replicate, split.constraints.fit_params(), SEED + trial)
    n_pairs = len(split.constraints.must_link) + len(split.constraints.cannot_link)
    row: Row = {"data": cell.data, "start": cell.start, "kind": cell.kind, "percent": cell.percent}
    row |= {"trial": trial, "n_constraints": n_pairs}
    for method, found in fits.items():
        scores = [_score(fit, sample.target, split.test) for fit in found]
        row[f"{method} F"] = json.dumps(scores)
    for method in WEIGHTED:
        mean, largest = weight_shares(fits[method], DATA[cell.data].n_uninformative)
        row[f"{method} weights"] = json.dumps([round(share, 9) for share in mean.tolist()])
        row[f"{method} largest"] = largest
    return row


def _score(fit: Fit, target: NDArray[np.int64], test: NDArray[np.int64]) -> float:
    """F-score on the test rows."""
    return np.nan if fit.labels is None else float(pairwise_f_score(target[test], fit.labels[test]))


def weight_shares(fits: list[Fit], n_uninformative: int) -> tuple[NDArray[np.float64], float]:
    """Share of each feature in the sum of weights, averaged over the successful fits, and the largest joint
    share of the last `n_uninformative` features."""
    weights = np.array([fit.weights for fit in fits if fit.weights is not None and fit.weights.any()])
    if not len(weights):
        return np.array([]), np.nan
    shares = weights / weights.sum(axis=1, keepdims=True)
    largest = shares[:, shares.shape[1] - n_uninformative :].sum(axis=1).max()
    return shares.mean(axis=0), float(largest)


def choose_bound(cell: NestedCell, trial: int) -> Row:
    """F-score with s chosen on the test rows, as in the paper, and with s chosen by inner folds.

    Parameters
    ----------
    cell : NestedCell
        Cell of the trial.
    trial : int
        Always 0: there is one trial.

    Returns
    -------
    dict
        Both means over the folds, the paper's choice of s, and the standard error of the difference over
        folds.
    """
    sample = load_sample(cell.data, 0)
    model = PCSparseKMeans(
        sample.n_clusters,
        init=start_rows(cell.data, 0, "dkm++"),
        weight_solver="bisection15",
        **AUTHORS,
    )
    result = cross_validate_constraints(
        model,
        sample.X,
        sample.target,
        splitter=ConstraintSplitter(cell.percent, n_splits=N_FOLDS, n_draws=1, random_state=SEED),
        parameter="l1_bound",
        values=bounds(sample.X.shape[1], 1),
        n_inner_splits=N_INNER,
        n_jobs=1,
    )
    best = result.scores[result.values.index(result.optimistic_value)] - result.nested_scores
    return {
        "data": cell.data,
        "percent": cell.percent,
        "trial": trial,
        "optimistic": result.optimistic_score,
        "s": result.optimistic_value,
        "nested": result.nested_score,
        "difference_se": float(np.nanstd(best, ddof=1) / np.sqrt(np.isfinite(best).sum())),
    }
