"""Choice of the number of clusters by the pair of clusters that is least apart: WeakestSeparation."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array, Labels
from sparsek.core.tasks import configured_copy, draw_seed, last_step, run_tasks
from sparsek.errors import ColumnWarning, SelectionWarning, callers_level
from sparsek.methods.search.choice.grid_search import GridSearch, Params
from sparsek.methods.search.choice.separation import (
    FLAT,
    HALVES,
    PairSeparations,
    StandardColumns,
    columns_of,
    ebic,
    separations,
)
from sparsek.methods.search.kinds import categories_of, dense, values_of
from sparsek.methods.search.part_search import PartSearch
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.methods.search.verdicts import beyond_the_ends, setting
from sparsek.methods.shared.forced import has_groups
from sparsek.methods.shared.parameters import AUTO, AnyPath, Flag, Jobs, Model, Seed, Verbose, is_auto

APART, ERRORS = 2.9, 2.0
"""A pair is apart if two conditions hold. Its separation less two standard errors is at least 2.9, which is
beyond the halves of one normal cluster. The separation itself is at least that of the halves of a uniform
cluster."""
STRICT, LOOSE = (FLAT, 2.0), (APART, 1.0)
"""Limits and standard errors for the least and the largest number that fits."""
FEW_COLUMNS = 16
"""With at most this many columns, all powers of 2 are tried as their number: a path misses one of two equal
columns."""
CENTRED = "clusters are compared in centred columns, which have no zeros to leave out"
"""Why sparse data are made dense."""
SELECTING, SELECTING_FEW = (2, 3, 5, 8), (2, 3, 4, 5, 8)
"""Numbers of clusters that select the features where every fit chooses its own number of them."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """What every fit of the search is made of."""

    model: Any  # the clusterer, without the steps of a Pipeline before it
    rows: Any  # (n, p): what it is fitted to, of its own kind
    columns: StandardColumns
    given: RowArguments
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    """What is kept of a fit."""

    ebic: float
    features: NDArray[np.bool_]  # (p,)
    labels: Labels  # (n,)


class WeakestSeparation(GridSearch, PartSearch):
    r"""Choose the largest number of clusters all of whose pairs are apart.

    1. Of all fits the one with the least extended BIC selects the features in which clusters are compared.
       Its likelihood is that of normal clusters in the selected features and of one normal distribution in
       each other feature, so that it compares numbers of clusters and of features.
    2. For each number of clusters the estimator is fitted in these features. For two clusters with means
       :math:`m_a`, :math:`m_b` and variances V within them, rows are projected on
       :math:`V^{-1} (m_b - m_a)`, each with means computed without itself. The separation is the distance of
       the mean places over the mean of their two standard deviations. The halves of one normal cluster are
       2.65 apart, those of a uniform one 3.46.
    3. A number of clusters is accepted if all separations are at least 3.46 and, less two standard errors,
       at least 2.9.

    The largest accepted number is chosen, and one cluster where none is accepted. Clusters of fewer than 3
    rows are set aside.

    Parameters
    ----------
    estimator : estimator
        A clusterer, or a Pipeline that ends in one. Never fitted itself; copies are.
    params : dict of str to array-like
        The parameters to choose, ``n_clusters`` among them, by their names in ``estimator.get_params()``, and
        their values, numbers; all combinations are tried. One cluster is a possible answer where 1 is among
        the numbers.
    refit : bool, default=True
    n_jobs : int or None, default=None
        Fits that run at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of all fits.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores finished fits, so that an interrupted search can continue; see `PermutationGap`.

    Attributes
    ----------
    param_range_ : list of length n_values
    features_ : ndarray of shape (n_features,), bool
        The features in which clusters are compared; of a Pipeline those that its last step sees.
    separations_ : ndarray of shape (n_values,)
        Separation of the weakest pair less two standard errors, dimensionless; NaN for one cluster, and
        where all but one have fewer than 3 rows.
    separation_se_ : ndarray of shape (n_values,)
        Standard error of the separation of this pair.
    one_cluster_ : bool
        Whether no number of clusters is accepted.
    interval_ : tuple of two int
        The least and the largest number of clusters that fit: with separations of at least 3.46 less two
        standard errors, and of 2.9 less one.
    best_index_ : int
        Index of the chosen point: of those with the chosen number of clusters the one with the least
        extended BIC.
    best_params_ : dict
    best_estimator_ : estimator
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, then separation,
        separation_se and chosen.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, no numbers of clusters above 1, and what the
        estimator raises.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers.

    Warns
    -----
    UserWarning
        No two clusters are apart, and 1 is not among the numbers: the data may have no clusters.
    ConvergenceWarning

    See Also
    --------
    ModelChoice : Choose the numbers of clusters and features by several criteria.
    PredictionStrength : Choose the number of clusters by how well halves predict each other.

    Notes
    -----
    [of the best]
    Where every fit chooses its own number of features, 2, 3, 5 and 8 clusters select the features in step 1,
    and with up to 16 features all powers of 2 are compared as their number. A method that cannot leave given
    features out is judged in those of each of its fits.

    Clusters are compared in standardised columns, centred within batches. Holes have the mean of their
    cluster and its variance, the steps of rounded columns count as spread, categories are compared as
    indicators, and a row of weight m counts as m rows.

    Two normal clusters can be told apart from about 3.5 standard deviations on. A cluster that is no ball,
    such as a ring or an arc, is cut into pieces that are apart. The page "How many clusters?" says how often
    the rule is right.

    References
    ----------
    Chen, J. and Chen, Z. (2008). Extended Bayesian information criteria for model selection with large model
    spaces. Biometrika 95, 759-771.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, WeakestSeparation
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2)) + 10 * np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 25, axis=0)
    >>> grid = {"n_clusters": [1, 2, 3, 4, 5, 6]}
    >>> search = WeakestSeparation(SKFR(n_features_to_select=2), grid, random_state=0).fit(X)
    >>> search.best_params_, search.interval_
    ({'n_clusters': 4}, (4, 5))
    """

    _criterion = "Weakest separation"
    _unsaid = (ColumnWarning, SelectionWarning)  # of the search's own trials
    rule = "largest"

    def __init__(
        self,
        estimator: Model,
        params: Params,
        *,
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def _choose(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> np.random.Generator:
        rng = self._spawn(0)[0]
        fitting = self._fitting(X, given, draw_seed(rng))
        tried = [{name.removeprefix(self._prefix): value for name, value in one.items()} for one in settings]
        self._describe(settings, *self._compare(fitting, tried))
        return rng

    def _check_parameters(self) -> None:
        super()._check_parameters()
        name = next((name for name in self.params if name.rpartition("__")[2] == "n_clusters"), None)
        if name is None:
            raise ValueError(
                "separation chooses the number of clusters: params must have n_clusters, such as "
                f"{{'n_clusters': [1, 2, 3]}}; got {sorted(self.params)}; or take another criterion"
            )
        values = self.params[name]
        if hasattr(values, "__len__") and len(values) and list(values) == [1] * len(values):
            raise ValueError(
                f"separation compares several clusters: {name} must have values above 1; got {values!r}"
            )
        self._k_name, self._prefix = name, name.removesuffix("n_clusters")
        others = [name for name in self.params if not name.startswith(self._prefix)]
        if others:
            raise ValueError(
                f"{others[0]} is of a step before the clusterer, and separations are compared in one set of "
                "columns; take another criterion, or choose it apart"
            )

    def _fitting(self, data: Any, given: RowArguments, seed: int) -> Fitting:
        """What the fits are made of."""
        before = getattr(self.estimator, "steps", [])[:-1]
        rows = clone(Pipeline(before)).fit_transform(data) if before else data
        rows = np.asarray(rows) if before and not issparse(rows) else rows
        model = last_step(self._copied)
        mass = np.ones(rows.shape[0]) if given.weights is None else given.weights
        values = values_of(dense(rows, self.estimator, CENTRED))
        columns = columns_of(values, mass, given.codes, categories_of(model, rows))
        own = replace(given, names={name: name for name in given.names})
        return Fitting(model, rows, columns, own, seed)

    def _compare(
        self, fitting: Fitting, tried: list[dict[str, Any]]
    ) -> tuple[dict[int, PairSeparations], list[float]]:
        """Pairs of clusters for each number of clusters, and the extended BIC of all fits that have one."""
        several = [one for one in tried if one["n_clusters"] > 1]
        numbers = sorted({int(one["n_clusters"]) for one in several})
        selecting = settings_that_select(fitting.model, several, fitting.rows.shape[1])
        found = self._run("", fitting, selecting)
        # One set of features for all numbers of clusters, so that their separations are comparable.
        self.features_ = min(found, key=lambda one: one.ebic).features
        confined = confined_to(fitting.model, self.features_)
        if confined is None:
            rest = [one for one in several if one not in selecting]
            fits = dict(
                zip(map(_key, selecting + rest), found + self._run("rest", fitting, rest), strict=True)
            )
            best = {
                k: min(
                    (fits[_key(one)] for one in several if one["n_clusters"] == k), key=lambda one: one.ebic
                )
                for k in numbers
            }
        else:
            settings = [{"n_clusters": k, **confined} for k in numbers]
            fits = dict(zip(map(_key, selecting), found, strict=True))
            best = dict(zip(numbers, self._run("clusters", fitting, settings), strict=True))
        pairs = {}
        for k, one in best.items():
            features = one.features if confined is None else self.features_
            pairs[k] = separations(fitting.columns.of(features), one.labels)
        return pairs, [fits[_key(one)].ebic if _key(one) in fits else np.inf for one in tried]

    def _run(self, name: str, fitting: Fitting, settings: list[dict[str, Any]]) -> list[Found]:
        """The fits with these settings, stored in the folder of this name in that of the search."""
        n, p = fitting.rows.shape
        kept = None
        if self.checkpoint is not None and settings:
            search = {"search": type(self).__name__, "data": fitting.rows, "settings": settings}
            folder = os.path.join(self.checkpoint, name) if name else self.checkpoint
            size = (1 + p + n,)
            key = search | fitting.given.key()
            kept = open_checkpoint(folder, self.random_state, self.estimator, size, **key)
        tasks = [(fitting, one) for one in settings]
        found = run_tasks(_fitted, tasks, self.n_jobs, self.verbose, "fit", kept)
        return [Found(float(one[0]), one[1 : 1 + p] > 0, one[1 + p :].astype(np.int32)) for one in found]

    def _describe(
        self, settings: list[dict[str, Any]], pairs: dict[int, PairSeparations], scores: list[float]
    ) -> None:
        """Set all attributes that follow from the separations."""
        parameters = pd.DataFrame(settings)
        numbers = parameters[self._k_name].to_numpy(int)
        picked = largest(pairs, are_apart)
        strict = largest(pairs, lambda one: one.weakest(STRICT[1]) >= STRICT[0])
        loose = largest(pairs, lambda one: one.weakest(LOOSE[1]) >= LOOSE[0])
        self.one_cluster_, self.interval_ = picked == 1, (strict, max(loose, picked))
        # Where clusters are set aside, their number may not be among those that are tried.
        k = int(numbers[numbers <= picked].max(initial=numbers.min()))
        if self.one_cluster_ and k > 1:
            warnings.warn(
                f"at no number of clusters are all pairs apart, and 1 is not among {self._k_name}: the data "
                f"may have no clusters. The least number, {k}, is fitted",
                stacklevel=callers_level(),
            )
        self.best_index_ = min(np.flatnonzero(numbers == k).tolist(), key=lambda index: scores[index])
        self.best_params_ = settings[self.best_index_]
        weakest = [weakest_of(pairs.get(int(number))) for number in numbers]
        self.separations_, self.separation_se_ = np.array(weakest).T
        self.results_ = parameters.assign(
            separation=self.separations_,
            separation_se=self.separation_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )

    def _verdict(self) -> str:
        """What was chosen, and which other numbers fit."""
        low, high = self.interval_
        limits = (
            f"the limit is {APART:g}, with two standard errors taken off; the halves of one normal cluster "
            f"are {HALVES:g} apart, those of a uniform one {FLAT:.2f}"
        )
        if self.one_cluster_:
            text = f"At no number of clusters are all pairs apart ({limits}): the data may be one cluster."
        else:
            text = (
                f"Chosen: {setting(self.best_params_)}, the largest number of clusters that are all apart. "
                f"The weakest pair is {self.separations_[self.best_index_]:.3g} standard deviations apart "
                f"({limits})."
            )
        if low < high:
            text += f" {low} to {high} clusters may fit as well."
        elif not self.one_cluster_:
            text += " No other number fits."
        if low < self.best_params_[self._k_name] and not self.one_cluster_:
            text += (
                " The pair may also be parts of one cluster that is flat, bent or a ring: look at a picture."
            )
        model = last_step(self.best_estimator_ if self.refit else self.estimator)
        k = {self._k_name: self.best_params_[self._k_name]}
        return " ".join(
            [text, *beyond_the_ends(self.results_, k, model, (self._n_rows, self.n_features_in_))]
        )


def are_apart(pairs: PairSeparations) -> bool:
    """Whether all pairs of clusters are apart."""
    return pairs.weakest(ERRORS) >= APART and pairs.weakest(0) >= FLAT


def largest(pairs: dict[int, PairSeparations], accepted: Callable[[PairSeparations], bool]) -> int:
    """The largest number of clusters, of those that are not set aside, that is accepted; else 1."""
    return max((one.n_clusters for one in pairs.values() if accepted(one)), default=1)


def weakest_of(pairs: PairSeparations | None) -> tuple[float, float]:
    """The least separation less its errors, and its standard error; NaN without a pair."""
    if pairs is None or not len(pairs.separation):
        return np.nan, np.nan
    lower = pairs.lower(ERRORS)
    i = int(np.argmin(lower))
    return float(lower[i]), float(pairs.separation[i] * pairs.relative_error[i])


def settings_that_select(model: Any, settings: list[dict[str, Any]], p: int) -> list[dict[str, Any]]:
    """The settings whose fits compete for the features; some where each fit chooses its number of them."""
    name = getattr(model, "_path_parameter", "")
    if not name or name in settings[0] or not is_auto(getattr(model, name)):
        return settings
    few = p <= FEW_COLUMNS and name == "n_features_to_select" and not has_groups(model)
    some = [one for one in settings if one["n_clusters"] in (SELECTING_FEW if few else SELECTING)]
    sizes = sorted({min(p, 2**i) for i in range(FEW_COLUMNS.bit_length())})
    return [{**one, name: size} for one in some or settings[:1] for size in (sizes if few else [AUTO])]


def confined_to(model: Any, features: NDArray[np.bool_]) -> dict[str, Any] | None:
    """Parameters that fit a model in these features alone; None for one that cannot leave features out."""
    name, params = getattr(model, "_path_parameter", ""), model.get_params(deep=False)
    if not name or "never" not in params or has_groups(model):
        return None
    size, rest = int(np.count_nonzero(features)), np.flatnonzero(~features)
    # A unit vector of s equal weights has the L1 norm sqrt(s), a bound that leaves them free.
    full = size if name == "n_features_to_select" else float(np.sqrt(size))
    return {name: full} | ({"never": rest} if len(rest) else {})


def _key(setting: dict[str, Any]) -> tuple[Any, ...]:
    """A setting as a key."""
    return tuple(setting.items())


def _fitted(fitting: Fitting, setting: dict[str, Any], stop: Sequence[bool]) -> Array:
    """Extended BIC, selected features and labels of a fit."""
    n, p = fitting.rows.shape
    if stop:
        return np.full(1 + p + n, np.nan)
    model = configured_copy(fitting.model, setting, fitting.seed)
    fit = model.fit(fitting.rows, **fitting.given.for_fit())
    labels = np.asarray(fit.labels_, dtype=np.int32)
    features = np.asarray(fit.get_support()) if hasattr(fit, "get_support") else np.ones(p, dtype=bool)
    return np.concatenate([[ebic(fitting.columns, labels, features)], features, labels])
