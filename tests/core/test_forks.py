"""Tasks in forks of a process that has run tasks in others."""

import os

import pytest

from sparsek.core.tasks import run_tasks


def squares() -> list[int]:
    """Squares, from two processes."""
    return run_tasks(square, [(3,), (4,)], 2, 0, "number")


def square(number: int, stop: list[bool]) -> int:
    return number**2


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
def test_a_fork_has_processes_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the parent take no tasks from a child, which would wait for them without end."""
    from validation.fuzz import processes  # needs POSIX

    assert squares() == [9, 16]
    monkeypatch.setattr(processes, "PATIENCE", 20.0)
    outcome, found = processes.Child(squares).end()
    assert found == [9, 16], outcome
    assert squares() == [9, 16]
