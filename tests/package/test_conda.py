"""The recipe of the conda package says what pyproject.toml says."""

from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.package.test_environments import EXTRAS, of_extra
from tests.package.test_packaging import PROJECT, SETTINGS
from tests.places import ROOT

RECIPE = yaml.safe_load((ROOT / ".ci" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
NAMES = {"matplotlib": "matplotlib-base", "dask": "dask-core"}
"""What conda calls parts of packages that are whole on PyPI."""


def floors(lines: list[str]) -> dict[str, str]:
    """The oldest version of every package of these requirements, by conda's name; of two the last one."""
    found = {}
    for line in lines:
        needed = Requirement(line)
        name = canonicalize_name(needed.name)
        found[NAMES.get(name, name)] = str(needed.specifier)
    return found


def listed(section: str) -> dict[str, str]:
    """The same of a section of the recipe."""
    lines: list[str] = RECIPE["requirements"][section]
    return {name: version for name, _, version in (line.partition(" ") for line in lines)}


def test_about() -> None:
    about: dict[str, Any] = RECIPE["about"]
    urls = PROJECT["urls"]
    assert RECIPE["package"] == {"name": PROJECT["name"], "version": "${{ version }}"}
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert (about["repository"], about["documentation"]) == (urls["Repository"], urls["Documentation"])
    assert (about["homepage"], about["license"]) == (urls["Repository"], PROJECT["license"])
    assert about["summary"] == PROJECT["description"]
    entries = [entry.split(" = ") for entry in RECIPE["build"]["python"]["entry_points"]]
    assert dict(entries) == PROJECT["scripts"]


def test_requirements() -> None:
    python = {"python": PROJECT["requires-python"]}
    assert listed("host") == python | {"pip": ""} | floors(SETTINGS["build-system"]["requires"])
    assert (
        PROJECT["dependencies"][1] == "numpy>=2.0; sys_platform == 'win32'"
    )  # one package, Windows included
    run = floors(PROJECT["dependencies"] + of_extra("cli"))
    assert listed("run") == python | run
    others = floors([line for extra in EXTRAS for line in of_extra(extra)])
    assert listed("run_constraints") == {name: others[name] for name in others.keys() - run.keys()}
