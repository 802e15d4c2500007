"""The estimators in the variants of the registry, on which scikit-learn's checks run."""

from collections.abc import Iterable
from typing import Any

import pytest

import sparsek
from sparsek._registry import ESTIMATORS

VARIANTS = [text for row in ESTIMATORS for text in row.checks or [f"{row.name}()"]]
"""Every variant as text, such as ``SKFR(loss='absolute')``."""
FIRST = {row.checks[0] if row.checks else f"{row.name}()" for row in ESTIMATORS if row.method}
"""One variant of each estimator: the only ones that take part in `make test` where a test tries many.

Searches fit an estimator many times, and are left to `make test-all`.
"""
SEARCHES = {row.checks[0] if row.checks else f"{row.name}()" for row in ESTIMATORS if not row.method}
"""One variant of each search and filter."""
NAMES = {name: getattr(sparsek, name) for name in sparsek.__all__}


def make(text: str) -> Any:
    """The estimator of a text."""
    return eval(text, NAMES)


def bodies(model: Any) -> tuple[type | None, ...]:
    """The classes that define fit, predict and transform of an estimator."""
    return tuple(
        next((cls for cls in type(model).__mro__ if name in vars(cls)), None)
        for name in ("fit", "predict", "transform")
    )


def one_of_each_body(models: Iterable[Any]) -> list[Any]:
    """The first of those whose fit, predict and transform are the same lines."""
    found: dict[Any, Any] = {}
    for model in models:
        found.setdefault(bodies(model), model)
    return list(found.values())


def first_in_short(texts: Iterable[str]) -> list[Any]:
    """Parameters of a test: all but the first variants of the estimators are left to `make test-all`."""
    return [pytest.param(text, marks=() if text in FIRST else pytest.mark.thorough) for text in texts]
