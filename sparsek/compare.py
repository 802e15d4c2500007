"""Comparison of two results field by field: bit equality, log relative error, label matching.

Source of the log relative error: McCullough (1998), "Assessing the reliability of statistical software".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from sparsek.inputs.arguments import takes
from sparsek.inputs.containers import as_array, numbers
from sparsek.inputs.indices import aligned

__all__ = ["FieldComparison", "compare_fields", "log_relative_error", "match_labels"]

FloatArray = NDArray[np.float64]

LRE_CAP = 15.0
"""Highest log relative error: about the number of decimal digits of a double."""


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """Comparison of one field of two results.

    Attributes
    ----------
    field : str
        Name of the field.
    exact : bool
        Whether shapes, all bits (the sign of zero included) or all texts are equal; any NaN equals any NaN.
    lre : float
        Smallest log relative error over the entries, 0 to 15 decimal digits; 0 where shapes or texts differ.
    max_abs_diff : float or None
        Largest absolute difference, in units of the field; None where there is none to compute.
    message : str
        What differs, empty when exact.
    norm_lre : float
        Log relative error of the largest difference against the largest entry of the reference, 0 to 15
        decimal digits; 0 where shapes, texts or the places of NaN and infinities differ.

    See Also
    --------
    compare_fields : Compare two results field by field.
    """

    field: str
    exact: bool
    lre: float
    max_abs_diff: float | None
    message: str
    norm_lre: float = 0.0


def log_relative_error(computed: ArrayLike, reference: ArrayLike) -> FloatArray:
    """Number of leading decimal digits that agree, entry by entry.

    Parameters
    ----------
    computed, reference : array_like
        Values of the same shape.

    Returns
    -------
    ndarray
        ``-log10(|x - c| / |c|)``, ``-log10|x|`` where ``c = 0``, within 0 and 15 digits; 15 for equal values
        (two NaN count as equal) and 0 where only one of the two is finite.

    Raises
    ------
    ValueError
        If the shapes differ.

    See Also
    --------
    compare_fields : Compare two results field by field.

    Examples
    --------
    >>> log_relative_error([1.0, 2.002, 0.01], [1.0, 2.0, 0.0]).round(2)
    array([15.,  3.,  2.])
    """
    x, c = (
        as_array(numbers(value, name, holes=True), name, np.float64)
        for name, value in (("computed", computed), ("reference", reference))
    )
    if x.shape != c.shape:
        raise ValueError(
            f"computed has shape {x.shape} but reference {c.shape}; give values of the same shape"
        )
    with np.errstate(all="ignore"):
        error = np.abs(x - c) / np.where(c == 0, 1.0, np.abs(c))
        digits: FloatArray = np.asarray(np.clip(-np.log10(error), 0.0, LRE_CAP))
    digits[~np.isfinite(x) | ~np.isfinite(c)] = 0.0
    digits[(x == c) | (np.isnan(x) & np.isnan(c))] = LRE_CAP
    return digits


def match_labels(labels: ArrayLike, reference: ArrayLike) -> NDArray[Any]:
    """Rename clusters so that they overlap most with those of a reference.

    Parameters
    ----------
    labels, reference : array_like of shape (n,)
        Cluster labels of the same points.

    Returns
    -------
    ndarray of shape (n,)
        ``labels`` with clusters renamed by the assignment of maximum total overlap; clusters without a
        partner in the reference get new labels above all of the reference's.

    Raises
    ------
    ValueError
        If the lengths differ.

    See Also
    --------
    compare_fields : Compare two results field by field.
    sparsek.metrics.misclassification_error : Share of rows in the wrong class.

    Examples
    --------
    >>> match_labels([2, 2, 1, 3], [1, 1, 2, 2])
    array([1, 1, 2, 3])
    """
    labels = aligned(labels, reference, "labels", "reference")
    a, b = as_array(labels, "labels"), as_array(reference, "reference")
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"labels have shapes {a.shape} and {b.shape}; give two vectors of the same length")
    names, ours = np.unique(a, return_inverse=True)
    reference_names, theirs = np.unique(b, return_inverse=True)
    overlap = np.zeros((len(names), len(reference_names)))
    np.add.at(overlap, (ours, theirs), 1)
    rows, columns = linear_sum_assignment(-overlap)
    renamed = np.full(len(names), -1, dtype=b.dtype)
    renamed[rows] = reference_names[columns]
    unmatched = np.setdiff1d(np.arange(len(names)), rows)
    if unmatched.size:
        if renamed.dtype == bool:  # there is no truth value above True
            renamed = renamed.astype(np.int64)
        renamed[unmatched] = b.max() + 1 + np.arange(unmatched.size)
    return renamed[ours]


def _compare_arrays(field: str, ours: FloatArray, theirs: FloatArray) -> FieldComparison:
    """Compare two numeric arrays, by bits and by digits."""
    if ours.shape != theirs.shape:
        return FieldComparison(field, False, 0.0, None, f"shape {ours.shape}, R has {theirs.shape}")
    both_nan = np.isnan(ours) & np.isnan(theirs)
    equal = both_nan | ((ours == theirs) & (np.signbit(ours) == np.signbit(theirs)))
    finite = np.isfinite(ours) & np.isfinite(theirs)
    difference = float(np.max(np.abs(ours[finite] - theirs[finite]), initial=0.0))
    lre = float(np.min(log_relative_error(ours, theirs), initial=LRE_CAP))
    if equal.all():
        return FieldComparison(field, True, lre, difference, "", LRE_CAP)
    first = np.unravel_index(int(np.argmin(equal.ravel())), equal.shape)
    place = f"[{', '.join(str(number + 1) for number in first)}]"
    values = f"first at {place}: {ours[first]:.17g}, R has {theirs[first]:.17g}"
    message = f"{int((~equal).sum())} of {equal.size} entries differ, {values}"
    largest = float(np.max(np.abs(theirs[finite]), initial=0.0))
    same_places = bool((finite | (ours == theirs) | both_nan).all())
    norm_lre = float(log_relative_error([largest + difference], [largest])[0]) if same_places else 0.0
    return FieldComparison(field, False, lre, difference if finite.all() else None, message, norm_lre)


def _is_text(value: Any) -> bool:
    """Whether a field is a text, a list of texts or None."""
    if isinstance(value, list):
        return all(isinstance(entry, str) for entry in value)
    return value is None or isinstance(value, str)


def _compare_texts(field: str, ours: Any, theirs: Any) -> FieldComparison:
    """Compare two texts or lists of texts; for lists the message names the first entry that differs."""
    if ours == theirs:
        return FieldComparison(field, True, LRE_CAP, None, "", LRE_CAP)
    message = f"{ours!r}, R has {theirs!r}"
    if isinstance(ours, list) and isinstance(theirs, list):
        pairs = list(zip_longest(ours, theirs))
        first = next(i for i, (a, b) in enumerate(pairs) if a != b)
        a, b = pairs[first]
        message = (
            f"{len(ours)} texts, R has {len(theirs)}, first difference at [{first + 1}]: {a!r}, R has {b!r}"
        )
    return FieldComparison(field, False, 0.0, None, message)


@takes(ours=[Mapping], theirs=[Mapping])
def compare_fields(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[FieldComparison]:
    """Compare two flat results, ours with R's, in R's order.

    Parameters
    ----------
    ours, theirs : mapping of str to array_like, str, list of str or None
        Fields by name; texts are compared as texts, everything else as doubles.

    Returns
    -------
    list of FieldComparison
        One per field of either result.

    See Also
    --------
    FieldComparison : Comparison of one field.
    log_relative_error : Number of digits that agree.

    Examples
    --------
    >>> [c.exact for c in compare_fields({"w": [0.5, 0.1]}, {"w": [0.5, 0.2]})]
    [False]
    """
    comparisons = []
    for field in [*theirs, *(name for name in ours if name not in theirs)]:
        if field not in ours or field not in theirs:
            missing = "only R has this" if field not in ours else "R has nothing of this name"
            comparisons.append(FieldComparison(field, False, 0.0, None, missing))
        elif _is_text(ours[field]) != _is_text(theirs[field]):
            kinds = ("texts", "numbers") if _is_text(ours[field]) else ("numbers", "texts")
            comparisons.append(FieldComparison(field, False, 0.0, None, f"{kinds[0]}, R has {kinds[1]}"))
        elif _is_text(ours[field]):
            comparisons.append(_compare_texts(field, ours[field], theirs[field]))
        else:
            pair = (as_array(value, field, np.float64) for value in (ours[field], theirs[field]))
            comparisons.append(_compare_arrays(field, *pair))
    return comparisons


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
