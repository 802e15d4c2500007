"""Files and folders from strangers: tables of all formats, folders of results, models, AnnData objects.

Each is made by sparsek or another package, then damaged or forged: it is read as it was meant, or refused.
"""

import copy
import importlib.util
import io
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import sparsek
from sparsek.cli import _app
from validation.fuzz import containers, values
from validation.fuzz.commands import RUNNER, _ended, _results
from validation.fuzz.invariants import require
from validation.fuzz.judge import Call
from validation.fuzz.values import Random

NAMES = ("tables of strangers", "results of strangers", "models of strangers", "anndata.cluster")
SECRET = "a file of the user, which nobody may read or change <script>"
MARK = "<script>alert(1)</script>"
HAS_ANNDATA = importlib.util.find_spec("anndata") is not None
JSON: tuple[Any, ...] = (
    None,
    True,
    -1,
    2.5,
    10**30,
    "",
    MARK,
    [],
    {},
    [MARK],
    {MARK: MARK},
    [[1, [2]]],
    "\u202e\x1b[31m",
)
"""Values in place of those of a result.json."""
ENDINGS = {".xlsx": 0.3, ".parquet": 0.3, ".npz": 0.15, ".csv.gz": 0.1, ".h5ad": 0.15}
"""Formats of tables, with their shares."""


def make_call(name: str, r: Random) -> Call:
    """A call on something from a stranger."""
    return MAKERS[name](r)


# --- damage ------------------------------------------------------------------------------------------------


def damaged(content: bytes, r: Random) -> tuple[str, bytes]:
    """The content of a file, sometimes cut off, emptied or with other bytes."""
    kind = str(
        r.choice(
            ["whole", "cut off", "one bit", "some bytes", "twice", "empty", "zeros"], p=[0.4] + [0.1] * 6
        )
    )
    at = int(r.integers(max(1, len(content))))
    changes: dict[str, Callable[[], bytes]] = {
        "whole": lambda: content,
        "cut off": lambda: content[:at],
        "one bit": lambda: (
            content[:at] + bytes([content[at] ^ (1 << int(r.integers(8)))]) + content[at + 1 :]
        ),
        "some bytes": lambda: content[:at] + r.bytes(9) + content[at + 9 :],
        "twice": lambda: content + content,
        "empty": lambda: b"",
        "zeros": lambda: bytes(len(content)),
    }
    return kind, changes[kind]()


def forged(value: Any, r: Random) -> Any:
    """A structure of JSON with one value replaced, removed, or put under another name."""
    value = copy.deepcopy(value)
    at = value
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return value
        key = keys[int(r.integers(len(keys)))]
        if isinstance(at[key], dict | list) and at[key] and r.random() < 0.6:
            at = at[key]
            continue
        if r.random() < 0.25:
            del at[key]
        else:
            at[key] = JSON[int(r.integers(len(JSON)))]
        return value


# --- tables ------------------------------------------------------------------------------------------------


def plain_table(r: Random) -> pd.DataFrame:
    """Numbers of three groups."""
    X = np.round(r.normal(size=(24, 4)) + 5 * (np.arange(24) % 3)[:, None] * [1, 1, 0, 0], 3)
    return pd.DataFrame(X, columns=list("abcd"))


CELLS: dict[str, tuple[str, Any]] = {
    "nothing": ("same", None),
    "a text": ("refuse", "abc"),
    "a formula": ("refuse", "=A2+1"),
    "an error": ("refuse", "#DIV/0!"),
    "a date": ("refuse", pd.Timestamp("2020-01-02")),
    "an infinite number": ("refuse", np.inf),
    "a truth value": ("any", True),
    "nothing there": ("any", np.nan),
    "a whole number": ("any", 7),
}
"""What stands in one cell of a table, and whether the table is read as without it, refused, or either."""


def write_table(path: Path, frame: pd.DataFrame) -> bool:
    """Write a table in the format of its ending; False where the format cannot hold it."""
    numbers = all(kind.kind == "f" for kind in frame.dtypes)
    if path.suffix == ".xlsx":
        cells = frame.replace(np.inf, "inf")
        cells.to_excel(path, index=False)
    elif path.suffix == ".parquet":
        if not numbers and {type(cell) for cell in frame["b"]} - {float} == {bool}:
            return False
        frame.assign(b=frame["b"] if numbers else frame["b"].astype(str)).to_parquet(path)
    elif path.suffix == ".gz":
        frame.to_csv(path, index=False)
    elif not numbers:
        return False
    elif path.suffix == ".npz":
        np.savez_compressed(path, X=frame.to_numpy(), other=np.arange(3))
    else:
        names = pd.DataFrame(index=[f"c{i}" for i in range(len(frame))]), pd.DataFrame(index=frame.columns)
        importlib.import_module("anndata").AnnData(frame.to_numpy(), *names).write_h5ad(path)
    return True


def _table(r: Random) -> Call:
    """`sparsek fit` of a table in some format, damaged or with a cell of another kind."""
    shares = {ending: share for ending, share in ENDINGS.items() if ending != ".h5ad" or HAS_ANNDATA}
    ending = str(r.choice(list(shares), p=np.array(list(shares.values())) / sum(shares.values())))
    frame, seed = plain_table(r), int(r.integers(2**31))
    cell = str(r.choice(list(CELLS), p=[0.5] + [0.5 / (len(CELLS) - 1)] * (len(CELLS) - 1)))
    wanted, value = CELLS[cell]
    changed = frame.copy()
    if cell != "nothing":
        changed["b"] = changed["b"].astype(object if not isinstance(value, float) else float)
        changed.loc[int(r.integers(24)), "b"] = value
    damage = damaged(b"some bytes", np.random.default_rng(seed))[0] if cell == "nothing" else "whole"
    arguments = ["--k", "3", "--select", "2", "--n-init", "2", "--json"]

    def run(ending: str = ending, table: pd.DataFrame = changed, damage: bool = cell == "nothing") -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table{ending}"
            if not write_table(path, table):
                return None
            if damage:
                path.write_bytes(damaged(path.read_bytes(), np.random.default_rng(seed))[1])
            extra = ["--array", "X"] if ending == ".npz" else []
            return _ended(RUNNER.invoke(_app.app, ["fit", str(path), *arguments, *extra]))

    def check(found: Any, warned: list[str]) -> None:
        require(found is None or wanted != "refuse", f"accepted a table with {cell} in a cell")
        if found is not None and wanted == "same" and damage == "whole":
            require(
                _labels(found) == _labels(run(".csv.gz", frame, False)),
                f"other labels than from csv ({ending})",
            )

    return Call(f"sparsek fit of a table{ending} with {cell} in a cell, {damage}", run, (), check)


def _labels(found: Any) -> Any:
    return _results(found)["labels"]


# --- folders of results ------------------------------------------------------------------------------------


@cache
def sound_results() -> dict[str, bytes]:
    """The files of a folder of results that sparsek wrote."""
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder) / "table.csv", Path(folder) / "out"
        plain_table(np.random.default_rng(0)).to_csv(table, index=False)
        _ended(RUNNER.invoke(_app.app, ["fit", str(table), "--k", "3", "--select", "2", "--out", str(out)]))
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def _spoil(folder: Path, secret: Path, r: Random) -> str:
    """Change one file of a folder of results; what was done."""
    files = sorted(path.name for path in folder.iterdir())
    name = "result.json" if r.random() < 0.6 else files[int(r.integers(len(files)))]
    path, content = folder / name, (folder / name).read_bytes()
    kind = str(
        r.choice(["as it is", "forged", "damaged", "link", "folder", "pipe", "other kind", "gone", "foreign"])
    )
    if kind == "forged" and name == "result.json":
        path.write_text(json.dumps(forged(json.loads(content), r)), encoding="utf-8")
    elif kind == "forged":
        path.write_text(MARK, encoding="utf-8")
    elif kind == "damaged":
        path.write_bytes(damaged(content, r)[1])
    elif kind == "foreign":
        (folder / "precious.txt").write_text(SECRET, encoding="utf-8")
    elif kind != "as it is":
        path.unlink()
        replaced: dict[str, Callable[[], Any]] = {
            "link": lambda: path.symlink_to(secret),
            "folder": path.mkdir,
            "pipe": lambda: os.mkfifo(path) if hasattr(os, "mkfifo") else None,
            "other kind": lambda: path.write_bytes(b"\x00\xff" * 40),
            "gone": lambda: None,
        }
        replaced[kind]()
    return f"{name} {kind}"


def _folder(r: Random) -> Call:
    """`sparsek report` of a folder of results, and `sparsek fit --force` onto it."""
    seed, command = int(r.integers(2**31)), "report" if r.random() < 0.7 else "fit"
    done: list[str] = []

    def run() -> Any:
        files = sound_results()
        with tempfile.TemporaryDirectory() as place:
            folder, secret = Path(place) / "out", Path(place) / "secret.txt"
            folder.mkdir()
            secret.write_text(SECRET, encoding="utf-8")
            for name, content in files.items():
                (folder / name).write_bytes(content)
            done[:] = [_spoil(folder, secret, np.random.default_rng(seed))]
            arguments = ["report", str(folder)]
            if command == "fit":
                plain_table(np.random.default_rng(1)).to_csv(Path(place) / "t.csv", index=False)
                arguments = ["fit", str(Path(place) / "t.csv"), "--k", "2", "--n-init", "1", "--no-plots"]
                arguments += ["--out", str(folder), "--force"]
            try:
                found = _ended(RUNNER.invoke(_app.app, arguments))
                page = folder / "report.html"
                return found, page.read_text(encoding="utf-8") if page.is_file() else ""
            finally:
                precious = folder / "precious.txt"
                kept = "foreign" not in done[0] or (precious.is_file() and precious.read_text() == SECRET)
                require(kept and secret.read_text() == SECRET, f"a file of the user was lost: {done[0]}")

    def check(found: Any, warned: list[str]) -> None:
        page = found[1]
        require("<script" not in page and "\x1b" not in page, f"markup reaches the page: {done[0]}")
        require(SECRET[:40] not in page, f"a linked file reaches the page: {done[0]}")

    return Call(f"sparsek {command} of a folder of results, change from seed {seed}", run, (), check)


# --- models and AnnData objects ----------------------------------------------------------------------------


@cache
def sound_model() -> bytes:
    """A small model as `DEC.save` writes it."""
    quick: dict[str, Any] = {"hidden_sizes": (3,), "layer_epochs": 1, "finetune_epochs": 1, "max_iter": 1}
    model = sparsek.DEC(3, n_components=2, random_state=0, **quick).fit(plain_table(np.random.default_rng(0)))
    file = Path(containers.FOLDER.name) / "model.npz"
    model.save(file)
    return file.read_bytes()


def _model(r: Random) -> Call:
    """`DEC.load` of a file that was damaged, or whose settings were changed."""
    seed = int(r.integers(2**31))
    path = Path(containers.FOLDER.name) / f"model-{seed}.npz"

    def run() -> Any:
        change = np.random.default_rng(seed)
        content = sound_model()
        if change.random() < 0.5:
            arrays = dict(np.load(io.BytesIO(content)))
            text = forged(json.loads(arrays["json"].item()), change)
            arrays["json"] = np.array(json.dumps(text))
            file = io.BytesIO()
            np.savez(file, **arrays)
            content = file.getvalue()
        path.write_bytes(damaged(content, change)[1])
        try:
            model = sparsek.DEC.load(path)
        finally:
            path.unlink()
        model.predict(plain_table(change))
        return model.summary().as_text()

    return Call(f"DEC.load of a file changed from seed {seed}, and its use", run)


def _cells(X: Any, r: Random) -> Any:
    """An AnnData object of a matrix, or something with the same parts; some genes have one name."""
    n, p = X.shape
    genes = [f"g{j}" for j in range(p)]
    if p > 1 and r.random() < 0.3:
        genes[1] = genes[0]
    obs, var = pd.DataFrame(index=[f"c{i}" for i in range(n)]), pd.DataFrame(index=genes)
    layer = sp.csr_matrix(X) if r.random() < 0.5 else X
    if HAS_ANNDATA:
        return importlib.import_module("anndata").AnnData(X, obs, var, layers={"l": layer})
    parts: dict[str, Any] = {"varm": {}, "uns": {}, "obs_names": obs.index, "var_names": var.index}
    return SimpleNamespace(X=X, layers={"l": layer}, obs=obs, var=var, shape=(n, p), **parts)


def _anndata(r: Random) -> Call:
    """`anndata.cluster` of drawn data, twice in one object."""
    kind, X = values.draw(r)
    adata = _cells(X, r)
    models = [
        sparsek.SKFR(2, 1, n_init=2, random_state=0),
        sparsek.SparseKMeans(2, n_init=2, random_state=0),
        sparsek.EntropyWeightedKMeans(2, n_init=2, random_state=0),
        sparsek.RobustSparseKMeans(2, n_init=2, random_state=0),
        sparsek.KPod(2, n_init=2, random_state=0),
    ]
    first, second = (models[int(i)] for i in r.choice(len(models), size=2, replace=False))
    layer = "l" if r.random() < 0.4 else None

    def run() -> Any:
        try:
            sparsek.anndata.cluster(adata, first)
        except (ValueError, TypeError):
            require(not list(adata.obs) and not list(adata.var), "a fit that failed has written")
        return sparsek.anndata.cluster(adata, second, layer=layer)

    def check(found: Any, warned: list[str]) -> None:
        require(adata.obs["sparsek"].tolist() == found.labels_.astype(str).tolist(), "other labels in .obs")
        direct = type(second)(**second.get_params()).fit(adata.layers["l"] if layer else X)
        require(np.array_equal(direct.labels_, found.labels_), "other labels than those of the fit")
        names = {"outliers_": ("obs", "sparsek_outlier"), "feature_weights_": ("var", "sparsek_weight")}
        for attribute, (part, name) in names.items():
            there = hasattr(found, attribute) and np.ndim(getattr(found, attribute)) == 1
            require((name in getattr(adata, part)) == there, f"{name} is not that of this fit")

    text = f"anndata.cluster({kind} {X.shape}, {type(first).__name__}, then {second} on {layer})"
    return Call(" ".join(text.split()), run, (X,), check)


MAKERS: dict[str, Callable[[Random], Call]] = dict(
    zip(NAMES, (_table, _folder, _model, _anndata), strict=True)
)
"""What makes a call of each target."""
