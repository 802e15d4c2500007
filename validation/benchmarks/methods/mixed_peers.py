"""Categories and mixed data: ours beside kmodes, clustMixType and VarSelLCM on the same tables in one run.

Run with ``python validation/benchmarks/methods/mixed_peers.py --kmodes FOLDER``, the folder of kmodes'
sources, whose examples have the soybean data, and ``--output DIR``, the folder of the records. The page on
questionnaires has those of validation/results. What is not installed, or not there, is named and left out.

All tables that were tried are in `validation.benchmarks.mixed_tables`. Each method gets the number of classes
as its number of clusters, and otherwise its defaults, with ten starts where it draws starts. Numbers are
standardised for k-prototypes, whose default does not scale. Seconds are those of the processor, medians; what
takes seconds runs once. With ``--work DIR`` a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, KPod, SparseKMeans
from sparsek.errors import SelectionWarning
from validation.benchmarks.mixed_page import NAME, OURS, PUBLISHED, published_table, table_of
from validation.benchmarks.mixed_published import HOLE, published
from validation.benchmarks.mixed_tables import Table, in_r, tables, versions_of
from validation.benchmarks.rows import one_thread
from validation.papers.shared.store import RESULTS, save_table

STARTS = 10
ENOUGH = 2.0
"""Seconds after which a call is not repeated."""
IN_R = ("VarSelLCM", "clustMixType")
Find = Callable[[str, str, Table], dict[str, Any] | None]


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
    mixed = table.frame.astype(dict.fromkeys(table.categories, object))
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
"""What runs in this process."""


def run(method: str, table: Table, repeats: int) -> dict[str, Any]:
    """What a method of Python finds, and its seconds; the problem where it refuses the table."""
    seconds: list[float] = []
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            while len(seconds) < repeats and sum(seconds) < ENOUGH:
                begin = time.process_time()
                labels, variables = METHODS[method](table)
                seconds.append(time.process_time() - begin)
    except ValueError as error:
        return {"problem": str(error)}
    return {
        "labels": " ".join(map(str, labels)),
        "variables": " ".join(variables),
        "warned": any(issubclass(one.category, SelectionWarning) for one in said),
        "seconds": statistics.median(seconds),
        "problem": "",
    }


def found_by(folder: Path, repeats: int, method: str, name: str, table: Table) -> dict[str, Any] | None:
    """What a method finds, read where an earlier run left it; None where it is not installed."""
    path = folder / f"fit-{name}-{method}.tsv"
    try:
        if path.exists():
            pass
        elif method in METHODS:
            pd.DataFrame([run(method, table, repeats)]).to_csv(path, index=False)
        elif method not in versions_of(folder):
            raise ImportError("it is no package of R here")
        else:
            in_r("fit", folder, name, method, path, repeats, ENOUGH)
    except ImportError as error:
        print(f"{method} is left out: {error}")
        return None
    (line,) = pd.read_csv(path, keep_default_na=False, dtype=str).to_dict("records")
    return line


def line_of(name: str, table: Table, method: str, found: dict[str, Any]) -> dict[str, Any]:
    """A line of the record."""
    sizes = {"n": len(table.frame), "p": table.frame.shape[1], "categories": len(table.categories)}
    line = {"data": name, **sizes, "k": table.k, "method": method, "problem": found["problem"]}
    if found["problem"]:
        return line
    variables = found["variables"].split()
    right = sum(one in table.relevant for one in variables) if table.relevant else np.nan
    return line | {
        "ARI": adjusted_rand_score(table.truth, found["labels"].split()),
        "selected": len(variables),
        "right": right,
        "relevant": len(table.relevant) or np.nan,
        "warned": found.get("warned", ""),
        "seconds": float(found["seconds"]),
        "variables": found["variables"],
    }


def compared(known: dict[str, Table], find: Find) -> pd.DataFrame:
    """All lines: ours, the packages of R, and kmodes."""
    lines = []
    for method in [*OURS, *IN_R, "kmodes"]:
        for name, table in known.items():
            found = find(method, name, table)
            if found is None:
                break
            lines.append(line_of(name, table, method, found))
            shown = ("data", "method", "ARI", "selected", "seconds", "problem")
            print(*(lines[-1].get(key) for key in shown), flush=True)
    table = pd.DataFrame(lines)
    return table.iloc[table["data"].map({name: i for i, name in enumerate(known)}).argsort(kind="stable")]


def main() -> None:
    """Compare, print and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kmodes", type=Path, metavar="FOLDER", help="kmodes' sources, for its soybean data")
    parser.add_argument("--repeats", type=int, default=3, help="timed fits of each method (default 3)")
    parser.add_argument("--output", type=Path, metavar="DIR", default=RESULTS)
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="keep what is finished, and go on from there"
    )
    parser.add_argument("--published", action="store_true", help="only the published examples")
    options = parser.parse_args()
    with TemporaryDirectory() as place, one_thread():
        folder = options.work or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        known = tables(folder, options.kmodes)
        find = partial(found_by, folder, options.repeats)
        made = [(PUBLISHED, published(known, folder, find, options.kmodes), published_table)]
        if not options.published:
            lines = compared({name: known[name] for name in known if name != HOLE}, find)
            made.append((NAME, lines, table_of))
        versions = versions_of(folder)
    for name, table, shown in made:
        print(shown(table).to_string(index=False))
        save_table(table, options.output, name, "mixed_peers.py", versions)


if __name__ == "__main__":
    main()
