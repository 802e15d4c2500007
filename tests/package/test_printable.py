"""Names of data reach summaries, pictures, errors, warnings and pages as texts that command nothing."""

import unicodedata
import warnings
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from sparsek import SKFR, SparseKMeans, explain, plots
from sparsek._printable import BLANKS, HIDDEN, in_html, on_one_line, printable
from sparsek.errors import ColumnWarning, PrecisionWarning, ScaleWarning
from sparsek.port.page import as_page
from sparsek.rcompat import hclust

HOSTILE = (
    "\x1b[31m",
    "\a",
    "\u202e",
    "\u061c",
    "\u200b",
    "\u2066",
    "\U000e0041",
    "\ufeff",
    "\x9b2J",
    "\u2028",
    "\ue000",
)
"""Commands of terminals, turns of direction, signs of no width, private ones."""
NAMES = [f"n{sign}{j}" for j, sign in enumerate(HOSTILE[:6])]
rng = np.random.default_rng(0)
X = rng.normal(size=(30, 6))
X[:15, :3] += 5
FRAME = pd.DataFrame(X, columns=NAMES)


def is_safe(text: str) -> bool:
    """Whether a text of several lines has no hidden character."""
    return all(unicodedata.category(letter) not in HIDDEN for letter in text if letter not in "\n\t")


def test_every_character_of_the_categories_is_escaped_and_no_other() -> None:
    parts = range(0x3200), range(0xD7F0, 0xE010), range(0xFE00, 0x11100), range(0xE0000, 0xE0200)
    every = [chr(code) for part in parts for code in part]
    shown = printable("".join(every))
    assert is_safe(shown)
    kept = [c for c in every if (unicodedata.category(c) not in HIDDEN and c not in BLANKS) or c in "\n\t"]
    assert [c for c in every if printable(c) == c] == kept
    assert printable(shown) == shown
    for sign in HOSTILE:
        assert printable(sign)[0] == "\\"
    assert printable("Größe 混合 e\u0301 x\u00a0y ₂ \\ & <b>") == "Größe 混合 e\u0301 x\u00a0y ₂ \\ & <b>"
    assert on_one_line("a\nb\tc\u202e") == r"a\nb\tc\u202e"
    assert in_html("<b>\x1b") == r"&lt;b&gt;\x1b"


@pytest.mark.parametrize("form", ["as_text", "as_html", "as_latex"])
def test_summaries(form: str) -> None:
    fitted = SKFR(2, 3, n_init=1, random_state=0).fit(FRAME)
    labels = np.array([f"c{HOSTILE[0]}", f"d{HOSTILE[2]}"])[fitted.labels_]
    groups = {f"g{HOSTILE[3]}": NAMES[:3], "h": NAMES[3:]}
    grouped = SKFR(2, 1, groups=groups, n_init=1, random_state=0).fit(FRAME)
    for model in (fitted, grouped, explain(FRAME, labels)):
        text = getattr(model.summary(), form)()
        assert is_safe(text)
        assert "x1b[31m" in text


def texts_of(figure: plt.Figure) -> list[str]:
    """All texts of a figure."""
    return [part.get_text() for part in figure.findobj(Text)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda model: plots.plot_weights(model),
        lambda model: plots.plot_centers(model),
        lambda model: plots.plot_pairs(model, FRAME),
        lambda model: plots.plot_dotplot(model, FRAME),
        lambda model: plots.plot_missing(FRAME),
        lambda model: plots.plot_heatmap(FRAME),
        lambda model: plots.plot_dendrogram(hclust(np.abs(X[:6, :1] - X[:6, 0])), names=NAMES),
    ],
)
def test_pictures(draw) -> None:
    plt.close("all")
    draw(SKFR(2, 4, n_init=1, random_state=0).fit(FRAME))
    texts = [text for number in plt.get_fignums() for text in texts_of(plt.figure(number))]
    plt.close("all")
    assert texts
    assert all(map(is_safe, texts))
    assert any("u202e" in text for text in texts)


def far(value: float) -> pd.DataFrame:
    """The data with one entry that hides others."""
    found = FRAME.copy()
    found.iloc[0, 2] = value
    return found


CALLS = {
    "class": lambda: SKFR(2, 2).fit(FRAME.assign(**{"cl\u202eass": np.arange(30) % 3})),
    "far": lambda: SKFR(2, 2).fit(far(1e30)),
    "scale": lambda: SparseKMeans(2, l1_bound=1.5, standardize=False).fit(
        FRAME * np.array([1e4, 1, 1, 1, 1, 1])
    ),
    "text": lambda: SKFR(2, 2, always=["x\x1b"]).fit(FRAME),
    "known": lambda: SKFR(2, 2, always=["x"]).fit(FRAME),
    "twice": lambda: SKFR(2, 2).fit(FRAME.set_axis([NAMES[0]] * 2 + NAMES[2:], axis=1)),
    "others": lambda: SKFR(2, 2).fit(FRAME).predict(FRAME.rename(columns={NAMES[2]: "n\u202e\x1b2"})),
    "order": lambda: SKFR(2, 2).fit(FRAME).predict(FRAME[NAMES[::-1]]),
    "missing": lambda: SparseKMeans(2).fit(far(np.nan)),
    "infinite": lambda: SKFR(2, 2).fit(far(np.inf)),
    "dates": lambda: SKFR(2, 2).fit(FRAME.assign(**{"d\x1b": pd.date_range("2020", periods=30)})),
    "groups": lambda: SKFR(2, 1, groups={"g": NAMES[:2]}).fit(FRAME),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_errors_and_warnings(call) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            call()
        except (TypeError, ValueError) as error:
            told = [str(error)]
        else:
            told = [
                str(w.message)
                for w in found
                if issubclass(w.category, ColumnWarning | PrecisionWarning | ScaleWarning)
            ]
    assert told
    assert all(map(is_safe, told))


def test_pages_of_ports() -> None:
    note = f"line 3: {''.join(HOSTILE)} <b>"
    empty = SimpleNamespace(name="a\x1b.R")
    page = as_page(
        SimpleNamespace(
            r=empty,
            python=empty,
            passed=False,
            rows=[],
            notes=[note],
            verdict="\x1b",
            stream_lines=[note],
        )
    )
    assert is_safe(page)
    assert "<b>" not in page
