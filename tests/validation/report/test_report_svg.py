"""Pictures inside the report: small, and nothing of what they show is lost."""

import base64
import io
import re

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

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


def test_many_marks_are_one_picture_of_pixels() -> None:
    """Each mark is in it, with its colour."""
    rng = np.random.default_rng(0)
    x, y, kind = *rng.uniform(size=(2, 1000)), rng.integers(0, 2, 1000)
    figure = Figure(figsize=(4, 3))
    points, dots = figure.subplots(1, 2)
    points.scatter(x, y, s=3, c=np.array(["#ff0000", "#0000ff"])[kind])
    dots.plot(x, y, ".", color="#008000")
    dots.plot([0, 1], [0, 1], "o-")
    svg = to_svg(figure, "name")
    pictures = [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA")).reshape(-1, 4)
        for png in re.findall(r'base64,([^"]+)', svg)
    ]
    assert len(pictures) == 2
    assert len(svg) < 60_000  # 1000 marks with their places take about 150,000
    wanted = ([[255, 0, 0, 255], [0, 0, 255, 255]], [[0, 128, 0, 255]])
    for picture, colours in zip(pictures, wanted, strict=True):
        assert (picture[:, 3] == 0).any()  # transparent between the marks
        for colour in colours:  # the colours of the palette are means of colours that are close
            assert np.abs(picture.astype(int) - colour).max(axis=1).min() <= 4
    assert len(re.findall(r"<use[^>]*>", svg)) < 50  # ticks, and the two marks of the line


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
