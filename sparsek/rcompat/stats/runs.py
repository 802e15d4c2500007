"""R's ``kmeans``: starts, restarts, the four algorithms, warnings and errors, in R's order.

Sources: Hartigan & Wong (1979), Applied Statistics 28, 100-108; Lloyd (1982), IEEE Transactions on
Information Theory 28, 128-137; Forgy (1965), Biometrics 21, 768-769; MacQueen (1967), Proceedings of the
5th Berkeley Symposium 1, 281-297. As in R, sums run left to right, restarts are compared by the sum of
``withinss`` in extended precision, and the lowest index wins ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import first_member_sums, long_column_sums, long_sum
from sparsek.engine import compiles
from sparsek.errors import RError
from sparsek.inputs.threads import thread_control
from sparsek.rcompat.stats import literal
from sparsek.rcompat.stats.hartigan_wong import QUICK_TRANSFER_STEPS, Run, hartigan_wong
from sparsek.rcompat.stats.lloyd import lloyd_in_order
from sparsek.rcompat.stats.macqueen import macqueen
from sparsek.rng import RRandom

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EMPTY = "empty cluster: try a better set of initial centers"
LARGEST = 1e150
LITERAL = {
    "Hartigan-Wong": literal.hartigan_wong,
    "Lloyd": literal.lloyd,
    "Forgy": literal.lloyd,
    "MacQueen": literal.macqueen,
}
ALGORITHMS = tuple(LITERAL)
PASSES = 30
"""About how many passes over the rows a start takes, in multiplications of whole arrays."""
WIDE = 500
"""Columns up to which the loops are faster than matrix products."""


@dataclass(frozen=True, slots=True)
class KMeansPartition:
    """A clustering by R's ``kmeans``."""

    labels: IntArray  # Clusters from 0
    centers: FloatArray  # (k, p): cluster centres; NaN for an empty cluster
    withinss: FloatArray  # (k,): within-cluster sums of squares, squared units of the data
    n_iter: int  # Iterations as R counts them; ``iter_max + 1`` without convergence
    # 0, 2 (not converged) or 4 (quick-transfer limit); None as R's NULL for a converged Lloyd or MacQueen
    ifault: int | None
    # Rows that the starts took as centres, from 0; None where centres were given
    start_rows: IntArray | None = None


def run_kmeans(
    x: FloatArray,
    centers: int | FloatArray,
    *,
    iter_max: int = 10,
    nstart: int = 1,
    algorithm: str = "Hartigan-Wong",
    rng: RRandom | None = None,
) -> KMeansPartition:
    """Cluster rows as R's ``kmeans`` does, drawing from R's stream in R's order.

    Shapes: x (n, p), centers (k, p).

    RError r's own errors, with its message; ValueError values beyond 1e150 in size, whose squares overflow;
    RWarning r's own warnings, for every start.
    """
    n = x.shape[0]
    rows: IntArray | None = None
    distinct: IntArray | None = None
    if nstart < 1 and not isinstance(centers, np.ndarray):
        raise RError("argument is of length zero", f"nstart must be at least 1; got {nstart}")
    largest = np.abs(x).max(initial=0.0)
    if LARGEST < largest < np.inf:
        raise ValueError(
            f"x has values up to {largest:g}, whose squares overflow; the limit is {LARGEST:g}: "
            "divide x by a constant"
        )
    if isinstance(centers, np.ndarray):
        starts = _given_centers(x, centers)[None]
    else:
        rows, distinct = _first_start(x, centers, nstart, rng)
        starts = x[rows]
    k = starts.shape[1]
    if iter_max < 1:
        raise RError("'iter.max' must be positive", f"got {iter_max}")
    if starts.shape[2] != x.shape[1]:
        raise RError(
            "must have same number of columns in 'x' and 'centers'",
            f"x has {x.shape[1]}, centers has {starts.shape[2]}",
        )
    name = "MacQueen" if k == 1 else algorithm
    if not largest <= LARGEST:
        require_finite(x, "x", 1)
    if name == "Hartigan-Wong" and k >= n:
        raise RError(
            "number of cluster centres must lie between 1 and nrow(x)",
            f"got {k} clusters for {n} rows: use fewer, or another algorithm",
        )
    run = _hartigan_wong_starts if name == "Hartigan-Wong" else _sequential_starts(name)
    if distinct is None or nstart < 2:
        return replace(run(x, starts, iter_max, lambda r: None), start_rows=rows)
    assert rng is not None
    before = rng.getstate()
    more = distinct[rng.sample_sets(len(distinct), k, nstart - 1) - 1]
    assert rows is not None
    rows = np.concatenate([rows, more])

    def rewind(start: int) -> None:
        """Set the stream to its state in R when this start fails: later starts are not drawn."""
        rng.setstate(before)
        rng.sample_sets(len(distinct), k, start)

    return replace(run(x, x[rows], iter_max, rewind), start_rows=rows)


def require_finite(values: FloatArray, name: str, argument: int) -> None:
    """Raise R's error where a matrix holds missing or infinite values.

    Shapes: values (n, p).

    Raises RError with the place of the first such value.
    """
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise RError(
            f"NA/NaN/Inf in foreign function call (arg {argument})",
            f"{name}[{row}, {column}] is {values[row, column]}: remove or impute missing and infinite values",
        )


def total_sum_of_squares(x: FloatArray) -> float:
    """Long sum over all entries, column by column, of the squared deviation from the column mean."""
    means = long_column_sums(x, len(x))
    t = np.ascontiguousarray((x - means).T)
    t *= t
    return long_sum(t)


def _given_centers(x: FloatArray, centers: FloatArray) -> FloatArray:
    """Starting centres from the caller, checked as R does."""
    if len(distinct_rows(centers)) < len(centers):
        raise RError("initial centers are not distinct", "drop the repeated rows of centers")
    if len(centers) > len(x):
        raise RError("more cluster centers than data points", f"{len(centers)} centers, {len(x)} rows")
    return centers


def _first_start(x: FloatArray, k: int, nstart: int, rng: RRandom | None) -> tuple[IntArray, IntArray | None]:
    """Rows of the first start (1, k) and, where R looks for them, the distinct rows of x."""
    if rng is None:
        raise TypeError("a number of centers needs rng, the stream to draw the starting rows from")
    drawn = rng.sample_int(len(x), k) - 1 if nstart == 1 else None
    if drawn is not None and len(distinct_rows(x[drawn])) == len(drawn):
        return drawn[None], None
    distinct = distinct_rows(x)
    if len(distinct) < k:
        raise RError(
            "more cluster centers than distinct data points.", f"got {k} for {len(distinct)} distinct rows"
        )
    return distinct[rng.sample_int(len(distinct), k) - 1][None], distinct


def distinct_rows(x: FloatArray) -> IntArray:
    """Indices of the distinct rows in the order of first appearance; 0 equals -0, NaN equals NaN."""
    rows = np.ascontiguousarray(x + 0.0)
    _, first = np.unique(rows.view(f"V{rows.shape[1] * 8}").ravel(), return_index=True)
    return np.sort(first)


def _withinss_features_outer(x: FloatArray, labels: IntArray, centers: FloatArray) -> FloatArray:
    """Sums of squares as in AS 136: one running sum per cluster, over features and, within each, points."""
    out = np.zeros(len(centers))
    for j, center in enumerate(centers):
        t = np.ascontiguousarray((x[labels == j] - center).T).ravel()
        t *= t
        out[j] = np.add.accumulate(t)[-1]
    return out


def _hartigan_wong_starts(
    x: FloatArray, starts: FloatArray, iter_max: int, rewind: Callable[[int], None]
) -> KMeansPartition:
    """Run all starts; return the first with the smallest extended-precision sum of withinss."""
    best: KMeansPartition | None = None
    least = np.inf
    for r, run in enumerate(_runs("Hartigan-Wong", x, starts, iter_max)):
        if run is None:
            rewind(r)
            raise RError(EMPTY, "a starting centre was nearest to no row")
        warn_of_run(run.n_iter, run.ifault, iter_max, len(x))
        total = long_sum(run.withinss)
        if best is None or total < least:
            best, least = run, total
    assert best is not None
    return best


def _sequential_starts(name: str) -> Callable[..., KMeansPartition]:
    """Lloyd, Forgy or MacQueen from each start."""

    def run(
        x: FloatArray, starts: FloatArray, iter_max: int, rewind: Callable[[int], None]
    ) -> KMeansPartition:
        best: KMeansPartition | None = None
        least = np.inf
        for found in _runs(name, x, starts, iter_max):
            assert found is not None  # these algorithms go on with empty clusters
            empty = not np.bincount(found.labels, minlength=len(found.centers)).all()
            if empty:
                warn_as_r(EMPTY)
            warn_of_run(found.n_iter, found.ifault, iter_max, len(x))
            if empty:  # R looks for empty clusters once more after the run
                warn_as_r(EMPTY)
            total = long_sum(found.withinss)
            if best is None or total < least:
                best, least = found, total
        assert best is not None
        return best

    return run


def _runs(name: str, x: FloatArray, starts: FloatArray, iter_max: int) -> Iterable[KMeansPartition | None]:
    """The result of every start in turn; None where Hartigan and Wong's algorithm meets an empty cluster."""
    if compiles(PASSES * starts.size * len(x), LITERAL[name], pays=x.shape[1] <= WIDE):
        return _compiled_runs(name, x, starts, iter_max)
    with thread_control().limit(limits=1):
        if name == "Hartigan-Wong":
            runs, k = hartigan_wong(x, starts, iter_max), starts.shape[1]
            return [None if run is None else _finished(x, run, k) for run in runs]
        if name == "MacQueen":
            results = macqueen(x, starts, iter_max)
        else:
            results = [lloyd_in_order(x, centers, iter_max) for centers in starts]
    return [KMeansPartition(*result, 2 if result[-1] > iter_max else None) for result in results]


def hartigan_wong_outcomes(
    x: FloatArray, starts: FloatArray, iter_max: int
) -> Iterator[tuple[int, int] | None]:
    """How the runs of Hartigan and Wong's algorithm end.

    Shapes: x (n, p), starts (r, k, p); returns (int, int).
    """
    runs: Iterable[KMeansPartition | Run | None]
    if compiles(PASSES * starts.size * len(x), literal.hartigan_wong, pays=x.shape[1] <= WIDE):
        runs = _compiled_runs("Hartigan-Wong", x, starts, iter_max)
    else:
        with thread_control().limit(limits=1):
            runs = hartigan_wong(x, starts, iter_max)
    for run in runs:
        if run is None:
            yield None
        else:
            assert run.ifault is not None  # None is a mark of Lloyd's and MacQueen's runs
            yield run.n_iter, run.ifault


def _finished(x: FloatArray, run: Run, k: int) -> KMeansPartition:
    """The partition of a run of Hartigan and Wong's algorithm, with its centres and sums of squares."""
    sums, sizes = first_member_sums(x, run.labels[None], k)
    centers = sums[0] / sizes[0][:, None]
    withinss = _withinss_features_outer(x, run.labels, centers)
    return KMeansPartition(run.labels, centers, withinss, run.n_iter, run.ifault)


def _compiled_runs(
    name: str, x: FloatArray, starts: FloatArray, iter_max: int
) -> Iterator[KMeansPartition | None]:
    """The results of the literal algorithm, compiled, in the order of the starts.

    They run one after the other, or in as many threads as `joblib.parallel_config` allows around the call.
    """
    from joblib import Parallel, delayed, effective_n_jobs  # not needed by a call of one start

    x = np.require(x, requirements="W")  # read-only arrays would be compiled for once more
    run = partial(_compiled_run, LITERAL[name].compiled, name, x, iter_max=iter_max)
    if effective_n_jobs(None) == 1:  # without the overhead of a pool
        yield from map(run, starts)
    else:
        yield from Parallel(require="sharedmem")(delayed(run)(start) for start in starts)


def _compiled_run(
    loops: Callable[..., Any], name: str, x: FloatArray, start: FloatArray, iter_max: int
) -> KMeansPartition | None:
    """The result of one start."""
    k = len(start)
    centers, labels = np.array(start.T, order="C"), np.empty(len(x), dtype=np.int64)
    sizes, withinss = np.empty(k, dtype=np.int64), np.empty(k)
    n_iter, ifault = loops(x, centers, iter_max, labels, sizes, withinss)
    if ifault == literal.EMPTY:
        return None
    if name != "Hartigan-Wong":
        ifault = 2 if n_iter > iter_max else None
    return KMeansPartition(labels, np.ascontiguousarray(centers.T), withinss, n_iter, ifault)


def warn_of_run(n_iter: int, ifault: int | None, iter_max: int, n: int) -> None:
    """R's warnings about one start."""
    if n_iter > iter_max:
        plural = "" if iter_max == 1 else "s"
        warn_as_r(f"did not converge in {iter_max} iteration{plural}")
    if ifault == 4:
        limit = min(QUICK_TRANSFER_STEPS * n, 2**31 - 1)
        warn_as_r(f"Quick-TRANSfer stage steps exceeded maximum (= {limit})")
