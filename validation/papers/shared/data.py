"""Where the papers look for data, and which of their data sets can be had."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from sparsek.datasets import ChecksumError, DatasetError


def use_data_beside() -> None:
    """Point SPARSEK_DATA at ``../shared/data`` beside the checkout, where it is and nothing else is named."""
    beside = Path(__file__).parents[4] / "shared" / "data"
    if beside.is_dir():
        os.environ.setdefault("SPARSEK_DATA", str(beside))


def find_missing(names: Iterable[str], fetch: Callable[[str], object]) -> dict[str, str]:
    """Data sets that cannot be had.

    Parameters
    ----------
    names : iterable of str
        Data sets.
    fetch : callable
        Reads one by its name.

    Returns
    -------
    dict of str to str
        The fetcher's error by name; empty where everything can be had.

    Raises
    ------
    sparsek.datasets.ChecksumError
        If a file is damaged.
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
