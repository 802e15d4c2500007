"""The page on rOpenSci's standards: every line is there once, with a verdict, and what it names exists."""

import re
from collections import Counter

from tests.places import ROOT

PAGE = (ROOT / "docs" / "ropensci-standards.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (UL[\w.]+) \| (.+?) \| (.+?) \| (.+) \|$", PAGE, flags=re.MULTILINE)
STANDARDS = [
    *("UL1.0", "UL1.1", "UL1.2", "UL1.3", "UL1.3a", "UL1.4", "UL1.5", "UL1.6", "UL1.6a", "UL1.6b"),
    *("UL2.0", "UL2.1", "UL2.2", "UL2.3", "UL3.0", "UL3.1", "UL3.2", "UL3.3", "UL3.4"),
    *("UL4.0", "UL4.1", "UL4.2", "UL4.3", "UL4.3a", "UL4.4", "UL6.0", "UL6.1", "UL6.2"),
    *("UL7.0", "UL7.1", "UL7.2", "UL7.3", "UL7.4", "UL7.5", "UL7.5a"),
]
"""The standards for unsupervised learning, at the commit that the page names."""


def test_every_standard_has_a_line_and_a_verdict() -> None:
    assert [name for name, *_ in ROWS] == STANDARDS
    assert Counter(met for _, _, met, _ in ROWS).keys() == {"yes", "in part", "no"}
    assert all(len(where) > 10 for *_, where in ROWS)


def test_named_tests_are_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 10
    for file, function in named:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {function}" in text, (file, function)
