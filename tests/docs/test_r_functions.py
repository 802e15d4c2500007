"""The page on R's functions lists all of them, by package."""

import importlib
import re

import pytest

from sparsek import rcompat
from tests.places import ROOT


def test_the_page_lists_every_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page = importlib.import_module("r_functions").show_r_functions()
    listed = re.findall(r"^   (\w+)$", page, flags=re.MULTILINE)
    assert sorted(listed) == sorted(rcompat.__all__)
    assert page.count("\n## R's package ") > 15
