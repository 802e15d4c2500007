"""The checks of built pages find planted faults, and nothing in a page that is right."""

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from tests.places import ROOT

LINKS = runpy.run_path(str(ROOT / "docs" / "check_links.py"))
LAYOUT = runpy.run_path(str(ROOT / "docs" / "check_layout.py"))
PICTURES = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
SHADOW = "background: linear-gradient(red, blue) local"
NARROW = "width: 100px; font: 16px monospace; white-space: nowrap"
RIGHT = f"""
<div style="{NARROW}">short</div>
<div style="{NARROW}; overflow-x: auto; {SHADOW}">a long line that scrolls, with a shadow</div>
<p>A line with <b>bold</b><i>italic</i> words.</p>
<details><summary>folded</summary><p>What is folded.</p></details>
<span style="position: absolute; width: 1px; overflow: hidden">only for screen readers</span>
"""
FAULTS = {
    f'<div id="a" style="{NARROW}">a line that is too long</div>':
        '"a line that is too long" reaches N px out of div#a',
    f'<details><summary>s</summary><div id="b" style="{NARROW}">a line that is folded</div></details>':
        '"a line that is folded" reaches N px out of div#b',
    f'<div id="c" style="{NARROW}; overflow: hidden">a line that is cut off</div>':
        'div#c cuts off N px of "a line that is cut off"',
    f'<div id="d" style="{NARROW}; overflow-x: auto">a line without a sign</div>':
        'div#d scrolls by N px and does not show it: "a line without a sign"',
    '<div id="e" style="width: 100px"><div style="width: 120px">wide</div></div>':
        'div is N px wider than div#e around it: "wide"',
    '<p id="f"><a href="#f"><img width="500" height="5" alt="" src=""></a></p>':
        'img is N px wider than p#f around it: ""',
    '<div>one</div><div style="margin-top: -10px">two</div>': '"one" lies over "two"',
    '<table cellspacing="0" cellpadding="0"><tr><td>Undecided</td><td>the fact</td></tr></table>':
        '"Undecided" runs into "the fact"',
    '<p style="position: absolute; width: 500px">far</p>': "the page is N px wide",
}  # fmt: skip
"""A fault in a page, and how it is reported; the numbers depend on the fonts of the machine."""


def write_pages(folder: Path, **pages: str) -> None:
    """Pages with a body each."""
    for name, body in pages.items():
        page = f'<!doctype html><html><meta name="viewport" content="width=device-width">{body}</html>'
        (folder / f"{name}.html").write_text(page, encoding="utf-8")


def links_of(folder: Path, body: str) -> list[str]:
    """What is wrong with the links of a page beside another one and a picture."""
    write_pages(folder, index=body, other='<h1 id="top">Other</h1>')
    (folder / "picture.svg").write_text("<svg/>", encoding="utf-8")
    return list(LINKS["findings"](folder))


def test_links_that_lead_somewhere_pass(tmp_path: Path) -> None:
    body = (
        '<p id="here"><a href="#here"> <a href="#"> <a href="other.html#top"> <a href="./"> '
        '<a href="mailto:a@b.c"> <img src="picture.svg" srcset="picture.svg 2x"> <a href="https://example.org/x">'
    )
    assert links_of(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<a href="gone.html">', "gone.html is not there"),
        ('<img src="gone.svg">', "gone.svg is not there"),
        ('<img srcset="picture.svg 1x, gone.svg 2x">', "gone.svg is not there"),
        ('<iframe src="report/index.html">', "report/index.html is not there"),
        ('<a href="../other.html">', "../other.html is not there"),
        ('<a href="#gone">', "#gone names an anchor that index.html does not have"),
        ('<a href="other.html#gone">', "other.html#gone names an anchor that other.html does not have"),
        ('<a href="">', "an empty link names no page"),
    ],
)
def test_a_link_that_leads_nowhere_is_named_with_its_line(tmp_path: Path, body: str, complaint: str) -> None:
    assert links_of(tmp_path, f"\n{body}") == [f"index.html:2: {complaint}"]


def test_an_anchor_that_is_there_twice_is_named(tmp_path: Path) -> None:
    assert links_of(tmp_path, '<p id="a"></p><p id="a"></p>') == ["index.html: #a is there 2 times"]


def test_links_need_built_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert LINKS["main"](tmp_path) == 1
    assert "run make docs first" in capsys.readouterr().err


needs_browser = pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is missing")


@pytest.fixture(scope="module")
def browser() -> Any:
    """A browser for all pages."""
    with LAYOUT["start_browser"]() as started:
        yield started


@needs_browser
def test_a_page_that_is_right_passes(browser: Any, tmp_path: Path) -> None:
    write_pages(tmp_path, index=RIGHT)
    for width in LAYOUT["WIDTHS"]:
        assert browser.measure((tmp_path / "index.html").as_uri(), width) == []


@needs_browser
def test_every_fault_of_a_page_is_found_once(browser: Any, tmp_path: Path) -> None:
    write_pages(tmp_path, index="".join(FAULTS))
    found = browser.measure((tmp_path / "index.html").as_uri(), 390)
    assert sorted(re.sub(r"\d+ px", "N px", one) for one in found) == sorted(FAULTS.values())


@needs_browser
def test_pages_with_faults_fail_and_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_pages(tmp_path, index=RIGHT, wrong=next(iter(FAULTS)))
    options = ["--folder", str(tmp_path), "--pictures", str(tmp_path)]
    assert LAYOUT["main"](["index", *options]) == 0
    assert LAYOUT["main"](["index", "wrong", *options]) == 1
    assert (tmp_path / "wrong-390.png").read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "layout of 2 views measured, 0 faults"
    assert printed[1].startswith('wrong.html at 390: "a line that is too long" reaches ')


def test_without_a_browser_nothing_is_said_to_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert LAYOUT["main"]([]) == 0
    assert capsys.readouterr().out == "SKIPPED: layout of 24 views not measured: chromedriver is missing\n"


def test_texts_of_a_picture_that_overlap_or_are_cut_off_are_named() -> None:
    with mpl.rc_context():
        figure = Figure(figsize=(4, 3), layout="constrained")
        ax = figure.subplots()
        ax.plot([0, 1], [0, 1])
        ax.set_title("a title of the axes")
        assert PICTURES["overlapping_texts"](figure) == []
        ax.set_title("another title of the axes", loc="left")
        figure.text(0.9, 0.5, "a text at the edge")
        assert PICTURES["overlapping_texts"](figure) == [
            "'a text at the edge' is cut off",
            "'a title of the axes' lies over 'another title of the axes'",
        ]
