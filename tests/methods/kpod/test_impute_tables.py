"""What came in as a table of pandas or polars comes out of `impute` as one."""

import numpy as np
import pandas as pd
import pytest

from sparsek import KPod


def test_tables_are_imputed_as_tables() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    X = np.array([[1, 2], [np.nan, 2.2], [1.2, np.nan], [7, 8], [np.nan, 8.1], [7.3, np.nan]])
    frame = pd.DataFrame(X, columns=["a", "b"], index=list("uvwxyz"))
    model = KPod(2, random_state=0).fit(frame)
    expected = pd.DataFrame(model.impute(), columns=frame.columns, index=frame.index)
    pd.testing.assert_frame_equal(model.impute(frame), expected)
    found = model.impute(polars.DataFrame({"a": X[:, 0], "b": X[:, 1]}))
    assert isinstance(found, polars.DataFrame)
    assert found.columns == ["a", "b"]
    np.testing.assert_array_equal(found.to_numpy(), expected)
