"""Outcomes of the tests in the report: read from the JUnit file of pytest, counted for each requirement."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.validation.report.test_report import build, make_result, write
from validation.report import outcomes
from validation.report.build import render_html
from validation.report.outcomes import load_tests
from validation.report.requirements import requirement_rows
from validation.report.risks import requirements_gist, verdict_sentence

TESTS = """import pytest

@pytest.mark.parametrize("number", [1, 2, 3])
def test_numbers(number):
    if number == 3:
        pytest.skip("three")

def test_wrong():
    assert 1 == 2

@pytest.fixture
def broken():
    raise ValueError

def test_of_a_broken_fixture(broken):
    pass
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pytest writes about a file of tests in a folder `tests`."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_made_up.py").write_text(TESTS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--junitxml=tests.xml",
        "tests",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder / "tests.xml"


def test_outcomes_are_counted_by_file_and_by_function(written: Path) -> None:
    run = load_tests(written)
    assert run is not None
    file = "tests/test_made_up.py"
    assert run.of([file]) == {"passed": 2, "failed": 2, "skipped": 1}
    assert run.of([f"{file}::test_numbers"]) == {"passed": 2, "failed": 0, "skipped": 1}
    assert run.of([f"{file}::test_numbers", file]) == run.of([file])
    assert run.of(["tests/test_made.py", f"{file}::test_number"]) == {"passed": 0, "failed": 0, "skipped": 0}
    assert {word: run.total()[word] for word in outcomes.WORDS} == run.of([file])
    assert run.created.startswith("20")


def test_without_a_file_there_are_no_outcomes(tmp_path: Path) -> None:
    assert load_tests(tmp_path / "tests.xml") is None
    rows = requirement_rows([], None)
    assert all(row["outcomes"] is None for row in rows)
    page = render_html(build(make_result(1)), "0" * 64)
    assert "run <code>make test</code>, then <code>make validate</code> again" in page
    table = page[page.index('aria-label="Requirements"') :]
    assert table.count('<span class="none">not run</span>') == len(rows)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "tests.xml").write_text("<testsuites><testsuite>", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"tests\.xml is damaged .*; run make test again, or delete the file"
    ):
        load_tests(tmp_path / "tests.xml")


def test_files_changed_after_the_tests_make_them_outdated(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "ROOT", written.parent)
    assert not load_tests(written).outdated
    os.utime(written, (0, 0))
    assert load_tests(written).outdated


def test_the_verdict_fails_with_a_failed_test(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "_is_outdated", lambda _: False)
    code, page, numbers = write(tmp_path, build(make_result(1), tests=load_tests(written)))
    assert (code, numbers["passed"], numbers["tests"]["failed"]) == (1, False, 2)
    assert "sparsek validation report: fail</title>" in page
    assert "Fail: 2 tests failed; sparsek agrees with R in all comparisons made, 1 exactly" in page
    assert "tests/test_made_up.py::<wbr>test_of_a_broken_fixture</code>" in page
    printed = capsys.readouterr().out
    assert "FAIL: 1 of 1 parity cases exact" in printed
    assert (
        "FAIL: 2 tests failed, which section 8 of the report names\nFAIL is about R and the tests;" in printed
    )
    differing = build(make_result(1, exact=False, worst_lre=6.0), tests=load_tests(written))
    assert verdict_sentence(differing).startswith("Fail: 2 tests failed; sparsek differs from R in 1 of 1 ")


def test_a_failed_test_before_the_last_change_says_nothing_of_these_files(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "_is_outdated", lambda _: True)
    built = build(make_result(1), tests=load_tests(written))
    assert built["passed"]
    assert verdict_sentence(built).startswith("Pass, which is about R alone: sparsek agrees with R")
    page = render_html(built, "0" * 64)
    assert "failed" not in page[: page.index('id="parity"')]


def test_the_verdict_is_about_tests_that_passed(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "_is_outdated", lambda _: False)
    run = load_tests(written)
    assert run is not None
    passed = {name: Counter({"passed": 1}) for name in run.counts}
    built = build(make_result(1), tests=replace(run, counts=passed))
    assert verdict_sentence(built).startswith("Pass, which is about R and the tests: sparsek agrees with R")


def test_the_summary_counts_requirements_by_what_their_tests_gave() -> None:
    found = [
        {"passed": 3, "failed": 0, "skipped": 1},
        {"passed": 3, "failed": 1, "skipped": 0},
        {"passed": 0, "failed": 0, "skipped": 2},
        {"passed": 0, "failed": 0, "skipped": 0},
    ]
    rows = [{"id": f"R-{i}", "outcomes": counts, "lacks": []} for i, counts in enumerate(found)]
    report = {"tests": {"outdated": False}, "requirements": rows}
    assert requirements_gist(report) == ("4; tests of 1 passed, 1 failed, 1 skipped, 1 only in make test-all")
    assert requirements_gist({**report, "tests": None}) == "4; their tests were not run (make test runs them)"
    outdated = {**report, "tests": {"outdated": True}}
    assert requirements_gist(outdated) == "4; files were changed since their tests ran (make test runs them)"
    rows[0]["lacks"] = ["faults were not tried"]
    assert requirements_gist(report).endswith("only in make test-all; the record does not bear out R-0")
    assert requirements_gist({**report, "tests": None}).endswith("; the record does not bear out R-0")
