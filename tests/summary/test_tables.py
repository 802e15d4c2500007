"""The tables of a summary keep what belongs together, whatever its width, in every form."""

import re
from html.parser import HTMLParser
from itertools import zip_longest

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparsek._printable import on_one_line, printable
from sparsek.summary.tables import GAP, LATEX, WIDTH, as_html, as_latex, as_text, as_texts, facts, width_of

LONG = [
    "",
    "x" * 200,
    "混合" * 25,
    "a\nb\tc\r",
    "\x1b[31m",
    "e\u0301" * 30,
    "a  b",
    "\ud800",
    "\\",
    "&",
    "<b>",
]
WORDS = st.one_of(st.text(max_size=60), st.sampled_from(LONG))
SIDES = st.dictionaries(WORDS, WORDS, max_size=6)


def padded(text: str, width: int, right: bool) -> str:
    """A text in a column of this width."""
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def lines_of(text: str) -> list[str]:
    """The lines of a table without the rules at its ends."""
    lines = text.split("\n")
    assert all(printable(line) == line and "\t" not in line for line in lines)
    assert set(lines[0]) <= {"="}
    assert set(lines[-1]) <= {"-"}
    return lines[1:-1]


@given(left=st.dictionaries(WORDS, WORDS, min_size=1, max_size=6), right=SIDES)
@example(
    {"Engine": "compiled (numba 0.68.1)", "Missing cells": "0"}, {"Share of all the features": "18 of 2000"}
)
def test_facts_are_read_back(left: dict[str, str], right: dict[str, str]) -> None:
    pairs = [[(on_one_line(n), on_one_line(v)) for n, v in side.items()] for side in (left, right)]
    lines = lines_of(as_text("", facts(left, right)))
    columns = [[pair[place] for pair in side] for side in pairs for place in (0, 1)]
    widths = [max(map(width_of, column), default=0) for column in columns]
    if sum(widths) + 4 * len(GAP) <= WIDTH:  # two beside each other
        for line, one, other in zip_longest(lines, *pairs, fillvalue=("", "")):
            texts = zip([*one, *other], widths, [False, True, False, True], strict=True)
            cells = [padded(*text) for text in texts]
            assert line == f"{GAP.join(cells[:2])}{GAP}{GAP}{GAP.join(cells[2:])}".rstrip()
        return
    known = [pair for side in pairs for pair in side if any(pair)]
    widest = max(width_of(name + GAP + value) for name, value in known)
    for line, (name, value) in zip(lines, known, strict=True):
        assert line == (name + padded(value, widest - width_of(name), right=True)).rstrip()


FRAMES = st.integers(1, 4).flatmap(
    lambda rows: st.lists(
        st.tuples(
            WORDS,
            st.one_of(
                st.lists(WORDS, min_size=rows, max_size=rows),
                st.lists(st.integers(-(10**9), 10**9), min_size=rows, max_size=rows),
                st.lists(st.floats(allow_subnormal=False), min_size=rows, max_size=rows),
            ),
        ),
        min_size=1,
        max_size=7,
    )
)


def frame_of(columns: list[tuple[str, list[object]]]) -> pd.DataFrame:
    """A frame of these columns, of which two may have one name."""
    parts = [pd.Series(cells, dtype=object if isinstance(cells[0], str) else None) for _, cells in columns]
    return pd.concat(parts, axis=1).set_axis(
        pd.Index([f"c{name}" for name, _ in columns], dtype=object), axis=1
    )


@example([("", ["", ""]), ("", [0, 1]), ("x" * 200, [0, 0])])  # two columns tell the rows apart
@given(FRAMES)
def test_columns_are_read_back(columns: list[tuple[str, list[object]]]) -> None:
    frame = frame_of(columns)
    names, right, rows = as_texts(frame)
    cells = [[name, *column] for name, column in zip(names, zip(*rows, strict=True), strict=True)]
    widths = [max(map(width_of, column)) for column in cells]
    telling = [
        n
        for n in range(1, len(names))
        if sum(widths[:n]) + len(GAP) * (n - 1) <= WIDTH // 2
        and len({tuple(row[:n]) for row in rows}) == len(rows)
    ]
    stub = min(telling, default=1)  # in a single part nothing shows which columns would be repeated
    heights, next_one = len(rows) + 5, 1  # a heading, two rules above and below the names, one at the end
    lines = as_text("t", frame).split("\n")
    assert len(lines) % heights == 0
    for part, start in enumerate(range(0, len(lines), heights)):
        head, *body = lines[start : start + heights]
        assert head == ("t (continued)" if part else "t")
        first, stop = read_part(body, cells, widths, right, next_one if part else 0)
        assert max(map(width_of, body)) <= WIDTH or stop - max(next_one, first, stub) <= 1
        next_one = stop
    assert next_one == len(names)


def read_part(
    body: list[str], cells: list[list[str]], widths: list[int], right: list[bool], start: int
) -> tuple[int, int]:
    """How many first columns a part of a table has, and where its others end."""
    expected = [body[1], *body[3:-1]]
    for first in range(1, len(cells) + 1):
        for stop in range(max(start, first), len(cells) + 1):
            shown = [*range(first), *range(max(start, first), stop)]
            padding = [[padded(cell, widths[j], right[j]) for cell in cells[j]] for j in shown]
            if [GAP.join(row).rstrip() for row in zip(*padding, strict=True)] == expected:
                return first, stop
    raise AssertionError(f"no columns give {body}")


class Cells(HTMLParser):
    """The texts of the cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1][-1] += data


def without_latex(text: str) -> str:
    """A text as it was before it was written for LaTeX."""
    plain = {value: chr(key) for key, value in LATEX.items()}
    return re.sub("|".join(map(re.escape, sorted(plain, key=len, reverse=True))), lambda m: plain[m[0]], text)


@given(FRAMES, st.dictionaries(WORDS, WORDS, min_size=1, max_size=4), SIDES)
def test_html_and_latex_are_read_back(
    columns: list[tuple[str, list[object]]], left: dict[str, str], right: dict[str, str]
) -> None:
    for frame in (frame_of(columns), facts(left, right)):
        names, _, rows = as_texts(frame)
        expected = [names, *rows] if names else rows
        page = Cells()
        page.feed(as_html(frame).replace("\n", ""))
        assert page.rows == expected
        lines = [line.removesuffix(r" \\") for line in as_latex(frame).split("\n") if line.endswith(r"\\")]
        found = [[without_latex(cell).strip() for cell in line.split(" & ")] for line in lines]
        assert found == [[cell.strip() for cell in row] for row in expected]


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("混合", 4), ("\uff4b", 2), ("e\u0301", 1), ("\u200b", 0), ("…", 1)],
)
def test_widths_are_those_of_a_terminal(text: str, width: int) -> None:
    assert width_of(text) == width


def test_first_columns_tell_the_rows_apart() -> None:
    grid = pd.DataFrame({"k": [2, 2, 3], "s": [5, 9, 5]}).assign(**{f"criterion_{j}": 0.5 for j in range(6)})
    parts = as_text("Criteria", grid).split("Criteria (continued)")
    assert len(parts) == 2
    assert all(re.search(r"^k +s +criterion", part, flags=re.MULTILINE) for part in parts)


def test_long_names_of_features_lose_their_middle() -> None:
    table = pd.DataFrame({"rank": [1, 2], "feature": ["x" * 50 + "1", "short"], "weight": [0.5, 0.25]})
    (row,) = [line for line in as_text("", table).splitlines() if "…" in line]
    assert re.fullmatch(r" +1  x+…x+1 +0\.50", row)
    assert as_texts(table)[2][0][1] == "x" * 50 + "1"
    assert np.all([len(line) <= WIDTH for line in as_text("", table).splitlines()])


@pytest.mark.parametrize("name", ["cluster", "group", "batch", "anything"])
def test_true_and_false_are_labels_except_where_they_mark_rows(name: str) -> None:
    frame = pd.DataFrame({name: [False, True], "selected": [True, False], "chosen": [False, True]})
    assert as_texts(frame)[2] == [["False", "yes", ""], ["True", "", "yes"]]
    assert "<tr><td>False</td><td>yes</td><td></td></tr>" in as_html(frame)
    assert r"True &  & yes \\" in as_latex(frame)
