"""Checks of SKFR's options: their ranges, forbidden combinations, the number of features."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from sparsek.methods.shared.base import check_choice, check_integer, check_real
from sparsek.methods.shared.sums import Array
from sparsek.methods.skfr.projection import Projection, make_projection

CHOICES = {
    "scope": ("global", "local"),
    "init_on": ("raw", "standardized"),
    "power": (1, 2),
    "ddof": (0, 1),
    "missing": ("observed", "mm"),
    "loss": ("squared", "absolute"),
}
"""Allowed values of the options with few values."""
PLAIN = {"winsorize": None, "loss": "squared", "projection": None, "anneal": False, "missing": "observed"}
"""Options that need a dense array in memory, except at these values."""


def check_options(options: Mapping[str, Any]) -> None:
    """Raise ValueError for a value out of range; `options` are the parameters of the estimator."""
    for name, values in CHOICES.items():
        check_choice(name, options[name], values)
    check_integer("max_iter", options["max_iter"], 1)
    if options["winsorize"] is not None:
        check_real("winsorize", options["winsorize"], 0)
        if options["winsorize"] == 0:
            raise ValueError("winsorize must be positive; 4 is usual, None switches it off")
    as_projection(options["projection"])


def as_projection(projection: Any) -> Projection | None:
    """The projection as a function; None without one."""
    if projection is None or callable(projection):
        return projection
    if isinstance(projection, str):
        return make_projection(projection)
    if not isinstance(projection, tuple | list) or not projection:
        raise TypeError(
            f"projection must be None, a name, a tuple of name and numbers, or a callable; got {projection!r}"
        )
    return make_projection(*projection)


def refuse_combinations(options: Mapping[str, Any], has_holes: bool) -> None:
    """Raise ValueError for options that exclude each other, or missing values."""
    if options["projection"] is not None and options["loss"] == "absolute":
        raise ValueError("projection goes with loss='squared' only; got loss='absolute'")
    if options["projection"] is not None and options["n_features_to_select"] is not None:
        raise ValueError(
            "projection takes the place of the ranking; leave n_features_to_select at None "
            f"(got {options['n_features_to_select']})"
        )
    if has_holes and (options["loss"] == "absolute" or options["projection"] is not None):
        raise ValueError(
            "X has missing values (NaN), which loss='absolute' and projection do not take; "
            "impute them first, for example with KPod(...).fit(X).impute()"
        )


def not_plain(options: Mapping[str, Any], allowed: tuple[str, ...] = ()) -> list[tuple[str, Any, Any]]:
    """Name, value and default of the options at values that need a dense array in memory."""
    given = [(name, options[name], plain) for name, plain in PLAIN.items() if name not in allowed]
    return [entry for entry in given if entry[1] != entry[2]]


def resolve_n_selected(wanted: int | float | None, p: int) -> int:
    """Number s of features, at most p; `wanted` is `n_features_to_select`."""
    if wanted is None:
        return max(1, p // 2)
    if isinstance(wanted, Integral) and not isinstance(wanted, bool):
        if wanted < 1:
            raise ValueError(
                f"n_features_to_select must lie in [1, n_features = {p}]; got {wanted}; "
                "None selects half of the features"
            )
        return min(int(wanted), p)
    check_real("n_features_to_select", wanted, 0)
    if not 0 < wanted <= 1:
        raise ValueError(
            f"n_features_to_select as a fraction must lie in (0, 1]; got {wanted}; "
            "give an integer for a number of features"
        )
    return max(1, int(p * wanted))


def warn_of_excess(wanted: int | float | None, p: int, stacklevel: int) -> None:
    """Warn if more features are wanted than there are."""
    if isinstance(wanted, Integral) and wanted > p:
        warnings.warn(
            f"n_features_to_select={wanted} is more than n_features={p}: all {p} features are selected",
            UserWarning,
            stacklevel,
        )


def check_total_weight(weights: Array | None, ddof: int) -> None:
    """Raise ValueError if the divisor of the variance would not be positive."""
    if weights is not None and weights.sum() <= ddof:
        raise ValueError(
            f"sample_weight sums to {weights.sum():.6g}, which must exceed ddof={ddof}; "
            "weights are numbers of repetitions: rescale them or set ddof=0"
        )
