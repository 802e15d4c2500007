"""Which features, or groups of them, may be selected, and how many: `always`, `never` and the number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.core.weights import share_of
from sparsek.inputs.arguments import warn_of_excess
from sparsek.inputs.features import feature_mask, shown
from sparsek.inputs.indices import aligned_features, index_of
from sparsek.methods.shared.groups import Grouping, group_labels, grouping_of
from sparsek.methods.shared.parameters import AUTO, resolve_l1_bound


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


def ignored_columns(estimator: Any, p: int, names: Any) -> NDArray[np.bool_] | None:
    """Mask of the features, (p,), in `never` of an estimator, or of the one that it fits; None without them.

    None too where `never` is wrong, which the fit says.
    """
    params = estimator.get_params(deep=False)
    inner = params.get("estimator")
    if hasattr(inner, "get_params"):
        return ignored_columns(inner, p, names)
    if params.get("never") is None:
        return None
    try:
        groups = None if not has_groups(estimator) else grouping_of(group_labels(params["groups"], p, names))
        lift = lift_of(None, params["never"], p, names, groups)
    except (TypeError, ValueError):
        return None
    return None if lift is None else (lift if groups is None else lift[groups.codes]) < 0


def resolve_left_bound(l1_bound: float | None, lift: Array | None, p: int, groups: Any = None) -> float:
    """The bound on the L1 norm of the weights of the features, or groups, that `never` leaves."""
    what = "n_features" if groups is None else "degrees of freedom of the groups"
    degrees = np.ones(p) if groups is None else groups.degrees
    if lift is None:
        return resolve_l1_bound(l1_bound, degrees.sum(), what)
    return resolve_l1_bound(l1_bound, degrees[lift >= 0].sum(), f"{what} without never")


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


def resolve_n_selected(wanted: Any, p: int) -> int:
    """Number s of features, at most p; `wanted` is `n_features_to_select`."""
    if wanted is None:
        return max(1, p // 2)
    if isinstance(wanted, Integral):
        return min(int(wanted), p)
    return max(1, share_of(p, wanted))


def warn_of_many(wanted: int | float | str | None, p: int, what: str = "n_features") -> None:
    """Warn if more features, or groups of them, are wanted than there are."""
    if isinstance(wanted, Integral):
        warn_of_excess("n_features_to_select", int(wanted), what, p)


def placed(estimator: Any, names: Any) -> dict[str, Any]:
    """Features that an estimator names, in a form for copies fitted without names; empty if X has none.

    They are indices in `always` and `never`, and entries for all features in `groups` and `standardize`.
    """
    if names is None:
        return {}
    p, params, found = len(names), estimator.get_params(deep=False), dict[str, Any]()
    scale, groups = params.get("standardize"), params.get("groups")
    if index_of(scale) is not None:
        found["standardize"] = np.asarray(aligned_features(scale, names, "standardize"))
    if groups is not None:
        named = isinstance(groups, Mapping) or index_of(groups) is not None
        return found | ({"groups": group_labels(groups, p, names)} if named else {})
    masks = {name: feature_mask(one, name, p, names) for name, one in given_to(estimator).items()}
    return found | {name: np.flatnonzero(mask) for name, mask in masks.items()}


def free_features(estimator: Any, p: int, names: Any) -> NDArray[np.bool_]:
    """Mask of the features, (p,), that an estimator selects or not; ValueError if there are none.

    Of groups that are selected as a whole, the first feature of each stands for all.
    """
    given, groups = given_to(estimator), None
    free = np.ones(p, dtype=bool)
    if has_groups(estimator):
        groups = grouping_of(group_labels(estimator.get_params(deep=False)["groups"], p, names))
        free[:] = False
        free[[columns[0] for columns in groups.columns]] = True
    lift = lift_of(given.get("always"), given.get("never"), p, names, groups)
    if lift is not None:
        free &= (lift if groups is None else lift[groups.codes]) == 0
    if not free.any():
        raise ValueError(
            f"always and never have all {p} features, so there is nothing to select; shorten them"
        )
    return free


OF_GROUPS = ("groups_", "group_gains_", "group_weights_", "selected_groups_")
"""What a fit with groups sets."""


class SelectableFeatures:
    """Estimators that select features, or groups of them, and are told which."""

    _own_groups: Grouping | None = None  # `groups`, of features; None where each is on its own
    # The same of columns, in which each category is a group too; None where each column is on its own
    _groups: Grouping | None = None
    # What `always` and `never` add to the gains of the features, or of the groups; None without them
    _lift: Array | None = None
    groups: Any
    never: Any
    n_features_to_select: Any
    _coding: Any
    _size_choice: Any
    _coded_groups: Callable[[Any, Grouping | None], Grouping | None]

    def _find_groups(self, p: int) -> None:
        """Set the groups, and `_lift`."""
        names, own = getattr(self, "feature_names_in_", None), None
        p = p if self._coding is None else len(self._coding.columns)
        if self.groups is not None:
            own = grouping_of(group_labels(self.groups, p, names))
        self._lift = lift_of(getattr(self, "always", None), self.never, p, names, own)
        self._own_groups = own
        groups = self._column_groups()
        self._groups = None if groups is None or groups.single else groups

    def _column_groups(self) -> Grouping | None:
        """The groups of columns, each category one; None without groups and categories."""
        own = self._own_groups
        return own if self._coding is None else self._coded_groups(self._coding, own)

    def _name_groups(self) -> Grouping | None:
        """Forget the results by group of a fit before, and set `groups_`; None without groups."""
        for name in OF_GROUPS:
            self.__dict__.pop(name, None)
        groups = None if self.groups is None else self._column_groups()
        if groups is not None:
            self.groups_ = groups.names
        return groups

    def _candidates(self, p: int) -> Array:
        """The features that may be selected, and on which starts are chosen."""
        if self._lift is None:
            return np.arange(p)
        left = self._lift >= 0
        return np.flatnonzero(left if self._groups is None else left[self._groups.codes])

    def _units(self, p: int) -> tuple[int, str]:
        """How many units can be selected, of p features, and what they are: features or groups."""
        number = p if self._groups is None else len(self._groups.names)
        return number, "features" if self.groups is None else "groups"

    def _fewest_and_most(self, p: int) -> tuple[int, int]:
        """The smallest and the largest number of features, or groups, that can be selected."""
        if self._lift is None:
            return 1, self._units(p)[0]
        return max(1, int(np.count_nonzero(self._lift > 0))), int(np.count_nonzero(self._lift >= 0))

    def _n_selected(self, p: int) -> int:
        """Number s of features, or groups; ValueError where `always` or `never` leave no such set."""
        low, high = self._fewest_and_most(p)
        if self.n_features_to_select == AUTO:
            return max(low, high // 2) if self._size_choice is None else int(self._size_choice.value)
        wanted, (number, units) = self.n_features_to_select, self._units(p)
        if isinstance(wanted, Integral) and high < min(int(wanted), number):
            raise ValueError(
                f"n_features_to_select={wanted} is more than the {high} of {number} {units} that never "
                f"leaves; lower it, or leave {units} out of never"
            )
        n_selected = resolve_n_selected(wanted, high)
        self._refuse_few(n_selected, high)
        if n_selected < low:
            raise ValueError(
                f"always has {low} {units}, more than the {n_selected} that n_features_to_select={wanted} "
                f"selects; raise it, or leave {units} out of always"
            )
        return n_selected

    def _refuse_few(self, n_selected: int, high: int) -> None:
        """Raise ValueError for a number, below `high`, of features that tell no clusters apart."""
