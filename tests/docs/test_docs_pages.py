"""Pages at the top of the site: every Python block prints what is shown; no public name is missing."""

import contextlib
import importlib
import io
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_wine

from sparsek.errors import RWarning
from tests.places import ROOT

DOCS = ROOT / "docs"
OTHERWISE = {"command-line.md", "newcomer.md", "port-your-own.md", "scanpy.md"}
"""Pages that other tests run: test_cli_docs.py, test_port_your_own.py and, for scanpy, test_anndata.py."""
PAGES = sorted(  # those on methods: tests/docs/test_method_pages.py
    path.relative_to(DOCS).as_posix()
    for folder in (DOCS, DOCS / "questions")
    for path in folder.glob("*.md")
    if "```python" in path.read_text(encoding="utf-8") and path.name not in OTHERWISE
)
GIVEN = {"index.md": {"x": load_wine().data}}
"""Names that a page uses without defining them."""
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
SUBMODULES = (
    "anndata",
    "compare",
    "datasets",
    "errors",
    "federated",
    "inference",
    "init",
    "metrics",
    "plots",
    "rng",
    "summary",
)
ELSEWHERE = {
    "__version__",
    "load_iris",
    "load_wdbc",
    "load_wine",
    "FitSummaryMixin",
    "SummaryMixin",
    "resolve_rng",
    "current_stream",
}
"""Names left out: not functions, scikit-learn's own, of `sparsek.rcompat`, or not for users."""


def strip_ends(text: str) -> list[str]:
    """The lines without trailing blanks."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def run_page(name: str) -> None:
    """Run the blocks of a page one after the other, and compare what they print with what the page shows."""
    text = (DOCS / name).read_text(encoding="utf-8")
    names: dict[str, Any] = dict(GIVEN.get(name, {}))
    printed = ""
    for kind, body in BLOCK.findall(text):
        if kind == "text":  # output of the block before it
            assert strip_ends(printed) == strip_ends(body)
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), warnings.catch_warnings():
            warnings.simplefilter("ignore", RWarning)  # as in R, the old sampler gives a warning
            exec(compile(body, name, "exec"), names)
        printed = stream.getvalue()


@pytest.mark.parametrize("name", PAGES)
def test_page_prints_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for pages that write files
    run_page(name)


def public_names(module: Any) -> set[str]:
    """Names that a module exports or, without ``__all__``, defines without a leading underscore."""
    if hasattr(module, "__all__"):
        return set(module.__all__)
    return {
        name
        for name, item in vars(module).items()
        if not name.startswith("_")
        and getattr(item, "__module__", None) == module.__name__
        and callable(item)
    }


def test_reference_lists_every_public_name_once() -> None:
    listed: Counter[tuple[str, str]] = Counter()
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    for module, body in re.findall(r"currentmodule:: ([\w.]+)\n(.*?)```", page, flags=re.DOTALL):
        listed.update((module, name) for name in re.findall(r"^   (\w+)$", body, flags=re.MULTILINE))
    assert max(listed.values()) == 1
    for name in ("sparsek", *(f"sparsek.{submodule}" for submodule in SUBMODULES)):
        shown = {item for module, item in listed if module == name}
        assert shown == public_names(importlib.import_module(name)) - ELSEWHERE, name


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("cite", "citing.md"),
        ("cells", "questions/single-cells.md"),
        ("missing", "questions/missing-values.md"),
        ("standardize", "questions/standardize.md"),
        ("clusters", "questions/how-many-clusters.md"),
    ],
)
def test_the_search_finds_a_page_by_its_title(word: str, page: str) -> None:
    title, _, text = (DOCS / page).read_text(encoding="utf-8").partition("\n")
    assert word in title.lower()
    others = {"questions/single-cells.md": "anndata", "questions/how-many-clusters.md": "elbow"}
    heading = rf"^## .*{others.get(page, '')}"
    assert re.search(heading, text, flags=re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("transpose", "command-line.md"),
        ("genes in rows", "command-line.md"),
        ("likert", "questions/questionnaires.md"),
        ("p-value", "methods/inference.md"),
        ("wbounds", "methods/choosing-k-and-s.md"),
        ("wbounds", "migrating-from-r.md"),
    ],
)
def test_the_search_finds_a_page_by_a_heading(word: str, page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert re.search(rf"^#+ .*{word}", text, flags=re.MULTILINE | re.IGNORECASE)


def test_the_features_that_starts_find_are_those_of_the_recorded_run() -> None:
    runs = pd.read_csv(ROOT / "validation" / "results" / "figure-2.csv")
    runs = runs[(runs["experiment"] == "clean") & (runs["n_features"] == 1000) & (runs["measure"] == "fnr")]
    found = (10 * (1 - runs.set_index("method")["median"])).round().astype(int)
    starts = ("SKFR1, screened seeds", "SKFR1", "SKFR1, standardised seeds")
    screened, raw, standardised = (found[start] for start in starts)
    assert runs.set_index("method").loc[list(starts), "trials"].eq(200).all()
    page = " ".join((ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").split())
    assert (
        f"From these starts all {screened} are found in the median sample, from k-means++ on the raw columns "
        f"{raw}, and from k-means++ on standardised ones {standardised}."
    ) in page
