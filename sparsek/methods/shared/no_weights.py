"""Estimators whose rows cannot have weights: why, and how `fit` says so."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple


class NoWeights(NamedTuple):
    """Why a method has no weights of rows, and which one has."""

    why: str  # Follows "because"
    instead: str  # Estimators, as a list in words


def refusal(method: str, why: str, instead: str = "") -> str:
    """The message for weights that a method does not take."""
    remedy = f", or use {instead}" if instead else ""
    return f"{method} does not take sample_weight, because {why}; leave it out{remedy}"


def refuse_weights(cls: Any) -> None:
    """Let `fit` and `fit_predict` of a class refuse weights by name before they do anything.

    Signatures stay as they are, so that scikit-learn sees that weights are not taken.
    """
    for name in ("fit", "fit_predict"):
        method = getattr(cls, name, None)
        if method is not None and not hasattr(method, "refuses_weights"):
            setattr(cls, name, _refusing(method))


def _refusing(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that names the reason for weights, and is itself for all other arguments."""

    @wraps(method)
    def checked(self: Any, *args: Any, sample_weight: Any = None, **named: Any) -> Any:
        if sample_weight is not None:
            name = f"{type(self).__name__}.{method.__name__}"
            raise ValueError(refusal(name, *self._no_weights))
        return method(self, *args, **named)

    checked.refuses_weights = True  # type: ignore[attr-defined]  # a mark, against a second wrapping
    return checked
