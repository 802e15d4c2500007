"""One fold and draw of constraints, clustered by every method: the trials of a checkpoint."""

import json
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from sparsek import ConstraintSplitter, PairwiseConstraints, l1_bound_grid
from sparsek.errors import EmptyClusterError
from sparsek.methods.constrained.mpckm import mpckm
from sparsek.methods.constrained.seeding import Seeds, seed_centers
from sparsek.methods.constrained.splits import ConstraintSplit
from sparsek.metrics import pairwise_f_score
from validation.papers.pcskm.designs import DATA, METHODS, N_FOLDS, N_INNER, SEED, WEIGHTED
from validation.papers.pcskm.samples import load_sample, start_rows
from validation.papers.pcskm.stack import FAILED, Fit, Problem, fit_stack, make_problem
from validation.papers.shared.cells import Row, file_name
from validation.papers.shared.runs import on_one_thread


@dataclass(frozen=True, slots=True)
class Cell:
    """All methods on one data set under constraints of one kind and number."""

    data: str  # data, start, kind: keys of `DATA`, `STARTS` and `KINDS`
    start: str
    kind: str
    percent: float  # Constraints in percent of the pool
    n_trials: int  # Folds and draws
    thin: int  # One in this many of the bounds is tried
    name: str = "pcskm"  # First word of the file name

    @property
    def file_name(self) -> str:
        """File of the trials, named by all attributes except their number."""
        return file_name(self.name, self.data, self.start, self.kind, f"{self.percent:g}", self.thin)

    @property
    def seconds(self) -> float:
        """Approximate seconds of a trial."""
        X = load_sample(self.data, 0).X
        return 0.004 + 2e-7 * X.size * len(bounds(X.shape[1], self.thin))


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


@lru_cache(maxsize=32)
def splits(
    data: str, replicate: int, kind: str, percent: float, n_draws: int
) -> dict[tuple[int, int], ConstraintSplit]:
    """Folds and draws of constraints, by their numbers."""
    sample = load_sample(data, replicate)
    splitter = ConstraintSplitter(
        percent, kind=kind, n_splits=N_FOLDS, n_draws=n_draws, random_state=SEED + replicate
    )
    found = splitter.split(sample.X, sample.target)
    return {(split.fold, split.draw): split for split in found}


def split_of(cell: Cell, trial: int) -> tuple[int, ConstraintSplit]:
    """Replicate, and fold and draw, of a trial."""
    replicate, fold, draw = place(cell.data, trial)
    n_draws = place(cell.data, cell.n_trials - 1)[2] + 1
    return replicate, splits(cell.data, replicate, cell.kind, cell.percent, n_draws)[fold, draw]


def pose(data: str, replicate: int, constraints: PairwiseConstraints | None = None) -> Problem:
    """The problem of clustering a data set under constraints; without any if None."""
    sample = load_sample(data, replicate)
    pairs = PairwiseConstraints(len(sample.X)) if constraints is None else constraints
    return make_problem(sample.X, sample.n_clusters, pairs)


def first_centers(cell: Cell, replicate: int, problem: Problem, seed: int) -> Seeds:
    """Starting centres, with the labels that "seeding" comes with (-1 where unknown)."""
    rows = problem.X[:, :-1]
    if cell.start == "seeding":
        rng = np.random.default_rng(seed)
        return seed_centers(rows, problem.constraints.components(), problem.n_clusters, rng)
    centers = rows[start_rows(cell.data, replicate, cell.start)]
    return Seeds(centers, np.full(len(rows), -1, dtype=np.int32))


@cache
def without_constraints(data: str, replicate: int, start: str, thin: int) -> tuple[Fit, list[Fit]]:
    """LKM and SKM from starting rows that do not depend on constraints."""
    problem = pose(data, replicate)
    centers = problem.X[start_rows(data, replicate, start), :-1]
    return fit_stack(problem, centers, bounds(centers.shape[1], thin))


def fit_mpckm(problem: Problem, start: Seeds) -> Fit:
    """MPCKM, which begins with the labels of the start."""
    known = np.where(start.labels < 0, problem.n_clusters, start.labels).astype(np.int32)
    try:
        fit = mpckm(problem.X, problem.pattern, problem.squares, problem.extents, start.centers, labels=known)
    except EmptyClusterError:
        return FAILED
    return Fit(fit.labels, fit.params.weights)


def fit_all(cell: Cell, replicate: int, constraints: PairwiseConstraints, seed: int) -> dict[str, list[Fit]]:
    """Fits of every method, one per bound for the sparse ones."""
    problem = pose(cell.data, replicate, constraints)
    start = first_centers(cell, replicate, problem, seed)
    grid = bounds(start.centers.shape[1], cell.thin)
    if cell.start == "seeding":
        plain, sparse = fit_stack(pose(cell.data, replicate), start.centers, grid)
    else:
        plain, sparse = without_constraints(cell.data, replicate, cell.start, cell.thin)
    bound = fit_stack(problem, start.centers, grid)
    found = ([plain], sparse, [bound[0]], [fit_mpckm(problem, start)], bound[1])
    return dict(zip(METHODS, found, strict=True))


def run_trial(cell: Cell, trial: int) -> Row:
    """One fold and draw of constraints."""
    replicate, split = split_of(cell, trial)
    target = load_sample(cell.data, replicate).target
    with on_one_thread():
        fits = fit_all(cell, replicate, split.constraints, SEED + trial)
    row = _described(cell, trial, split)
    for method, found in fits.items():
        scores = [score(fit, target, split.test) for fit in found]
        row[f"{method} F"] = json.dumps(scores)
    for method in WEIGHTED:
        mean, largest = weight_shares(fits[method], DATA[cell.data].n_uninformative)
        row[f"{method} weights"] = json.dumps([round(share, 9) for share in mean.tolist()])
        row[f"{method} largest"] = largest
    return row


def run_penalties(cell: Cell, trial: int) -> Row:
    """The same fold and draw, clustered by PCSKM with equation (15) for the weights."""
    replicate, split = split_of(cell, trial)
    target = load_sample(cell.data, replicate).target
    problem = pose(cell.data, replicate, split.constraints)
    start = first_centers(cell, replicate, problem, SEED + trial)
    grid = bounds(start.centers.shape[1], cell.thin)
    with on_one_thread():
        found = fit_stack(problem, start.centers, grid, penalties_in_weights=True)[1]
    row = _described(cell, trial, split)
    return row | {"PCSKM (15) F": json.dumps([score(fit, target, split.test) for fit in found])}


def _described(cell: Cell, trial: int, split: ConstraintSplit) -> Row:
    """The first columns of a trial."""
    n_pairs = len(split.constraints.must_link) + len(split.constraints.cannot_link)
    row: Row = {"data": cell.data, "start": cell.start, "kind": cell.kind, "percent": cell.percent}
    return row | {"trial": trial, "n_constraints": n_pairs}


def score(fit: Fit, target: NDArray[np.int64], rows: NDArray[np.int64]) -> float:
    """F-score on some rows."""
    return np.nan if fit.labels is None else float(pairwise_f_score(target[rows], fit.labels[rows]))


def weight_shares(fits: list[Fit], n_uninformative: int) -> tuple[NDArray[np.float64], float]:
    """Share of each feature in the sum of weights, averaged over the successful fits, and the largest joint
    share of the last `n_uninformative` features."""
    weights = np.array([fit.weights for fit in fits if fit.weights is not None and fit.weights.any()])
    if not len(weights):
        return np.array([]), np.nan
    shares = weights / weights.sum(axis=1, keepdims=True)
    largest = shares[:, shares.shape[1] - n_uninformative :].sum(axis=1).max()
    return shares.mean(axis=0), float(largest)


def choose_bound(cell: Cell, trial: int) -> Row:
    """PCSKM with s chosen by inner folds of the training rows, on one fold and draw.

    All rows are clustered; the inner constraints join inner training rows only, and the F-scores of the inner
    test rows choose s, so that no label of a test row is used.
    """
    replicate, split = split_of(cell, trial)
    sample, train = load_sample(cell.data, replicate), split.train
    seed = np.random.SeedSequence([SEED, replicate, split.fold, split.draw]).generate_state(1)[0]
    inner = ConstraintSplitter(
        cell.percent, kind=cell.kind, n_splits=N_INNER, n_draws=1, random_state=int(seed)
    )
    centers = pose(cell.data, replicate).X[start_rows(cell.data, replicate, cell.start), :-1]
    grid = bounds(centers.shape[1], cell.thin)

    def scores(constraints: PairwiseConstraints, rows: NDArray[np.int64]) -> list[float]:
        fits = fit_stack(pose(cell.data, replicate, constraints), centers, grid)[1]
        return [score(fit, sample.target, rows) for fit in fits]

    with on_one_thread():
        outer = scores(split.constraints, split.test)
        found = []
        for part in inner.split(sample.X[train], sample.target[train]):
            pairs = part.constraints
            moved = PairwiseConstraints(len(sample.X), train[pairs.must_link], train[pairs.cannot_link])
            found.append(scores(moved, train[part.test]))
    means = [np.nanmean(column) if np.isfinite(column).any() else -1.0 for column in np.transpose(found)]
    best = int(np.argmax(means))
    row = _described(cell, trial, split) | {"PCSKM F": json.dumps(outer)}
    return row | {"s": grid[best], "nested": outer[best]}
