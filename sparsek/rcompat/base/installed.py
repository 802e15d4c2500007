"""Data sets of R packages, read from an R installation: those under the GPL do not travel with sparsek."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparsek.rcompat.base.arrays import RArray, dimnames_of

CODE = """
arguments <- commandArgs(TRUE)
x <- getExportedValue(arguments[1], arguments[2])
x <- if (is.data.frame(x)) data.matrix(x) else if (is.list(x)) do.call(cbind, x) else as.matrix(x)
values <- if (is.character(x)) as.vector(x) else sprintf("%.17g", x)
header <- paste(dim(x), c(length(rownames(x)), length(colnames(x))))
writeLines(enc2utf8(c(header, rownames(x), colnames(x), values)), arguments[3], useBytes = TRUE)
"""
"""R's side: sizes and numbers of names, names of rows and columns, values column by column."""


def read_numbers(package: str, name: str) -> RArray:
    """Read a data set of an installed R package.

    Shapes: returns (n, p).

    Raises ImportError without R, or where R does not have the package.
    """
    values, *names = _read(package, name)
    rows, columns = (None if known is None else list(known) for known in names)
    return RArray(values.astype(np.float64), dimnames=dimnames_of(rows, columns))


def read_texts(package: str, name: str) -> NDArray[np.str_]:
    """Read texts of an installed R package.

    Raises ImportError without R, or where R does not have the package.
    """
    return _read(package, name)[0].copy()


@cache
def _read(package: str, name: str) -> tuple[NDArray[np.str_], tuple[str, ...] | None, tuple[str, ...] | None]:
    """Values as texts, and names of rows and columns."""
    program = shutil.which("Rscript")
    what = f"{name} is a data set of R's package {package}, whose licence is the GPL, and is read from there"
    if program is None:
        raise ImportError(f"{what}: install R and its package {package}; Rscript is not on PATH")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "values.txt"
        command = [program, "--vanilla", "-e", CODE, package, name, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not file.exists():
            reason = " ".join(done.stderr.split())
            raise ImportError(f'{what}: install.packages("{package}") in R; R says: {reason}')
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    (n, named_rows), (p, named_columns) = (map(int, line.split()) for line in lines[:2])
    end = 2 + named_rows + named_columns
    names = lines[2 : 2 + named_rows], lines[2 + named_rows : end]
    values = np.array(lines[end:]).reshape((n, p), order="F")
    return values, tuple(names[0]) or None, tuple(names[1]) or None
