"""What a search says of its choice: how far the next best is, and whether a better one may lie beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils._param_validation import Interval

from sparsek.methods.shared.forced import given_to, has_groups, resolve_n_selected

MEASURES = {"gap": 1, "error": -1, "strength": 1, "consistency": 1}
"""Columns of the tables of searches; 1 where large values are good, -1 where small ones are."""
WEAK, STRONG = 1.0, 2.0
"""Numbers of standard errors from which on a difference is a weak preference, and more than one."""
NEAR = 1e-3
"""A bound holds the weights if their norm comes this near to it, relative to the bound."""


def verdict(table: pd.DataFrame, chosen: dict[str, Any], rule: str) -> str:
    """Sentences: the values chosen, the next best ones, and their distance."""
    measure = next(name for name in MEASURES if name in table)
    sign = MEASURES[measure]
    values = table[measure].to_numpy(float) * sign
    errors = table[f"{measure}_se"].to_numpy(float)
    best = int(np.flatnonzero(table["chosen"])[0])
    text = f"Chosen by rule {rule}: {setting(chosen)}, with {measure} {sign * values[best]:.4g}."
    others = np.delete(np.arange(len(values)), best)
    if len(others):
        rival = int(others[np.argmax(values[others])])
        other = {name: table[name].iloc[rival] for name in chosen}
        text += f" The best other value is {setting(other)}, with {measure} {sign * values[rival]:.4g}: "
        difference = values[best] - values[rival]
        if difference < 0:
            text += _reason_against(other, chosen, rule)
        else:
            text += _distance(difference, max(errors[best], errors[rival]))
    return text


def setting(values: dict[str, Any]) -> str:
    """Parameters and their values; whole numbers with all digits."""
    whole = {name: value == int(value) for name, value in values.items()}
    return ", ".join(
        f"{name} = {int(value) if whole[name] else f'{value:.6g}'}" for name, value in values.items()
    )


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
    if ratio >= STRONG:  # of the measure: the value that is far ahead need not be the right one
        return f"{ratio:.1f} standard errors of this measure away."
    kind = "too close to tell apart" if ratio < WEAK else "a weak preference"
    return f"{ratio:.1f} standard errors away, {kind}."


def beyond_the_ends(
    table: pd.DataFrame, chosen: dict[str, Any], model: Any, shape: tuple[int, int]
) -> list[str]:
    """A warning for every chosen value at an end of those tried, if others lie beyond it."""
    found = []
    for name, value in chosen.items():
        tried = table[name].to_numpy(float)
        below, above = _room(name.rpartition("__")[2], value, model, shape)
        if above and tried.min() < value == tried.max():
            found.append(f"The chosen {name} is the largest of those tried: a better one may lie above.")
        if below and tried.max() > value == tried.min():
            found.append(f"The chosen {name} is the smallest of those tried: a better one may lie below.")
    return found


def _room(name: str, value: Any, model: Any, shape: tuple[int, int]) -> tuple[bool, bool]:
    """Whether a parameter can have values below and above this one that give other fits.

    `shape` is that of the data. One cluster is not compared with several by a criterion.
    """
    n, p = shape
    if name == "n_clusters":
        return value > 2, value < n
    if name == "l1_bound":
        # The L1 norm of a unit vector is between 1 and the root of p.
        return value > 1, value < np.sqrt(p) and _binds(value, model)
    if name == "n_features_to_select":
        return _room_for_features(value, model, p)
    declared = getattr(model, "_parameter_constraints", {}).get(name, ())
    ends = [(entry.left, entry.right) for entry in declared if isinstance(entry, Interval)]
    return (
        all(low is None or value > low for low, _ in ends),
        all(high is None or value < high for _, high in ends),
    )


def _binds(bound: float, model: Any) -> bool:
    """Whether the weights of a fit have the norm that the bound allows; a larger one changes nothing else."""
    weights = getattr(model, "feature_weights_", None)
    return weights is None or has_groups(model) or float(np.sum(weights)) > (1 - NEAR) * bound


def _room_for_features(value: Any, model: Any, p: int) -> tuple[bool, bool]:
    """Whether fewer and more features, or groups, can be selected than by this number, or share below 1."""
    low, high = 1, p
    if hasattr(model, "_fewest_and_most"):
        if not hasattr(model, "labels_") and (given_to(model) or has_groups(model)):
            return False, False  # known after a fit
        low, high = model._fewest_and_most(p)
    selected = resolve_n_selected(value, high)
    return selected > low, selected < high
