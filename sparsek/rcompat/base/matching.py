"""Abbreviated texts, as R completes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def partial_match(text: Any, choices: Iterable[str]) -> str | None:
    """Complete a text to the choice that it begins, as R's ``pmatch``."""
    if not isinstance(text, str) or not text:
        return None
    found = [choice for choice in choices if choice.startswith(text)]
    if text in found:
        return text
    return found[0] if len(found) == 1 else None
