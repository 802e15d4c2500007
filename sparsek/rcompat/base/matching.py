"""Abbreviated texts, as R completes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def partial_match(text: Any, choices: Iterable[str]) -> str | None:
    """Complete a text to the choice that it begins, as R's ``pmatch``.

    Parameters
    ----------
    text : str
        The whole choice, or the beginning of one alone.
    choices : iterable of str
        What may be chosen.

    Returns
    -------
    str or None
        The choice; None where no choice or more than one begins so, and for anything but a text.
    """
    if not isinstance(text, str) or not text:
        return None
    found = [choice for choice in choices if choice.startswith(text)]
    if text in found:
        return text
    return found[0] if len(found) == 1 else None
