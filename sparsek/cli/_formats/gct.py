"""GCT files of GenePattern and the Broad Institute: genes in rows, samples in columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sparsek.cli._cells import InputError, ReadOptions, Row, shorten
from sparsek.cli._text import read_rows

VERSIONS = ("#1.2", "#1.3")
"""First lines of GCT files."""


def read_gct(file: Path, options: ReadOptions) -> tuple[Iterator[Row], ReadOptions]:
    """The rows of the table, names of the columns first, and how to read them.

    What describes the genes is left out, and so is what describes the samples unless an option names it.
    """
    rows = read_rows(file, "\t")
    version, sizes = next(rows, (1, [""])), next(rows, (2, [""]))
    if version[1][0].strip() not in VERSIONS:
        raise InputError(
            f"{file} is no GCT file: line 1 must be {' or '.join(VERSIONS)}; got {shorten(version[1][0])}"
        )
    counts = [int(cell) for cell in sizes[1] if cell.strip().isdecimal()]
    if len(counts) not in (2, 4):
        raise InputError(f"line 2 of {file} must have the numbers of genes and samples; got {sizes[1]}")
    _, n_samples, describing, described = counts if len(counts) == 4 else [*counts, 1, 0]
    header = next(rows, (3, []))
    if len(header[1]) != 1 + describing + n_samples:
        raise InputError(
            f"line 3 of {file} has {len(header[1])} cells; line 2 says {n_samples} samples after "
            f"{1 + describing} columns about the genes"
        )
    asked = {options.id_col, options.truth, options.batch, *options.categories}

    def table() -> Iterator[Row]:
        for number, (line, cells) in enumerate((header, *rows)):
            if not 0 < number <= described or cells[0] in asked:
                yield line, [cells[0], *cells[1 + describing :]]

    turned = options.transpose is not False
    id_col = options.id_col if turned else options.id_col or "1"
    return table(), replace(options, header=True, transpose=turned, names_col="1", id_col=id_col)
