"""Writes what a fit came to: a folder that appears whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sparsek
from sparsek.cli._read import InputError, Table
from sparsek.estimators._tasks import last_step

FILES = (
    "labels.csv",
    "features.csv",
    "centers.csv",
    "gap.csv",
    "summary.txt",
    "result.json",
    "weights.png",
    "gap.png",
)
"""All files that we write."""
PARAMETERS_LEFT_OUT = ("n_jobs", "verbose")
"""Parameters on which no result depends."""


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that holds anything, or with `force` anything that we did not write."""
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
    """A temporary folder that takes the place of `folder` in the end, if nothing failed."""
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
    """A value as JSON has it: no arrays, no numbers that are not finite."""
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
    """What result.json says of a fit: data, parameters, criterion, clusters, features, labels."""
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
    """labels.csv, features.csv and centers.csv; `scale` has the means and deviations that were taken out."""
    labels = pd.DataFrame({"id": table.ids, "cluster": model.labels_})
    if hasattr(model, "outliers_"):
        labels["outlier"] = np.asarray(model.outliers_).astype(int)
    labels.to_csv(folder / "labels.csv", index=False)
    features = model.summary().features
    if len(features):
        features.replace({True: 1, False: 0}).to_csv(folder / "features.csv", index=False)
    if hasattr(model, "cluster_centers_") and model._gains() is not None:  # else they lie in an embedding
        centers = pd.DataFrame(model.cluster_centers_, columns=table.frame.columns)
        if scale is not None:
            centers = centers * scale["sd"] + scale["mean"]
        centers.to_csv(folder / "centers.csv", index_label="cluster")


def draw_weights(file: Path, model: Any) -> None:
    """weights.png: the feature weights, of every cluster where each has its own."""
    weights = model._weights_by_cluster()
    if weights is None:
        return
    from matplotlib.figure import Figure

    from sparsek.plots import plot_weights

    by_cluster = {f"cluster {k}": row for k, row in enumerate(weights)} if weights.ndim == 2 else None
    figure = Figure(layout="tight")
    plot_weights(by_cluster or {type(model).__name__: weights}, figure.subplots())
    figure.savefig(file, dpi=150)


def write_gap(folder: Path, search: Any, plots: bool) -> None:
    """gap.csv and gap.png."""
    search.results_.to_csv(folder / "gap.csv", index=False)
    if plots:
        from matplotlib.figure import Figure

        figure = Figure(layout="tight")
        search.plot(figure.subplots())
        figure.savefig(folder / "gap.png", dpi=150)


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
    """Everything on a fit, or on a search and its best fit; gives the names of the files."""
    check_folder(folder, force)
    with new_folder(folder) as new:
        model = last_step(getattr(fitted, "best_estimator_", fitted))
        write_fit(new, model, table, scale)
        if model is not fitted:
            write_gap(new, fitted, plots)
        if plots:
            draw_weights(new / "weights.png", model)
        (new / "summary.txt").write_text(fitted.summary().as_text() + "\n", encoding="utf-8")
        (new / "result.json").write_text(to_json(result) + "\n", encoding="utf-8")
        return sorted(path.name for path in new.iterdir())
