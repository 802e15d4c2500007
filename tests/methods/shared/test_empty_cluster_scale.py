"""Empty clusters are filled whatever the unit of the data is."""

import numpy as np
import pytest

from sparsek import (
    SKFR,
    EntropyWeightedKMeans,
    PCKMeans,
    PowerKMeans,
    SparseKMeans,
    WeightedRobustSparseKMeans,
)

ESTIMATORS = (SKFR, SparseKMeans, EntropyWeightedKMeans, PowerKMeans, PCKMeans, WeightedRobustSparseKMeans)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda found: found.__name__)
def test_a_far_start_is_filled_at_any_scale(estimator):
    X = np.random.default_rng(0).normal(size=(30, 4)) + 4 * (np.arange(30)[:, None] < 12)
    centers = np.stack([X[0], X[20], np.full(4, 1000.0)])  # the nearest of no row
    options = {"on_empty": "farthest"} if estimator is PCKMeans else {}
    options |= {SKFR: {"n_features_to_select": 2}, SparseKMeans: {"l1_bound": 1.5}}.get(estimator, {})
    labels, *scaled = (
        estimator(3, init=np.ldexp(centers, exponent), **options).fit(np.ldexp(X, exponent)).labels_.tolist()
        for exponent in (0, -100, -40, 40)
    )
    assert len(set(labels)) == 3
    assert scaled == [labels] * 3
