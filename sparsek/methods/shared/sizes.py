"""The number of features, or the L1 bound, chosen while an estimator is fitted, by a path and its gap.

Each value of a geometric grid is fitted from a few starts and from the partitions of its neighbours. The gap
compares the scatter that the clusters explain with that on shuffled columns, see
`sparsek.methods.search.permutation_gap`. There the logarithm is a smooth curve of the value, which few
values give. The grid is halved twice around the largest gap.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline
from scipy.sparse import csr_array
from scipy.stats import chi2

from sparsek.core.scaling import takes_deviations
from sparsek.core.shuffles import (
    masses_at,
    shuffled_matrix,
    shuffled_variables,
    sorted_columns,
    weight_points,
)
from sparsek.core.steps import Array, FitResult, Labels
from sparsek.errors import SelectionWarning, callers_level
from sparsek.methods.shared.base import best_of, criterion_rounding
from sparsek.sources.sample import sample_rows
from sparsek.sources.source import ArraySource, MatrixSource

MOST_VALUES, LEAST_RATIO = 7, 1.6
"""Largest number of values of the grid, and smallest ratio of two neighbours."""
DRAWN_EVERY, DRAWN = 3, 4
"""Three neighbouring values of the grid share four drawn starts, which the smallest of them draws."""
N_SHUFFLED, SHUFFLED_VALUES = 2, 4
"""Shuffled data sets, and values that are fitted to each."""
HALVINGS = 2
"""How often the grid is refined around the largest gap."""
PATH_ITERATIONS = 15
"""A start of the path has at most this many iterations: on shuffled columns more of them gain little."""
CHOICE_ENTRIES, CHOICE_ROWS = 250_000, 1000
"""Data of more entries than the first number are sampled for the choice, but to no fewer rows than the
second."""
SAME_CLUSTERS = 0.9
"""Features that explain no more than noise are left out where the clusters without them are the same: their
adjusted Rand index is at least this."""
LITTLE_GAP, LITTLE_WEIGHTED_GAP = 0.2, 0.06
"""Columns of noise have gaps up to about these, for selected features and for weighted ones."""
SAMPLE_PART = 3
"""The choice takes a third of the sample that starts take, because it holds shuffled columns besides."""
SAME_GAP = 1e-9
"""Gaps that differ by less show nothing: all clusters explain as much as on shuffled columns."""
NOISE = 0.95
"""Probability that the gain of a column of noise is below the quantile that tells features from noise."""
MOST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """What was tried and chosen; one entry per value, ascending."""

    name: str  # The parameter
    values: list[Any]  # Values tried
    explained: Array  # (m,): scatter that the clusters explain, by a power of two that is free of units
    # (m,): the same on shuffled columns: exponential of the mean logarithm, at least what one column explains
    expected: Array
    error: float  # Standard error of a gap
    chosen: int  # Index of the chosen value
    labels: Any  # The best partition of the chosen value; None where the path ran on a sample of the rows
    # Part of the features that are used and explain more than a column of noise; None where that has no law
    carrying: float | None = None
    # The choice of the largest gap, where fewer of its features explain more than noise would
    larger: SizeChoice | None = None

    @property
    def value(self) -> Any:
        """The chosen value."""
        return self.values[self.chosen]

    @property
    def gaps(self) -> Array:
        """The gap of each value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(self.explained) - np.log(self.expected))

    def as_good(self) -> tuple[int, int]:
        """First and last index of the values around the largest gap that are within a standard error."""
        return _run_of(self.gaps, int(np.argmax(self.gaps)), self.error)

    def warn_of_little(self) -> None:
        """Warn where the clusters explain hardly more than on shuffled columns."""
        tried = self.larger or self
        gain = float(tried.gaps[tried.chosen])
        little = LITTLE_GAP if self.name != "l1_bound" else LITTLE_WEIGHTED_GAP
        if len(self.values) > 1 and gain < little:
            warnings.warn(
                f"{self.name}='auto' took {shown_value(self.value)}, but its permutation gap is only "
                f"{gain:.2g}, and on noise it is up to {little}: there may be no clusters. Test it with "
                "sparsek.inference.test_one_cluster",
                SelectionWarning,
                stacklevel=callers_level(),
            )

    def to_frame(self) -> pd.DataFrame:
        """One row per value: the value, gap, gap_se and chosen."""
        return pd.DataFrame(
            {
                self.name: self.values,
                "gap": self.gaps,
                "gap_se": self.error,
                "chosen": np.arange(len(self.values)) == self.chosen,
            }
        )

    def in_words(self) -> str:
        """What was chosen, how sure that is, and what came second."""
        if self.larger is not None:
            return (
                f"{self.larger.in_words()}; {shown_value(self.value)} of these explain more than noise would"
            )
        shown = [shown_value(value) for value in self.values]
        took = f"took {shown[self.chosen]}"
        if len(shown) == 1:
            return f"{self.name}='auto' {took}: there was nothing to choose"
        gaps, (first, last) = self.gaps, self.as_good()
        is_largest = gaps[self.chosen] == gaps.max()
        kind = "largest" if is_largest else "smallest value within one error of the largest"
        text = f"{self.name}='auto' tried {len(shown)} values from {shown[0]} to {shown[-1]} and {took}"
        text += f": {kind} permutation gap, {gaps[self.chosen]:.3g} (standard error {self.error:.2g})"
        if last > first:
            text += f"; {shown[first]} to {shown[last]} are within one error"
        others = np.delete(gaps, np.arange(first, last + 1))
        if not len(others):
            return f"{text}: the data do not tell the values apart"
        second = int(np.flatnonzero(gaps == others.max())[0])
        behind = gaps.max() - gaps[second]
        errors = f", {behind / self.error:.1f} errors behind" if self.error > 0 else ""
        return f"{text}; second came {shown[second]}, with {gaps[second]:.3g}{errors}"


def shown_value(value: float) -> str:
    """A number of features with all its digits, a bound with four."""
    return str(int(value)) if value == int(value) else f"{value:.4g}"


def choose_size(model: Any, problem: Any, name: str, seeds: Array) -> SizeChoice:
    """Choose the value of the parameter for the rows of a problem."""
    whole = name != "l1_bound"
    rng = np.random.default_rng(seeds.astype(np.int64))
    low, high = model._fewest_and_most(problem.source.shape[1])
    grid = _grid(low, high, whole)
    if len(grid) == 1 or model.n_clusters == 1 or not problem.tss > 0:
        return _nothing(name, grid)
    local = _local(model, problem, np.random.RandomState(int(seeds[0])))
    drawing, complete = _drawing(model), local.source.shape == problem.source.shape
    path = Path(model if complete else drawing, local, rng)
    path.descend(grid)
    path.ascend(grid)
    # A power of two takes the units out of the logarithms and rounds nothing.
    path.power = int(np.frexp(path.explained(grid).max())[1])
    few = _spread(grid)
    found_logs = []
    for noise in _shuffles(model, local, rng):
        shuffled = Path(drawing, noise, rng, path.power)
        shuffled.descend(few)
        found_logs.append(shuffled.explained(few))
        del noise, shuffled  # before the next ones are made
    # Without anything explained there is no logarithm to compare.
    if not (np.min(found_logs) > 0 and np.min(path.explained(grid)) > 0):
        return _nothing(name, grid)
    logs = np.log(np.array(found_logs))
    curve = CubicSpline(np.log(few), logs.mean(axis=0)) if len(few) > 2 else _Line(few, logs.mean(axis=0))
    null = _Null(curve, path, grid[0] if low == 1 and _selects_columns(model) else None)
    path.confirm(null)
    for _ in range(HALVINGS):
        path.halve(null, whole)
    values = sorted(path.best)
    found, expected = path.explained(values), np.exp(null(np.log(values)))
    gaps = np.log(found) - np.log(expected)
    if np.ptp(gaps) < SAME_GAP:
        return _nothing(name, grid)
    # The deviation is pooled over the values: two shuffled data sets have one degree of freedom each.
    # The factor adds the error of the simulated mean (Tibshirani, Walther and Hastie 2001, step 3).
    error = float(np.sqrt(logs.var(axis=0, ddof=1).mean() * (1 + 1 / N_SHUFFLED)))
    chosen = int(np.argmax(gaps))
    carrying, clear = _above_noise(model, local, path.best[values[chosen]])
    dense = model._scale_choice is not None and model._scale_choice.alpha is not None
    if not whole and not dense:  # beyond a bound that hardly binds, larger ones change little
        chosen = _run_of(gaps, chosen, error)[0]

    def choice(value: Any, larger: SizeChoice | None = None) -> SizeChoice:
        """All values, of which one is chosen."""
        values = sorted(path.best)
        found, expected = path.explained(values), np.exp(null(np.log(values)))
        labels = path.best[value].labels if complete else None
        if complete and local is not problem:
            labels = problem.rows(labels).labels
        return SizeChoice(name, values, found, expected, error, values.index(value), labels, carrying, larger)

    largest = choice(values[chosen])
    fewer = max(low, clear) if clear else largest.value
    if fewer >= largest.value:
        return largest
    path.go(largest.value, fewer)
    return choice(fewer, largest)


def _above_noise(model: Any, problem: Any, best: FitResult[Any]) -> tuple[float | None, int | None]:
    """Which part of the features carries the clusters, and how many of those selected are no noise.

    In squared deviations a column of noise explains a chi-square variable with one degree of freedom less
    than there are clusters. A feature carries them above its .95 quantile; one of p is no noise above that
    which none of p columns of noise exceeds with probability .95.
    """
    gains = model._gains_of(problem, best)
    degrees, masses = model.n_clusters - 1, problem.moments.masses - 1
    if gains is None or not np.all(masses > 0):  # weights that add up to 1 are no numbers of rows
        return None, None
    p, columns = len(gains), model._candidates(len(gains))
    variances = problem.column_total / masses
    # Gains in units of the variance of their column are chi-square variables where the column is noise.
    own = np.where(variances > 0, gains, 0) / np.where(variances > 0, variances, 1)
    used = np.zeros(p, dtype=bool)
    used[model._columns_of(best)] = True
    carrying = np.count_nonzero(used & (own > chi2.ppf(NOISE, degrees))) / len(columns)
    # Bonferroni: with p columns of noise, each may exceed its quantile with a p-th of the probability.
    clear = used & (own > chi2.ppf(1 - (1 - NOISE) / p, degrees))
    few = p > problem.source.shape[0] and not takes_deviations(model._divisor())
    if model._groups is not None or few:  # many weak columns, more than rows, carry clusters together
        return carrying, None
    forced = 0 if model._lift is None else np.count_nonzero((model._lift > 0) & ~clear)
    return carrying, int(np.count_nonzero(clear) + forced)


class Path:
    """The best results for every value that was tried on one data set."""

    def __init__(self, model: Any, problem: Any, rng: np.random.Generator, power: int = 0) -> None:
        self.model, self.problem, self.rng, self.power = model, problem, rng, power
        self.best: dict[Any, FitResult[Any]] = {}
        self.rounding = criterion_rounding(problem.tss, problem.source.dtype)

    def descend(self, grid: list[Any]) -> None:
        """Every value from drawn starts, and from the partition of the next larger one."""
        drawn: list[Any] = []
        falling = grid[::-1]
        for i, value in enumerate(falling):
            model = self.model._sized(value)
            going_on = model._path_draws_once and i > 0
            # The smallest of the next few values draws the starts that all of them use.
            if i % DRAWN_EVERY == 0 and not going_on:
                drawn = self._drawn(self.model._sized(falling[min(i + DRAWN_EVERY, len(grid)) - 1]))
            before = [self.best[falling[i - 1]].labels] if i and not going_on else []
            results = model._run(self.problem, drawn + before, warm=going_on)
            self._keep(value, results)
            if model._path_draws_once:
                drawn = [result.labels for result in results]

    def ascend(self, grid: list[Any]) -> None:
        """Every value from the partition of the next smaller one."""
        for smaller, larger in pairwise(grid):
            self.go(smaller, larger)

    def confirm(self, null: Any) -> None:
        """Run more starts of the value with the largest gap, and of its neighbours."""
        values = sorted(self.best)
        top = self._top(values, null)
        drawn = self._drawn(self.model._sized(values[top]))
        for value in values[max(0, top - 1) : top + 2]:
            self._keep(value, self.model._sized(value)._run(self.problem, drawn))

    def _top(self, values: list[Any], null: Any) -> int:
        """Index of the largest gap."""
        return int(np.argmax(np.log(self.explained(values)) - null(np.log(values))))

    def halve(self, null: Any, whole: bool) -> None:
        """Add the values half way between the one with the largest gap and its neighbours."""
        values = sorted(self.best)
        top = self._top(values, null)
        for smaller, larger in pairwise(values):
            if values[top] not in (smaller, larger):
                continue
            # Half way in the logarithm, because the grid is equally spaced there.
            middle = float(np.sqrt(smaller * larger))
            middle = round(middle) if whole else middle
            if middle not in self.best:
                self.go(smaller, middle)
                self.go(larger, middle)

    def explained(self, values: list[Any]) -> Array:
        """What the clusters explain at these values, by a power of two, so that logarithms hold no units."""
        found = [self.model._explained_by(self.problem, self.best[value]) for value in values]
        scaled: Array = np.ldexp(np.array(found), -self.power)
        return scaled

    def _drawn(self, model: Any) -> list[Any]:
        seeds = self.rng.integers(MOST_SEED, size=min(DRAWN, model.n_init))
        return list(model._starts(self.problem, seeds)[0])

    def go(self, source: Any, target: Any) -> None:
        """Try the partition of one value as a start of another value, unless that has the same partition."""
        if target in self.best and np.array_equal(self.best[source].labels, self.best[target].labels):
            return
        model = self.model._sized(target)
        self._keep(target, model._run(self.problem, [self.best[source].labels], warm=True))

    def _keep(self, value: Any, results: list[FitResult[Any]]) -> None:
        known = [self.best[value]] if value in self.best else []
        self.best[value] = best_of([*known, *results], self.rounding)


class _Line:
    """A straight line through two points, for two features."""

    def __init__(self, values: list[Any], logs: Array) -> None:
        self.x, self.y = np.log(values), logs

    def __call__(self, x: Array) -> Array:
        return np.interp(x, self.x, self.y)


class _Null:
    """Logarithms of what clusters explain on shuffled columns, at logarithms of values.

    Shuffles change nothing in a single column, so no value explains less there than one column of the data.
    """

    def __init__(self, curve: Any, path: Path, single: Any) -> None:
        self.curve, self.path, self.single = curve, path, single

    def __call__(self, x: Array) -> Array:
        found: Array = self.curve(x)
        if self.single is None:
            return found
        return np.maximum(found, np.log(self.path.explained([self.single])))


def _selects_columns(model: Any) -> bool:
    """Whether the least value is one column for all clusters: columns of a group are shuffled apart."""
    own = model._own_groups
    return getattr(model, "scope", "global") == "global" and (own is None or own.single)


def _grid(low: int, high: int, whole: bool) -> list[Any]:
    """Values from `low` to `high` (bounds: their roots), equally spaced in the logarithm."""
    if low == high:
        return [low] if whole else [float(np.sqrt(low))]
    n_values = min(MOST_VALUES, int(np.ceil(np.log(high / low) / np.log(LEAST_RATIO))) + 1)
    if whole:
        return list(np.unique(np.geomspace(low, high, n_values).round().astype(int)).tolist())
    # A unit vector of m equal weights has the L1 norm sqrt(m), so that bounds go from root to root.
    return list(np.geomspace(np.sqrt(low), np.sqrt(high), n_values).tolist())


def _spread(grid: list[Any]) -> list[Any]:
    """A few values of the grid, with its ends."""
    places = np.unique(np.linspace(0, len(grid) - 1, SHUFFLED_VALUES).round().astype(int))
    return [grid[place] for place in places]


def _run_of(gaps: Array, top: int, error: float) -> tuple[int, int]:
    """First and last index of the run around the largest gap that is within one standard error of it."""
    # The run ends on either side at the first gap that is more than an error below.
    below = np.flatnonzero(gaps < gaps[top] - error)
    first = int(below[below < top].max(initial=-1)) + 1
    return first, int(below[below > top].min(initial=len(gaps))) - 1


def _nothing(name: str, grid: list[Any]) -> SizeChoice:
    """All features, where no value can be better than another."""
    return SizeChoice(name, grid[-1:], np.ones(1), np.ones(1), np.nan, 0, None)


def _drawing(model: Any) -> Any:
    """The model, with drawn starts in place of given ones: labels and row numbers are of the rows given."""
    if isinstance(model.init, str) or callable(model.init):
        return model
    found = copy(model)
    found.init = "k-means++"
    return found


def _local(model: Any, problem: Any, rng: np.random.RandomState) -> Any:
    """The problem itself or, for large rows and rows elsewhere, one of a random sample in memory."""
    source, (n, p) = problem.source, problem.source.shape
    matrix: Any = getattr(source, "X", None)
    # A sparse row counts by its stored entries, rounded up.
    per_row = p if matrix is None else max(1, -(-matrix.nnz // n))
    entries = max(CHOICE_ENTRIES, CHOICE_ROWS * per_row)
    if source.sample_entries is None and n * per_row <= entries:
        return problem
    # The sample of the starts bounds that of the choice, which also holds shuffled copies.
    entries = min(entries, np.inf if source.sample_entries is None else source.sample_entries / SAMPLE_PART)
    rows = sample_rows(n, per_row, int(model.n_clusters), rng, entries)
    weights = None if source.weights is None else source.weights[rows]
    batches = None if source.batches is None else source.batches[rows]
    return _problem(model, source.take(rows), weights, source, batches=batches)


def _problem(
    model: Any,
    X: Any,
    weights: Array | None,
    like: Any,
    moments: Any = None,
    batches: Labels | None = None,
) -> Any:
    """A problem of its own for some rows in memory, whose column statistics may be known."""
    # Given starts are numbers of all rows, those of weight 0 too.
    every = like.kept if X.shape[0] == like.shape[0] else np.ones(X.shape[0], dtype=bool)
    if isinstance(like, MatrixSource):
        source: Any = MatrixSource(csr_array(X), weights, every)
    else:
        holes, levels = model._holes, like.levels  # those of `fit`
        source = ArraySource(_dense(X), weights, every, holes=holes, levels=levels)
        source.batches = batches
    return copy(model)._in_coordinates(source, source.moments() if moments is None else moments)


def _shuffles(model: Any, problem: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Problems of rows whose columns are shuffled, each on its own and within the batches.

    Statistics of a column do not depend on its order: without weights those of complete data serve. Those of
    observed values do not say that there are holes.
    """
    source = problem.source
    weights = source.weights
    known = problem.moments if weights is None and problem.moments.counts is None else None
    for _ in range(N_SHUFFLED):
        X, masses, batches = _shuffled(model, source, rng)
        shuffled = _problem(model, X, masses, source, known, batches)
        if known is not None and "order" in problem.found:  # the columns, the least normal first
            shuffled.found["order"] = problem.found["order"]
        yield shuffled
        del X, shuffled


def _shuffled(model: Any, source: Any, rng: np.random.Generator) -> tuple[Any, Array | None, Labels | None]:
    """Rows whose columns are shuffled, their weights and their batches."""
    weights, coding, codes = source.weights, model._coding, source.batches
    n, p = source.shape
    if isinstance(source, MatrixSource):
        points = None if weights is None else weight_points(weights, max(1, -(-source.X.nnz // n)))
        return shuffled_matrix(source.X, weights, points, rng), masses_at(weights, points), None
    X = _dense(source.take(np.arange(n)))
    if codes is not None:
        return _shuffled_batches(X, weights, codes, coding, rng)
    points = None if weights is None else weight_points(weights, p)
    # sorted anew: one more copy would be kept for it
    X = sorted_columns(X if coding is None else coding.collapsed(X), weights, points)
    rng.permuted(X, axis=0, out=X)
    X = X if coding is None else coding.expand(X)  # the indicators of a category stay together
    return X, masses_at(weights, points), None


def _shuffled_batches(
    X: Array, weights: Array | None, codes: Labels, coding: Any, rng: np.random.Generator
) -> tuple[Array, Array | None, Labels]:
    """The same for rows in the scale of their batches, whose columns are shuffled within these."""
    parts, masses = [], []
    for code in np.unique(codes).tolist():
        rows, own = X[codes == code], None if weights is None else weights[codes == code]
        points = None if own is None else weight_points(own, X.shape[1])
        if coding is None:
            parts.append(sorted_columns(rows, own, points))
            rng.permuted(parts[-1], axis=0, out=parts[-1])
        else:
            parts.append(shuffled_variables(rows, own, points, coding, rng))
        mass = masses_at(own, points)
        masses.append(np.ones(len(parts[-1]), X.dtype) if mass is None else mass)
    batches = np.repeat(np.unique(codes), [len(part) for part in parts])
    return np.concatenate(parts), None if weights is None else np.concatenate(masses), batches


def _dense(X: Any) -> Array:
    """Rows as an array."""
    found: Array = X if isinstance(X, np.ndarray) else X.toarray()
    return found
