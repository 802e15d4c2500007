"""Components, their number, groups of scores, and k-means of starts."""

import numpy as np
import pytest

from sparsek.methods.factor_mixture.components import count_components, k_means, top_components, valley
from sparsek.methods.factor_mixture.starts import MOST_DEPTH, leading_components, starts
from tests.methods.factor_mixture.designs import factor_design


@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (700, 650)])
def test_components_are_those_of_the_singular_value_decomposition(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    R = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) * 5 + rng.normal(size=shape)
    U, s, V = top_components(R, 3, rng)
    known = np.linalg.svd(R, full_matrices=False)
    np.testing.assert_allclose(s, known[1][:3], rtol=1e-8)
    np.testing.assert_allclose((U * s) @ V, (known[0][:, :3] * known[1][:3]) @ known[2][:3], atol=1e-3)


@pytest.mark.parametrize("r", [0, 1, 4])
def test_parallel_analysis_counts_factors(r: int) -> None:
    rng = np.random.default_rng(r)
    Z = rng.normal(size=(200, r)) @ rng.normal(size=(r, 50)) + rng.normal(size=(200, 50))
    s = np.linalg.svd(Z, compute_uv=False)
    assert count_components(Z, s, rng) == r


@pytest.mark.parametrize("r", [1, 3])
def test_a_valley_lies_between_clusters_alone(r: int) -> None:
    depths = {True: [], False: []}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        F = rng.normal(size=(150, r))
        depths[False].append(valley(F, 3, rng))
        F[:70, 0] += 5
        depths[True].append(valley(F, 3, rng))
    assert max(depths[False]) < MOST_DEPTH < min(depths[True])


def test_k_means_of_equal_rows_and_of_groups() -> None:
    rng = np.random.default_rng(0)
    assert k_means(np.zeros((9, 2)), 3, rng, 2).shape == (9,)
    A = np.repeat(np.arange(3.0), 10)[:, None] * 10 + rng.normal(size=(30, 2))
    labels = k_means(A, 3, rng, 3)
    assert len({tuple(np.unique(labels[i : i + 10])) for i in (0, 10, 20)}) == 3


def test_starts_are_distinct_and_one_of_them_is_near() -> None:
    X, clusters = factor_design(0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    rng = np.random.default_rng(0)
    found = starts(Z, 3, leading_components(Z, 3, rng), rng)
    assert all(np.bincount(start.labels, minlength=3).min() >= 2 for start in found)
    share = [
        sum(np.bincount(start.labels[clusters == c]).max() for c in range(3)) / len(X) for start in found
    ]
    assert max(share) > 0.9
