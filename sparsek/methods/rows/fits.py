"""Fits of an estimator to sparse matrices and to rows that are read by blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from sparsek.methods.rows.block_problem import (
    block_problem,
    draw_sample,
    given_block_start,
    kept_moments,
    labels_from,
    start_labels,
)
from sparsek.methods.rows.blocks import block_scaling
from sparsek.methods.rows.input import BlockInput, CheckedBlocks
from sparsek.methods.rows.problem import RowProblem, StartRequest, sparse_problem, sparse_starts
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.by_name import SEEDINGS
from sparsek.numerics.threads import thread_control


class RowFits(BlockInput):
    """Base of the estimators that fit any holder of `Rows`.

    A subclass implements the first three methods; one that standardises, or takes options that need a dense
    array, overrides others.
    """

    def _check_sizes(self, p: int, weights: Array | None, stacklevel: int) -> None:
        """Check or resolve the parameters that depend on the number of features and on the weights."""
        raise NotImplementedError

    def _sample_start(self, sample: Array, scaling: Scaling, weights: Array | None) -> tuple[Metric, Array]:
        """Final distance and centres of the best start on a sample of the rows."""
        raise NotImplementedError

    def _fit_rows(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> FitResult[Any]:
        """Run every start (`warm`: from the labels of another fit); set all attributes except `labels_`."""
        raise NotImplementedError

    def _standardizing(self) -> tuple[bool, int]:
        """Whether columns are divided by their standard deviations, and the `ddof` of these."""
        return False, 1

    def _starts_scaled(self) -> bool:
        """Whether centres given as `init` are in standardised units."""
        return False

    def _starts_standardized(self) -> bool:
        """Whether starts are chosen in standardised units."""
        return self._standardizing()[0]

    def _start_power(self) -> int:
        """Power of the distance in the seeding probabilities of k-means++."""
        return 2

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        """Name, value and default of the options that need a dense array in memory."""
        return []

    def _start_request(self, kept: Array) -> StartRequest:
        """The starts that `init` and `n_init` ask for."""
        seeding = {"power": self._start_power(), "n_trials": 1}
        if isinstance(self.init, str) and self.init not in SEEDINGS:
            seeding = self._seeding(self._start_power())
        seeds, is_scaled = self._draw_seeds(), self._starts_scaled()
        return StartRequest(self.init, self.n_clusters, seeds, kept=kept, is_scaled=is_scaled, **seeding)

    def _sparse_starts(self, data: Any, problem: RowProblem, kept: Array) -> Iterable[Labels]:
        """Starts on a sparse matrix, in the scale that the parameters ask for."""
        if self._standardizing()[0] and not self._starts_standardized():
            problem = sparse_problem(data, problem.weights, self.n_clusters, False, 1)
        return sparse_starts(data, problem, self._start_request(kept))

    def _fit_sparse(self, X: Any, sample_weight: ArrayLike | None) -> Self:
        """`fit` of a sparse matrix, which is never made dense."""
        for name, value, default in self._not_plain(sparse=True):
            raise ValueError(
                f"{name}={value!r} needs dense data, but X is sparse; leave it at {default!r}, or use "
                "'.toarray()'"
            )
        given, weights, kept = self._validate_fit(X, sample_weight)
        data = without_duplicates(csr_array(given))
        self._check_sizes(data.shape[1], weights, stacklevel=5)
        with thread_control().limit(limits=1):
            problem = sparse_problem(data, weights, self.n_clusters, *self._standardizing())
            best = self._fit_rows(problem, self._sparse_starts(data, problem, kept))
        self.labels_ = self._all_labels(X, best.labels, kept)
        return self

    def _fit_blocks(self, reader: Any, sample_weight: ArrayLike | None) -> Self:
        """`fit` by blocks of rows."""
        self._refuse_for_blocks(reader, self._not_plain(sparse=False))
        weights, kept = self._validate_blocks(reader, sample_weight)
        self._check_sizes(reader.shape[1], weights, stacklevel=5)
        plan = self._plan(reader)
        drawn = isinstance(self.init, str) or callable(self.init)
        with thread_control().limit(limits=1):
            checked = CheckedBlocks(reader, allow_nan=False)
            moments = kept_moments(checked, weights, kept)
            n_kept = int(kept.sum())
            scaling, total = block_scaling(moments, n_kept, reader.dtype, *self._standardizing())
            problem = block_problem(checked, weights, kept, scaling, total, self.n_clusters, plan)
            source = problem.source
            if drawn:
                sample, some = draw_sample(
                    source, weights, self.n_clusters, self.random_state, plan.sample_entries
                )
                self._warn_of_lost_rows(sample, moments.top, moments.bottom)
                labels = labels_from(problem, *self._sample_start(sample, scaling, some))
            else:
                scale = scaling
                if not self._starts_standardized():
                    scale = block_scaling(moments, n_kept, reader.dtype, False)[0]
                labels = start_labels(
                    source, scale, given_block_start(source, scale, self._start_request(kept))
                )
            best = self._fit_rows(problem, [labels], warm=drawn)
        self.labels_ = self._all_labels(reader, best.labels, kept)
        return self


def without_duplicates(X: Any) -> Any:
    """The matrix with each entry stored once; the matrix itself is never changed."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
