"""Every command of the pages that a newcomer reads first runs as it is written.

The quick form runs what is ours with this interpreter in a temporary folder.  Of commands that install
or make something it checks that the files, extras and targets exist.  The slow form types the pages in
order into a shell, with a fresh environment, a fresh copy of the last commit and no compiled loops from
before.  It needs the package index.  `make readme` does so for README, and this for all three:

    SPARSEK_FRESH=1 python -m pytest -s tests/docs/test_newcomer.py -k fresh

It prints each command with the second at which it began, and compares what Python blocks print with the page.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

from sparsek.cli._app import app
from tests.places import ROOT

PAGES = ("README.md", "docs/start.md", "docs/newcomer.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"sparsek-{PROJECT['version']}"


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Kind and text of the fenced blocks."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def commands_in(kind: str, block: str) -> list[str]:
    """The command lines: all lines of a shell block, those after a $ of the others."""
    lines = block.splitlines()
    if kind == "sh":
        return [line for line in lines if line]
    return [
        line.removeprefix("$ ") for line in lines if kind in ("console", "text") and line.startswith("$ ")
    ]


def check_install(requirement: str) -> None:
    """Refuse an install line with a file or an extra that does not exist."""
    what, _, extras = requirement.rstrip("]").partition("[")
    assert what in (".", "build", f"dist/{NAME}-py3-none-any.whl"), requirement
    assert set(filter(None, extras.split(","))) <= set(PROJECT["optional-dependencies"]), requirement


def check_preparation(line: str, words: list[str]) -> None:
    """Refuse a command that prepares something, unless what it names exists."""
    if words[:4] == ["python", "-m", "pip", "install"] or words[:2] == ["pip", "install"]:
        for requirement in words[words.index("install") + 1 :]:
            check_install(requirement)
    elif words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in words[1:]), line
    else:
        known = ("python -m build", "python -m venv new", ". new/bin/activate")
        assert line in (*known, f"tar xzf dist/{NAME}.tar.gz", f"cd {NAME}"), (
            f"{line} is not run by this test"
        )


def run_here(line: str) -> None:
    """Run a command of ours in this process; check others."""
    words = shlex.split(line)
    if words[0] == "head":
        assert Path(words[-1]).is_file()
    elif words[0] != "sparsek":
        check_preparation(line, words)
    elif words[1] != "compare":  # needs R: tests/docs/test_cli_docs.py
        done = CliRunner().invoke(app, words[1:])
        assert done.exit_code == 0, done.output


def without_ends(text: str) -> list[str]:
    """The lines without trailing blanks."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_all_commands_are_in_blocks(page: str) -> None:
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    assert not re.findall(r"^ {4}\S.*$", text, flags=re.MULTILINE)
    kinds = {kind for kind, _ in blocks_of(page)}
    assert kinds <= {"python", "text", "sh", "console", "r"}


@pytest.mark.parametrize("page", PAGES)
def test_commands_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    names: dict[str, Any] = {}
    before, printed = "", ""
    for kind, block in blocks_of(page):
        for line in commands_in(kind, block):
            run_here(line)
        if kind == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile(block, page, "exec"), names)
            printed = stream.getvalue()
        elif kind == "text" and before == "python":
            assert without_ends(printed) == without_ends(block)
        before = kind
    plt.close("all")


def r_is_old() -> bool:
    """Whether R is older than 4.5, so that the page asks for an older rpy2."""
    found = re.search(r"R version (\d+)\.(\d+)", subprocess.getoutput("R --version"))
    return found is not None and (int(found[1]), int(found[2])) < (4, 5)


END_OF_BLOCK = "\f"
"""What the script prints between the Python blocks of a page, which are one session."""


def as_script(page: str) -> str:
    """The page as a shell script, which writes what a Python block prints to the file ``$PRINTED/number``.

    A Python block comes after those before it, whose names it uses. What is installed from the copy runs
    outside of it, where Python finds no other sparsek.
    """
    lines, session = ["PS4='+ $SECONDS s: '", "set -ex", "copy=$PWD"], ""
    for number, (kind, block) in enumerate(blocks_of(page)):
        if kind == "python":
            session += f"print({END_OF_BLOCK!r}, end='')\n{block}"
            lines.append(f"cat > block.py <<'PAGE'\n{session}PAGE\npython block.py > \"$PRINTED/{number}\"")
        for line in commands_in(kind, block):
            lines += as_typed(line)
    return "\n".join(lines) + "\n"


def as_typed(line: str) -> list[str]:
    """What the script runs for a command of a page."""
    if line.startswith("make "):  # minutes each; continuous integration runs them
        return [line.replace("make", 'make -n -C "$copy"', 1)]
    if line.startswith("sparsek compare") and shutil.which("R") is None:
        return []
    if ",r]" in line:
        line = line.replace(",r]", "]") if shutil.which("R") is None else line
        line += ' "rpy2==3.5.17"' if r_is_old() else ""
    return [line, "mkdir ../empty", "cd ../empty"] if 'install ".[' in line else [line]


def shown_after_python(page: str) -> Iterator[tuple[int, str]]:
    """The number of every Python block whose output the page shows, and the output."""
    blocks = blocks_of(page)
    for number, ((kind, _), (following, shown)) in enumerate(pairwise(blocks)):
        if (kind, following) == ("python", "text"):
            yield number, shown


@pytest.mark.skipif("SPARSEK_FRESH" not in os.environ, reason="SPARSEK_FRESH=1 runs it: minutes of work")
@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs_in_a_fresh_copy(page: str, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", tmp_path / "copy"], check=True)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "fresh"], check=True)
    (tmp_path / "printed").mkdir()
    environment = os.environ | {
        "PATH": f"{tmp_path / 'fresh' / 'bin'}:{os.environ['PATH']}",
        "PIP_CONSTRAINT": str(ROOT / ".ci" / "constraints-main.txt"),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PRINTED": str(tmp_path / "printed"),
        "MPLBACKEND": "agg",
    }
    for name in ("PYTHONPATH", "SPARSEK_ENGINE"):
        environment.pop(name, None)
    command = ["bash", "-c", as_script(page)]
    done = subprocess.run(
        command, cwd=tmp_path / "copy", env=environment, capture_output=True, text=True, check=False
    )
    print(page, *(line for line in done.stderr.splitlines() if re.match(r"\+ \d+ s: ", line)), sep="\n")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for number, shown in shown_after_python(page):
        printed = (tmp_path / "printed" / str(number)).read_text(encoding="utf-8")
        assert without_ends(printed.rpartition(END_OF_BLOCK)[2]) == without_ends(shown)
