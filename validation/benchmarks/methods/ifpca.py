"""Time IFPCA and SpectralGEM at the sizes of the gene expression sets, and measure the memory of a fit.

Run with ``python validation/benchmarks/methods/ifpca.py [--repeats 3]``. Random data of the sets' sizes, one
BLAS thread; columns: the first fit, which draws the null scores (with one and with two threads), a fit that
reads them from disk, and SpectralGEM. Fits are interleaved; medians. The target is 4 s for the first fit at
42 x 5597 with two threads. Memory is the peak allocation of a fit plus the data, divided by the size of the
data, with null scores on disk and with all or few features selected. With ``--published`` and the folder of
data in SPARSEK_DATA: numbers of features and errors of several seeds beside the printed ones.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import IFPCA, SpectralGEM
from sparsek.datasets import fetch_microarray
from sparsek.metrics import misclassification_error

SIZES = {"colon": (62, 2000), "brain": (42, 5597), "leukemia": (72, 3571), "prostate": (102, 6033)}
TARGET = {"brain": 4.0}
# As printed: clusters; features and errors of IF-HCT-PCA; error of SpecGem.
PRINTED = {
    "brain": (5, 453, 0.262, 0.143),
    "colon": (2, 25, 0.403, 0.484),
    "leukemia": (2, 213, 0.069, 0.292),
    "lung1": (2, 251, 0.033, 0.122),
    "lymphoma": (3, 44, 0.065, 0.226),
    "prostate": (2, 1551, 0.382, 0.422),
    "srbct": (4, 52, 0.444, 0.508),
}


def seconds(call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def times(name: str, repeats: int, folder: Path) -> str:
    X = np.random.default_rng(0).normal(size=SIZES[name])
    kept = IFPCA(3, cache=folder).fit(X)
    calls = {
        "one": lambda: IFPCA(3, cache=False).fit(X),
        "two": lambda: IFPCA(3, cache=False, n_jobs=2).fit(X),
        "kept": lambda: kept.fit(X),
        "gem": lambda: SpectralGEM(3).fit(X),
    }
    spent = np.array([[seconds(call) for call in calls.values()] for _ in range(repeats)])
    one, two, again, gem = np.median(spent, axis=0)
    target = f"{TARGET[name]:.1f} s" if name in TARGET else ""
    return f"{name:>9} {SIZES[name]!s:>12} {one:8.2f} {two:8.2f} {again:8.3f} {gem:8.3f} {target:>7}"


def memory(name: str, folder: Path) -> str:
    X = np.random.default_rng(0).normal(size=SIZES[name])
    models = [IFPCA(3, cache=folder), IFPCA(3, cache=folder, pval_cut=0.6), SpectralGEM(3)]
    ratios = []
    for model in models:
        tracemalloc.start()
        model.fit(X)
        ratios.append(1 + tracemalloc.get_traced_memory()[1] / X.nbytes)
        tracemalloc.stop()
    return f"{name:>9} {SIZES[name]!s:>12}" + "".join(f"{ratio:10.2f}" for ratio in ratios)


def published(name: str, seeds: int, folder: Path) -> str:
    n_clusters, features, error, gem_error = PRINTED[name]
    X, target = fetch_microarray(name, download_if_missing=False, return_X_y=True)
    fits = [
        IFPCA(n_clusters, null_seed=s, random_state=s, cache=folder, n_jobs=2).fit(X) for s in range(seeds)
    ]
    found = " ".join(f"{m.hc_index_}/{misclassification_error(target, m.labels_):.3f}" for m in fits)
    gem = misclassification_error(target, SpectralGEM(n_clusters, random_state=0).fit_predict(X))
    return (
        f"{name:>9} printed {features}/{error:.3f}, here {found}; SpecGem printed {gem_error}, here {gem:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--published", type=int, default=0, metavar="SEEDS")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        for name in PRINTED if options.published else ():
            print(published(name, options.published, folder), flush=True)
        print("seconds of a fit: null scores drawn with one thread, with two, kept on disk; SpectralGEM")
        for name in SIZES:
            print(times(name, options.repeats, folder), flush=True)
        print("memory over that of the data: IFPCA, with all features selected, SpectralGEM")
        for name in SIZES:
            print(memory(name, folder), flush=True)


if __name__ == "__main__":
    main()
