"""SKFR under Bregman divergences: a literal version, descent, zeros, weights, refusals."""

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, PermutationGap, skfr_path
from sparsek.methods.skfr.algorithm import skfr
from sparsek.methods.skfr.bregman import (
    BregmanRows,
    Divergence,
    as_shares,
    bregman_data,
    column_totals,
    rank_bregman,
)
from tests.methods.shared.test_estimator_checks import checks_of_numbers, name_of_part, run
from tests.partitions import by_size

LOSSES = ("poisson", "multinomial", "itakura-saito")
SCOPES = ("global", "local")
FEWER_CLUSTERS = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RELATIVE = 1e-9
"""Two orders of adding up some hundred numbers of one size agree to far more digits."""


def loose(loss, *args, **kwargs):
    return SKFR(*args, loss=loss, standardize=False, **kwargs)


def counts(seed, n=60, p=12, mean=2.0, loss="poisson"):
    """Counts of three groups that differ in the first four features; positive for Itakura-Saito."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    rates = np.full((3, p), mean)
    rates[0, :2] *= 4
    rates[1, 2:4] *= 4
    X = rng.poisson(rates[truth]).astype(float)
    X[:, -1] += X.sum(axis=1) == 0
    return (X + 0.5 if loss == "itakura-saito" else X), truth


def divergence(loss, x, y):
    """d(x, y) of two numbers, from the definitions."""
    if np.isnan(x):
        return 0.0
    if loss == "itakura-saito":
        return x / y - np.log(x / y) - 1
    if x == 0:
        return y
    return np.inf if y == 0 else x * np.log(x / y) - x + y


def literal(loss, X, labels, k, s, local, w):
    """The algorithm as its page states it, entry by entry: labels, selected features, history."""
    n, p = X.shape
    X, w = X.astype(float).copy(), np.array(w, dtype=float)
    if loss == "multinomial":
        for i in range(n):
            w[i] *= X[i].sum()
            X[i] /= X[i].sum()
    mean = lambda rows, j: np.average([X[i, j] for i in rows], weights=[w[i] for i in rows])  # noqa: E731
    seen = [[i for i in range(n) if not np.isnan(X[i, j])] for j in range(p)]
    m = [mean(seen[j], j) for j in range(p)]
    history = []
    while True:
        gains, theta = np.zeros((k, p)), np.tile(m, (k, 1))
        for c in range(k):
            for j in range(p):
                rows = [i for i in seen[j] if labels[i] == c]
                if rows:
                    theta[c, j] = mean(rows, j)
                    before = sum(w[i] * divergence(loss, X[i, j], m[j]) for i in rows)
                    after = sum(w[i] * divergence(loss, X[i, j], theta[c, j]) for i in rows)
                    gains[c, j] = before - after  # not the formula of the gain, but what it stands for
        ranked = gains if local else np.tile(gains.sum(axis=0), (k, 1))
        selected = np.sort(np.argsort(-ranked.round(9), axis=1, kind="stable")[:, :s], axis=1)
        for c in range(k):
            out = [j for j in range(p) if j not in selected[c]]
            theta[c, out] = np.array(m)[out]
        distance = np.array(
            [
                [sum(divergence(loss, X[i, j], theta[c, j]) for j in range(p)) for c in range(k)]
                for i in range(n)
            ]
        )
        history.append(sum(w[i] * distance[i, labels[i]] for i in range(n)))
        new = distance.argmin(axis=1)
        if (new == labels).all():
            return labels, (selected if local else selected[0]), history
        labels = new


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["plain", "weights", "holes"])
@pytest.mark.seeds(3)
def test_it_is_the_literal_algorithm(loss, scope, kind, seed):
    X, _ = counts(seed, n=24, p=7, loss=loss)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 3, 24) if kind == "weights" else None
    if kind == "holes" and loss != "multinomial":
        X[rng.random(X.shape) < 0.15] = np.nan
    start = rng.integers(3, size=24)
    model = loose(loss, 3, 3, scope=scope, init=start).fit(X, sample_weight=weights)
    labels, selected, history = literal(
        loss, X, start, 3, 3, scope == "local", np.ones(24) if weights is None else weights
    )
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.selected_features_, selected)
    np.testing.assert_allclose(model.criterion_history_, history, rtol=RELATIVE)
    assert model.inertia_ == pytest.approx(history[-1], rel=RELATIVE)
    assert model.score(X, sample_weight=weights) == pytest.approx(-history[-1], rel=RELATIVE)


@FEWER_CLUSTERS
@settings(max_examples=40)
@given(
    st.sampled_from(LOSSES),
    st.sampled_from(SCOPES),
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.integers(1, 6),
    st.floats(0.05, 30),
    st.booleans(),
    st.booleans(),
)
@example("itakura-saito", "global", 1, 3, 2, 0.125, True, True)  # two means tie
def test_the_criterion_never_rises(loss, scope, seed, k, s, mean, weighted, holes):
    X, _ = counts(seed, n=20, p=6, mean=mean, loss=loss)
    rng = np.random.default_rng(seed)
    if holes and loss != "multinomial":
        X[rng.random(X.shape) < 0.2] = np.nan
    weights = rng.uniform(0.1, 5, len(X)) if weighted else None
    model = loose(loss, k, s, scope=scope, init=rng.integers(k, size=len(X)))
    model.fit(X, sample_weight=weights)
    assert (np.diff(model.criterion_history_) <= 1e-12 * model.tss_).all()
    assert model.n_iter_ < 300
    assert model.inertia_ == pytest.approx(model.objective_, rel=RELATIVE, abs=1e-12 * model.tss_)
    assert model.gap_objective_ >= -1e-12 * model.tss_
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("loss", ["poisson", "itakura-saito"])
def test_given_starts_of_data_with_holes(loss, scope):
    X = counts(3, loss=loss)[0] + 0.5  # no zeros, of which a centre would be infinitely far
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    complete = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    rows = np.array([0, 1, 2])
    by_rows = loose(loss, 3, 4, scope=scope, init=rows).fit(X)
    by_centers = loose(loss, 3, 4, scope=scope, init=complete[rows]).fit(X)
    by_callable = loose(loss, 3, 4, scope=scope, init=lambda Y, k, random_state: Y[rows], n_init=1).fit(X)
    apart = [
        [sum(divergence(loss, *pair) for pair in zip(x, c, strict=True)) for c in complete[rows]] for x in X
    ]
    by_labels = loose(loss, 3, 4, scope=scope, init=np.argmin(apart, axis=1)).fit(X)
    for model in (by_centers, by_labels):
        np.testing.assert_array_equal(model.labels_, by_rows.labels_)
    np.testing.assert_array_equal(by_callable.labels_, by_size(by_rows.labels_))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("loss", LOSSES)
def test_local_weights_are_0_where_a_cluster_does_not_select(loss, dtype):
    X, _ = counts(1, loss=loss)
    model = loose(loss, 3, 3, scope="local", n_init=3, random_state=0).fit(X.astype(dtype))
    chosen = np.zeros(model.feature_weights_.shape, bool)
    np.put_along_axis(chosen, model.selected_features_, True, axis=1)
    assert not model.feature_weights_[~chosen].any()
    totals = [
        sum(divergence(loss, x, mean) for x in column)
        for column, mean in zip(X.T, X.mean(axis=0), strict=True)
    ]
    if loss != "multinomial":
        shares = model.feature_gains_ / np.array(totals)
        np.testing.assert_allclose(model.feature_weights_[chosen], shares[chosen], rtol=1e-4)  # float32


def test_a_selected_feature_of_which_a_cluster_has_none_has_weight():
    X = np.array([[0.0, 1], [0, 2], [5, 1], [6, 2]])
    model = loose("poisson", 2, 1, scope="local", init=np.array([0, 0, 1, 1])).fit(X)
    assert model.selected_features_.tolist() == [[0], [0]]
    assert model.cluster_centers_[0, 0] == 0
    assert (model.feature_weights_[:, 0] > 0).all()


@FEWER_CLUSTERS
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 4), st.integers(1, 6), st.booleans())
def test_squares_on_this_path_give_the_labels_of_the_plain_form(seed, local, k, s, weighted):
    squares = Divergence(lambda x, y: (x - y) ** 2, lambda y: 2 * y, np.square, np.positive, np.ones_like)
    rng = np.random.default_rng(seed)
    X = rng.normal(10, size=(25, 6))  # positive: means are compared in shares of themselves
    weights = rng.uniform(0.5, 2, 25) if weighted else None
    start = rng.integers(k, size=25).astype(np.int32)
    data = bregman_data(X, weights, squares)
    total = float(column_totals(data, weights).sum())
    rank = partial(rank_bregman, data=data, n_selected=s, local=local)
    found = skfr(BregmanRows(data, start, k, weights), rank, tss=total)
    model = SKFR(k, s, scope="local" if local else "global", standardize=False, init=start)
    model.fit(X, sample_weight=weights)
    np.testing.assert_array_equal(found.labels, model.labels_)
    np.testing.assert_array_equal(found.params.selected, model.selected_features_)
    np.testing.assert_allclose(found.history, model.criterion_history_, rtol=RELATIVE)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_gains_are_divergences_of_the_means_and_add_up(loss, scope):
    X, _ = counts(1, loss=loss)
    model = loose(loss, 3, 4, scope=scope, n_init=3, random_state=0).fit(X)
    Y, w = (X / X.sum(axis=1)[:, None], X.sum(axis=1)) if loss == "multinomial" else (X, np.ones(len(X)))
    overall = w @ Y / w.sum()
    expected = np.zeros((3, X.shape[1]))
    for c in range(3):
        rows = model.labels_ == c
        mean = w[rows] @ Y[rows] / w[rows].sum()
        expected[c] = [w[rows].sum() * divergence(loss, a, b) for a, b in zip(mean, overall, strict=True)]
    gains = expected if scope == "local" else expected.sum(axis=0)
    np.testing.assert_allclose(model.feature_gains_, gains, rtol=1e-7, atol=1e-9 * model.tss_)
    selected = model.selected_features_
    chosen = np.take_along_axis(gains, selected, axis=-1).sum()
    assert model.tss_ - chosen == pytest.approx(model.objective_, rel=RELATIVE)
    rest = np.setdiff1d(np.arange(X.shape[1]), selected)
    np.testing.assert_array_equal(
        model.cluster_centers_[:, rest], np.tile(model._scaling.offset[rest], (3, 1))
    )
    np.testing.assert_array_equal(model.standardized_centers_[:, rest], 0)


def test_with_all_features_the_multinomial_loss_is_half_the_deviance():
    X, _ = counts(2)
    model = loose("multinomial", 3, 12, n_init=3, random_state=0).fit(X)
    half_deviance = 0.0
    for c in range(3):
        rows = X[model.labels_ == c]
        share = rows.sum(axis=0) / rows.sum()
        own = rows / rows.sum(axis=1)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            half_deviance += np.nansum(rows * np.log(own / share))
    assert model.objective_ == pytest.approx(half_deviance, rel=RELATIVE)
    np.testing.assert_allclose(model.cluster_centers_.sum(axis=1), 1, rtol=1e-12)
    shares = X / X.sum(axis=1)[:, None]
    weighted = loose("multinomial", 3, 12, n_init=3, random_state=0).fit(shares, sample_weight=X.sum(axis=1))
    np.testing.assert_array_equal(weighted.labels_, model.labels_)


def test_zeros_are_exact():
    X = np.array([[0, 3, 1], [0, 4, 1], [0, 5, 1], [6, 0, 1], [7, 0, 1], [8, 0, 1]], dtype=float)
    model = loose("poisson", 2, 2, init=np.array([0, 0, 0, 1, 1, 1])).fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, [[0, 4, 1], [7, 0, 1]])
    new = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [9, 1, 1], [1, 9, 1]], dtype=float)
    distances = model.transform(new)
    np.testing.assert_array_equal(np.isinf(distances), [[0, 0], [1, 0], [0, 1], [1, 1], [1, 1]])
    np.testing.assert_array_equal(distances[0], [4, 7])
    # Infinitely far from both: the cluster that could have fewer of the counts comes last.
    np.testing.assert_array_equal(model.predict(new), [0, 1, 0, 1, 0])
    assert model.score(new[:3]) > -np.inf == model.score(new)


def test_a_column_of_zeros_and_a_constant_one_have_no_gain():
    X, truth = counts(0)
    X[:, 5], X[:, 6] = 0, 0.1
    for scope in SCOPES:
        model = loose("poisson", 3, 12, scope=scope, n_init=3, random_state=0).fit(X)
        assert not np.atleast_2d(model.feature_gains_)[:, 5:7].any()
        assert (model.cluster_centers_[:, 5] == 0).all()
        assert adjusted_rand_score(truth, model.labels_) > 0.5
    assert loose("poisson", 1, 3).fit(X).objective_ == loose("poisson", 1, 3).fit(X).tss_


@pytest.mark.parametrize(("loss", "center"), [("poisson", 0), ("itakura-saito", 1)])
def test_a_column_and_a_row_without_values(loss, center):
    X, _ = counts(0, loss=loss)
    X[3], X[:, 5] = np.nan, np.nan
    model = loose(loss, 3, 12, n_init=3, random_state=0).fit(X)
    assert (model.cluster_centers_[:, 5] == center).all()
    assert model.feature_gains_[5] == 0
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (model.transform(X)[3] == 0).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repetitions(loss):
    X, _ = counts(3, n=30, loss=loss)
    times = np.arange(30) % 3
    weighted = loose(loss, 3, 4, n_init=4, random_state=0).fit(X, sample_weight=times)
    repeated = loose(loss, 3, 4, n_init=4, random_state=0).fit(np.repeat(X, times, axis=0))
    np.testing.assert_array_equal(np.repeat(weighted.labels_, times), repeated.labels_)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=RELATIVE)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_unit_of_the_data_does_not_matter(loss):
    X, _ = counts(4, loss=loss)
    model = loose(loss, 3, 4, n_init=4, random_state=0)
    labels, objective = model.fit(X).labels_, model.objective_
    for factor in (2.0**-300, 2.0**400):
        model.fit(X * factor)
        np.testing.assert_array_equal(model.labels_, labels)
        power = 0 if loss == "itakura-saito" else 1
        assert model.objective_ == pytest.approx(objective * factor**power, rel=RELATIVE)


@pytest.mark.parametrize("init", ["screened", "k-means++", "random", "dkm++", "robin", "maximin"])
def test_every_start(init):
    X, truth = counts(5, n=90, mean=4.0)
    model = loose("poisson", 3, 4, init=init, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_given_centres_label_rows_by_the_divergence():
    X, _ = counts(5, n=90, mean=4.0)
    best = loose("poisson", 3, 4, random_state=0).fit(X)
    again = loose("poisson", 3, 4, init=best.cluster_centers_).fit(X)
    np.testing.assert_array_equal(again.labels_, best.labels_)
    assert again.n_iter_ == 1
    assert loose("poisson", 3, 4, init=[0, 1, 2]).fit(X).objective_ <= again.tss_
    drawn = loose("poisson", 3, 4, n_init=2, init=lambda X, k, random_state: X[:k], random_state=0).fit(X)
    assert len(drawn.start_objectives_) == 2
    with pytest.raises(ValueError, match=r"loss='poisson'.* got -1 in row 0, column 0 of init"):
        loose("poisson", 3, 4, init=-np.ones((3, 12))).fit(X)


def test_counts_need_their_own_loss():
    """Squares cut the group of large counts, whose scatter is larger than the difference of the others."""
    truth = np.repeat([0, 1, 2], 50)
    rates = np.full((3, 40), 5.0)
    rates[:, :10] = [[1], [3], [20]]
    for seed in range(3):
        X = np.random.default_rng(seed).poisson(rates[truth])
        raw, standardized = SKFR(3, 10, standardize=False, random_state=0), SKFR(3, 10, random_state=0)
        scores = [adjusted_rand_score(truth, model.fit(X).labels_) for model in (raw, standardized)]
        assert max(scores) < 0.6
        for loss in ("poisson", "multinomial"):
            model = loose(loss, 3, 10, random_state=0).fit(X)
            np.testing.assert_array_equal(model.get_support(indices=True), np.arange(10))
            assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_path_gap_winsorising_and_float32():
    X, truth = counts(6, n=90, mean=4.0)
    model = loose("poisson", 3, n_init=5, random_state=0)
    path = skfr_path(model, X, [2, 4, 12])
    assert (np.diff(path.objectives) >= 0).all()
    search = PermutationGap(model, "n_features_to_select", [2, 4, 8], n_permutations=3, random_state=0).fit(X)
    np.testing.assert_array_equal(search.best_estimator_.get_support(indices=True), [0, 1, 2, 3])
    gross = X.copy()
    gross[0, 8] = 10_000
    clipped = loose("poisson", 3, 4, winsorize=4, random_state=0).fit(gross)
    assert adjusted_rand_score(truth, clipped.labels_) > 0.9
    assert clipped.inertia_ == pytest.approx(clipped.objective_, rel=RELATIVE)
    single = loose("poisson", 3, 4, random_state=0).fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32
    np.testing.assert_array_equal(single.labels_, loose("poisson", 3, 4, random_state=0).fit(X).labels_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standardize": True}, "loss='poisson' takes the data as they are.* set standardize=False"),
        ({"projection": "nonnegative"}, "projection goes with loss='squared' only; got loss='poisson'"),
        (
            {"loss": "multinomial", "winsorize": 4.0},
            "winsorize=4.0 would change the totals.*loss='multinomial'",
        ),
        ({"loss": "gamma"}, "'poisson'"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        SKFR(2, **{"loss": "poisson", "standardize": False} | options).fit(counts(0)[0])


@pytest.mark.parametrize(
    ("loss", "entry", "message"),
    [
        ("poisson", -1.0, "Negative values in data: loss='poisson'.* got -1 in row 2, column 3 of X"),
        ("multinomial", -0.5, "Negative values in data: loss='multinomial'"),
        (
            "itakura-saito",
            0.0,
            "loss='itakura-saito' takes entries that are positive.* got 0 in row 2, column 3",
        ),
        ("poisson", 1e200, "got 1e[+]200 in row 2, column 3"),
        ("poisson", 1e-200, "got 1e-200 in row 2, column 3"),
    ],
)
def test_entries_outside_the_domain(loss, entry, message):
    X, _ = counts(0, loss=loss)
    model = loose(loss, 2, 3, n_init=1, random_state=0).fit(X)
    X[2, 3] = entry
    for call in (model.fit, model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match=message):
            call(X)
    with pytest.raises(ValueError, match=message):  # also in a row that is left out
        model.fit(X, sample_weight=np.arange(len(X)) != 2)


def test_rows_without_shares_holes_and_sparse_rows():
    X, _ = counts(0)
    X[4] = 0
    with pytest.raises(ValueError, match=r"row 4 of X sums to 0.*loss='multinomial'"):
        loose("multinomial", 2).fit(X)
    loose("poisson", 2, n_init=1).fit(X)
    X[4] = np.nan
    loose("poisson", 2, n_init=1).fit(X)
    with pytest.raises(ValueError, match="missing='mm' goes with loss='squared' only; got loss='poisson'"):
        loose("poisson", 2, missing="mm").fit(X)
    with pytest.raises(ValueError, match=r"missing values \(NaN\).*loss='multinomial'"):
        loose("multinomial", 2).fit(X)
    whole = counts(0)[0]
    with pytest.raises(ValueError, match="loss='poisson' needs dense data"):
        loose("poisson", 2).fit(csr_array(whole))
    model = loose("poisson", 2, n_init=2, random_state=0).fit(whole)
    np.testing.assert_array_equal(model.predict(csr_array(whole)), model.labels_)


def test_files_are_refused_with_the_name_of_the_loss(tmp_path):
    np.save(tmp_path / "X.npy", counts(0)[0])
    with pytest.raises(ValueError, match="loss='poisson'"):
        loose("poisson", 2, memory_limit=100).fit(tmp_path / "X.npy")
    model = loose("poisson", 2, n_init=1, random_state=0).fit(tmp_path / "X.npy")
    np.testing.assert_array_equal(model.predict(tmp_path / "X.npy"), model.labels_)


NOT_FOR_COUNTS = {"check_clustering": "it standardises its data, whatever the tag positive_only says"}


@FEWER_CLUSTERS
@pytest.mark.parametrize(
    ("estimator", "check"), checks_of_numbers(loose("poisson", n_init=1), NOT_FOR_COUNTS), ids=name_of_part
)
def test_scikit_learn_check(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_shuffled_columns_may_leave_rows_of_zeros() -> None:
    """Columns of few ones, shuffled, leave rows without any; these have no weight, and no share is NaN."""
    X = np.eye(6)[np.repeat(np.arange(6), 4)]
    model = loose("multinomial", 3, "auto", n_init=2, random_state=0).fit(X)
    assert np.isfinite(model.selection_path_.select_dtypes("number")).all(axis=None)
    shares, totals = as_shares(np.array([[0.0, 0], [1, 3]]), np.array([2.0, 5]))
    np.testing.assert_array_equal(shares, [[0, 0], [0.25, 0.75]])
    np.testing.assert_array_equal(totals, [0, 20])
