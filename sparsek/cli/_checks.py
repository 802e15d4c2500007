"""A table before its fit: standardised columns, and what one should know about the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sparsek.cli._cells import InputError
from sparsek.cli._read import Table
from sparsek.inputs.orientation import samples_in_columns
from sparsek.inputs.suspects import LISTED, suspects
from sparsek.inputs.suspects import in_words as suspects_in_words


def check_data(table: Table) -> dict[str, Any]:
    """Facts about the columns and rows of a table: missing cells, constant columns, equal rows, scales."""
    frame = table.frame
    holes = frame.isna().sum().to_numpy()
    numbers = frame.select_dtypes("number")
    places = frame.columns.get_indexer(numbers.columns)
    constant, spreads = frame.nunique().to_numpy() == 1, np.full(frame.shape[1], np.nan)
    constant[places] = (numbers.min() == numbers.max()).to_numpy()
    spreads[places] = scaled(numbers)[1]["sd"].to_numpy()
    varying = np.flatnonzero(~constant & np.isfinite(spreads) & (spreads > 0))
    facts: dict[str, Any] = {
        "missing": int(holes.sum()),
        "columns with missing": _names(table, np.flatnonzero(holes)),
        "constant columns": _names(table, np.flatnonzero(constant)),
        "rows equal to another": int(frame.duplicated(keep=False).sum()),
    }
    if len(varying):
        order = varying[np.argsort(spreads[varying], kind="stable")]
        facts["smallest sd"] = [str(frame.columns[order[0]]), float(spreads[order[0]])]
        facts["largest sd"] = [str(frame.columns[order[-1]]), float(spreads[order[-1]])]
    return facts


def refuse_suspects(
    table: Table, keep: Sequence[str], ignored: Sequence[str] = (), truth: bool = True
) -> None:
    """Refuse columns that look like ids or classes, unless the user keeps them or they take no part.

    `truth`: --truth is taken.
    """
    unknown = [name for name in keep if name not in map(str, table.frame.columns)]
    if unknown:
        raise InputError(f"{table.file} has no column {unknown[0]!r}, which --keep names")
    found = [one for one in suspects(table.frame) if one.name not in {*keep, *ignored}]
    if not found:
        return
    classes = [one.name for one in found if one.kind == "class"]
    ids = [one.name for one in found if one.kind == "id"]
    ways = [f"--id-col {ids[0]}"] if ids else []
    ways += [f"--drop {','.join(classes or ids)}"]
    ways += [f"--truth {classes[0]} to compare with it"] if classes and truth else []
    names = ",".join(one.name for one in found)
    raise InputError(
        f"{suspects_in_words(found)}. Clusters would follow it instead of the measurements: use "
        f"{', '.join(ways)}, or --keep {names} if it is a measurement"
    )


def refuse_turned(table: Table) -> None:
    """Refuse a table that seems to have features in rows and observations in columns."""
    if table.file.suffix.lower() in (".h5ad", ".bed"):  # which have one orientation
        return
    seen = samples_in_columns(table.frame)
    if seen is None:
        return
    rows, columns = table.frame.shape
    raise InputError(
        f"{table.file} has {rows} rows and {columns} columns, and {seen}: rows seem to be features, "
        "such as genes, and columns observations. Rows are what is clustered: use --transpose if the columns "
        "should be, or --no-transpose if the table is right"
    )


def _names(table: Table, columns: np.ndarray) -> list[str]:
    """Names of columns, the first `LISTED`, and how many more there are."""
    names = [str(table.frame.columns[j]) for j in columns[:LISTED]]
    return [*names, f"{len(columns) - LISTED} more"] if len(columns) > LISTED else names


def in_words(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts as pairs of a question and its answer."""
    holes = f"{facts['missing']} cells, in {', '.join(map(str, facts['columns with missing']))}"
    constant = ", ".join(map(str, facts["constant columns"]))
    answers = [
        ("Missing values", holes if facts["missing"] else "none"),
        (
            "Constant columns, which can tell nothing",
            constant or "none",
        ),
        ("Rows equal to another row", str(facts["rows equal to another"] or "none")),
    ]
    if "smallest sd" in facts and "largest sd" in facts:
        (narrow, small), (wide, large) = facts["smallest sd"], facts["largest sd"]
        answers.append(("Standard deviations", f"from {small:.4g} ({narrow}) to {large:.4g} ({wide})"))
    return answers


def prepare(
    table: Table, model: Any, scale: bool | None, settings: Mapping[str, Any]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The columns for a fit, and the means and sds that were taken out of them (None if none were).

    Without `scale` the estimator does what it does in Python. With it the estimator standardises too where it
    can, so that its summary says so; of columns that are standardised already that changes the last digits at
    most. A parameter ``standardize`` that the user set decides alone.
    """
    itself = model.get_params().get("standardize")
    if scale is None or "standardize" in settings:
        return table.frame, None
    if itself is not None:
        model.set_params(standardize=scale)
    mixed = any(dtype == "category" for dtype in table.frame.dtypes)  # which the estimator scales itself
    return scaled(table.frame) if scale and not itself and not mixed else (table.frame, None)


def scaled(numbers: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns scaled to mean 0 and sd 1 (constant ones to 0), as R's scale(); their means and sds."""
    largest = numbers.abs().max()
    # Squares of numbers around 1 neither overflow nor vanish; a power of two changes no digit.
    unit = pd.Series(np.exp2(np.clip(np.frexp(largest)[1], -1000, 1000)), index=largest.index)
    frame = numbers / unit
    mean, sd = frame.mean(), frame.std()
    constant = frame.min() == frame.max()
    mean[constant], sd[constant] = frame.min()[constant], 1.0
    return (frame - mean) / sd, pd.DataFrame({"mean": mean * unit, "sd": sd * unit})
