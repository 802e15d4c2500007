"""AnnData files: the matrix or a layer, and columns of their cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sparsek._limits import check_unpacked
from sparsek.cli._cells import InputError, ReadOptions
from sparsek.inputs.arguments import in_words, physical_memory


def read_h5ad(file: Path, options: ReadOptions) -> pd.DataFrame:
    """The matrix of an AnnData file, or a layer of it: cells in rows, genes in columns.

    Columns of ``obs`` that the options name stand before the genes.
    """
    import anndata

    check_h5ad(file)
    stored, layer = anndata.read_h5ad(file), options.array
    if layer is not None and layer not in stored.layers:
        known = ", ".join(stored.layers) or "none"
        raise InputError(f"{file} has no layer {layer!r}; its layers: {known}")
    if layer is None and stored.X is None:
        raise InputError(f"{file} has no X; name one of its layers ({', '.join(stored.layers)}) by --array")
    frame: pd.DataFrame = stored.to_df(layer)
    left_out = [name for name in options.drop if name in stored.obs]
    for name in dict.fromkeys((options.id_col, options.truth, options.batch, *left_out)):
        if name is None or name in frame or name.isdecimal():
            continue
        if name not in stored.obs:
            known = ", ".join(map(str, stored.obs)) or "none"
            raise InputError(f"{file} has no gene and no column of obs {name!r}; the columns of obs: {known}")
        frame.insert(0, name, stored.obs[name].astype("string"))
    return frame


def check_h5ad(file: Path) -> None:
    """Refuse an AnnData file whose arrays, or whose matrix as a dense table, are too large."""
    import h5py

    with h5py.File(file) as opened:
        sizes: list[int] = []
        opened.visititems(lambda _, entry: sizes.append(int(getattr(entry, "nbytes", 0))))
        elsewhere = _elsewhere(opened)
        if elsewhere:
            raise InputError(
                f"{elsewhere[0]} of {file} lies in another file, and nothing is read from there; write all "
                "of it into one file, as anndata does"
            )
        rows, columns = (len(opened[part][opened[part].attrs["_index"]]) for part in ("obs", "var"))
    check_unpacked(file, sum(sizes), "what is in it")
    size, memory = 8 * rows * columns, physical_memory()
    if size > memory / 2:
        raise InputError(
            f"{file} has {rows} cells and {columns} genes, which as a table take {in_words(size)}, more than "
            f"half of the memory of this machine ({in_words(memory)}): keep fewer genes, or fit its sparse "
            "matrix in Python (sparsek.anndata.cluster)"
        )


def _elsewhere(opened: Any) -> list[str]:
    """Names of what an HDF5 file takes from other files: by links, as raw bytes, or as a virtual array."""
    import h5py

    found: list[str] = []

    def look(name: str, entry: Any) -> None:
        if isinstance(entry, h5py.Dataset):
            found.extend([name] if entry.external or entry.is_virtual else [])
            return
        links = {key: entry.get(key, getlink=True) for key in entry}
        found.extend(f"{name}/{key}" for key, link in links.items() if isinstance(link, h5py.ExternalLink))

    look("", opened)
    opened.visititems(look)
    return found
