"""Checks of the arguments of functions: what an error shows of a wrong value."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sparsek import SKFR, inference

X = np.random.default_rng(0).normal(size=(40, 5))


@pytest.mark.parametrize("data", [X, pd.DataFrame(X), X.tolist()], ids=["array", "table", "list"])
def test_data_in_the_place_of_a_model_are_shown_in_short(data: Any) -> None:
    with pytest.raises(ValueError, match="'estimator' parameter of test_clusters must be") as caught:
        inference.test_clusters(data, SKFR(2), 0, 1)
    text = str(caught.value)
    assert len(text) < 300
    assert "\n" not in text
    assert f"({type(data).__name__}" in text
    assert "of shape (40, 5)" in text or isinstance(data, list)


def test_short_values_are_shown_whole() -> None:
    with pytest.raises(ValueError, match=r"Got 'SKFR' instead\.$"):
        inference.test_clusters("SKFR", X, 0, 1)
