"""Fits of the same rows from the same start, wherever the rows lie: cases, sources and answers to compare.

``python -m tests.sources.same_labels`` prints the answers to fixed cases, for a process under another
kernel of linear algebra.
"""

import hashlib
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from sparsek import SKFR, KPod, SparseKernelKMeans, SparseKMeans
from sparsek.engine import has_numba, set_engine
from sparsek.methods.shared.clusterer import blocks as block_input
from sparsek.sources.local import LocalRows
from tests.sources.blocks_data import as_kind, punch

ENGINES = ("numpy", "compiled") if has_numba() else ("numpy",)
TIED = ("whole", "tenths", "duplicates")
"""Kinds of data in which distances are equal."""
FITS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SKFR": (SKFR, {"n_features_to_select": 2, "standardize": True}),
    "local SKFR": (SKFR, {"n_features_to_select": 2, "scope": "local", "standardize": True}),
    "SparseKMeans": (SparseKMeans, {"l1_bound": 1.5, "refine": False, "standardize": False}),
    "KPod": (KPod, {}),
}
FIELDS: dict[str, tuple[Any, ...]] = {
    "fit": tuple(FITS),
    "kind": (*TIED, *TIED, "continuous", "continuous", "continuous"),
    "n": (20, 60, 150, 300),
    "p": (4, 5, 8),
    "n_clusters": (2, 3, 5),
    "dtype": ("float64", "float32"),
    "weights": (None, "whole", "fractions"),
    "start": ("centres", "equal centres", "far centre", "labels", "rows"),
    "source": ("array", "Fortran", "strided", "reversed", "csr", "npy", "parquet", "dask", "dask"),
    "permuted": (False, True),
    "share": (1e-9, 0.5, 0.99),
    "block_rows": (1, 7, 40),
    "engine": ENGINES,
    "n_jobs": (None, 2),
    "n_init": (1, 20),
}
"""What a case draws, each of its values as likely as it occurs: two of three sets of data have ties."""


@dataclass(frozen=True, slots=True)
class Case:
    """A fit from a given start; see `FIELDS`.

    Attributes
    ----------
    seed : int
        Seed of the data.
    share : float
        `memory_limit` of a fit by blocks, as a share of what a fit in memory takes; at least what it needs.
    block_rows : int
        Largest number of rows of a block.
    """

    seed: int
    fit: str
    kind: str
    n: int
    p: int
    n_clusters: int
    dtype: str
    weights: str | None
    start: str
    source: str
    permuted: bool
    share: float
    block_rows: int
    engine: str
    n_jobs: int | None
    n_init: int

    def possible(self) -> "Case":
        """The case, with another source for KPod, which takes no sparse matrix; Dask takes no weights."""
        if self.fit == "KPod" and self.source == "csr":
            return replace(self, source="npy")
        return replace(self, weights=None) if self.source == "dask" else self


CASES = st.builds(
    Case, st.integers(0, 2**31 - 1), **{name: st.sampled_from(values) for name, values in FIELDS.items()}
).map(Case.possible)


def make_case(seed: int, fit: str, kind: str, **others: Any) -> Case:
    """A case of middle size, the plain one in whatever is not given."""
    plain = {"n": 90, "p": 8, "n_clusters": 3, "dtype": "float64", "weights": None, "start": "centres"}
    plain |= {"source": "array", "permuted": False, "share": 0.5, "block_rows": 7, "engine": "numpy"}
    return Case(seed, fit, kind, **{**plain, "n_jobs": None, "n_init": 1, **others})


COPIES = 3.0
"""Memory that a fit is said to take beside the data, so that `Case.share` of it does not hold them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows, their weights and a start; `order` has the numbers of the rows before they were shuffled."""

    X: Any
    weights: Any
    init: Any
    order: Any


def make_rows(kind: str, n: int, p: int, rng: np.random.Generator) -> Any:
    """Three groups that overlap, as one kind of numbers."""
    X = rng.normal(size=(n, p))
    X[:, :3] += rng.normal(0, 1.5, (3, 3))[rng.integers(3, size=n)]
    if kind == "whole":
        return np.clip(np.rint(X + 1), 0, 2)
    if kind == "tenths":
        return np.rint(10 * X) / 10
    return X[rng.integers(max(4, n // 6), size=n)] if kind == "duplicates" else X


def make_start(kind: str, X: Any, n_clusters: int, rng: np.random.Generator) -> Any:
    """Labels, row numbers or centres; one of the centres may win no row."""
    rows = rng.choice(len(X), n_clusters, replace=False)
    if kind == "labels":
        return rng.permutation(np.arange(len(X)) % n_clusters)
    if kind == "rows":
        return rows
    centers = X[rows].copy()
    if kind == "equal centres":
        centers[1] = centers[0]
    return centers + (kind == "far centre") * 1000.0 * (np.arange(n_clusters) == 1)[:, None]


def make_problem(case: Case) -> Problem:
    """The rows of a case in memory, in their first order."""
    rng = np.random.default_rng(case.seed)
    X = make_rows(case.kind, case.n, case.p, rng).astype(case.dtype)
    init = make_start(case.start, X, case.n_clusters, rng)
    if case.fit == "KPod":
        full = np.isin(np.arange(case.n), init) if case.start == "rows" else np.zeros(case.n, bool)
        X = np.where(full[:, None], X, punch(X, case.seed)).astype(case.dtype)
    drawn = {"whole": rng.integers(1, 5, case.n).astype(float), "fractions": rng.uniform(0.1, 3, case.n)}
    return Problem(X, drawn.get(case.weights or ""), init, np.arange(case.n))


def shuffled(problem: Problem, seed: int) -> Problem:
    """The rows in another order, with the start that means the same."""
    order = np.random.default_rng(seed + 1).permutation(len(problem.X))
    init = problem.init
    if init.ndim == 1:
        init = init[order] if len(init) == len(order) else np.argsort(order)[init]
    weights = None if problem.weights is None else problem.weights[order]
    return Problem(problem.X[order], weights, init, order)


def make_model(case: Case, init: Any) -> Any:
    """The estimator of a case with a start."""
    cls, options = FITS[case.fit]
    options = {**options, "init": init, "n_init": case.n_init, "n_jobs": case.n_jobs}
    return cls(case.n_clusters, random_state=0, **options)


def in_memory(source: str, X: Any) -> Any:
    """The rows as an array in some order in memory, or as a sparse matrix."""
    if source == "Fortran":
        return np.asfortranarray(X)
    if source == "strided":
        return np.repeat(np.repeat(X, 3, axis=0), 2, axis=1)[::3, ::2]
    if source == "reversed":
        return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    return sp.csr_array(X) if source == "csr" else X


def answer(model: Any, X: Any, problem: Problem) -> dict[str, Any]:
    """Labels in the first order, selected features and number of iterations of a fit."""
    options = {} if problem.weights is None else {"sample_weight": problem.weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = model.fit(X, **options)
    labels = np.empty(len(problem.order), dtype=int)
    labels[problem.order] = np.asarray(fit.labels_)
    kept = (
        fit.selected_features_ if isinstance(fit, SKFR) else getattr(fit, "feature_weights_", np.ones(1)) > 0
    )
    return {"labels": labels.tolist(), "features": np.asarray(kept).tolist(), "n_iter": int(fit.n_iter_)}


def plain_answer(case: Case) -> tuple[dict[str, Any], bool]:
    """The answer for the array in memory by numpy, and whether an empty cluster took a row."""
    problem = make_problem(case)
    filled, fill_empty = [], LocalRows.fill_empty

    def noted(rows: LocalRows, *arguments: Any) -> Any:
        filled.append(rows.labels.copy())
        return fill_empty(rows, *arguments)

    with set_engine("numpy"), mock.patch.object(LocalRows, "fill_empty", noted):
        found = answer(make_model(replace(case, n_jobs=None, n_init=1), problem.init), problem.X, problem)
    return found, any(len(np.unique(labels)) < case.n_clusters for labels in filled)


def answer_from(case: Case, folder: Path) -> dict[str, Any]:
    """The answer from the source of a case, in its order of the rows and by its engine."""
    problem = make_problem(case)
    if case.permuted:
        problem = shuffled(problem, case.seed)
    X = problem.X
    with set_engine(case.engine):
        if case.source == "dask":
            step = max(1, case.n * case.block_rows // 50)
            with dask.config.set(scheduler="synchronous"):
                rows = da.from_array(X, chunks=(step, X.shape[1]))
                return answer(make_model(case, problem.init), rows, problem)
        model = make_model(case, problem.init)
        if case.source not in ("npy", "parquet"):
            return answer(model, in_memory(case.source, X), problem)
        row = X[0].nbytes
        least = max(40 * row, 2 * case.n * (17 + 2 * X.itemsize * (problem.weights is not None)))
        model.set_params(memory_limit=max(least, case.share * X.nbytes * (COPIES + 1)))
        given = as_kind(X, case.source, folder)
        more = mock.patch.object(type(model), "_copies", COPIES)  # small data are read by blocks too
        with more, mock.patch.object(block_input, "BLOCK_BYTES", case.block_rows * row):
            assert block_input.is_reader(model._opened(given))
            return answer(model, given, problem)


def fixed_cases() -> Iterator[Case]:
    """Cases with ties, each start by each engine, as array and as sparse matrix."""
    for seed, fit, kind in product(range(5), FITS, TIED):
        start, engine = FIELDS["start"][seed], ENGINES[(seed + TIED.index(kind)) % len(ENGINES)]
        for source in ("array",) if fit == "KPod" else ("array", "csr"):
            yield make_case(seed, fit, kind, start=start, source=source, engine=engine)


def fixed_answers() -> list[str]:
    """A line for each fixed case: its name, and a digest of its answer."""
    found = []
    for case in fixed_cases():
        text = json.dumps(answer_from(case, Path()))
        name = f"{case.fit}, {case.kind}, {case.source}, {case.start}, {case.engine}, seed {case.seed}"
        found.append(f"{name}: {hashlib.sha256(text.encode()).hexdigest()[:12]}")
    return found


def narrow_kernel() -> str:
    """Sparse kernel k-means of a kernel so narrow that most rows are equally far from each other."""
    X, _ = make_blobs(n_samples=50, random_state=1)
    model = SparseKernelKMeans(3, kernel="gaussian", width=0.001, n_init=2, random_state=0)
    return f"narrow kernel: {''.join(map(str, model.fit(X / X.std(axis=0)).labels_))}"


if __name__ == "__main__":
    print("\n".join([*fixed_answers(), narrow_kernel()]))
