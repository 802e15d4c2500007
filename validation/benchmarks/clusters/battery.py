"""The sets of gagolews/clustering-data-v1, which stay outside the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

FOLDERS = ("fcps", "graves", "other", "sipu", "uci", "wut")
MOST_ROWS, MOST_CLUSTERS = 1500, 10


def battery(folder: Path) -> Iterator[tuple[str, np.ndarray, int]]:
    """Names, rows and numbers of clusters by the first labels, without noise points."""
    for part in FOLDERS:
        for path in sorted((folder / part).glob("*.data.gz")):
            name = path.name.removesuffix(".data.gz")
            X = np.loadtxt(path, ndmin=2)
            y = np.loadtxt(path.with_name(f"{name}.labels0.gz"), dtype=int)
            k = len(np.unique(y[y > 0]))
            if len(X) <= MOST_ROWS and k <= MOST_CLUSTERS and X.shape[1] < 500:
                yield f"{part}/{name}", X, k
