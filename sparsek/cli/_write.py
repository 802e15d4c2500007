"""Writes the results of a fit into a folder, all of them or none."""

from __future__ import annotations

import csv
import json
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sparsek
from sparsek._printable import printable
from sparsek.cli._cells import NUMBER
from sparsek.cli._folder import RESULT, check_folder, new_folder
from sparsek.cli._read import Table
from sparsek.cli._truth import as_frame
from sparsek.core.tasks import last_step

SILHOUETTE_ROWS = 5000
"""Largest number of rows for which silhouettes are drawn, because they need all distances."""
PARAMETERS_LEFT_OUT = ("n_jobs", "verbose")
"""Parameters that do not change the results."""


def plain(value: Any) -> Any:
    """A value that JSON can hold: arrays become lists, numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, pd.DataFrame):
        return plain(value.to_dict("records"))
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else repr(value)


def to_json(result: Mapping[str, Any]) -> str:
    """The text of a JSON file."""
    return json.dumps(plain(result), indent=2, allow_nan=False)


def describe_fit(model: Any, table: Table, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Contents of result.json: data, parameters, criterion, clusters, features, labels."""
    summary = model.summary()
    frame = table.frame
    data = {"file": table.file.name, "sha256": table.sha256(), "rows": len(frame), "features": frame.shape[1]}
    numbers = {
        key.rstrip("_"): getattr(model, key)
        for key in ("objective_", "inertia_", "n_iter_", "start_objectives_")
        if hasattr(model, key)
    }
    settings = {key: value for key, value in parameters.items() if key not in PARAMETERS_LEFT_OUT}
    return {
        "sparsek": sparsek.__version__,
        "data": data,
        "estimator": type(model).__name__,
        "parameters": settings,
        **numbers,
        "clusters": summary.tables["Clusters"],
        "features": summary.features,
        "labels": model.labels_,
    }


FORMULA = ("=", "+", "-", "@", "\N{MINUS SIGN}")
"""Characters with which a spreadsheet begins a formula, also in their full-width forms."""


def as_text_cell(value: Any) -> Any:
    """A cell that spreadsheets take as text: a formula gets a quote before it; numbers stay numbers."""
    if not isinstance(value, str) or not _is_formula(value):
        return value
    return value if NUMBER.fullmatch(value) and np.isfinite(float(value)) else f"'{value}"


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula, in spite of blanks and unseen characters."""
    if text.startswith(("\t", "\r", "\n")):
        return True
    seen = (letter for letter in text if unicodedata.category(letter)[0] not in "CZ")
    return unicodedata.normalize("NFKC", next(seen, "")).startswith(FORMULA)


def write_csv(file: Path, frame: pd.DataFrame, safe: bool) -> None:
    """Write a table; `safe` keeps spreadsheets from running texts as formulas."""
    texts = [j for j, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    if safe:
        frame = frame.rename(columns=as_text_cell)
        for j in texts:
            frame.isetitem(j, [as_text_cell(cell) for cell in frame.iloc[:, j]])
    # Python 3.11 and 3.12 do not quote a carriage return by themselves, and it would end the line.
    returns = any("\r" in str(text) for text in [*frame.columns, *frame.iloc[:, texts].to_numpy().ravel()])
    frame.to_csv(file, index=False, quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL)


def beside_ids(table: Table, columns: pd.DataFrame) -> pd.DataFrame:
    """The columns, after the identifiers of the rows."""
    columns.insert(0, "id" if table.id_name in ("", *columns) else table.id_name, table.ids)
    return columns


def write_fit(folder: Path, model: Any, table: Table, scale: pd.DataFrame | None, safe_csv: bool) -> None:
    """Write labels.csv, features.csv and centers.csv; `scale` has the means and sds to undo the scaling."""
    labels = pd.DataFrame({"cluster": model.labels_})
    if hasattr(model, "outliers_"):
        labels["outlier"] = np.asarray(model.outliers_).astype(int)
    if len(getattr(model, "rows_without_values_", ())):
        labels["without_values"] = np.isin(np.arange(len(labels)), model.rows_without_values_).astype(int)
    write_csv(folder / "labels.csv", beside_ids(table, labels), safe_csv)
    features = model.summary().features
    if len(features):
        write_csv(folder / "features.csv", features.replace({True: 1, False: 0}), safe_csv)
    if hasattr(model, "cluster_centers_") and model._gains() is not None:  # centres in data units
        coding = getattr(model, "_coding", None)
        columns = table.frame.columns if coding is None else coding.names
        centers = pd.DataFrame(model.cluster_centers_, columns=columns)
        if scale is not None:
            centers = centers * scale["sd"] + scale["mean"]
        write_csv(folder / "centers.csv", _centers_by_batch(model, centers), safe_csv)


def _centers_by_batch(model: Any, centers: pd.DataFrame) -> pd.DataFrame:
    """One row for each feature and, where there are several, for each batch."""
    several, coding = getattr(model, "batch_centers_", None), getattr(model, "_coding", None)
    parts = []
    for b, values in enumerate([centers.to_numpy()] if several is None else several.swapaxes(0, 1)):
        found = pd.DataFrame(values, columns=centers.columns).T.add_prefix("center_")
        rows = found.rename_axis("feature").reset_index(allow_duplicates=True)
        if hasattr(model, "get_support"):
            used = model.get_support() if coding is None else model.get_support()[coding.variable_of]
            rows.insert(1, "selected", used.astype(int))
        if several is not None:
            rows.insert(1, "batch", model.batches_[b])
        parts.append(rows)
    return parts[0] if several is None else pd.concat(parts, ignore_index=True)


def draw_picture(
    file: Path, size: tuple[float, float], plot: Callable[..., Any], *arguments: Any, panels: int = 1
) -> None:
    """Write one picture; none if the plot raises ValueError because there is nothing to draw.

    A picture that fails otherwise is named in a warning: it must not cost the results beside it.
    """
    from matplotlib.figure import Figure

    try:
        figure = Figure(figsize=size, layout="constrained")
        try:
            if panels == 1:
                plot(*arguments, ax=figure.subplots())
            else:
                plot(*arguments, axes=figure.subplots(1, panels))
        except ValueError:
            return
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from")
            figure.savefig(file, dpi=150)
    except Exception as error:  # Matplotlib can raise any error over fonts, texts and sizes
        file.unlink(missing_ok=True)
        text = " ".join(str(error).split()) or type(error).__name__
        warnings.warn(f"{file.name} could not be drawn, and is left out: {text}", UserWarning, stacklevel=2)


def draw_pictures(folder: Path, model: Any, data: pd.DataFrame) -> None:
    """Draw all pictures of a fit: weights, centres, silhouettes, convergence, projection, missing entries."""
    from sparsek import plots
    from sparsek.plots import _figure

    tall = _figure.size_for_rows(min(data.shape[1], 30))
    draw_picture(folder / "weights.png", tall, plots.plot_weights, model)
    draw_picture(folder / "centers.png", tall, plots.plot_centers, model, data)
    draw_picture(folder / "convergence.png", (6.4, 4.0), plots.plot_convergence, model)
    if len(data) <= SILHOUETTE_ROWS:
        draw_picture(folder / "silhouette.png", (6.4, 4.8), plots.plot_silhouette, model, data)
    draw_picture(folder / "pca.png", (9.2, 4.2), plots.plot_projection, model, data, panels=2)
    if data.isna().to_numpy().any():
        wide = float(np.clip(2.5 + 0.22 * data.shape[1], 5.0, 10.0))
        draw_picture(folder / "missingness.png", (wide, 6.5), plots.plot_missing, model, data)


def draw_choice(folder: Path, choice: Any) -> None:
    """Draw the criterion of a search."""
    from sparsek.plots import plot_gap

    (search,) = choice.searches_.values()
    draw_picture(folder / "choice.png", (6.4, 4.4), plot_gap, search)


def write_results(
    folder: Path,
    fitted: Any,
    table: Table,
    result: Mapping[str, Any],
    *,
    scale: pd.DataFrame | None = None,
    summary: str,
    plots: bool = True,
    force: bool = False,
    safe_csv: bool = False,
    batches: list[str] | None = None,
) -> list[str]:
    """Write all results of a fit, or of a search and its best fit, and a summary; return the files' names."""
    target = check_folder(folder, force, [table.file])
    with new_folder(target, force) as new:
        model = last_step(getattr(fitted, "best_estimator_", fitted))
        write_fit(new, model, table, scale, safe_csv)
        if model is not fitted:
            write_csv(new / "choice.csv", fitted.results_, safe_csv)
        if "probabilities" in result:
            shares = pd.DataFrame(result["probabilities"]["values"]).add_prefix("cluster_")
            write_csv(new / "probabilities.csv", beside_ids(table, shares), safe_csv)
        if "truth" in result:
            write_csv(new / "truth.csv", as_frame(result["truth"]), safe_csv)
        (new / "summary.txt").write_text(printable(summary) + "\n", encoding="utf-8")
        (new / RESULT).write_text(to_json(result) + "\n", encoding="utf-8")
        if plots:  # last, because a picture may fail
            scaled = table.frame if scale is None else (table.frame - scale["mean"]) / scale["sd"]
            if batches is not None:
                coding = getattr(model, "_coding", None)
                names = scaled.columns if coding is None else coding.names
                scaled = pd.DataFrame(model.within_batches(scaled, batches), columns=names)
            draw_pictures(new, model, scaled)
            if model is not fitted:
                draw_choice(new, fitted)
        return sorted(path.name for path in new.iterdir())
