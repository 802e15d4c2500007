"""What the tests of the pages share."""

from collections.abc import Iterator

import pytest

from sparsek.engine import set_engine


@pytest.fixture(autouse=True)
def without_numba(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The pages show what an installation without numba prints."""
    monkeypatch.setattr("sparsek.engine.has_numba", lambda: False)
    with set_engine("auto"):
        yield
