"""Filters of features: LaplacianScore and EntropyRanking."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.scaling import prepare, warn_of_lost_structure
from sparsek.core.steps import Array
from sparsek.inputs.arguments import COUNT, check_arguments, count
from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import require_array, validate_data
from sparsek.inputs.weights import checked_weights
from sparsek.methods.filters.algorithm import entropy_scores, laplacian_scores
from sparsek.methods.shared.columns import ColumnSelector, first_features, ranked_features
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.forced import resolve_n_selected, warn_of_many
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import Count, Flag, Positive, Seed, Size
from sparsek.summary.estimators import SummaryMixin
from sparsek.summary.results import Summary
from sparsek.summary.tables import facts


class FeatureFilter(SummaryMixin, ColumnSelector, Estimator):
    """Base of the filters: scores of single features, of which the best are selected."""

    _least_is_best: ClassVar[bool]
    n_features_to_select: int | float | None
    standardize: bool

    def _scores(self, z: Array, weights: Array | None) -> Array:
        """Scores of the columns of z (n_samples, n_features)."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite. Never changed.
        y : None
            Ignored.

        Returns
        -------
        FeatureFilter
            The fitted filter.
        """
        return self._fit(X, None)

    def _fit(self, X: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Check, prepare, score and rank."""
        self._validate_params()
        data = validate_data(
            self, numbers(require_array(X), "X", holes=False), dtype=np.float64, ensure_min_samples=2
        )
        weights = None if sample_weight is None else checked_weights(sample_weight, data)
        if weights is not None:
            data, weights = data[weights > 0], weights[weights > 0]
            if not weights.sum() > 1:
                raise ValueError(
                    f"sample_weight sums to {weights.sum():.6g}, which must exceed 1, as there are pairs of "
                    "rows; multiply the weights"
                )
        names = getattr(self, "feature_names_in_", None)
        warn_of_lost_structure(data, names, common_scale=not self.standardize)
        z, _ = prepare(data, weights, standardize=self.standardize, by_column=self.standardize)
        self.scores_ = self._scores(np.ascontiguousarray(z[:, :-1]), weights)
        order = np.argsort(self.scores_ if self._least_is_best else -self.scores_, kind="stable")
        self.ranking_ = np.empty(len(order), dtype=np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        warn_of_many(self.n_features_to_select, len(order))
        self.n_selected_ = resolve_n_selected(self.n_features_to_select, len(order))
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask: NDArray[np.bool_] = self.ranking_ <= self.n_selected_
        return mask

    def summary(self, n_features: int = 10) -> Summary:
        """The scores of the best features.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the best first.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_arguments("summary", {"n_features": COUNT}, n_features=n_features)
        features = ranked_features(self, np.argsort(self.ranking_), {"score": self.scores_})
        best = "smallest" if self._least_is_best else "largest"
        head = facts({"Features": f"{self.n_features_in_}"}, {"Features selected": f"{self.n_selected_}"})
        tables = {"": head} | first_features(features, n_features)
        return Summary(type(self).__name__, tables, features, (f"score: the {best} is best",))


class LaplacianScore(FeatureFilter):
    r"""Rank features by how smoothly they vary between near rows: the Laplacian score.

    Two rows are joined if one is among the `n_neighbors` nearest of the other, with the similarity
    :math:`S_{ij} = \exp(-\|x_i - x_j\|^2 / t)`. With degrees :math:`d_i = \sum_j S_{ij}` and
    :math:`\bar f` the mean of feature f weighted by them, its score is

    .. math:: L = \frac{\sum_{i < j} S_{ij} (f_i - f_j)^2}{\sum_i d_i (f_i - \bar f)^2},

    small for a feature that differs little between near rows and much between far ones. No clustering is
    needed, so that any may follow; a feature whose groups no other feature shows scores no better than noise.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number of features, or the share of them, to select. None selects half of them.
    n_neighbors : int, default=5
        Nearest rows that a row is joined to, without itself. Rows as far away as the last one are joined too.
    width : float or None, default=None
        t, the width of the heat kernel, in squared units of the distances. None takes the mean squared
        distance of joined rows.
    standardize : bool, default=True
        Divide every column by its standard deviation (divisor n - 1) before distances are taken. The score
        itself does not depend on a feature's unit.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Laplacian scores, dimensionless; the smallest is best. Infinite for a feature that is equal in all
        rows, or in all rows that are similar to any other.
    ranking_ : ndarray of shape (n_features,), int
        Ranks of the features, 1 for the best; equal scores in the order of the columns.
    n_selected_ : int
        Number of selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, `n_neighbors` not below the number of rows, a parameter outside its
        range.
    TypeError

    See Also
    --------
    EntropyRanking : The other filter that papers on sparse clustering name.
    SKFR : Selects features while it clusters.

    References
    ----------
    He, X., Cai, D. and Niyogi, P. (2006). Laplacian score for feature selection. Advances in Neural
    Information Processing Systems 18, 507-514, equations 1 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import LaplacianScore
    >>> X = np.random.default_rng(0).normal(size=(60, 10))
    >>> X[:30, :3] += 5
    >>> LaplacianScore(3).fit(X).get_support(indices=True)
    array([0, 1, 2])
    """

    _least_is_best = True
    _no_weights = NoWeights("its neighbourhoods are numbers of rows", "EntropyRanking")

    def __init__(
        self,
        n_features_to_select: Size | None = None,
        *,
        n_neighbors: Count = 5,
        width: Positive | None = None,
        standardize: Flag = True,
    ) -> None:
        self._keep(locals())

    def _scores(self, z: Array, weights: Array | None) -> Array:
        if self.n_neighbors >= len(z):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be less than n_samples={len(z)}; lower n_neighbors"
            )
        return laplacian_scores(z, self.n_neighbors, self.width)


class EntropyRanking(FeatureFilter):
    r"""Rank features by how much order they bring into the distances between rows.

    The similarity of two rows is :math:`S_{ij} = 2^{-D_{ij} / \bar D}`, one half at the mean distance
    :math:`\bar D`. Its entropy, the mean over all pairs of
    :math:`-S_{ij} \log_2 S_{ij} - (1 - S_{ij}) \log_2 (1 - S_{ij})`, is small where distances are either
    small or large, as between clusters. The score of a feature is the entropy without it minus the entropy
    with all.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number of features, or the share of them, to select. None selects half of them.
    max_samples : int, default=1000
        Rows that are compared; more are represented by a random sample of this size. The time grows with its
        square times the number of features.
    standardize : bool, default=True
        Divide every column by its standard deviation (divisor n - 1) first.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample of rows.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Growth of the entropy without the feature, bits; the largest is best. Minus infinity for a constant
        feature.
    ranking_ : ndarray of shape (n_features,), int
        Ranks of the features, 1 for the best; equal scores in the order of the columns.
    n_selected_ : int
        Number of selected features.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer than two rows, a parameter outside its range, negative or
        all-zero `sample_weight`, or one whose sum does not exceed 1.
    TypeError

    See Also
    --------
    LaplacianScore : Compares near rows only.
    SKFR : Selects features while it clusters.

    Notes
    -----
    The mean distance is that of the features in use, so that leaving out a feature changes the entropy by the
    form of the distances and not by their size. With `sample_weight` both means are over the pairs of
    repeated rows; a sample of `max_samples` has rows as they are, each with its weight. Dash et al. (2002)
    give near and far pairs other weights.

    References
    ----------
    Dash, M. and Liu, H. (2000). Feature selection for clustering. PAKDD, 110-121.

    Dash, M., Choi, K., Scheuermann, P. and Liu, H. (2002). Feature selection for clustering: a filter
    solution. ICDM, 115-122.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import EntropyRanking
    >>> X = np.random.default_rng(0).normal(size=(60, 10))
    >>> X[:30, :3] += 5
    >>> EntropyRanking(3).fit(X).get_support(indices=True)
    array([0, 1, 2])
    """

    _least_is_best = False

    def __init__(
        self,
        n_features_to_select: Size | None = None,
        *,
        max_samples: Annotated[int, count(2)] = 1000,
        standardize: Flag = True,
        random_state: Seed = None,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite. Never changed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions] Their sum must exceed 1.

        Returns
        -------
        EntropyRanking
            The fitted filter.
        """
        return self._fit(X, sample_weight)

    def _scores(self, z: Array, weights: Array | None) -> Array:
        if len(z) > self.max_samples:
            rows = check_random_state(self.random_state).choice(len(z), self.max_samples, replace=False)
            z, weights = z[np.sort(rows)], None if weights is None else weights[np.sort(rows)]
        return entropy_scores(z, weights)
