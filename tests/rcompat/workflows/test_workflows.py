"""Whole R scripts and their ports: every object, the printed text, the warnings and the stream are equal."""

from __future__ import annotations

import contextlib
import io
import json
import re
import runpy
import shutil
import subprocess
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r_reference import bridge
from sparsek import rcompat
from sparsek.errors import RWarning
from sparsek.rcompat.base.arrays import RArray, names_of
from tests.places import ROOT
from validation.parity.outcome import state_digest

FOLDER = Path(__file__).parent
NAMES = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.R"))
"""The scripts, as "sparcl/hierarchical"."""
PACKAGES = (
    "sparcl",
    "kpodclustr",
    "Gmedian",
    "wskm",
    "RSKC",
    "clues",
    "cluster",
    "fpc",
    "mclust",
    "jsonlite",
)


@cache
def port(name: str) -> dict[str, Any]:
    """Run a port under R's default generators and seed 1: objects, printed text, warnings, stream."""
    rcompat.RNGkind("default", "default", "default")
    rcompat.set_seed(1)
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        objects = runpy.run_path(str(FOLDER / f"{name}.py"))
    state = state_digest(rcompat.resolve_rng())
    return {
        "objects": objects,
        "printed": printed.getvalue().splitlines(),
        "warnings": [str(entry.message) for entry in caught if issubclass(entry.category, RWarning)],
        "state": state,
        "next": rcompat.runif(2),
    }


def numbers(texts: list[str]) -> np.ndarray:
    """R's numbers, of which NA is NaN here."""
    return np.array([np.nan if text == "NA" else float(text) for text in texts])


def differing(where: str, r: Any, ours: Any) -> list[str]:
    """The places where a value of ours differs from R's, with its parts."""
    if "list" in r:
        members = r["list"]
        pairs = members.items() if isinstance(members, dict) else enumerate(members)
        found = [(f"{where}${key}", member, _member(ours, key)) for key, member in pairs]
        return [text for place, member, value in found for text in differing(place, member, value)]
    if ours is None:
        return [f"{where}: we have none"]
    if "text" in r:
        categories = str(getattr(ours, "dtype", "")) == "category"
        texts = [str(label) for label in ours] if categories else np.ravel(ours).tolist()
        return [] if texts == r["text"] else [f"{where}: R has {r['text']}, we have {ours}"]
    return _differing_numbers(where, r, ours)


def _member(ours: Any, key: Any) -> Any:
    """A member of a list of ours, None where it has none."""
    named = isinstance(ours, Mapping | pd.DataFrame)
    known = ours is not None and (key in ours if named else isinstance(key, int) and key < len(ours))
    found = ours[key] if known else None
    return found.reset_index(drop=True) if isinstance(ours, pd.DataFrame) and known else found


def _differing_numbers(where: str, r: Any, ours: Any) -> list[str]:
    """As `differing`, for numbers, with their extents, and their names where ours have some."""
    if isinstance(ours, Mapping):
        ours = RArray(list(ours.values()), names=list(ours))
    theirs, array = numbers(r["values"]), np.asarray(ours, dtype=np.float64)
    extents = r.get("dim", [len(theirs)])
    if list(np.atleast_1d(array).shape) != extents:
        return [f"{where}: R's extents are {extents}, ours {array.shape}"]
    flat = array.ravel(order="F")
    same = (flat == theirs) & (np.signbit(flat) == np.signbit(theirs)) | np.isnan(flat) & np.isnan(theirs)
    if not same.all():
        i = int(np.argmin(same))
        return [f"{where}: R has {float(theirs[i])!r}, we have {float(flat[i])!r} at place {i + 1}"]
    names = names_of(ours) if array.ndim == 1 else None
    if names is not None and names != r.get("names"):
        return [f"{where}: R's names are {r.get('names')}, ours {names}"]
    dimnames = ours.attributes.get("dimnames") if isinstance(ours, RArray) and array.ndim == 2 else None
    if dimnames is not None and [part or [] for part in dimnames] != r.get("dimnames"):
        return [f"{where}: R's dimnames are {r.get('dimnames')}, ours {dimnames}"]
    return []


def check(name: str, recorded: dict[str, Any]) -> None:
    """A port leaves what R left."""
    ours = port(name)
    found = [
        text
        for key, r in recorded["objects"].items()
        for text in differing(key, r, ours["objects"].get(key.replace(".", "_")))
    ]
    assert found == []
    assert ours["printed"] == recorded["printed"]
    assert ours["warnings"] == recorded["warnings"]
    assert ours["state"].tolist() == numbers(recorded["state"]).tolist()
    assert ours["next"].tolist() == numbers(recorded["next"]).tolist()


@pytest.fixture(autouse=True)
def default_generators():
    yield
    rcompat.RNGkind("default", "default", "default")


LONG = "medoids/gap"
"""A script that takes a quarter of the time of all: `cluster_gap` with R's draws."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name == LONG else ()) for name in NAMES]
)
def test_port_equals_the_recorded_script(name: str, record_property: Callable[[str, object], None]) -> None:
    record_property("recorded", 1)
    check(name, json.loads((FOLDER / "recorded" / f"{name}.json").read_text(encoding="utf-8")))


def require_r() -> None:
    """Skip the test where R or one of its packages is missing."""
    for package in PACKAGES:
        found, reason = bridge.available(package)
        if not found:
            pytest.skip(reason)
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts' objects from a running R."""
    require_r()
    folder = tmp_path_factory.mktemp("live")
    done = subprocess.run(
        ["Rscript", str(FOLDER / "record.R"), str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.live_r
@pytest.mark.parametrize("name", NAMES)
def test_port_equals_the_script_in_a_running_r(name: str, live: Path) -> None:
    check(name, json.loads((live / f"{name}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("r", "ours", "found"),
    [
        ({"values": ["1", "NA"]}, [1, np.nan], ""),
        ({"values": ["0.10000000000000001"]}, 0.1, ""),
        ({"values": ["0.10000000000000001"]}, np.nextafter(0.1, 1), "v: R has 0.1"),
        ({"values": ["0"]}, -0.0, "v: R has 0.0"),
        ({"values": ["1", "2"]}, [1], "v: R's extents are [2]"),
        ({"dim": [1, 2], "values": ["1", "2"]}, [1, 2], "v: R's extents are [1, 2]"),
        ({"names": ["a"], "values": ["1"]}, {"b": 1}, "v: R's names are ['a']"),
        (
            {"dim": [1, 1], "values": ["1"]},
            RArray([[1.0]], dimnames=(["a"], None)),
            "v: R's dimnames are None",
        ),
        ({"text": ["a"]}, ["b"], "v: R has ['a']"),
        ({"text": ["2"]}, pd.Categorical([2]), ""),
        ({"list": {"a": {"values": ["1"]}}}, {"b": 1}, "v$a: we have none"),
        ({"list": [{"values": ["1"]}, {"values": ["2"]}]}, [1], "v$1: we have none"),
    ],
)
def test_every_difference_is_found(r: dict[str, Any], ours: Any, found: str) -> None:
    texts = differing("v", r, ours)
    assert [text.startswith(found) for text in texts] == ([True] if found else [])


def test_the_guide_shows_the_whole_script() -> None:
    page = (
        (ROOT / "docs" / "migrating-from-r.md")
        .read_text(encoding="utf-8")
        .partition("## A whole script\n")[2]
    )
    for language, ending in (("r", "R"), ("python", "py")):
        (text,) = re.findall(rf"```{language}\n(.*?)```", page.partition("\n## ")[0], flags=re.DOTALL)
        assert text == (FOLDER / "sparcl" / f"whole_script.{ending}").read_text(encoding="utf-8")
