"""The mean silhouette width from random parts of the data, as R's ``distcritmulti``."""

from __future__ import annotations

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.cluster.api_silhouette import Silhouette, silhouette
from sparsek.rcompat.stats.distances.api_dist import dist
from sparsek.rng import RRandom


def mean_silhouette(data: FloatArray, labels: IntArray, parts: int, stream: RRandom) -> float:
    """The mean of the mean silhouette widths in parts, which are drawn, weighted by their numbers of rows.

    Shapes: data (n, p), labels (n,).

    Raises RError with R's message, for a part of one cluster or of single rows only.

    Source: Hennig & Liao (2013).
    """
    n = len(data)
    order, size = stream.sample_int(n, n) - 1, n // parts
    total = []
    for part in range(parts):
        rows = order[part * size : (part + 1) * size if part < parts - 1 else n]
        found = silhouette(labels[rows], dist(data[rows])) if len(rows) else None
        if not isinstance(found, Silhouette):
            message = f"part {part + 1} of {parts} has a single cluster or rows without company: lower ns"
            raise RError("$ operator is invalid for atomic vectors", message)
        total.append(len(rows) * found.summary().avg_width)
    return long_sum(np.array(total)) / n
