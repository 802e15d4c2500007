"""Pictures inside the report: small, and nothing of what they show is lost."""

import io
import re

import numpy as np
from matplotlib.figure import Figure

from validation.report.drawing import to_svg
from validation.report.svg import shrink

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def draw() -> Figure:
    """Bars with error bars, a line with marks, and texts."""
    figure = Figure()
    axes = figure.subplots()
    axes.bar(range(50), np.arange(50.0), yerr=np.ones(50))
    axes.plot(range(50), range(50), "o-")
    axes.set_title("A <title>")
    return figure


def test_pictures_are_small_and_without_addresses() -> None:
    small, full = to_svg(draw(), "one"), io.BytesIO()
    draw().savefig(full, format="svg")
    assert len(small) < len(full.getvalue()) / 2
    assert "http" not in small
    assert "A &lt;title&gt;" in small
    assert small.count("<use") >= 50  # the marks of the line


def test_two_pictures_share_no_name() -> None:
    names = [set(re.findall(r'(?:id|class)="([^"]+)"', to_svg(draw(), name))) for name in ("one", "two")]
    assert names[0]
    assert not names[0] & names[1]
    for found, name in zip(names, ("one", "two"), strict=True):
        svg = to_svg(draw(), name)
        assert set(re.findall(r"#([\w-]+-[\w.]+)", svg)) <= found


def test_like_paths_are_joined_and_others_are_not() -> None:
    paths = "".join(
        f'<g id="a{i}"><path d="M {i}.123456 0 \nL 5 5 " style="stroke: {colour}"/></g>'
        for i, colour in enumerate(["red", "red", "blue"])
    )
    svg = shrink(f"{HEAD}><metadata>m</metadata>{paths}</svg>", "name")
    assert re.findall(r'd="(.*?)"', svg) == ["M0.12 0L5 5M1.12 0L5 5", "M2.12 0L5 5"]
    assert "metadata" not in svg
    assert re.findall(r"\{(.*?)\}", svg) == ["stroke: red", "stroke: blue"]


def test_groups_that_move_their_content_stay() -> None:
    svg = shrink(f'{HEAD}><g transform="translate(1.23456 2)"><path d="M 0 0"/></g></svg>', "name")
    assert '<g transform="translate(1.23 2)"><path d="M0 0" /></g>' in svg
