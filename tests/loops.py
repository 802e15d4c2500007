"""Runs a block by the published loops: in Python, where numba is not needed, or compiled."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest

from sparsek import engine
from sparsek.engine import Loop, set_engine

KINDS = [
    "plain",
    pytest.param("compiled", marks=pytest.mark.compiled),
]
"""How the loops can run, for ``pytest.mark.parametrize``."""


@contextmanager
def by_loops(kind: str) -> Iterator[None]:
    """The engine "compiled"; with "plain" its loops run in Python."""
    with pytest.MonkeyPatch.context() as patch:
        if kind == "plain":
            patch.setattr(engine, "has_numba", lambda: True)
            patch.setattr(Loop, "compiled", property(lambda loop: loop.plain))
        with set_engine("compiled"), np.errstate(all="ignore" if kind == "plain" else None):
            yield


def engine_or_loops(name: str) -> AbstractContextManager[object]:
    """The engine "numpy", or one of the kinds of loops."""
    return set_engine(name) if name == "numpy" else by_loops(name)
