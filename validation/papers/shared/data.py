"""Location and availability of the papers' data sets."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from sparsek.datasets import ChecksumError, DatasetError
from sparsek.datasets._registry import load_registry
from sparsek.datasets._store import obtain


def use_data_beside() -> None:
    """Set SPARSEK_DATA, if unset, to ``../shared/data`` beside the checkout, if this exists."""
    beside = Path(__file__).parents[4] / "shared" / "data"
    if beside.is_dir():
        os.environ.setdefault("SPARSEK_DATA", str(beside))


def find_missing(names: Iterable[str], fetch: Callable[[str], object]) -> dict[str, str]:
    """Missing data sets, with the reason.

    Raises sparsek.datasets.ChecksumError if a file is damaged.
    """
    missing = {}
    for name in names:
        try:
            fetch(name)
        except ChecksumError:
            raise
        except DatasetError as error:
            missing[name] = str(error)
    return missing


def which_are_here(names: Iterable[str]) -> dict[str, bool]:
    """Whether data sets can be read without a download.

    Raises sparsek.datasets.ChecksumError if a file is damaged.
    """
    use_data_beside()
    wanted = sorted(set(names))
    missing = find_missing(wanted, lambda name: obtain(load_registry()[name], None, False, False))
    return {name: name not in missing for name in wanted}
