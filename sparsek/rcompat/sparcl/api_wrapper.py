"""R's ``sparcl::HierarchicalSparseCluster.wrapper``: from a GCT file to the files of a clustering."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, decimal_number, long_deviation
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, RMatrix, as_flag, as_number
from sparsek.rcompat.base.printing import format_number
from sparsek.rcompat.sparcl.api_hierarchical import (
    HierarchicalSparseCluster,
    HierarchicalSparseCluster_permute,
)
from sparsek.rcompat.sparcl.pair_distances import MEMORY_LIMIT
from sparsek.rcompat.sparcl.results import SparseHierarchy, SparseHierarchyGap
from sparsek.rcompat.sparcl.tree_files import as_character, treeview_files, write_files
from sparsek.rng import RRandom, resolve_rng

NUMBER = re.compile(r"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?")
SPECIAL = {"": math.nan, "NA": math.nan, "NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Expression:
    """A GCT file."""

    values: FloatArray  # (n_samples, n_genes): data; NaN where missing
    genes: list[str]  # genes, descriptions: names and descriptions of the genes
    descriptions: list[str]
    samples: list[str]  # Names of the samples


def HierarchicalSparseCluster_wrapper(
    file: str | Path,
    method: str = "average",
    wbound: float | None = None,
    silent: bool = False,
    cluster_features: bool = False,
    method_features: str = "average",
    output_cluster_files: bool = True,
    outputfile_prefix: str | None = None,
    maxnumgenes: int | None = 5000,
    standardize_arrays: bool = True,
    *,
    memory_limit: float = MEMORY_LIMIT,
    rng: RRandom | None = None,
) -> RList:
    """Cluster the samples of a GCT file, as R's ``sparcl::HierarchicalSparseCluster.wrapper``.

    Parameters
    ----------
    file : str or Path
        GCT file: a line with the version; a line with the numbers of genes and samples, separated by tabs or
        spaces; a line with Name, Description and the samples; then a line per gene. Cells are separated by
        tabs; empty and NA are missing.
    method : {"average", "complete", "single", "centroid"}, default="average"
        Linkage.
    wbound : float, optional
        Bound on the sum of the weights, above 1. Default: that of the largest gap statistic of
        `HierarchicalSparseCluster_permute` with 10 permutations.
    silent : bool, default=False
        False logs the progress at level INFO.
    cluster_features : bool, default=False
        Cluster the genes of positive weight too.
    method_features : {"average", "complete", "single", "centroid"}, default="average"
        Linkage of the genes.
    output_cluster_files : bool, default=True
        Write ``.cdt``, ``.atr`` and, with `cluster_features`, ``.gtr``, beside ``.out`` (summary) and
        ``.txt`` (genes by weight), which are always written.
    outputfile_prefix : str, optional
        Their path without the ending. Default: `file` without its last ending.
    maxnumgenes : int, optional, default=5000
        Of more genes only this many of the largest variance are used; None uses all.
    standardize_arrays : bool, default=True
        First give every sample mean 0 and standard deviation 1.
    memory_limit : float, default=4e9
        Bytes that the distances may take.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``perm.out`` (`SparseHierarchyGap`, only without `wbound`), ``out`` (`SparseHierarchy`, with
        ``genenames`` and ``genedesc``) and ``x`` (n_samples, n_genes), the data used.

    Raises
    ------
    RError
        With R's message: a cell that is no number, rows or a header of the wrong length, and everything that
        `HierarchicalSparseCluster` raises.
    ValueError
        A file that is not in the GCT format, `maxnumgenes` below 1.
    OSError
        `file` cannot be read, or the results cannot be written; either all of them are written or none.
    MemoryError
        The distances would take more than `memory_limit`.

    See Also
    --------
    HierarchicalSparseCluster : R's sparse hierarchical clustering, bit for bit.

    Notes
    -----
    The dissimilarity is "absolute.value", as in R. A `file` without an ending is its own prefix (in R the
    prefix is then empty), and cells NaN are written as NA.

    References
    ----------
    Witten, D. M. & Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105, 713-726,
    Section 4.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sparsek.rcompat import HierarchicalSparseCluster_wrapper, set_seed
    >>> rows = ["#1.2", "3\\t4", "Name\\tDescription\\ta\\tb\\tc\\td", "g1\\t-\\t1\\t2\\t8\\t9"]
    >>> rows += ["g2\\t-\\t5\\t4\\t4\\t5", "g3\\t-\\t3\\t1\\t1\\t0"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "toy.gct"
    ...     _ = path.write_text("\\n".join(rows))
    ...     set_seed(1)
    ...     fit = HierarchicalSparseCluster_wrapper(path, wbound=1.5)
    ...     sorted(p.name for p in path.parent.iterdir())
    ['toy.atr', 'toy.cdt', 'toy.gct', 'toy.out', 'toy.txt']
    """
    path = Path(file)
    data = select_genes(read_gct(path), maxnumgenes)
    x = data.values
    options: dict[str, Any] = {"dissimilarity": "absolute.value", "standardize_arrays": standardize_arrays}
    options |= {"memory_limit": memory_limit, "rng": resolve_rng(rng)}
    fields: dict[str, Any] = {}
    if wbound is None:
        fields["perm.out"] = HierarchicalSparseCluster_permute(x, nperms=10, **options)
        wbound = fields["perm.out"]["bestw"]
    clustering: dict[str, Any] = {
        "cluster_features": cluster_features,
        "method_features": method_features,
        "silent": silent,
    }
    fit = HierarchicalSparseCluster(x, method=method, wbound=wbound, **clustering, **options)
    names = {"genenames": data.genes, "genedesc": data.descriptions}
    fields["out"] = SparseHierarchy({**fit, **names}, data.samples, data.genes)
    files = {
        "out": _summary(fields["out"], fields.get("perm.out")),
        "txt": _weights(data, fit["ws"].ravel()),
    }
    if as_flag(output_cluster_files, "output_cluster_files"):
        matrix = RMatrix(x, data.samples, data.genes)
        files |= treeview_files(fit, matrix, data.genes, data.descriptions)
    write_files(files, str(path.with_suffix("")) if outputfile_prefix is None else outputfile_prefix)
    return RList({**fields, "x": x}, data.samples, data.genes)


def read_gct(path: Path) -> Expression:
    """Read a GCT file.

    Raises RError with R's message: a cell that is no number, rows or a header of the wrong length; ValueError
    less than three lines and a gene.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) < 4:
        raise ValueError(
            f"{path} is not a GCT file: it must have a version, the numbers of genes and samples, a header "
            "and genes"
        )
    counts = lines[1].split()
    if len(counts) != 2:
        message = (
            f"the numbers of genes and samples must be two numbers in line 2 of {path}; got {lines[1]!r}"
        )
        raise RError("the condition has length > 1", message)
    samples = lines[2].split("\t")[2:]
    if str(len(samples)) != counts[1]:
        message = f"Number of sample names {len(samples)} not equal to the number of columns {counts[1]} ."
        raise RError(message, f"lines 2 and 3 of {path} disagree")
    rows = [line.split("\t") for line in lines[3:] if line.strip()]
    for i, row in enumerate(rows, start=1):
        if len(row) != len(samples) + 2:
            message = f"line {i} did not have {len(samples) + 2} elements"
            raise RError(message, f"gene {i} of {path} has {len(row) - 2} values for {len(samples)} samples")
    values = np.array([[read_number(cell) for cell in row[2:]] for row in rows])
    return Expression(np.ascontiguousarray(values.T), [r[0] for r in rows], [r[1] for r in rows], samples)


def read_number(text: str) -> float:
    """A number as R reads it: digits and power of ten in extended precision; NaN for NA or nothing."""
    text = text.strip()
    if text in SPECIAL:
        return SPECIAL[text]
    match = NUMBER.fullmatch(text)
    digits = match.group(2) + match.group(3) if match else ""
    if not match or not digits:
        raise RError(f"scan() expected 'a real', got '{text}'", "cells must be numbers, NA or empty")
    exponent = int(match.group(4) or 0) - len(match.group(3))
    if len(digits) > 19 or abs(exponent) > 300:
        return float(text)
    value = decimal_number(int(digits), exponent)
    return -value if match.group(1) == "-" else value


def select_genes(data: Expression, limit: int | None) -> Expression:
    """The genes of largest variance, in decreasing order; those with missing values come last."""
    if limit is None or data.values.shape[1] <= as_number(limit, "maxnumgenes"):
        return data
    if limit < 1:
        raise ValueError(f"maxnumgenes must be at least 1, or None for all genes; got {limit}")
    variances = [0.0 if np.isnan(gene).any() else long_deviation(gene) ** 2 for gene in data.values.T]
    order = np.argsort(-np.array(variances), kind="stable")[: int(limit)]
    return Expression(
        np.ascontiguousarray(data.values[:, order]),
        [data.genes[j] for j in order],
        [data.descriptions[j] for j in order],
        data.samples,
    )


def _summary(fit: SparseHierarchy, gap: SparseHierarchyGap | None) -> list[str]:
    """Lines of the ``.out`` file."""
    lines = []
    if gap is not None:
        lines += ["Results of running permutations to choose optimal wbound:"]
        lines += ["\t".join(["", "Wbound", "# Non-Zero W's", "Gap Statistic", "Standard Deviation"])]
        columns = [gap[name] for name in ("wbounds", "nnonzerows", "gaps", "sdgaps")]
        for i, row in enumerate(zip(*columns, strict=True), start=1):
            lines.append("\t".join([str(i), *(as_character(round(float(v), 4)) for v in row)]))
        lines += [f"Tuning parameter that leads to largest Gap statistic:  {format_number(gap['bestw'])}", ""]
    return [*lines, "Results of running Sparse Clustering:", *str(fit).rstrip("\n").split("\n")]


def _weights(data: Expression, weights: FloatArray) -> list[str]:
    """Lines of the ``.txt`` file: genes of positive weight, by decreasing weight."""
    lines = ["Gene Name\t\tGene Description\t\tWeight"]
    for j in np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)].tolist():
        lines.append(f"{data.genes[j]}\t\t{data.descriptions[j]}\t\t{as_character(float(weights[j]))}")
    return lines
