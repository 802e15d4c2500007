"""Groups of features: their labels, their columns, and sums over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array
from sparsek.inputs.containers import MOST_NAMED, as_array, unmasked
from sparsek.inputs.features import feature_mask, shown
from sparsek.inputs.indices import aligned_features


@dataclass(frozen=True)
class Grouping:
    """Groups of features, each feature in one of them, in the order of their first columns."""

    names: Array  # (g,): labels of the groups, integers or strings
    columns: tuple[NDArray[np.intp], ...]  # For each group, the sorted indices of its columns
    degrees: NDArray[np.float64]  # (g,): degrees of freedom of the groups, positive

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The number of the group of each column, (p,), from 0."""
        codes = np.empty(sum(map(len, self.columns)), dtype=np.intp)
        codes[np.concatenate(self.columns)] = np.repeat(np.arange(len(self.names)), self.sizes)
        return codes

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of columns of each group, (g,)."""
        return np.array([len(columns) for columns in self.columns], dtype=np.intp)

    @cached_property
    def single(self) -> bool:
        """Whether each column is a group of its own, of one degree of freedom: the same as no groups."""
        return len(self.names) == len(self.codes) and bool((self.degrees == 1).all())

    def totals(self, values: Array) -> NDArray[np.float64]:
        """Sums over the columns of each group, added in their order: (p,) to (g,), or (k, p) to (k, g)."""
        rows, g = np.atleast_2d(values), len(self.names)
        # `bincount` adds one column after the other, the same on every processor.
        sums = np.array([np.bincount(self.codes, row, minlength=g) for row in rows]).reshape(-1, g)
        return sums.reshape(*values.shape[:-1], g)

    def per_degree(self, gains: Array) -> NDArray[np.float64]:
        """Gains of the groups per degree of freedom, (g,) or (k, g), by which they are ranked."""
        return self.totals(gains) / self.degrees

    def mask(self, chosen: Array) -> NDArray[np.bool_]:
        """Masks of the columns of the groups with these numbers: (s,) to (p,), or (k, s) to (k, p)."""
        groups = np.zeros((*chosen.shape[:-1], len(self.names)), dtype=bool)
        np.put_along_axis(groups, chosen, True, axis=-1)
        return groups[..., self.codes]

    def named(self, given: Any, name: str) -> NDArray[np.bool_]:
        """Mask of the groups, (g,), that the argument `name` gives by their labels; None is none."""
        values = np.asarray(as_array([] if given is None else unmasked(given, name), name))
        if values.ndim != 1:
            raise ValueError(f"{name} must have one dimension; got shape {values.shape}")
        places = {label: place for place, label in enumerate(self.names.tolist())}
        mask = np.zeros(len(places), dtype=bool)
        for label in values.tolist():
            if label not in places or isinstance(label, bool) != (self.names.dtype.kind == "b"):
                known = ", ".join(map(repr, self.names[:MOST_NAMED].tolist()))
                more = ", ..." if len(places) > MOST_NAMED else ""
                raise ValueError(
                    f"{name} has {label!r}, which is no label of groups; with groups it holds labels of "
                    f"groups: {known}{more}"
                )
            mask[places[label]] = True
        return mask


def check_groups(groups: ArrayLike, p: int, columns: Any = None) -> Array:
    """Group labels of the features, whose names are `columns`, as numbers or strings that can be sorted."""
    names = as_array(unmasked(aligned_features(groups, columns, "groups"), "groups"), "groups")
    if names.shape != (p,):
        raise ValueError(f"groups must have shape ({p},), one label per feature; got shape {names.shape}")
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names):
        names = names.astype(str)
    if names.dtype.kind not in "biufUS":
        raise TypeError(f"groups must hold integers or strings; got dtype {names.dtype}")
    if names.dtype.kind == "f" and not np.isfinite(names).all():
        raise ValueError("groups contains NaN or infinity; give every feature a group")
    return names


def group_labels(groups: Any, p: int, names: Any = None) -> Array:
    """The label of the group of each feature, (p,), of `groups`: an array of them or a mapping to features.

    A mapping gives for each label the features of the group, by names, by indices or by a mask; `names` are
    those of the columns, or None.
    """
    return _mapped(groups, p, names) if isinstance(groups, Mapping) else check_groups(groups, p, names)


def grouping_of(labels: Array, degrees: Mapping[Any, float] | None = None) -> Grouping:
    """The groups of features with these labels, (p,); `degrees` by label, or else the numbers of columns."""
    found, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    # The rank of a group's first column is its number, so that groups stand in the order of the columns.
    places = np.argsort(np.argsort(first))[codes.ravel()]
    order = np.argsort(places, kind="stable")
    columns = tuple(np.split(order, np.cumsum(np.bincount(places))[:-1]))
    names = found[np.argsort(first)]
    sizes = [
        len(some) if degrees is None else degrees[name]
        for name, some in zip(names.tolist(), columns, strict=True)
    ]
    return Grouping(names, columns, np.array(sizes, dtype=np.float64))


def _mapped(groups: Mapping[Any, Any], p: int, names: Any) -> Array:
    """The label of each feature, of a mapping from labels to features."""
    keys = list(groups)
    if not all(isinstance(key, str) for key in keys) and not all(_is_integer(key) for key in keys):
        raise TypeError(f"the keys of groups must be all strings or all integers; got {keys[:MOST_NAMED]}")
    codes = np.full(p, -1)
    for place, key in enumerate(keys):
        mask = feature_mask(groups[key], f"groups[{key!r}]", p, names)
        if not mask.any():
            raise ValueError(f"groups[{key!r}] has no features; leave it out of groups")
        if (codes[mask] >= 0).any():
            twice = int(np.flatnonzero(mask & (codes >= 0))[0])
            raise ValueError(
                f"feature {shown(twice, names)} is in groups[{keys[codes[twice]]!r}] and groups[{key!r}]; "
                "leave it out of one of them"
            )
        codes[mask] = place
    if (codes < 0).any():
        left = np.flatnonzero(codes < 0)
        raise ValueError(
            f"groups leaves out {len(left)} of {p} features, first {shown(int(left[0]), names)}; "
            "give each a group, which can be one of its own, or leave it out of X"
        )
    return np.asarray(np.array(keys)[codes])


def _is_integer(key: Any) -> bool:
    return isinstance(key, Integral) and not isinstance(key, bool)
