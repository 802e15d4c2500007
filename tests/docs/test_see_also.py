"""The sections See Also: every public name has one, its names exist, and twins name each other."""

import importlib
import inspect
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString

import sparsek
from sparsek import rcompat
from sparsek._registry import ESTIMATORS

MODULES = ("", "federated", "inference", "init", "metrics", "plots", "summary")
NAMES = sorted(
    f"{prefix}{name}"
    for module in MODULES
    for prefix in [f"sparsek.{module}." if module else "sparsek."]
    for name in importlib.import_module(prefix.rstrip(".")).__all__
    if callable(getattr(importlib.import_module(prefix.rstrip(".")), name))
)
TWINS = [  # an estimator or function, and the R function whose numbers it stands beside
    *(
        (f"sparsek.{row.name}", f"sparsek.rcompat.{row.twin.partition('::')[2]}")
        for row in ESTIMATORS
        if row.twin
    ),
    ("sparsek.PermutationGap", "sparsek.rcompat.KMeansSparseCluster_permute"),
    ("sparsek.PermutationGap", "sparsek.rcompat.HierarchicalSparseCluster_permute"),
    ("sparsek.thin", "sparsek.rcompat.datathin"),
    ("sparsek.init.robin", "sparsek.rcompat.ROBIN"),
    ("sparsek.init.local_outlier_factors", "sparsek.rcompat.lof"),
    ("sparsek.metrics.clustering_error_rate", "sparsek.rcompat.CER"),
    ("sparsek.inference.test_kmeans", "sparsek.rcompat.kmeans_inference"),
    ("sparsek.inference.test_hierarchical", "sparsek.rcompat.test_hier_clusters_exact"),
    ("sparsek.inference.test_clusters", "sparsek.rcompat.test_clusters_approx"),
    ("sparsek.inference.test_feature", "sparsek.rcompat.kmeans_inference_1f"),
    ("sparsek.inference.test_multimodal", "sparsek.rcompat.test_multimod"),
    ("sparsek.plots.plot_silhouette", "sparsek.rcompat.silhouette"),
]


def find(dotted: str) -> Any:
    """The object of a dotted name, or an AttributeError."""
    item: Any = sparsek
    for part in dotted.split(".")[1:]:
        item = getattr(item, part)
    return item


def see_also(dotted: str) -> dict[str, str]:
    """Full names in the section See Also, as links on the name's page resolve them, with descriptions."""
    home = dotted.rpartition(".")[0]
    section = NumpyDocString(inspect.getdoc(find(dotted)) or "")["See Also"]
    return {
        name if name.startswith("sparsek.") else f"{home}.{name}": " ".join(text)
        for names, text in section
        for name, _ in names
    }


def check(dotted: str) -> None:
    """The section's names exist, and each has a sentence."""
    for name, text in see_also(dotted).items():
        assert find(name) is not find(dotted), (dotted, name)
        assert text.endswith("."), (dotted, name)


def test_every_public_name_says_what_is_near() -> None:
    assert [dotted for dotted in NAMES if not see_also(dotted)] == []
    for dotted in NAMES:
        check(dotted)


def test_names_of_r_functions_exist() -> None:
    for name in rcompat.__all__:
        check(f"sparsek.rcompat.{name}")


@pytest.mark.parametrize(("ours", "of_r"), TWINS)
def test_twins_name_each_other(ours: str, of_r: str) -> None:
    assert of_r in see_also(ours)
    assert ours in see_also(of_r)
