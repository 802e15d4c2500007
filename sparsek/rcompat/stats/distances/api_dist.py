"""R's ``stats::dist`` and its class of distances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.rcompat.base import data
from sparsek.rcompat.base.arrays import RArray, dimnames_of, names_of
from sparsek.rcompat.base.data import as_flag, as_vector, dimensions
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import format_column, format_columns
from sparsek.rcompat.stats.distances.pairs import count_infinite, pair_distances

FloatArray = NDArray[np.float64]

METHODS = ("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
"""R's methods."""
MISSPELT = "euclidian"
"""A spelling that R takes for "euclidean", abbreviations included."""


class Dist(np.ndarray[Any, np.dtype[np.float64]]):
    """Distances of the pairs of rows (1, 2), (1, 3), ..., (n - 1, n), an array of shape (n (n - 1) / 2,).

    Arithmetic on all distances, as in ``d**2``, keeps the attributes, as in R. Parts of the array are plain
    arrays; sums and the like are numbers.
    """

    r_class: ClassVar[tuple[str, ...]] = ("dist",)

    # R's attributes: ``Size``, the number n of rows; ``Labels``, their names, where they have names; ``Diag``
    # and ``Upper``, what is printed; ``method``; ``p``, for the Minkowski distance; ``call``. Empty for
    # arrays of another shape that numpy makes from distances
    attributes: dict[str, Any]

    def __array_finalize__(self, source: Any) -> None:
        same = np.shape(source) == self.shape
        self.attributes = dict(getattr(source, "attributes", {})) if same else {}

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        if "out" in named:
            named["out"] = tuple(_plain(array) for array in named["out"])
        with np.errstate(all="ignore"):  # R gives infinite and missing numbers without a word
            result = getattr(ufunc, method)(*map(_plain, inputs), **named)
        if method != "__call__" or np.shape(result) != self.shape:
            return result
        return as_class(result, self.attributes, type(self))

    def __getitem__(self, key: Any) -> Any:
        return _plain(self)[key]

    def __reduce__(self) -> Any:
        return as_class, (_plain(self), self.attributes, type(self))

    def __str__(self) -> str:
        if not self.attributes:
            return str(_plain(self))
        n = self.attributes["Size"]
        if n < 2:
            return "dist(0)"
        diagonal, upper = self.attributes.get("Diag", False), self.attributes.get("Upper", False)
        texts = format_column([0.0, *self.tolist()] if diagonal else self.tolist())
        width = max(map(len, texts))
        cells = np.full((n, n), "", dtype=f"U{width}")
        pairs = np.triu_indices(n, 1)
        cells[pairs[::-1]] = [text.rjust(width) for text in texts[int(diagonal) :]]
        if upper:
            cells[pairs] = cells.T[pairs]
        if diagonal:
            np.fill_diagonal(cells, texts[0].rjust(width))
        labels = self.attributes.get("Labels") or [str(i + 1) for i in range(n)]
        whole = diagonal or upper
        rows, columns = (labels, labels) if whole else (labels[1:], labels[:-1])
        return format_columns((cells if whole else cells[1:, :-1]).tolist(), rows, columns)

    def print(self) -> None:
        """Print the distances as R does."""
        print(self)


def as_class(values: FloatArray, attributes: dict[str, Any], kind: type[Dist] = Dist) -> Dist:
    """An array as distances of a class with R's attributes, without a copy."""
    distances = values.view(kind)
    distances.attributes = dict(attributes)
    return distances


def _plain(value: Any) -> Any:
    """Distances as a plain array; anything else as it is."""
    return value.view(np.ndarray) if isinstance(value, Dist) else value


def dist(
    x: ArrayLike,
    method: str = "euclidean",
    diag: bool = False,
    upper: bool = False,
    p: ArrayLike = 2,
    *,
    call: str | None = None,
) -> Dist:
    """Distances between the rows, as R's ``dist(x, method, diag, upper, p)``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, q)
        Real data. A feature that is missing (NaN) in one of two rows, or whose contribution to their distance
        is no number, is left out for these two; sums are then scaled up to all q features.
    method : {"euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski"}, default="euclidean"
        The distance; may be abbreviated. "binary" is the share of the features in which one of the two values
        is 0, of those in which not both are.
    diag, upper : bool, default=False
        Whether the diagonal and the upper triangle are printed.
    p : float, default=2
        Exponent of the Minkowski distance, dimensionless; of a vector the first counts.
    call : str, optional

    Returns
    -------
    Dist of shape (n (n - 1) / 2,)
        Distances in the unit of x ("canberra" and "binary": dimensionless), pairs (1, 2), (1, 3), ...,
        (n - 1, n): R's order and scipy's. NaN for two rows without a common feature. ``attributes`` has the
        names of the rows, the method and the call.

    Raises
    ------
    RError
        With R's message: unknown or ambiguous method, `p` not positive and finite for "minkowski", `diag` or
        `upper` missing.
    TypeError
        For data that are not real numbers.
    ValueError
        For an empty matrix.

    Warns
    -----
    RWarning
        Infinite values with "binary": one warning for every two rows and feature, as in R.

    See Also
    --------
    as_dist : A matrix as distances of pairs.
    hclust : R's hierarchical clustering.

    References
    ----------
    Lance, G. N. & Williams, W. T. (1966). Computer programs for hierarchical polythetic classification.
    Computer Journal 9, 60-64 (Canberra).

    Examples
    --------
    >>> from sparsek.rcompat import dist
    >>> d = dist([[0, 0], [3, 4], [0, 1]])
    >>> d
    Dist([5.        , 1.        , 4.24264069])
    >>> d.print()  # doctest: +NORMALIZE_WHITESPACE
             1        2
    2 5.000000
    3 1.000000 4.242641
    >>> dist([[0, 0], [3, 4]], "man")
    Dist([7.])
    """
    matrix = data.as_matrix(x)
    full = "euclidean" if partial_match(method, [MISSPELT]) else partial_match(method, METHODS)
    if full is None:
        raise RError("invalid distance method", f"method is {method!r}; give one of {', '.join(METHODS)}")
    exponents = as_vector(p, "p")
    attributes: dict[str, Any] = {"Size": len(matrix.values)}
    if matrix.row_names is not None:
        attributes["Labels"] = matrix.row_names
    attributes |= {"Diag": as_flag(diag, "diag"), "Upper": as_flag(upper, "upper"), "method": full}
    if full == "minkowski":
        if not (exponents.size and 0 < exponents[0] < np.inf):
            raise RError("distance(): invalid p", f"p must be positive and finite; got {p!r}")
        attributes["p"] = float(exponents[0]) if exponents.size == 1 else exponents
    if full == "binary":
        for _ in range(count_infinite(matrix.values)):
            warn_as_r("treating non-finite values as NA")
    if call is not None:
        attributes["call"] = Call(call)
    exponent = float(exponents[0]) if full == "minkowski" else 2.0
    return as_class(pair_distances(matrix.values, full, exponent), attributes)


def as_matrix(x: Any, **dots: Any) -> RArray:
    """Distances or data as a matrix, as R's ``as.matrix``.

    Parameters
    ----------
    x : Dist, or array_like or data frame of shape (n,) or (n, p)
        Distances of n objects, or real numbers; a vector becomes one column.
    **dots : object
        R's ``...``: ignored.

    Returns
    -------
    RArray of shape (n, n) or (n, p)
        Distances of all pairs, 0 on the diagonal, with the labels or the numbers of the objects as names; or
        the numbers with the names that they carry. The unit is that of x.

    Raises
    ------
    TypeError
        For anything but real numbers.
    ValueError
        For empty data and for more than two dimensions.

    See Also
    --------
    as_dist : The reverse.

    Examples
    --------
    >>> from sparsek.rcompat import as_matrix, dist
    >>> as_matrix(dist([[0.0], [1.0], [5.0]])).print()
      1 2 3
    1 0 1 5
    2 1 0 4
    3 5 4 0
    """
    if isinstance(x, Dist) and x.attributes:
        n = x.attributes["Size"]
        values = np.zeros((n, n))
        pairs = np.triu_indices(n, 1)
        values[pairs] = values.T[pairs] = _plain(x)
        labels = x.attributes.get("Labels") or [str(i + 1) for i in range(n)]
        return RArray(values, dimnames=(labels, labels))
    matrix = data.as_matrix(x)
    row_names = names_of(x) if dimensions(x, "x") < 2 else matrix.row_names
    return RArray(matrix.values, dimnames=dimnames_of(row_names, matrix.column_names))
