"""SelfOrganizingMap: the published step by loops, limits, invariances, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SelfOrganizingMap
from sparsek.methods.maps.algorithm import near_square, nodes_on_axes, places


def groups(n: int = 90, p: int = 4, seed: int = 0) -> np.ndarray:
    """Three normal groups of equal size."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 4 * rng.normal(size=(3, p))[np.arange(n) % 3]


def literal_map(x: np.ndarray, nodes: np.ndarray, at: np.ndarray, radii: list[float]) -> np.ndarray:
    """Passes over rows and nodes, one after the other."""
    for radius in radii:
        best = [min(range(len(nodes)), key=lambda k: math.dist(row, nodes[k])) for row in x]
        moved = []
        for k in range(len(nodes)):
            near = [math.exp(-(math.dist(at[k], at[b]) ** 2) / (2 * radius**2)) for b in best]
            total = sum(near)
            moved.append(sum(h * row for h, row in zip(near, x, strict=True)) / total)
        nodes = np.array(moved)
    return nodes


@settings(max_examples=20)
@given(
    st.integers(0, 10**6),
    st.sampled_from([(1, 3), (2, 2), (2, 3)]),
    st.sampled_from(["hexagonal", "rectangular"]),
)
def test_the_published_step(seed: int, shape: tuple[int, int], lattice: str) -> None:
    k = shape[0] * shape[1]
    x = np.random.default_rng(seed).normal(size=(15, 3))
    model = SelfOrganizingMap(
        k, shape=shape, lattice=lattice, radius=2.0, last_radius=1.0, init=x[:k], max_iter=3
    ).fit(x)
    expected = literal_map(x, x[:k], places(shape, lattice), [2.0, math.sqrt(2), 1.0])
    # Sums in another order, and centring.
    np.testing.assert_allclose(model.cluster_centers_, expected, rtol=0, atol=1e-12)


def test_a_tiny_radius_is_k_means_and_a_huge_one_the_mean() -> None:
    x = groups()
    labels = SelfOrganizingMap(3, init=x[:3], radius=1e-3, last_radius=1e-3, max_iter=20).fit(x)
    means = [x[labels.labels_ == k].mean(axis=0) for k in range(3)]
    np.testing.assert_allclose(labels.cluster_centers_, means, atol=1e-13)  # sums in another order
    same = SelfOrganizingMap(3, init=x[:3], radius=1e9, last_radius=1e9, max_iter=1).fit(x)
    np.testing.assert_allclose(same.cluster_centers_, np.tile(x.mean(axis=0), (3, 1)), atol=1e-13)


@pytest.mark.parametrize("init", ["axes", "k-means++", "random", "maximin"])
def test_results_fit_together(init: str) -> None:
    x = groups()
    model = SelfOrganizingMap(12, init=init, n_init=3, random_state=0).fit(x)
    distances = np.linalg.norm(x[:, None] - model.cluster_centers_, axis=2)
    np.testing.assert_array_equal(model.labels_, distances.argmin(axis=1))
    np.testing.assert_array_equal(model.predict(x), model.labels_)
    assert model.inertia_ == pytest.approx((distances.min(axis=1) ** 2).sum(), rel=1e-12)
    assert model.quantization_error_ == pytest.approx(distances.min(axis=1).mean(), rel=1e-12)
    order = distances.argsort(axis=1)[:, :2]
    apart = np.linalg.norm(model.positions_[order[:, 0]] - model.positions_[order[:, 1]], axis=1)
    assert model.topographic_error_ == pytest.approx((apart > 1.001).mean())
    assert model.start_objectives_.min() == pytest.approx(model.inertia_, rel=1e-12)
    assert model.n_iter_ == 50


def test_nodes_on_the_axes_span_two_standard_deviations() -> None:
    rows = np.random.default_rng(3).normal(size=(40, 3))
    prepared = np.column_stack([rows - rows.mean(axis=0), np.ones(40)])
    nodes = nodes_on_axes(prepared, (3, 3), None).reshape(3, 3, -1)
    np.testing.assert_allclose(nodes[1, 1], 0, atol=1e-14)  # rounding
    variance = np.linalg.eigvalsh(np.cov(rows.T, ddof=0))[::-1]
    for end, size in ((nodes[1, 2], variance[0]), (nodes[2, 1], variance[1])):
        assert np.linalg.norm(end) == pytest.approx(2 * size**0.5, rel=1e-12)  # rounding
        assert end[np.abs(end).argmax()] > 0


def test_near_nodes_have_near_rows() -> None:
    x = np.random.default_rng(0).uniform(size=(400, 2))
    model = SelfOrganizingMap(25, lattice="rectangular").fit(x)
    assert model.topographic_error_ < 0.1
    apart = np.linalg.norm(model.positions_[:, None] - model.positions_, axis=2)
    between = np.linalg.norm(model.cluster_centers_[:, None] - model.cluster_centers_, axis=2)
    assert np.corrcoef(apart.ravel(), between.ravel())[0, 1] > 0.95


def test_weights_are_repetitions_and_order_does_not_matter() -> None:
    x = groups(40)
    weights = np.arange(40) % 4
    weighted = SelfOrganizingMap(6).fit(x, sample_weight=weights)
    repeated = SelfOrganizingMap(6).fit(np.repeat(x, weights, axis=0))
    # Sums in another order.
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-9)
    assert weighted.quantization_error_ == pytest.approx(repeated.quantization_error_)
    assert weighted.topographic_error_ == pytest.approx(repeated.topographic_error_)
    order = np.random.default_rng(3).permutation(40)
    first, second = SelfOrganizingMap(6).fit(x), SelfOrganizingMap(6).fit(x[order])
    np.testing.assert_array_equal(first.labels_[order], second.labels_)


def test_shift_and_scale() -> None:
    x = groups()
    model = SelfOrganizingMap(6).fit(x)
    for scale, shift in ((1e-100, 0.0), (3.0, 1e4), (1e100, 0.0)):
        other = SelfOrganizingMap(6).fit(x * scale + shift)
        np.testing.assert_array_equal(other.labels_, model.labels_)
        # An offset of 1e4 leaves an accuracy of 1e-12.
        np.testing.assert_allclose(other.cluster_centers_, model.cluster_centers_ * scale + shift, rtol=1e-9)
    standard = SelfOrganizingMap(6, standardize=True)
    np.testing.assert_array_equal(standard.fit(x * [1, 10, 100, 1000]).labels_, standard.fit(x).labels_)


def test_shapes() -> None:
    assert [near_square(k) for k in (1, 2, 7, 12, 16)] == [(1, 1), (1, 2), (1, 7), (3, 4), (4, 4)]
    hexagonal = places((2, 2), "hexagonal")
    assert np.linalg.norm(hexagonal[0] - hexagonal[[1, 2]], axis=1) == pytest.approx([1, 1])
    tall = SelfOrganizingMap(6, shape=(3, 2), lattice="rectangular").fit(groups())
    assert tall.positions_.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]


def test_one_node_one_column_and_equal_rows() -> None:
    x = groups(20)
    one = SelfOrganizingMap(1).fit(x)
    np.testing.assert_allclose(one.cluster_centers_, [x.mean(axis=0)], atol=1e-14)
    assert one.topographic_error_ == 0
    line = SelfOrganizingMap(4).fit(x[:, :1])
    assert line.labels_[x[:, 0].argmin()] != line.labels_[x[:, 0].argmax()]
    assert SelfOrganizingMap(3).fit(np.ones((5, 2))).inertia_ == 0


def test_bad_input() -> None:
    x = groups()
    with pytest.raises(ValueError, match=r"shape=\(2, 3\) has 6 nodes, and n_clusters=8; give n_clusters=6"):
        SelfOrganizingMap(shape=(2, 3)).fit(x)
    for shape in ((8,), (0, 8), (2.0, 4.0), (2, 2, 2)):
        with pytest.raises(ValueError, match="shape must be two positive whole numbers"):
            SelfOrganizingMap(shape=shape).fit(x)
    with pytest.raises(ValueError, match=r"last_radius=3.0 must be at most radius=2.0; lower last_radius"):
        SelfOrganizingMap(radius=2.0, last_radius=3.0).fit(x)
    with pytest.raises(ValueError, match=r"n_samples=5 .* must be at least n_clusters=8"):
        SelfOrganizingMap().fit(x[:5])
    for name, value in {"radius": 0, "last_radius": -1.0, "lattice": "square", "max_iter": 0}.items():
        with pytest.raises(ValueError, match=name):
            SelfOrganizingMap(**{name: value}).fit(x)
    for name, value in {"radius": 1e10, "last_radius": 1e-7, "max_iter": 100_001}.items():
        with pytest.raises(ValueError, match=rf"'{name}' parameter .* Got {value}"):
            SelfOrganizingMap(**{name: value}).fit(x)
