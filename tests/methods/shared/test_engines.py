"""Fits by both engines: the same bits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SKFR, KPod, SparseKMeans, set_engine

pytestmark = pytest.mark.compiled
MODELS = [
    SKFR(3, standardize=True),
    SKFR(3, 4, standardize=True),
    SKFR(3, 4, scope="local", standardize=True),
    SKFR(3, init="k-means++", n_init=3, standardize=True),
    SKFR(3, 4, refine=True, standardize=True),
    SparseKMeans(3, n_init=3, refine=False, standardize=False),
    SparseKMeans(3, n_init=3, refine=True, standardize=False),
    KPod(3, n_init=3),
]


def bits(model: Any) -> dict[str, Any]:
    """All numbers that a fit has set."""
    return {
        name: value.tobytes() if isinstance(value, np.ndarray) else value
        for name, value in vars(model).items()
        if isinstance(value, np.ndarray | float | int)
    }


@settings(max_examples=6, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_engine_decides_nothing(model: Any, dtype: str, data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, p = data.draw(st.integers(12, 120)), data.draw(st.integers(4, 60))
    X = rng.normal(size=(n, p)).astype(dtype)
    X[: n // 2, :3] += 2
    if data.draw(st.booleans()):
        X = np.round(4 * X) / 4  # ties
    holes = model.__sklearn_tags__().input_tags.allow_nan and not getattr(model, "refine", False)
    if holes and data.draw(st.booleans()):
        X[rng.random((n, p)) < 0.1] = np.nan
    weights = rng.uniform(0.1, 3, n) if data.draw(st.booleans()) else None
    found = []
    for engine in ("numpy", "compiled"):
        with set_engine(engine):
            found.append(bits(model.set_params(random_state=0).fit(X, sample_weight=weights)))
    assert found[0] == found[1]
