"""The command that repeats a result: what was given on the command line and changes the result."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

LEFT_OUT = {"out", "force", "plots", "safe_csv", "as_json", "n_jobs", "traceback"}
"""Options that change where and how results are shown, and not the results."""


def command_of(context: Any) -> str:
    """The call of a command; files by their names alone, so that it runs in their folder."""
    words = ["sparsek", context.info_name]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        if parameter.name not in LEFT_OUT and source is not None and source.name == "COMMANDLINE":
            words += _words(parameter, context.params[parameter.name])
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> list[str]:
    """An option or argument with its value as they are typed."""
    if parameter.param_type_name == "argument":
        return [_text(value)]
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for entry in values for word in (parameter.opts[0], _text(entry))]


def _text(value: Any) -> str:
    """A value as typed, a file by its name."""
    return value.name if isinstance(value, Path) else f"{value:g}" if isinstance(value, float) else str(value)
