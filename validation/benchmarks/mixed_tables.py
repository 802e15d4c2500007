"""The tables on which ours and other packages for categories are compared: `methods/mixed_peers.py`.

The examples of kmodes without classes (stocks, people) have no printed labels and are left out.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sparsek.rng import RRandom
from sparsek.rng.generator import normal_quantile
from validation.benchmarks.data import survey

R_SIDE = Path(__file__).parent / "methods" / "mixed_peers.R"
FROM_R = ("heart", "votes", "zoo", "biopsy")
"""Tables of VarSelLCM, mlbench and MASS."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose classes are known."""

    frame: pd.DataFrame  # Categories have pandas' type
    truth: np.ndarray  # Shape (n,)
    relevant: tuple[str, ...] = ()  # The variables that differ between classes, where this is known

    @property
    def categories(self) -> list[str]:
        """Names of the categories."""
        return [str(name) for name, kind in self.frame.dtypes.items() if kind == "category"]

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(np.unique(self.truth))


def documented(noise: int = 0) -> Table:
    """The example of Szepannek (2018): R's random numbers from before R 3.6; noise variables on request."""
    rng, n, often = RRandom(42, sample_kind="Rounding"), 100, np.array([0.9, 0.1])
    columns: dict[str, Any] = {}
    for name in ("x1", "x2"):
        halves = [rng.sample(["A", "B"], 2 * n, True, prob=p) for p in (often, often[::-1])]
        columns[name] = pd.Categorical(np.concatenate(halves))
    away = float(normal_quantile(np.array([0.9]))[0])
    for name in ("x3", "x4"):
        columns[name] = np.concatenate([rng.rnorm(n, sign * away) for sign in (-1, 1, -1, 1)])
    for j in range(noise):
        columns[f"noise{2 * j}"] = rng.rnorm(4 * n)
        columns[f"noise{2 * j + 1}"] = pd.Categorical(rng.sample(["A", "B"], 4 * n, True))
    return Table(pd.DataFrame(columns), np.repeat(range(4), n), ("x1", "x2", "x3", "x4"))


def questionnaire() -> Table:
    """The answers on which the page on speed is timed."""
    frame = survey(500, 40, 3)["X"]
    return Table(frame, np.arange(500) % 3, tuple(f"q{j}" for j in range(40) if j % 10 < 2))


def soybean(folder: Path, least: int = 2) -> Table:
    """The small soybean data; questions with fewer answers than `least` are left out."""
    lines = pd.read_csv(folder / "examples" / "soybean.csv", header=None, dtype=str)
    frame = lines.iloc[:, :-1].set_axis([f"q{j + 1}" for j in range(35)], axis=1)
    several = frame.loc[:, frame.nunique() >= least].astype("category")
    return Table(several, lines.iloc[:, -1].to_numpy(str))


def read_table(path: Path) -> Table:
    """A table that R wrote: the header has the kind of each column."""
    lines = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    columns: dict[str, Any] = {}
    for head in lines:
        name, kind = head.rsplit(":", 1)
        columns[name] = lines[head].astype({"category": "category", "class": object}.get(kind, float))
    truth = columns.pop("class").to_numpy(str)
    return Table(pd.DataFrame(columns), truth)


def write_table(table: Table, path: Path) -> None:
    """A table for R."""
    kinds = {name: "category" if name in table.categories else "number" for name in table.frame}
    frame = table.frame.rename(columns={name: f"{name}:{kind}" for name, kind in kinds.items()})
    frame.assign(**{"class:class": table.truth}).to_csv(path, index=False)


def in_r(*arguments: object) -> bool:
    """Run R's side; False, with a message, where R or a package is missing."""
    try:
        return subprocess.run(["Rscript", str(R_SIDE), *map(str, arguments)], check=False).returncode == 0
    except FileNotFoundError:
        print("R is not installed: its packages and their data are left out")
        return False


def tables(folder: Path, kmodes: Path | None) -> dict[str, Table]:
    """All tables by name; those of Python are written for R."""
    made = {"kproto": documented(), "kproto and noise": documented(4), "survey": questionnaire()}
    if kmodes is None:
        print("soybean is left out: --kmodes FOLDER says where kmodes' sources are")
    else:
        made = {"soybean": soybean(kmodes), **made}
    if not (folder / "versions.tsv").exists():
        in_r("data", folder)
    found = [name for name in FROM_R if (folder / f"{name}.csv").exists()]
    if missing := set(FROM_R) - set(found):
        print(f"left out without R's packages VarSelLCM and mlbench: {', '.join(sorted(missing))}")
    read = {name: read_table(folder / f"{name}.csv") for name in found}
    for name, table in made.items():
        write_table(table, folder / f"{name}.csv")
    return made | read


def versions_of(folder: Path) -> dict[str, str]:
    """Versions of R, its packages and kmodes."""
    path = folder / "versions.tsv"
    lines = (
        pd.read_csv(path, dtype=str).dropna() if path.exists() else pd.DataFrame({"name": [], "version": []})
    )
    known = dict(zip(lines["name"], lines["version"], strict=True))
    if "R" in known:
        known["R"] = f"R {known['R']}"
    try:
        known["kmodes"] = importlib.metadata.version("kmodes")
    except ImportError:
        print("kmodes is not installed")
    return known
