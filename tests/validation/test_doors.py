"""Every public function, called as in its docstring with one wrong value, gives a clear error or a result."""

import importlib
import inspect
import zlib
from typing import Any

import pytest

from validation.fuzz import doors
from validation.fuzz.judge import CLEAR, RIGHT, judge

SECONDS = 30.0
SHARE = 4
"""Wrong values tried of each parameter; the fuzzer tries all of them, with the other examples too."""


def wrong_values(name: str, parameter: str) -> list[Any]:
    """The same few values in every run, others for another parameter or function."""
    first = zlib.crc32(f"{name} {parameter}".encode())
    n = len(doors.WRONG)
    return [doors.WRONG[(first + i * n // SHARE) % n] for i in range(SHARE)]


def test_every_wrong_value_is_tried_somewhere() -> None:
    tried = {id(value) for name in doors.NAMES for value in wrong_values(name, "x")}
    assert tried == set(map(id, doors.WRONG))


def test_functions_are_found_from_the_public_names() -> None:
    found = set(doors.NAMES)
    assert {"metrics.dunn_index()", "plots.plot_weights()", "rcompat.hclust()", "sparsek.thin()"} <= found
    assert {"anndata.cluster()", "summary.summarise()"} <= found
    assert not [name for name in found if "fetch_" in name]


@pytest.mark.thorough
def test_the_example_of_every_function_with_arguments_calls_it() -> None:
    silent = [name for name in doors.NAMES if not doors.known_calls(name)]
    assert [name for name in silent if has_arguments(*doors.functions()[name])] == []


def has_arguments(module: str, name: str) -> bool:
    """Whether a function takes anything that is changed."""
    known = inspect.signature(getattr(importlib.import_module(module), name)).parameters
    return bool(set(known) - set(doors.OUTSIDE))


def test_the_calls_of_an_example_are_kept_as_they_were_made() -> None:
    (call, *_) = doors.known_calls("metrics.misclassification_error()")
    assert call.arguments["labels_true"] == [0, 0, 0, 1, 1, 1]
    assert doors.parameters_of(call) == ["labels_true", "labels_pred", "matching"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", doors.NAMES)
def test_wrong_values_get_clear_errors(name: str) -> None:
    findings = []
    for call in doors.known_calls(name)[:1]:
        for parameter in doors.parameters_of(call):
            for value in wrong_values(name, parameter):
                made = doors.changed_call(name, call, parameter, value)
                outcome = judge(made, SECONDS)
                if outcome.kind not in (RIGHT, CLEAR):
                    findings.append(f"{outcome.kind}: {made.text}: {outcome.detail} at {outcome.place}")
    assert not findings
