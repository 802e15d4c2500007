"""The same labels, features and iterations wherever the rows lie, in any order, by any engine and kernel."""

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sparsek.engine import set_engine
from sparsek.methods.shared.clusterer import blocks as block_input
from tests.places import ROOT
from tests.sources import same_labels
from tests.sources.same_labels import CASES, ENGINES, FIELDS, FITS, TIED, Case, make_case
from validation.kernels import SETTINGS, choose

DRAWN = settings(suppress_health_check=list(HealthCheck))
"""Settings of a property whose examples are large."""


@given(CASES)
@settings(DRAWN, max_examples=50)
def test_given_start(case: Case) -> None:
    """Compare the fit from the source of a case with that of the array in memory."""
    expected, filled = same_labels.plain_answer(case)
    # Of several farthest rows the first is taken by an empty cluster, and equal rows cannot be told apart.
    assume(not (case.permuted and filled))
    with tempfile.TemporaryDirectory() as folder:
        assert same_labels.answer_from(case, Path(folder)) == expected


@pytest.mark.parametrize("kind", ["whole", "continuous"])
@pytest.mark.parametrize(("fit", "size"), [("SKFR", "n_features_to_select"), ("SparseKMeans", "l1_bound")])
@pytest.mark.seeds(4)
def test_a_chosen_size_where_its_sample_has_all_rows(
    fit: str, size: str, kind: str, tmp_path: Path, seed: int
) -> None:
    case = make_case(seed, fit, kind)
    problem = same_labels.make_problem(case)
    model = same_labels.make_model(case, problem.init).set_params(**{size: "auto"}, standardize="auto")
    expected = same_labels.answer(model, problem.X, problem)
    assert same_labels.answer(model, da.from_array(problem.X, chunks=(40, 8)), problem) == expected
    np.save(tmp_path / "x.npy", problem.X)
    # A limit that makes a fit read by blocks leaves no room for a sample of all rows.
    with mock.patch.object(type(model), "_needed", return_value=np.inf):
        assert block_input.is_reader(model._opened(tmp_path / "x.npy"))
        assert same_labels.answer(model, tmp_path / "x.npy", problem) == expected


IN_MEMORY = {
    **FIELDS,
    "source": ("array", "Fortran", "strided", "csr"),
    "start": ("labels",),
    "permuted": (False,),
}
"""What a case of rows in memory draws."""
CASES_IN_MEMORY = st.builds(
    Case, st.integers(0, 2**31 - 1), **{name: st.sampled_from(values) for name, values in IN_MEMORY.items()}
).filter(lambda case: case.fit != "KPod" or case.source != "csr")


@given(CASES_IN_MEMORY, st.sampled_from([None, "k-means++"]))
@settings(DRAWN, max_examples=30)
def test_drawn_starts(case: Case, init: str | None) -> None:
    """Compare the best of twenty drawn starts with that of the array in memory."""
    problem = same_labels.make_problem(case)
    model = same_labels.make_model(replace(case, n_init=20), init)
    if init is None:
        model.set_params(init=type(model)().init)
    with set_engine("numpy"):
        expected = same_labels.answer(model, problem.X, problem)
    with set_engine(case.engine):
        assert same_labels.answer(model, same_labels.in_memory(case.source, problem.X), problem) == expected


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("kind", ["whole", "continuous"])
def test_so_many_rows_that_compiled_loops_skip_distances(kind: str, fit: str, tmp_path: Path) -> None:
    plain = make_case(1, fit, kind, n=5500, p=5)
    expected, filled = same_labels.plain_answer(plain)
    assert not filled
    changes = [{"engine": engine} for engine in ENGINES] + [
        {"permuted": True},
        {"source": "npy", "block_rows": 900},
    ]
    changes += [{"source": "dask", "block_rows": 9}]
    changes += [{"source": "csr"}] if fit != "KPod" else []
    for change in changes:
        assert same_labels.answer_from(replace(plain, **change), tmp_path) == expected, change


@pytest.mark.engines
@pytest.mark.parametrize("kind", [*TIED, "continuous"])
@pytest.mark.seeds(3)
def test_kpod_with_a_centre_that_wins_no_row(kind: str, engine: str, tmp_path: Path, seed: int) -> None:
    for source in ("npy", "dask"):
        case = make_case(seed, "KPod", kind, n=60, p=5, start="far centre", source=source, engine=engine)
        assert same_labels.answer_from(case, tmp_path) == same_labels.plain_answer(case)[0]


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # two distinct rows
def test_three_equal_centres_of_two_distinct_rows(fit: str) -> None:
    X = np.tile([[0.1, 0.7, 2.0, 0.3], [1.3, 0.2, 0.9, 0.3]], (5, 1))
    cls, options = FITS[fit]

    def fitted(rows: Any, engine: str) -> Any:
        with set_engine(engine):
            return cls(3, init=X[[0, 0, 0]], **options).fit(rows)

    expected = fitted(X, "numpy")
    found = [fitted(X, engine) for engine in ENGINES]
    found += [fitted(da.from_array(X, chunks=(3, 4)), engine) for engine in ENGINES]
    for model in found:
        np.testing.assert_array_equal(np.asarray(model.labels_), expected.labels_)
        # Sums of 40 numbers of size 1 in another order.
        np.testing.assert_allclose(model.criterion_history_, expected.criterion_history_, 1e-12, 1e-12)


@pytest.mark.parametrize("fit", ["SKFR", "local SKFR"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", [*TIED, "continuous"])
def test_predict_decides_rows_between_centres_as_fit_did(kind: str, dtype: str, fit: str) -> None:
    for seed in range(4):
        case = make_case(seed, fit, kind, dtype=dtype)
        problem = same_labels.make_problem(case)
        model = same_labels.make_model(case, problem.init)
        labels = same_labels.answer(model, problem.X, problem)["labels"]
        assert model.predict(problem.X).tolist() == labels
        assert model.predict(sp.csr_array(problem.X)).tolist() == labels


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("kind", [*TIED, "continuous"])
def test_columns_in_another_order(kind: str, fit: str) -> None:
    same = 0
    for seed in range(4):
        case = make_case(seed, fit, kind, start="centres")
        problem, order = same_labels.make_problem(case), np.random.default_rng(seed).permutation(case.p)
        model, other = (same_labels.make_model(case, C) for C in (problem.init, problem.init[:, order]))
        expected = same_labels.answer(model, problem.X, problem)
        found = same_labels.answer(other, problem.X[:, order], problem)
        if fit == "SKFR" and np.isin(order[other.selected_features_], model.selected_features_).all():
            same += 1
        elif fit == "SKFR":  # only features of equal gains may change places
            gains = np.sort(model.feature_gains_)[::-1]
            assert gains[1] == gains[2]
            continue
        assert found["labels"] == expected["labels"]
        assert found["n_iter"] == expected["n_iter"]
    assert fit != "SKFR" or same > 2


@pytest.mark.thorough
def test_every_kernel_of_linear_algebra() -> None:
    """A setting that cannot run here is left out, as `python -m validation kernels` does."""
    command = [sys.executable, "-m", "tests.sources.same_labels"]

    def lines(more: dict[str, str]) -> list[str]:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | more, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    expected = lines({})
    assert len(expected) == len(list(same_labels.fixed_cases())) + 1  # and that of a narrow kernel
    ran = 0
    for setting, environment, reason in choose(argparse.Namespace(only=SETTINGS, others=len(SETTINGS))):
        if not reason:
            assert lines(environment) == expected, setting
            ran += 1
    if not ran:
        pytest.skip("no other kernel can run here")
