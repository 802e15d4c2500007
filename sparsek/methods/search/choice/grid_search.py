"""What the searches share that take their parameters as a dict: GridSearch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from sparsek.inputs.arguments import Described
from sparsek.methods.search.parameter_search import ParameterSearch


def _are_parameters(given: Any) -> bool:
    """Whether the value is a dict with at least one name."""
    return isinstance(given, Mapping) and bool(given) and all(isinstance(name, str) for name in given)


Params = Annotated[
    Mapping[str, Any],
    Described("a dict of parameters of the estimator and their values, at least one", _are_parameters),
]


class GridSearch(ParameterSearch):
    """Base of the searches with `params`, a dict of names and values."""

    params: Mapping[str, Any]
    _named_by = "params"

    def _names_and_ranges(self) -> tuple[str | Sequence[str], Any]:
        if len(self.params) == 1:
            return next(iter(self.params.items()))
        return tuple(self.params), tuple(self.params.values())
