"""Tables that seem to be turned: genes in rows and samples in columns, as expression data are stored."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy.stats import rankdata

LEAST_ROWS, TIMES, LEAST_COLUMNS = 500, 20, 6
"""Rows at least, how many times the columns these are, and columns at least, of what may be turned."""
LEAST_SAMPLES = 0.8
"""Share of the names of columns that are names of samples, at least."""
SAMPLE = re.compile(
    r"(?:GSM|[SED]R[RSX])\d+.*|TCGA[-.].*|.*\.(?:CEL|bam|sam|idat|fastq)(?:\.gz)?"
    r"|(?:sample|patient|subject|donor|array|chip|library|replicate)[ ._-]?[a-z]?\d+.*",
    re.IGNORECASE,
)
"""Names of samples in archives, of files of samples, and numbered samples."""
NUMBERED = re.compile(r"(.*?)[ ._-]?(\d+)", re.ASCII)
"""A stem, which may be empty, and a number."""
MOST_GAPS = 1.5
"""How many times the numbers of a stem their range may be."""
YEARS = range(1800, 2101)
"""Numbers that name columns without a stem and are no samples."""
LEAST_CORRELATION, MOST_SHIFT, MOST_RATIO, LEAST_VALUES = 0.5, 0.25, 3.0, 50
"""What columns that measure one thing have in common: the median of their rank correlations, the standard
deviation of their medians in widths of a column, and how many times the narrowest the widest one is; and
different values at least, which marks on a scale have not."""
MOST_LOOKED_AT = 2000, 60
"""Rows and columns that are looked at, evenly spread."""


def samples_in_columns(frame: Any) -> str | None:
    """What makes a data frame look as if its columns were samples; None if it does not.

    The rule needs far more rows than columns. Names of samples in archives then suffice. Names that are
    a stem and a number, which variables have too, count where the columns agree as repeated measurements of
    the same things do: they are highly correlated, at one level and of one spread.
    """
    rows, columns = frame.shape
    if rows < LEAST_ROWS or columns < LEAST_COLUMNS or rows <= TIMES * columns:
        return None
    names = [str(name) for name in frame.columns]
    shown = f"{', '.join(names[:3])}, ..., {names[-1]}"
    if sum(SAMPLE.fullmatch(name) is not None for name in names) >= LEAST_SAMPLES * columns:
        return f"the columns have names of samples ({shown})"
    if not _numbered(names):
        return None
    correlation = _agreement(frame.select_dtypes("number").to_numpy(dtype=np.float64))
    if correlation is None:
        return None
    return (
        f"the columns are numbered ({shown}) and correlated as repeated measurements are ({correlation:.2f})"
    )


def _numbered(names: list[str]) -> bool:
    """Whether all names are stems with numbers almost without gaps, several to a stem."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        found = NUMBERED.fullmatch(name)
        if found is None:
            return False
        numbers.setdefault(found[1], set()).add(int(found[2]))
    if numbers.keys() == {""} and min(numbers[""]) in YEARS:
        return False
    return all(
        len(of_stem) > 1 and max(of_stem) - min(of_stem) < MOST_GAPS * len(of_stem)
        for of_stem in numbers.values()
    )


def _agreement(values: np.ndarray) -> float | None:
    """The median rank correlation of columns that agree; None if they do not."""
    rows, columns = (max(1, -(-n // most)) for n, most in zip(values.shape, MOST_LOOKED_AT, strict=True))
    values = values[::rows, ::columns]
    values = values[np.isfinite(values).all(axis=1)]
    if (
        len(values) < LEAST_ROWS // 5
        or values.shape[1] < LEAST_COLUMNS
        or len(np.unique(values)) < LEAST_VALUES
    ):
        return None
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
    widths = high - low
    if not widths.min() > 0 or widths.max() > MOST_RATIO * widths.min():
        return None
    if middle.std() > MOST_SHIFT * np.median(widths):
        return None
    ranks = np.apply_along_axis(rankdata, 0, values)
    pairs = np.corrcoef(ranks, rowvar=False)[np.triu_indices(values.shape[1], 1)]
    found = float(np.median(pairs))
    return found if found >= LEAST_CORRELATION else None
