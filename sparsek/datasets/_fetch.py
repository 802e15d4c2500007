"""Fetchers of the papers' real data sets."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc
from typing import Any, Protocol

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from sparsek.datasets._content import Content
from sparsek.datasets._registry import Entry, list_names, load_registry
from sparsek.datasets._store import obtain

PARAMETERS = """data_home : str, Path or None, default=None
        Cache folder; by default the one that ``pooch.os_cache("sparsek")`` names. A file in the folder that
        the environment variable ``SPARSEK_DATA`` names comes first.
    download_if_missing : bool, default=True
        Download the set where it is in neither folder; otherwise raise.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Pandas objects instead of arrays; only then is ``frame`` filled.
    progressbar : bool, default=False
        Show the progress of a download."""

RESULT = """Returns
    -------
    Bunch or tuple
        ``data`` (n, p) float64 in the origin's units, NaN where missing; ``target`` (n,) int64, indices into
        ``target_names``; ``feature_names``, list of p; ``frame``, DataFrame of data, of text columns where
        there are any, and of ``target``; ``DESCR`` with source, licence, sizes and notes.

    Raises
    ------
    DatasetError
        The set is not here and cannot be downloaded; the message says what to do.
    ChecksumError
        A file is damaged or holds other data than the registry describes."""

TEMPLATE = """Fetch {title}.

    {size}. {note}

    Parameters
    ----------
    {parameters}

    {result}

    References
    ----------
    {source}. {page}

    Examples
    --------
    Not run here, because it may download:

    >>> from sparsek.datasets import fetch_{name}
    >>> X, y = fetch_{name}(return_X_y=True)  # doctest: +SKIP
    """


class Fetcher(Protocol):
    """The signature of the fetcher of one set."""

    __name__: str
    __qualname__: str

    def __call__(
        self,
        *,
        data_home: Any = None,
        download_if_missing: bool = True,
        return_X_y: bool = False,
        as_frame: bool = False,
        progressbar: bool = False,
    ) -> Any:
        """Fetch the set."""


def _fill_in(text: str, **parts: str) -> str:
    """A docstring with the parts that fetchers share; no margins: Python 3.13 removes those of literals."""
    shared = {"parameters": cleandoc(PARAMETERS), "result": cleandoc(RESULT)}
    return cleandoc(text).format(**shared, **parts)


def make_fetcher(name: str) -> Fetcher:
    """The fetcher of an entry of the registry, with the entry's text as its docstring."""
    entry = load_registry()[name]

    def fetch(
        *,
        data_home: Any = None,
        download_if_missing: bool = True,
        return_X_y: bool = False,
        as_frame: bool = False,
        progressbar: bool = False,
    ) -> Any:
        content = obtain(entry, data_home, download_if_missing, progressbar)
        return _answer(entry, content, return_X_y, as_frame)

    fetch.__name__ = fetch.__qualname__ = f"fetch_{name}"
    fetch.__module__ = "sparsek.datasets"  # its public module, so that it can be pickled
    fetch.__doc__ = _fill_in(
        TEMPLATE,
        title=entry.title,
        size=_size(entry),
        note=entry.note,
        source=entry.source,
        page=entry.page,
        name=name,
    )
    return fetch


def fetch_microarray(
    name: str,
    *,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    progressbar: bool = False,
) -> Any:
    """Fetch one of the ten gene expression sets of Jin and Wang.

    The values are those that the sparse MinMax k-means paper clusters, before it scales them. For ``breast``,
    ``lung2`` and ``sucancer`` no copy could be compared: shape and class sizes are checked, not the values.

    Parameters
    ----------
    name : str
        One of ``brain``, ``breast``, ``colon``, ``leukemia``, ``lung1``, ``lung2``, ``lymphoma``,
        ``prostate``, ``srbct``, ``sucancer``.
    {parameters}

    {result}
    TypeError, ValueError
        A name that is none of the ten.

    References
    ----------
    Jin, J. and Wang, W. (2016). Influential features PCA for high dimensional clustering. Annals of
    Statistics 44, 2323-2359.

    Examples
    --------
    Not run here, because it may download:

    >>> from sparsek.datasets import fetch_microarray
    >>> fetch_microarray("colon").data.shape  # doctest: +SKIP
    (62, 2000)
    """
    entry = _pick("microarray", name)
    content = obtain(entry, data_home, download_if_missing, progressbar)
    return _answer(entry, content, return_X_y, as_frame)


def fetch_pcskm(
    name: str,
    *,
    replicate: int = 0,
    data_home: Any = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    progressbar: bool = False,
) -> Any:
    """Fetch one of the sets of the paper on semi-supervised sparse k-means, rows in the authors' order.

    The two synthetic sets are ten new draws each from the published model, because the authors' draws cannot
    be had; ``make_brodinova(10, 5, (40,) * 3)`` and ``make_brodinova(10, 3, (40,) * 3)`` draw more.

    Parameters
    ----------
    name : str
        One of ``fisheriris``, ``ionosphere``, ``digits048``, ``digits389``, ``mwm_ttscst``, ``mwm_ttchst``,
        ``synthetic_40_3_5_5``, ``synthetic_40_3_3_7``.
    replicate : int, default=0
        Which of the ten subsets of the digits, or of the ten draws of a synthetic set; 0 for the others.
    {parameters}

    {result}
    TypeError, ValueError
        A name that is none of these, or a replicate that the set does not have.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-Means algorithm. Pattern Recognition
    Letters 142, 65-71.

    Examples
    --------
    Not run here, because it may download:

    >>> from sparsek.datasets import fetch_pcskm
    >>> fetch_pcskm("digits048", replicate=9).data.shape  # doctest: +SKIP
    (150, 16)
    """
    entry = _pick("pcskm", name)
    if not isinstance(replicate, int | np.integer):
        raise TypeError(f"replicate must be an integer; got {replicate!r}")
    replicates = entry.shape[0] if len(entry.shape) == 3 else 1
    if not 0 <= replicate < replicates:
        raise ValueError(f"replicate of {name} must be from 0 to {replicates - 1}; got {replicate!r}")
    content = obtain(entry, data_home, download_if_missing, progressbar)
    if len(entry.shape) == 3:
        content = replace(content, data=content.data[replicate], target=content.target[replicate])
    return _answer(entry, content, return_X_y, as_frame)


for _function in (fetch_microarray, fetch_pcskm):
    _function.__doc__ = _fill_in(_function.__doc__ or "")


def _pick(folder: str, name: str) -> Entry:
    """The entry of a name; the name must be one of the given folder."""
    if not isinstance(name, str):
        raise TypeError(f"name must be a str; got {type(name).__name__}")
    names = list_names(folder)
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}; got {name!r}")
    return load_registry()[name]


def _answer(entry: Entry, content: Content, return_X_y: bool, as_frame: bool) -> Any:
    """The Bunch, or only data and target."""
    data: Any = content.data
    target: Any = content.target
    frame = None
    if as_frame:
        data = pd.DataFrame(data, columns=list(content.features))
        target = pd.Series(target, name="target")
        texts = {name: list(column) for name, column in content.extra.items()}
        frame = pd.concat([data, pd.DataFrame(texts, index=data.index), target], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=list(content.features),
        target_names=np.array(content.classes),
        DESCR=_describe(entry, content),
    )


def _describe(entry: Entry, content: Content) -> str:
    """Source, licence, sizes, missing cells and notes as text."""
    sizes = np.bincount(content.target, minlength=len(content.classes))
    missing = int(np.isnan(content.data).sum())
    identifiers = [f"UCI {entry.uci}"] * (entry.uci is not None) + [f"OpenML {entry.openml}"] * (
        entry.openml is not None
    )
    checked = (
        "equal to a copy of the origin's file" if entry.verified else "not compared with the origin's file"
    )
    lines = {
        "Samples x features": f"{content.data.shape[0]} x {content.data.shape[1]}",
        "Classes": ", ".join(f"{name} ({size})" for name, size in zip(content.classes, sizes, strict=True)),
        "Missing cells": str(missing) if missing else "none",
        "Source": entry.source,
        "Origin": "; ".join([entry.page, *identifiers]),
        "Licence": entry.licence,
        "Values": f"{checked}; SHA-256 of the content {entry.content or 'not known'}",
        "Note": entry.note,
    }
    body = "\n".join(f"{key}: {value}" for key, value in lines.items() if value)
    return f"{entry.title[0].upper()}{entry.title[1:]}\n\n{body}\n"


def _size(entry: Entry) -> str:
    """Samples and features in words."""
    return f"{entry.shape[-2]} samples, {entry.shape[-1]} features"
