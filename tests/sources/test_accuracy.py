"""Centres and distances of SKFR and SparseKMeans against exact fractions, wherever the data lie."""

import math
import re
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

from sparsek import SKFR, SparseKMeans

K, N, P, INFORMATIVE = 3, 60, 8, 5
"""Numbers of clusters, rows, columns, and columns in which the groups differ, which come first."""


class Errors(NamedTuple):
    """Largest errors, in standard deviations of the columns: of centres, and of distances by fit."""

    centers: float
    skfr: float
    sparse: float


# Behind the bounds stand the errors that were measured, the same for all sources and both engines.
BOUNDS = {
    # Standardised entries lie below 4. Each is rounded to a multiple of 4 * 2^-44, so by 1.14e-13 at most. A
    # mean errs by no more than its terms. A distance in five columns errs by at most sqrt(5) times the errors
    # of the row and the centre.
    "offset 0": Errors(1.2e-13, 5.2e-13, 5.2e-13),  # 1.9e-14, 1.1e-13, 6.5e-14
    "scales": Errors(1.2e-13, 5.2e-13, 5.2e-13),  # 1.9e-14, 1.1e-13, 6.5e-14
    # A centre in the units of X is rounded by half the spacing of doubles there: 5.7e-14 at 1000. Distances
    # are those of differences from the mean, and do not depend on the offset.
    "offset 1e3": Errors(1.8e-13, 5.2e-13, 5.2e-13),  # 6.2e-14, 1.1e-13, 6.8e-14
    "offset 1e6": Errors(5.9e-11, 5.2e-13, 5.2e-13),  # 5.2e-11, 1.3e-13, 7.3e-14
    "offset 1e9": Errors(6.0e-8, 5.2e-13, 5.2e-13),  # 5.9e-8, 1.3e-13, 8.9e-14
    "scales, offset 1e6": Errors(1.2e-10, 5.2e-13, 5.2e-13),  # 7.7e-11, 1.2e-13, 8.1e-14
    # The mean from which differences are taken is rounded too, by up to e = 6.1e-5. Gains so err by n e^2.
    # The weights of SparseKMeans follow from gains, and its distances err by up to 8 e^2.
    "offset 1e12": Errors(6.2e-5, 5.2e-13, 3.0e-8),  # 6.1e-5, 1.3e-13, 1.2e-8
    # The outlier lies 7.6 standard deviations from the mean. Entries lie below 8, and twice as much is lost.
    "outlier": Errors(2.4e-13, 1.1e-12, 1.1e-12),  # 1.7e-13, 2.6e-13, 1.8e-13
    # Two roundings to 24 bits of entries below 4. With the offset e = 3.9e-3, half the spacing of numbers of
    # single precision.
    "float32, offset 0": Errors(2.4e-7, 1.1e-6, 1.1e-6),  # 1.3e-7, 3.1e-7, 3.0e-7
    "float32, offset 1e5": Errors(4.0e-3, 1.1e-6, 1.3e-4),  # 3.9e-3, 3.0e-7, 5.9e-5
}


def make_rows(case: str) -> tuple[Any, Any]:
    """Rows of groups so far apart that their labels stay, and these labels."""
    rng = np.random.default_rng(0)
    labels = np.arange(N) % K
    if case == "outlier":
        labels = np.append(2, labels[1:] % 2)
    X = rng.normal(size=(N, P))
    X[:, :INFORMATIVE] += 12 * np.linalg.qr(rng.normal(size=(INFORMATIVE, K)))[0].T[labels]
    X /= X.std(axis=0)
    if "offset" in case:
        X += float(case.split()[-1])
    if "scales" in case:
        X *= np.logspace(-8, 8, P)
    if case == "outlier":
        X[0, :2] = 1e6
    return X.astype(np.float32 if "float32" in case else np.float64), labels


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


class Exact(NamedTuple):
    """What a fit would give in exact arithmetic: centres, standard deviations of the columns, distances."""

    centers: list[list[Fraction]]
    spreads: list[float]
    distances: np.ndarray


@lru_cache
def exact(case: str, fit: str) -> Exact:
    """The exact answer: each column with its factor in the distance, 1 or 0 for SKFR, else by its gain."""
    X, labels = make_rows(case)
    columns = [[Fraction(float(x)) for x in column] for column in X.T]
    members = [np.flatnonzero(labels == k).tolist() for k in range(K)]
    means = [mean(column) for column in columns]
    variances = [
        sum((x - m) ** 2 for x in column) / Fraction(N - 1) for column, m in zip(columns, means, strict=True)
    ]
    centers = [[mean([column[i] for i in rows]) for column in columns] for rows in members]
    if fit == "SKFR":
        factors = [Fraction(int(j < INFORMATIVE)) for j in range(P)]
        centers = [[c if f else m for c, f, m in zip(row, factors, means, strict=True)] for row in centers]
        length = 1.0
    else:
        gains = [
            sum(len(rows) * (c[j] - means[j]) ** 2 for rows, c in zip(members, centers, strict=True))
            for j in range(P)
        ]
        factors = [Fraction(gain) / v for gain, v in zip(gains, variances, strict=True)]
        length = math.sqrt(sum(factor**2 for factor in factors))
    shares = [factor / v for factor, v in zip(factors, variances, strict=True)]
    squares = [
        [sum(shares[j] * (columns[j][i] - c[j]) ** 2 for j in range(P)) for c in centers] for i in range(N)
    ]
    return Exact(centers, [math.sqrt(v) for v in variances], np.sqrt(np.array(squares, float) / length))


def make_model(fit: str, labels: Any) -> Any:
    """A fit from given labels; the bound of SparseKMeans leaves all weights free."""
    if fit == "SKFR":
        return SKFR(K, INFORMATIVE, init=labels, standardize=True)
    return SparseKMeans(K, l1_bound=math.sqrt(P), standardize=True, init=labels)


def as_source(X: Any, source: str, folder: Path, model: Any) -> Any:
    """The rows in another form; a file is to be read in the smallest blocks."""
    if source == "csr":
        return sp.csr_array(X)
    if source == "dask":
        return da.from_array(X, chunks=(17, 5))
    if source == "npy":
        np.save(folder / "X.npy", X)
        with pytest.raises(ValueError, match="too small") as refused:
            model.set_params(memory_limit=1).fit(folder / "X.npy")
        least = re.search(r"at least (\d+) bytes", str(refused.value))
        assert least is not None
        model.set_params(memory_limit=int(least[1]))
        return folder / "X.npy"
    return X


EVERYWHERE = ("offset 1e12", "float32, offset 1e5")
"""Rows with the largest errors of each precision, which are read from every source."""


@pytest.mark.engines
@pytest.mark.filterwarnings(
    "ignore::sparsek.errors.PrecisionWarning"
)  # of the offsets, whose cost is measured
@pytest.mark.parametrize("fit", ["SKFR", "SparseKMeans"])
@pytest.mark.parametrize(
    ("case", "source"),
    [*((case, "array") for case in BOUNDS), *product(EVERYWHERE, ("npy", "csr", "dask"))],
)
def test_centres_and_distances(case: str, fit: str, source: str, tmp_path: Path) -> None:
    X, labels = make_rows(case)
    model = make_model(fit, labels)
    with dask.config.set(scheduler="synchronous"):
        data = as_source(X, source, tmp_path, model)
        distances = np.asarray(model.fit(data).transform(data))
    np.testing.assert_array_equal(np.asarray(model.labels_), labels)
    expected, bounds = exact(case, fit), BOUNDS[case]
    errors = [
        [
            float(Fraction(float(found)) - c) / spread
            for found, c, spread in zip(*row, expected.spreads, strict=True)
        ]
        for row in zip(model.cluster_centers_, expected.centers, strict=True)
    ]
    assert np.abs(errors).max() <= bounds.centers
    bound = bounds.skfr if fit == "SKFR" else bounds.sparse
    assert np.abs(distances - expected.distances).max() <= bound
