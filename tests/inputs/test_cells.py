"""AnnData and MuData objects are refused by name, wherever data are expected, before they are read."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

import sparsek
from sparsek import inference, init, rcompat
from sparsek.inputs.containers import numbers
from tests.variants import FIRST, VARIANTS, make

ROWS = np.abs(np.random.default_rng(0).normal(size=(20, 4))) + 5 * (np.arange(20) % 2)[:, None]
LABELS = np.arange(20) % 2
METHODS = (
    *("predict", "fit_predict", "transform", "fit_transform", "score"),
    *("predict_proba", "impute", "certificate"),
)


class AnnData:
    """A table of cells as numpy sees it: it has rows, and each of them is a table of cells again."""

    X, shape = ROWS, ROWS.shape

    def __len__(self) -> int:
        return len(ROWS)

    def __getitem__(self, cells: Any) -> "AnnData":
        raise AssertionError("the cells were read one by one")


class MuData(AnnData):
    """Several tables of the same cells."""


class Subclass(AnnData):
    """What a library may make of AnnData."""


AnnData.__module__ = "anndata._core.anndata"
MuData.__module__ = "mudata._core.mudata"
CELLS = AnnData()
REFUSED = r"X is an object of class AnnData, which holds .*sparsek\.anndata\.cluster\(adata, estimator\)"


@pytest.mark.parametrize("text", VARIANTS)
def test_every_fit_refuses_them(text: str) -> None:
    with pytest.raises(TypeError, match=REFUSED):
        make(text).fit(CELLS)


@pytest.mark.filterwarnings("ignore")  # of the few rows and columns
@pytest.mark.parametrize("text", sorted(FIRST))
def test_every_method_of_a_fit_refuses_them(text: str) -> None:
    fit = make(text).fit(ROWS)
    before = pickle.dumps(fit)
    found = [name for name in METHODS if hasattr(fit, name)]
    assert found
    for name in found:
        with pytest.raises(TypeError, match=REFUSED):
            getattr(copy.copy(fit), name)(CELLS)
    assert pickle.dumps(fit) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda X: sparsek.explain(X, LABELS),
        lambda X: sparsek.skfr_path(sparsek.SKFR(2, 1), X),
        lambda X: sparsek.thin(X, "poisson"),
        lambda X: inference.test_features(KMeans(2, n_init=1), X, 0, 1),
        lambda X: inference.test_one_cluster(X, sparsek.SKFR(2, 1)),
        lambda X: init.dkm_plus_plus(X, 2),
    ],
)
def test_functions_refuse_them(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=REFUSED):
        call(CELLS)


def test_other_arguments_and_r_refuse_them() -> None:
    with pytest.raises(TypeError, match="sample_weight is an object of class AnnData"):
        sparsek.SKFR(2, 1).fit(ROWS, sample_weight=CELLS)
    with pytest.raises(TypeError, match="labels is an object of class AnnData"):
        sparsek.explain(ROWS, CELLS)
    with pytest.raises(TypeError, match="x is an object of class AnnData"):
        rcompat.kmeans(CELLS, 2)


def test_classes_are_known_by_package_and_name() -> None:
    with pytest.raises(TypeError, match=r'class MuData, .* mdata\.mod\["rna"\]\.X'):
        numbers(MuData())
    with pytest.raises(TypeError, match="class AnnData"):
        numbers(Subclass())
    other = type("AnnData", (), {"__module__": "anndata_like"})()
    assert numbers(other) is other
