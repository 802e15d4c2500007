"""Data sets of the papers: generators of simulated ones, loaders and fetchers of real ones."""

from sklearn.datasets import load_breast_cancer as load_wdbc
from sklearn.datasets import load_iris, load_wine

from sparsek.datasets._fetch import fetch_microarray, fetch_pcskm, make_fetcher
from sparsek.datasets._simulated import (
    make_brodinova,
    make_doughnut,
    make_partially_observed,
    make_subset_attributes,
)
from sparsek.datasets._store import ChecksumError, DatasetError

fetch_basehock = make_fetcher("basehock")
fetch_breast_cancer_wisconsin = make_fetcher("breast_cancer_wisconsin")
fetch_ecoli = make_fetcher("ecoli")
fetch_glass = make_fetcher("glass")
fetch_libras = make_fetcher("libras")
fetch_mice_protein = make_fetcher("mice_protein")
fetch_newthyroid = make_fetcher("newthyroid")
fetch_pbmc68k_reduced = make_fetcher("pbmc68k_reduced")
fetch_synthetic_control = make_fetcher("synthetic_control")
fetch_trace = make_fetcher("trace")
fetch_vehicle = make_fetcher("vehicle")
fetch_wall_robot4 = make_fetcher("wall_robot4")
fetch_warp_ar10p = make_fetcher("warp_ar10p")
fetch_warp_pie10p = make_fetcher("warp_pie10p")
fetch_yale = make_fetcher("yale")
fetch_zoo = make_fetcher("zoo")

__all__ = [
    "ChecksumError",
    "DatasetError",
    "fetch_basehock",
    "fetch_breast_cancer_wisconsin",
    "fetch_ecoli",
    "fetch_glass",
    "fetch_libras",
    "fetch_mice_protein",
    "fetch_microarray",
    "fetch_newthyroid",
    "fetch_pbmc68k_reduced",
    "fetch_pcskm",
    "fetch_synthetic_control",
    "fetch_trace",
    "fetch_vehicle",
    "fetch_wall_robot4",
    "fetch_warp_ar10p",
    "fetch_warp_pie10p",
    "fetch_yale",
    "fetch_zoo",
    "load_iris",
    "load_wdbc",
    "load_wine",
    "make_brodinova",
    "make_doughnut",
    "make_partially_observed",
    "make_subset_attributes",
]


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
