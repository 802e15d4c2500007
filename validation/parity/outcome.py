"""Outcome of one of our calls, or of a recorded one, in the form of R's records."""

import inspect
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from r_reference.case_parts import Case
from r_reference.formals import python_name
from r_reference.listing import find_twin, our_calls
from r_reference.recipes import decode_args, decode_numbers
from r_reference.records import read_record
from sparsek.engine import compiled_calls
from sparsek.errors import BlasDependentWarning, RError
from sparsek.rng import RRandom

Outcome = dict[str, Any]
"""Members ``value`` (flat dict of arrays), ``error`` (text or None), ``warnings`` (list of texts), ``state``
(digest of the stream), ``next`` (two uniforms drawn afterwards), ``seconds``; of ours also
``rests_on_blas``: whether R's own answer depends on its BLAS, and ``compiled``: whether compiled loops
ran."""


def flatten_value(value: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """A result as a flat dict of arrays, with the names of ``flatten_value`` in evaluate.R."""
    if isinstance(value, Mapping):
        members = value.items()
    elif isinstance(value, list):
        members = ((str(i + 1), member) for i, member in enumerate(value))
    else:
        array = np.atleast_1d(np.asarray(value, dtype=float)) if value is not None else np.empty(0)
        return {prefix or "value": array} if array.size else {}
    flat: dict[str, np.ndarray] = {}
    for name, member in members:
        flat |= flatten_value(member, f"{prefix}${name}" if prefix else name)
    return flat


def state_digest(rng: RRandom) -> np.ndarray:
    """Kind code, position or first word, sum and weighted sum of the other words, all exact in double."""
    state = rng.random_seed.astype(float)
    words = state[2:]
    return np.array([state[0], state[1], words.sum(), (words * np.arange(1, words.size + 1)).sum()])


def _make_call(function: str, args: Mapping[str, Any], rng: RRandom) -> Any:
    """Call a function: the data first, the other arguments by name, the stream if it takes one."""
    call = our_calls().get(function) or find_twin(function)
    if call is None:
        raise NotImplementedError(f"we have no {function}: no ours.py in r_reference/packages names it")
    named = {python_name(name): value for name, value in args.items()}
    data = [named.pop("x")] if "x" in named else []
    if "rng" in inspect.signature(call).parameters:
        named["rng"] = rng
    return call(*data, **named)


def call_ours(setting: Mapping[str, Any], args: Mapping[str, Any]) -> Outcome:
    """Make our call."""
    rng = RRandom(setting["seed"], sample_kind=setting["sample_kind"])
    rng.skip(setting["before"])
    value, error, before = None, None, compiled_calls()
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = _make_call(setting["function"], args, rng)
        except RError as exception:
            error = exception.r_message
        except Exception as exception:  # any other error is reported as a difference from R
            error = f"{type(exception).__name__}: {exception}"
    seconds = time.perf_counter() - started
    return {
        "value": {} if error is not None else flatten_value(value),
        "error": error,
        "warnings": [str(w.message) for w in caught if not issubclass(w.category, BlasDependentWarning)],
        "rests_on_blas": any(issubclass(w.category, BlasDependentWarning) for w in caught),
        "compiled": compiled_calls() > before,
        "state": state_digest(rng),
        "next": rng.runif(2),
        "seconds": seconds,
    }


def run_ours(case: Mapping[str, Any], x: np.ndarray | None) -> Outcome:
    """Make our call of a case; ``x`` is its input matrix, None without one."""
    return call_ours(case, decode_args(case, x))


def _decode_field(field: Mapping[str, Any]) -> np.ndarray:
    """A recorded vector or matrix."""
    values = decode_numbers(field["values"])
    return values.reshape(field["dim"], order="F") if "dim" in field else values


def load_record(case: Case) -> dict[str, Any]:
    """The record of a case: ``input``, ``result`` (an `Outcome`) and ``provenance``.

    Raises FileNotFoundError if the case has not been recorded; ``Rscript r_reference/record.R`` records it.
    """
    record = read_record(case)
    result = record["result"]
    result["value"] = {name: _decode_field(field) for name, field in result["value"].items()}
    result["state"], result["next"] = decode_numbers(result["state"]), decode_numbers(result["next"])
    result["seconds"] = record.pop("seconds")
    return record


def as_fields(outcome: Outcome) -> dict[str, Any]:
    """The compared fields of an outcome: values, error, warnings, stream."""
    return {
        **outcome["value"],
        "error": outcome["error"],
        "warnings": list(outcome["warnings"]),
        "stream state": outcome["state"],
        "next draws": outcome["next"],
    }
