"""The parts that printed summaries of R's package cluster have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.printing import format_array


def components(fields: RList) -> str:
    """The names of the fields, below a heading."""
    return f"Available components:\n{format_array(np.array(list(fields)))}"


def dissimilarities(fields: RList) -> str:
    """The summary of the dissimilarities and an empty line; nothing where they were not kept."""
    return "" if fields["diss"] is None else f"{fields['diss'].summary()}\n\n"


def silhouettes(fields: RList) -> str:
    """The silhouettes, their means and an empty line; nothing where there are none."""
    known: Any = fields.get("silinfo")
    if known is None:
        return ""
    return (
        f"Silhouette plot information:\n{known['widths']}\n{cluster_means(known)}"
        f"Average silhouette width of total data set:\n{format_array(np.array([known['avg.width']]))}\n\n"
    )


def cluster_means(silhouettes: Any) -> str:
    """The means of the silhouettes by cluster."""
    means = format_array(np.asarray(silhouettes["clus.avg.widths"]))
    return f"Average silhouette width per cluster:\n{means}\n"
