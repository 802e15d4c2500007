"""A data set's content: its hash, and its tidy file (.csv.gz or .npz)."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek._files import whole_file
from sparsek._limits import check_zip, read_whole

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Content:
    """Contents of a data set, independent of its file format."""

    data: FloatArray  # (n, p) or (replicates, n, p): values in the origin's units; NaN where missing
    target: IntArray  # (n,) or (replicates, n): class of each row, an index into `classes`
    features: tuple[str, ...]  # Names of the columns of `data`
    # Names of the classes: sorted, by value where all of them are integers, or in the order of their codes
    classes: tuple[str, ...]
    # Text columns that are no features, each of length n
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict)


def make_content(
    data: Any, labels: Any, features: tuple[str, ...], extra: dict[str, tuple[str, ...]] | None = None
) -> Content:
    """Content of a data set from its data and one label per row, text or number."""
    names = np.asarray(labels).astype(str)
    distinct = sorted(set(names.ravel().tolist()))
    if all(name.lstrip("-").isdigit() for name in distinct):
        distinct.sort(key=int)
    codes = {name: code for code, name in enumerate(distinct)}
    target = np.array([codes[name] for name in names.ravel()], dtype=np.int64).reshape(names.shape)
    values = np.ascontiguousarray(data, dtype=np.float64)
    return Content(values, target, features, tuple(distinct), extra or {})


def name_features(patterns: tuple[str, ...], p: int) -> tuple[str, ...]:
    """Names of p features; patterns with ``{}`` are repeated with 1, 2, ... in its place."""
    if not any("{}" in pattern for pattern in patterns):
        return patterns
    repeats = range(1, p // len(patterns) + 1)
    return tuple(pattern.format(number) for number in repeats for pattern in patterns)


def hash_content(content: Content) -> str:
    """SHA-256 of the canonical form that the head of registry.toml defines."""
    head = {
        "shape": content.data.shape,
        "features": content.features,
        "classes": content.classes,
        "extra": content.extra,
    }
    values = content.data + 0.0  # a copy, with -0 made 0
    values[np.isnan(values)] = np.nan
    digest = hashlib.sha256(json.dumps(head, sort_keys=True, separators=(",", ":")).encode())
    digest.update(np.ascontiguousarray(values, dtype="<f8"))
    digest.update(np.ascontiguousarray(content.target, dtype="<i8"))
    return digest.hexdigest()


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_tidy(path: Path, patterns: tuple[str, ...], decimals: int | None) -> Content:
    """Content of a tidy file; `patterns` give the feature names if the file has none."""
    if path.name.endswith(".csv.gz"):
        return _read_csv(io.BytesIO(read_whole(path, gzip.open)))
    check_zip(path)
    with np.load(path, allow_pickle=False) as arrays:
        data, codes = np.ascontiguousarray(arrays["X"], dtype=np.float64), arrays["y"]
        distinct, target = np.unique(codes, return_inverse=True)
        classes = arrays["classes"].tolist() if "classes" in arrays else distinct.astype(str).tolist()
        if "feature_names" in arrays:
            features = tuple(arrays["feature_names"].tolist())
        else:
            features = name_features(patterns, data.shape[-1])
    if decimals is not None:  # rounding restores the source's values from single precision
        data = np.round(data, decimals)
    return Content(data, target.reshape(codes.shape).astype(np.int64), features, tuple(classes))


def write_tidy(path: Path, content: Content) -> None:
    """Write the tidy file, completely or not at all."""
    write = _write_csv if path.name.endswith(".csv.gz") else _write_npz
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        write(temporary, content)


def read_text(
    path: Path | IO[bytes], separator: str = ",", header: int | None = 0, missing: str = ""
) -> pd.DataFrame:
    """A table of texts; None where a cell is empty or `missing`."""
    frame = pd.read_csv(
        path, sep=separator, header=header, dtype=str, keep_default_na=False, encoding="utf-8-sig"
    )
    return frame.astype(object).where(~frame.isin(["", missing]), None)


def to_numbers(texts: Any) -> FloatArray:
    """Texts as the nearest doubles, None as NaN; not all versions of pandas round correctly."""
    return np.asarray(texts, dtype=object).astype(np.float64)


def _read_csv(path: IO[bytes]) -> Content:
    """Content of an unpacked .csv.gz: text columns are extra, the last column is the class."""
    frame = read_text(path)
    labels = frame.pop("label")
    extra = {str(name): tuple(frame[name]) for name in frame.columns if not _is_numeric(frame[name])}
    values = frame.drop(columns=list(extra))
    return make_content(to_numbers(values), labels, tuple(map(str, values.columns)), extra)


def _is_numeric(texts: Any) -> bool:
    """Whether all texts are numbers."""
    try:
        to_numbers(texts)
    except ValueError:
        return False
    return True


def _write_csv(path: Path, content: Content) -> None:
    """Write a .csv.gz, each number with the fewest digits that read back to the same double."""
    frame = pd.DataFrame(content.data, columns=list(content.features)).assign(**content.extra)
    frame["label"] = np.array(content.classes)[content.target]
    frame.to_csv(path, index=False, compression={"method": "gzip", "mtime": 0})


def _write_npz(path: Path, content: Content) -> None:
    """Write a .npz with the arrays X, y, classes and feature_names."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            X=content.data,
            y=content.target,
            classes=np.array(content.classes),
            feature_names=np.array(content.features),
        )
