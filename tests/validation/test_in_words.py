"""What README, pages and docstrings say of parity is what records, tolerances and R's arguments say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import sparsek
from r_reference.listing import tolerances
from r_reference.recipes import load_table
from sparsek import rcompat
from tests.places import ROOT
from validation import in_words
from validation.in_words import KINDS
from validation.papers.shared.store import save_table
from validation.platforms import ARM64, NAME, OWN, load_platforms
from validation.statements import BETWEEN

EXACT = r"bit for bit|in every bit|every bit of"
UNIVERSAL = re.compile(
    rf"(?:sparsek\.rcompat|R's functions|[Rr]esults are|with R's answers|gives? R's numbers)[^.]*?(?:{EXACT})"
)
"""A sentence that claims bits of all functions together."""
DEFAULTS = re.compile(r"[Nn]ames,[^.]*\bdefaults\b[^.]*\bare those of R(?:'s)?\b(?! by)")
"""A sentence that claims all names and defaults."""
COUNTS = re.compile(r"([\d,]*\d) (?:recorded (?:cases|answers)|cases on)")
TESTED = re.compile(r"Tested on [^.]*Python|\d tests? passed|3\.14: the whole suite")
"""Platforms and outcomes that no record backs."""
ON_SCIPYS_LAPACK = {"eigen", "mvrnorm", "rmvnorm", "Clest", "prcomp"}
"""Functions whose eigenvectors come from scipy's compiled LAPACK: deviation EIG-1."""
PUT_BACK = {
    "equal": "Results are equal to R's in every bit. Two functions of Gmedian are exceptions.",
    "numbers": "`sparsek.rcompat` gives R's numbers bit for bit under R's seed.",
    "help": "- ``sparsek.rcompat``: R's functions (sparcl, RSKC and more) with R's answers, bit for bit.",
    "architecture": "`sparsek.rcompat` has R's functions with R's answers, bit\nfor bit. Neither imports",
    "defaults": "Names, arguments, defaults and labels are those of R; dots in names become underscores.",
    "count": "chosen on any platform, and all 3,24" + "5 recorded cases come out as on x86-64 Linux",
    "arm64": "1,018 recorded cases on 64-bit ARM, emulated by qemu-user",
    "tested": "Tested on x86-64 Linux with Python 3.11 to 3.14, and on emulated 64-bit ARM.",
    "versions": "| Python | 3.11, 3.12, 3.13 and 3.14: the whole suite | 3.11 |",
    "suite": "Without R, on 3.12: 13,950 tests passed and 4,786 were skipped.",
}
"""Old sentences, each of which was false or without a record."""


def texts() -> Iterator[tuple[str, str]]:
    """Names and texts of everything that speaks of parity, without the statements that a run writes."""
    files = [ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml", *(ROOT / "docs").rglob("*.md")]
    for path in files:
        if "_build" not in path.parts and "_made" not in path.parts and "api" not in path.parts:
            yield str(path.relative_to(ROOT)), BETWEEN.sub("", path.read_text(encoding="utf-8"))
    for module in (sparsek, rcompat):
        yield module.__name__, module.__doc__ or ""


def find_false(text: str) -> list[str]:
    """The claims of a text that tolerances, the table of cases or the lack of a record make false."""
    flat = " ".join(text.replace("* ", " ").split())
    found = [match[0] for pattern in (UNIVERSAL, DEFAULTS, TESTED) for match in pattern.finditer(flat)]
    cases = len(load_table()["cases"])
    return found + [m[0] for m in COUNTS.finditer(flat) if int(m[1].replace(",", "")) != cases]


def test_no_text_claims_more_than_the_records() -> None:
    assert tolerances()  # without any, every function would be equal in every bit
    assert {name: found for name, text in texts() if (found := find_false(text))} == {}


@pytest.mark.parametrize("sentence", PUT_BACK.values(), ids=PUT_BACK)
def test_an_old_sentence_put_back_is_found(sentence: str) -> None:
    assert find_false(sentence)


def test_the_record_covers_all_cases_and_only_eigenvectors_on_arm_differ() -> None:
    rows = load_platforms()
    cases = len(load_table()["cases"])
    whole = rows[rows["pattern"] == ""].groupby("setting")[KINDS].sum()
    assert OWN in whole.index
    assert set(whole.sum(axis=1)) == {cases}, "run python -m validation platforms --output validation/results"
    apart = rows[rows["different"] > 0]
    assert set(apart["setting"]) <= {ARM64}
    assert set(" ".join(apart["functions"]).split()) <= ON_SCIPYS_LAPACK
    assert not rows["commit"].str.endswith("-dirty").any()


def test_only_packages_with_tolerances_have_answers_that_are_not_exact() -> None:
    functions = {function for entry in tolerances() for function in entry["functions"]}
    tolerant = {case["package"] for case in load_table()["cases"] if case["function"] in functions}
    rows = load_platforms()
    assert set(rows.loc[rows["within"] > 0, "package"]) == tolerant
    said = in_words.parity_in_words()
    assert all(re.search(rf"\d of {package}\b", said) or f" of {package}" in said for package in tolerant)


def record(folder: Path, **changed: object) -> None:
    """Write a record of two packages under two settings, with changes in its second row."""
    facts = {"machine": "x86_64", "system": "Linux", "processor": "A", "kernel": "Zen", "python": "3.11.7"}
    facts |= {"numpy": "2.4.6", "scipy": "1.17.1", "sums": "long double", "loops": "numpy"}
    facts |= {"commit": "0123456789ab", "created": "2026-01-01", "pattern": "", "functions": ""}
    one = {"setting": OWN, "package": "stats", "exact": 1200, "within": 0, "different": 0, **facts}
    two = {**one, "package": "SKFR", "exact": 0, "within": 87, **changed}
    three = {**one, "setting": ARM64, "machine": "aarch64", "exact": 99, "pattern": "1$", "kernel": "N1"}
    three |= {"different": 1, "functions": "eigen"}
    save_table(pd.DataFrame([one, two, three]), folder, NAME, "test")


def test_sentences_and_table_are_those_of_the_record(tmp_path) -> None:
    record(tmp_path, exact=3, within=84)
    said = in_words.parity_in_words(tmp_path)
    assert (
        "Of 1,287 recorded answers of R 4.2.2, 1,203 are equal in every bit (A, OpenBLAS kernel Zen)." in said
    )
    assert said.endswith("The other 84 agree within stated tolerances: 84 of 87 of SKFR.")
    said = in_words.platforms_in_words(tmp_path)
    assert said.startswith(
        "All recorded answers were compared on x86-64 Linux with Python 3.11 and with the "
    )
    assert "On emulated 64-bit ARM 100 of them were compared, and 1 differ: cases of `eigen`." in said
    last = in_words.platform_table(tmp_path).splitlines()[-1]
    assert last.startswith("| 64-bit ARM Linux, emulated by qemu-user | Python 3.11.7,")
    assert "| 100 | 99 | 0 | 1 | `01234567` | `... --arm64 --cases '1$'` |" in last


def test_a_record_in_which_a_case_differs_states_nothing(tmp_path) -> None:
    record(tmp_path, within=86, different=1)
    with pytest.raises(ValueError, match="1 recorded cases differ"):
        in_words.parity_in_words(tmp_path)


def test_arguments_that_differ_are_named() -> None:
    said = in_words.list_arguments()
    assert "`revisedsil(print.plot)`" in said
    assert "silent" not in said
