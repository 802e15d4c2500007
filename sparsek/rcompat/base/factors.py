"""Labels as R's ``factor`` has them: levels in R's order of texts, and which of them each label is."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import IntArray
from sparsek.inputs.containers import as_array, unmasked
from sparsek.rcompat.base.printing import format_column

TEXT_DIGITS = 15
"""Significant digits of a number that becomes text."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Labels by number."""

    codes: IntArray  # Place of each label among the levels, from 0; -1 where it is missing
    levels: list[str]  # The levels


def as_labels(values: Any, name: str) -> NDArray[Any]:
    """A vector of labels: numbers or texts.

    Shapes: values (n,); returns (n,).

    Raises TypeError for iterators and the like; ValueError for more or fewer than one dimension.
    """
    if isinstance(values, Iterator | Mapping | str):
        raise TypeError(f"{name} must be a vector of labels; got {type(values).__name__}")
    labels = as_array(unmasked(values, name, holes=True), name)
    if labels.ndim != 1:
        raise ValueError(f"{name} must have one dimension; it has {labels.ndim}")
    several = labels.dtype.kind == "O" and any(
        isinstance(v, list | tuple) or getattr(v, "shape", ()) != () for v in labels
    )
    if several or labels.dtype.names is not None:
        raise TypeError(f"{name} must have single numbers or texts; an entry holds several values")
    return labels


def as_factor(values: Any, name: str) -> Factor:
    """Turn labels into a factor, as R's ``factor``.

    Shapes: values (n,).

    Raises TypeError for iterators and the like; ValueError for more or fewer than one dimension.
    """
    if str(getattr(values, "dtype", "")) == "category":
        column = getattr(values, "array", values)
        return Factor(np.array(column.codes, dtype=np.int64), [text_of(v) for v in column.categories])
    labels = as_labels(values, name)
    texts = [text_of(label) for label in labels.tolist()]
    if labels.dtype.kind in "biuf":
        pairs = sorted((label, text) for label, text in zip(labels.tolist(), texts, strict=True) if text)
        levels = list(dict.fromkeys(text for _, text in pairs if text))
    else:
        levels = sorted({text for text in texts if text is not None}, key=collation_key)
    places: dict[str | None, int] = {level: place for place, level in enumerate(levels)}
    return Factor(np.array([places.get(text, -1) for text in texts], dtype=np.int64), levels)


def count_codes(codes: list[IntArray], sizes: list[int]) -> IntArray:
    """Count the objects by the codes of one or more factors."""
    counted = np.all([code >= 0 for code in codes], axis=0)
    counts = np.zeros(sizes, dtype=np.int64)
    np.add.at(counts, tuple(code[counted] for code in codes), 1)
    return counts


def text_of(value: Any) -> Any:
    """A label as R's ``as.character``; None where it is missing."""
    if value is None or type(value).__name__ == "NAType" or value != value:  # pandas' has no truth
        return None
    if isinstance(value, bool | np.bool_):
        return str(value).upper()
    if isinstance(value, float | np.floating) and math.isfinite(value):
        return format_column([float(value) + 0.0], TEXT_DIGITS)[0]
    return str(value).replace("inf", "Inf") if isinstance(value, float) else str(value)


PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
"""Characters before the digits, in their order."""


def collation_key(text: str) -> Any:
    """A key by which texts are sorted as R sorts them in a UTF-8 locale with ICU.

    Texts are compared by their characters without case and accents: punctuation, digits, letters. Among equal
    ones, those without accents come first, then those with small letters.
    """
    primary: list[tuple[int, int]] = []
    accents: list[list[int]] = []
    cases: list[bool] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character) and accents:
            accents[-1].append(ord(character))
            continue
        small = character.lower()
        kind = 0 if small in PUNCTUATION else 1 if small.isascii() else 2
        primary.append((kind, PUNCTUATION.index(small) if kind == 0 else ord(small)))
        accents.append([])
        cases.append(character != small)
    return primary, accents, cases, text
