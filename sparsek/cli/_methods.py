"""The methods that the command line knows, and estimators made from its options."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sklearn.utils import get_tags

import sparsek
from sparsek._registry import ESTIMATORS, Estimator
from sparsek.cli._read import InputError

OPTIONS = {"select": "n_features_to_select", "bound": "l1_bound", "n_init": "n_init"}
"""Options that only some methods have, with the parameters they set."""


METHODS = {row.method: row for row in ESTIMATORS if row.method}
"""The estimators that the command line knows, by their names there."""


def find_method(name: str) -> Estimator:
    """The method of this name; an error that names similar ones otherwise."""
    if name in METHODS:
        return METHODS[name]
    close = get_close_matches(name, METHODS, n=3) or ["the list that `sparsek methods` prints"]
    raise InputError(f"there is no method {name!r}; try {' or '.join(close)}")


def method_class(name: str) -> Any:
    """The class of the method of this name."""
    return getattr(sparsek, find_method(name).name)


def has_parameter(name: str, parameter: str) -> bool:
    """Whether the method's class has the parameter."""
    return parameter in inspect.signature(method_class(name)).parameters


def takes_missing(name: str) -> bool:
    """Whether the method takes data with missing values."""
    return bool(get_tags(method_class(name)()).input_tags.allow_nan)


def takes_constraints(name: str) -> bool:
    """Whether the method takes must-links and cannot-links."""
    return "must_link" in inspect.signature(method_class(name).fit).parameters


def describe_methods() -> list[dict[str, Any]]:
    """One row per method: what `sparsek methods` shows."""
    return [
        {
            "method": name,
            "estimator": method.name,
            "size": next(
                (f"--{key}" for key in ("select", "bound") if has_parameter(name, OPTIONS[key])), ""
            ),
            "missing": takes_missing(name),
            "constraints": takes_constraints(name),
            "local features": method.local,
            "R": method.twin,
            "paper": method.paper,
        }
        for name, method in METHODS.items()
    ]


def check_option(name: str, option: str) -> None:
    """Raise unless the method has the option."""
    if not has_parameter(name, OPTIONS[option]):
        having = [other for other in METHODS if has_parameter(other, OPTIONS[option])]
        flag = "--" + option.replace("_", "-")
        raise InputError(f"method {name} has no {flag}; these have: {', '.join(having)}")


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Parameters from texts ``name=value``; a value is read as a Python literal, or else as text."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set takes name=value, such as --set max_iter=50; got {text!r}")
        try:
            settings[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[name] = value
    return settings


def make_estimator(
    name: str,
    n_clusters: int,
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
) -> Any:
    """The estimator of a method; `options` are those of `OPTIONS`, None where not given."""
    estimator = method_class(name)(n_clusters=n_clusters)
    known = estimator.get_params()
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise InputError(f"method {name} has no parameter {unknown[0]!r}; it has {', '.join(known)}")
    values = dict(settings)
    for option, value in options.items():
        if value is not None:
            check_option(name, option)
            values[OPTIONS[option]] = value
    ambient = {"random_state": seed, "n_jobs": n_jobs}
    return estimator.set_params(**{key: value for key, value in ambient.items() if key in known} | values)
