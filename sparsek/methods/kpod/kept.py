"""What a fit keeps in memory and leaves out of a file: the completed data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class InMemory:
    """A value that stays in this process: a pickle of it holds None."""

    value: Any = None

    def __reduce__(self) -> Any:
        return type(self), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
