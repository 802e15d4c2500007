"""The workflows, the templates and the security page fit the project."""

import re
import subprocess
from typing import Any

import pytest
import yaml

from tests.package.test_packaging import PROJECT
from tests.places import ROOT

GITHUB = ROOT / ".github"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def load(path: str) -> Any:
    """A file of .github."""
    return yaml.safe_load((GITHUB / path).read_text(encoding="utf-8"))


def test_the_wheel_is_tested_on_every_python_and_three_systems() -> None:
    jobs = load("workflows/release.yml")["jobs"]
    matrix = jobs["wheel"]["strategy"]["matrix"]
    last = [line.rpartition(" :: ")[2] for line in PROJECT["classifiers"]]
    assert matrix["python"] == [word for word in last if word.startswith("3.")]
    assert len(matrix["os"]) == 3
    assert jobs["publish"]["needs"] == "wheel"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}  # trusted publishing: no password is kept


@pytest.mark.parametrize(("name", "at_least"), [("release", 8), ("test", 4), ("explore", 2)])
def test_steps_are_scripts_that_bash_reads_and_name_what_exists(name: str, at_least: int) -> None:
    steps = [step for job in load(f"workflows/{name}.yml")["jobs"].values() for step in job["steps"]]
    scripts = [step["run"] for step in steps if "run" in step]
    assert len(scripts) >= at_least
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        named = re.findall(r"(?<![\w/])(?:tests|\.ci)/[\w./-]+", script)
        assert all((ROOT / path).exists() for path in named)
        targets = re.findall(r"^make ([\w-]+)$", script, flags=re.MULTILINE)
        assert set(targets) <= set(re.findall(r"^([\w-]+):", MAKEFILE, flags=re.MULTILINE))
    assert name == "explore" or "python -m pytest -q -n auto " in "\n".join(scripts)


def test_templates_ask_for_something() -> None:
    forms = [path.name for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    assert len(forms) == 3
    for name in forms:
        form = load(f"ISSUE_TEMPLATE/{name}")
        assert {"name", "description", "body"} <= form.keys()
        assert all(field["validations"]["required"] for field in form["body"])
