"""Arrays that numpy wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek._limits import check_table_zip
from sparsek.cli._cells import InputError

FEATURE_NAMES = "feature_names"
"""Array of an npz file that names the columns of its matrix."""


def read_npy(file: Path) -> pd.DataFrame:
    """The matrix of an npy file."""
    return _named(np.load(file, mmap_mode="r", allow_pickle=False), f"the array of {file}")


def read_npz(file: Path, name: str | None) -> pd.DataFrame:
    """The array of this name, or the only matrix."""
    check_table_zip(file)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        if name is None:
            shapes = {key: stored[key].shape for key in stored.files}
            matrices = [key for key, shape in shapes.items() if len(shape) == 2]
            if len(matrices) != 1:
                raise InputError(f"{file} has {len(matrices)} matrices among {shapes}; name one by --array")
            name = matrices[0]
        elif name not in stored.files:
            raise InputError(f"{file} has no array {name!r}; it has {', '.join(stored.files)}")
        array: NDArray[Any] = stored[name]
        names = stored[FEATURE_NAMES] if FEATURE_NAMES in stored.files else None
    frame = _named(array, f"array {name!r} of {file}")
    if names is None:
        return frame
    if names.dtype.kind != "U" or names.shape != array.shape[1:]:
        raise InputError(
            f"{FEATURE_NAMES} of {file} must be {array.shape[1]} texts, one for each column of {name!r}; got "
            f"shape {names.shape}, {names.dtype}"
        )
    return frame.set_axis(names.tolist(), axis=1)


def _named(array: NDArray[Any], what: str) -> pd.DataFrame:
    """A matrix as a table with the names x1, x2, ..."""
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise InputError(f"{what} must be a matrix of numbers; got shape {array.shape}, {array.dtype}")
    return pd.DataFrame(np.asarray(array), columns=[f"x{j}" for j in range(1, array.shape[1] + 1)])
