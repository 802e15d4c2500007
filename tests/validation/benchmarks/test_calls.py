"""The runner of the tables: rows of a call, what is left out, calls alone."""

import argparse
from typing import Any

import numpy as np
import pytest

from validation.benchmarks import calls
from validation.benchmarks.calls import Alone, Call, alone, filled, rows_of
from validation.benchmarks.data import groups

SMALL, LARGE = (20, 4, 2), (40, 4, 2)


def options(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"repeats": 1, "large": False, "only": "", "most": 1e9} | given)


def call(**given: Any) -> Call:
    shown: dict[str, Any] = {
        "name": "SKFR",
        "ours": "SKFR({k}, 2, random_state=0).fit(X).labels_",
        "theirs": "sparsek.SKFR({k}, 2, random_state=0).fit(X).labels_",
        "sizes": (SMALL,),
        "large": (LARGE,),
        "peer": "itself",
    }
    return Call(**shown | given)


def test_a_row_for_each_size_and_kind() -> None:
    data = {"noise": groups, "groups": groups}
    found = list(rows_of(call(data=data, goal=(0.5, 0.25)), options(large=True)))
    assert [(row.size, row.data, row.goal) for row in found] == [
        ("(20, 4, 2)", "noise", 0.5),
        ("(20, 4, 2)", "groups", 0.25),
        ("(40, 4, 2)", "noise", 0.5),
        ("(40, 4, 2)", "groups", 0.25),
    ]
    assert all(row.theirs > 0 and row.numpy > 0 for row in found)


@pytest.mark.parametrize("given", [{"only": "KPod"}, {"most": 79}])
def test_calls_and_sizes_are_left_out(given: dict[str, Any]) -> None:
    assert list(rows_of(call(), options(**given))) == []


def test_a_peer_that_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(rows_of(call(module="no_such_package"), options())) == []
    assert "SKFR is not timed: No module named 'no_such_package'" in capsys.readouterr().out


def test_another_result_is_an_error() -> None:
    other = call(theirs="np.arange({n})")
    with pytest.raises(SystemExit, match="the results of SKFR"):
        list(rows_of(other, options()))
    assert len(list(rows_of(call(theirs="np.arange({n})", same=None), options()))) == 1


def test_losses_of_both_sides_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    list(rows_of(call(theirs="np.zeros({n})", same=None, loss=lambda data, found: found.sum()), options()))
    assert capsys.readouterr().out.endswith(", the peer's 0\n")


def test_the_text_has_the_numbers_of_the_size() -> None:
    assert filled("f({n}, {p}, {k}, {s}, {x})", (1, 2, 3, 4)) == "f(1, 2, 3, 4, {x})"


def test_a_call_alone_has_times_memory_and_figures() -> None:
    text = "SKFR({k}, 2, random_state=0).fit(X)"
    (line,) = alone(Alone("SKFR", text, SMALL, seconds=2, figures="found.n_iter_"), options())
    name, *size, wall, cpu, target, megabytes, iterations = line.split()
    assert (name, " ".join(size), target) == ("SKFR", "(20, 4, 2)", "2")
    assert float(wall) > 0
    assert float(cpu) >= 0
    assert float(megabytes) > 0
    assert int(iterations) > 0


def test_a_call_that_fails_shows_its_error() -> None:
    (line,) = alone(Alone("SKFR", "SKFR(99, 2).fit(X)", SMALL), options())
    assert line.endswith("ValueError")
    assert list(alone(Alone("SKFR", "SKFR(2)", SMALL, large=True), options())) == []


def test_numbers_of_other_shapes_are_not_near() -> None:
    assert calls.near([1.0, 2.0], [1.0, 2.0 + 1e-12])
    assert not calls.near([1.0, 2.0], [1.0])
    assert calls.same_numbers([np.nan], [np.nan])
