"""Stability selection, the features selected in most resamples of the rows: StabilitySelection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import last_step, run_tasks, summed_up
from sparsek.inputs.arguments import COUNT, check_arguments, number
from sparsek.inputs.containers import unmasked
from sparsek.methods.search.base import Search
from sparsek.methods.search.gap_tasks import parameter_values
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.resamples import Support, selections, subset_size
from sparsek.methods.search.row_arguments import row_arguments
from sparsek.methods.shared.columns import ColumnSelector, first_features, ranked_features
from sparsek.methods.shared.forced import free_features, refuse_forced
from sparsek.methods.shared.parameters import (
    AnyPath,
    Flag,
    Jobs,
    Model,
    Positive,
    Repeats,
    Seed,
    Values,
    Verbose,
)
from sparsek.summary.facts import seed_of
from sparsek.summary.results import Summary
from sparsek.summary.tables import facts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THRESHOLD = 0.6
"""Default threshold: Meinshausen and Buhlmann find that 0.6 to 0.9 make little difference."""


class StabilitySelection(ColumnSelector, Search):
    r"""Keep the features that an estimator selects from most random halves of the rows.

    The estimator is fitted to B random subsets of the rows, drawn without replacement, with every value s of
    its sparsity parameter. With :math:`\hat S^s(I)` the features that it selects from the rows I, the
    selection frequency of feature j and the stable features are

    .. math::
        \hat\Pi_j = \max_s \frac1B \sum_{b=1}^B 1\{j \in \hat S^s(I_b)\}, \qquad
        \hat S^{\mathrm{stable}} = \{j : \hat\Pi_j \ge \pi\}.

    With q the mean number of features that a subset selects with any of the values, the expected number of
    false selections V among p features has the bound (see Notes for what this takes)

    .. math:: E(V) \le \frac{q^2}{(2\pi - 1)\, p}.

    Parameters
    ----------
    estimator : estimator
        One with `get_support`, or a Pipeline that ends in one; steps before may select features too, but not
        make new ones. Never fitted itself; copies are.
    param_name : str or None, default=None
        A parameter whose smaller values mean fewer features, by its name in ``estimator.get_params()``, such
        as "n_features_to_select". None fits the estimator as it is.
    param_range : array-like of shape (n_values,) or None, default=None
        Its values, numbers. None is allowed for an L1 bound, and means the values of `PermutationGap`.
    n_resamples : int, default=100
        Number B of subsets, at least 2. A larger number keeps the first ones as they were.
    sample_fraction : float, default=0.5
        Share of the rows in a subset, rounded down, in (0, 0.5]. The bound is derived from pairs of disjoint
        subsets, which there are none of for larger shares.
    threshold : float or None, default=None
        The threshold, above 0.5 and at most 1, dimensionless. None means 0.6 or, with `expected_false`, the
        value at which the bound equals that.
    expected_false : float or None, default=None
        The bound to keep, a number of features. With a threshold too, the values of the parameter are used
        from the smallest on as long as the bound holds, so that fewer features are selected.
    complementary_pairs : bool, default=False
        Draw pairs of disjoint subsets (Shah and Samworth); `n_resamples` must then be even.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
        Seed of the subsets and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every subset, the same for all values of the parameter.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None

    Attributes
    ----------
    selection_frequencies_ : ndarray of shape (n_features,)
        The largest share of the subsets that selected each feature, over the values used, in [0, 1].
    path_frequencies_ : ndarray of shape (n_values, n_features)
        That share for every value (the stability paths), used or not; one row without `param_name`.
    param_range_ : list of length n_values
        The values, ascending and without repeats; empty without `param_name`.
    n_values_used_ : int
        How many of the values count, from the smallest on; all of them but with a threshold and
        `expected_false`. 1 without `param_name`.
    n_selected_ : float
        q: mean number of features that a subset selects with any of the values used. Where the estimator
        has `always` or `never`, q and p count the other features only; where it selects groups of features
        as a whole, they count groups.
    threshold_ : float
        The threshold used.
    expected_false_selections_ : float
        The bound on the expected number of false selections.
    n_rows_ : int
    results_ : DataFrame
        One row per value: the parameter, by its name; mean_selected, the mean number of features selected
        with it; q, the same with it or a smaller one; bound, if the values ended here; stable, the number of
        features whose frequency reaches the threshold with it; and used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: a parameter out of its range, subsets without rows, an estimator that makes new features,
        an `expected_false` that cannot be kept, and what the estimator raises, such as for subsets with fewer
        rows than clusters.
    TypeError
        From `fit`: data of a kind that the estimator does not take, a parameter of the wrong type, an
        estimator without `get_support`.

    Warns
    -----
    ConvergenceWarning
    UserWarning
        From `transform`: no feature is stable.

    See Also
    --------
    SelectionConsistency : Choose parameters by the agreement of selected features.
    FitUncertainty : Intervals and membership probabilities from resamples.
    sparsek.plots.plot_stability : Draw how often each feature is selected.

    Notes
    -----
    Theorem 1 of Meinshausen and Buhlmann bounds E(V) for halves of the rows if, of the features that do not
    matter, each is as likely to be selected as any other, jointly (exchangeability), and the estimator is not
    worse than random guessing. Neither can be checked on data. Features that do not matter but differ in
    distribution (heavy tails, several modes, strong correlation with one another) are not exchangeable, and
    such a feature can be stable: stability says that a selection repeats, not that it is true. In clustering
    a feature does not matter if it has the same distribution in every cluster. The theorem is on the share
    of all subsets; with B of them its estimate varies by up to ``0.5 / sqrt(B)``.

    With `complementary_pairs` the same number bounds, whatever the distribution, the estimator and B, the
    expected number of selected features whose probability of selection from a half is at most q / p, the
    average (Shah and Samworth, Theorem 1, theta = q / p).

    q is estimated from the fits, but known where the number of features is given, as in
    ``SKFR(n_features_to_select=5)``. With `sample_weight`, subsets are drawn of the rows as they are, each
    with its weight; copies of a row in both halves would agree by themselves. For SKFR with scope "local" a
    feature counts as selected if it is for any cluster.

    References
    ----------
    Meinshausen, N. and Buhlmann, P. (2010). Stability selection. JRSS B 72, 417-473, Section 2 and Theorem 1.

    Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at stability
    selection. JRSS B 75, 55-80, Theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, StabilitySelection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 40))
    >>> X[:40, :3] += 3
    >>> model = StabilitySelection(SKFR(2, 4, n_init=5), n_resamples=20, threshold=0.8, random_state=0)
    >>> model.fit(X).get_support(indices=True)
    array([0, 1, 2])
    >>> round(model.expected_false_selections_, 2)
    0.67
    """

    def __init__(
        self,
        estimator: Model,
        param_name: Annotated[str, str] | None = None,
        param_range: Values | None = None,
        *,
        n_resamples: Repeats = 100,
        sample_fraction: Annotated[float, number(0, 0.5, "right")] = 0.5,
        threshold: Annotated[float, number(0.5, 1, "right")] | None = None,
        expected_false: Positive | None = None,
        complementary_pairs: Flag = False,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimator to subsets of the rows and count its selections.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None
            Passed on to the estimator, the rows of the subset, unless None.
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        StabilitySelection
            The fitted estimator.
        """
        self._check_parameters()
        data = self._read_rows(loaded(X, self.estimator))
        names = getattr(self, "feature_names_in_", None)
        self._warn_of_lost_entries(data)
        targets = None if y is None else np.asarray(unmasked(y, "y"))
        check_consistent_length(data, targets)
        given = row_arguments(self, data, sample_weight, batch)
        if given.weights is not None and targets is not None:
            targets = targets[given.weights > 0]
        data, given = given.positive(data)
        self.n_rows_ = subset_size(data.shape[0], self.sample_fraction)
        settings = self._settings(data.shape[1])
        self._fix_scale(data, settings, given.weights)
        n_tasks = self.n_resamples // 2 if self.complementary_pairs else self.n_resamples
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        tasks = [
            (
                self._copied,
                settings,
                data,
                given,
                targets,
                seed,
                self.n_rows_,
                1 + self.complementary_pairs,
            )
            for seed in np.random.SeedSequence(entropy).spawn(n_tasks)
        ]
        search: dict[str, Any] = {"search": "StabilitySelection", "data": data, "y": targets}
        search["settings"] = settings
        search |= given.key()
        search["subsets"] = (self.n_rows_, 1 + self.complementary_pairs)
        shape = (1 + self.complementary_pairs, len(settings), data.shape[1])
        kept = open_checkpoint(self.checkpoint, self.random_state, self.estimator, shape, **search)
        with summed_up():
            supports = run_tasks(selections, tasks, self.n_jobs, self.verbose, "subset", kept)
        self._store(np.concatenate(supports), free_features(self.estimator, data.shape[1], names))
        return self

    def _check_parameters(self) -> None:
        self._validate_params()
        if self.complementary_pairs and self.n_resamples % 2:
            raise ValueError(f"n_resamples must be even for complementary_pairs; got {self.n_resamples}")
        if None not in (self.expected_false, self.threshold) and self.param_name is None:
            raise ValueError(
                f"with threshold={self.threshold} and expected_false={self.expected_false} the number of "
                "features must follow: give param_name and param_range to choose from, or threshold=None"
            )
        if not hasattr(last_step(self.estimator), "get_support"):
            raise TypeError(
                f"{type(last_step(self.estimator)).__name__} has no get_support, so it selects no features; "
                "give an estimator that does, such as SKFR or SparseKMeans"
            )
        known = self.estimator.get_params()
        if self.param_name is not None and self.param_name not in known:
            raise ValueError(
                f"param_name must be a parameter of the estimator: one of {', '.join(sorted(known))}; "
                f"got {self.param_name!r}"
            )
        if self.estimator is not last_step(self.estimator):
            refuse_forced(last_step(self.estimator))
        if self.param_name is None and self.param_range is not None:
            raise ValueError(f"param_range={self.param_range!r} are values of no parameter; give param_name")

    def _settings(self, p: int) -> list[dict[str, Any]]:
        """The parameters of every fit; `param_range_` is set."""
        if self.param_name is None:
            self.param_range_: list[Any] = []
            return [{}]
        self.param_range_ = parameter_values(self.param_range, self.param_name, p)
        return [{self.param_name: value} for value in self.param_range_]

    def _store(self, supports: Support, free: Support) -> None:
        """Set all attributes that follow from the selections, (n_resamples, n_values, n_features).

        The features of the mask `free`, (n_features,), are those that could be selected or not.
        """
        p = int(np.count_nonzero(free))
        # The theorem counts the features that any value of the parameter selects.
        q = mean_union_sizes(supports[:, :, free])
        self.path_frequencies_ = supports.mean(axis=0)
        self.n_values_used_ = self._count_used(q, p)
        self.n_selected_ = float(q[self.n_values_used_ - 1])
        self.threshold_ = self._resolve_threshold(p)
        self.expected_false_selections_ = false_selection_bound(self.n_selected_, self.threshold_, p)
        self.selection_frequencies_ = self.path_frequencies_[: self.n_values_used_].max(axis=0)
        parameters = pd.DataFrame({self.param_name: self.param_range_} if self.param_name else {})
        self.results_ = parameters.assign(
            mean_selected=self.path_frequencies_.sum(axis=1),
            q=q,
            bound=[false_selection_bound(size, self.threshold_, p) for size in q],
            stable=(self.path_frequencies_ >= self.threshold_).sum(axis=1),
            used=np.arange(len(q)) < self.n_values_used_,
        )

    def _count_used(self, q: Array, p: int) -> int:
        """Number of values, from the smallest on, for which the bound is at most `expected_false`."""
        if self.expected_false is None or self.threshold is None:
            return len(q)
        allowed = largest_q(self.expected_false, self.threshold, p)
        # q never decreases; the factor allows for rounding of the root.
        count = int(np.searchsorted(q, allowed * (1 + 1e-12), side="right"))
        if not count:
            raise ValueError(
                f"{self.param_name}={self.param_range_[0]!r}, the smallest value, selects {q[0]:.4g} "
                f"features on average; expected_false={self.expected_false} at threshold={self.threshold} "
                f"allows {allowed:.4g}: give smaller values, or raise either"
            )
        return count

    def _resolve_threshold(self, p: int) -> float:
        """The given threshold, or the one that follows from `expected_false`."""
        if self.threshold is not None:
            return float(self.threshold)
        if self.expected_false is None:
            return THRESHOLD
        threshold = threshold_for(self.n_selected_, self.expected_false, p)
        if threshold > 1:
            raise ValueError(
                f"no threshold keeps the bound at expected_false={self.expected_false}: "
                f"{self.n_selected_:.4g} features are selected on average, and at most "
                f"{largest_q(self.expected_false, 1, p):.4g} may be; select fewer, or raise expected_false"
            )
        return threshold

    def _get_support_mask(self) -> Support:
        check_is_fitted(self)
        mask: Support = self.selection_frequencies_ >= self.threshold_
        return mask

    def summary(self, n_features: int = 10) -> Summary:
        """The bound, the path of the parameter, and the features by frequency of selection.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the most frequent first.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_arguments("summary", {"n_features": COUNT}, n_features=n_features)
        p = self.n_features_in_
        order = np.argsort(-self.selection_frequencies_, kind="stable")
        features = ranked_features(self, order, {"frequency": self.selection_frequencies_})
        given = {
            "Features": f"{p}",
            "Subsets": f"{self.n_resamples}",
            "Rows in each": f"{self.n_rows_}",
            "Seed": seed_of(self),
        }
        found = {
            "Selected from each (q)": f"{self.n_selected_:.4g}",
            "Threshold": f"{self.threshold_:.4g}",
            "Features selected": f"{self.get_support().sum()}",
            "False, at most": f"{self.expected_false_selections_:.4g}",
        }
        tables = {"": facts(given, found)}
        if self.param_name:
            tables["Path"] = self.results_
        tables |= first_features(features, n_features)
        notes = ("False, at most: bound on the expected number of false selections, under its assumptions",)
        title = f"StabilitySelection: {type(last_step(self.estimator)).__name__}"
        return Summary(title, tables, features, notes)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the most frequent features and the threshold; see `sparsek.plots.plot_stability`.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_stability

        return plot_stability(self, ax=ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags = get_tags(self.estimator).target_tags
        return tags


def false_selection_bound(q: float, threshold: float, p: int) -> float:
    """Bound q^2 / ((2 pi - 1) p) on E(V): Meinshausen and Buhlmann (2010), Theorem 1."""
    return 0.0 if q == 0 else q * q / ((2 * threshold - 1) * p)


def threshold_for(q: float, expected_false: float, p: int) -> float:
    """The threshold pi at which the bound is `expected_false`; above 1 if no threshold reaches it."""
    # The theorem needs a threshold above 1/2, which is the limit for few selected features.
    return max((1 + q * q / (expected_false * p)) / 2, float(np.nextafter(0.5, 1)))


def largest_q(expected_false: float, threshold: float, p: int) -> float:
    """The largest q for which the bound is at most `expected_false`."""
    return float(np.sqrt((2 * threshold - 1) * p * expected_false))


def mean_union_sizes(supports: Array) -> Array:
    """For each m, the mean number of features selected with at least one of the first m values.

    `supports` is (n_resamples, n_values, p), the features that each fit selected.
    """
    sizes: Array = np.logical_or.accumulate(supports, axis=1).sum(axis=2).mean(axis=0)
    return sizes
