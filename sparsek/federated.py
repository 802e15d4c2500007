"""Federated fits: rows stay at their sites, which answer by counts and exact sums.

A `Site` holds rows. A `Coordinator` asks the sites in the order of a fit. `fit` gives labels and features
that equal, bit for bit, those of the same rows in one array, however they are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import check_data
from sparsek.methods.skfr.estimator import SKFR
from sparsek.sources.sites.coordinator import Coordinator, Round
from sparsek.sources.sites.site import Site
from sparsek.sources.sites.source import NO_ROWS, SiteSource, checked_bounds
from sparsek.starts.given import checked_init

__all__ = ["Coordinator", "Round", "Site", "fit"]


def fit(estimator: SKFR, sites: Coordinator | Sequence[Any], *, bounds: ArrayLike | None = None) -> SKFR:
    """Fit SKFR to the rows of some sites, which tell counts and sums only.

    The rows and their labels stay at the sites. The result is the one that ``estimator.fit`` gives for the
    rows of all sites in one array: the labels, which each site keeps in its attribute ``labels``, the
    selected features, centres, weights, gains and the objective are equal in every bit, however the rows are
    split and whatever their order. `inertia_` is equal up to rounding. There is no `labels_`.

    Parameters
    ----------
    estimator : SKFR
        With a number of features and given starts: ``init`` is an array of centres of shape (n_clusters,
        n_features) in the units that `SKFR` says, or of integer labels of shape (n_samples,), site after
        site. The other ways to start, and "auto", read rows; ``standardize="auto"`` is True where at most a
        third of the features are selected, and refused else. It is fitted in place.
    sites : Coordinator or list
        The sites, see `Coordinator`.
    bounds : array-like of shape (2,) or (2, n_features), or None, default=None
        The smallest and the largest value that each column can have, in units of the data, agreed without
        looking at rows. The sites then tell no extremes of their columns. The result is still the same for
        all splits of the rows. It is that of one array in every bit where the columns reach their bounds,
        and else up to rounding. None asks the sites for their extremes.

    Returns
    -------
    SKFR
        The estimator, fitted: `predict`, `transform`, `get_support` and the attributes of the class but
        `labels_`. `inertia_` is NaN where a site moved too few rows in the last iteration to tell it.

    Raises
    ------
    TypeError
        The estimator is no SKFR, or `sites` are no sites.
    ValueError
        A parameter of the estimator that needs rows, fewer rows than clusters, sites with different columns,
        values outside their bounds, bounds so wide that a column hardly varies beside them; or a site refuses
        to answer because too few rows are in a sum.

    Warns
    -----
    ConvergenceWarning
        As `SKFR.fit`.

    See Also
    --------
    Site : Holds rows, and says of how many rows it tells sums at least.
    Coordinator : Counts what is asked and answered.
    sparsek.SKFR : The estimator.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

    Demmel, J. and Nguyen, H. D. (2013). Fast reproducible floating-point summation. 21st IEEE Symposium on
    Computer Arithmetic, 163-172.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR
    >>> from sparsek.federated import Site, fit
    >>> X = np.random.default_rng(0).normal(size=(60, 20))
    >>> X[::2, :3] += 4
    >>> sites = [Site(X[:25]), Site(X[25:])]
    >>> model = fit(SKFR(2, 3, init=X[:20].reshape(2, 10, 20).mean(axis=1)), sites)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    """
    _check(estimator)
    coordinator = sites if isinstance(sites, Coordinator) else Coordinator(sites)
    source = SiteSource(coordinator, int(estimator.n_clusters))
    estimator._check_rows(source.shape[0], "rows of positive weight")
    limits = None if bounds is None else checked_bounds(bounds, source.shape[1])
    _check_start(estimator, source)
    estimator._begin()
    there = set(vars(estimator))
    check_data(estimator, _header(source), reset=True, skip_check_array=True)
    source.begin(limits)
    estimator._fit_weights = estimator._numbers = estimator._coding = None  # clusters keep their order
    _check_scale(estimator, source)
    name: Any = estimator._fit_rows(source).labels  # they are at the sites
    source.keep(name)
    estimator._end(there)
    return estimator


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def _check(estimator: Any) -> None:
    """Raise an error for what is no SKFR, and for parameters that need rows in one place."""
    if not isinstance(estimator, SKFR):
        kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(f"estimator must be an SKFR with its parameters; got {kind}")
    estimator._validate_params()
    needs = "rows in one place, but they stay at their sites"
    wrong = estimator._not_plain(sparse=False)
    if estimator.categories is not None:
        wrong.append(("categories", estimator.categories, None))
    estimator._refuse(wrong, needs, "pool the rows,")
    if estimator._chooses():
        raise ValueError(
            "n_features_to_select='auto' needs " + needs + "; give a number of features, for example one "
            "that 'auto' chose at a single site"
        )
    if isinstance(estimator.init, str) or callable(estimator.init):
        raise ValueError(
            f"init={estimator.init!r} needs {needs}; give centres of shape (n_clusters, n_features), such as "
            "the cluster_centers_ of a fit at one site or rows that are made up, or random labels, one for "
            "each row"
        )


def _check_scale(estimator: SKFR, source: SiteSource) -> None:
    """Raise ValueError where the scale of the columns would be chosen from the rows."""
    estimator._check_sizes(source.shape[1], None)
    if estimator._chooses_scale(source.shape[1]):
        raise ValueError(
            "standardize='auto' needs rows in one place where more than a third of the features are "
            "selected, but they stay at their sites; set standardize=True, False or 'range', or to the "
            "scaling_ of a fit at one site"
        )


def _check_start(estimator: SKFR, source: SiteSource) -> None:
    """Raise ValueError for starts of another shape, and for row numbers."""
    given, n_clusters = np.asarray(numbers(estimator.init, "init")), source.n_clusters
    if given.shape == (n_clusters,) != source.kept.shape:
        raise ValueError(NO_ROWS)
    checked_init(estimator.init, source.kept, n_clusters, source.shape[1])


def _header(source: SiteSource) -> Any:
    """A table of no rows that has the number and the names of the columns."""
    return np.empty((0, source.shape[1])) if source.names is None else pd.DataFrame(columns=source.names)
