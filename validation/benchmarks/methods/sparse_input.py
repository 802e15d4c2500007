"""Time and memory of SKFR and SparseKMeans on sparse word counts, against the counts as a dense array.

Run with ``python validation/benchmarks/methods/sparse_input.py [--repeats 3] [--large]``. Documents of 20
topics, with word frequencies after Zipf's law, in the shape of BASEHOCK (1993 x 4862) and, with ``--large``,
of the 20 newsgroups (11314 x 130107), whose dense form would take 11.8 GB and is not made. One BLAS thread;
fits from the same default starts, interleaved, medians; labels are compared. Memory: peak allocation of a
fit, traced in a separate run, divided by the size of the sparse matrix and of the dense array.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import SKFR, SparseKMeans

SHAPES = {"BASEHOCK-like": (1993, 4862, 2, 70), "20-newsgroups-like": (11314, 130_107, 20, 160)}
"""Documents, words, topics, words per document."""
N_SELECTED, N_INIT = 200, 5


def word_counts(n: int, p: int, k: int, length: int, seed: int = 0) -> sp.csr_array:
    """log(1 + count) of documents whose words follow Zipf's law; each topic has 60 words of its own."""
    rng = np.random.default_rng(seed)
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
    X = sp.coo_array(entries, shape=(n, p)).tocsr()
    X.sum_duplicates()
    X.data = np.log1p(X.data)
    return X


def estimators(k: int) -> dict[str, Any]:
    return {
        "SKFR": lambda: SKFR(k, N_SELECTED, n_init=N_INIT, random_state=0),
        "SparseKMeans": lambda: SparseKMeans(k, l1_bound=8.0, n_init=N_INIT, random_state=0),
    }


def seconds(make: Any, X: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    model = make().fit(X)
    return time.perf_counter() - begin, model


def peak(make: Any, X: Any) -> float:
    tracemalloc.start()
    make().fit(X)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def n_bytes(X: sp.csr_array) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def compare(name: str, repeats: int) -> None:
    n, p, k, length = SHAPES[name]
    X = word_counts(n, p, k, length)
    dense = X.toarray() if n * p <= 2e7 else None
    print(f"{name}: {n} x {p}, {X.nnz / n / p:.2%} not zero, {n_bytes(X) / 1e6:.0f} MB sparse, ", end="")
    print(f"{8 * n * p / 1e6:.0f} MB dense")
    for method, make in estimators(k).items():
        spent: dict[str, list[float]] = {"sparse": [], "dense": []}
        models = {}
        for _ in range(repeats):
            for form, data in (("sparse", X), ("dense", dense)):
                if data is not None:
                    time_taken, models[form] = seconds(make, data)
                    spent[form].append(time_taken)
        line = f"{method:>13}  sparse {np.median(spent['sparse']):7.2f} s"
        memory = f"  peak {peak(make, X) / 1e6:6.0f} MB"
        if dense is not None:
            same = np.array_equal(models["sparse"].labels_, models["dense"].labels_)
            line += f"  dense {np.median(spent['dense']):7.2f} s"
            line += f"  ratio {np.median(np.array(spent['sparse']) / spent['dense']):5.2f}"
            line += f"  labels {'equal' if same else 'differ'}"
            memory += f" (dense {peak(make, dense) / 1e6:.0f} MB)"
        print(line + memory, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="the shape of the 20 newsgroups too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print("BLAS:", [(info["internal_api"], info["num_threads"]) for info in threadpool_info()])
        for name in SHAPES if options.large else ("BASEHOCK-like",):
            compare(name, options.repeats)


if __name__ == "__main__":
    main()
