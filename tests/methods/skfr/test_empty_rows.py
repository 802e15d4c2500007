"""Rows without a value in the features that tell the clusters apart are named in a warning, and marked."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sparsek import SKFR, FitUncertainty, KPod, SparseKMeans, explain
from sparsek.errors import EmptyRowWarning
from tests.cli.cli_runner import run

RNG = np.random.default_rng(0)
COMPLETE = RNG.normal(size=(60, 5))
COMPLETE[:30, :2] += 5
EMPTY = np.array([3, 9, 10, 11, 40, 59])
X = COMPLETE.copy()
X[EMPTY] = np.nan
FRAME = pd.DataFrame(X, columns=list("abcde"), index=[f"s{i}" for i in range(60)])
MODELS = [SKFR(2, 2, n_init=2, random_state=0), KPod(2, n_init=2, random_state=0)]


def told(work: Any) -> list[str]:
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    assert {entry.category for entry in found} <= {EmptyRowWarning}
    assert {entry.filename for entry in found} <= {__file__}
    return [str(entry.message) for entry in found]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("data", "names"),
    [
        (X, "3, 9, 10, 11, 40"),
        (FRAME, "s3, s9, s10, s11, s40"),
        (FRAME.reset_index(drop=True), "3, 9, 10, 11, 40"),
    ],
)
def test_fit_and_predict_warn_once_by_name(model: Any, data: Any, names: str) -> None:
    for work in (model.fit, model.predict, model.fit_predict):
        (message,) = told(lambda work=work: work(data))
        assert message == (
            f"6 rows of X have no value in the features that tell the clusters apart ({names} and 1 more), "
            "so that any cluster is as near and their labels say nothing: leave them out, or take no notice "
            "of their labels"
        )
    assert_array_equal(model.rows_without_values_, EMPTY)
    assert "Rows without values" in model.summary().as_text()


@pytest.mark.parametrize("model", [*MODELS, SparseKMeans(2, l1_bound=1.4, n_init=2, random_state=0)])
@pytest.mark.parametrize("holes", [False, True])
def test_rows_with_values_need_no_warning(model: Any, holes: bool) -> None:
    data = COMPLETE.copy()
    if holes and not isinstance(model, SparseKMeans):
        data[::7, 3] = data[5, 0] = np.nan
    assert told(lambda: model.fit(data).predict(data)) == []
    assert len(getattr(model, "rows_without_values_", ())) == 0
    assert "Rows without values" not in model.summary().as_text()


def test_the_selected_features_count_alone() -> None:
    data = COMPLETE.copy()
    data[7, :2] = data[8, 2:] = np.nan
    model = SKFR(2, 2, n_init=2, random_state=0)
    (message,) = told(lambda: model.fit(data))
    assert message.startswith("1 row of X has no value in the features that tell the clusters apart (7)")
    assert_array_equal(model.rows_without_values_, [7])
    assert told(lambda: KPod(2, n_init=2, random_state=0).fit(data)) == []


@pytest.mark.parametrize("model", MODELS)
def test_rows_of_weight_0_and_batches(model: Any) -> None:
    weights = np.ones(60)
    weights[[3, 20]] = 0
    (message,) = told(lambda: model.fit(X, sample_weight=weights))
    assert "(3, 9, 10, 11, 40 and 1 more)" in message
    assert_array_equal(model.rows_without_values_, EMPTY)
    if isinstance(model, SKFR):
        batch = np.arange(60) % 2
        assert len(told(lambda: model.fit(X, batch=batch))) == 1
        assert_array_equal(model.rows_without_values_, EMPTY)
        assert len(told(lambda: model.predict(X[:12], batch=batch[:12]))) == 1


def test_a_feature_without_values_in_the_fit_gives_none() -> None:
    data = COMPLETE.copy()
    data[:, 4] = data[6, :4] = np.nan
    model = KPod(2, n_init=2, random_state=0)
    assert len(told(lambda: model.fit(data))) == 1
    new = data.copy()
    new[:, 4] = 1
    assert "(6)" in told(lambda: model.predict(new))[0]


def test_sparse_files_and_categories(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    for data, options in ((csr_array(X), {}), (tmp_path / "x.npy", {"memory_limit": 3000})):
        model = KPod(2, n_init=2, random_state=0, **options)
        assert "(3, 9, 10, 11, 40 and 1 more)" in told(lambda: model.fit(data))[0]  # noqa: B023
        assert_array_equal(model.rows_without_values_, EMPTY)
        assert len(told(lambda: model.predict(data))) == 1  # noqa: B023
    mixed = FRAME.assign(f=np.where(np.arange(60) < 30, "u", "v")).astype({"f": object})
    mixed.iloc[EMPTY, 5] = None
    model = SKFR(2, 3, n_init=2, random_state=0)
    assert "(s3, s9, s10, s11, s40 and 1 more)" in told(lambda: model.fit(mixed))[0]
    mixed.iloc[3, 5] = "u"
    assert "5 rows of X" in told(lambda: model.predict(mixed))[0]


def test_labels_that_are_given_are_not_arbitrary() -> None:
    assert told(lambda: explain(X, np.arange(60) < 30, n_resamples=0)) == []


def test_the_command_marks_the_rows(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "x.csv", index_label="id")
    done = run(
        "fit", tmp_path / "x.csv", "--k", "2", "--select", "2", "--id-col", "id", "--out", tmp_path / "out"
    )
    assert done.exit_code == 0
    assert "(s3, s9, s10, s11, s40 and 1 more)" in done.stderr
    labels = pd.read_csv(tmp_path / "out" / "labels.csv", index_col="id")
    assert_array_equal(np.flatnonzero(labels["without_values"]), EMPTY)


def test_a_search_warns_of_the_rows_of_its_fit_and_not_of_resamples() -> None:
    search = FitUncertainty(SKFR(2, 2, n_init=2, random_state=0), n_resamples=3, random_state=0)
    assert "(3, 9, 10, 11, 40 and 1 more)" in told(lambda: search.fit(X))[-1]
