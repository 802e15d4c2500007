"""Docstrings of internals have no numpydoc sections: those are for the pages, which show public names."""

import ast

from tests.docs.docstrings import SECTION, definitions, internal_sections, public_places
from tests.places import ROOT


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
