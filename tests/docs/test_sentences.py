"""Public docstrings are complete, internal ones have no sections, and a sentence of many is written once."""

import ast
import inspect
import re
import sys
from collections import Counter
from functools import cache

import pytest
from numpydoc.docscrape import NumpyDocString

from sparsek import inference, init, metrics, plots, rcompat
from sparsek._docstrings import BARE, NAMED, completed
from tests.docs.docstrings import (
    SECTION,
    definitions,
    internal_sections,
    public_docstrings,
    public_places,
    sentences,
)
from tests.docs.test_docs import list_public_names
from tests.places import ROOT

MOST = 4
"""A sentence may stand in so many docstrings; one more, and it gets a place of its own."""
SHORT = 40
"""Shorter sentences, such as "Number of clusters.", are not counted."""
ROOMS = (inference, init, metrics, plots, rcompat)
"""Rooms of functions with a table of sentences; that of estimators has a test in `test_written_once.py`."""
SECTIONS = ("Parameters", "Returns", "Attributes", "Raises", "Warns")


def test_a_sentence_of_many_docstrings_is_written_once() -> None:
    counts = Counter(
        sentence
        for _, text in public_docstrings()
        for sentence in set(sentences(text))
        if len(sentence) > SHORT
    )
    assert {sentence: n for sentence, n in counts.items() if n > MOST} == {}


def lacking(name: str) -> list[str]:
    """Places of a docstring that were not filled in, and entries without a text."""
    owner, _, last = name.rpartition(".")
    item = getattr(sys.modules.get(owner), last, None) or getattr(
        getattr(sys.modules[owner.rpartition(".")[0]], owner.rpartition(".")[2]), last
    )
    text = inspect.cleandoc(item.__doc__ or "")
    places = [line for line in text.splitlines() if re.fullmatch(r" *\[[a-z ]+\]", line)]
    shown = NumpyDocString(text)
    return places + [entry.name for part in SECTIONS for entry in shown[part] if not entry.desc]


def test_what_is_shown_is_complete() -> None:
    found = {name: lacking(name) for name in list_public_names()}
    assert found
    assert {name: places for name, places in found.items() if places} == {}


@cache
def _names_left_out(room: str) -> Counter[str]:
    """Names of lines without a text, of all files of a room."""
    found: Counter[str] = Counter()
    for file in (ROOT / "sparsek" / room).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                found.update(line[2] for line in BARE.finditer((ast.get_docstring(node) or "") + "\n"))
    return found


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_texts_of_functions_serve_several(room: object) -> None:
    texts = vars(room)["_TEXTS"]
    left_out = _names_left_out(vars(room)["__name__"].rpartition(".")[2])
    inside = {name for text in texts.values() for name in NAMED.findall(text)}
    assert {name for name in texts if left_out[name] < 2 and name not in inside} == set()


def test_texts_may_name_texts() -> None:
    texts = {"a": "First, [b]", "[b]": "second [0, 1] [c]", "[c]": "third."}
    assert completed("a : int\n", texts) == "a : int\n    First, second [0, 1] third.\n"
    assert completed("  [c]\n  Own.\n", texts) == "  third.\n  Own.\n"
    assert completed("a\n    Own.\n", texts) == "a\n    Own.\n"


def test_sentences_are_those_of_the_text() -> None:
    entries = "x : int\n    One; two\n    lines.\ny : int\n"
    text = f"Do it.\n\nParameters\n----------\n{entries}\nRaises\n------\nA\nB\n    No.\n"
    assert [sentence for sentence in sentences(text) if sentence] == ["Do it.", "One;", "two lines.", "No."]


def test_only_public_names_have_sections() -> None:
    assert [f"{file.relative_to(ROOT)}: {name}" for file, name, _ in internal_sections()] == []


def test_public_places_are_found() -> None:
    names = {name for _, name in public_places()}
    assert {"SKFR", "RowFits.fit", "kmeans", "RRandom.rnorm", "plot_weights"} <= names
    assert "LocalRows" not in names


def test_sections_are_seen() -> None:
    text = "Do it.\n\nParameters\n----------\nx : int\n    A number.\n"
    assert SECTION.search(text)
    assert not SECTION.search("Do it with Parameters.")
    tree = ast.parse("class A:\n    def b(self):\n        def c(): ...")
    assert [name for name, _ in definitions(tree)] == ["A", "A.b", "A.b.<locals>.c"]
