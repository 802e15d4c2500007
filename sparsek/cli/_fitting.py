"""The steps that `fit` and `tune` share: read, check, describe, write and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from sparsek.cli import _methods
from sparsek.cli._checks import check_data
from sparsek.cli._folder import check_folder
from sparsek.cli._messages import say, show
from sparsek.cli._read import InputError, ReadOptions, Table, read_table
from sparsek.cli._truth import Classes, compare_classes
from sparsek.cli._truth import as_text as truth_as_text
from sparsek.cli._write import describe_fit, to_json, write_results


def read_data(file: Path, reading: ReadOptions, truth: str | None) -> tuple[Table, Classes | None]:
    """The table, and the known classes of its rows if a column holds them."""
    if truth is None:
        return read_table(file, reading), None
    others = () if reading.id_col is None else (reading.id_col,)
    classes = read_table(file, replace(reading, id_col=truth, drop=(*reading.drop, *others))).ids
    return read_table(file, replace(reading, drop=(*reading.drop, truth))), Classes(truth, classes)


def check_values(table: Table, method: str) -> None:
    """Refuse infinite numbers, and missing values if the method needs complete data."""
    infinite = np.argwhere(np.isinf(table.frame.to_numpy()))
    if len(infinite):
        row, column = infinite[0]
        raise InputError(
            f"{table.file} has {len(infinite)} infinite numbers, or numbers beyond 1.8e308, the first in row "
            f"{table.ids[row]}, column {table.frame.columns[column]}; methods need finite ones"
        )
    holes = table.frame.isna().to_numpy()
    if holes.any() and not _methods.takes_missing(method):
        row, column = np.argwhere(holes)[0]
        able = [name for name in _methods.METHODS if _methods.takes_missing(name)]
        raise InputError(
            f"{table.file} has {holes.sum()} missing values, the first in row {table.ids[row]}, column "
            f"{table.frame.columns[column]}; method {method} needs complete data, {' and '.join(able)} do not"
        )


def check_output(out: Path | None, force: bool, plots: bool, *inputs: Path | None) -> None:
    """Refuse an unusable output folder, or pictures without matplotlib, before the fit begins."""
    if out is None:
        return
    check_folder(out, force, filter(None, inputs))
    if plots and find_spec("matplotlib") is None:
        raise InputError('pictures need matplotlib: pip install "sparsek[plot]", or use --no-plots')


def describe(
    method: str,
    scale: bool,
    chosen: Mapping[str, Any],
    model: Any,
    table: Table,
    warned: Sequence[str],
    classes: Classes | None,
) -> dict[str, Any]:
    """Contents of result.json."""
    known = {} if classes is None else {"truth": compare_classes(classes, model.labels_)}
    return {
        "method": method,
        "scaled": scale,
        **chosen,
        **describe_fit(model, table, model.get_params()),
        **known,
        "checks": check_data(table),
        "warnings": warned,
    }


def finish(
    fitted: Any, table: Table, result: Mapping[str, Any], as_json: bool, out: Path | None, **writing: Any
) -> None:
    """Write the files and print the result."""
    summary = fitted.summary().as_text()
    if "truth" in result:
        summary = f"{summary}\n\n{truth_as_text(result['truth'])}"
    if "tests" in result:
        from sparsek.cli._testing import as_text as tests_as_text

        summary = f"{summary}\n\n{tests_as_text(result['tests'])}"
    files = [] if out is None else write_results(out, fitted, table, result, summary=summary, **writing)
    show(to_json(result) if as_json else summary)
    if result["scaled"]:
        say("columns were standardised to mean 0 and sd 1; --no-scale takes them as they are")
    if files:
        say(f"wrote {', '.join(files)} to {out}")
