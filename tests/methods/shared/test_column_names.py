"""Names of columns that repeat or change places, and missing cells of sparse matrices, in every estimator."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sparsek import (
    DEC,
    SKFR,
    ConsensusClustering,
    EntropyWeightedKMeans,
    KPod,
    MPCKMeans,
    PowerKMeans,
    SparseKMeans,
    StabilitySelection,
)
from sparsek.errors import ColumnWarning
from sparsek.inputs.suspects import suspects

X = np.random.default_rng(0).normal(size=(30, 4)) + 5.0 * (np.arange(30)[:, None] > 14)
ESTIMATORS = (
    SKFR(2, 2, random_state=0),
    SparseKMeans(2, l1_bound=1.5, random_state=0),
    KPod(2, random_state=0),
    EntropyWeightedKMeans(2, random_state=0),
    StabilitySelection(SKFR(2, 2), n_resamples=2),
    ConsensusClustering(SKFR(2, 2), (2, 3), n_resamples=2),
    DEC(2, n_components=2, hidden_sizes=(4,), layer_epochs=1, finetune_epochs=1, tol=1.0, random_state=0),
)


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_repeated_names_are_refused_before_any_work(model: Any) -> None:
    with pytest.raises(ValueError, match=r"columns 0 and 2 of X, .* are both named 'a'; give each column"):
        model.fit(pd.DataFrame(X, columns=list("abac")))


def test_repeated_names_of_new_rows_and_lazy_data_are_refused() -> None:
    model = SKFR(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcd")))
    with pytest.raises(ValueError, match="are both named 'a'"):
        model.predict(pd.DataFrame(X, columns=list("aacd")))
    dataframe = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    lazy = dataframe.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=2)
    lazy.columns = list("abac")
    with pytest.raises(ValueError, match="are both named 'a'"):
        SKFR(2, random_state=0).fit(lazy)


def test_whole_numbers_as_names_keep_their_order() -> None:
    model = SKFR(2, random_state=0).fit(pd.DataFrame(X))
    labels = model.labels_.tolist()
    assert model.predict(X).tolist() == labels
    assert model.predict(pd.DataFrame(X)).tolist() == labels
    assert (
        model.predict(pd.DataFrame(X, columns=[7, 8, 9, 10])).tolist() == labels
    )  # other names: by position
    with pytest.raises(ValueError, match=r"in another order: column 0, counted from 0, is 1 and was 0"):
        model.predict(pd.DataFrame(X)[[1, 0, 2, 3]])
    assert SKFR(2, random_state=0).fit(X).predict(pd.DataFrame(X)[[1, 0, 2, 3]]).shape == (30,)
    model.fit(X)  # an array forgets the names
    assert model.predict(pd.DataFrame(X)[[1, 0, 2, 3]]).shape == (30,)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_missing_cells_of_sparse_matrices_are_named(kind: str) -> None:
    holes = X.copy()
    holes[3, 2] = holes[9, 0] = np.nan
    given = getattr(sp, f"{kind}_array")(holes)
    for model in (SparseKMeans(2), PowerKMeans(2)):
        with pytest.raises(ValueError, match="2 of its 120 cells are missing, the first in row 3, column 2,"):
            model.fit(given)
    with pytest.raises(ValueError, match=r"SKFR takes missing values in arrays and tables, not in sparse"):
        SKFR(2).fit(given)
    assert KPod(2, n_init=1, random_state=0).fit(given).labels_.shape == (30,)


def test_weights_beyond_the_largest_number_are_named() -> None:
    model = MPCKMeans(2, random_state=0)
    with pytest.warns(UserWarning, match="feature_weights_ are in one over squared units of X, and exceed"):
        model.fit(X * 1e-160, must_link=[[0, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        larger = MPCKMeans(2, random_state=0).fit(X, must_link=[[0, 1]])
    assert model.labels_.tolist() == larger.labels_.tolist()
    assert np.isfinite(larger.feature_weights_).all()


SUSPECT = r"column target looks like a class: by its name, and it has 2 whole .* X.drop\(columns=\['target'\]"


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_a_column_that_looks_like_a_class_is_named_once(model: Any) -> None:
    frame = pd.DataFrame(X, columns=list("abcd")).assign(target=np.arange(30) // 15)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("ignore")  # two resamples are few, which others say
        warnings.simplefilter("always", ColumnWarning)
        model.fit(frame)
    texts = [str(one.message) for one in found if one.category is ColumnWarning]
    assert len(texts) == 1
    assert re.match(SUSPECT, texts[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", ColumnWarning)
        model.fit(frame.drop(columns="target"))
        model.fit(frame.to_numpy())


def test_names_that_are_no_texts_and_new_rows_are_not_looked_at() -> None:
    counted = pd.DataFrame(X).assign(n=np.arange(30.0))[["n", 0, 1, 2, 3]]
    fit = SKFR(2, 2, random_state=0).fit(counted.set_axis(range(5), axis=1))
    assert fit.n_features_in_ == 5
    with pytest.warns(ColumnWarning, match="column n looks like an identifier: it counts the rows"):
        named = SKFR(2, 2, random_state=0).fit(counted.set_axis(["n", *"abcd"], axis=1))
    named.predict(counted.set_axis(["n", *"abcd"], axis=1))  # warnings are errors


def test_the_largest_numbers_are_looked_at_without_a_warning() -> None:
    frame = pd.DataFrame({"n": np.finfo(float).max * np.where(np.arange(30) % 2, 1, -1), "a": X[:, 0]})
    assert suspects(frame) == []  # warnings are errors
