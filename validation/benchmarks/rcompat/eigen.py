"""How often ``rcompat.eigen`` and scipy's dsyevr have the signs and bits of R's ``eigen``.

The matrices are covariances of random data.
Run with ``python validation/benchmarks/rcompat/eigen.py [--matrices 2000] [--seed 1]``; R and rpy2 must be
there. It also prints how many of the vectors whose sign scipy's BLAS changes carry our warning.
"""

import argparse
import warnings
from collections import Counter

import numpy as np
from scipy.linalg import lapack

from r_reference import bridge
from sparsek import rcompat
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen
from sparsek.errors import BlasDependentWarning

SETTING = {"function": "eigen", "package": "base", "seed": 1, "sample_kind": "Rejection", "before": 0}
"""The call in R."""


def covariances(draws: np.random.Generator) -> np.ndarray:
    """Covariances of 2 to 80 columns with deviations of many sizes; some have fewer rows than columns."""
    n, p = int(draws.integers(2, 120)), int(draws.integers(2, draws.choice([8, 20, 80])))
    x = draws.normal(size=(n, p)) * np.exp(draws.normal(size=p))
    return np.asarray(rcompat.var(x))


def same_signs(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Which columns have the sign and the direction of R's."""
    return (ours * theirs).sum(axis=0) > 0.999


def count(matrices: int, seed: int) -> Counter[str]:
    """Counts over random matrices."""
    draws, found = np.random.default_rng(seed), Counter[str]()
    for _ in range(matrices):
        a = covariances(draws)
        theirs = bridge.run_case(SETTING, {"x": a})["value"]
        ours = symmetric_eigen(a)
        scipy_vectors = lapack.dsyevr(a, range="A", lower=1, abstol=0.0)[1][:, ::-1]
        turned = np.flatnonzero(~same_signs(scipy_vectors, theirs["vectors"]))
        found["matrices"] += 1
        found["vectors"] += len(a)
        found["our matrices with all bits"] += int(
            np.array_equal(ours.vectors, theirs["vectors"]) and np.array_equal(ours.values, theirs["values"])
        )
        found["our vectors with the sign"] += int(same_signs(ours.vectors, theirs["vectors"]).sum())
        found["scipy's matrices with all bits"] += int(np.array_equal(scipy_vectors, theirs["vectors"]))
        found["scipy's vectors with another sign or direction"] += len(turned)
        found["of these, vectors that we warn of"] += len(np.intersect1d(turned, ours.unsettled))
        found["matrices where scipy differs"] += int(len(turned) > 0)
        found["of these, matrices without our warning"] += int(len(turned) > 0 and not len(ours.unsettled))
        found["vectors that we warn of"] += len(ours.unsettled)
    return found


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matrices", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BlasDependentWarning)
        for name, number in count(options.matrices, options.seed).items():
            print(f"{name:<50} {number}")


if __name__ == "__main__":
    main()
