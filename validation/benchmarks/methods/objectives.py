"""Compare the criteria that our estimators reach with those of other packages on 30 sets, and our options.

Run with ``python validation/benchmarks/methods/objectives.py peers [--seeds 5] [--n-init 10] [--sets WORD]``.
Both sides get the same columns, scaled to unit variance, the same number of clusters and of starts, and one
function here computes the criterion from the labels of both. For sparse k-means the weights are the best ones
for the labels under the same bound. For k-POD every eighth entry is missing; for COP-KMeans there are n / 2
true pairs. The mean over the seeds of ours is compared with the mean of theirs: "worse" and "better" are
beyond 1e-9 relative, and in the second count also beyond the Monte Carlo error of the starts (Welch's t test,
5 percent).

``objectives.py choices`` compares our options: greedy k-means++ against plain with as many starts as fit in
the same time, and ``refine=True`` against False, with times of the processor.

Packages and data sets that are not here are counted and named. Real sets come from scikit-learn and from
`sparsek.datasets` (set SPARSEK_DATA or let them download); pysparcl, active-semi-supervised-clustering, kPOD,
tslearn and sparcl (R, rpy2) are called where they can be imported. clustpy has no method with one of these
criteria: its k-means is scikit-learn's.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_ind
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine
from threadpoolctl import threadpool_limits

from r_reference import bridge
from sparsek import SKFR, COPKMeans, KPod, PairwiseConstraints, SparseKMeans, datasets
from sparsek.core.weights import l1_weights

EQUAL = 1e-9
"""Relative differences up to this one are rounding."""
LEVEL = 0.05
"""Level of the test that tells a difference from the Monte Carlo error of the starts."""
FETCHED = ["ecoli", "glass", "newthyroid", "zoo", "libras", "vehicle", "synthetic_control", "trace"]
FETCHED += ["yale", "warp_ar10p", "warp_pie10p", "breast_cancer_wisconsin"]
MICROARRAYS = ["brain", "colon", "leukemia", "lymphoma", "srbct"]
Fit = Callable[..., np.ndarray]


class Sample(NamedTuple):
    """One set: standardised rows, classes, number of clusters, and what the tasks add."""

    X: np.ndarray
    y: np.ndarray
    k: int
    bound: float
    holes: np.ndarray
    pairs: PairwiseConstraints


def sample_of(X: np.ndarray, y: np.ndarray) -> Sample:
    """Complete varying columns at unit variance, with holes and pairs from a fixed seed."""
    X = X[:, np.isfinite(X).all(axis=0)]
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    holes = rng.random(X.shape) < 1 / 8
    holes[holes.all(axis=1)] = False
    chosen = rng.integers(len(X), size=(len(X) // 2, 2))
    chosen = chosen[chosen[:, 0] != chosen[:, 1]]
    same = y[chosen[:, 0]] == y[chosen[:, 1]]
    pairs = PairwiseConstraints(len(X), chosen[same], chosen[~same])
    return Sample(X, y, len(np.unique(y)), max(1.1, 0.4 * X.shape[1] ** 0.5), holes, pairs)


def groups(n: int, p: int, k: int, q: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal groups that differ in q of p columns."""
    rng = np.random.default_rng([n, p, k])
    y = np.arange(n) % k
    X = rng.standard_normal((n, p))
    X[:, :q] += apart * rng.standard_normal((k, q))[y]
    return X, y


def loaders() -> dict[str, Callable[[], Any]]:
    """What makes data and classes of each set, by name."""
    found: dict[str, Callable[[], Any]] = {
        "iris": partial(load_iris, return_X_y=True),
        "wine": partial(load_wine, return_X_y=True),
        "wdbc": partial(datasets.load_wdbc, return_X_y=True),
        "digits": partial(load_digits, return_X_y=True),
    }
    for name in FETCHED:
        found[name] = partial(getattr(datasets, f"fetch_{name}"), return_X_y=True)
    for name in MICROARRAYS:
        found[name] = partial(datasets.fetch_microarray, name, return_X_y=True)
    shapes = [(150, 10, 3, 5, 1.5), (300, 20, 6, 20, 0.7), (500, 50, 10, 10, 2.0), (1000, 5, 8, 5, 2.0)]
    shapes += [(60, 1000, 4, 50, 1.0), (100, 500, 5, 500, 0.2), (200, 30, 15, 30, 1.0)]
    for shape in shapes:
        found["groups " + "x".join(map(str, shape[:3]))] = partial(groups, *shape)
    found["noise 200x20x5"] = partial(groups, 200, 20, 5, 0, 0.0)
    found["brodinova"] = lambda: _pair(datasets.make_brodinova(random_state=0))
    return found


def _pair(bunch: Any) -> tuple[np.ndarray, np.ndarray]:
    return bunch.data, bunch.target


def samples(words: list[str]) -> dict[str, Sample]:
    """The sets whose names contain one of the words (all without words); absent ones are named."""
    found, missing = {}, []
    for name, load in loaders().items():
        if words and not any(word in name for word in words):
            continue
        try:
            X, y = load()
        except datasets.DatasetError as error:
            missing.append(f"{name} ({str(error).splitlines()[0]})")
            continue
        found[name] = sample_of(np.asarray(X, dtype=float), np.unique(y, return_inverse=True)[1])
    print(
        f"{len(found)} sets; {len(missing)} missing{': ' if missing else ''}{'; '.join(missing)}", flush=True
    )
    return found


def between(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Between-cluster sum of squares of each centred column."""
    codes = np.unique(labels, return_inverse=True)[1]
    one_hot = np.eye(codes.max() + 1)[codes]
    return ((one_hot.T @ (X - X.mean(axis=0))) ** 2 / one_hot.sum(axis=0)[:, None]).sum(axis=0)


def within(sample: Sample, labels: np.ndarray) -> float:
    """Sum of squares within clusters."""
    return float((sample.X**2).sum() - between(sample.X, labels).sum())


def unexplained(sample: Sample, labels: np.ndarray) -> float:
    """-sum_j w_j BCSS_j under the best weights for the labels within the bound."""
    found = between(sample.X, labels)
    return -float(l1_weights(found, sample.bound) @ found)


def within_observed(sample: Sample, labels: np.ndarray) -> float:
    """Sum of squares within clusters over the observed entries."""
    X = np.where(sample.holes, np.nan, sample.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a cluster without an observed entry of a column
        parts = [np.nansum((X[labels == c] - np.nanmean(X[labels == c], axis=0)) ** 2) for c in set(labels)]
    return float(sum(parts))


def within_feasible(sample: Sample, labels: np.ndarray) -> float:
    """Sum of squares within clusters; an error if a constraint is violated."""
    ml, cl = labels[sample.pairs.must_link], labels[sample.pairs.cannot_link]
    if (ml[:, 0] != ml[:, 1]).any() or (cl[:, 0] == cl[:, 1]).any():
        raise ValueError("a constraint is violated")
    return within(sample, labels)


def best_of_runs(run: Callable[[], np.ndarray], cost: Fit, sample: Sample, seed: int, n_init: int) -> Any:
    """The best labels of `n_init` runs of a package that has no restarts; failed runs are left out."""
    np.random.seed(seed)  # noqa: NPY002  their only source of randomness
    tried, error = [], None
    for _ in range(n_init):
        try:
            labels = np.asarray(run())
            tried.append((cost(sample, labels), labels))
        except Exception as failed:  # any error is a failed run of theirs
            error = failed
    if not tried:
        raise RuntimeError(f"every run failed: {error!r}")
    return min(tried, key=lambda pair: pair[0])[1]


def sklearn_kmeans(s: Sample, seed: int, n_init: int) -> np.ndarray:
    return KMeans(s.k, n_init=n_init, random_state=seed).fit(s.X).labels_


def tslearn_kmeans(s: Sample, seed: int, n_init: int) -> np.ndarray:
    model = importlib.import_module("tslearn.clustering").TimeSeriesKMeans
    fitted = model(s.k, metric="euclidean", n_init=n_init, max_iter=300, random_state=seed)
    return fitted.fit(s.X[:, :, None]).labels_


def sparcl(s: Sample, seed: int, n_init: int) -> np.ndarray:
    case = {"function": "KMeansSparseCluster", "package": "sparcl", "seed": seed}
    case |= {"sample_kind": "Rejection", "before": 0}
    args = {"x": s.X, "K": s.k, "wbounds": s.bound, "nstart": n_init}
    outcome = bridge.run_case(case, args)
    if outcome["error"] is not None:
        raise RuntimeError(outcome["error"])
    return outcome["value"]["1$Cs"].astype(int)


def pysparcl(s: Sample, seed: int, n_init: int) -> np.ndarray:
    np.random.seed(seed)  # noqa: NPY002  its only source of randomness
    kmeans = importlib.import_module("pysparcl.cluster").kmeans
    return np.asarray(kmeans(s.X, k=s.k, wbounds=s.bound, n_init=n_init)[0]["cs"])


def kpod(s: Sample, seed: int, n_init: int) -> np.ndarray:
    k_pod, X = importlib.import_module("kPOD").k_pod, np.where(s.holes, np.nan, s.X)
    return best_of_runs(lambda: k_pod(X.copy(), s.k)[0], within_observed, s, seed, n_init)


def active(s: Sample, seed: int, n_init: int) -> np.ndarray:
    name = "active_semi_clustering.semi_supervised.pairwise_constraints"
    model = importlib.import_module(name).COPKMeans
    ml, cl = (list(map(tuple, q.tolist())) for q in (s.pairs.must_link, s.pairs.cannot_link))

    def run() -> np.ndarray:
        return model(n_clusters=s.k).fit(s.X, ml=ml, cl=cl).labels_

    return best_of_runs(run, within_feasible, s, seed, n_init)


def our_kmeans(s: Sample, seed: int, n_init: int, **options: Any) -> np.ndarray:
    return (
        SKFR(s.k, s.X.shape[1], n_init=n_init, random_state=seed, **options, standardize=True)
        .fit(s.X)
        .labels_
    )


def our_skfr(s: Sample, seed: int, n_init: int, **options: Any) -> np.ndarray:
    return SKFR(s.k, 0.5, n_init=n_init, random_state=seed, **options, standardize=True).fit(s.X).labels_


def our_sparse(s: Sample, seed: int, n_init: int, **options: Any) -> np.ndarray:
    model = SparseKMeans(
        s.k, l1_bound=s.bound, n_init=n_init, random_state=seed, **options, standardize=False
    )
    return model.fit(s.X).labels_


def our_kpod(s: Sample, seed: int, n_init: int, **options: Any) -> np.ndarray:
    X = np.where(s.holes, np.nan, s.X)
    return KPod(s.k, n_init=n_init, random_state=seed, **options).fit(X).labels_


def our_cop(s: Sample, seed: int, n_init: int, **options: Any) -> np.ndarray:
    return (
        COPKMeans(s.k, n_init=n_init, random_state=seed, **options).fit(s.X, **s.pairs.fit_params()).labels_
    )


def ranked(s: Sample, labels: np.ndarray) -> float:
    """Criterion of SKFR with half of the features."""
    found = np.sort(between(s.X, labels))[::-1]
    return float((s.X**2).sum() - found[: max(1, s.X.shape[1] // 2)].sum())


REFINED = {"refine": True}
GREEDY = {"init": "greedy-k-means++", "refine": True}
PEERS: dict[str, tuple[Fit, Fit, Fit, tuple[dict[str, Any], ...]]] = {
    "scikit-learn": (sklearn_kmeans, our_kmeans, within, ({}, REFINED, GREEDY)),
    "tslearn": (tslearn_kmeans, our_kmeans, within, ({}, REFINED)),
    "sparcl": (sparcl, our_sparse, unexplained, ({}, REFINED)),
    "pysparcl": (pysparcl, our_sparse, unexplained, ({}, REFINED)),
    "kPOD": (kpod, our_kpod, within_observed, ({},)),
    "active-semi-supervised": (active, our_cop, within_feasible, ({}, {"anchor": "mean"})),
}
"""Their fit, ours, the criterion, and our options, by package."""
CHOICES: dict[str, tuple[Fit, Fit, tuple[str, str]]] = {
    "SKFR, s = p": (our_kmeans, within, ("screened", "greedy-screened")),
    "SKFR, s = p / 2": (our_skfr, ranked, ("screened", "greedy-screened")),
    "SparseKMeans": (our_sparse, unexplained, ("k-means++", "greedy-k-means++")),
    "KPod": (our_kpod, within_observed, ("k-means++", "greedy-k-means++")),
    "COPKMeans": (our_cop, within_feasible, ("k-means++", "greedy-k-means++")),
}
"""Our fit, its criterion, and its plain and greedy starts."""


def present(name: str) -> str:
    """Why a package cannot be called; empty if it can."""
    if name == "sparcl":
        return bridge.available("sparcl")[1]
    module = {"scikit-learn": "sklearn", "active-semi-supervised": "active_semi_clustering"}.get(name, name)
    try:
        importlib.import_module(module)
    except ImportError as error:
        return str(error)
    return ""


def costs(fit: Fit, cost: Fit, sample: Sample, seeds: int, n_init: int) -> tuple[np.ndarray, float]:
    """Criterion under every seed, and the time of the processor per fit."""
    begin = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # some packages report on every run
        found = [fit(sample, seed, n_init) for seed in range(seeds)]
    spent = (time.process_time() - begin) / seeds
    return np.array([cost(sample, labels) for labels in found]), spent


def compared(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, int, int]:
    """Relative difference of the means, and its sign beyond rounding and beyond Monte Carlo error."""
    difference = float((ours.mean() - theirs.mean()) / max(abs(theirs.mean()), np.finfo(float).tiny))
    sign = 0 if abs(difference) <= EQUAL else int(np.sign(difference))
    if sign == 0 or (np.ptp(ours) == 0 and np.ptp(theirs) == 0):
        return difference, sign, sign
    return difference, sign, sign if ttest_ind(ours, theirs, equal_var=False).pvalue < LEVEL else 0


def counted(rows: list[Any], column: int) -> str:
    """Worse / equal / better."""
    signs = [row[column] for row in rows]
    return f"{signs.count(1)} / {signs.count(0)} / {signs.count(-1)}"


def show_peers(sets: dict[str, Sample], names: list[str], seeds: int, n_init: int, verbose: bool) -> None:
    print(f"worse / equal / better than each package; {n_init} starts, means of {seeds} seeds")
    print(f"{'package':>24} {'sets':>5} {'beyond 1e-9':>14} {'beyond error':>14} {'time':>6}")
    for name in names:
        reason = present(name)
        if reason:
            print(f"{name:>24}     0 missing: {reason}", flush=True)
            continue
        theirs, ours, cost, variants = PEERS[name]
        rows: list[list[tuple[Any, ...]]] = [[] for _ in variants]
        failed = []
        for label, sample in sets.items():
            try:
                a, spent = costs(theirs, cost, sample, seeds, n_init)
                own = [costs(partial(ours, **some), cost, sample, seeds, n_init) for some in variants]
            except Exception as error:  # a failure of either side is counted and named
                failed.append(f"{label} ({type(error).__name__}: {str(error)[:60]})")
                continue
            for found, (b, longer) in zip(rows, own, strict=True):
                found.append((*compared(b, a), label, longer / spent))
            if verbose:
                print(f"  {label:>22}", *(f"{row[-1][0]:+10.2e}" for row in rows), flush=True)
        for options, found in zip(variants, rows, strict=True):
            print(line(name, options, found), flush=True)
        print(f"{'':>24} {len(failed)} failed{': ' if failed else ''}{'; '.join(failed)}", flush=True)


def line(name: str, options: dict[str, Any], found: list[tuple[Any, ...]]) -> str:
    """The counts of one package under our options, and the sets on which ours is worse beyond error."""
    ratio = np.median([row[4] for row in found]) if found else np.nan
    worse = ", ".join(f"{row[3]} {row[0]:+.1e}" for row in found if row[2] == 1)
    text = ", ".join(f"{key}={value!r}" for key, value in options.items()) or "defaults"
    counts = f"{counted(found, 1):>14} {counted(found, 2):>14}"
    return f"{name:>24} {len(found):5d} {counts} {ratio:6.2f}  {text}; worse: {worse or 'none'}"


def show_choices(sets: dict[str, Sample], names: list[str], seeds: int, n_init: int, verbose: bool) -> None:
    print(f"greedy against plain starts at equal time ({n_init} plain starts), and refine=True against False")
    for name in names:
        fit, cost, (plain, greedy) = CHOICES[name]
        found: dict[str, list[Any]] = {"greedy": [], "refine": []}
        falls, slower = [], []
        off = {"refine": False} if name.startswith("S") else {}
        for label, sample in sets.items():
            try:
                base, spent = costs(partial(fit, init=plain, **off), cost, sample, seeds, n_init)
                each = costs(partial(fit, init=greedy, **off), cost, sample, 1, n_init)[1]
                starts = max(1, min(n_init, round(n_init * spent / each)))
                found["greedy"].append(
                    compared(costs(partial(fit, init=greedy, **off), cost, sample, seeds, starts)[0], base)
                )
            except Exception as error:  # counted and named
                print(f"  {label}: {type(error).__name__}: {str(error)[:80]}")
                continue
            if off:
                moved, longer = costs(partial(fit, init=plain, refine=True), cost, sample, seeds, n_init)
                found["refine"].append(compared(moved, base))
                falls.append(-found["refine"][-1][0])
                slower.append(longer / spent)
            if verbose:
                text = " ".join(f"{key} {rows[-1][0]:+.2e}" for key, rows in found.items() if rows)
                print(f"  {label:>22} {text} starts {starts} {slower[-1:]}", flush=True)
        for key, rows in found.items():
            if rows:
                print(f"{name:>18} {key:>7} {counted(rows, 1):>14} {counted(rows, 2):>14}", flush=True)
        if falls:
            share, median = np.mean(np.array(falls) > 0.005), np.median(slower)
            print(f"{name:>18} refine: falls by over .5 % on {share:.0%} of the sets; time x {median:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["peers", "choices"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--n-init", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=[], help="words that the names of the sets contain")
    parser.add_argument("--only", nargs="*", default=[], help="words that the names of packages contain")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    show, table = (show_peers, PEERS) if options.what == "peers" else (show_choices, CHOICES)
    names = [name for name in table if not options.only or any(word in name for word in options.only)]
    with threadpool_limits(1):
        show(samples(options.sets), names, options.seeds, options.n_init, options.verbose)


if __name__ == "__main__":
    main()
