"""The methods that the command line knows, and estimators made from its options."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from sklearn.utils import get_tags
from sklearn.utils._param_validation import make_constraint

import sparsek
from sparsek._registry import ESTIMATORS, Estimator
from sparsek.cli._cells import InputError

OPTIONS = {
    "select": "n_features_to_select",
    "bound": "l1_bound",
    "groups": "groups",
    "always": "always",
    "never": "never",
    "n_init": "n_init",
}
"""Options that only some methods have, with the parameters they set."""
WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}
"""Words for truth values and None, in any case."""


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
            "purpose": method.purpose,
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


def as_list(rows: Sequence[Mapping[str, Any]]) -> str:
    """Name and purpose of every method, in lines of at most 80 characters."""
    return _aligned(("method", "purpose"), rows)


def as_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All but the purpose: what each method handles, its class, R's function and the paper."""
    heads = ("method", "size", "missing", "constraints", "local features", "estimator", "R", "paper")
    return _aligned(heads, rows)


def _aligned(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """These columns of the rows, as wide as their longest cells."""
    words = {True: "yes", False: ""}
    lines = [heads, *([words.get(row[head], str(row[head])) for head in heads] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def check_constraints(name: str) -> None:
    """Raise unless the method takes must-links and cannot-links."""
    if not takes_constraints(name):
        able = [other for other in METHODS if takes_constraints(other)]
        raise InputError(f"method {name} takes no --constraints; these do: {', '.join(able)}")


def check_categories(name: str) -> None:
    """Raise unless the method takes categories."""
    if not has_parameter(name, "categories"):
        able = [other for other in METHODS if has_parameter(other, "categories")]
        raise InputError(f"method {name} takes no --categories; these do: {', '.join(able)}")


def takes_batches(name: str) -> bool:
    """Whether the method takes the batch of each row."""
    return "batch" in inspect.signature(method_class(name).fit).parameters


def check_batches(name: str) -> None:
    """Raise unless the method takes the batch of each row."""
    if not takes_batches(name):
        able = [other for other in METHODS if takes_batches(other)]
        raise InputError(f"method {name} takes no --batch; these do: {', '.join(able)}")


def check_option(name: str, option: str) -> None:
    """Raise unless the method has the option."""
    if not has_parameter(name, OPTIONS[option]):
        having = [other for other in METHODS if has_parameter(other, OPTIONS[option])]
        flag = "--" + option.replace("_", "-")
        raise InputError(f"method {name} has no {flag}; these have: {', '.join(having)}")


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """Names and values of texts ``name=value``, all as text."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set takes name=value, such as --set max_iter=50; got {text!r}")
        settings[name] = value
    return settings


def parse_value(method: str, parameter: str, text: str) -> Any:
    """The value of the parameter that the text means: the first reading that its constraints allow."""
    constraints = [make_constraint(entry) for entry in method_class(method)._parameter_constraints[parameter]]
    for reading in _readings(text):
        if any(constraint.is_satisfied_by(reading) for constraint in constraints):
            return reading
    flag = str(make_constraint("boolean"))
    shown = ["true or false" if str(entry) == flag else str(entry) for entry in constraints]
    raise InputError(f"parameter {parameter} of method {method} must be {', or '.join(shown)}; got {text!r}")


def _readings(text: str) -> Iterator[Any]:
    """What a text can mean: a truth value, None, a Python literal, a number, or itself."""
    word = text.strip().lower()
    if word in WORDS:
        yield WORDS[word]
    with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        yield ast.literal_eval(text.strip())
    with suppress(ValueError):
        yield float(text)
    yield text


def make_estimator(
    name: str,
    n_clusters: int,
    options: Mapping[str, Any],
    settings: Mapping[str, str],
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
) -> Any:
    """The estimator of a method, checked; `options` are those of `OPTIONS`, None where not given."""
    estimator = method_class(name)(n_clusters=n_clusters)
    known = estimator.get_params()
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise InputError(f"method {name} has no parameter {unknown[0]!r}; it has {', '.join(known)}")
    values = {key: parse_value(name, key, text) for key, text in settings.items()}
    for option, value in options.items():
        if value is not None:
            check_option(name, option)
            values[OPTIONS[option]] = value
    ambient = {"random_state": seed, "n_jobs": n_jobs}
    estimator.set_params(**{key: value for key, value in ambient.items() if key in known} | values)
    estimator._validate_params()
    return estimator
