"""Reader of PLINK's genotypes: a ``.bed`` file, with the variants in ``.bim`` and the samples in ``.fam``.

The genotypes of a variant lie together, four samples to a byte, the first in the lowest two bits: 00 two
copies of the first allele (column 5 of ``.bim``), 10 one copy, 11 none, 01 missing. The numbers are copies of
the first allele, as by PLINK's ``--recode A``.

Source: PLINK 1.9, file format reference, ``.bed``, ``.bim`` and ``.fam``.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sparsek.core.steps import Array
from sparsek.sources.files.flat import Layout, open_file, read_at, read_pieces
from sparsek.sources.files.watch import watch_file
from sparsek.sources.readers import BLOCK_BYTES, set_block_bytes

MAGIC = b"\x6c\x1b"
"""The first two bytes of the format; the third says how genotypes lie."""
BY_VARIANT, BY_SAMPLE = 1, 0
HEADER_BYTES = 3
SAMPLES_PER_BYTE = 4
PANEL_BLOCKS = 32
"""Blocks whose packed genotypes are read at once; they take the memory of one block of numbers."""
FIELDS = 6
"""Fields in a line of ``.bim`` and of ``.fam``."""
LONGEST_LINE = 1_000_000
"""Characters of a line at most; alleles of a variant can be long."""
COPIES = np.array([2.0, np.nan, 1.0, 0.0])
"""Copies of the first allele by the two bits."""
COPIES_OF_BYTES = COPIES[np.arange(256) >> 2 * np.arange(SAMPLES_PER_BYTE)[:, None] & 3]
"""Copies of the first allele of each of the four samples, by the byte."""


class PlinkReader:
    """A `sparsek.sources.readers.Reader` of a ``.bed`` file."""

    def __init__(self, path: Path) -> None:
        self.name, self.array = str(path), None
        self.dtype: Any = np.float64
        files = [path, _beside(path, ".fam"), _beside(path, ".bim")]
        self._watches = [watch_file(file, str(file)) for file in files]
        self._file = open_file(path)
        weakref.finalize(self, os.close, self._file)
        n_bytes = os.fstat(self._file).st_size - HEADER_BYTES
        _check_header(self._file, n_bytes, self.name)
        people = _fields(files[1], SAMPLES_PER_BYTE * n_bytes)
        variants = _fields(files[2], n_bytes)
        self.shape = (len(people), len(variants))
        pitch = -(-len(people) // SAMPLES_PER_BYTE)
        self._packed = Layout(HEADER_BYTES, np.dtype(np.uint8), pitch)
        if n_bytes != pitch * len(variants):
            raise ValueError(
                f"{self.name} has {n_bytes + HEADER_BYTES} bytes, and must have "
                f"{pitch * len(variants) + HEADER_BYTES} for the {len(people)} samples of "
                f"{files[1].name} and the {len(variants)} variants of {files[2].name}; it is cut off, or the "
                "three files do not belong together: copy them again"
            )
        self.ids = _sample_ids(people)
        self.names: list[str] | None = _variant_names(variants, files[2])
        self.block_rows = 1
        set_block_bytes(self, BLOCK_BYTES)

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        n, step = self.shape[0], self.block_rows
        if step > SAMPLES_PER_BYTE:
            step -= step % SAMPLES_PER_BYTE  # no byte is unpacked twice
        self.check()
        for first in range(0, n, PANEL_BLOCKS * step):
            stop = min(first + PANEL_BLOCKS * step, n)
            panel = self._panel(first // SAMPLES_PER_BYTE, -(-stop // SAMPLES_PER_BYTE))
            for start in range(first, stop, step):
                yield start, _unpacked(panel, start - first, min(start + step, stop) - first)
        self.check()

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers; reads each variant once."""
        found = np.empty((len(rows), self.shape[1]))
        if len(rows):
            places, shifts = np.divmod(rows, SAMPLES_PER_BYTE)
            first = int(places[0])
            shifts = (2 * shifts).astype(np.uint8)
            for columns, pieces in self._pieces(first, int(places[-1]) + 1):
                found[:, columns] = COPIES[pieces[:, places - first] >> shifts & 3].T
        self.check()
        return found

    def check(self) -> None:
        """Raise OSError if one of the three files has changed since it was opened."""
        for watch in self._watches:
            watch()

    def _pieces(self, begin: int, end: int) -> Iterator[tuple[slice, Array]]:
        """Some bytes of every variant: parts of the variants, and their bytes (variants, end - begin)."""
        return read_pieces(self._file, self._packed, range(begin, end), self.shape[1], self.name)

    def _panel(self, begin: int, end: int) -> Array:
        """Some bytes of every variant, shape (end - begin, n_variants)."""
        panel = np.empty((end - begin, self.shape[1]), np.uint8)
        for columns, pieces in self._pieces(begin, end):
            panel[:, columns] = pieces.T
        return panel


def _unpacked(panel: Array, start: int, stop: int) -> Array:
    """Rows of packed genotypes, shape (stop - start, n_variants); rows are counted from the panel's first."""
    first, last = start // SAMPLES_PER_BYTE, -(-stop // SAMPLES_PER_BYTE)
    packed = panel[first:last]
    rows = np.empty((SAMPLES_PER_BYTE * len(packed), panel.shape[1]))
    # Each table gives the genotype of one of the four samples in a byte.
    for place, copies in enumerate(COPIES_OF_BYTES):
        rows[place::SAMPLES_PER_BYTE] = copies.take(packed)
    return rows[start - SAMPLES_PER_BYTE * first : stop - SAMPLES_PER_BYTE * first]


def _beside(path: Path, suffix: str) -> Path:
    """The file of the same name with another ending; in capitals if the ending of `path` is."""
    file = path.with_suffix(suffix.upper() if path.suffix.isupper() else suffix)
    if not file.is_file():
        what = "samples" if suffix == ".fam" else "variants"
        raise FileNotFoundError(
            f"there is no file {file}, which names the {what} of {path.name}; copy it too"
        )
    return file


def _check_header(file: int, n_bytes: int, name: str) -> None:
    """Raise ValueError unless the file begins as a ``.bed`` file whose genotypes lie by variants."""
    header = bytearray(min(HEADER_BYTES, n_bytes + HEADER_BYTES))
    read_at(file, memoryview(header), 0, name)
    if header[:2] != MAGIC or len(header) < HEADER_BYTES:
        raise ValueError(
            f"{name} is no .bed file of PLINK: it begins with {header.hex(' ') or 'no bytes'} in place "
            f"of {MAGIC.hex(' ')} 01; .bed files of genomic intervals are tables, and no data to cluster"
        )
    if header[2] != BY_VARIANT:
        kind = "lie by samples" if header[2] == BY_SAMPLE else f"lie in an unknown order ({header[2]:02x})"
        raise ValueError(f"the genotypes of {name} {kind}; write them by variants with plink --make-bed")


def _fields(file: Path, most: int) -> list[list[str]]:
    """The fields of every line; ValueError for a line of another form, and for more lines than `most`."""
    found: list[list[str]] = []
    with file.open(encoding="utf-8") as stream:
        try:
            while line := stream.readline(LONGEST_LINE):
                fields = line.split()
                if len(fields) != FIELDS or len(line) == LONGEST_LINE:
                    raise ValueError(f"line {len(found) + 1} has {len(fields)} fields in place of {FIELDS}")
                if len(found) == most:
                    raise ValueError(f"there are more than the {most} lines that the .bed file has bytes for")
                found.append(fields)
        except ValueError as error:  # of decoding too
            raise ValueError(f"{file} does not fit the format of PLINK: {error}; copy it again") from error
    if not found:
        raise ValueError(f"{file} has no lines; copy it again")
    return found


def _sample_ids(people: list[list[str]]) -> list[str]:
    """The ids within the families, or behind those of the families if they repeat."""
    ids = [fields[1] for fields in people]
    if len(set(ids)) == len(ids):
        return ids
    return [f"{family}_{person}" for family, person, *_ in people]


def _variant_names(variants: list[list[str]], file: Path) -> list[str]:
    """The ids of the variants; chromosome, position and alleles where a point stands for no id."""
    names = [
        name if name != "." else f"{chromosome}:{position}:{first}:{second}"
        for chromosome, name, _, position, first, second in variants
    ]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        for number, name in enumerate(names, start=1):
            if name in seen:
                raise ValueError(
                    f"line {number} of {file} repeats the variant {name!r}; rename or leave out repeated ones"
                )
            seen.add(name)
    return names
