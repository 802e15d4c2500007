"""The search around EM: starts climb in the number of factors, the best of each family run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsek.core.steps import Array
from sparsek.methods.factor_mixture.algorithm import FactorModel, FactorParams, MixtureFit, em
from sparsek.methods.factor_mixture.components import valley
from sparsek.methods.factor_mixture.covariances import covariance_model
from sparsek.methods.factor_mixture.rows import MixtureRows, sample_of, standardised
from sparsek.methods.factor_mixture.starts import (
    LARGE,
    MOST_DEPTH,
    MOST_FACTORS,
    LeadingComponents,
    MixtureStart,
    filled,
    leading_components,
    starts,
)

SEARCHED_ROWS = 1000
"""The search takes so many rows at most; EM then runs on all from its solution."""
ROUNDS = ((5, 8), (20, 4), (200, 3))
"""Successive halving: steps of EM in a round, and how many fits of a family it leaves."""
STEPS_OF_LARGE = 3
"""Steps in the first round where data are large."""
SEARCH_TOL = 0.01
"""Change of the log likelihood at which EM ends within the search."""
MOST_COLUMNS = 60
"""With more columns that vary, or fewer than 2 rows for each, full covariances take no part."""
LEAST_CLUSTER = 0.1
"""Least size of a cluster, as a share of n / k."""
SAME_BIC = 1e-7
"""Values of BIC that differ by less, relative to their size, are equal: the first of them is taken."""


def families_for(rows: MixtureRows) -> tuple[str, ...]:
    """Covariances that can be fitted to these rows."""
    n, p = min(rows.total, SEARCHED_ROWS), rows.Z.shape[1]
    complete = rows.observed is None and not rows.batches.shape[1]
    return ("factors", "tied", "full") if complete and p <= MOST_COLUMNS and n > 2 * p else ("factors",)


@dataclass(frozen=True, slots=True, eq=False)
class MixtureCandidate:
    """A model, where EM has brought it, and what speaks against it."""

    model: Any  # FactorModel or CovarianceModel
    start: str
    fit: MixtureFit
    refused: str = ""  # "small cluster", "groups in factors", or nothing

    @property
    def key(self) -> tuple[str, int]:
        """Family and number of factors."""
        return self.model.family, self.model.n_factors


@dataclass(frozen=True, slots=True)
class MixtureSearch:
    """What the search may try."""

    families: tuple[str, ...]
    n_factors: int | None  # None for a choice by BIC
    n_clusters: int
    rng: np.random.Generator

    def run(self, rows: MixtureRows) -> list[MixtureCandidate]:
        """Candidates of the last round, and those refused, the best first."""
        Z = filled(rows, self.rng)
        found = leading_components(Z, self.n_clusters, self.rng)
        pool = starts(Z, self.n_clusters, found, self.rng)
        first = STEPS_OF_LARGE if rows.Z.size > LARGE else ROUNDS[0][0]
        lowest, most = self._limits(rows, found)
        candidates = [
            candidate for start in pool for candidate in self._of_start(rows, start, lowest, most, first)
        ]
        refused: list[MixtureCandidate] = []
        for steps, left in ((first, ROUNDS[0][1]), *ROUNDS[1:]):
            candidates = [_continued(candidate, steps) for candidate in candidates]
            candidates = _best_of_families(self._allowed(candidates, refused), left)
        candidates += self._neighbours(rows, candidates[0], lowest, most)
        candidates = ordered(self._allowed(candidates, refused))
        return [*candidates, *ordered(refused)]

    def _limits(self, rows: MixtureRows, found: LeadingComponents) -> tuple[int, int]:
        """Least and largest number of factors."""
        p = rows.Z.shape[1]
        identified = max((p - 1) // 2, 0) if p > 3 else 1
        if self.n_factors is not None:
            return self.n_factors, self.n_factors
        return 0, min(found.n_real, MOST_FACTORS, identified)

    def _of_start(
        self, rows: MixtureRows, start: MixtureStart, lowest: int, most: int, steps: int
    ) -> Iterable[MixtureCandidate]:
        """A start in every family; with factors it climbs in their number while BIC falls."""
        memberships = np.eye(self.n_clusters)[start.labels]
        tried: dict[int, MixtureCandidate] = {}

        def bic(r: int) -> float:
            if r not in tried:
                model = FactorModel(rows, self.n_clusters, r)
                tried[r] = self._begun(model, memberships, start.name, steps)
            return tried[r].fit.bic

        if "factors" in self.families:
            first = r = min(max(start.n_factors, lowest), most)
            bic(r)
            while r < most and bic(r + 1) < bic(r):
                r += 1
            while r == first and first > lowest and bic(first - 1) < bic(first):
                first = r = first - 1
            yield from tried.values()
        for family in self.families:
            if family != "factors":
                model = covariance_model(rows, self.n_clusters, family)
                yield self._begun(model, memberships, start.name, 0)

    def _begun(self, model: Any, memberships: Array, start: str, steps: int) -> MixtureCandidate:
        """A candidate after so many steps from memberships."""
        fit = em(model, model.begin(memberships, self.rng), steps, SEARCH_TOL)
        return MixtureCandidate(model, start, _after(1, fit))

    def _neighbours(
        self, rows: MixtureRows, best: MixtureCandidate, lowest: int, most: int
    ) -> list[MixtureCandidate]:
        """The best clusters with one factor more and less; those of a full covariance without factors."""
        if "factors" not in self.families:
            return []
        r = best.model.n_factors
        numbers = {r - 1, r + 1} if best.model.family == "factors" else {0}
        memberships = best.fit.posterior.memberships
        return [
            self._begun(FactorModel(rows, self.n_clusters, r), memberships, f"{best.start}*", 100)
            for r in sorted(numbers)
            if lowest <= r <= most
        ]

    def _allowed(
        self, candidates: list[MixtureCandidate], refused: list[MixtureCandidate]
    ) -> list[MixtureCandidate]:
        """Candidates against which nothing speaks; if there is none, those without factors, or all."""
        judged = [replace(candidate, refused=self._objection(candidate)) for candidate in candidates]
        good = [candidate for candidate in judged if not candidate.refused]
        left = good or [candidate for candidate in judged if not candidate.model.n_factors] or judged
        refused += [candidate for candidate in judged if candidate not in left]
        return left

    def _objection(self, candidate: MixtureCandidate) -> str:
        """What speaks against a candidate."""
        rows, posterior = candidate.model.rows, candidate.fit.posterior
        sizes = rows.weights @ posterior.memberships
        if sizes.min() < max(1.5, LEAST_CLUSTER * rows.total / self.n_clusters):
            return "small cluster"
        # Factors whose scores have groups have taken clusters for themselves.
        has_factors = candidate.model.n_factors > 0
        if has_factors and valley(posterior.mean_scores, self.n_clusters, self.rng) > MOST_DEPTH:
            return "groups in factors"
        return ""


def _continued(candidate: MixtureCandidate, steps: int) -> MixtureCandidate:
    """The candidate after so many more steps."""
    fit = em(candidate.model, candidate.fit.params, steps, SEARCH_TOL)
    return replace(candidate, fit=_after(candidate.fit.n_iter, fit))


def _after(steps: int, fit: MixtureFit) -> MixtureFit:
    """The fit, which began after so many M-steps."""
    return replace(fit, n_iter=steps + fit.n_iter)


def ordered(candidates: Sequence[MixtureCandidate]) -> list[MixtureCandidate]:
    """By BIC; values that differ by rounding alone keep their order."""
    size = SAME_BIC * max((abs(candidate.fit.bic) for candidate in candidates), default=0.0)
    return sorted(candidates, key=lambda candidate: round(candidate.fit.bic / size) if size else 0)


def _best_of_families(candidates: list[MixtureCandidate], left: int) -> list[MixtureCandidate]:
    """The first candidates of each family, by BIC."""
    found: dict[str, list[MixtureCandidate]] = {}
    for candidate in ordered(candidates):
        found.setdefault(candidate.model.family, []).append(candidate)
    return ordered([candidate for family in found.values() for candidate in family[:left]])


def search(
    rows: MixtureRows, plan: MixtureSearch, max_iter: int, tol: float
) -> tuple[MixtureCandidate, list[MixtureCandidate]]:
    """The best candidate after EM on all rows, and the candidates of the search on a sample of them."""
    sample, mean, spread = standardised(sample_of(rows, SEARCHED_ROWS, plan.rng))
    candidates = plan.run(sample)
    best = candidates[0]
    if best.model.family == "factors":
        model: Any = best.model.on(rows)
        params: Any = _in_scale(best.fit.params, mean, spread)
    else:
        model = covariance_model(rows, plan.n_clusters, best.model.family)
        seen = MixtureRows.of((rows.Z - mean) / spread, rows.weights, rows.batches, None)
        params = model.m_step(best.model.on(seen).e_step(best.fit.params))
    fit = em(model, params, max_iter, tol * rows.total)
    return MixtureCandidate(model, best.start, _after(best.fit.n_iter, fit)), candidates


def _in_scale(params: FactorParams, mean: Array, spread: Array) -> FactorParams:
    """Parameters of columns that were centred at `mean` and divided by `spread`, before that."""
    return replace(
        params,
        center=params.center * spread + mean,
        offsets=params.offsets * spread,
        loadings=params.loadings * spread[:, None],
        batch_effects=params.batch_effects * spread,
        noise=params.noise * spread**2,
    )
