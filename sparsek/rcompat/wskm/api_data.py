"""The data sets of R's wskm, read from an installed R."""

from __future__ import annotations

from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.installed import read_numbers


def fgkm_sample() -> RArray:
    """Data with groups of features, R's ``wskm::fgkm.sample``, read from an installed R.

    Returns
    -------
    RArray of shape (600, 50)
        The data; ``attributes["dimnames"]`` has the names of the columns.

    Raises
    ------
    ImportError
        Without R or its package wskm, whose licence does not let the data travel with sparsek.
    """
    return read_numbers("wskm", "fgkm.sample")


def twkm_sample() -> RArray:
    """Features of handwritten digits in groups, R's ``wskm::twkm.sample``, read from an installed R.

    Returns
    -------
    RArray of shape (2000, 410)
        The data; the last column is the class, which is removed before clustering.

    Raises
    ------
    ImportError
        Without R or its package wskm, whose licence does not let the data travel with sparsek.
    """
    return read_numbers("wskm", "twkm.sample")
