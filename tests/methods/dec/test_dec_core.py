"""Autoencoder, optimisers and deep embedded clustering: reference values, gradients, invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sparsek.methods.dec import algorithm as dec
from sparsek.methods.dec import autoencoder as ae
from sparsek.methods.dec.optimizers import PIECE, Rule, descend, no_moments

Z = np.array([[0, 0], [1, 0], [0, 2], [3, 3]], dtype=float)
CENTERS = np.array([[0, 0.5], [2, 2]])
SIZES = (5, 7, 6, 3)
DEPTH = 3


def random_problem(seed, n=9, k=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), 2 * rng.standard_normal((k, 2)), rng


def numeric_gradient(loss, flat):
    """Central differences; their error is about 4e-11, eps to the power 2/3, times third derivatives."""
    gradient = np.empty_like(flat)
    for i, value in enumerate(flat.copy()):
        step = 6e-6
        flat[i] = value + step
        above = loss()
        flat[i] = value - step
        gradient[i] = (above - loss()) / (2 * step)
        flat[i] = value
    return gradient


# --- a small example with ten printed digits ---------------------------------------------------------------


def test_checked_assignments():
    q = dec.soft_assignment(Z, CENTERS, 1.0)
    assert_allclose(q[:, 0], [0.8780487805, 0.7272727273, 0.6060606061, 0.1558441558], atol=5e-11)
    p = dec.target_distribution(q)
    assert_allclose(p[:, 0], [0.9727936975, 0.8306470294, 0.6201363867, 0.0229683937], atol=5e-11)
    assert dec.divergence(p, q) == pytest.approx(0.1878318000, abs=5e-11)
    q = dec.soft_assignment(Z, CENTERS, 2.0)
    assert_allclose(q[:, 0], [0.9035653025, 0.7596721141, 0.6265070105, 0.1004461935], atol=5e-11)


def test_checked_gradients():
    p = dec.target_distribution(dec.soft_assignment(Z, CENTERS, 1.0))
    by_row, by_center = dec.embedding_gradients(Z, CENTERS, p, 1.0)
    rows = [
        (0.042108852, -0.0336870816),
        (0.1263463693, 0.0229720671),
        (0.0112606245, 0.0129930283),
        (0.0395220215, 0.0476989915),
    ]
    assert_allclose(by_row, rows, atol=5e-11)
    centers = [(-0.0428264487, 0.1496318895), (-0.1764114186, -0.1996088948)]
    assert_allclose(by_center, centers, atol=5e-11)


# --- the objective -----------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), alpha=st.sampled_from([0.5, 1.0, 2.5, 30.0]), scale=st.floats(1e-3, 1e3))
@settings(max_examples=60, deadline=None)
def test_distributions(seed, alpha, scale):
    rows, centers, _ = random_problem(seed)
    rows, centers = rows * scale, centers * scale
    q = dec.soft_assignment(rows, centers, alpha)
    p = dec.target_distribution(q)
    # Sums of three numbers of at most 1.
    assert_allclose(q.sum(axis=1), 1, rtol=1e-14)
    assert_allclose(p.sum(axis=1), 1, rtol=1e-14)
    assert dec.divergence(p, q) >= -1e-12
    by_row, by_center = dec.embedding_gradients(rows, centers, p, alpha)
    # A common shift changes nothing, up to rounding of the cancelling terms, of the size of `scale`.
    largest = np.abs(by_row).max()
    assert_allclose(by_row.sum(axis=0) + by_center.sum(axis=0), 0, atol=1e-12 * max(1, largest))


@pytest.mark.parametrize("alpha", [1.0, 2.5])
def test_embedding_gradients(alpha):
    rows, centers, rng = random_problem(3)
    p = dec.target_distribution(dec.soft_assignment(rows, centers, alpha)) + 0.1 * rng.random((9, 3))
    p /= p.sum(axis=1, keepdims=True)
    by_row, by_center = dec.embedding_gradients(rows, centers, p, alpha)
    for variable, found in ((rows, by_row), (centers, by_center)):
        numeric = numeric_gradient(
            lambda: dec.divergence(p, dec.soft_assignment(rows, centers, alpha)), variable.reshape(-1)
        )
        assert_allclose(found.ravel(), numeric, atol=1e-8)


def test_target_equals_assignment():
    # If q is one-hot or uniform; and it keeps the most probable cluster if all totals are equal.
    for q in (np.eye(3), np.full((4, 3), 1 / 3)):
        assert_allclose(dec.target_distribution(q), q, rtol=1e-15)
    rng = np.random.default_rng(0)
    row = rng.dirichlet(np.ones(4))
    q = np.array([np.roll(row, i) for i in range(4)])
    assert_array_equal(dec.target_distribution(q).argmax(axis=1), q.argmax(axis=1))


def test_far_rows():
    # (1 + 1e300)^-1 squared underflows; logarithms do not, and the divergence has a lower limit.
    q = dec.soft_assignment(np.array([[1e150], [0.0]]), np.array([[0.0], [2e150]]), 5.0)
    assert np.isfinite(q).all()
    p = dec.target_distribution(q)
    assert np.isfinite(p).all()
    assert dec.divergence(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])) > 300
    assert dec.divergence(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])) == 0
    # A cluster without any share gets no weight.
    assert_array_equal(dec.target_distribution(np.array([[1.0, 0.0]])), [[1.0, 0.0]])


# --- gradients of the networks -----------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("stage", range(DEPTH + 1))
def test_reconstruction_gradient(stage, dropped):
    rng = np.random.default_rng(stage)
    flat = rng.standard_normal(ae.block(SIZES, DEPTH - 1).stop) / 2
    gradient = np.full_like(flat, np.nan)
    if stage == DEPTH:
        layers, gradients, rectify = ae.whole(flat, SIZES), ae.whole(gradient, SIZES), ae.rectified(DEPTH)
        part = slice(None)
    else:
        layers, gradients = ae.halves(flat, SIZES, stage), ae.halves(gradient, SIZES, stage)
        rectify, part = [stage < DEPTH - 1, stage > 0], ae.block(SIZES, stage)
    clean = rng.standard_normal((8, len(layers[0][0])))
    given_rows = clean * ae.dropout_mask(clean.shape, 0.2, float, rng) if dropped else clean
    masks = {0: ae.dropout_mask((8, len(layers[0][1])), 0.2, float, rng)} if dropped else None
    arguments = (layers, rectify, given_rows, clean, gradients, masks)
    loss = ae.reconstruction_gradient(*arguments)
    assert loss == pytest.approx(np.mean((ae.forward(*arguments[:3], masks)[-1] - clean) ** 2))
    found = gradient[part].copy()
    numeric = numeric_gradient(lambda: ae.reconstruction_gradient(*arguments), flat[part])
    assert np.abs(numeric).max() > 0.01
    assert_allclose(found, numeric, atol=1e-6)  # all entries are below 10


@pytest.mark.parametrize("alpha", [1.0, 2.5])
def test_clustering_gradient(alpha):
    rng = np.random.default_rng(5)
    k = 4
    flat = rng.standard_normal(ae.n_encoder_parameters(SIZES) + k * SIZES[-1]) / 2
    gradient = np.full_like(flat, np.nan)
    X = rng.standard_normal((11, SIZES[0]))
    layers, centers = dec.encoder_and_centers(flat, SIZES)
    p = rng.dirichlet(np.ones(k), size=11)

    def loss():
        return dec.divergence(p, dec.soft_assignment(dec.encode_all(layers, X), centers, alpha)) / len(X)

    dec.clustering_gradient(layers, centers, X, p, alpha, *dec.encoder_and_centers(gradient, SIZES))
    assert_allclose(gradient, numeric_gradient(loss, flat), atol=1e-6)  # entries below 10, as above


# --- parameters, optimisers, batches -----------------------------------------------------------------------


def test_views_cover_the_parameters_once():
    flat = np.zeros(ae.block(SIZES, DEPTH - 1).stop)
    for weights, bias in ae.whole(flat, SIZES):
        weights += 1
        bias += 1
    assert (flat == 1).all()
    shapes = [weights.shape for weights, _ in ae.whole(flat, SIZES)]
    assert shapes == [(5, 7), (7, 6), (6, 3), (3, 6), (6, 7), (7, 5)]
    assert ae.rectified(DEPTH) == [True, True, False, True, True, False]
    assert ae.rectified(1) == [False, False]


def test_initial_parameters():
    sizes = (300, 200, 10)
    for how, spread in (("glorot", np.sqrt(6 / 500 / 3)), ("normal", 0.01)):
        flat = ae.initial_parameters(ae.Training(sizes, Rule("adam", 1e-3), weight_init=how), float, 0)
        (weights, bias), _ = ae.halves(flat, sizes, 0)
        assert not bias.any()
        assert weights.std() == pytest.approx(spread, rel=0.02)  # 60 000 draws: 0.3 % is one standard error
    assert np.abs(ae.halves(flat, sizes, 0)[0][0]).max() < 0.06


def test_adam():
    # Kingma and Ba (2015), Algorithm 1, term by term; the parameters are updated in several pieces.
    rng = np.random.default_rng(0)
    rule, n = Rule("adam", 0.01), PIECE + 3
    theta = rng.standard_normal(n)
    expected, moments = theta.copy(), no_moments(rule, n, theta.dtype)
    m = v = np.zeros(n)
    for t in range(1, 6):
        g = rng.standard_normal(n)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        expected -= 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        descend(rule, theta, g, moments, t)
    assert_allclose(theta, expected, atol=1e-13)  # rounding of five steps


def test_momentum_and_decay():
    rule, theta = Rule("sgd", 0.1, 0.5, decay_every=2), np.array([1.0, 2.0])
    moments = no_moments(rule, 2, theta.dtype)
    expected, velocity = theta.copy(), np.zeros(2)
    for step, rate in enumerate((0.1, 0.1, 0.01, 0.01, 0.001), start=1):
        velocity = 0.5 * velocity + step
        expected -= rate * velocity
        descend(rule, theta, np.full(2, float(step)), moments, step)
    assert_allclose(theta, expected, rtol=1e-14)


@pytest.mark.parametrize(("n", "size", "lengths"), [(10, 3, [2, 2, 3, 3]), (10, 256, [10]), (8, 4, [4, 4])])
def test_batches(n, size, lengths):
    parts = ae.batches(n, size, np.random.default_rng(0))
    assert sorted(map(len, parts)) == lengths
    assert sorted(np.concatenate(parts)) == list(range(n))


def test_dropout_mask():
    mask = ae.dropout_mask((200, 500), 0.2, np.float32, np.random.default_rng(0))
    assert mask.dtype == np.float32
    assert_array_equal(np.unique(mask), np.array([0, 1.25], np.float32))
    assert mask.mean() == pytest.approx(1, abs=0.008)  # five standard errors of 100 000 draws


def test_encoding_in_pieces():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2 * ae.CHUNK_ROWS + 5, 5))
    flat = ae.initial_parameters(ae.Training(SIZES, Rule("adam", 1e-3)), float, 1)
    layers = ae.whole(flat, SIZES)
    whole_pass = ae.forward(layers, ae.rectified(DEPTH), X)[-1]
    assert_allclose(ae.encode(layers, ae.rectified(DEPTH), X), whole_pass, atol=1e-14)
    error = ae.reconstruction_error(layers, ae.rectified(DEPTH), X)
    assert error == pytest.approx(np.mean((whole_pass - X) ** 2), rel=1e-13)


# --- training ----------------------------------------------------------------------------------------------


def structured(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)) @ rng.standard_normal((2, 5)) / 1.5


@pytest.mark.parametrize("corrupt_input", [True, False])
@pytest.mark.parametrize("rule", [Rule("adam", 1e-2), Rule("sgd", 0.1)])
def test_fine_tuning_lowers_the_error(rule, corrupt_input):
    plan = ae.Training(SIZES, rule, 10, 30, batch_size=32, corrupt_input=corrupt_input)
    states = list(ae.pretrain(structured(), plan, 0))
    before, after = states[-1].errors
    assert after < before < np.mean(structured() ** 2)
    assert [len(losses) for losses in states[-1].losses] == [10, 10, 10, 30]
    assert len(states) == 61


def test_patience_ends_a_stage():
    # With a negligible rate the loss changes only by the noise of dropout.
    plan = ae.Training(SIZES, Rule("sgd", 1e-30), 50, 50, dropout=0.0, patience=3)
    (*_, last) = ae.pretrain(structured(), plan, 0)
    assert [len(losses) for losses in last.losses] == [4, 4, 4, 4]


def test_layers_are_trained_on_the_clean_output_of_those_below():
    plan = ae.Training(SIZES, Rule("adam", 1e-3), 1, 0)
    X = structured()
    state = ae.Pretraining(2, 0, ae.initial_parameters(plan, float, 0), np.empty(0), ())
    stage = ae.prepare_stage(X, plan, state)
    layers = ae.whole(state.parameters, SIZES)[:2]
    assert_allclose(stage.data, ae.forward(layers, [True, True], X)[-1], atol=1e-15)
    assert (stage.rectify, stage.corrupts, stage.drops_code) == ([False, True], True, False)
    first = ae.prepare_stage(X, plan, ae.enter_stage(X, plan, state, 0))
    assert (first.rectify, first.corrupts, first.drops_code) == ([True, False], True, True)


def test_clustering_lowers_the_divergence_from_a_fixed_target():
    rng = np.random.default_rng(1)
    X = np.repeat(3 * np.eye(5)[:3], 20, axis=0) + rng.standard_normal((60, 5))
    training = ae.Training(SIZES, Rule("adam", 1e-2), 5, 10)
    (*_, trained) = ae.pretrain(X, training, 0)
    plan = dec.ClusterPlan(SIZES, 3, Rule("sgd", 0.01), update_interval=50, max_iter=50, tol=0)
    first = dec.first_clustering(X, plan, trained.parameters, 0)
    layers, centers = dec.encoder_and_centers(first.parameters, SIZES)
    q = dec.soft_assignment(dec.encode_all(layers, X), centers, 1.0)
    p = dec.target_distribution(q)
    before = dec.divergence(p, q)
    states = list(dec.cluster(X, plan, first, 0))  # 50 steps on one target
    after = dec.divergence(p, dec.soft_assignment(dec.encode_all(layers, X), centers, 1.0))
    assert after < 0.9 * before
    assert [state.step for state in states] == [0, 50]
    assert states[0].history[0][1] == pytest.approx(before)
    assert_array_equal(states[-1].first_labels, first.labels)
