"""R's ``wrskGap``, ``GetOutRates`` and ``SimData`` of the package ``wrsk``."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import FloatArray, long_deviation, long_mean
from sparsek.errors import RError
from sparsek.rcompat.base.data import (
    RList,
    as_flag,
    as_number,
    as_vector,
    real_number,
    require_entries,
    require_runs,
)
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.wrsk_package import algorithm as core
from sparsek.rcompat.wrsk_package.api import fit_wrsk, whole_clusters, wrsk_data, wrsk_list
from sparsek.rcompat.wrsk_package.simulation_design import Design, simulate
from sparsek.rng import RRandom, resolve_rng


def wrskGap(
    data: ArrayLike,
    K: float,
    S: ArrayLike,
    npermute: int = 10,
    cores: int | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Gap statistic of `wrsk` for several bounds, as R's ``wrsk::wrskGap``.

    Parameters
    ----------
    data : array_like or data frame of shape (n, p)
        Finite numbers, at least 11 rows.
    K : float
        Number of clusters.
    S : array_like of shape (m,)
        Bounds, in the order in which they are tried, usually increasing.
    npermute : int, default=10
        Number of permuted data sets; the x-th is made under seed x.
    cores : int or None, default=None
        With 1 the permutations change the stream of the caller, as in R; with more, or None, they do not.
        The computation itself always runs in one process.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``gap``, ``se``, ``nonZerW``, ``s`` (all of the bounds tried) and ``resFinal``, a list of `wrsk`'s
        results. The bounds after the first that leaves all weights non-zero are not tried. A bound at which a
        cluster is lost is tried twice and then ends the search; it is the last of ``s`` only.

    Raises
    ------
    RError
        A permuted data set fails, with R's message.
    ValueError, TypeError
        As `wrsk`; `npermute` or `cores` not a whole number from 1 on, `S` empty.

    See Also
    --------
    wrsk : R's weighted robust sparse k-means, bit for bit.

    Notes
    -----
    The choice that the authors recommend is the smallest bound whose gap exceeds the largest gap minus its
    ``se``. R's package stops at the first warning, and with current versions of dbscan there always is one.

    Examples
    --------
    >>> from sparsek.rcompat import rnorm, set_seed, wrskGap
    >>> set_seed(5)
    >>> x = rnorm(120).reshape(40, 3, order="F")
    >>> x[:20, :2] += 6
    >>> wrskGap(x, 2, [1.1, 1.6], npermute=2).nonZerW
    array([2, 3])
    """
    values = wrsk_data(data)
    n_clusters = whole_clusters(K, len(values))
    bounds = as_vector(S, "S")
    if not bounds.size or np.isnan(bounds).any():
        raise ValueError(f"S must be a vector of numbers; got {S!r}")
    count = whole_number(npermute, "npermute", 1)
    require_runs(count, "npermute")
    shared = cores is not None and whole_number(cores, "cores", 1) == 1
    stream = resolve_rng(rng)
    tried: list[float] = []
    fits: list[core.RobustSparseFit] = []
    gaps, errors = [], []
    for bound in bounds.tolist():
        tried.append(bound)
        fit = _fit_twice(values, n_clusters, bound, stream)
        if fit is None:
            break
        own = stream if shared else copy.copy(stream)
        logs = _permuted_logs(values, n_clusters, bound, count, own)
        fits.append(fit)
        gaps.append(elementary.log(fit.criterion) - long_mean(logs))
        errors.append(math.sqrt(1 + 1 / count) * long_deviation(logs) * math.sqrt((count - 1) / count))
        if fit.feature_weights.all():
            break
    return RList(
        {
            "gap": np.array(gaps),
            "se": np.array(errors),
            "nonZerW": np.array([np.count_nonzero(fit.feature_weights) for fit in fits], dtype=int),
            "s": np.array(tried),
            "resFinal": [wrsk_list(fit, 0.5) for fit in fits],
        }
    )


def GetOutRates(label: ArrayLike, predict: ArrayLike, out: Any = "out") -> RList:
    """Rates of outliers found and of rows wrongly called outliers, as R's ``wrsk::GetOutRates``.

    Parameters
    ----------
    label, predict : array_like of shape (n,)
        True and predicted labels.
    out : object, default="out"
        The label of outliers.

    Returns
    -------
    RList
        ``TPR``, the share of outliers predicted as such, and ``FPR``, the share of other rows predicted as
        outliers; NaN when there are none.

    Raises
    ------
    ValueError
        When the lengths differ (R recycles).

    See Also
    --------
    wrsk : R's weighted robust sparse k-means, bit for bit.
    SimData : Simulated groups with outliers.

    Examples
    --------
    >>> from sparsek.rcompat import GetOutRates
    >>> rates = GetOutRates([0, 1, 2, 0], [0, 0, 2, 1], out=0)
    >>> rates.TPR, rates.FPR
    (0.5, 0.5)
    """
    labels, predicted = as_labels(label, "label"), as_labels(predict, "predict")
    if not isinstance(out, str | Real):
        raise TypeError(f"out must be one label, a number or a text; got {out!r}")
    if len(labels) != len(predicted):
        raise ValueError(
            f"label and predict must be vectors of one length; got {len(labels)} and {len(predicted)}"
        )
    true, found = labels == out, predicted == out
    return RList({"TPR": _share(found[true]), "FPR": _share(found[~true])})


def SimData(
    size_grp: ArrayLike,
    p_inf: int,
    p_noise: int | None = None,
    p_out_inf: int | None = None,
    pct_out: float = 0.1,
    scatter_out: bool = True,
    p_out_noise: int | None = None,
    noise_pct_out: float = 0.1,
    unif_out_range: Mapping[str, float] | None = None,
    mu_grp_range: Mapping[str, float] | None = None,
    s_out_range: Mapping[str, float] | None = None,
    rho_grp_range: Mapping[str, float] | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Gaussian groups with noise features and outliers, as R's ``wrsk::SimData``.

    Parameters
    ----------
    size_grp : array_like of shape (g,)
        Rows of each group, at least 2 each.
    p_inf : int
        Informative features, at least 2 and at least one per group.
    p_noise : int, optional
        Noise features; none by default.
    p_out_inf : int, optional
        Informative features with outliers; all by default.
    pct_out : float, default=0.1
        Share of each group that is outlying in them, in [0, 1].
    scatter_out : bool, default=True
        Outliers scatter round their group; False puts them into `unif_out_range`.
    p_out_noise : int, optional
        Noise features with outliers; none by default.
    noise_pct_out : float, default=0.1
        Share of each group that is outlying in them, in [0, 0.5].
    unif_out_range, mu_grp_range : mapping, optional
        ``min1``, ``max1``, ``min2``, ``max2``: lower and upper interval of uniform outliers (default -12, -6,
        6, 12) and of the groups' mean (-6, -3, 3, 6).
    s_out_range, rho_grp_range : mapping, optional
        ``min``, ``max``: interval of the variance of scattered outliers (3, 10) and of the correlation (0.1,
        0.9).
    rng : RRandom, optional

    Returns
    -------
    RList
        ``x`` (n, p_inf + p_noise); ``y`` (n,), groups from 1; ``lb`` (n,), the same with 0 for outliers;
        ``lbout`` (n,), 0 for outliers in informative features and g + 1 for those in noise features.

    Raises
    ------
    ValueError
        A size, number, share or interval out of range.

    See Also
    --------
    sparsek.datasets.make_brodinova : Groups that differ in few features, with outliers.
    GetOutRates : Rates of outliers found and missed.

    Notes
    -----
    Labels, noise features and outlying values equal R's under the same seed as far as its package mixAK draws
    rotations as described in `sparsek.rcompat.wrsk_package.simulation_design`; informative features have R's
    distribution only.

    References
    ----------
    Brodinova, S., Filzmoser, P., Ortner, T., Breiteneder, C. & Rohm, M. (2019). Robust and sparse k-means
    clustering for high-dimensional data. Advances in Data Analysis and Classification 13, 905-932.

    Examples
    --------
    >>> from sparsek.rcompat import set_seed, SimData
    >>> set_seed(1)
    >>> sim = SimData([20, 30], 10, 30, p_out_inf=3)
    >>> sim.x.shape, int((sim.lb == 0).sum())
    ((50, 40), 5)
    """
    sizes = tuple(whole_number(n, "size_grp", 2) for n in as_vector(size_grp, "size_grp").tolist())
    if not sizes:
        raise ValueError("size_grp must have the size of at least one group; it is empty")
    n_informative = whole_number(p_inf, "p_inf", max(2, len(sizes)))
    n_noise = 0 if p_noise is None else whole_number(p_noise, "p_noise")
    outlying = n_informative if p_out_inf is None else whole_number(p_out_inf, "p_out_inf", 1, n_informative)
    design = Design(
        sizes,
        n_informative,
        n_noise,
        outlying,
        _within(pct_out, "pct_out", 0, 1),
        as_flag(scatter_out, "scatter_out"),
        0 if p_out_noise is None else whole_number(p_out_noise, "p_out_noise", 1, n_noise),
        _within(noise_pct_out, "noise_pct_out", 0, 0.5),
        _two_intervals(unif_out_range, "unif_out_range", (-12, -6, 6, 12)),
        _two_intervals(mu_grp_range, "mu_grp_range", (-6, -3, 3, 6)),
        _interval(s_out_range, "s_out_range", (3, 10), ("min", "max")),
        _interval(rho_grp_range, "rho_grp_range", (0.1, 0.9), ("min", "max")),
    )
    require_entries("x", sum(sizes), n_informative + n_noise)
    x, groups, marked, kinds = simulate(design, resolve_rng(rng))
    return RList({"x": x, "y": groups, "lb": marked, "lbout": kinds})


def _share(hits: NDArray[np.bool_]) -> float:
    """Share of True among the values; NaN without values."""
    return float(np.count_nonzero(hits) / hits.size) if hits.size else math.nan


def _permuted_logs(values: FloatArray, k: int, bound: float, count: int, stream: RRandom) -> FloatArray:
    """Logarithms of the criterion for data whose columns are permuted under the seeds 1, 2, ..."""
    n, p = values.shape
    logs = np.empty(count)
    for x in range(count):
        stream.seed(x + 1)
        rows = stream.permutations(n, p) - 1
        permuted = np.ascontiguousarray(values[rows, np.arange(p)[:, None]].T)
        logs[x] = elementary.log(fit_wrsk(permuted, k, bound, 15, 0.5, stream).criterion)
    return logs


def _fit_twice(values: FloatArray, k: int, bound: float, stream: RRandom) -> core.RobustSparseFit | None:
    """Fit; try once more if the fit fails with R's error; None if both fail."""
    for _ in range(2):
        try:
            return fit_wrsk(values, k, bound, 15, 0.5, stream)
        except RError:
            continue
    return None


def _two_intervals(
    given: Mapping[str, float] | None, name: str, default: tuple[float, float, float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """A lower and an upper interval."""
    return _interval(given, name, default[:2], ("min1", "max1")), _interval(
        given, name, default[2:], ("min2", "max2")
    )


def _interval(
    given: Mapping[str, float] | None, name: str, default: tuple[float, float], keys: tuple[str, str]
) -> tuple[float, float]:
    """Limits from a mapping, in order."""
    if given is None:
        return default
    if not isinstance(given, Mapping) or not all(key in given for key in keys):
        raise ValueError(f"{name} must be a mapping with {keys[0]} and {keys[1]}; got {given!r}")
    low, high = (real_number(given[key], f"{name}[{key!r}]") for key in keys)
    if not -math.inf < low <= high < math.inf:
        raise ValueError(f"{name} must have finite limits in order; got {low:g}, {high:g}")
    return low, high


def _within(value: Any, name: str, low: float, high: float) -> float:
    """A number in a closed interval."""
    number = as_number(value, name)
    if not low <= number <= high:
        raise ValueError(f"{name} must be within [{low:g}, {high:g}]; got {value!r}")
    return number


def whole_number(value: Any, name: str, low: int = 0, high: float = math.inf) -> int:
    """A whole number in a closed interval."""
    number = as_number(value, name)
    if not (math.isfinite(number) and number == math.floor(number) and low <= number <= high):
        limits = f"from {low} to {high:g}" if high < math.inf else f"of at least {low}"
        raise ValueError(f"{name} must be a whole number {limits}; got {value!r}")
    return int(number)
