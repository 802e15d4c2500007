"""Ordered answers: the words of usual scales, which are recognised, and orders that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparsek.inputs.mixed import listed

if TYPE_CHECKING:
    import pandas as pd

Orders = dict[str, list[str]]
"""The levels of columns, from the lowest to the highest, by the names of the columns."""

SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("strongly disagree",),
        ("disagree",),
        ("somewhat disagree", "slightly disagree"),
        ("neutral", "neither agree nor disagree", "undecided"),
        ("somewhat agree", "slightly agree"),
        ("agree",),
        ("strongly agree",),
    ),
    (
        ("never",),
        ("rarely", "seldom"),
        ("sometimes", "occasionally"),
        ("often", "frequently"),
        ("very often", "usually"),
        ("always",),
    ),
    (
        ("very dissatisfied",),
        ("dissatisfied",),
        ("neutral", "neither satisfied nor dissatisfied"),
        ("satisfied",),
        ("very satisfied",),
    ),
    (("very poor",), ("poor",), ("fair", "average"), ("good",), ("very good",), ("excellent",)),
    (
        ("not important", "not at all important"),
        ("slightly important",),
        ("moderately important",),
        ("important",),
        ("very important",),
        ("extremely important",),
    ),
    (
        ("not at all",),
        ("a little", "slightly"),
        ("somewhat", "moderately"),
        ("a lot", "very"),
        ("extremely",),
    ),
    (("very low",), ("low",), ("medium", "moderate"), ("high",), ("very high",)),
    (("very unlikely",), ("unlikely",), ("neutral",), ("likely",), ("very likely",)),
)
"""Usual scales from the lowest answer to the highest, each answer with its other words."""
FEWEST = 3
"""A column has at least this many words of a scale; two say little about their order."""


def guessed_orders(frame: pd.DataFrame) -> Orders:
    """The orders of the columns of categories whose levels are all words of one usual scale.

    Columns of one scale have the levels that occur in any of them, so that their scores are alike. A column
    that would have two words for one answer, or one word in two spellings, is left as it is.
    """
    import pandas as pd

    texts = {
        str(name): [str(level) for level in column.cat.categories]
        for name, column in frame.items()
        if isinstance(column.dtype, pd.CategoricalDtype) and not column.cat.ordered
    }
    found: Orders = {}
    for scale in SCALES:
        places = {word: place for place, words in enumerate(scale) for word in words}
        own: dict[str, dict[int, str]] = {}
        for name, levels in texts.items():
            at = {places.get(level.casefold(), -1): level for level in levels}
            if name not in found and -1 not in at and len(levels) == len(at) >= FEWEST:
                own[name] = at
        used = sorted({place for at in own.values() for place in at})
        for name, at in own.items():
            found[name] = [at.get(place, scale[place][0]) for place in used]
    return found


def with_orders(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The table with these columns as ordered categories.

    Raises ValueError for a column that is not of categories, and for an entry that is none of its levels.
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, levels in orders.items():
        column = frame[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            raise ValueError(f"column {name!r} holds numbers, which have an order; leave its levels out")
        other = [level for level in column.cat.categories if level not in levels]
        if other:
            raise ValueError(
                f"column {name!r} has the entry {other[0]!r}, which is none of its ordered levels "
                f"{listed(levels)}: add it to them, or correct the entry"
            )
        columns[name] = column.cat.set_categories(list(levels), ordered=True)
    return frame.assign(**columns)
