"""Writes the results of a fit into a folder, all of them or none."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sparsek
from sparsek.cli._read import InputError, Table
from sparsek.methods.search.tasks import last_step

FILES = (
    "labels.csv",
    "features.csv",
    "centers.csv",
    "gap.csv",
    "summary.txt",
    "result.json",
    "weights.png",
    "centers.png",
    "silhouette.png",
    "convergence.png",
    "missingness.png",
    "gap.png",
)
"""All files that sparsek writes."""
SILHOUETTE_ROWS = 5000
"""Largest number of rows for which silhouettes are drawn, because they need all distances."""
PARAMETERS_LEFT_OUT = ("n_jobs", "verbose")
"""Parameters that do not change the results."""


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that is not empty; with `force`, only one with files that sparsek did not write."""
    if not folder.exists():
        if not folder.absolute().parent.is_dir():
            raise InputError(f"there is no folder {folder.absolute().parent}, in which {folder} should be")
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder by --out")
    found = sorted(path.name for path in folder.iterdir())
    foreign = [name for name in found if name not in FILES]
    if foreign:
        raise InputError(f"{folder} holds {foreign[0]}, which sparsek did not write; name another folder")
    if found and not force:
        raise InputError(f"{folder} holds results already; --force replaces them")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that replaces `folder` at the end, if nothing failed."""
    folder = folder.absolute()
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    replaced = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    temporary.mkdir()
    try:
        yield temporary
        if folder.exists():
            folder.rename(replaced)
        temporary.rename(folder)
    except BaseException:
        if replaced.exists():
            replaced.rename(folder)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


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


def write_fit(folder: Path, model: Any, table: Table, scale: pd.DataFrame | None) -> None:
    """Write labels.csv, features.csv and centers.csv; `scale` has the means and sds to undo the scaling."""
    labels = pd.DataFrame({"id": table.ids, "cluster": model.labels_})
    if hasattr(model, "outliers_"):
        labels["outlier"] = np.asarray(model.outliers_).astype(int)
    labels.to_csv(folder / "labels.csv", index=False)
    features = model.summary().features
    if len(features):
        features.replace({True: 1, False: 0}).to_csv(folder / "features.csv", index=False)
    if hasattr(model, "cluster_centers_") and model._gains() is not None:  # centres in data units
        centers = pd.DataFrame(model.cluster_centers_, columns=table.frame.columns)
        if scale is not None:
            centers = centers * scale["sd"] + scale["mean"]
        centers.to_csv(folder / "centers.csv", index_label="cluster")


def draw_picture(file: Path, size: tuple[float, float], plot: Callable[..., Any], *arguments: Any) -> None:
    """Write one picture; none if the plot raises ValueError because there is nothing to draw."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    try:
        plot(*arguments, ax=figure.subplots())
    except ValueError:
        return
    figure.savefig(file, dpi=150)


def draw_pictures(folder: Path, model: Any, data: pd.DataFrame) -> None:
    """Draw all pictures of a fit: weights, centres, silhouettes, convergence, missing entries."""
    from sparsek import plots
    from sparsek.plots import _figure

    tall = _figure.size_for_rows(min(data.shape[1], 30))
    draw_picture(folder / "weights.png", tall, plots.plot_weights, model)
    draw_picture(folder / "centers.png", tall, plots.plot_centers, model, data)
    draw_picture(folder / "convergence.png", (6.4, 4.0), plots.plot_convergence, model)
    if len(data) <= SILHOUETTE_ROWS:
        draw_picture(folder / "silhouette.png", (6.4, 4.8), plots.plot_silhouette, model, data)
    if data.isna().to_numpy().any():
        wide = float(np.clip(2.5 + 0.22 * data.shape[1], 5.0, 10.0))
        draw_picture(folder / "missingness.png", (wide, 6.5), plots.plot_missing, data, model)


def write_gap(folder: Path, search: Any, plots: bool) -> None:
    """Write gap.csv and gap.png."""
    search.results_.to_csv(folder / "gap.csv", index=False)
    if plots:
        from sparsek.plots import plot_gap

        draw_picture(folder / "gap.png", (6.4, 4.4), plot_gap, search)


def write_results(
    folder: Path,
    fitted: Any,
    table: Table,
    result: Mapping[str, Any],
    *,
    scale: pd.DataFrame | None = None,
    plots: bool = True,
    force: bool = False,
) -> list[str]:
    """Write all results of a fit, or of a search and its best fit; return the names of the files."""
    check_folder(folder, force)
    with new_folder(folder) as new:
        model = last_step(getattr(fitted, "best_estimator_", fitted))
        write_fit(new, model, table, scale)
        if model is not fitted:
            write_gap(new, fitted, plots)
        if plots:
            scaled = table.frame if scale is None else (table.frame - scale["mean"]) / scale["sd"]
            draw_pictures(new, model, scaled)
        (new / "summary.txt").write_text(fitted.summary().as_text() + "\n", encoding="utf-8")
        (new / "result.json").write_text(to_json(result) + "\n", encoding="utf-8")
        return sorted(path.name for path in new.iterdir())
