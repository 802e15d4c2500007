"""COPKMeans.predict gives the training rows their labels."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sparsek import COPKMeans
from sparsek.errors import PrecisionWarning

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 3)).round(2)


@pytest.mark.parametrize("cell", [1e11, -1e17])
def test_one_huge_cell(cell):
    data = X.copy()
    data[7, 1] = cell
    with pytest.warns(PrecisionWarning, match="in row 7, column 1 lies so far"):
        model = COPKMeans(3, random_state=0).fit(data)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    near = np.square(data[:7, None] - model.cluster_centers_).sum(axis=2)
    assert (model.predict(data)[:7] == near.argmin(axis=1)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("max_iter", [1, 100])
def test_constraints(dtype, max_iter):
    data = X.astype(dtype)
    y = np.where(rng.random(40) < 0.4, rng.integers(0, 3, 40), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = COPKMeans(3, max_iter=max_iter, random_state=0).fit(data, y)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    np.testing.assert_array_equal(model.predict(data[::-1]), model.labels_[::-1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(data), model.labels_)
    assert any(model.predict(data + 1e-3) != model.labels_), "other rows go to the nearest centre"


def test_equal_rows_kept_apart_are_told_apart_by_their_order():
    data = np.array([[0.0], [0.0], [1.0], [9.0], [-0.0]])
    model = COPKMeans(2, init=[[0.0], [9.0]]).fit(data, cannot_link=[(0, 1), (1, 4)])
    assert model.labels_.tolist() == [0, 1, 0, 1, 0]
    assert model.predict(data).tolist() == [0, 1, 0, 1, 0]
    assert model.predict([[0.0]]).tolist() == [0]
