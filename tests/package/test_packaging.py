"""The installed package: contents and metadata of wheel and source archive, extras, citation file."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
import yaml

import sparsek
from r_reference.recipes import load_table
from tests.docs.test_cli_docs import blocks_of, steps_of, strip_ends
from tests.places import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
# Files that the targets of the Makefile read, beside the package.
NEEDED_BY_MAKE = """
    Makefile pyproject.toml README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md PKG-INFO
    .ci/run .ci/constraints.txt .ci/constraints-main.txt .ci/constraints-cells.txt .ci/install-rpy2
    .ci/conda/recipe.yaml validation/__main__.py validation/report/report.html.j2
    validation/report/style.css validation/report/requirements.toml validation/report/deviations.toml
    r_reference/packages/Gmedian/tolerances.toml r_reference/packages/sparcl/VERSION r_reference/cases.json
    r_reference/record.R r_reference/install.R validation/mutants/settings.toml
    validation/mutants/equivalent.toml
    r_reference/data/iris.csv tests/conftest.py docs/conf.py
"""
IMPORT_ALL = """
import importlib, pkgutil, sparsek
names = [module.name for module in pkgutil.walk_packages(sparsek.__path__, "sparsek.")]
for name in names:
    importlib.import_module(name)
print(sparsek.__file__, len(names))
"""


def need(*modules: str) -> None:
    """Skip, with the reason, if a tool is missing."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: make test-all installs it")


def run_python(*arguments: object, **options: Any) -> str:
    """Output of this interpreter, run in another folder."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Source archive, and the wheel that is built from it."""
    need("build", "hatchling", "hatch_fancy_pypi_readme")
    folder = tmp_path_factory.mktemp("dist")
    run_python("-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def wheel_metadata(wheel: Path) -> Message:
    """Metadata of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_wheel_holds_the_package_alone(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as archive:
        names = set(archive.namelist())
    info = f"sparsek-{sparsek.__version__}.dist-info"
    outside = {name for name in names if not name.startswith("sparsek/")}
    files = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    assert outside == {f"{info}/{name}" for name in files}
    assert {"sparsek/py.typed", "sparsek/__init__.pyi", "sparsek/datasets/registry.toml"} <= names
    suffixes = {Path(name).suffix for name in names - outside}
    assert suffixes <= {".py", ".pyi", ".typed", ".toml", ".R"}
    assert not [name for name in names if re.search(r"(^|/)(tests?|validation|r_reference|docs)/", name)]


def test_every_module_of_the_wheel_is_imported(archives: tuple[Path, Path], tmp_path: Path) -> None:
    need("typer", "matplotlib", "dask")
    with zipfile.ZipFile(archives[1]) as archive:
        archive.extractall(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    shown = run_python("-c", IMPORT_ALL, cwd=tmp_path, env=environment).split()
    assert shown[0] == str(tmp_path / "sparsek" / "__init__.py")
    assert int(shown[1]) > 150


def test_a_newcomer_installs_the_wheel_and_fits_a_file(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """The commands of docs/newcomer.md with the installed script instead of this checkout."""
    need("pip", "typer", "matplotlib")
    prefix = tmp_path / "prefix"
    install = (
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-compile",
        "--ignore-installed",
        "--prefix",
        prefix,
    )
    run_python("-m", "pip", "--disable-pip-version-check", *install, archives[1])
    (library,) = prefix.rglob("site-packages")
    environment = os.environ | {"PYTHONPATH": str(library), "MPLBACKEND": "agg", "SPARSEK_ENGINE": "numpy"}
    run_python("-c", blocks_of("newcomer.md", "python")[0][1], cwd=tmp_path)
    for _, block in blocks_of("newcomer.md", "console"):
        for line, expected in steps_of(block):
            name, *arguments = shlex.split(line)
            if name == "sparsek":
                script = prefix / "bin" / "sparsek"
                done = subprocess.run(
                    [script, *arguments],
                    env=environment,
                    cwd=tmp_path,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                # The page shows the engine of an installation without numba.
                printed, shown = [
                    re.sub(r"\(engine .*\)$", "", text, flags=re.MULTILINE)
                    for text in (done.stdout + done.stderr, expected)
                ]
                assert strip_ends(printed) == strip_ends(shown)
    assert (tmp_path / "result" / "weights.png").stat().st_size > 0


def test_metadata(archives: tuple[Path, Path]) -> None:
    metadata = wheel_metadata(archives[1])
    assert metadata["Name"] == "sparsek"
    assert metadata["Version"] == sparsek.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    extras = {
        "anndata",
        "cli",
        "dask",
        "datasets",
        "fast",
        "files",
        "foreign",
        "inference",
        "plot",
        "r",
        "validation",
    }
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {re.split(r"[^\w-]", line)[0] for line in required} == {
        "joblib", "numpy", "pandas", "scikit-learn", "scipy", "statsmodels", "threadpoolctl", "tqdm",
    }  # fmt: skip
    with zipfile.ZipFile(archives[1]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "sparsek = sparsek.cli:main" in archive.read(name).decode()


def test_twine_finds_nothing(archives: tuple[Path, Path]) -> None:
    need("twine")
    assert run_python("-m", "twine", "--no-color", "check", "--strict", *archives).count("PASSED") == 2


def test_source_archive_validates_itself(archives: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    names = {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}
    assert set(NEEDED_BY_MAKE.split()) <= names
    recorded = {file.relative_to(ROOT).as_posix() for file in ROOT.glob("r_reference/recorded/*/*.jsonl")}
    assert recorded <= names
    made = re.compile(r"__pycache__|^(report|results|build|dist)/|docs/(_build|_made|auto_examples)/|\.pyc$")
    assert not [name for name in names if made.search(name)]
    environment = os.environ | {"PYTHONPATH": str(root)}
    count = sum(case["function"] == "median" for case in load_table()["cases"])
    command = ("-m", "validation", "parity", "--cases", "^median-")
    shown = run_python(*command, cwd=root, env=environment)
    assert shown.splitlines()[-1] == f"{count} of {count} comparisons exact"


def test_the_script_of_the_conda_recipe_builds_from_the_source_archive(
    archives: tuple[Path, Path], tmp_path: Path
) -> None:
    need("pip")
    recipe = yaml.safe_load((ROOT / ".ci" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    source = recipe["source"]["path"].replace("${{ version }}", recipe["context"]["version"])
    assert source == f"../../dist/{archives[0].name}"
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    python, *arguments = recipe["build"]["script"].split()
    assert python == "python"
    run_python(*arguments, "--no-compile", "--ignore-installed", "--prefix", tmp_path / "prefix", cwd=root)
    assert (tmp_path / "prefix" / "bin" / "sparsek").is_file()
    assert list(tmp_path.glob("prefix/lib/python*/site-packages/sparsek/__init__.py"))


def test_citation_file() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    # The keys that the schema of CFF 1.2.0 requires, and the values that it restricts.
    assert {"authors", "cff-version", "message", "title"} <= citation.keys()
    assert citation["type"] == "software"
    assert citation["license"] == PROJECT["license"]
    assert str(citation["version"]) == PROJECT["version"] == sparsek.__version__
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert citation["url"] == PROJECT["urls"]["Documentation"]
    year = citation["date-released"].year  # YAML reads a date
    for page in ("README.md", "docs/citing.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"The sparsek developers ({year})" in text
        assert re.search(rf"[Vv]ersion {re.escape(PROJECT['version'])}\.", text)
    assert f"  version = {{{PROJECT['version']}}},\n  year = {{{year}}}\n" in text
    for work in citation["references"]:
        assert {"type", "title", "authors"} <= work.keys()
        assert work["type"] in {"article", "conference-paper"}
        assert all({"family-names", "given-names"} == author.keys() for author in work["authors"])


def test_badges_are_local_and_true() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    badges = dict(re.findall(r"!\[([^\]]*: [^\]]*)\]\((docs/badges/\w+\.svg)\)", readme))
    assert len(badges) == 4
    for text, path in badges.items():
        assert f"<title>{text}</title>" in (ROOT / path).read_text(encoding="utf-8")
    assert f"python: {PROJECT['requires-python'].removeprefix('>=')} or newer" in badges
    assert f"licence: {PROJECT['license']}" in badges
    compiled = {".c", ".cpp", ".pyx", ".f", ".f90", ".rs", ".so"}
    assert not [file for file in (ROOT / "sparsek").rglob("*") if file.suffix in compiled]
    assert not re.search(r"!\[[^\]]*\]\(https?:", readme)
