"""The order of texts in R: letters regardless of case first, as in the root locale of ICU."""

from __future__ import annotations

import unicodedata
from typing import Any

PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
"""Characters before the digits, in their order."""


def collation_key(text: str) -> Any:
    """A key by which texts are sorted as R sorts them in a UTF-8 locale with ICU.

    Texts are compared by their characters without case and accents: punctuation, digits, letters. Among equal
    ones, those without accents come first, then those with small letters.
    """
    primary: list[tuple[int, int]] = []
    accents: list[list[int]] = []
    cases: list[bool] = []
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character) and accents:
            accents[-1].append(ord(character))
            continue
        small = character.lower()
        kind = 0 if small in PUNCTUATION else 1 if small.isascii() else 2
        primary.append((kind, PUNCTUATION.index(small) if kind == 0 else ord(small)))
        accents.append([])
        cases.append(character != small)
    return primary, accents, cases, text
