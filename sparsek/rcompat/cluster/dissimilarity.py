"""R's class of dissimilarities, with the metric and the types of the variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.stats.api_summary import summary
from sparsek.rcompat.stats.distances.api_dist import Dist, as_class

DIGITS = 5
"""Significant digits of a summary."""


class Dissimilarity(Dist):
    """Dissimilarities of the pairs of objects, printed as by R's package cluster.

    An array of shape (n (n - 1) / 2,) like `Dist`. ``attributes`` has R's ``Size``, ``Labels`` where the
    objects have names, ``Metric`` and, of mixed variables, ``Types``, a list of letters.
    """

    r_class = ("dissimilarity", "dist")

    def __str__(self) -> str:
        if not self.attributes:
            return super().__str__()
        body = super().__str__() if self.size else "dissimilarity(0)"
        return f"Dissimilarities :\n{body}\n{self._said()}"

    def _said(self) -> str:
        """The lines below a print."""
        types = self.attributes.get("Types")
        said = "" if types is None else f";  Types = {', '.join(types)} "
        lines = [
            "",
            f"Metric :  {self.attributes['Metric']} {said}",
            f"Number of objects : {self.attributes['Size']}",
        ]
        return "\n".join(lines)

    def summary(self) -> RList:
        """R's ``summary``: ``summ`` of the numbers to 5 digits, ``n``, ``Size``, ``Metric``, ``Types``."""
        known = {name: value for name, value in self.attributes.items() if name != "Labels"}
        numbers = summary(np.asarray(self))
        rounded = [float(f"{v:.{DIGITS - 1}e}") if np.isfinite(v) else v for v in numbers.tolist()]
        fields = {"summ": type(numbers)(rounded, **numbers.attributes), "n": self.size, **known}
        return DissimilaritySummary(fields, self._said().removeprefix("\n"))


def as_dissimilarity(values: FloatArray, attributes: dict[str, Any]) -> Dissimilarity:
    """An array as dissimilarities with R's attributes, without a copy."""
    made = as_class(values, attributes, Dissimilarity)
    assert isinstance(made, Dissimilarity)
    return made


class DissimilaritySummary(RList):
    """Summary of dissimilarities, printed as by R."""

    def __init__(self, fields: dict[str, Any], said: str) -> None:
        super().__init__(fields)
        self._said = said

    def __str__(self) -> str:
        return f"{self['n']} dissimilarities, summarized :\n{self['summ']}\n{self._said}"
