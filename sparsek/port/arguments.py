"""How arguments of a call in an R script are matched; of a call in Python: `rcompat/base/calls.py`."""

from __future__ import annotations

from collections.abc import Sequence


def match_in_script(
    given: Sequence[str], formals: Sequence[str], named_only: Sequence[str] = ()
) -> list[str]:
    """The names of a function's arguments that the arguments of a call stand for.

    R matches whole names first, then beginnings of names that fit one argument only, then by place.

    Raises ValueError for names that the function has not, or that are given twice, and for too many
    arguments.
    """
    known = [*formals, *named_only]
    found = {place: name for place, name in enumerate(given) if name in known}
    for place, name in enumerate(given):
        if name and place not in found:
            fitting = [full for full in known if full.startswith(name) and full not in found.values()]
            if len(fitting) != 1:
                raise ValueError(
                    f"argument {name!r} is unknown" if not fitting else _ambiguous(name, fitting)
                )
            found[place] = fitting[0]
    twice = [name for name in found.values() if list(found.values()).count(name) > 1]
    if twice:
        raise ValueError(f"argument {twice[0]!r} is given twice")
    free = (name for name in formals if name not in found.values())
    for place in range(len(given)):
        if place not in found:
            found[place] = next(free, "")
    if "" in found.values():
        raise ValueError("there are too many arguments")
    return [found[place] for place in range(len(given))]


def _ambiguous(name: str, fitting: list[str]) -> str:
    """The message for the beginning of several names."""
    return f"argument {name!r} is the beginning of {' and '.join(fitting)}"
