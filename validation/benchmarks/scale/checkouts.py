"""Benchmarks of this checkout with the package of any checkout: cases, their data, and processes that fit.

``python validation/benchmarks/scale/checkouts.py PATH MODULE [ARGUMENT ...]`` runs a script of this checkout,
such as validation.benchmarks.methods.skfr, with the package in the checkout at PATH.

A script that compares checkouts hands its own path to `Worker`. The process of each checkout runs its
function ``answer(*request)``, which imports sparsek alone, by public names.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import runpy
import subprocess
import sys
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).parents[3]
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENGINES = ("numpy", "compiled")
ANSWERS = "--answers"
"""Argument of the process of a worker."""


class Case(NamedTuple):
    """A fit."""

    call: str  # The estimator; `centers` stands for the given centres
    # Numbers of rows, columns, clusters and columns in which the groups differ
    size: tuple[int, int, int, int]
    # "normal", "whole" for 0, 1, 2, "15 % holes", with any share, or "words"; " float32" and " int8" name
    # another type of numbers
    kind: str = "normal"
    source: str = "array"  # "array", "csr", "npy", "parquet", or "dask" and a number of chunks

    @property
    def name(self) -> str:
        """The case in words."""
        return f"`{self.call}` | {', '.join(map(str, self.size[:3]))} | {self.kind}, {self.source}"

    def has(self, words: str) -> bool:
        """Whether the case has all these words in its name."""
        return all(word in self.name for word in words.split())


def make_data(case: Case, folder: Path) -> None:
    """Write the rows of a case, and centres, which are rows."""
    from validation.benchmarks.data import mixture, word_counts

    rng = np.random.default_rng(0)
    rows = rng.choice(case.size[0], case.size[2], replace=False)
    if case.kind == "words":
        words = word_counts(*case.size[:3], length=70)["x"]
        sp.save_npz(folder / "X.npz", words)
        np.save(folder / "centers.npy", words[np.sort(rows)].toarray())
        return
    X = mixture(*case.size)
    if "whole" in case.kind:
        X = np.clip(np.rint(X + 1), 0, 2)
    X = X.astype(next((name for name in ("float32", "int8") if name in case.kind), "float64"))
    np.save(folder / "centers.npy", X[rows])
    if "holes" in case.kind:
        X[rng.random(X.shape) < float(case.kind.split()[0]) / 100] = np.nan
    if case.source == "parquet":
        import pandas as pd

        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
        frame.to_parquet(folder / "X.parquet", row_group_size=len(X) // 10)
    elif case.source == "csr":
        sp.save_npz(folder / "X.npz", sp.csr_array(X))
    else:
        np.save(folder / "X.npy", X)


@lru_cache(maxsize=1)
def load_data(source: str, folder: str) -> Any:
    """The rows in their form, in the worker."""
    if source in ("npy", "parquet"):
        return Path(folder) / f"X.{source}"
    if source == "csr":
        return sp.load_npz(Path(folder) / "X.npz")
    X = np.load(Path(folder) / "X.npy")
    if source.startswith("dask"):
        import dask
        import dask.array as da

        dask.config.set(scheduler="synchronous")
        return da.from_array(X, chunks=(-(-len(X) // int(source.split()[1])), X.shape[1]))
    return X


def make_model(call: str, source: str, folder: str) -> Any:
    """The unfitted estimator of a call, in the worker."""
    import sparsek

    module: Any = sparsek
    # Older checkouts have classes of their own for Dask.
    if source.startswith("dask") and importlib.util.find_spec("sparsek.dask"):
        module = importlib.import_module("sparsek.dask")
    names = {name: getattr(module, name, None) for name in ("SKFR", "SparseKMeans", "KPod")}
    return eval(call, names | {"centers": np.load(Path(folder) / "centers.npy")})


class Worker:
    """A process that answers the requests of a script with the package of a checkout."""

    def __init__(self, script: str, checkout: Path, **variables: str) -> None:
        module = f"validation.benchmarks.scale.{Path(script).stem}"
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(checkout), module, ANSWERS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | THREADS | variables,
        )

    def ask(self, *request: Any) -> Any:
        """What the script answers to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # no line comes then either
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("error: a worker ended; its message is above")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def work(module: str) -> None:
    """Answer requests, a line of JSON each."""
    answer = importlib.import_module(module).answer
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line))), flush=True)


def use_package(checkout: Path) -> None:
    """Import sparsek from a checkout; everything else comes from this one."""
    sys.path.insert(0, str(checkout))
    import sparsek

    package = Path(sparsek.__file__).parent
    if package != checkout / "sparsek":
        raise SystemExit(f"error: {checkout} has no sparsek of its own; {package} was imported")
    sys.path.insert(0, str(ROOT))


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit(f"usage: {sys.argv[0]} PATH MODULE [ARGUMENT ...]")
    checkout, module, *rest = sys.argv[1:]
    use_package(Path(checkout).resolve())
    if rest == [ANSWERS]:
        work(module)
    else:
        sys.argv = [module, *rest]
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
