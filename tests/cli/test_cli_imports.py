"""No command imports anything from the current folder, and neither do the processes that it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.cli_runner import make_frame
from tests.places import ROOT

PLANTED = ("numpy", "scipy", "pandas", "sklearn", "joblib", "typer", "typing", "json", "csv", "sparsek_more")
"""Modules of the names of others, of Python's own and of nobody."""
AT_ONCE = """
import contextlib, io, sys
from sparsek.cli import main
for words in {commands}:
    sys.argv = ["sparsek", *words]
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(words[0], code)
"""
"""The installed command `sparsek`, several times in one process."""
DATA = ("d.csv", "--id-col", "id")
COMMANDS = {
    "fit": ["fit", *DATA, "--k", "3", "--select", "2", "--n-init", "2", "--out", "o", "--no-plots"],
    "report": ["report", "o"],
    # Processes of joblib, which Python starts by -c and -m: with the current folder first, if it may.
    "tune": [
        "tune",
        *DATA,
        "--k",
        "3",
        "--permutations",
        "2",
        "--select",
        "1,2",
        "--criterion",
        "gap",
        "--n-jobs",
        "2",
    ],
    "test": ["test", *DATA, "--k", "3", "--select", "2", "--n-init", "2", "--null", "9"],
    "methods": ["methods"],
    "port": ["port", "--hints", "a.R"],
    "--version": ["--version"],
}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with data, and with code that tells when it is run; a library without a checkout beside it."""
    folder, library = tmp_path / "here", tmp_path / "library"
    for path in (folder / "validation" / "compare", folder / "r_reference", library):
        path.mkdir(parents=True)
    (library / "sparsek").symlink_to(ROOT / "sparsek")
    telling = f"open({str(tmp_path / 'told')!r}, 'a').write(__name__ + ' ')\n"
    files = [f"{name}.py" for name in PLANTED] + [
        f"{name}/__init__.py" for name in ("validation", "r_reference")
    ]
    for name in (*files, "validation/__main__.py", "validation/compare/own_call.py"):
        (folder / name).write_text(telling)
    make_frame().to_csv(folder / "d.csv")
    (folder / "a.R").write_text("x <- kmeans(y, 3)\n")
    return folder


def done(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """A process in the folder, with the library that has no checkout; nothing planted has run."""
    environment = {**os.environ, "PYTHONPATH": str(folder.parent / "library")}
    environment.pop("PYTHONSAFEPATH", None)
    found = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, cwd=folder, env=environment
    )
    told = folder.parent / "told"
    assert not told.exists(), told.read_text()
    return found


@pytest.mark.thorough  # each command is a process
def test_commands_import_nothing_from_the_current_folder(planted: Path) -> None:
    compare = ["compare", *DATA, "--call", "kmeans(centers=3)", "--seed", "1"]
    script = planted.parent / "sparsek.py.txt"  # in a folder of its own, as scripts of packages are
    script.write_text(AT_ONCE.format(commands=[*COMMANDS.values(), compare, ["validate"]]))
    found = done(planted, script)
    wanted = [f"{name} 0" for name in COMMANDS] + ["compare 2", "validate 2"]
    assert found.stdout.splitlines() == wanted, found.stderr


def test_python_m_imports_nothing_from_the_current_folder(planted: Path) -> None:
    found = done(planted, "-m", "sparsek", "methods")
    assert (found.returncode, found.stderr) == (0, "")
    assert "skfr" in found.stdout
    found = done(planted, "-m", "sparsek", "validate")
    assert found.returncode == 2
    assert "--checkout . for the current folder" in found.stderr


def test_another_package_run_by_m_keeps_its_current_folder(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text("import sparsek\nfrom sparsek import SKFR\n")
    (tmp_path / "theirs" / "__main__.py").write_text("import beside\nprint(beside.found)\n")
    (tmp_path / "beside.py").write_text("found = 2\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "theirs"]
    found = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (0, "2\n"), found.stderr


def test_ports_import_what_stands_beside_the_script_alone(planted: Path) -> None:
    from sparsek.port.recording import run_python

    scripts = planted.parent / "scripts"
    scripts.mkdir()
    (scripts / "beside.py").write_text("found = 2.0\n")
    (scripts / "a.py").write_text("from beside import found\nimport numpy\ny = numpy.sqrt(found)\n")
    before = Path.cwd()
    os.chdir(planted)
    try:
        recording = run_python(scripts / "a.py")
    finally:
        os.chdir(before)
    assert len(recording.statements) == 3
    assert not (planted.parent / "told").exists()


def test_a_checkout_that_is_named_is_run(planted: Path) -> None:
    code = "from sparsek.cli import main; import sys; sys.argv[0] = 'sparsek'; main()"
    environment = {**os.environ, "PYTHONPATH": str(planted.parent / "library")}
    command = [sys.executable, "-P", "-c", code, "validate", "--checkout", "."]
    subprocess.run(command, capture_output=True, cwd=planted, env=environment)
    assert "validation" in (planted.parent / "told").read_text()
