"""standardize=True is a fit to standardised columns; without it a warning names columns of unequal scales."""

import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import sparsek
from sparsek import rcompat
from sparsek._registry import ESTIMATORS
from sparsek.errors import PrecisionWarning, ScaleWarning

BY_THE_METHOD = {"SKFR", "COSA", "IFPCA", "SpectralGEM", "MPCKMeans", "DEC", "FactorSparseMixture"}
"""Estimators that standardise by default, or whose own scaling or metric leaves nothing to ask for."""
OFFERED = [row.name for row in ESTIMATORS if row.method and row.name not in BY_THE_METHOD]
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 8))
X[:30, :3] += 4
X *= [10, 1, 1, 1, 1e5, 1, 1, 1]
DDOF = {"PowerKMeans": 0, "EntropyWeightedPowerKMeans": 0}


def model_of(name: str, **options: Any) -> Any:
    """An estimator with a seed, if it takes one."""
    kind = getattr(sparsek, name)
    known = inspect.signature(kind).parameters
    quick = {key: value for key, value in {"random_state": 0, "n_init": 3}.items() if key in known}
    return kind(2, **(quick | options))


@pytest.mark.parametrize("name", OFFERED)
def test_it_is_the_fit_to_standardised_columns(name: str) -> None:
    mean, sd = X.mean(axis=0), X.std(axis=0, ddof=DDOF.get(name, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside = model_of(name, standardize=True).fit(X)
        outside = model_of(name, standardize=False).fit((X - mean) / sd)
    assert inside.labels_.tolist() == outside.labels_.tolist()
    for key in ("objective_", "inertia_", "feature_weights_"):
        if hasattr(inside, key):  # two roundings of the same columns
            np.testing.assert_allclose(getattr(inside, key), getattr(outside, key), rtol=1e-8, atol=1e-12)
    if hasattr(inside, "cluster_centers_"):
        np.testing.assert_allclose(inside.cluster_centers_, outside.cluster_centers_ * sd + mean, rtol=1e-8)
    if hasattr(inside, "transform"):
        np.testing.assert_allclose(inside.transform(X), outside.transform((X - mean) / sd), rtol=1e-7)
    if hasattr(inside, "predict"):
        assert inside.predict(X).tolist() == outside.predict((X - mean) / sd).tolist()


def test_the_default_is_that_of_the_paper() -> None:
    for name in OFFERED:
        if name != "SparseKMeans":  # chooses, as SKFR does
            assert inspect.signature(getattr(sparsek, name)).parameters["standardize"].default is False


def test_holes_count_for_nothing() -> None:
    Y = X.copy()
    Y[::7, 4] = np.nan
    sd = np.nanstd(Y, axis=0, ddof=1)
    inside = sparsek.KPod(2, n_init=3, standardize=True, random_state=0).fit(Y)
    outside = sparsek.KPod(2, n_init=3, random_state=0).fit((Y - np.nanmean(Y, axis=0)) / sd)
    assert inside.labels_.tolist() == outside.labels_.tolist()
    assert inside.inertia_ == pytest.approx(outside.inertia_, rel=1e-10)  # two roundings of the columns
    blocks = sparsek.KPod(2, init=inside.labels_, standardize=True, memory_limit=20_000)
    assert blocks.fit(Y).inertia_ == pytest.approx(inside.inertia_, rel=1e-10)  # sums in another order


def test_a_sparse_matrix_and_blocks_are_standardised_too() -> None:
    counts = np.random.default_rng(1).poisson([9, 3, 1, 1], size=(400, 4)) * [100.0, 1, 1, 1]
    options: dict[str, Any] = {
        "l1_bound": 1.5,
        "init": np.arange(400) % 2,
        "standardize": True,
        "refine": False,
    }
    dense = sparsek.SparseKMeans(2, **options).fit(counts)
    sparse = sparsek.SparseKMeans(2, **options).fit(csr_array(counts))
    blocks = sparsek.SparseKMeans(2, **options, memory_limit=30_000).fit(counts)
    for other in (sparse, blocks):
        assert other.labels_.tolist() == dense.labels_.tolist()
        assert other.objective_ == pytest.approx(dense.objective_, rel=1e-9)  # sums in another order


def test_a_given_kernel_has_no_columns() -> None:
    with pytest.raises(ValueError, match="standardize=True needs the columns of the data"):
        sparsek.KernelKMeans(2, kernel="precomputed", standardize=True).fit(X @ X.T)


# --- the warning ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*OFFERED, "DEC"])
def test_unequal_scales_are_named(name: str) -> None:
    if name in ("SparseKernelKMeans",):
        options: dict[str, Any] = {"kernel": "linear"}
    elif name == "DEC":
        options = {"layer_epochs": 1, "finetune_epochs": 1, "hidden_sizes": (4,), "max_iter": 2}
    else:
        options = {"standardize": False}
    frame = pd.DataFrame(X, columns=["age", *"bcd", "income", *"fgh"])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model_of(name, **options).fit(frame)
    (warning,) = [entry for entry in found if entry.category is ScaleWarning]
    assert "column 4 ('income') has" in str(warning.message)
    assert "standardize=True" in str(warning.message)
    assert warning.filename == __file__
    again = pickle.loads(pickle.dumps(warning.message))
    assert (again.widest, again.narrowest) == (4, int(X.var(axis=0).argmin()))


def warned(data: Any, **options: Any) -> bool:
    """Whether sparse k-means warns of scales."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        sparsek.SparseKMeans(2, n_init=1, random_state=0, **{"standardize": False, **options}).fit(data)
    return any(entry.category is ScaleWarning for entry in found)


@pytest.mark.parametrize(("ratio", "expected"), [(990.0, False), (1010.0, True)])
def test_the_limit_is_a_thousand(ratio: float, expected: bool) -> None:
    Z = np.random.default_rng(0).normal(size=(50, 3))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    assert warned(Z * [1, 1, np.sqrt(ratio)]) is expected
    assert warned(Z * [1, 1, np.sqrt(ratio)] * 2.0**500) is expected
    assert not warned(Z * [1, 1, np.sqrt(ratio)], standardize=True)


def test_constant_columns_have_no_scale() -> None:
    Z = np.random.default_rng(0).normal(size=(50, 3))
    Z[:, 1] = 0.1
    assert not warned(Z)
    assert not warned(np.zeros((5, 2)))


def test_a_column_that_is_lost_has_its_own_warning() -> None:
    Z = np.random.default_rng(0).normal(size=(50, 3)) * [1, 1, 1e12]
    with pytest.warns(PrecisionWarning, match="no longer show"):
        sparsek.SparseKMeans(2, n_init=1, standardize=False, random_state=0).fit(Z)


def test_r_functions_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rcompat.set_seed(1)
        rcompat.KMeansSparseCluster(X, K=2, wbounds=[1.5])
        rcompat.kmeans(X, 2)


def test_a_search_warns_once() -> None:
    search = sparsek.PermutationGap(
        sparsek.SparseKMeans(2, n_init=1, standardize=False),
        "l1_bound",
        [1.5, 2.0],
        n_permutations=3,
        random_state=0,
        refit=False,
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        search.fit(X)
    assert [entry.category for entry in found].count(ScaleWarning) == 1
