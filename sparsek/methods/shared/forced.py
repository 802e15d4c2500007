"""Features that are always selected, or never: what a ranking adds to their gains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.inputs.containers import MOST_NAMED, as_array, unmasked
from sparsek.methods.shared.parameters import resolve_l1_bound


def lift_of(always: Any, never: Any, p: int, names: Any, groups: Any = None) -> Array | None:
    """What is added to the gains of the features, (p,): infinite, negative for `never`; None for nothing.

    `names` are those of the columns, or None. With `groups`, a `Grouping`, always and never hold labels of
    groups, and it is added to the gains of these, (g,).
    """
    if always is None and never is None:
        return None
    if groups is None:
        first, last = feature_mask(always, "always", p, names), feature_mask(never, "never", p, names)
    else:
        first, last = groups.named(always, "always"), groups.named(never, "never")
    both = np.flatnonzero(first & last)
    if len(both):
        place = int(both[0])
        which = (
            f"feature {shown(place, names)}" if groups is None else f"group {groups.names.tolist()[place]!r}"
        )
        raise ValueError(f"{which} is in both always and never; leave it out of one of them")
    if last.all():
        kind = "features" if groups is None else "groups"
        raise ValueError(f"never has all {len(last)} {kind}; leave at least one out of it")
    return np.where(first, np.inf, np.where(last, -np.inf, 0.0)) if (first | last).any() else None


def resolve_left_bound(l1_bound: float | None, lift: Array | None, p: int, groups: Any = None) -> float:
    """The bound on the L1 norm of the weights of the features, or groups, that `never` leaves."""
    what = "n_features" if groups is None else "degrees of freedom of the groups"
    degrees = np.ones(p) if groups is None else groups.degrees
    if lift is None:
        return resolve_l1_bound(l1_bound, degrees.sum(), what)
    return resolve_l1_bound(l1_bound, degrees[lift >= 0].sum(), f"{what} without never")


def shown(column: Any, names: Any) -> str:
    """The feature, with its name if it has one."""
    return f"{column}" if names is None else f"{column} ({str(names[column])!r})"


def feature_mask(given: Any, name: str, p: int, names: Any) -> NDArray[np.bool_]:
    """Mask of the features, (p,), that are given by names, by indices from 0 or by a mask; None is none."""
    mask = np.zeros(p, dtype=bool)
    values = np.asarray(as_array([] if given is None else unmasked(given, name), name))
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension; got shape {values.shape}")
    if values.dtype.kind == "b":
        if len(values) != p:
            raise ValueError(f"{name} is a mask of {len(values)} features, but X has {p}; give it one each")
        return values.astype(bool)
    if len(values):
        mask[_positions(values, name, p, names)] = True
    return mask


def _positions(values: NDArray[Any], name: str, p: int, names: Any) -> list[int]:
    """Indices of features that are given by names or by indices."""
    if values.dtype.kind in "iu":
        wrong = values[(values < 0) | (values >= p)]
        if len(wrong):
            raise ValueError(f"{name} has index {wrong[0]}, but the features of X are 0 to {p - 1}")
        return [int(value) for value in values]
    texts = values.tolist()
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} must hold names, indices from 0, or be a mask; got {_first_other(texts)}")
    if names is None:
        raise ValueError(
            f"{name} names {texts[0]!r}, but X has no column names: give indices from 0 or a mask, or pass a "
            "table whose columns are named by texts (the steps of a Pipeline pass names on after "
            "set_output(transform='pandas'))"
        )
    places = {text: place for place, text in enumerate(names)}
    unknown = [text for text in texts if text not in places]
    if unknown:
        known = ", ".join(map(str, names[:MOST_NAMED])) + (", ..." if p > MOST_NAMED else "")
        raise ValueError(f"{name} names {unknown[0]!r}, which is no column of X; its columns are {known}")
    return [places[text] for text in texts]


def _first_other(values: list[Any]) -> str:
    """The first value that is no text, with its type."""
    wrong = next(value for value in values if not isinstance(value, str))
    return f"{wrong!r} of type {type(wrong).__name__}"


def given_to(estimator: Any) -> dict[str, Any]:
    """`always` and `never` of an estimator, where it has values for them."""
    params = estimator.get_params(deep=False)
    return {name: params[name] for name in ("always", "never") if params.get(name) is not None}


def has_groups(estimator: Any) -> bool:
    """Whether an estimator selects groups of features as a whole."""
    params = estimator.get_params(deep=False)
    return "never" in params and params.get("groups") is not None


def refuse_forced(estimator: Any) -> None:
    """Raise ValueError for the last step of a Pipeline that forces or groups features of its own input."""
    groups = ["groups"] if has_groups(estimator) else []
    for name in [*given_to(estimator), *groups]:
        raise ValueError(
            f"{name} is of the features that the last step of the Pipeline sees, so that the features of X "
            f"that are free are unknown; leave {name} out, or give the last step alone"
        )
