"""Options of SKFR that change its form: projections, what needs dense data, forbidden combinations."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, cast

from sparsek.methods.shared import parameters as allowed
from sparsek.methods.skfr.losses import LOSSES, Projected, Squared
from sparsek.methods.skfr.projection import Projection, make_projection

PLAIN = {
    "winsorize": None,
    "loss": "squared",
    "projection": None,
    "anneal": False,
    "missing": "observed",
    "refine": False,
}
"""Options that need a dense array in memory, except at these values."""


def as_projection(projection: Any) -> Projection:
    """The projection as a function."""
    if callable(projection):
        return cast(Projection, projection)
    return make_projection(*([projection] if isinstance(projection, str) else projection))


def is_projection(projection: Any) -> bool:
    """Whether the value is a name, or a name with numbers that fit it."""
    if not isinstance(projection, str | tuple | list) or not projection:
        return False
    numbers = () if isinstance(projection, str) else projection[1:]
    if any(isinstance(value, bool) or not isinstance(value, Real) for value in numbers):
        return False
    try:
        as_projection(projection)
    except (ValueError, TypeError):
        return False
    return True


PROJECTIONS = [
    None,
    allowed.Described(
        "'nonnegative', ('box', low, high) with low <= high, ('simplex', total) or ('ball', radius) with a "
        "positive number, ('low_rank', rank) with a whole number of at least 1",
        is_projection,
        "nonnegative",
        ("box", -1.0, 1.0),
        ("simplex", 1.0),
        ("ball", 2.0),
        ("low_rank", 1),
    ),
    allowed.FUNCTION,
]
"""What `projection` may be."""


def chosen_loss(options: Mapping[str, Any], has_holes: bool) -> Squared:
    """The loss to minimise; ValueError for options that exclude each other, or missing values."""
    loss = LOSSES[options["loss"]] if options["projection"] is None else _projected(options)
    loss.refuse(options, has_holes)
    if options["refine"] and (has_holes or not loss.refines):
        found = "missing values (NaN) in X" if has_holes else "another loss, or a projection"
        raise ValueError(
            f"refine=True moves rows by squared distances to cluster means over complete rows; got {found}; "
            "use refine=False"
        )
    if has_holes and not loss.fits_holes:
        raise ValueError(
            "X has missing values (NaN), which loss='absolute' and projection do not take; "
            "impute them first, for example with KPod(...).fit(X).impute()"
        )
    return loss


def _projected(options: Mapping[str, Any]) -> Projected:
    """The squared loss with the projection of the options, or ValueError."""
    if options["loss"] != PLAIN["loss"]:
        raise ValueError(f"projection goes with loss='squared' only; got loss={options['loss']!r}")
    if options["n_features_to_select"] is not None:
        raise ValueError(
            "projection takes the place of the ranking; leave n_features_to_select at None "
            f"(got {options['n_features_to_select']})"
        )
    return Projected(as_projection(options["projection"]))


def not_plain(options: Mapping[str, Any], allowed: tuple[str, ...] = ()) -> list[tuple[str, Any, Any]]:
    """Name, value and default of the options at values that need a dense array in memory."""
    given = [(name, options[name], plain) for name, plain in PLAIN.items() if name not in allowed]
    return [entry for entry in given if entry[1] != entry[2]]
