"""R's warnings, at the line of a program that called sparsek."""

from __future__ import annotations

import sys
import warnings

from sparsek.errors import RWarning


def warn_as_r(message: str) -> None:
    """Warn with R's message at the line that called sparsek.

    RWarning with the message.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sparsek."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RWarning, stacklevel=level)
