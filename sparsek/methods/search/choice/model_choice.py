"""All criteria for numbers of clusters and features over one grid: ModelChoice."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from sparsek.core.tasks import configured_copy, last_step, summed_up
from sparsek.inputs.arguments import Described, number
from sparsek.inputs.mixed import CodedRows
from sparsek.methods.search.choice.grid_search import GridSearch, Params
from sparsek.methods.search.choice.prediction_strength import PredictionStrength
from sparsek.methods.search.choice.selection_consistency import SelectionConsistency
from sparsek.methods.search.choice.thinned_search import ThinnedSearch
from sparsek.methods.search.choice.weakest_separation import WeakestSeparation
from sparsek.methods.search.entry_validation import EntryCrossValidation
from sparsek.methods.search.kinds import coding_for, dense, loaded
from sparsek.methods.search.nulls.one_cluster import (
    NO_NULL_WEIGHTS,
    NULLS_ARE_DENSE,
    checked_rows,
    null_fits,
    null_p_value,
    peak_p_value,
)
from sparsek.methods.search.parameter_search import ParameterSearch
from sparsek.methods.search.permutation_gap import PermutationGap
from sparsek.methods.search.row_arguments import NOTHING, RowArguments, row_arguments
from sparsek.methods.shared.no_weights import refusal
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Seed, Verbose


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion: its search, and what that computes."""

    # Makes the search from an estimator, by name `params` or `param_name` and `param_range`, and options
    search: Any
    # Column of the search's `results_`; its standard errors are in the column of this name with "_se"
    column: str
    rules: dict[str, str]  # For each rule the attribute with the index that it chooses


LARGEST = {"max": "max_index_", "one_se": "one_se_index_"}
SMALLEST = {"min": "min_index_", "one_se": "one_se_index_"}
SEPARATION = "separation"
CRITERIA = {
    SEPARATION: Criterion(WeakestSeparation, "separation", {"largest": "best_index_"}),
    "gap": Criterion(PermutationGap, "gap", LARGEST),
    "thinning": Criterion(ThinnedSearch, "error", SMALLEST),
    "entries": Criterion(EntryCrossValidation, "error", SMALLEST),
    "blocks": Criterion(partial(EntryCrossValidation, scheme="blocks"), "error", SMALLEST),
    "strength": Criterion(PredictionStrength, "strength", {"threshold": "best_index_"}),
    "consistency": Criterion(SelectionConsistency, "consistency", LARGEST),
}
"""The criteria by name."""


ONE_CLUSTER = "one cluster"
"""Name in `choices_` of the test that chooses one cluster."""
N_NULL = 39
"""Sets without clusters of that test; more where the level needs more."""


def one_cluster_name(params: Mapping[str, Any]) -> str:
    """The name of the number of clusters where 1 and larger ones are to be tried, else an empty one."""
    for name, values in params.items():
        if name.rpartition("__")[2] == "n_clusters" and np.size(values) > 1 and 1 in list(values):
            return name
    return ""


def several_numbers(params: Mapping[str, Any]) -> bool:
    """Whether several numbers of clusters are to be compared."""
    return any(
        name.rpartition("__")[2] == "n_clusters" and np.size(values) > 1 for name, values in params.items()
    )


def without_one(params: Mapping[str, Any], ones: str) -> dict[str, Any]:
    """The parameters to search: without one cluster."""
    return {
        name: [k for k in values if k != 1] if name == ones else values for name, values in params.items()
    }


def _are_criteria(given: Any) -> bool:
    """Whether the value is the name of a criterion, or a sequence of different names."""
    if isinstance(given, str):
        return given in CRITERIA
    return (
        isinstance(given, Sequence)
        and 0 < len(given) == len({name for name in given if isinstance(name, str)})
        and set(given) <= set(CRITERIA)
    )


def _are_options(given: Any) -> bool:
    """Whether the value is a dict of dicts, by names of criteria."""
    return isinstance(given, Mapping) and all(
        name in CRITERIA and isinstance(options, Mapping) for name, options in given.items()
    )


Criteria = Annotated[
    str | Sequence[str],
    Described(
        f"one of {', '.join(CRITERIA)}, or a sequence of different ones",
        _are_criteria,
        "gap",
        ("gap", "thinning"),
    ),
]
Options = Annotated[
    Mapping[str, Mapping[str, Any]],
    Described("a dict of names of criteria and dicts of options", _are_options),
]


class ModelChoice(GridSearch):
    """Choose numbers of clusters and features over one grid, by one criterion or by several side by side.

    ============= ================================================== =============================
    criterion     what it asks of a point of the grid                search
    ============= ================================================== =============================
    "separation"  are all pairs of clusters apart?                   WeakestSeparation
    "gap"         more structure than in shuffled columns?           PermutationGap
    "thinning"    does it predict an independent part of the data?   ThinnedSearch
    "entries"     does it predict entries that are held out?         EntryCrossValidation
    "blocks"      the same for whole rows, columns from others       with ``scheme="blocks"``
    "strength"    do halves of the rows predict the same clusters?   PredictionStrength
    "consistency" do halves of the rows select the same features?    SelectionConsistency
    ============= ================================================== =============================

    The first criterion chooses; the others are shown beside it. `results_` has all values of all criteria,
    `choices_` what each criterion chooses by each of its rules, `plot` a panel for each.

    Where the numbers of clusters to try have 1 among them, one cluster is a possible answer. "separation"
    gives it where no two clusters are apart. Before the other criteria a test decides whether there is more
    than one (`sparsek.inference.test_one_cluster`). One is chosen unless two things hold. The fits explain
    more than those of sets without clusters, which have the covariance and the margins of the data. There is
    a valley between every two clusters. The criteria choose among the larger numbers. Without 1, clusters are
    taken for granted.

    Parameters
    ----------
    estimator : estimator
        A clusterer, or a Pipeline that ends in one. Never fitted itself; copies are. "entries" takes an SKFR
        only, "strength" needs `predict`, "consistency" `get_support`, "gap" `gap_objective_` or `inertia_`.
    params : dict of str to array-like
        The parameters to choose, by their names in ``estimator.get_params()``, and their values, numbers,
        such as ``{"n_clusters": [2, 3, 4], "n_features_to_select": [5, 10, 20]}``; all combinations are
        tried. Of the last one smaller values should mean fewer features. None as values of an L1 bound means
        those of `PermutationGap`.
    criteria : str or sequence of str, or None, default=None
        Names of criteria; the first one chooses. None is "separation" where there are several numbers of
        clusters to choose from, else "thinning", or "gap" for data with categories, which cannot be thinned.
    options : dict of str to dict, or None, default=None
        For each criterion, by its name, options of its search, such as ``{"gap": {"rule": "one_se"},
        "thinning": {"family": "poisson"}}``.
    level : float, default=0.05
        Level of the test of one cluster: the chance of choosing more where there is one, from 0.001 to
        0.5.
    refit : bool, default=True
    n_jobs : int or None, default=None
        Fits that run at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of all searches.
    verbose : int, default=0
        If positive, show progress bars on a terminal.
    checkpoint : str, path-like or None, default=None
        A folder that stores finished work of every criterion, in a folder of its name, so that an interrupted
        fit can continue; see `PermutationGap`.

    Attributes
    ----------
    param_range_ : list of length n_values
        The values, ascending and without repeats, or in a grid all combinations as tuples, the last parameter
        changing fastest.
    searches_ : dict of str to fitted search
        The search of each criterion, with all its attributes.
    choices_ : DataFrame
        One row for each criterion and rule: criterion, rule, a column for each parameter, and chosen.
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, for each criterion its
        values and, with "_se" at the end of the name, their standard errors, NaN for one cluster; and chosen.
    rule_ : str
        The rule of the first criterion.
    one_cluster_p_value_ : float or None
        P-value of the test of one cluster; None where the grid has no 1, and with "separation".
    best_index_ : int
        Index of the chosen point.
    best_params_ : dict
    best_estimator_ : estimator
    labels_ : ndarray of shape (n_samples,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, weights beside a grid with one cluster, and
        what a search raises.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers, an option
        that a search does not have, an estimator that a criterion cannot take.

    Warns
    -----
    ConvergenceWarning
        How many fits warned about convergence, once for each criterion.

    See Also
    --------
    PermutationGap : Choose parameters by the permutation gap statistic.
    ThinnedSearch : Choose parameters by data thinning.
    PredictionStrength : Choose the number of clusters by prediction strength.
    sparsek.plots.plot_choice : Draw all criteria of a choice.

    Notes
    -----
    For "gap" with several numbers of clusters, SKFR and estimators without `gap_objective_` are compared by
    what the clusters leave unexplained, ``1 / inertia_`` (Tibshirani et al. 2001), the others, with an L1
    bound, by what they explain; the option `objective` says otherwise. The page "Choosing k
    and s" says which criterion to take.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, ModelChoice
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 20))
    >>> X[:30, :3] += 6
    >>> X[30:60, 2:5] += 6
    >>> grid = {"n_clusters": [2, 3, 4], "n_features_to_select": [2, 5]}
    >>> choice = ModelChoice(SKFR(n_init=3), grid, ("separation", "strength"), random_state=0).fit(X)
    >>> choice.choices_
        criterion       rule  n_clusters  n_features_to_select  chosen
    0  separation    largest           3                     5    True
    1    strength  threshold           3                     5   False
    """

    def __init__(
        self,
        estimator: Model,
        params: Params,
        criteria: Criteria | None = None,
        *,
        options: Options | None = None,
        level: Annotated[float, number(0.001, 0.5, "both")] = 0.05,
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Run the searches and fit the estimator with the values that the first one chooses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ModelChoice
            The fitted estimator.
        """
        self._check_parameters()
        X = loaded(X, self.estimator)
        names = self._names(X)
        unused = sorted(set(self.options or {}) - set(names))
        if unused:
            raise ValueError(f"options for {unused[0]!r}, which is not among the criteria {names}")
        seed = self._seed()
        ones = one_cluster_name(self.params)
        tests = bool(ones) and names[0] != SEPARATION  # which says itself that there is one
        if tests and sample_weight is not None:
            raise ValueError(refusal("the test of one cluster", NO_NULL_WEIGHTS))
        several = without_one(self.params, ones)
        searches = {
            name: self._search(name, number == 0, seed, self.params if name == SEPARATION else several)
            for number, name in enumerate(names)
        }
        for search in searches.values():
            search._check_parameters()
        data, settings = self._checked(X)
        if tests:
            data = dense(data, self.estimator, NULLS_ARE_DENSE)
        own = NOTHING
        if ones:
            own = row_arguments(self, data, sample_weight, batch)
        if tests:
            checked_rows(data, self.estimator, own)
        for search in searches.values():
            search.fit(X, sample_weight=sample_weight, batch=batch)
        self.searches_: dict[str, ParameterSearch] = searches
        self._fixed = next(iter(searches.values()))._fixed  # the same for all searches
        tested = [setting for setting in settings if not ones or setting[ones] != 1]
        self.one_cluster_p_value_ = self._test_one_cluster(data, tested, seed, own) if tests else None
        self._store(pd.DataFrame(settings), ones)
        if self.refit and self.best_params_ != next(iter(searches.values())).best_params_:
            self.best_estimator_ = configured_copy(self._refitted, self.best_params_, seed)
            self.best_estimator_.fit(X, **own.for_fit())
        return self

    def _names(self, X: Any) -> list[str]:
        """The criteria; by default that of the grid, and of the kind of the data."""
        if self.criteria is None:
            coding = coding_for(X, self.estimator)
            has_categories = coding is not None and coding.unordered.any()
            return [SEPARATION if several_numbers(self.params) else "gap" if has_categories else "thinning"]
        return [self.criteria] if isinstance(self.criteria, str) else list(self.criteria)

    def _test_one_cluster(
        self, data: Any, settings: list[dict[str, Any]], seed: int, given: RowArguments
    ) -> float:
        """P-value of the test of one cluster against all other points of the grid."""
        # The smallest p-value, 1 / (n_null + 1), is then at most half of the level.
        n_null = max(N_NULL, int(np.ceil(2 / self.level)) - 1)
        with summed_up():
            rows = data if isinstance(data, CodedRows) else data.astype(np.float64)
            running = (int(seed), self.n_jobs, self.verbose, given)
            explained = null_fits(self._copied, settings, rows, n_null, *running)
            p_value = null_p_value(explained)
            if p_value > self.level:
                return p_value
            name = one_cluster_name(self.params)
            peaks = peak_p_value(self._copied, settings, name, explained, rows, *running)
        return max(p_value, peaks)

    def _seed(self) -> Any:
        """One seed for all searches: the given integer, or a drawn one."""
        if self.random_state is None or isinstance(self.random_state, np.random.RandomState):
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        return self.random_state

    def _search(self, name: str, chooses: bool, seed: Any, grid: Mapping[str, Any]) -> ParameterSearch:
        """The search of a criterion."""
        settings: dict[str, Any] = {
            "refit": self.refit and chooses,
            "n_jobs": self.n_jobs,
            "random_state": seed,
            "verbose": self.verbose,
            "checkpoint": None if self.checkpoint is None else os.path.join(self.checkpoint, name),
        }
        if name in ("gap", "entries", "blocks"):
            several = len(grid) > 1
            settings["param_name"] = tuple(grid) if several else next(iter(grid))
            settings["param_range"] = tuple(grid.values()) if several else next(iter(grid.values()))
        else:
            settings["params"] = grid
        if name == "gap":
            settings["objective"] = gap_objective(self.estimator, grid)
        options = dict((self.options or {}).get(name, {}))
        made: ParameterSearch = CRITERIA[name].search(self.estimator, **(settings | options))
        return made

    def _store(self, parameters: pd.DataFrame, ones: str) -> None:
        """Set all attributes that follow from the searches and the test of one cluster."""
        first = next(iter(self.searches_.values()))
        self.rule_, self.best_params_ = first.rule, first.best_params_
        if self.refit:
            self.best_estimator_ = first.best_estimator_
        one = self.one_cluster_p_value_ is not None and self.one_cluster_p_value_ > self.level
        rows, columns = [], {}
        for name, search in self.searches_.items():
            criterion = CRITERIA[name]
            without = ones and name != SEPARATION
            tried = parameters.index[parameters[ones] != 1] if without else parameters.index
            for column, end in ((criterion.column, ""), (f"{criterion.column}_se", "_se")):
                values = pd.Series(search.results_[column].to_numpy(), index=tried)
                columns[f"{name}{end}"] = values.reindex(parameters.index)
            for rule, index in criterion.rules.items():
                point = parameters.loc[tried[getattr(search, index)]].to_dict()
                chosen = search is first and rule == self.rule_ and not one
                rows.append({"criterion": name, "rule": rule, **point, "chosen": chosen})
        if one:
            self.best_params_ = {**self.best_params_, ones: 1}
            rows.append({"criterion": ONE_CLUSTER, "rule": "test", **self.best_params_, "chosen": True})
        same = (parameters[list(self.best_params_)] == pd.Series(self.best_params_)).all(axis=1)
        self.best_index_ = int(np.flatnonzero(same)[0])
        self.choices_ = pd.DataFrame(rows).astype(parameters.dtypes.to_dict())
        self.results_ = parameters.assign(**columns, chosen=parameters.index == self.best_index_)

    def _verdict(self) -> str:
        text = next(iter(self.searches_.values()))._verdict()
        p = self.one_cluster_p_value_
        if p is None:
            return text
        if p > self.level:
            return (
                f"Chosen: one cluster. The test of one cluster against more has p = {p:.3g}, above the level "
                f"{float(self.level):g}. Among more than one: {text}"
            )
        return f"The test of one cluster against more has p = {p:.3g}, so there are more. {text}"

    def _tables(self) -> dict[str, pd.DataFrame]:
        return {"Choices": self.choices_, "Criteria": self.results_}

    def plot(self, ax: Any = None) -> NDArray[Any]:
        """Draw every criterion in a panel of its own; see `sparsek.plots.plot_gap`.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, optional
            Where to draw, one for each criterion; default a new figure.

        Returns
        -------
        ndarray of matplotlib Axes of shape (n_criteria,)
            The axes drawn on.
        """
        from sparsek.plots import plot_choice

        return plot_choice(self, ax)


def unexplained(fit: Any) -> float:
    """Objective 1 / W by which Tibshirani et al. compare numbers of clusters; see PermutationGap's notes."""
    last = last_step(fit)
    if not hasattr(last, "inertia_"):
        raise TypeError(
            f"{type(last).__name__} has no inertia_, so the gap cannot compare numbers of clusters; give "
            'another criterion, or the option objective, as options={"gap": {"objective": function}}'
        )
    inertia = last.inertia_
    # The gap compares quantities that are larger for clearer clusters, so that W stands below.
    return float(1 / inertia) if inertia > 0 else np.inf


def explains(estimator: Any) -> bool:
    """Whether fits say how much of the scatter the clusters explain."""
    return hasattr(type(last_step(estimator)), "gap_objective_")


def gap_objective(estimator: Any, params: Mapping[str, Any]) -> Any:
    """What the gap compares: the unexplained variation, or None for what the clusters explain.

    Numbers of features are compared by what the clusters explain; so are numbers of clusters in methods with
    a bound on feature weights. There the unexplained variation also falls with the weights, which favours
    many clusters. The other methods compare numbers of clusters by the unexplained variation.
    """
    weighted = explains(estimator) and "l1_bound" in last_step(estimator).get_params()
    return unexplained if several_numbers(params) and not weighted else None
