"""Our defaults beside the papers' settings: the table, the signatures, the docstrings and the pages agree."""

import inspect
import re
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString

import sparsek
from sparsek._registry import ESTIMATORS
from tests.places import ROOT
from validation.papers.settings import (
    SETTINGS,
    departures,
    differs,
    list_of_defaults,
    load_settings,
)

ENTRIES = load_settings()["setting"]
NAMES = [f"{entry['estimator']}.{entry['parameter']}" for entry in ENTRIES]
MENTIONED = [name for entry in load_settings()["mention"] for name in entry["parameters"]]
SPEAKS_OF_A_PAPER = re.compile(r"\b(papers?|authors|released|published)\b")
OLD = ("three defaults", "defaults follow")
"""Parts of the sentences that named three departures of many."""


def doc_of(estimator: str) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(getattr(sparsek, estimator)) or "")


def texts_of(estimator: str) -> dict[str, str]:
    """What the docstring says of each parameter."""
    found = {}
    for entry in doc_of(estimator)["Parameters"]:
        text = " ".join([re.sub("default=.*", "", entry.type), *entry.desc])
        found |= {name.strip(): text for name in entry.name.split(",")}
    return found


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_our_default_is_that_of_the_signature(entry: dict[str, Any]) -> None:
    """Both kinds: defaults that equal the paper's setting, and defaults that depart from it."""
    default = inspect.signature(getattr(sparsek, entry["estimator"])).parameters[entry["parameter"]].default
    assert default == entry.get("default")
    assert type(default) is type(entry.get("default"))


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_the_docstring_says_where_a_default_departs(entry: dict[str, Any]) -> None:
    assert differs(entry) == ("why" in entry)
    assert "said" in entry or not differs(entry)
    assert entry.get("said", "") in " ".join(inspect.getdoc(getattr(sparsek, entry["estimator"])).split())


@pytest.mark.parametrize("estimator", [row.name for row in ESTIMATORS])
def test_every_parameter_whose_text_speaks_of_a_paper_is_in_the_table(estimator: str) -> None:
    spoken = {name for name, text in texts_of(estimator).items() if SPEAKS_OF_A_PAPER.search(text)}
    assert {f"{estimator}.{name}" for name in spoken} <= {*NAMES, *MENTIONED}


def test_the_table_names_each_parameter_once_and_no_others() -> None:
    names = [*NAMES, *MENTIONED]
    assert len(names) == len(set(names))
    for name in names:
        estimator, parameter = name.split(".")
        text = texts_of(estimator)[parameter]
        assert name in NAMES or SPEAKS_OF_A_PAPER.search(text)


def test_a_parameter_that_departs_without_an_entry_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.NAMES", [name for name in NAMES if name != "SKFR.init"])
    with pytest.raises(AssertionError):
        test_every_parameter_whose_text_speaks_of_a_paper_is_in_the_table("SKFR")


def test_readme_counts_the_departures_and_one_page_lists_them() -> None:
    """README named three; SKFR's docstring alone has three more."""
    names = {(entry["estimator"], entry["parameter"]) for entry in departures()}
    assert {("SKFR", name) for name in ("init", "missing")} <= names
    assert {("PCSparseKMeans", "penalties_in_weights"), ("SparseMinMaxKMeans", "variant")} <= names
    listed = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", list_of_defaults(), flags=re.MULTILINE)
    assert len(listed) == len(names)
    assert set(listed) == names
    assert f"except in {len(names)} defaults of " in (ROOT / "README.md").read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "sparsek").rglob("*.py")]:
        text = " ".join(path.read_text(encoding="utf-8").lower().split())
        assert not [old for old in OLD if old in text], path
    assert SETTINGS.name in (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
