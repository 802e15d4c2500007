"""What a search chose and how sure it is, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

MEASURES = {"gap": 1, "error": -1, "strength": 1, "consistency": 1}
"""Columns of the tables of searches; 1 where large values are good, -1 where small ones are."""
WEAK, CLEAR = 1.0, 2.0
"""Numbers of standard errors from which on a difference is a weak and a clear preference."""


def verdict(table: pd.DataFrame, chosen: dict[str, Any], rule: str) -> str:
    """Sentences: the values chosen, the next best ones, their distance, and values at the end of a range."""
    measure = next(name for name in MEASURES if name in table)
    values = table[measure].to_numpy(float) * MEASURES[measure]
    errors = table[f"{measure}_se"].to_numpy(float)
    best = int(np.flatnonzero(table["chosen"])[0])
    text = f"Chosen by rule {rule}: {_setting(chosen)}, with {measure} {abs(values[best]):.4g}."
    others = np.delete(np.arange(len(values)), best)
    if len(others):
        rival = int(others[np.argmax(values[others])])
        other = {name: table[name].iloc[rival] for name in chosen}
        text += f" The best other value is {_setting(other)}, with {measure} {abs(values[rival]):.4g}: "
        difference = values[best] - values[rival]
        if difference < 0:
            text += _reason_against(other, chosen, rule)
        else:
            text += _distance(difference, max(errors[best], errors[rival]))
    return " ".join([text, *_ends(table, chosen)])


def _setting(values: dict[str, Any]) -> str:
    """Parameters and their values."""
    return ", ".join(f"{name} = {value:.6g}" for name, value in values.items())


def _reason_against(better: dict[str, Any], chosen: dict[str, Any], rule: str) -> str:
    """Why a rule did not choose the value with the best measure.

    "max" and "min" always choose it. "one_se" goes from it to a smaller value of the last parameter,
    "threshold" to more clusters or to fewer.
    """
    if rule == "one_se":
        last = list(chosen)[-1]
        return f"it is better by at most one standard error, and the rule then takes the smaller {last}."
    if any(better[name] < chosen[name] for name in chosen if name.rpartition("__")[2] == "n_clusters"):
        return "it is stronger, but the rule takes the most clusters whose strength reaches the threshold."
    return "it is stronger, but does not reach the threshold within one standard error."


def _distance(difference: float, error: float) -> str:
    """How far the chosen value is from its rival."""
    if not error > 0:
        return "no standard error tells how sure this is."
    ratio = difference / error
    kind = "too close to tell apart" if ratio < WEAK else "a weak preference" if ratio < CLEAR else "clear"
    return f"{ratio:.2g} standard errors away, {kind}."


def _ends(table: pd.DataFrame, chosen: dict[str, Any]) -> list[str]:
    """A warning for every chosen value beyond which nothing was tried."""
    found = []
    for name, value in chosen.items():
        tried = np.unique(table[name].to_numpy(float))
        if len(tried) > 1 and value == tried[-1]:
            found.append(f"The chosen {name} is the largest of those tried: a better one may lie above.")
        elif (
            len(tried) > 1
            and value == tried[0]
            and value > 1
            and not (name.endswith("clusters") and value < 3)
        ):
            found.append(f"The chosen {name} is the smallest of those tried: a better one may lie below.")
    return found
