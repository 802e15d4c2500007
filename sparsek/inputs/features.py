"""Features of the user, given by names, by indices or by a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek._printable import on_one_line
from sparsek.inputs.containers import MOST_NAMED, as_array, unmasked
from sparsek.inputs.indices import aligned_features


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
        return np.asarray(aligned_features(given, names, name), dtype=bool)
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
        known = on_one_line(", ".join(map(str, names[:MOST_NAMED]))) + (", ..." if p > MOST_NAMED else "")
        raise ValueError(f"{name} names {unknown[0]!r}, which is no column of X; its columns are {known}")
    return [places[text] for text in texts]


def _first_other(values: list[Any]) -> str:
    """The first value that is no text, with its type."""
    wrong = next(value for value in values if not isinstance(value, str))
    return f"{wrong!r} of type {type(wrong).__name__}"
