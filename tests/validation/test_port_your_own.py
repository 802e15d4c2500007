"""The comparison with R in another project: the files and commands of docs/port-your-own.md."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from r_reference import bridge
from r_reference.start import start
from tests.places import ROOT

PAGE = (ROOT / "docs" / "port-your-own.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
"""Kind and text of the blocks, in order."""
NAMED = re.compile(r"# (\S+)\n")
"""The first line of a block that is a file."""
ROOMS = {"bits", "compare", "engine", "errors", "inputs", "rng"}
"""What of sparsek the comparison may load, without modules of its top."""


def environment(folder: Path) -> dict[str, str]:
    """Variables under which `python` is this interpreter and finds sparsek, no other part of the checkout."""
    (folder / "bin").mkdir(parents=True)
    (folder / "sparsek").symlink_to(ROOT / "sparsek")
    program = folder / "bin" / "python"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(folder)}


@dataclass
class Reader:
    """Someone who does what the page says."""

    port: Path
    variables: dict[str, str]
    lasting: list[str] = field(default_factory=list)
    output: str = ""

    def write(self, name: str, text: str) -> None:
        """Write a file of the page."""
        file = self.port / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(self, block: str) -> None:
        """Run a block of commands; folders and variables last."""
        script = "\n".join([*self.lasting, block.replace("../port", str(self.port))])
        done = subprocess.run(
            ["bash", "-c", script], cwd=ROOT, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == ("DIFFERS" in done.stdout), done.stdout + done.stderr
        self.output = done.stdout
        self.lasting += re.findall(r"^(?:cd|export) .*$", script, flags=re.MULTILINE)[len(self.lasting) :]

    def check(self, shown: str) -> None:
        """Look for every line that the page shows; ``...`` stands for anything."""
        for line in filter(None, shown.splitlines()):
            pattern = re.escape(line).replace(re.escape("..."), ".*")
            assert re.search(f"^{pattern}$", self.output, flags=re.MULTILINE), (line, self.output)


@pytest.mark.live_r
def test_the_page_is_what_happens(tmp_path: Path) -> None:
    found, reason = bridge.available("jsonlite")
    if not found:
        pytest.skip(reason)
    if bridge.other_digits():
        pytest.skip(bridge.other_digits())
    reader = Reader(tmp_path / "port", environment(tmp_path / "path"))
    for kind, text in BLOCKS:
        named = NAMED.match(text)
        if kind == "sh":
            reader.run(text)
        elif named:
            reader.write(named[1], text[named.end() :])
        else:
            reader.check(text)
    report = (reader.port / "report.md").read_text(encoding="utf-8")
    assert "367 of 367 comparisons exact" in report
    assert "winsor 0.1.0" in report
    assert "## Differences\n\nNone." in report


def test_the_copy_is_empty_and_loads_no_algorithm(tmp_path: Path) -> None:
    port, variables = tmp_path / "port", environment(tmp_path / "path")
    start(port)
    assert sorted(path.name for path in port.iterdir()) == ["r_reference", "validation"]
    assert sorted(path.name for path in (port / "validation").iterdir()) == ["__init__.py", "parity"]
    code = (
        "import sys, validation.parity.command, validation.parity.command, r_reference.bridge, "
        "r_reference.formals, r_reference.make_cases; "
        "assert validation.__path__[0].startswith(sys.argv[1]); "
        "print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('sparsek.')}))"
    )
    command = [sys.executable, "-c", code, str(port)]
    done = subprocess.run(command, cwd=port, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {room for room in done.stdout.split() if not room.startswith("_")} <= ROOMS
    command = [sys.executable, "-m", "validation.parity"]
    done = subprocess.run(command, cwd=port, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there are no cases; python -m r_reference.make_cases writes their table" in done.stderr


def test_nothing_is_replaced(tmp_path: Path) -> None:
    start(tmp_path)
    with pytest.raises(FileExistsError, match="name a folder without r_reference"):
        start(tmp_path)
    shutil.rmtree(tmp_path / "r_reference")
    with pytest.raises(FileExistsError, match="name a folder without validation"):
        start(tmp_path)
