"""What holds on data that are not normal: levels of the tests, one cluster or more, features at a rate.

Noise of several kinds, with groups or without: see `noise`. Everything runs with the defaults; the power also
with the noise given.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import norm, rankdata
from sklearn.cluster import KMeans

from sparsek import SKFR, FeatureFDR, inference
from sparsek.errors import AssumptionWarning
from validation.papers.inference.peers import PEERS, peer_answers
from validation.papers.inference.simulations import triangle_means
from validation.papers.shared.runs import on_one_thread, quietly

NOISES = ("normal", "t5", "exponential", "correlated", "unequal", "rounded")
"""Kinds of noise of the tests."""
FURTHER = ("autoregressive", "blocks", "lognormal")
"""Kinds of correlated noise."""
ITEMS = ("items, one factor", "items, two factors", "binary items", "counts with depth")
"""Kinds of rows without groups that people have, of few values; features share a factor."""
COUNTED = ("log counts", "zero-inflated", "mixed")
"""Kinds of counts, and rows of numbers, items and counts."""
UNLIKE = ("row scales", "far rows", "a curve", "an arch", "a gradient", "a ball")
"""Kinds of rows without groups that are no Gaussian copula."""
ANSWERS = (-1.2, -0.4, 0.4, 1.2)
"""Limits of five answers."""
SCORES = ", normal scores"
"""End of the names of tests of rows whose features are replaced by normal scores."""
EXACT = ("k-means", "Ward", "SKFR")
RECOMMENDED = (*(name + SCORES for name in EXACT), "one feature, k-means")
"""What the tests recommend where they warn of skewed or heavy-tailed rows."""
METHODS = (*EXACT, *RECOMMENDED, "thinned k-means")
ROWS, COLUMNS = 60, {"SKFR": 40}
"""Rows, and columns where they are not 10."""
ONE_SEED = 58
"""Of the data sets of one cluster or more."""
BLOCK = 10
"""Features that are correlated, in blocks."""


def noise(kind: str, rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows without groups; features have variance about 1, or standard deviations .5 to 2 ("unequal")."""
    if kind == "t5":
        return rng.standard_t(5, size=(n, p)) / np.sqrt(5 / 3)
    if kind == "t4":
        return rng.standard_t(4, size=(n, p)) / np.sqrt(2)
    if kind == "exponential":
        return rng.exponential(size=(n, p)) - 1
    if kind == "counts":
        return rng.poisson(3 * rng.gamma(2, 1 / 2, size=(n, p))).astype(float)
    if kind in ITEMS:
        return _few_values(kind, rng, n, p)
    if kind in COUNTED:
        return _counted(kind, rng, n, p)
    if kind in UNLIKE:
        return _unlike(kind, rng, n, p)
    if kind == "lognormal":
        return np.exp(noise("correlated", rng, n, p))
    X = rng.normal(size=(n, p))
    if kind == "holes":
        return np.where(rng.random((n, p)) < 0.2, np.nan, noise("correlated", rng, n, p))
    if kind == "batches":
        return X + 3 * rng.normal(size=(2, p))[_batches(n)]
    if kind == "autoregressive":
        for j in range(1, p):
            X[:, j] = 0.8 * X[:, j - 1] + 0.6 * X[:, j]
        return X
    if kind == "correlated":
        return np.sqrt(0.7) * X + np.sqrt(0.3) * rng.normal(size=(n, 1))
    if kind == "blocks":
        return np.sqrt(0.4) * X + np.sqrt(0.6) * np.repeat(rng.normal(size=(n, p // BLOCK)), BLOCK, axis=1)
    if kind == "unequal":
        return X * np.linspace(0.5, 2, p)
    if kind in ("rounded", "dithered"):
        X = np.round(3 * X) / 3
    return X + rng.uniform(-1 / 6, 1 / 6, size=(n, p)) if kind == "dithered" else X


def _few_values(kind: str, rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows of items or counts, through which one factor or two run."""
    if kind == "counts with depth":
        depth = np.exp(0.5 * rng.normal(size=(n, 1)))
        return rng.poisson(depth * np.exp(0.8 * rng.normal(size=p) + 1.5)).astype(float)
    factors = 2 if kind == "items, two factors" else 1
    loads = np.repeat(np.eye(factors), -(-p // factors), axis=1)[:, :p] * 0.8
    latent = rng.normal(size=(n, factors)) @ loads + 0.6 * rng.normal(size=(n, p))
    if kind == "binary items":
        return (latent > 0.5 * rng.normal(size=p)).astype(float)
    return np.digitize(latent, ANSWERS) + 1.0


def _batches(n: int) -> np.ndarray:
    """The batch of each row; half of each group is in either."""
    return np.arange(n) // 3 % 2


def _counted(kind: str, rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows of counts, or a third each of numbers, items and counts that share a factor."""
    if kind == "log counts":
        return np.log1p(_few_values("counts with depth", rng, n, p))
    if kind == "zero-inflated":
        return np.where(
            rng.random((n, p)) < 0.4, 0.0, rng.poisson(np.exp(0.5 * rng.normal(size=p) + 1.5), (n, p))
        )
    X = noise("correlated", rng, n, p)
    third = p // 3
    X[:, :third] = np.digitize(X[:, :third], ANSWERS)
    X[:, third : 2 * third] = rng.poisson(np.exp(X[:, third : 2 * third] / 2 + 1))
    return X


def _unlike(kind: str, rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows without groups that are no Gaussian copula."""
    X = rng.normal(size=(n, p))
    if kind == "row scales":
        return X / np.sqrt(rng.chisquare(4, size=(n, 1)) / 2)
    if kind == "far rows":
        X[: n // 20] *= 4
        return X
    if kind == "a ball":
        return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / p)
    if kind == "a gradient":
        X[:, : 3 * p // 10] += rng.uniform(-3, 3, size=(n, 1))
        return X
    place = X[:, :1] if kind == "a curve" else rng.uniform(-1.7, 1.7, size=(n, 1))
    bends = rng.normal(size=(2, p))
    return bends[0] * place + bends[1] * (place**2 - 1) + 0.5 * rng.normal(size=(n, p))


def _one_test(method: str, X: np.ndarray, seed: int, sigma: float | None = None) -> float:
    """The p-value of a method, with its default noise or the given one."""
    if method == "thinned k-means":
        model = KMeans(3, init="random", n_init=1)
        found = inference.test_thinned(X, model, sigma=sigma, n_permutations=99, random_state=seed)
        return float(found.pairs["p_value"].iloc[0]) if len(found.pairs) else np.nan
    if method == "Ward":
        tree = inference.LinkageClustering(3, "ward").fit(X)
        return inference.test_hierarchical(tree, X, 0, 1, sigma).p_value
    if method == "SKFR":
        start = np.random.default_rng([seed, 1]).choice(len(X), 3, replace=False)
        model = SKFR(3, X.shape[1] // 4, standardize=False, init=start).fit(X)
        return inference.test_kmeans(model, X, 0, 1, sigma).p_value
    model = KMeans(3, init="random", n_init=1, random_state=seed).fit(X)
    if method == "k-means":
        return inference.test_kmeans(model, X, 0, 1, sigma).p_value
    return inference.test_feature(model, X, seed % X.shape[1], 0, 1, sigma).p_value


def _null(method: str, kind: str, seed: int) -> tuple[float, bool]:
    """The p-value in a set without groups, and whether a warning names an assumption."""
    test = method.removesuffix(SCORES)
    X = noise(kind, np.random.default_rng(seed), ROWS, COLUMNS.get(test, 10))
    X = X if test == method else norm.ppf((rankdata(X, axis=0) - 0.5) / len(X))
    return _tested(test, X, seed, None)


def _tested(test: str, X: np.ndarray, seed: int, sigma: float | None) -> tuple[float, bool]:
    """The p-value, NaN where there is none, and whether a warning names an assumption."""
    with on_one_thread(), quietly(), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            p = _one_test(test, X, seed, sigma)
        except ValueError:  # fewer than two clusters are left
            p = np.nan
    return p, any(issubclass(one.category, AssumptionWarning) for one in found)


def run_robust(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Level of the tests with their defaults by kind of noise."""
    rows = []
    for method in METHODS:
        for kind in NOISES:
            found = Parallel(n_jobs=n_jobs)(delayed(_null)(method, kind, seed) for seed in range(n_samples))
            p = np.array([one for one, _ in found])
            known = p[~np.isnan(p)]
            row = {"method": method, "noise": kind, "data_sets": n_samples}
            row |= {"below_0.05": np.mean(known < 0.05) if len(known) else np.nan}
            row |= {"refused": np.mean(np.isnan(p)), "warned": np.mean([warned for _, warned in found])}
            rows.append(row)
    return pd.DataFrame(rows)


CALL_METHODS = (*EXACT, "thinned k-means")
CALL_DESIGNS = (
    ("dithered", 0.0, ROWS),
    *(("normal", delta, 150) for delta in (3.0, 5.0, 7.0)),
)
"""Noise, distance of the corners of the triangle of groups, and rows."""


def _called(method: str, kind: str, delta: float, n: int, sigma: float | None, seed: int) -> float:
    """The p-value in a set with three groups, or none, with the given noise or the default."""
    X = noise(kind, np.random.default_rng([seed, 2]), n, 10) + triangle_means(delta, n)
    return _tested(method, X, seed, sigma)[0]


def run_call(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Level and power of the tests with the noise given, and as they are called without it."""
    rows = []
    for method in CALL_METHODS:
        for sigma in (1.0, None):
            for kind, delta, n in CALL_DESIGNS:
                found = Parallel(n_jobs=n_jobs)(
                    delayed(_called)(method, kind, delta, n, sigma, seed) for seed in range(n_samples)
                )
                known = np.array(found)[~np.isnan(found)]
                row = {"method": method, "sigma": "default" if sigma is None else "known", "noise": kind}
                row |= {"delta": delta, "rows": n, "data_sets": n_samples}
                row |= {"below_0.05": np.mean(known < 0.05) if len(known) else np.nan}
                rows.append(row | {"refused": 1 - len(known) / n_samples})
    return pd.DataFrame(rows)


def add_groups(X: np.ndarray, rng: np.random.Generator, delta: float, true: int) -> np.ndarray:
    """Three groups of equal size in the first features, at -delta, 0 and delta in random order."""
    places = rng.permuted(np.tile([-1.0, 0.0, 1.0], (true, 1)), axis=1)
    moved = X.astype(float)
    moved[:, :true] += delta * places[:, np.arange(len(X)) % 3].T
    return moved


def in_range(kind: str, X: np.ndarray) -> np.ndarray:
    """Answers and counts moved back into their range."""
    if kind.startswith("counts"):
        return np.maximum(X, 0)
    if kind in ITEMS:
        return np.clip(X, *((0, 1) if kind == "binary items" else (1, 1 + len(ANSWERS))))
    return X


def batch_means(X: np.ndarray, batch: np.ndarray | None) -> np.ndarray | float:
    """Means of the columns in the batch of each row; 0 without batches."""
    return 0.0 if batch is None else np.array([X[batch == code].mean(axis=0) for code in (0, 1)])[batch]


ONE_DESIGNS = (
    *((kind, 0.0) for kind in (*NOISES, *FURTHER, *ITEMS, *COUNTED, "holes", "batches", *UNLIKE)),
    *((kind, 3.0) for kind in ("normal", "exponential", "correlated", "mixed", "holes", "batches")),
    *((kind, 2.0) for kind in ("items, one factor", "binary items")),
    ("counts with depth", 6.0),
)
"""Noise and distance of the groups."""


def _clusters_found(kind: str, delta: float, seed: int) -> tuple[float, ...]:
    """Whether more than one cluster is found at level .05, whether there is no answer, and what peers say."""
    rng = np.random.default_rng([ONE_SEED, seed])
    X = in_range(kind, add_groups(noise(kind, rng, ROWS, 20), rng, delta, 6 if delta else 0))
    batch = _batches(ROWS) if kind == "batches" else None
    with on_one_thread(), quietly():
        model = SKFR(2, 6, init="screened", n_init=2, standardize=True)
        # Groups in answers and counts are beyond the factor, or the totals of the rows.
        options = {"n_null": 19, "n_factors": int(kind in ITEMS), "random_state": seed, "batch": batch}
        found = inference.test_one_cluster(X, model, (2, 3), **options)
        peers = peer_answers(X - batch_means(X, batch), kind, seed)
    return found.p_value <= 0.05, found.refused, *peers


def run_one(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Share of data sets in which more than one cluster is found, without groups and with three."""
    rows = []
    for kind, delta in ONE_DESIGNS:
        found = Parallel(n_jobs=n_jobs)(
            delayed(_clusters_found)(kind, delta, seed) for seed in range(n_samples)
        )
        shares = dict(zip(("more_than_one", "refused", *PEERS), np.mean(found, axis=0), strict=True))
        rows.append({"noise": kind, "delta": delta, "data_sets": n_samples} | shares)
    return pd.DataFrame(rows)


FDR_DESIGNS = (
    *(
        (kind, 0.0, 0)
        for kind in ("normal", "blocks", "t4", "exponential", "counts", *ITEMS, "mixed", *UNLIKE)
    ),
    *(("normal", delta, true) for delta, true in ((1.0, 20), (1.5, 5), (1.5, 20), (1.5, 60))),
    *((kind, delta, 20) for kind, delta in (("blocks", 1.0), ("blocks", 2.0), ("t4", 1.5), ("holes", 1.5))),
    *((kind, delta, 20) for kind, delta in (("exponential", 1.5), ("counts", 4.0), ("row scales", 1.5))),
)
"""Noise, distance of the groups, and number of features in which they differ."""
FDR_ROWS, FDR_COLUMNS, LEVEL, FDR_SEED = 90, 200, 0.1, 59


def _rates(kind: str, delta: float, true: int, seed: int) -> tuple[float, float]:
    """Share of false ones among the selected features, and share of the true ones that are selected."""
    rng = np.random.default_rng([FDR_SEED, seed])
    X = noise(kind, rng, FDR_ROWS, FDR_COLUMNS)
    order = rng.permutation(FDR_COLUMNS)  # so that true features lie in different blocks
    X = in_range(kind, add_groups(X[:, order], rng, delta, true))
    with on_one_thread(), quietly():
        model = FeatureFDR(
            SKFR(3, 40, init="screened", n_init=5, standardize=True), LEVEL, n_null=9, random_state=seed
        ).fit(X)
    mask = model.get_support()
    false = mask[true:].sum() / max(1, mask.sum())
    return float(false), float(mask[:true].mean()) if true else np.nan


def run_fdr(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """False discovery rate and power of FeatureFDR at the level .1."""
    rows = []
    for kind, delta, true in FDR_DESIGNS:
        found = Parallel(n_jobs=n_jobs)(delayed(_rates)(kind, delta, true, seed) for seed in range(n_samples))
        false, power = np.array(found).T
        row = {"noise": kind, "delta": delta, "true": true, "data_sets": n_samples, "fdr": false.mean()}
        row |= {"fdr_se": false.std(ddof=1) / np.sqrt(n_samples), "power": power.mean()}
        rows.append(row)
    return pd.DataFrame(rows)


Write = Callable[[pd.DataFrame], str]


def _share(value: Any) -> str:
    """A share with two or three digits, empty for NaN."""
    return "" if pd.isna(value) else f"{value:.3f}".removeprefix("0")


def _level(row: pd.Series) -> str:
    """The share of p-values below .05, and the shares of sets that warn or refuse, where some do."""
    text = _share(row["below_0.05"]) or "-"
    if row["refused"] > 0:
        text += f", NaN {row['refused']:.0%}"
    return text + (f", warns {row['warned']:.0%}" if row.get("warned", 0) > 0 else "")


def robust_table(frame: pd.DataFrame) -> str:
    """Levels by method and noise in Markdown, with the share of sets that warn or refuse."""
    cells = frame.assign(cell=frame.apply(_level, axis=1)).pivot(
        index="method", columns="noise", values="cell"
    )
    kinds = [kind for kind in NOISES if kind in cells]
    lines = ["| test | " + " | ".join(kinds) + " |", "|---|" + "---|" * len(kinds)]
    lines += [f"| {m} | " + " | ".join(cells.loc[m, kinds]) + " |" for m in METHODS if m in cells.index]
    return "\n".join(lines) + f"\n\n{frame['data_sets'].iloc[0]} sets a cell, without groups."


def call_table(frame: pd.DataFrame) -> str:
    """Shares of p-values below .05 by method and noise, a column for each design, in Markdown."""
    designs = list(dict.fromkeys(zip(frame["noise"], frame["delta"], strict=True)))
    heads = [f"{delta:g} apart" if delta else f"no groups, {kind}" for kind, delta in designs]
    lines = ["| test | `sigma` | " + " | ".join(heads) + " |", "|---|---|" + "---|" * len(heads)]
    for (method, sigma), part in frame.groupby(["method", "sigma"], sort=False):
        lines.append(f"| {method} | {sigma} | " + " | ".join(part.apply(_level, axis=1)) + " |")
    return "\n".join(lines) + f"\n\n{frame['data_sets'].iloc[0]} sets a cell."


def rows_table(frame: pd.DataFrame, names: dict[str, str]) -> str:
    """The rows in Markdown, columns renamed; shares without the leading 0."""
    lines = ["| " + " | ".join(names.values()) + " |", "|" + "---|" * len(names)]
    for row in frame.to_dict("records"):
        cells = [row[name] for name in names]
        lines.append(
            "| " + " | ".join(_cell(name, value) for name, value in zip(names, cells, strict=True)) + " |"
        )
    return "\n".join(lines) + f"\n\n{frame['data_sets'].iloc[0]} sets a row."


def _cell(name: str, value: Any) -> str:
    """A cell of `rows_table`."""
    if isinstance(value, str):
        return value
    return f"{value:g}" if name in ("delta", "true") else _share(value)


one_table = partial(
    rows_table,
    names={
        "noise": "noise",
        "delta": "groups apart by",
        "more_than_one": "more than one found",
        "refused": "no answer",
        "sigclust": "SigClust",
        "mixtures": "mixtures",
        "classes": "latent classes",
    },
)
fdr_table = partial(
    rows_table,
    names={
        "noise": "noise",
        "delta": "groups apart by",
        "true": "true features",
        "fdr": "false discovery rate",
        "fdr_se": "its standard error",
        "power": "power",
    },
)
