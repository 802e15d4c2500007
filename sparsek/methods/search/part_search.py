"""Base of the searches that fit to a part of the data and score on the rest: PartSearch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import last_step, run_tasks, summed_up
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.parameter_search import ParameterSearch
from sparsek.methods.search.row_arguments import RowArguments, row_arguments


@dataclass(frozen=True, slots=True)
class Parts:
    """What is fitted and scored."""

    # Fits every setting to a part and scores it; gets a task and a list that stops it
    work: Callable[..., Array]
    tasks: list[tuple[Any, ...]]  # Its arguments for each part
    rng: np.random.Generator  # Stream that the seed of the last fit is drawn from
    shape: tuple[int, ...]  # Shape of what `work` returns
    # What the scores depend on besides data and settings, for the checkpoint
    key: dict[str, Any] = field(default_factory=dict)


class PartSearch(ParameterSearch):
    """Base of the searches whose candidates are fitted to parts of the data and scored on the rest.

    A search has `_parts`, which makes the tasks, and `_store`, which sets the attributes that follow from
    their scores.
    """

    _texts: ClassVar = {
        "best_index_": "Index of the chosen point: one of these two.",
        "one_se_index_": 'Index of the point that the rule "one_se" chooses.',
    }

    _part: ClassVar[str]
    """What the progress bar counts."""
    _unsaid: ClassVar[tuple[type[Warning], ...]] = ()
    """Warnings of the copies that are not passed on."""

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Score all candidates and fit the estimator with the chosen values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        Self
            The fitted search.
        """
        self._check_parameters()
        X = self._loaded(X)
        data, settings = self._checked(X)
        given = row_arguments(self, data, sample_weight, batch)
        data, own = given.positive(data)
        self._fix_scale(data, settings, own.weights)
        with summed_up(without=self._unsaid):
            self._refit_best(X, given, self._choose(data, own, settings))
        return self

    def _loaded(self, X: Any) -> Any:
        """The data in memory."""
        return loaded(X, self.estimator)

    def _choose(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> np.random.Generator:
        """Score the settings and store what follows; the stream of the seed of the last fit."""
        parts = self._parts(X, given, settings)
        search = {"search": type(self).__name__, "data": X, "settings": settings} | parts.key
        search |= given.key()
        kept = open_checkpoint(self.checkpoint, self.random_state, self.estimator, parts.shape, **search)
        found = run_tasks(parts.work, parts.tasks, self.n_jobs, self.verbose, self._part, kept)
        self._store(found, settings)
        return parts.rng

    def _parts(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> Parts:
        """The parts of the checked data, and the work on them."""
        raise NotImplementedError

    def _store(self, found: list[Array], settings: list[dict[str, Any]]) -> None:
        """Set all attributes that follow from the scores of the parts."""
        raise NotImplementedError

    def _spawn(self, n_tasks: int) -> tuple[np.random.Generator, list[np.random.SeedSequence]]:
        """A stream of the search, and a seed for each task."""
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        first, *seeds = np.random.SeedSequence(entropy).spawn(1 + n_tasks)
        return np.random.default_rng(first), seeds

    def _require(self, estimator: Any, method: str, reason: str) -> None:
        """Raise TypeError for an estimator without a method that the search calls."""
        if not hasattr(estimator, method):
            raise TypeError(
                f"{type(last_step(estimator)).__name__} has no {method}, so it {reason}; give an estimator "
                "that does, such as SKFR or SparseKMeans"
            )
