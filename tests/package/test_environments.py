"""What installs and runs the tests: pins of each environment, targets of make, the workflow of every push."""

import re
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.package.test_packaging import PROJECT, SETTINGS
from tests.package.test_release import load
from tests.places import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
EXTRAS = PROJECT["optional-dependencies"]
GROUPS = SETTINGS["dependency-groups"]
ENVIRONMENTS = ("constraints-main.txt", "constraints-cells.txt")


def recipe_of(target: str) -> list[str]:
    """The commands of a target, variables replaced by their values; ``python`` is that of .venv."""
    variables = dict(re.findall(r"^(\w+) = (.*)$", MAKEFILE, flags=re.MULTILINE))
    (recipe,) = re.findall(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", MAKEFILE, flags=re.MULTILINE)
    while "$(" in recipe:
        recipe = re.sub(r"\$\((\w+)\)", lambda name: variables[name[1]], recipe)
    return [line.strip().replace(".venv/bin/python", "python") for line in recipe.splitlines()]


def read_pins(name: str) -> dict[str, str]:
    """Versions by package of a file of pins and of the file that it includes."""
    lines = (ROOT / ".ci" / name).read_text(encoding="utf-8").splitlines()[1:]
    shared = {}
    if lines[0].startswith("-c "):
        shared = read_pins(lines.pop(0).removeprefix("-c "))
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert lines == sorted(lines, key=str.lower)
    own = {canonicalize_name(line.partition("==")[0]): line.partition("==")[2] for line in lines}
    assert not own.keys() & shared.keys()
    return shared | own


def excluded(pins: dict[str, str]) -> list[str]:
    """Pins that another package excludes, of those that are installed here in their pinned version."""
    found = []
    for package in distributions():
        if pins.get(canonicalize_name(package.name)) != package.version:
            continue
        for needed in map(Requirement, package.requires or ()):
            version = pins.get(canonicalize_name(needed.name))
            wanted = needed.marker is None or needed.marker.evaluate({"extra": ""})
            if version and wanted and not needed.specifier.contains(version, prereleases=True):
                found.append(f"{package.name} {package.version} needs {needed}, and {version} is pinned")
    return found


def of_extra(extra: str) -> list[str]:
    """What an extra requires, with the extras that it names."""
    own, others = [], []
    for line in EXTRAS[extra]:
        named = re.fullmatch(r"sparsek\[([\w,]+)\]", line)
        others += named[1].split(",") if named else []
        own += [] if named else [line]
    return own + [line for name in others for line in of_extra(name)]


def of_group(group: str) -> list[str]:
    """What a group requires, with the groups that it includes."""
    entries = GROUPS[group]
    included = [entry["include-group"] for entry in entries if isinstance(entry, dict)]
    own = [entry for entry in entries if isinstance(entry, str)]
    return own + [line for name in included for line in of_group(name)]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_pin_excludes_another(name: str) -> None:
    assert excluded(read_pins(name)) == []


def test_a_pin_that_another_excludes_is_found() -> None:
    (found,) = excluded({"pytest": pytest.__version__, "pluggy": "0.1"})
    assert re.fullmatch(r"pytest .* needs pluggy.*, and 0\.1 is pinned", found)


def test_a_target_installs_every_extra_and_every_group_by_pins() -> None:
    installed = set()
    for environment, folder in (("main", "VENV"), ("cells", "CELLS")):
        targets = re.findall(rf"^(\$\({folder}\)/[\w-]+):", MAKEFILE, flags=re.MULTILINE)
        recipes = [line for target in targets for line in recipe_of(target)]
        commands = "\n".join(line for line in recipes if "pip install" in line)
        assert commands.count("pip install") == commands.count(f" -c .ci/constraints-{environment}.txt ")
        extras = ",".join(re.findall(r" -e '\.\[([\w,]+)\]'", commands)).split(",")
        wanted = {line for name in extras for line in of_extra(name)}
        wanted |= {line for name in re.findall(r" --group (\w+)", commands) for line in of_group(name)}
        required = {canonicalize_name(Requirement(line).name) for line in {*wanted, *PROJECT["dependencies"]}}
        assert required <= read_pins(f"constraints-{environment}.txt").keys() - {"sparsek"}
        installed |= wanted
    of_all = {line for name in EXTRAS for line in of_extra(name)}
    of_all |= {line for name in GROUPS for line in of_group(name)}
    assert of_all - installed == set(EXTRAS["r"])  # the version of rpy2 depends on R: .ci/install-rpy2


def test_a_page_says_what_every_extra_adds() -> None:
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| ", page, flags=re.MULTILINE)) == EXTRAS.keys()


def test_groups_leave_the_package_itself_to_the_command() -> None:
    """`pip install --group test` alone would bring a published sparsek."""
    lines = [line for group in GROUPS for line in of_group(group)]
    assert "sparsek" not in {canonicalize_name(Requirement(line).name) for line in lines}
    assert not GROUPS.keys() & EXTRAS.keys()


def test_no_test_of_anndata_or_scanpy_is_skipped_by_its_target() -> None:
    pattern = re.compile(r"""(?:importorskip|find_spec)\(["'](anndata|scanpy)""")
    files = {
        path: set(pattern.findall(path.read_text(encoding="utf-8"))) for path in ROOT.glob("tests/**/*.py")
    }
    (file,) = [path for path, found in files.items() if found]
    imports, tests = recipe_of("test-cells")
    # What the first command imports, importorskip does not skip.
    assert imports.partition(" -c ")[2] == f'"import {", ".join(sorted(files[file]))}"'
    assert file.relative_to(ROOT).as_posix() in tests.split()


def variables_of(line: str) -> tuple[list[str], str]:
    """The variable that a recipe sets, with its value, and the command."""
    variable, _, command = line.partition(" ")
    return variable.split("="), command


def test_every_push_runs_make_test_on_every_python_and_three_systems() -> None:
    workflow = load("workflows/test.yml")
    assert {"push", "pull_request"} == workflow[True].keys()  # YAML reads "on" as true
    assert workflow["permissions"] == {"contents": "read"}
    job = workflow["jobs"]["test"]
    assert job["strategy"]["matrix"] == load("workflows/release.yml")["jobs"]["wheel"]["strategy"]["matrix"]
    scripts = [step["run"] for step in job["steps"] if "run" in step]
    assert scripts[:2] == [recipe_of("$(VENV)/created")[1], recipe_of("$(VENV)/test")[0]]
    (name, value), command = variables_of(recipe_of("test")[0])
    assert (scripts[-1], job["steps"][-1]["env"]) == (command, {name: value})


def test_every_push_types_readme_in_a_fresh_environment() -> None:
    assert load("workflows/test.yml")["jobs"]["readme"]["steps"][-1] == {"run": "make readme"}
    assert "make readme\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (command,) = recipe_of("readme")
    assert command.startswith("SPARSEK_FRESH=1 python -m pytest -q tests/docs/test_newcomer.py ")


def test_a_release_tests_its_wheel_with_the_same_extras_and_tools() -> None:
    steps = load("workflows/release.yml")["jobs"]["wheel"]["steps"]
    (script,) = [step["run"] for step in steps if "--group" in step.get("run", "")]
    (extras,) = re.findall(r"-e '\.\[([\w,]+)\]' --group test$", recipe_of("$(VENV)/test")[0])
    assert f'.whl)[{extras}]" --group unpacked/pyproject.toml:test' in script


def test_every_push_builds_and_checks_the_pages() -> None:
    *_, script = [step.get("run") for step in load("workflows/test.yml")["jobs"]["docs"]["steps"]]
    assert f" {script}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    released = [step.get("run") for step in load("workflows/release.yml")["jobs"]["docs"]["steps"]]
    assert "make docs-check" in released
    assert script.split()[:2] == ["make", "docs-check"]
    checks = [line.rpartition(" ")[2] for line in recipe_of("docs-check")]
    assert checks == ["docs/check_links.py", "docs/check_layout.py"]
    assert all((ROOT / path).is_file() for path in checks)


def test_every_target_has_its_line_of_help() -> None:
    targets = MAKEFILE.rpartition(".PHONY: ")[2].split()
    helped = re.findall(r'^\t@echo "make ([\w-]+)  ', MAKEFILE, flags=re.MULTILINE)
    assert set(targets) - set(helped) == {"help", "rpy2"}
