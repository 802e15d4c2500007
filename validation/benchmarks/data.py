"""The data that benchmarks are timed on: a function of the numbers of a size for each kind."""

from __future__ import annotations

import atexit
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import kmeans_plusplus
from sklearn.datasets import load_digits

from sparsek import PairwiseConstraints
from sparsek.datasets import make_brodinova
from sparsek.rng import RRandom


def groups(n: int, p: int, k: int = 1, *, apart: float = 0.0, differ: float = 1.0) -> np.ndarray:
    """Normal groups of equal size whose means differ in a share of the columns, of two at least."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = p if differ == 1 else max(2, int(differ * p))
    x[:, :used] += apart * rng.standard_normal((k, used))[np.arange(n) % k]
    return x


def survey(n: int, p: int, k: int) -> dict[str, Any]:
    """Answers of groups, to numbers and to categories of five levels in turn; two in ten differ."""
    rng = np.random.default_rng(1)
    y, columns = np.arange(n) % k, {}
    for j in range(p):
        differs = j % 10 < 2
        if j % 2 == 0:
            columns[f"q{j}"] = rng.standard_normal(n) + 3 * differs * y
            continue
        level = np.where(differs & (rng.random(n) < 0.8), y % 5, rng.integers(5, size=n))
        columns[f"q{j}"] = pd.Categorical.from_codes(level, list("abcde"))
    return {"X": pd.DataFrame(columns)}


def four_groups(n: int, p: int) -> np.ndarray:
    """Four groups that differ in the first tenth of the columns."""
    return groups(n, p, 4, apart=1.5, differ=0.1)


def shifted_groups(n: int, p: int, k: int = 2) -> np.ndarray:
    """Two groups: a third of the rows is higher in the first twentieth of the columns."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[: n // 3, : p // 20] += 1.5
    return x


def groups_with_outliers(n: int, p: int, k: int) -> np.ndarray:
    """Groups that differ in the first tenth of the columns; a twentieth of the rows is far away."""
    x = groups(n, p, k, apart=3, differ=0.1)
    rng = np.random.default_rng(2)
    x[: n // 20] += 4 * rng.standard_normal((n // 20, p))
    return x


def incomplete(n: int, p: int, k: int, *, apart: float, missing: float) -> np.ndarray:
    """Groups around normal centres, as in kpodclustr's makeData, with cells missing at random."""
    rng = np.random.default_rng(1)
    x = apart * rng.standard_normal((k, p))[rng.integers(k, size=n)] + rng.standard_normal((n, p))
    x[rng.random((n, p)) < missing] = np.nan
    return x


def genotype_files(n: int, p: int, k: int) -> dict[str, Any]:
    """The path of PLINK's files of groups that differ in a fiftieth of the variants."""
    rng = np.random.default_rng(0)
    frequency = np.tile(rng.uniform(0.1, 0.9, p), (k, 1))
    used = max(2, p // 50)
    frequency[:, :used] = rng.uniform(0.1, 0.9, (k, used))
    copies = rng.binomial(2, frequency[np.arange(n) % k])
    codes = np.pad(np.array([3, 2, 0], np.uint8)[copies], ((0, -n % 4), (0, 0))).reshape(-1, 4, p)
    packed = (codes << np.array([0, 2, 4, 6], np.uint8)[:, None]).sum(axis=1, dtype=np.uint8)
    folder = mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "study.bed"
    path.write_bytes(b"\x6c\x1b\x01" + packed.T.tobytes())
    path.with_suffix(".bim").write_text("".join(f"1 rs{j} 0 {j} A G\n" for j in range(p)))
    path.with_suffix(".fam").write_text("".join(f"F{i} S{i} 0 0 0 -9\n" for i in range(n)))
    return {"path": path}


def mixture(n: int, p: int, k: int, s: int = 0, *, spread: float = 1.5) -> np.ndarray:
    """Normal data with k groups that differ in the first s columns only."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, spread, (k, s))[rng.integers(k, size=n)]
    return X


def standardised(n: int, p: int, k: int, s: int, *, spread: float = 1.5) -> dict[str, Any]:
    """Such data with columns of mean 0 and variance 1, and k-means++ centres."""
    X = mixture(n, p, k, s, spread=spread)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return {"x": X, "X": X, "centers": kmeans_plusplus(X, k, random_state=0)[0]}


def close_groups(n: int, p: int, k: int, *, far: bool = False) -> dict[str, Any]:
    """Normal groups that differ in every column, and centres: k-means++, or k of the first rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p)) + rng.normal(0, 3 / p**0.25, (k, p))[rng.integers(k, size=n)]
    centers = X[np.random.default_rng(1).choice(n // 10, k, replace=False)]
    return {"X": X, "centers": centers if far else kmeans_plusplus(X, k, random_state=0)[0]}


def with_gamma(n: int, p: int, k: int, *, apart: float, unit: bool) -> dict[str, Any]:
    """Groups in a tenth of the columns, and gamma: 1, or what suits the variances."""
    x = groups(n, p, k, apart=apart, differ=0.1)
    gamma = 1.0 if unit else float(round(2 * ((x - x.mean(axis=0)) ** 2).sum() / (k * p), 1))
    return {"x": x, "gamma": gamma}


def with_start(n: int, p: int, k: int) -> dict[str, Any]:
    """Overlapping groups, and the labels that R draws with seed 1."""
    x = groups(n, p, k, apart=1.5)
    return {"x": x, "start": np.asarray(RRandom(1).sample_int(k, n, replace=True)) - 1}


def problem(
    n: int, p: int, k: int, m: int, seed: int = 0, apart: float = 3.0
) -> tuple[np.ndarray, np.ndarray, PairwiseConstraints]:
    """Normal groups, and true pairs of random rows; groups overlap a little or, 0.5 apart, almost wholly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = rng.standard_normal((n, p)) + rng.normal(0, apart / p**0.25, (k, p))[y]
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, y, PairwiseConstraints(n, pairs[same], pairs[~same])


def pairs(n: int, p: int, k: int, *, m: int, apart: float = 3.0) -> dict[str, Any]:
    """Such a problem as the arguments of a fit, also as lists of tuples."""
    X, y, constraints = problem(n, p, k, m, 0, apart)
    links = {"ml": constraints.must_link, "cl": constraints.cannot_link}
    lists = {name: list(map(tuple, found.tolist())) for name, found in links.items()}
    return {"X": X, "y": y, "pairs": constraints.fit_params(), **lists}


def random_mixture(n: int, p: int, k: int) -> np.ndarray:
    """Groups of random size that differ in a tenth of the columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X[:, : p // 10] += 3 * rng.standard_normal((k, p // 10))[rng.integers(k, size=n)]
    return X


def noise(n: int, p: int, k: int = 1) -> np.ndarray:
    """Normal numbers without groups."""
    return np.random.default_rng(0).standard_normal((n, p))


def design_a(n: int, p: int, k: int) -> np.ndarray:
    """Brodinova's design A."""
    return np.asarray(make_brodinova(p, random_state=0).data)


def digits(n: int, p: int, k: int, *, dtype: str = "float64") -> dict[str, Any]:
    """scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    return {"X": X[:n].astype(dtype), "y": y[:n]}


def word_counts(n: int, p: int, k: int, *, length: int) -> dict[str, Any]:
    """log(1 + count) of documents whose words follow Zipf's law; each topic has 60 words of its own.

    `x` is sparse, `X` the same as an array, or empty where that is too large.
    """
    rng = np.random.default_rng(0)
    common = 1 / np.arange(1, p + 1)
    rows, columns = [], []
    for rows_of in np.array_split(rng.permutation(n), k):
        own = rng.choice(np.arange(50, min(p, 5000)), size=60, replace=False)
        shares = common / common.sum() * 0.8
        shares[own] += 0.2 / len(own)
        sizes = rng.poisson(length, len(rows_of)) + 1
        columns.append(rng.choice(p, size=sizes.sum(), p=shares))
        rows.append(np.repeat(rows_of, sizes))
    entries = (np.ones(sum(map(len, rows))), (np.concatenate(rows), np.concatenate(columns)))
    x = sp.coo_array(entries, shape=(n, p)).tocsr()
    x.sum_duplicates()
    x.data = np.log1p(x.data)
    return {"x": x, "X": x.toarray() if n * p <= 2e7 else np.zeros((0, p))}
