"""The pages with commands: every command and Python block prints what the page shows."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

from r_reference import bridge
from sparsek.cli._app import app
from tests.places import ROOT

DOCS = ROOT / "docs"
PAGES = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("command-line.md", "newcomer.md")}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def blocks_of(page: str, *kinds: str) -> list[tuple[str, str]]:
    """Kind and text of the blocks of a page; only of the given kinds, if any."""
    return [block for block in BLOCK.findall(PAGES[page]) if not kinds or block[0] in kinds]


def steps_of(block: str) -> list[tuple[str, str]]:
    """The command lines of a block, each with its output."""
    steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(line, expected) for line, _, expected in (step.partition("\n") for step in steps)]


def strip_ends(text: str) -> list[str]:
    """The lines without trailing blanks, and without empty lines at the start and end."""
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def shown_files(command: list[str]) -> str:
    """Output of ``head -n 3 file``."""
    name, flag, count, file = command
    assert (name, flag) == ("head", "-n")
    return "".join(Path(file).read_text(encoding="utf-8").splitlines(keepends=True)[: int(count)])


def run_command(line: str) -> str:
    """Output of a command of a page, run in this process."""
    command = shlex.split(line)
    if command[0] == "sparsek":
        return CliRunner().invoke(app, command[1:]).output
    return shown_files(command)


def run_python(block: str, names: dict[str, Any]) -> str:
    """Output of a Python block."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(block, "page", "exec"), names)
    return stream.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_the_commands_print(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    names: dict[str, Any] = {}
    before, printed, n_steps = "", "", 0
    for kind, block in blocks_of(page):
        if kind == "python":
            printed = run_python(block, names)
        elif kind == "text" and before == "python":
            assert strip_ends(printed) == strip_ends(block)
        elif kind == "console":
            for line, expected in steps_of(block):
                assert strip_ends(run_command(line)) == strip_ends(expected), line
                n_steps += 1
        before = kind
    plt.close("all")
    assert n_steps > 2


@pytest.mark.live_r
@pytest.mark.parametrize("page", PAGES)
def test_comparisons_with_r_are_as_shown(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, reason = bridge.available("sparcl")
    if not found:
        pytest.skip(reason)
    folder = tmp_path / "sparsek"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    run_python(next(block for _, block in blocks_of(page, "python") if "to_csv" in block), {})
    shown = [step for _, block in blocks_of(page, "text") for step in steps_of(block)]
    (comparison,) = [step for step in shown if step[0].startswith("sparsek compare")]
    if "../" in comparison[0]:
        monkeypatch.chdir(folder)  # the unpacked source archive
        for name in ("validation", "r_reference"):
            (folder / name).symlink_to(ROOT / name)
    assert strip_ends(run_command(comparison[0])) == strip_ends(comparison[1])


@pytest.mark.live_r
def test_the_port_of_a_script_is_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    monkeypatch.chdir(tmp_path)
    for _, block in blocks_of("command-line.md", "python"):
        if "cells.csv" in block:
            run_python(block, {})
    shown = [step for _, block in blocks_of("command-line.md", "text") for step in steps_of(block)]
    (port,) = [step for step in shown if step[0].startswith("sparsek port")]
    assert strip_ends(run_command(port[0])) == strip_ends(port[1])
    assert Path("port.html").is_file()


@pytest.mark.live_r
def test_r_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, reason = bridge.available("sparcl")
    if not found or shutil.which("Rscript") is None:
        pytest.skip(reason or "Rscript is not on PATH")
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of("newcomer.md")
    run_python(next(block for kind, block in blocks if kind == "python"), {})
    (at,) = [index for index, (kind, _) in enumerate(blocks) if kind == "r"]
    (tmp_path / "page.R").write_text(blocks[at][1], encoding="utf-8")
    done = subprocess.run(["Rscript", "page.R"], capture_output=True, text=True, check=True)
    assert strip_ends(done.stdout) == strip_ends(blocks[at + 1][1])
