"""Writes ``cases.json`` and ``data/*.csv``, without randomness: ``python -m r_reference.make_cases``."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from r_reference import listing
from r_reference.case_parts import DATASETS, DIGITS_ROWS, Case
from r_reference.records import case_id

FOLDER = Path(__file__).parent


def load_rows(name: str) -> np.ndarray:
    """The rows of a data set that are kept."""
    data = DATASETS[name][0]().data
    return data[:DIGITS_ROWS] if name == "digits" else data


def dataset_text(name: str) -> str:
    """scikit-learn's copy of a data set as csv, with all digits."""
    header = ",".join(str(feature).replace(",", " ") for feature in DATASETS[name][0]().feature_names)
    rows = [",".join(repr(float(v)) for v in row) for row in load_rows(name)]
    return "\n".join([header, *rows]) + "\n"


def dataset_entry(name: str) -> dict[str, Any]:
    """File, centres and scales of a data set; 3 digits, so that Python and R read the same numbers."""
    data = load_rows(name)
    centre = [float(f"{v:.3g}") for v in data.mean(axis=0)]
    scale = [float(f"{v or 1:.3g}") for v in data.std(axis=0, ddof=1)]
    return {"file": f"data/{name}.csv", "center": centre, "scale": scale}


def make_table() -> dict[str, Any]:
    """The whole table: data sets and cases; for each function, chosen cases before random ones."""
    cases: dict[str, list[Case]] = {name: [] for name in listing.function_names()}
    for case in listing.fixed_cases():
        cases[case["function"]].append(case)
    for function in cases:
        cases[function] += listing.table_cases(function)
    named = {case_id(case): case for members in cases.values() for case in members}
    return {
        "datasets": {name: dataset_entry(name) for name in DATASETS},
        "cases": [{"id": name, **case} for name, case in named.items()],
    }


def write_table(table: dict[str, Any]) -> None:
    """Writes the table with one case per line, and the data sets."""
    lines = ",\n".join("  " + json.dumps(case) for case in table["cases"])
    datasets = json.dumps(table["datasets"], indent=1)
    (FOLDER / "cases.json").write_text(
        f'{{"datasets": {datasets},\n"cases": [\n{lines}\n]}}\n', encoding="utf-8"
    )
    for name in DATASETS:
        (FOLDER / "data" / f"{name}.csv").write_text(dataset_text(name), encoding="utf-8")


if __name__ == "__main__":
    result = make_table()
    write_table(result)
    names, sizes = np.unique([case["function"] for case in result["cases"]], return_counts=True)
    print(", ".join(f"{size} {name}" for name, size in zip(names, sizes, strict=True)))
