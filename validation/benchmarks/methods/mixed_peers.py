"""Categories and mixed data: ours beside kmodes, clustMixType and VarSelLCM on the same tables in one run.

Run with ``python validation/benchmarks/methods/mixed_peers.py --kmodes FOLDER``, the folder of kmodes' sources,
whose examples have the soybean data, and ``--output DIR``, the folder of the records. The page on questionnaires
has the records of validation/results. What is not installed, or not there, is named and left out.

All tables that were tried are in `tables`; each method gets the number of classes as its number of clusters and
otherwise its defaults, with ten starts where it draws starts. Numbers are standardised for k-prototypes, whose
default does not scale. Seconds are those of the processor, medians after a first run that is not counted.
The examples of kmodes without classes (stocks, people) have no printed labels and are left out.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, rand_score

from sparsek import SKFR, KPod, SparseKMeans
from sparsek.errors import SelectionWarning
from sparsek.rng import RRandom
from sparsek.rng.generator import normal_quantile
from validation.benchmarks.data import survey
from validation.benchmarks.mixed_page import NAME, OURS, PUBLISHED, published_table, table_of
from validation.benchmarks.rows import one_thread
from validation.papers.shared.store import RESULTS, save_table

R_SIDE = Path(__file__).with_suffix(".R")
STARTS = 10
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


def soybean(folder: Path) -> Table:
    """The small soybean data; questions with one answer only are left out."""
    lines = pd.read_csv(folder / "examples" / "soybean.csv", header=None, dtype=str)
    frame = lines.iloc[:, :-1].set_axis([f"q{j + 1}" for j in range(35)], axis=1)
    several = frame.loc[:, frame.nunique() > 1].astype("category")
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
    """Run R's side; False, with a message, where there is no R."""
    try:
        subprocess.run(["Rscript", str(R_SIDE), *map(str, arguments)], check=True)
    except FileNotFoundError:
        print("R is not installed: its packages and their data are left out")
        return False
    return True


def tables(folder: Path, kmodes: Path | None) -> dict[str, Table]:
    """All tables by name; those of Python are written for R."""
    made = {"kproto": documented(), "kproto and noise": documented(4), "survey": questionnaire()}
    if kmodes is None:
        print("soybean is left out: --kmodes FOLDER says where kmodes' sources are")
    else:
        made = {"soybean": soybean(kmodes), **made}
    in_r("data", folder)
    found = [name for name in FROM_R if (folder / f"{name}.csv").exists()]
    if missing := set(FROM_R) - set(found):
        print(f"left out without R's packages VarSelLCM and mlbench: {', '.join(sorted(missing))}")
    read = {name: read_table(folder / f"{name}.csv") for name in found}
    for name, table in made.items():
        write_table(table, folder / f"{name}.csv")
    return made | read


def ours(kind: type, table: Table, **options: Any) -> tuple[Any, list[str]]:
    """Labels and selected variables of an estimator of ours."""
    model = kind(table.k, categories=table.categories, random_state=0, **options).fit(table.frame)
    if kind is KPod:
        return model.labels_, list(table.frame)
    return model.labels_, [str(name) for name in model.get_selected_names()]


def by_kmodes(table: Table) -> tuple[Any, list[str]]:
    """Labels of k-modes, or of k-prototypes where there are numbers, of standardised numbers."""
    numbers = [name for name in table.frame if name not in table.categories]
    if table.frame.isna().any(axis=None):
        raise ValueError("takes no missing values")
    if not numbers:
        model = importlib.import_module("kmodes.kmodes").KModes(table.k, n_init=STARTS, random_state=0)
        return model.fit_predict(table.frame.astype(str).to_numpy()), list(table.frame)
    mixed = table.frame.astype({name: object for name in table.categories})
    mixed[numbers] = (mixed[numbers] - mixed[numbers].mean()) / mixed[numbers].std()
    places = [table.frame.columns.get_loc(name) for name in table.categories]
    model = importlib.import_module("kmodes.kprototypes").KPrototypes(table.k, n_init=STARTS, random_state=0)
    return model.fit_predict(mixed.to_numpy(object), categorical=places), list(table.frame)


METHODS: dict[str, Callable[[Table], tuple[Any, list[str]]]] = {
    "SKFR": lambda table: ours(SKFR, table),
    "SparseKMeans": lambda table: ours(SparseKMeans, table, standardize=True),
    "KPod": lambda table: ours(KPod, table, standardize=True),
    "kmodes": by_kmodes,
}


def run(method: str, table: Table, repeats: int) -> dict[str, Any]:
    """What a method of Python finds, and its seconds; the problem where it refuses the table."""
    seconds = []
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            labels, variables = METHODS[method](table)
            for _ in range(repeats):
                begin = time.process_time()
                METHODS[method](table)
                seconds.append(time.process_time() - begin)
    except ValueError as error:
        return {"method": method, "problem": str(error)}
    warned = any(issubclass(one.category, SelectionWarning) for one in said)
    return {
        "method": method, "labels": labels, "variables": variables, "warned": warned,
        "seconds": statistics.median(seconds),
    }  # fmt: skip


def found_in_r(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the packages of R found, by table."""
    if not (folder / "fits.tsv").exists():
        return
    for line in pd.read_csv(folder / "fits.tsv", keep_default_na=False).to_dict("records"):
        found = {"method": line["method"], "problem": line["problem"]}
        if not line["problem"]:
            found |= {name: line[name].split() for name in ("labels", "variables")}
            found["seconds"] = float(line["seconds"])
        yield line["data"], found


def line_of(name: str, table: Table, found: dict[str, Any]) -> dict[str, Any]:
    """A line of the record."""
    sizes = {"n": len(table.frame), "p": table.frame.shape[1], "categories": len(table.categories)}
    line = {
        "data": name,
        **sizes,
        "k": table.k,
        "method": found["method"],
        "problem": found.get("problem", ""),
    }
    if "labels" not in found:
        return line
    variables = found["variables"]
    right = sum(one in table.relevant for one in variables) if table.relevant else np.nan
    return line | {
        "ARI": adjusted_rand_score(table.truth, found["labels"]),
        "selected": len(variables),
        "right": right,
        "relevant": len(table.relevant) or np.nan,
        "warned": found.get("warned", False),
        "seconds": found["seconds"],
        "variables": " ".join(variables),
    }


def compared(known: dict[str, Table], folder: Path, repeats: int) -> pd.DataFrame:
    """All lines: ours, kmodes, and the packages of R."""
    lines = []
    for name, table in known.items():
        for method in METHODS:
            try:
                found = run(method, table, repeats)
            except ImportError as error:
                print(f"{method} is left out: {error}")
                continue
            lines.append(line_of(name, table, found))
            print(
                *(lines[-1].get(key) for key in ("data", "method", "ARI", "selected", "seconds", "problem")),
                flush=True,
            )
    if in_r("fit", folder, repeats):
        lines += [line_of(name, known[name], found) for name, found in found_in_r(folder)]
    return pd.DataFrame(lines)


def published(known: dict[str, Table], folder: Path) -> pd.DataFrame:
    """The printed numbers of the packages' own examples, those of the packages here, and ours beside."""
    in_r("published", folder)
    rows: list[dict[str, Any]] = []

    def add(example: str, quantity: str, printed: str, found: str, table: Table | None = None) -> None:
        index = rand_score if quantity == "Rand index" else adjusted_rand_score
        mine = {}
        for method in OURS if table is not None else ():
            labels = run(method, table, 0).get("labels")
            mine[method] = "" if labels is None else f"{index(table.truth, labels):.3f}"
        rows.append({"example": example, "quantity": quantity, "printed": printed, "found": found, **mine})

    for read in (_of_kmodes, _of_clustmixtype, _of_varsellcm):
        try:
            read(known, folder, add)
        except (ImportError, FileNotFoundError, KeyError) as error:
            print(f"{read.__name__[4:]}: no published example, {error}")
    return pd.DataFrame(rows)


def _answers(package: str, folder: Path) -> dict[str, str]:
    """What a package of R answers to its example."""
    lines = pd.read_csv(folder / f"published-{package}.tsv", keep_default_na=False, dtype=str)
    return dict(zip(lines["quantity"], lines["value"], strict=True))


def _of_kmodes(known: dict[str, Table], folder: Path, add: Any) -> None:
    """The labels in kmodes' tests of its soybean example: the four diseases, 10, 10, 10 and 17 plants."""
    table = known["soybean"]
    fitted = importlib.import_module("kmodes.kmodes").KModes
    for name, model in (
        ("Huang", fitted(4, n_init=2, init="Huang", random_state=42)),
        ("Cao", fitted(4, init="Cao")),
    ):
        labels = model.fit_predict(table.frame.astype(int).to_numpy())
        counts = pd.crosstab(table.truth, labels).max(axis=1)
        add(f"kmodes, soybean, {name}", "plants of D1 to D4 in a cluster of their own", "10 10 10 17",
            " ".join(map(str, counts)))  # fmt: skip
        add(f"kmodes, soybean, {name}", "adjusted Rand index", "1.000",
            f"{adjusted_rand_score(table.truth, labels):.3f}", table)  # fmt: skip


def _of_clustmixtype(known: dict[str, Table], folder: Path, add: Any) -> None:
    """Output 1 and the Rand index of Szepannek (2018)."""
    answers, table = _answers("clustMixType", folder), known["kproto"]
    rand = rand_score(table.truth, answers["labels"].split())
    add("clustMixType, two numbers and two factors", "lambda", "5.52477", f"{float(answers['lambda']):.5f}")
    add("clustMixType, two numbers and two factors", "cluster sizes", "100 95 101 104", answers["sizes"])
    add("clustMixType, two numbers and two factors", "within cluster error", "1192.034",
        f"{float(answers['error']):.3f}")  # fmt: skip
    add("clustMixType, two numbers and two factors", "Rand index", "0.870", f"{rand:.3f}", table)


def _of_varsellcm(known: dict[str, Table], folder: Path, add: Any) -> None:
    """The vignette: the first answer is missing."""
    answers, heart = _answers("VarSelLCM", folder), known["heart"]
    frame = heart.frame.copy()
    frame.iloc[0, 0] = np.nan
    table = Table(frame, heart.truth)
    for kind, printed_bic, printed_ari in (("without", "-6516.216", "0.222"), ("with", "-6509.506", "0.266")):
        ari = adjusted_rand_score(table.truth, answers[f"labels_{kind}"].split())
        name = f"VarSelLCM, heart, {kind} selection"
        add(name, "BIC", printed_bic, f"{float(answers[f'bic_{kind}']):.3f}")
        add(name, "adjusted Rand index", printed_ari, f"{ari:.3f}", table if kind == "with" else None)
    add("VarSelLCM, heart, with selection", "variables that are relevant", "8 of 12",
        f"{len(answers['variables'].split())} of 12")  # fmt: skip


def versions_of(folder: Path) -> dict[str, str]:
    """Versions of R, its packages and kmodes."""
    path = folder / "versions.tsv"
    lines = (
        pd.read_csv(path, dtype=str).dropna() if path.exists() else pd.DataFrame({"name": [], "version": []})
    )
    known = dict(zip(lines["name"], lines["version"], strict=True))
    try:
        known["kmodes"] = importlib.metadata.version("kmodes")
    except ImportError:
        print("kmodes is not installed")
    return known


def main() -> None:
    """Compare, print and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kmodes", type=Path, metavar="FOLDER", help="kmodes' sources, for its soybean data")
    parser.add_argument("--repeats", type=int, default=3, help="timed fits of each method (default 3)")
    parser.add_argument("--output", type=Path, metavar="DIR", default=RESULTS)
    options = parser.parse_args()
    with TemporaryDirectory() as place, one_thread():
        folder = Path(place)
        known = tables(folder, options.kmodes)
        lines = compared(known, folder, options.repeats)
        examples = published(known, folder)
        versions = versions_of(folder)
    for name, table, shown in ((NAME, lines, table_of), (PUBLISHED, examples, published_table)):
        print(shown(table).to_string(index=False))
        save_table(table, options.output, name, "mixed_peers.py", versions)


if __name__ == "__main__":
    main()
