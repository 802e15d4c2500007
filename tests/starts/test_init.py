"""Starting rows against the numbers of the reference programs and the plain definitions."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.neighbors import LocalOutlierFactor

import sparsek.starts.dkm as density_starts
from sparsek.core.scaling import prepare
from sparsek.datasets import fetch_pcskm
from sparsek.init import (
    dkm_plus_plus,
    local_outlier_factors,
    maximin,
    robin,
)
from sparsek.starts import by_name as _seeding
from sparsek.starts.dkm import dkm_start, spanning_tree
from sparsek.starts.farthest_first import row_distances
from sparsek.starts.seeds import View
from tests.places import ROOT

ROWS = "6 5 6  5 5 8  3 6 0  6 5 2  6 3 -2  11 7 8  12 5 3  10 6 6  7 10 6  8 8 9"
TEN = np.array(ROWS.split(), dtype=float).reshape(10, 3)
SIMPLE = """0.8876521658 1.1199780680 1.1992156702 0.8969638171 1.2226990022
    0.9442834072 1.3460523611 0.9230761255 1.2840463387 0.9477329734"""
# Arithmetic with thirty digits gives 0.982052286868 for row 8.
REACHABILITY = """0.9005992778 0.9638991186 1.1303540273 1.1039069295 1.0833640656
    0.9378627699 1.0126821607 1.0225827484 0.9820522869 1.0288717719"""
IRIS = load_iris().data
PRINTED = 2e-10
"""Relative error of the reference numbers, which have ten significant digits."""


def find_reference() -> Path | None:
    """The recorded runs, in the folder named by SPARSEK_DATA or beside the checkout."""
    folders = [os.environ.get("SPARSEK_DATA"), ROOT.parent / "shared" / "data"]
    paths = [Path(folder) / "pcskm" / "reference_runs.json.gz" for folder in folders if folder]
    return next((path for path in paths if path.exists()), None)


REFERENCE = find_reference()
PROBLEMS = json.loads(gzip.decompress(REFERENCE.read_bytes()))["initialisation"] if REFERENCE else [None]


def load_problem(problem, monkeypatch):
    if problem is None:
        pytest.skip("pcskm/reference_runs.json.gz is neither in SPARSEK_DATA nor in ../shared/data")
    assert REFERENCE is not None
    monkeypatch.setenv("SPARSEK_DATA", str(REFERENCE.parents[1]))
    name = problem["file"].split(".")[0]
    return np.asarray(fetch_pcskm(name, replicate=problem["replicate"] or 0).data, dtype=float)


def quiet_robin(x, n_clusters, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warning of too few rows in the band, tested separately
        return robin(x, n_clusters, **options).tolist()


def one_size(x):
    return (x - x.min(axis=0)) / np.ptp(x, axis=0)


# The reference programs: MATLAB's functions in Octave, R's dkmpp.


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p["file"].split(".")[0] if p else "none")
def test_recorded_runs(problem, monkeypatch):
    x = load_problem(problem, monkeypatch)
    k = problem["n_clusters"]
    assert dkm_plus_plus(x, k).tolist() == problem["dkmpp"]
    assert dkm_plus_plus(x, 6).tolist() == problem["dkmpp_k6"]
    found = dkm_start(x, k)
    # Sums of up to 424 terms in another order.
    assert found.radius == pytest.approx(problem["dkmpp_eps"], rel=1e-12)
    assert np.allclose(found.densities, problem["dkmpp_rho"], rtol=1e-12, atol=1e-14)
    assert np.allclose(local_outlier_factors(x), problem["lof"], rtol=1e-12)
    assert quiet_robin(x, k) == problem["robin_mean"]
    assert quiet_robin(x, k, reference="lof") == problem["robin_lof"]
    assert maximin(x, k).tolist() == problem["maximin"]
    assert maximin(x, 6).tolist() == problem["maximin_k6"]


def test_recorded_runs_on_iris():
    assert dkm_plus_plus(IRIS, 6).tolist() == [7, 126, 92, 143, 137, 74]
    assert dkm_start(IRIS, 3).radius == pytest.approx(0.1242266820, rel=PRINTED * 10)
    assert robin(IRIS, 3).tolist() == robin(IRIS, 3, reference="lof").tolist() == [12, 143, 80]
    assert maximin(IRIS, 6).tolist() == [117, 13, 106, 50, 15, 100]
    factors = local_outlier_factors(IRIS)
    assert np.allclose(factors[:3], [0.8146688663340755, 0.9248738145631396, 1.063022401643771], rtol=1e-12)


def test_options_of_dkmpp():
    options = {"quantile": "linear", "edge_scale": "raw"}
    assert dkm_plus_plus(IRIS, 3, **options).tolist() == [78, 27, 98]
    assert dkm_plus_plus(one_size(IRIS), 3, **options).tolist() == [126, 4, 67]


def test_ten_rows_dkm():
    found = dkm_start(TEN, 3)
    assert found.rows == [7, 9, 3]
    lengths, largest = spanning_tree(TEN)
    assert largest == pytest.approx(12.24744871, rel=1e-9)  # ten digits printed
    squares = [5, 6, 11, 14, 14, 14, 16, 17, 20]
    assert np.allclose(np.sort(lengths), np.sqrt(squares), rtol=1e-15)
    assert found.radius == pytest.approx(0.365148371670, rel=1e-11)  # twelve digits printed
    rho = [1.4131132974, 0.9838439475, 0.4331548358, 1.2098759967, 0.3678794412, 1.0546069666]
    rho += [0.4331548358, 1.8069019493, 0.4331548358, 1.6845507302]
    assert np.allclose(found.densities, rho, rtol=PRINTED)


@pytest.mark.parametrize(("kind", "expected"), [("simple", SIMPLE), ("reachability", REACHABILITY)])
def test_ten_rows_factors(kind, expected):
    assert np.allclose(
        local_outlier_factors(TEN, 3, kind=kind), np.array(expected.split(), float), rtol=PRINTED
    )


def test_ten_rows_robin_and_maximin():
    for reference, rows in (("mean", [5, 3, 0]), ("lof", [3, 5, 0])):
        with pytest.warns(UserWarning, match=r"only 0 rows have .* within crit=0.05 of 1"):
            assert robin(TEN, 3, n_neighbors=3, reference=reference).tolist() == rows
    assert maximin(TEN, 4).tolist() == [5, 4, 1, 6]


def test_ten_rows_kmeans_plus_plus():
    Z, _ = prepare(TEN, None, standardize=False, by_column=False)
    view = View(Z)
    squared = np.empty((1, 10))
    view.distances(np.array([0]), view.norms(), out=squared)
    # Centred coordinates: a few roundings of numbers below 100.
    assert np.allclose(squared[0], [0, 5, 46, 16, 68, 33, 45, 17, 26, 22], atol=1e-12)


# The plain definitions.


def literal_dkm(x, n_clusters):
    """DKM++ with all distances at once, and its radius."""
    d = squareform(pdist(x))
    m = d / d.max()
    tree = minimum_spanning_tree(m + 1)  # plus 1: scipy takes 0 for no edge
    lengths = tree.data - 1
    low, high = np.quantile(lengths, [0.25, 0.75], method="hazen")
    radius = min(lengths.max(), high + 3 * (high - low))
    shares = np.where(m <= radius * (1 + 1e-10), np.exp(-m / radius), 0)
    rho = shares.sum(axis=1) - 1
    r = (rho - rho.min()) / np.ptp(rho) if np.ptp(rho) > 0 else np.ones(len(x))
    rows = [int(r.argmax())]
    while len(rows) < n_clusters:
        nearest = m[rows].min(axis=0)
        rows.append(int(np.where(nearest > 0, r * nearest, -1).argmax()))
    return rows, radius, rho


@pytest.mark.parametrize(("n", "p", "far"), [(40, 3, 0), (90, 6, 50), (60, 2, 1e7), (200, 40, 0)])
@pytest.mark.parametrize("tile", [16, 512])
def test_blocked_dkm_equals_the_definition(monkeypatch, n, p, far, tile):
    monkeypatch.setattr(density_starts, "TILE", tile)
    x = np.random.default_rng(n).normal(size=(n, p))
    x[: n // 2] += far
    found = dkm_start(x, 5)
    rows, radius, rho = literal_dkm(x, 5)
    assert found.rows == rows
    # Adding 1 to the lengths of the literal tree costs digits.
    assert found.radius == pytest.approx(radius, rel=1e-12, abs=1e-15)
    # Distant groups: the literal radius has few digits.
    assert np.allclose(found.densities, rho, rtol=1e-6 if far > 1e3 else 1e-11, atol=1e-12)


def test_dkm_forms_no_matrix(monkeypatch):
    shapes = []
    original = density_starts.decay

    def watched(d2, radius):
        shapes.append(d2.shape)
        return original(d2, radius)

    monkeypatch.setattr(density_starts, "decay", watched)
    dkm_plus_plus(np.random.default_rng(0).normal(size=(1500, 3)), 3)
    assert max(max(shape) for shape in shapes) == density_starts.TILE


def test_dkm_takes_a_different_row_where_all_prospects_are_0():
    # Row 2 has density 0 on the scale of [0, 1]; row 1 equals row 0.
    assert dkm_plus_plus([[0.0], [0.0], [1.0]], 2).tolist() == [0, 2]


def test_equal_densities():
    corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    assert dkm_plus_plus(corners, 3).tolist() == [0, 3, 1]


def test_densities_that_differ_by_rounding_are_equal():
    rows = np.array([0.0, 0, 1, 1, 9])[:, None]
    above = np.nextafter(2, 3)
    found = density_starts.dense_rows(
        spanning_tree(rows), lambda _: np.array([2, above, 2, above, 1]), row_distances(rows), 2
    )
    assert found.rows == [0, 2]


def literal_factors(x, m, simple):
    """Local outlier factors by definition, row by row, with a tolerance for ties."""
    d = squareform(pdist(x))
    reach = np.array([np.sort(np.delete(row, i))[m - 1] for i, row in enumerate(d)])
    near = d <= reach[:, None] * (1 + 1e-10)
    np.fill_diagonal(near, False)
    size = d if simple else np.maximum(d, reach)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = near.sum(axis=1) / np.where(near, size, 0).sum(axis=1)
        factors = np.array([density[row].mean() for row in near]) / density
    return np.where(np.isnan(factors), 1, factors)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["plain", "grid", "copies"]), st.booleans())
def test_factors_equal_the_definition(seed, kind, simple):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 50)), int(rng.integers(1, 5))
    x = rng.normal(size=(n, p))
    x = np.round(x, 1) if kind == "grid" else x[rng.integers(0, n, n)] if kind == "copies" else x
    m = int(rng.integers(1, n))
    expected = literal_factors(x, m, simple)
    # Sums of at most 50 terms.
    found = local_outlier_factors(x, m, kind="simple" if simple else "reachability")
    assert np.allclose(found, expected, rtol=1e-12)
    if n > m + 1:
        sizes, columns, distances, reach = _seeding.tree_neighbors(x, m)
        found = _seeding.neighbor_factors(sizes, columns, distances, None if simple else reach)
        assert np.allclose(found, expected, rtol=1e-12)


def test_tree_and_blocks_agree_on_many_rows():
    x = np.random.default_rng(0).normal(size=(2100, 4)).round(1)
    by_tree = local_outlier_factors(x, 10)
    wide = np.column_stack([x, np.zeros((2100, 12))])  # too many features for the tree
    assert np.allclose(by_tree, local_outlier_factors(wide, 10), rtol=1e-12)  # sums in another order


def test_scikit_learn_agrees_without_ties():
    x = np.random.default_rng(3).normal(size=(2500, 5))
    theirs = -LocalOutlierFactor(n_neighbors=10).fit(x).negative_outlier_factor_
    # scikit-learn adds 1e-10 to the mean reachability, here about 1.
    assert np.allclose(local_outlier_factors(x, kind="reachability"), theirs, rtol=1e-9)


def test_robin_leaves_the_band_only_when_it_is_used_up():
    x = np.array([0.0, 1, 2, 3, 4, 20, 21, 22, 23, 24, 60])[:, None]
    factors = local_outlier_factors(x, 2)
    inside = np.flatnonzero(np.abs(factors - 1) < 0.05)
    assert len(inside) == 2
    with pytest.warns(UserWarning, match="only 2 rows"):
        rows = robin(x, 5, n_neighbors=2)
    assert set(rows[:2]) == set(inside)
    assert (factors[rows] < 1.05).all()
    assert len(set(rows)) == 5
    with pytest.raises(ValueError, match=r"n_clusters=9 rows with .* 1 \+ crit = 1.05; there are"):
        robin(x, 9, n_neighbors=2)


def test_references_of_robin():
    x = np.random.default_rng(1).normal(loc=[10.0, 0.0], size=(60, 2))
    near_one = int(np.abs(local_outlier_factors(x) - 1).argmin())
    points = {"mean": x.mean(axis=0), "origin": np.zeros(2), "lof": x[near_one], 7: x[7]}
    band = np.abs(local_outlier_factors(x) - 1) < 0.3
    for reference, point in points.items():
        distance = np.where(band, np.linalg.norm(x - point, axis=1), -1)
        assert robin(x, 1, crit=0.3, reference=reference)[0] == distance.argmax()
    drawn = [robin(x, 3, crit=0.3, reference="random", random_state=s).tolist() for s in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len(set(map(tuple, drawn))) > 1


def test_first_row_of_maximin():
    x = np.random.default_rng(1).normal(size=(50, 2)) + 3
    assert maximin(x, 1)[0] == np.linalg.norm(x, axis=1).argmax()
    assert maximin(x, 3, first=5)[0] == 5
    assert (
        maximin(x, 3, first="random", random_state=1)[0] == maximin(x, 2, first="random", random_state=1)[0]
    )


# Documented properties of the methods.

CASES = st.tuples(st.integers(0, 10**6), st.integers(15, 60), st.integers(1, 5), st.integers(1, 5))


def draw_data(case):
    seed, n, p, n_clusters = case
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * rng.uniform(0.5, 3, p), n_clusters, rng


def robin_wide(x, n_clusters, **options):
    """ROBIN with a wide band, so that enough rows qualify in small data."""
    return quiet_robin(x, n_clusters, crit=0.5, n_neighbors=5, **options)


def rows_by(x, n_clusters):
    return {
        "dkm++": dkm_plus_plus(x, n_clusters).tolist(),
        "maximin": maximin(x, n_clusters).tolist(),
        "robin": robin_wide(x, n_clusters),
    }


@settings(max_examples=30, deadline=None)
@given(CASES)
def test_order_and_scale_of_rows_change_nothing(case):
    x, n_clusters, rng = draw_data(case)
    rows = rows_by(x, n_clusters)
    order = rng.permutation(len(x))
    for name, moved in rows_by(x[order], n_clusters).items():
        assert order[moved].tolist() == rows[name]
    for factor in (0.25, 1e200, 1e-200):
        assert rows_by(x * factor, n_clusters) == rows


@settings(max_examples=30, deadline=None)
@given(CASES)
def test_shift_and_rotation_change_nothing(case):
    x, n_clusters, rng = draw_data(case)
    p = x.shape[1]
    moved = x @ np.linalg.qr(rng.normal(size=(p, p)))[0] + 100
    assert dkm_plus_plus(moved, n_clusters).tolist() == dkm_plus_plus(x, n_clusters).tolist()
    assert robin_wide(moved, n_clusters) == robin_wide(x, n_clusters)
    assert maximin(moved, n_clusters, first=3).tolist() == maximin(x, n_clusters, first=3).tolist()


@settings(max_examples=30, deadline=None)
@given(CASES)
def test_rows_for_fewer_clusters_come_first(case):
    x, n_clusters, _ = draw_data(case)
    more = rows_by(x, n_clusters + 1)
    for name, rows in rows_by(x, n_clusters).items():
        assert rows == more[name][:-1]
        assert len(set(more[name])) == n_clusters + 1


@settings(max_examples=30, deadline=None)
@given(CASES)
def test_every_row_twice(case):
    x, n_clusters, _ = draw_data(case)
    twice = np.repeat(x, 2, axis=0)
    assert (maximin(twice, n_clusters) // 2).tolist() == maximin(x, n_clusters).tolist()
    assert len(set(dkm_plus_plus(twice, n_clusters) // 2)) == n_clusters
    assert len(set(robin_wide(twice, n_clusters))) == n_clusters


@settings(max_examples=30, deadline=None)
@given(CASES)
def test_maximin_comes_ever_nearer(case):
    x, n_clusters, _ = draw_data(case)
    rows = maximin(x, n_clusters + 2)
    gaps = [np.linalg.norm(x[rows[:k]] - x[rows[k]], axis=1).min() for k in range(1, len(rows))]
    assert all(a >= b for a, b in pairwise(gaps))
    largest = [
        np.linalg.norm(x[:, None] - x[rows[:k]], axis=2).min(axis=1).max() for k in range(1, len(rows))
    ]
    assert np.allclose(gaps, largest, rtol=1e-14)  # one rounding


def test_far_offset():
    x = np.random.default_rng(2).integers(0, 64, size=(80, 3)) / 4.0
    # Differences are exact: multiples of 1/4 near 2^30.
    assert rows_by(x + 2.0**30, 4)["dkm++"] == rows_by(x, 4)["dkm++"]
    assert np.array_equal(local_outlier_factors(x + 2.0**30), local_outlier_factors(x))
