"""Parsers of the original files' formats: each takes files and a registry entry and returns the content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import loadmat, whosmat
from scipy.sparse import csr_array

from sparsek._limits import check_sizes, check_zip
from sparsek.bits.ordered_arithmetic import long_column_sums
from sparsek.datasets._content import (
    Content,
    FloatArray,
    make_content,
    name_features,
    read_text,
    to_numbers,
)
from sparsek.datasets._rdata import read_rdata
from sparsek.datasets._registry import Entry

Paths = Sequence[Path]


def parse_delimited(paths: Paths, entry: Entry) -> Content:
    """Text files with one row per line, read one after the other.

    Options are ``separator`` (blank for any white space), ``missing`` (text of a missing value), and
    ``label`` (column of the class) or ``blocks`` (classes of blocks of rows, in order). More are ``drop``
    (columns left out), ``extra`` (text columns to keep), ``classes`` (names of the codes). Columns are
    numbers from 0, or names with ``header = true``.
    """
    options = entry.options
    separator = r"\s+" if options["separator"] == " " else options["separator"]
    header = 0 if options.get("header") else None
    frames = [read_text(path, separator, header, options.get("missing", "")) for path in paths]
    frame = pd.concat(frames, ignore_index=True)
    if "label" in options:
        labels = frame.pop(options["label"])
    else:
        blocks = options["blocks"]
        labels = pd.Series(np.repeat(blocks, len(frame) // len(blocks)))
    frame = frame.drop(columns=options.get("drop", []))
    extra = {name: tuple(frame.pop(name)) for name in options.get("extra", [])}
    features = name_features(entry.features, frame.shape[1]) or tuple(map(str, frame.columns))
    return make_content(to_numbers(frame), _rename(labels, entry), features, extra)


def parse_matlab(paths: Paths, entry: Entry) -> Content:
    """MATLAB files, one per replicate; options ``data`` and ``target`` name the variables."""
    data_name, target_name = entry.options["data"], entry.options["target"]
    for path in paths:
        check_sizes({name: 8 * prod(shape) for name, shape, _ in whosmat(path)}, path)
    files = [loadmat(path, variable_names=[data_name, target_name]) for path in paths]
    data = np.stack([file[data_name] for file in files]).astype(np.float64)
    labels = np.stack([file[target_name].ravel() for file in files]).astype(np.int64)
    if len(entry.shape) == 2:
        data, labels = data[0], labels[0]
    return _content(data, labels, entry)


def parse_matrix(paths: Paths, entry: Entry) -> Content:
    """Text files of numbers separated by blanks: first features by samples, then the classes."""
    data, labels = (np.loadtxt(path, ndmin=2) for path in paths)
    return _content(data.T, labels.ravel().astype(np.int64), entry)


def parse_rdata(paths: Paths, entry: Entry) -> Content:
    """R file: options ``data`` and ``target`` are names of objects, ``list/part`` for a part of a list.

    With ``standardize = true`` each row gets mean 0 and standard deviation 1, as R's ``scale`` does it.
    """
    objects = read_rdata(paths[0])
    data, labels = _pick(objects, entry.options["data"]), _pick(objects, entry.options["target"])
    if isinstance(labels, np.ndarray):
        labels = labels.astype(np.int64)
    data = _standardize_rows(data) if entry.options.get("standardize") else data
    return _content(data, labels, entry)


def parse_series(paths: Paths, entry: Entry) -> Content:
    """A set of the UCR archive as .npz of the package tslearn: training rows, then test rows."""
    check_zip(paths[0])
    with np.load(paths[0], allow_pickle=False) as arrays:
        data = np.concatenate([arrays["X_train"], arrays["X_test"]])[:, :, 0]
        labels = np.concatenate([arrays["y_train"], arrays["y_test"]])
    return _content(data, labels, entry)


def parse_h5ad(paths: Paths, entry: Entry) -> Content:
    """AnnData file of the old layout: ``raw.X`` and the column ``target`` (option) of ``obs``."""
    import h5py

    with h5py.File(paths[0]) as file:
        group, target = file["raw.X"], entry.options["target"]
        shape = tuple(group.attrs["h5sparse_shape"].tolist())
        check_sizes({"raw.X": 8 * prod(shape)}, paths[0])
        parts = tuple(group[part][:] for part in ("data", "indices", "indptr"))
        data = csr_array(parts, shape=shape).toarray()
        features = tuple(name.decode() for name in file["raw.var"]["index"])
        classes = tuple(name.decode() for name in file[f"uns/{target}_categories"])
        codes = file["obs"][target].astype(np.int64)
    return Content(data.astype(np.float64), codes, features, classes)


PARSERS: dict[str, Callable[[Paths, Entry], Content]] = {
    "delimited": parse_delimited,
    "matlab": parse_matlab,
    "matrix": parse_matrix,
    "rdata": parse_rdata,
    "series": parse_series,
    "h5ad": parse_h5ad,
}


def _content(data: Any, labels: Any, entry: Entry) -> Content:
    """Content with the entry's names; classes in the order of option ``classes`` where there is one."""
    features = name_features(entry.features, data.shape[-1])
    content = make_content(data, _rename(labels, entry), features)
    order = tuple(entry.options.get("classes", {}).values()) or content.classes
    codes = np.array([order.index(name) for name in content.classes])
    return Content(content.data, codes[content.target], features, order)


def _rename(labels: Any, entry: Entry) -> Any:
    """The labels, with codes replaced by the names of option ``classes`` if it is given."""
    names = entry.options.get("classes")
    codes = np.asarray(labels).astype(str)
    return np.vectorize(names.__getitem__, otypes=[object])(codes) if names else codes


def _pick(objects: dict[str, Any], path: str) -> Any:
    """The object at a path such as ``list/part``."""
    value: Any = objects
    for name in path.split("/"):
        value = value[name]
    return value


def _standardize_rows(data: FloatArray) -> FloatArray:
    """t(scale(t(data))) with R's sums."""
    columns = np.ascontiguousarray(data.T)
    n = len(columns)
    centred = columns - long_column_sums(columns, n)
    squares = long_column_sums(centred * centred)
    return (centred / np.sqrt(squares / (n - 1))).T
