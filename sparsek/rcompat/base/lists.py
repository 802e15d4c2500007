"""R's named list: a mapping with R's field names, attributes with underscores, and R's way of printing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sparsek.rcompat.base.printing import format_value


class RList(Mapping[str, Any]):
    """A result as R returns it.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data, used for printing.

    Examples
    --------
    >>> fit = RList({"tot.withinss": 2.5, "iter": 1})
    >>> fit["tot.withinss"], fit.tot_withinss
    (2.5, 2.5)
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        row_names: list[str] | None = None,
        column_names: list[str] | None = None,
    ) -> None:
        self._fields = dict(fields)
        self._by_attribute = {name.replace(".", "_"): name for name in self._fields}
        self.row_names = row_names
        self.column_names = column_names

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        by_attribute = self.__dict__.get("_by_attribute", {})
        if name in by_attribute:
            return self._fields[by_attribute[name]]
        raise AttributeError(f"no field {name!r}; the fields are {', '.join(by_attribute) or 'not set'}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._by_attribute]

    def __str__(self) -> str:
        return "\n".join(f"${name}\n{format_value(value)}\n" for name, value in self._fields.items())

    def __repr__(self) -> str:
        return str(self)

    def print(self) -> None:
        """Print the result as R does."""
        print(self)
