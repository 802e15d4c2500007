"""What the searches share that take their parameters as a dict: GridSearch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sparsek.methods.search.parameter_search import ParameterSearch
from sparsek.methods.shared import parameters as allowed


def _are_parameters(given: Any) -> bool:
    """Whether the value is a dict with at least one name."""
    return isinstance(given, Mapping) and bool(given) and all(isinstance(name, str) for name in given)


PARAMETERS = allowed.Described(
    "a dict of parameters of the estimator and their values, at least one",
    _are_parameters,
)


class GridSearch(ParameterSearch):
    """Base of the searches with `params`, a dict of names and values."""

    params: Mapping[str, Any]
    _named_by = "params"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: allowed_values
        for name, allowed_values in ParameterSearch._parameter_constraints.items()
        if name not in ("param_name", "param_range")
    } | {"params": [PARAMETERS]}

    def _names_and_ranges(self) -> tuple[str | Sequence[str], Any]:
        if len(self.params) == 1:
            return next(iter(self.params.items()))
        return tuple(self.params), tuple(self.params.values())
