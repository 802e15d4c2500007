"""The page on the command line: every command is run and prints what the page shows."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sparsek.cli._app import app

PAGE = (Path(__file__).parent.parent / "docs" / "command-line.md").read_text(encoding="utf-8")


def shown_files(command: list[str]) -> str:
    """What ``head -n 3 file`` prints."""
    name, flag, count, file = command
    assert (name, flag) == ("head", "-n")
    return "".join(Path(file).read_text(encoding="utf-8").splitlines(keepends=True)[: int(count)])


def test_the_page_shows_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(compile(example, "command-line.md", "exec"), {})
    blocks = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) > 7
    for step in steps:
        line, _, expected = step.partition("\n")
        command = shlex.split(line)
        if command[0] == "sparsek":
            printed = CliRunner().invoke(app, command[1:]).output
        else:
            printed = shown_files(command)
        lines = [text.rstrip() for text in printed.rstrip().splitlines()]
        assert lines == [text.rstrip() for text in expected.rstrip().splitlines()], line
