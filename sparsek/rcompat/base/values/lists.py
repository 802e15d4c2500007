"""Lists and their fields, printed as R prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sparsek.rcompat.base.expressions import Call, deparse
from sparsek.rcompat.base.printing import DIGITS, format_array
from sparsek.rcompat.base.values.frames import format_pandas

SYNTACTIC = re.compile(r"(?:[^\W\d_]|\.(?!\d))[\w.]*")
"""Names that R takes without backquotes."""
_WORDS = "if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA"
RESERVED = frozenset(_WORDS.split())
"""Words of R that are no names."""


def format_value(value: Any, tag: str = "", digits: int = DIGITS) -> str:
    """A field of a list, without the line of its name: None as NULL; classes as they print themselves."""
    if value is None:
        return "NULL"
    if type(value).__module__.partition(".")[0] == "pandas":
        return format_pandas(value, digits)
    if isinstance(value, Call):
        return "\n".join(value.lines())
    if isinstance(value, str):
        return f"[1] {deparse(value, value)}"
    if hasattr(value, "print"):  # a class of ours
        return str(value.in_list(tag)) if hasattr(value, "in_list") else str(value)
    if isinstance(value, Mapping):
        return format_list(value, tag, digits)
    if isinstance(value, list | tuple) and not is_vector(value):
        return format_list({f"[[{i + 1}]]": v for i, v in enumerate(value)}, tag, digits)
    array = np.asarray(value)
    if array.dtype.kind == "O" and array.ndim == 0:
        return str(value)
    return format_array(array[None] if array.ndim == 0 else array, None, digits)


def is_vector(values: Sequence[Any]) -> bool:
    """Whether the entries of a Python list are single values of one kind: numbers, truth values or texts."""
    scalars = (str, bool, int, float, np.number, np.bool_)
    kinds = {str if isinstance(v, str) else bool if isinstance(v, bool | np.bool_) else float for v in values}
    return len(kinds) < 2 and all(isinstance(v, scalars) for v in values)


def _quoted(name: str) -> str:
    """A name of a field, in backquotes where it is no name of a variable in R."""
    return name if SYNTACTIC.fullmatch(name) and name not in RESERVED else f"`{name}`"


def format_list(fields: Mapping[str, Any], tag: str = "", digits: int = DIGITS) -> str:
    """A list as R prints it; names of fields begin with ``[[`` or stand after a ``$``."""
    if not fields:
        return "list()"
    blocks = []
    for name in fields:
        inner = f"{tag}{name}" if name.startswith("[[") else f"{tag}${_quoted(name)}"
        blocks.append(f"{inner}\n{format_value(fields[name], inner, digits)}\n")
    return "\n".join(blocks)
