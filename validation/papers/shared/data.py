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

    Parameters
    ----------
    names : iterable of str
        Data sets.
    fetch : callable
        Reads a data set by name.

    Returns
    -------
    dict of str to str
        The fetcher's error by name; empty if all data are available.

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


def which_are_here(names: Iterable[str]) -> dict[str, bool]:
    """Whether data sets can be read without a download.

    Parameters
    ----------
    names : iterable of str
        Names in ``sparsek/datasets/registry.toml``, such as those of `Paper.data`.

    Returns
    -------
    dict of str to bool
        By name, in order.

    Raises
    ------
    sparsek.datasets.ChecksumError
        If a file is damaged.
    """
    use_data_beside()
    wanted = sorted(set(names))
    missing = find_missing(wanted, lambda name: obtain(load_registry()[name], None, False, False))
    return {name: name not in missing for name in wanted}
