"""`sparsek port` on whole scripts as people write them: it reports no difference."""

import pytest

from sparsek.port.comparing import compare_scripts
from sparsek.port.hints import find_hints
from tests.rcompat.workflows.test_workflows import FOLDER, NAMES, require_r

PAIRS = [name for name in NAMES if name.startswith(("answers", "labs", "medoids", "sparcl/sparse"))]
"""Scripts of courses, answers to questions, and of package cluster."""


@pytest.mark.live_r
@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_equal_scripts_are_reported_as_equal(name: str) -> None:
    require_r()
    comparison = compare_scripts(FOLDER / f"{name}.R", FOLDER / f"{name}.py")
    assert comparison.passed, comparison.as_text()


@pytest.mark.parametrize("name", PAIRS)
def test_hints_leave_nothing_without_a_way(name: str) -> None:
    hints = find_hints((FOLDER / f"{name}.R").read_text(encoding="utf-8"))
    assert [hint.call for hint in hints if hint.python is None and not hint.remark] == []
