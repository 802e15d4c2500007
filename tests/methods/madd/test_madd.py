"""K-means on MADD: reference numbers, literal loops, invariants, descent, linkage."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import cut_tree, fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone

from r_reference.packages.SparseMinMax.ours import base_in_order, madd_in_order
from r_reference.recipes import make_data
from sparsek import MADDKMeans, madd_distances
from sparsek.core.trees import average_linkage, linkage_labels
from sparsek.methods.madd.algorithm import (
    MATRICES,
    base_dissimilarities,
    criterion_changes,
    madd,
    mean_dissimilarities,
    means_of_others,
    sweep,
)
from sparsek.rng import RRandom
from tests.methods.madd.literal_madd import (
    literal_base,
    literal_criterion,
    literal_madd,
    literal_sweeps,
    wanted_gain,
    wanted_mean,
    wanted_other,
    weighted_madd,
)
from validation.parity.cases import select_cases
from validation.parity.outcome import load_record

CASE_C = np.array([(0, 0), (1, 0), (0, 2), (6, 5), (7, 5)], dtype=float)
VERSIONS = pytest.mark.parametrize("version", [0, 1, 2])
OF_MEANS = [(mean_dissimilarities, False, 2, wanted_mean), (means_of_others, True, 1, wanted_other)]
RULES = pytest.mark.parametrize(
    ("score", "strict", "power", "wanted"), [*OF_MEANS, (criterion_changes, True, 2, wanted_gain)]
)
# Rounding of a difference of sums of at most 40 terms of about 1; the sums are below 100.
ROUNDING = 1e-12


def draw_groups(seed, n=30, p=6, k=3):
    """Rows in k groups of different location and scale."""
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    return (3 * rng.normal(size=(k, p)))[group] + (1 + group[:, None]) * rng.normal(size=(n, p))


@pytest.mark.parametrize(
    ("version", "row"),
    [
        (0, [0, 0.4165625993, 0.7836312635, 4.3325839653, 4.5340328999]),
        (1, [0, 0.5, 1, 4.5, 4.6666666667]),
        (2, [0, 0.1063244373, 0.1584604933, 0.632950437, 0.6336603028]),
    ],
)
def test_checked_distances(version, row):
    # The reference numbers have ten decimals.
    np.testing.assert_allclose(madd_distances(CASE_C, version)[0], row, atol=6e-11)


def test_checked_sweeps():
    D = madd_distances(CASE_C) ** 2
    (fit,) = sweep(D, np.array([[0, 1, 0, 1, 0]]), 2, mean_dissimilarities, False, 10)
    assert fit.labels.tolist() == [0, 0, 0, 1, 1]
    assert (fit.n_iter, fit.converged) == (2, True)


@VERSIONS
@pytest.mark.parametrize(("n", "p"), [(3, 1), (4, 7), (25, 3), (12, 40)])
def test_distances_equal_the_definition(version, n, p):
    X = draw_groups(n + p, n, p)
    np.testing.assert_allclose(madd_distances(X, version), literal_madd(X, version), atol=ROUNDING)


@VERSIONS
@pytest.mark.seeds(3)
def test_fast_distances_equal_those_in_the_order_of_r(version, seed):
    X = draw_groups(seed, n=40, p=12)
    phi = base_in_order(X, version)
    np.testing.assert_allclose(base_dissimilarities(X, version), phi, atol=ROUNDING)
    np.testing.assert_allclose(madd_distances(X, version), madd_in_order(phi), atol=ROUNDING)


def test_estimator_gives_the_recorded_labels_of_r():
    # Real data without ties, so that the last digits of the distances do not matter.
    cases = [c for c in select_cases("^maddkmeans") if "dataset" in c["data"] and c["data"]["scaled"]]
    assert len(cases) == 27
    for case in cases:
        k, X = case["args"]["k"], make_data(case["data"])
        stream = RRandom(case["seed"], sample_kind=case["sample_kind"])
        start = np.asarray(stream.sample_int(k, len(X), replace=True)) - 1
        model = MADDKMeans(k, version=int(case["function"][10:] or 0), init=start).fit(X)
        value = load_record(case)["result"]["value"]
        assert np.array_equal(model.labels_ + 1, value["cluster"])
        assert max(model.n_iter_, 2) == np.asarray(value["iters"]).item()


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@VERSIONS
@pytest.mark.filterwarnings("ignore:the entry|column:sparsek.errors.PrecisionWarning")  # 8 beside 6e-8
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_properties_of_distances(version, data):
    shape = data.draw(st.tuples(st.integers(3, 8), st.integers(1, 4)))
    X = data.draw(arrays(float, shape, elements=st.floats(-8, 8, width=16)))
    phi = base_dissimilarities(X, version)
    rho = madd(phi)
    assert np.array_equal(rho, rho.T)
    assert not rho.diagonal().any()
    assert (rho >= 0).all()
    assert (rho <= phi + ROUNDING).all()  # holds for every term, by the triangle inequality
    np.testing.assert_allclose(rho, literal_madd(X, version), atol=ROUNDING)
    order = data.draw(st.permutations(range(len(X))))
    np.testing.assert_allclose(madd_distances(X[order], version), rho[np.ix_(order, order)], atol=ROUNDING)
    columns = data.draw(st.permutations(range(X.shape[1])))
    np.testing.assert_allclose(madd_distances(X[:, columns], version), rho, atol=ROUNDING)
    np.testing.assert_allclose(madd_distances(X + 16, version), rho, atol=ROUNDING)
    # Adding a constant to all distances changes only the terms z = i and z = j, which are left out.
    np.testing.assert_allclose(madd(phi + 3 * (1 - np.eye(len(X)))), rho, atol=100 * ROUNDING)


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("exponent", [-1000, -400, 20, 600, 1010])
def test_distances_scale_with_the_data(version, exponent):
    # A power of two changes no digit, except for subnormal numbers (below 2^-1022).
    X = draw_groups(1)
    expected = madd_distances(X, version)
    tolerance = 1e-12 if exponent == -1000 else 0
    found = madd_distances(np.ldexp(X, exponent), version)
    np.testing.assert_allclose(np.ldexp(found, -exponent), expected, rtol=tolerance, atol=tolerance)


def test_bounded_base_takes_all_sizes():
    X = np.array([[1e308], [-1e308], [0.0], [1e-300]])
    assert np.array_equal(base_dissimilarities(X, 2)[0], [0, 1, 1, 1])
    # 1 - exp(-d) keeps its digits for small d.
    assert base_dissimilarities(X, 2)[2, 3] == 1e-300


@VERSIONS
@RULES
@pytest.mark.seeds(2, also=[61172316])
def test_sweeps_equal_literal_loops(version, score, strict, power, wanted, seed):
    X = draw_groups(seed, n=18, p=3)
    D = literal_madd(X, version) ** power
    starts = np.random.default_rng(seed).integers(4, size=(3, len(X)))
    starts[2][starts[2] == 1] = 0  # one cluster is empty
    for start, fit in zip(starts, sweep(D, starts, 4, score, strict, 100), strict=True):
        labels, history = literal_sweeps(D, start, 4, wanted)
        assert np.array_equal(fit.labels, labels)
        np.testing.assert_allclose(fit.history, history, rtol=ROUNDING)
        assert fit.converged == (len(history) < 100)


@pytest.mark.parametrize(("score", "strict", "power", "wanted"), OF_MEANS)
@pytest.mark.seeds(4)
def test_ties_equal_literal_loops(score, strict, power, wanted, seed):
    # Whole numbers with many repetitions: sums are exact, and so are ties of means. Gains are differences of
    # means, whose rounding decides between two that are equal.
    rng = np.random.default_rng(seed)
    half = rng.integers(0, 4, size=(16, 16))
    D = (half + half.T) * (1 - np.eye(16))
    starts = rng.integers(4, size=(1, 16))
    (fit,) = sweep(D, starts, 4, score, strict, 30)
    if fit.converged:
        assert np.array_equal(fit.labels, literal_sweeps(D, starts[0], 4, wanted)[0])


def test_runs_do_not_depend_on_each_other():
    D = madd_distances(draw_groups(2)) ** 2
    starts = np.random.default_rng(0).integers(3, size=(6, len(D)))
    together = sweep(D, starts, 3, mean_dissimilarities, False, 50)
    for start, fit in zip(starts, together, strict=True):
        (alone,) = sweep(D, start[None], 3, mean_dissimilarities, False, 50)
        assert np.array_equal(alone.labels, fit.labels)
        assert (alone.n_iter, alone.converged) == (fit.n_iter, fit.converged)
        # Matrix products of other shapes may sum in another order.
        np.testing.assert_allclose(alone.history, fit.history, rtol=ROUNDING)


@VERSIONS
@pytest.mark.seeds(5)
def test_criterion_of_centroid_never_rises(version, seed):
    model = MADDKMeans(4, version=version, variant="centroid", random_state=seed).fit(draw_groups(seed, 40))
    history = model.criterion_history_
    assert (np.diff(history) <= ROUNDING * history[0]).all()


@pytest.mark.seeds(6)
def test_centroid_finds_the_best_of_all_partitions(seed):
    X = draw_groups(seed, n=8, p=4, k=2)
    D = madd_distances(X) ** 2
    best = min(
        literal_criterion(D, np.array(labels), 2)
        for labels in itertools.product([0, 1], repeat=8)
        if len(set(labels)) == 2
    )
    model = MADDKMeans(2, variant="centroid", n_init=30, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(best, rel=ROUNDING)


def test_singletons_of_gmadd_stay():
    X = np.array([[0.0], [0.1], [0.15], [5.0], [5.1]])
    start = np.array([0, 1, 1, 2, 2])
    model = MADDKMeans(3, variant="gmadd", init=start).fit(X)
    assert np.array_equal(model.labels_, start)


@VERSIONS
def test_gmadd_begins_with_average_linkage(version):
    X = draw_groups(3)
    rho = madd_distances(X, version)
    merged = fcluster(linkage(rho[np.triu_indices(len(X), 1)], "average"), 4, "maxclust")
    models = [
        MADDKMeans(4, version=version, variant="gmadd", init=i).fit(X)
        for i in ("auto", "average", merged.astype(int) - 1)
    ]
    for model in models:
        assert len(model.start_objectives_) == 1
        # The same partition; its labels may be in another order.
        assert model.objective_ == pytest.approx(models[0].objective_, rel=ROUNDING)
        first = models[0].labels_
        assert np.array_equal(first[:, None] == first, model.labels_[:, None] == model.labels_)


@pytest.mark.parametrize("method", ["average", "complete"])
@pytest.mark.parametrize("n_clusters", [1, 2, 5, 30])
def test_linkage_labels(method, n_clusters):
    condensed = pdist(draw_groups(4))
    labels = linkage_labels(condensed, n_clusters, method)
    expected = cut_tree(linkage(condensed, method), n_clusters).ravel()
    assert np.array_equal(labels[:, None] == labels, expected[:, None] == expected)
    assert np.array_equal(np.unique(labels, return_index=True)[0], np.arange(n_clusters))


@pytest.mark.parametrize("n", [2, 5, 40])
def test_average_linkage_of_weights_is_that_of_repeated_rows(n):
    X, counts = draw_groups(n, n), np.random.default_rng(n).integers(1, 4, n)
    np.testing.assert_allclose(
        average_linkage(squareform(pdist(X)), np.ones(n)), linkage(pdist(X), "average"), rtol=ROUNDING
    )
    k = min(n, 4)
    labels = np.repeat(linkage_labels(pdist(X), k, "average", counts), counts)
    expected = linkage_labels(pdist(np.repeat(X, counts, axis=0)), k, "average")
    assert np.array_equal(labels[:, None] == labels, expected[:, None] == expected)


def test_linkage_labels_are_as_many_as_asked_where_heights_tie():
    assert len(np.unique(linkage_labels(np.ones(15), 4, "complete"))) == 4
    assert len(np.unique(fcluster(linkage(np.ones(15), "complete"), 4, "maxclust"))) == 1


@pytest.mark.parametrize("variant", ["r", "centroid", "gmadd"])
@VERSIONS
def test_groups_that_differ_in_scale_only(variant, version):
    # Many features: distances concentrate, and rows of the wide group are far from each other.
    X = np.random.default_rng(0).normal(size=(40, 600))
    X[20:] *= 2
    truth = np.arange(40) >= 20
    model = MADDKMeans(2, version=version, variant=variant, random_state=0).fit(X)
    assert np.array_equal(model.labels_ == model.labels_[-1], truth)
    more = np.random.default_rng(1).normal(size=(10, 600)) * np.repeat([1, 2], 5)[:, None]
    assert np.array_equal(model.predict(more) == model.labels_[-1], np.arange(10) >= 5)


@VERSIONS
@pytest.mark.parametrize("variant", ["r", "centroid", "gmadd"])
def test_weights_equal_the_definition_and_repeated_rows(version, variant):
    X, new, start = draw_groups(5, n=14), draw_groups(6, n=4), np.arange(14) % 3
    counts = np.random.default_rng(version).integers(1, 5, 14)
    for weights in (counts, counts / 3):
        model = MADDKMeans(3, version=version, variant=variant, init=start).fit(X, sample_weight=weights)
        rho = weighted_madd(X, version, weights)
        np.testing.assert_allclose(model.dissimilarity_matrix_, rho, atol=ROUNDING)
        D = rho if variant == "gmadd" else rho**2
        same = weights * (model.labels_[:, None] == model.labels_)
        objective = (weights[:, None] * same * D / same.sum(axis=1)[:, None]).sum()
        assert model.objective_ == pytest.approx(objective, rel=ROUNDING)
        if weights is counts:
            repeated = clone(model).set_params(init=np.repeat(start, counts))
            repeated.fit(np.repeat(X, counts, axis=0))
            assert np.array_equal(np.repeat(model.labels_, counts), repeated.labels_)
            np.testing.assert_allclose(model.transform(new), repeated.transform(new), rtol=1e-10)


@VERSIONS
@pytest.mark.parametrize("variant", ["r", "centroid", "gmadd"])
def test_transform_of_new_rows_is_the_definition(version, variant):
    X, new = draw_groups(5, n=14), draw_groups(6, n=4)
    model = MADDKMeans(3, version=version, variant=variant, random_state=0).fit(X)
    phi = base_dissimilarities(X, version)
    rho = np.zeros((4, 14))
    for m, j in itertools.product(range(4), range(14)):
        others = [z for z in range(14) if z != j]
        rho[m, j] = np.mean([abs(literal_base(new[m], X[z], version) - phi[j, z]) for z in others])
    D, within = (rho, madd(phi)) if variant == "gmadd" else (rho**2, madd(phi) ** 2)
    expected = np.empty((4, 3))
    for k in range(3):
        rows = model.labels_ == k
        expected[:, k] = D[:, rows].mean(axis=1)
        if variant == "centroid":
            expected[:, k] -= within[np.ix_(rows, rows)].mean() / 2
    labels = expected.argmin(axis=1)
    if variant != "gmadd":
        expected = np.sqrt(expected)
    np.testing.assert_allclose(model.transform(new), expected, rtol=1e-10)  # after a difference and a root
    assert np.array_equal(model.predict(new), labels)


def test_memory_is_of_the_order_of_the_matrices():
    X = draw_groups(0, n=400, p=50)  # distant groups need few sweeps
    tracemalloc.start()
    MADDKMeans(3, variant="gmadd", random_state=0).fit(X)
    MADDKMeans(3, n_init=2, random_state=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # One matrix is 1.28e6 bytes; the rest is for the data and small objects such as modules.
    assert peak < MATRICES * 8 * 400**2 + X.nbytes + 2e6
