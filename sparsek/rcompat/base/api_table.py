"""R's ``table`` of one and two vectors of labels."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, with_names
from sparsek.rcompat.base.data import as_number
from sparsek.rcompat.base.expressions import call_in_source, expression
from sparsek.rcompat.base.factors import Factor, as_factor, count_codes
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import Names, column_parts, format_cells, format_vector

USE_NA = ("no", "ifany", "always")
MISSING = "<NA>"


class RTable(RArray):
    """Counts of labels, an array of int64, or their shares, printed as by R.

    Parameters
    ----------
    values : array_like of shape (m,) or (m, q)
        The counts or shares.
    **attributes : object
        Attributes.

    Attributes
    ----------
    attributes : dict
        ``dimnames``, the levels of each vector, a tuple of lists of str; ``dnn``, the names of the vectors,
        a list of str.
    """

    r_class: ClassVar[tuple[str, ...]] = ("table",)

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if not isinstance(part, RTable) or not part.attributes:
            return part
        if part.ndim != self.ndim:
            return with_names(np.asarray(part), part.attributes["names"])
        names = part.attributes.get("dimnames") or (part.attributes["names"],)
        part.attributes = {"dimnames": names, "dnn": self.attributes["dnn"]}
        return part

    def __str__(self) -> str:
        if not self.attributes:
            return str(np.asarray(self))
        if not self.size:
            return f"< table of extent {' x '.join(map(str, self.shape))} >"
        names, levels = self.attributes["dnn"], self.attributes["dimnames"]
        if self.ndim == 1:
            return f"{names[0]}\n{format_vector(format_cells(np.asarray(self)), levels[0])}"
        width = max(map(len, levels[0]))
        left = max(len(names[0]), width + 2)
        rows = [f"{level:<{width}}".rjust(left) for level in levels[0]]
        parts = column_parts(self._cells(), rows, levels[1], names[0])
        return "\n".join(f"{'':{left}}{names[1]}\n{part}" for part in parts)

    def _cells(self) -> list[list[str]]:
        """The texts of the entries of a table of pairs, of equal width."""
        cells = format_cells(np.asarray(self).ravel())
        digits = max(map(len, cells))
        padded: list[list[str]] = np.reshape([f"{cell:>{digits}}" for cell in cells], self.shape).tolist()
        return padded

    def _names(self) -> Names:
        """The levels."""
        levels = self.attributes.get("dimnames")
        return levels if levels is None or self.ndim == 2 else levels[0]

    def print(self) -> None:
        """Print the counts as R does."""
        print(self)


def table(
    *labels: ArrayLike,
    useNA: str = "no",
    dnn: str | Sequence[str] | None = None,
    deparse_level: float = 1,
) -> RTable:
    """Count labels, or pairs of labels, as R's ``table``.

    Parameters
    ----------
    *labels : array_like of shape (n,)
        One or two vectors: numbers, texts (sorted as by R in UTF-8: a, A, b), truth values or a categorical
        column, which keeps its order. Missing ones are NaN or None.
    useNA : {"no", "ifany", "always"}, default="no"
        Whether missing labels are counted: never, where there are any, or always; may be abbreviated.
    dnn : str or sequence of str, optional
        Names of the vectors, for the print; by default taken from the call, as by R.
    deparse_level : {0, 1, 2}, default=1
        Which vectors take their names from the call: none, those given as variables, or all.

    Returns
    -------
    RTable of shape (m,) or (m, q)
        Counts by level, or by pair of levels; ``attributes["dimnames"]`` has the levels.

    Raises
    ------
    RError
        With R's message: no vector, vectors of different length, unknown `useNA`, more or fewer names than
        vectors.
    ValueError
        More than two vectors, or a vector that is none.
    TypeError
        For iterators and the like.

    See Also
    --------
    adjustedRandIndex : R's adjusted Rand index.

    Examples
    --------
    >>> from sparsek.rcompat import table
    >>> cluster, truth = [1, 1, 2], ["a", "b", "b"]
    >>> counts = table(cluster, truth)
    >>> counts.print()
           truth
    cluster a b
          1 1 1
          2 0 1
    >>> counts.tolist()
    [[1, 1], [0, 1]]
    """
    if not labels:
        raise RError("nothing to tabulate", "give one or two vectors of labels")
    if len(labels) > 2:
        raise ValueError(f"table counts one or two vectors of labels; got {len(labels)}")
    use = partial_match(useNA, USE_NA)
    if use is None:
        choices = ", ".join(f"“{choice}”" for choice in USE_NA)
        raise RError(f"'arg' should be one of {choices}", f"got useNA={useNA!r}")
    factors = [as_factor(vector, f"vector {i + 1}") for i, vector in enumerate(labels)]
    if len({len(factor.codes) for factor in factors}) > 1:
        lengths = " and ".join(str(len(factor.codes)) for factor in factors)
        raise RError("all arguments must have the same length", f"they have {lengths} labels")
    for place, factor in enumerate(factors):
        missing = factor.codes < 0
        if use == "always" or (use == "ifany" and missing.any()):
            codes = np.where(missing, len(factor.levels), factor.codes)
            factors[place] = Factor(codes, [*factor.levels, MISSING])
    counts = count_codes([factor.codes for factor in factors], [len(factor.levels) for factor in factors])
    levels = tuple(factor.levels for factor in factors)
    if dnn is None:
        dnn = _written(sys._getframe(1), len(levels), as_number(deparse_level, "deparse_level"))
    return RTable(counts, dimnames=levels, dnn=_names(dnn, len(levels)))


def _written(frame: FrameType, count: int, level: float) -> list[str]:
    """What a call's arguments are named by R, empty where they have no name or the source is not known."""
    node = call_in_source(frame) if level >= 1 else None
    if node is None or len(node.args) != count:
        return [""] * count
    named = [isinstance(part, ast.Name) or level >= 2 for part in node.args]
    return [expression(part) if name else "" for part, name in zip(node.args, named, strict=True)]


def _names(dnn: str | Sequence[str], count: int) -> list[str]:
    """Names of the vectors."""
    given = np.atleast_1d(np.asarray(dnn, dtype=object))
    names = [str(name) for name in given]
    if len(names) > count:
        message = f"'names' attribute [{len(names)}] must be the same length as the vector [{count}]"
        raise RError(message, "give a name for each vector")
    if len(names) < count:
        raise ValueError(f"dnn must have a name for each of the {count} vectors; got {names}")
    return names
