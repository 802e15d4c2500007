"""R's ``table`` of one and two vectors of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.factors import Factor, as_factor, count_codes
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import column_parts, format_vector

USE_NA = ("no", "ifany", "always")
MISSING = "<NA>"


class RTable(RArray):
    """Counts of labels, an array of int64, printed as by R.

    Parameters
    ----------
    counts : array_like of shape (m,) or (m, q)
        The counts.
    **attributes : object
        Attributes.

    Attributes
    ----------
    attributes : dict
        ``dimnames``, the levels of each vector, a tuple of lists of str; ``dnn``, the names of the vectors,
        a list of str.
    """

    def __new__(cls, counts: ArrayLike, **attributes: Any) -> Self:
        """Copy the counts and keep the attributes."""
        table = np.array(counts, dtype=np.int64).view(cls)
        table.attributes = attributes
        return table

    def __reduce__(self) -> Any:
        return _restore, (np.asarray(self), self.attributes)

    def __str__(self) -> str:
        if not self.attributes:
            return str(np.asarray(self))
        if not self.size:
            return f"< table of extent {' x '.join(map(str, self.shape))} >"
        names, levels = self.attributes["dnn"], self.attributes["dimnames"]
        if self.ndim == 1:
            return f"{names[0]}\n{format_vector([str(count) for count in self], levels[0])}"
        width = max(map(len, levels[0]))
        left = max(len(names[0]), width + 2)
        rows = [f"{level:<{width}}".rjust(left) for level in levels[0]]
        digits = len(str(self.max()))
        cells = [[f"{count:{digits}}" for count in row] for row in self.tolist()]
        parts = column_parts(cells, rows, levels[1], names[0])
        return "\n".join(f"{'':{left}}{names[1]}\n{part}" for part in parts)

    def print(self) -> None:
        """Print the counts as R does."""
        print(self)


def _restore(counts: Any, attributes: dict[str, Any]) -> RTable:
    """A table that was pickled."""
    return RTable(counts, **attributes)


def table(*labels: ArrayLike, useNA: str = "no", dnn: str | Sequence[str] | None = None) -> RTable:
    """Count labels, or pairs of labels, as R's ``table``.

    Parameters
    ----------
    *labels : array_like of shape (n,)
        One or two vectors: numbers, texts (sorted as by R in UTF-8: a, A, b), truth values or a categorical
        column, which keeps its order. Missing ones are NaN or None.
    useNA : {"no", "ifany", "always"}, default="no"
        Whether missing labels are counted: never, where there are any, or always; may be abbreviated.
    dnn : str or sequence of str, optional
        Names of the vectors, for the print. R takes them from the names of the variables.

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
    >>> counts = table([1, 1, 2], ["a", "b", "b"], dnn=["cluster", "truth"])
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
    return RTable(counts, dimnames=levels, dnn=_names(dnn, len(levels)))


def _names(dnn: str | Sequence[str] | None, count: int) -> list[str]:
    """Names of the vectors, empty where none are given."""
    given = np.atleast_1d(np.asarray([""] * count if dnn is None else dnn, dtype=object))
    names = [str(name) for name in given]
    if len(names) > count:
        message = f"'names' attribute [{len(names)}] must be the same length as the vector [{count}]"
        raise RError(message, "give a name for each vector")
    if len(names) < count:
        raise ValueError(f"dnn must have a name for each of the {count} vectors; got {names}")
    return names
