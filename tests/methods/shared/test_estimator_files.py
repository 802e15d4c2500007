"""Every public estimator gives equal results for file and array, or refuses files and names others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsek
from sparsek import SKFR
from sparsek.inputs.validation import READ_ROWS
from sparsek.methods.search.base import Search
from sparsek.methods.shared.clusterer.blocks import BlockInput
from tests.sources.blocks_data import as_kind, mixture

PUBLIC = {name: getattr(sparsek, name) for name in sparsek.__all__}
ESTIMATORS = [name for name, found in PUBLIC.items() if isinstance(found, type) and hasattr(found, "fit")]
OPTIONS: dict[str, dict[str, Any]] = {
    # Few iterations and resamples, to save time.
    "DEC": {"n_components": 2, "hidden_sizes": (4,), "layer_epochs": 1, "finetune_epochs": 1, "tol": 1.0},
    "PermutationGap": {
        "estimator": SKFR(2, n_init=1),
        "param_name": "n_features_to_select",
        "param_range": [1, 2],
        "n_permutations": 2,
    },
    "EntryCrossValidation": {
        "estimator": SKFR(2, n_init=1),
        "param_name": "n_features_to_select",
        "param_range": [1, 2],
        "n_folds": 2,
    },
    **{
        name: {"estimator": SKFR(2, n_init=1), "params": {"n_features_to_select": [1, 2]}} | options
        for name, options in {
            "ModelChoice": {"criteria": "blocks"},
            "ThinnedSearch": {"n_folds": 2},
            "PredictionStrength": {"n_resamples": 2, "threshold": 1e-6},
            "SelectionConsistency": {"n_resamples": 3},
        }.items()
    },
    "WeakestSeparation": {
        "estimator": SKFR(n_features_to_select=2, n_init=1),
        "params": {"n_clusters": [1, 2]},
    },
    "LaplacianScore": {},
    "EntropyRanking": {},
    "FitUncertainty": {"estimator": SKFR(2, 2, n_init=1), "n_resamples": 2},
    "FeatureFDR": {"estimator": SKFR(2, 2, n_init=1), "fdr": 0.5, "n_null": 1},
    "StabilitySelection": {"estimator": SKFR(2, 0.8, n_init=1), "n_resamples": 4},
    "ConsensusClustering": {
        "estimator": SKFR(n_features_to_select=2, n_init=1),
        "n_clusters": (2, 3),
        "n_resamples": 8,
        "sample_fraction": 0.95,
    },
}
FITS = ["fit", "partial_fit", "fit_predict", "fit_transform"]
METHODS = [*FITS, "predict", "predict_proba", "transform", "impute", "score"]
REFUSED = r"X is a path \(.*Path\), .* all rows in memory: load the file; SKFR, SparseKMeans, KPod, .* read"
X = mixture(0, n=60, k=2)


def make(name: str) -> Any:
    model = PUBLIC[name](**OPTIONS.get(name, {"n_clusters": 2}))
    model.set_params(**{"n_init": 2} if "n_init" in model.get_params(deep=False) else {})
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


LOADED = [name for name in ESTIMATORS if issubclass(PUBLIC[name], Search)]
"""Searches load a file."""
HANDED_ON = ("predict", "transform")
"""What searches pass to their fitted SKFR."""


def test_the_message_names_the_estimators_that_read_files() -> None:
    assert {name for name in ESTIMATORS if issubclass(PUBLIC[name], BlockInput)} == set(READ_ROWS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_file_gives_the_numbers_of_the_array_or_is_refused(name: str, tmp_path: Path) -> None:
    path, fitted = as_kind(X, "npy", tmp_path), make(name).fit(X)
    for method in [method for method in METHODS if hasattr(fitted, method)]:
        on_file, on_array = (make(name), make(name)) if method in FITS else (fitted, fitted)
        if name in LOADED and method not in ("fit", *HANDED_ON):
            continue  # what only some searches have
        if name not in (*READ_ROWS, *LOADED) or (name, method) == ("StabilitySelection", "transform"):
            with pytest.raises(TypeError, match=REFUSED):
                getattr(on_file, method)(path)
            continue
        found, expected = getattr(on_file, method)(path), getattr(on_array, method)(X)
        if method == "fit":
            found, expected = (getattr(fit, "labels_", fit.n_features_in_) for fit in (found, expected))
        assert np.array_equal(found, expected), method


@pytest.mark.parametrize("kind", ["hdf5", "hdf5 in one", "zarr"])
def test_stored_arrays_are_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(
        TypeError, match=r"stored in chunks .* pass X\[:\]; SKFR, SparseKMeans, KPod, .* read"
    ):
        sparsek.RobustSparseKMeans(2).fit(as_kind(X, kind, tmp_path))


def test_a_memory_map_is_an_array(tmp_path: Path) -> None:
    found = sparsek.RobustSparseKMeans(2, random_state=0).fit(as_kind(X, "memmap", tmp_path))
    expected = sparsek.RobustSparseKMeans(2, random_state=0).fit(X)
    assert np.array_equal(found.labels_, expected.labels_)
    assert found.score(as_kind(X, "memmap", tmp_path)) == expected.score(X)
