"""`python -m validation times`: what it measures, keeps and writes for README."""

import subprocess
from pathlib import Path

import pytest

from validation import times
from validation.__main__ import main

MAKEFILE = """\
quick:
\t@echo done
wrong:
\t@false
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two commands, of which one fails."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "First"]):
        subprocess.run([*git, *command], cwd=folder, check=True)
    monkeypatch.setattr(times, "ROOT", folder)
    monkeypatch.setattr(times, "COMMANDS", {"make quick": "ends", "make wrong": "fails"})
    return folder


def test_times_of_what_ended_well_are_kept(
    project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["times", "--output", str(tmp_path)]) == 1
    assert "make wrong ended with 2: its times are not kept" in capfd.readouterr().out
    lines = times.times_in_words(tmp_path).splitlines()
    assert "| `make quick` | ends | 0.0 minutes | 0.0 minutes |" in lines
    assert "| `make wrong` | fails | not measured | not measured |" in lines
    assert " cores, with" in lines[-1]


def test_without_a_record_no_time_is_stated(tmp_path: Path) -> None:
    text = times.times_in_words(tmp_path)
    assert text.count("not measured") == 2 * len(times.COMMANDS)
    assert text.endswith("in a fresh clone, one after the other.")
