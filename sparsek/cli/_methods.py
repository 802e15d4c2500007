"""The methods that the command line knows, checks of its options, and estimators made from them.

Light: errors of options come before any library is loaded, and only the method that is used is loaded.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import sparsek
from sparsek._registry import ESTIMATORS, RegistryRow
from sparsek.cli._cells import InputError, check_file
from sparsek.cli._folder import check_folder
from sparsek.cli._options import Choice, Choices, Reading, Running, Writing, check_reading
from sparsek.cli._text import as_separator, parse_orders

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
MOST = 2**31 - 1
"""Largest number of clusters."""
MOST_RUNS = 10**8
"""Largest number of starts."""
SEEDS = 2**32 - 1
"""Largest seed of numpy."""
LIMITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "--k": (lambda k: 1 <= k <= MOST and k == int(k), f"a whole number from 1 to {MOST}"),
    "--select": (
        lambda s: 0 < s < 1 or (1 <= s <= MOST and s == int(s)),
        "a whole number of at least 1, or a share between 0 and 1",
    ),
    "--bound": (lambda s: 1 <= s < math.inf, "a number of at least 1"),
    "--n-init": (lambda n: 1 <= n <= MOST_RUNS, f"a whole number from 1 to {MOST_RUNS}"),
    "--seed": (lambda seed: 0 <= seed <= SEEDS, f"a whole number from 0 to {SEEDS}"),
    "--n-jobs": (lambda n: n != 0, "a number of jobs, or -1 for all cores"),
    "--fdr": (lambda rate: 0 < rate < 1, "a share between 0 and 1"),
    "--null": (lambda n: 1 <= n <= MOST_RUNS, f"a whole number from 1 to {MOST_RUNS}"),
    "--sigma": (lambda sigma: 0 < sigma < math.inf, "a positive number"),
    "--permutations": (lambda n: 2 <= n <= MOST_RUNS, f"a whole number from 2 to {MOST_RUNS}"),
}
"""What the values of options must be, in code and in words."""


def find_method(name: str) -> RegistryRow:
    """The method of this name; an error that names similar ones otherwise."""
    if name in METHODS:
        return METHODS[name]
    close = get_close_matches(name, METHODS, n=3) or ["the list that `sparsek methods` prints"]
    raise InputError(f"there is no method {name!r}; try {' or '.join(close)}")


def method_class(name: str) -> Any:
    """The class of the method of this name."""
    return getattr(sparsek, find_method(name).name)


def takes(name: str, what: str) -> bool:
    """Whether the method has an option, or takes missing values, constraints or batches."""
    return what in find_method(name).takes.split()


def describe_methods() -> list[dict[str, Any]]:
    """One row per method: what `sparsek methods` shows."""
    return [
        {
            "method": name,
            "purpose": method.purpose,
            "estimator": method.name,
            "size": next((f"--{key}" for key in ("select", "bound") if takes(name, key)), ""),
            "missing": takes(name, "missing"),
            "constraints": takes(name, "constraints"),
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


def check_option(name: str, option: str) -> None:
    """Raise unless the method has the option."""
    if not takes(name, option):
        having = [other for other in METHODS if takes(other, option)]
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


def parameters_of(method: str) -> list[str]:
    """Names of the parameters of a method, sorted, from its source: its module would load libraries."""
    row = METHODS[method]
    source = Path(sparsek.__file__).parent / "methods" / f"{row.module.replace('.', '/')}.py"
    nodes = ast.parse(source.read_text(encoding="utf-8")).body
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    own = classes[row.name]
    while True:
        for node in own.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return sorted(argument.arg for argument in [*node.args.args[1:], *node.args.kwonlyargs])
        own = next(
            classes[base.id] for base in own.bases if isinstance(base, ast.Name) and base.id in classes
        )


def parse_value(method: str, parameter: str, text: str) -> Any:
    """The value of the parameter that the text means: the first reading that its constraints allow."""
    from sklearn.utils._param_validation import make_constraint  # late, see the module

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
    values = {key: parse_value(name, key, text) for key, text in settings.items()}
    for option, value in options.items():
        if value is not None:
            values[OPTIONS[option]] = value
    ambient = {"random_state": seed, "n_jobs": n_jobs}
    estimator.set_params(**{key: value for key, value in ambient.items() if key in known} | values)
    estimator._validate_params()
    return estimator


def check_values(**given: Any) -> None:
    """Refuse a value, or one of a list, beyond `LIMITS`; None stands for an option that was not given."""
    for name, values in given.items():
        option = f"--{name.replace('_', '-')}"
        accepts, words = LIMITS[option]
        for value in values if isinstance(values, list) else [values]:
            if value is not None and not accepts(value):
                raise InputError(f"{option} must be {words}; got {value}")


def check_call(
    file: Path, choice: Choice | Choices, writing: Writing, running: Running, reading: Reading, **others: Any
) -> None:
    """Refuse what is wrong with a call of `fit`, `tune` or `test`, whatever is in its file.

    `others` has the values of ``constraints``, ``batch`` and ``weights`` where the command takes them.
    """
    find_method(choice.method)
    settings = parse_settings(choice.settings or [])
    known = parameters_of(choice.method) if settings else []
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise InputError(f"method {choice.method} has no parameter {unknown[0]!r}; it has {', '.join(known)}")
    given = {
        name: getattr(choice, name) for name in ("select", "bound", "groups", "always", "never", "n_init")
    }
    weights = others.pop("weights", None)
    ordered = parse_orders(reading.ordered)
    for name, value in {**given, "categories": reading.categories or ordered or None, **others}.items():
        if value is not None:
            check_option(choice.method, name)
    if weights is not None:
        _check_weights(choice.method)
    check_values(n_init=choice.n_init, seed=running.seed, n_jobs=running.n_jobs)
    if isinstance(choice, Choice):
        check_values(select=choice.select, bound=choice.bound)
    inputs = [file, *(path for path in (choice.groups, others.get("constraints")) if path is not None)]
    for path in inputs:
        check_file(path)
    check_reading(reading)
    if reading.sep is not None:
        as_separator(reading.sep)
    _check_output(writing, inputs)


def _check_weights(name: str) -> None:
    """Raise unless the method takes weights of the rows."""
    from sklearn.utils.validation import has_fit_parameter  # late, see the module

    if has_fit_parameter(method_class(name), "sample_weight"):
        return
    reason = getattr(method_class(name), "_no_weights", None)
    why = f", because {reason.why}; {reason.instead} takes them" if reason else "; skfr takes them"
    raise InputError(f"method {name} takes no --weights{why}")


def _check_output(writing: Writing, inputs: list[Path]) -> None:
    """Refuse an unusable output folder, or pictures without matplotlib."""
    if writing.out is None:
        return
    check_folder(writing.out, writing.force, inputs)
    if writing.plots and find_spec("matplotlib") is None:
        raise InputError('pictures need matplotlib: pip install "sparsek[plot]", or use --no-plots')


def check_proba(writing: Writing, running: Running, constraints: Path | None) -> None:
    """Refuse probabilities without a place, and for pairs of rows, which resamples would tear apart."""
    if writing.out is None and not running.as_json:
        raise InputError(
            "--proba writes a number for each row and cluster: name a folder by --out, or add --json"
        )
    if constraints is not None:
        raise InputError(
            "--proba fits resamples of the rows, and --constraints names pairs of rows that these can lack; "
            "leave one of them out"
        )
