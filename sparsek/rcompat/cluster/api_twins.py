"""R's ``agnes`` and ``diana``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_vector
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import format_array, format_column, format_matrix, format_vector
from sparsek.rcompat.base.printing import format_number as shown
from sparsek.rcompat.cluster.arguments_pam import (
    MISSING_PAIRS,
    Objects,
    given_dissimilarities,
    is_triangle,
    kept_dissimilarities,
    rows_as_objects,
)
from sparsek.rcompat.cluster.summaries import components, dissimilarities
from sparsek.rcompat.cluster.twins import Banner, Update, agglomerate, divide
from sparsek.rcompat.stats.api_summary import summary

METHODS = ("average", "single", "complete", "ward", "weighted", "flexible", "gaverage")
KEPT_BELOW = 100
"""Of fewer objects the result has the dissimilarities by default."""
NOT_NUMERIC = "x is not a numeric dataframe or matrix."
NO_NUMBER = "NA/NaN/Inf in foreign function call (arg 3)"
BETA = -0.1
"""Default of the flexible average method."""


class Twins(RList):
    """Tree of R's ``agnes`` or ``diana``, printed as by R."""

    def _order(self) -> str:
        """The objects in the order of the banner: their names or numbers."""
        labels = self.get("order.lab")
        return format_array(self["order"]) if labels is None else format_vector(list(labels), None, "<")

    def _merge(self) -> str:
        """The merges."""
        return f"Merge:\n{format_matrix(self['merge'])}\n"


class AgnesResult(Twins):
    """Result of R's ``agnes``."""

    r_class = ("agnes", "twins")

    def __str__(self) -> str:
        call = "\n".join(self["call"].lines()) if self["call"] is not None else "NULL"
        return (
            f"Call:\t {call} \n{self._tree()}"
            f"Height (summary):\n{summary(self['height'])}\n\n{components(self)}"
        )

    def summary(self) -> AgnesResult:
        """Give the result with a longer print, as R's ``summary``: merges, heights, dissimilarities.

        Returns
        -------
        AgnesResult
            The same fields.
        """
        return AgnesSummary(self)

    def _tree(self) -> str:
        """Coefficient and order."""
        return f"Agglomerative coefficient:  {shown(self['ac'])} \nOrder of objects:\n{self._order()}\n"


class AgnesSummary(AgnesResult):
    """Summary of a result of `agnes`."""

    def __str__(self) -> str:
        return (
            f"Object of class 'agnes' from call:\n {self['call'] or 'NULL'} \n{self._tree()}{self._merge()}"
            f"Height:\n{format_array(self['height'])}\n\n{dissimilarities(self)}{components(self)}"
        )


class DianaResult(Twins):
    """Result of R's ``diana``."""

    r_class = ("diana", "twins")

    def __str__(self) -> str:
        return f"{self._tree()}{components(self)}"

    def summary(self) -> DianaResult:
        """Give the result with a longer print, as R's ``summary``: the dissimilarities too.

        Returns
        -------
        DianaResult
            The same fields.
        """
        return DianaSummary(self)

    def _tree(self) -> str:
        """Merges, order, heights and coefficient, and an empty line."""
        return (
            f"{self._merge()}Order of objects:\n{self._order()}\n"
            f"Height:\n{format_array(self['height'])}\n"
            f"Divisive coefficient:\n[1] {format_column([self['dc']])[0]}\n\n"
        )


class DianaSummary(DianaResult):
    """Summary of a result of `diana`."""

    def __str__(self) -> str:
        return f"{self._tree()}{dissimilarities(self)}{components(self)}"


def agnes(
    x: ArrayLike,
    diss: bool | None = None,
    metric: str = "euclidean",
    stand: bool = False,
    method: str = "average",
    par_method: ArrayLike | None = None,
    keep_diss: bool | None = None,
    keep_data: bool | None = None,
    *,
    call: str | None = None,
) -> AgnesResult:
    """Agglomerative nesting, as R's ``agnes`` of package cluster.

    Parameters
    ----------
    x : array_like, data frame or Dist
        Data of shape (n, p), NaN where missing; or dissimilarities, (n (n - 1) / 2,) or (n, n).
    diss : bool, optional
        As of :func:`pam`.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance between rows.
    stand : bool, default=False
    method : {"average", "single", "complete", "ward", "weighted", "flexible", "gaverage"}, default="average"
        How the dissimilarity of clusters follows from those of their parts. May be abbreviated.
    par_method : float or array_like of shape (3,) or (4,), optional
        Coefficients of Lance and Williams, dimensionless, of "flexible" and "gaverage": one number alpha of
        "flexible" stands for (alpha, alpha, 1 - 2 alpha, 0), and beta of "gaverage", by default -0.1, for
        (1 - beta, 1 - beta, beta, 0), of which the first two are weighted by sizes.
    keep_diss, keep_data : bool, optional
        Whether the result has the dissimilarities (by default for fewer than 100 objects) and the data (by
        default where data are given).
    call : str, optional

    Returns
    -------
    AgnesResult
        ``order`` (n,), the objects from 1 in the order of the banner; ``height`` (n - 1,), between
        neighbours in it, in the unit of the dissimilarities; ``ac``, the agglomerative coefficient,
        dimensionless; ``merge`` (n - 1, 2), objects with a minus sign, or steps; ``diss``; ``call``;
        ``method``; ``order.lab``, the names in that order, where there are some; ``data``.

    Raises
    ------
    RError
        With R's message: data that are not numbers, missing dissimilarities, fewer than two objects, unknown
        method, coefficients that are needed or too many.
    ValueError
        Dissimilarities of another shape, or an unknown `metric`.

    See Also
    --------
    diana : The reverse way.
    hclust : Trees with the same heights, sorted.

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley, New York, chapter 5.

    Examples
    --------
    >>> from sparsek.rcompat import agnes
    >>> tree = agnes([[1.0], [2.0], [4.0], [8.0]], method="single")
    >>> tree.height.tolist(), tree.ac
    ([1.0, 2.0, 4.0], 0.5)
    """
    full = partial_match(method, METHODS)
    objects, given = _objects(x, diss, metric, stand, "NA-values in the dissimilarity matrix not allowed.")
    if full is None:
        raise RError("invalid clustering method", f"method must be one of {', '.join(METHODS)}")
    update = _update(full, par_method)
    _require_pairs(objects, "need at least 2 objects to cluster", "NA-values in the dissimilarity matrix.")
    tree = agglomerate(objects.d, update, METHODS.index(full) + 1)
    fields = _fields(tree, "ac", objects, keep_diss, call) | {"method": full}
    return AgnesResult(fields | _rest(tree, objects, given, keep_data), objects.names)


def diana(
    x: ArrayLike,
    diss: bool | None = None,
    metric: str = "euclidean",
    stand: bool = False,
    keep_diss: bool | None = None,
    keep_data: bool | None = None,
    *,
    call: str | None = None,
) -> DianaResult:
    """Divisive analysis, as R's ``diana`` of package cluster.

    Parameters
    ----------
    x : array_like, data frame or Dist
        As of :func:`agnes`.
    diss : bool, optional
        As of :func:`pam`.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance between rows.
    stand : bool, default=False
    keep_diss, keep_data : bool, optional
        As of :func:`agnes`.
    call : str, optional
        As of :func:`agnes`.

    Returns
    -------
    DianaResult
        As of :func:`agnes`, with ``dc``, the divisive coefficient, in place of ``ac``, and no ``method``. The
        heights are the diameters of the clusters before they are split.

    Raises
    ------
    RError, ValueError
        As of :func:`agnes`.

    See Also
    --------
    agnes : The reverse way.

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley, New York, chapter 6.

    Examples
    --------
    >>> from sparsek.rcompat import diana
    >>> tree = diana([[1.0], [2.0], [4.0], [8.0]])
    >>> tree.order.tolist(), tree.height.tolist()
    ([1, 2, 3, 4], [1.0, 3.0, 7.0])
    """
    objects, given = _objects(x, diss, metric, stand, MISSING_PAIRS)
    _require_pairs(objects, "'n' must be >= 2", "NA's in dissimilarity matrix.")
    tree = divide(objects.d)
    fields = _fields(tree, "dc", objects, keep_diss, call)
    return DianaResult(fields | _rest(tree, objects, given, keep_data), objects.names)


def _objects(x: Any, diss: Any, metric: Any, stand: Any, missing: str) -> tuple[Objects, bool]:
    """What is to be clustered, and whether dissimilarities were given."""
    given = is_triangle(x) if diss is None else as_flag(diss, "diss")
    if given:
        return given_dissimilarities(x, missing), True
    if metric not in ("euclidean", "manhattan"):
        raise ValueError(f'metric must be "euclidean" or "manhattan"; got {metric!r}')
    return rows_as_objects(x, metric, stand, NOT_NUMERIC), False


def _require_pairs(objects: Objects, message: str, missing: str) -> None:
    """Refuse a single object, and rows without a column in common."""
    if len(objects.d) < 2:
        raise RError(message, "x has one object")
    if _has_no_number(objects):
        raise RError(NO_NUMBER, "x has no numbers, or stand=True and only constant columns")
    if np.isnan(objects.d).any():
        raise RError(
            f"No clustering performed, {missing}\n", "two rows have no column in common: drop or impute rows"
        )
    if np.isinf(objects.d).any():  # R's tree has infinite heights, and a coefficient that is not a number
        raise ValueError("dissimilarities are infinite; divide the data so that squares are finite")


def _has_no_number(objects: Objects) -> bool:
    """Whether all of the data are missing, as given or after they are standardised."""
    if objects.matrix is None or objects.data is None:
        return False
    standardised = "scaled:center" in objects.data.attributes
    return bool(np.isnan(objects.data if standardised else objects.matrix.values).all())


def _fields(tree: Banner, name: str, objects: Objects, keep: Any, call: str | None) -> dict[str, Any]:
    """The fields that both results have first."""
    kept = len(objects.d) < KEPT_BELOW if keep is None else as_flag(keep, "keep_diss")
    return {
        "order": tree.order,
        "height": tree.heights,
        name: tree.coefficient,
        "merge": tree.merge,
        "diss": kept_dissimilarities(objects) if kept else None,
        "call": None if call is None else Call(call),
    }


def _rest(tree: Banner, objects: Objects, given: bool, keep: Any) -> dict[str, Any]:
    """The names in the order of the banner, and the data."""
    kept = not given if keep is None else as_flag(keep, "keep_data")
    if kept and given:
        raise RError("Cannot keep data when 'x' is a dissimilarity!", "leave keep_data out")
    names = objects.names
    fields: dict[str, Any] = {}
    if names is not None:
        fields["order.lab"] = np.array([names[i - 1] for i in tree.order])
    return fields | ({"data": objects.data} if kept else {})


def _update(method: str, given: Any) -> Update:
    """The dissimilarities of a merged cluster by a method."""
    if method in UPDATES:
        return UPDATES[method]
    if given is None and method == "flexible":
        raise RError('argument "par.method" is missing, with no default', "flexible needs it")
    numbers = [BETA] if given is None else as_vector(given, "par_method").tolist()
    return partial(_flexible, coefficients=_coefficients(method, numbers), by_size=method == "gaverage")


def _coefficients(method: str, given: Sequence[float]) -> tuple[float, float, float, float]:
    """The four coefficients of Lance and Williams."""
    if len(given) not in (1, 3, 4):
        raise RError("'par.method' must be of length 1, 3, or 4", f"got {len(given)} numbers")
    if len(given) == 1:
        (number,) = given
        if method == "gaverage":
            return 1 - number, 1 - number, number, 0.0
        return number, number, 1 - 2 * number, 0.0
    first, second, third, *rest = given
    return first, second, third, rest[0] if rest else 0.0


def _flexible(
    to_a: FloatArray,
    to_b: FloatArray,
    between: float,
    sizes: FloatArray,
    a: float,
    b: float,
    *,
    coefficients: tuple[float, float, float, float],
    by_size: bool,
) -> FloatArray:
    """The formula of Lance and Williams."""
    first, second, third, fourth = coefficients
    if by_size:
        first, second = first * a / (a + b), second * b / (a + b)
    found = first * to_a + second * to_b + third * between
    return found + fourth * np.abs(to_a - to_b) if fourth else found


def _average(
    to_a: FloatArray, to_b: FloatArray, between: float, sizes: FloatArray, a: float, b: float
) -> FloatArray:
    """Means over all pairs of objects."""
    return a / (a + b) * to_a + b / (a + b) * to_b


def _ward(
    to_a: FloatArray, to_b: FloatArray, between: float, sizes: FloatArray, a: float, b: float
) -> FloatArray:
    """Ward's method, on squares."""
    total = a + b + sizes
    squares = (a + sizes) / total * to_a * to_a + (b + sizes) / total * to_b * to_b
    return np.asarray(np.sqrt(squares - sizes / total * between * between))


UPDATES: dict[str, Update] = {
    "average": _average,
    "single": lambda to_a, to_b, *_: np.minimum(to_a, to_b),
    "complete": lambda to_a, to_b, *_: np.maximum(to_a, to_b),
    "ward": _ward,
    "weighted": lambda to_a, to_b, *_: 0.5 * to_a + 0.5 * to_b,
}
"""The methods without coefficients."""
