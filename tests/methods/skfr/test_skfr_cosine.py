"""SKFR under cosine distance: literal versions, descent, the best features, sparse rows, refusals."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR
from sparsek.methods.skfr.algorithm import Sizes
from sparsek.methods.skfr.cosine import ROOT_2, Ranking, cosine_problem, unit_rows
from sparsek.sources.source import ArraySource

SCOPES = ("global", "local")
FEWER_CLUSTERS = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RELATIVE = 1e-9
"""Two orders of adding up some hundred numbers of one size agree to far more digits."""
cosine = partial(SKFR, loss="cosine", standardize=False)


def texts(seed, n=60, p=14, common=3, signed=False):
    """Counts of words of three topics, three words each, with words that all texts have, and noise."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    rates = np.full((3, p), 0.4)
    rates[:, :common] = 6
    for topic in range(3):
        rates[topic, common + 3 * topic : common + 3 * topic + 3] = 5
    X = rng.poisson(rates[truth]).astype(float)
    X[:, 0] += X.sum(axis=1) == 0
    return (X + rng.normal(size=X.shape) if signed else X), truth


def directions(X):
    return np.array([row / np.sqrt(sum(value * value for value in row)) for row in X])


def spherical_kmeans(X, labels, k, w):
    """Spherical k-means of Dhillon and Modha (2001), row by row: labels and history of sum w (1 - cos)."""
    U, history = directions(X), []
    while True:
        centers = np.zeros((k, X.shape[1]))
        for c in range(k):
            total = sum((w[i] * U[i] for i in range(len(U)) if labels[i] == c), np.zeros(X.shape[1]))
            total = total if total.any() else w @ U  # of no rows
            centers[c] = total / np.sqrt(sum(value * value for value in total))
        history.append(sum(w[i] * (1 - sum(U[i] * centers[labels[i]])) for i in range(len(U))))
        new = np.array([max(range(k), key=lambda c: sum(row * centers[c])) for row in U])
        if (new == labels).all():
            return labels, np.array(history)
        labels = new


def explained(S, m, features):
    """What a set of features explains of a cluster with this sum, from the definition."""
    inner = np.sqrt(sum(S[j] ** 2 for j in features))
    outer = np.sqrt(sum(m[j] ** 2 for j in features))
    return inner * outer - sum(S[j] * m[j] for j in features)


def ratio(S, m, F):
    """r of a cluster with this sum."""
    inner, outer = (np.sqrt(sum(v[j] ** 2 for j in F)) for v in (S, m))
    return inner / outer if inner > 0 and outer > 0 else np.sqrt(sum(S**2))


def gains(S, m, r):
    return np.array([(S[j] - r * m[j]) ** 2 / (2 * r) if r > 0 else 0.0 for j in range(len(m))])


def literal_features(sums, m, s, best):
    """The features of clusters with these sums, which share them, from the last ones or None."""

    def first(ratios):
        total = np.sum([gains(S, m, r) for S, r in zip(sums, ratios, strict=True)], axis=0)
        return sorted(sorted(range(len(m)), key=lambda j: -total[j])[:s])

    worth = lambda F: sum(explained(S, m, F) for S in sums)  # noqa: E731
    own = lambda F: [ratio(S, m, F) for S in sums]  # noqa: E731
    r = [np.sqrt(sum(S**2)) for S in sums]
    for _ in range(10):
        found = first(r)
        best = found if best is None or worth(found) > worth(best) else best
        if first(own(best)) == best:
            break
        r = [np.sqrt(a * b) for a, b in zip(r, own(found), strict=True)]
    return best


def literal(X, labels, k, s, local, w):
    """The algorithm as its module states it, entry by entry: labels, features, history, gains."""
    U, p = directions(X), X.shape[1]
    n, features, history = len(U), None, []
    total = sum(w[i] * U[i] for i in range(n))
    m = total / np.sqrt(sum(total**2))
    groups = [[c] for c in range(k)] if local else [list(range(k))]
    while True:
        S = [sum((w[i] * U[i] for i in range(n) if labels[i] == c), np.zeros(p)) for c in range(k)]
        features = [
            literal_features([S[c] for c in group], m, s, None if features is None else F)
            for group, F in zip(groups, features or groups, strict=True)
        ]
        own = features if local else features * k
        centers = np.tile(m, (k, 1))
        for c in range(k):
            inner, outer = (np.sqrt(sum(v[j] ** 2 for j in own[c])) for v in (S[c], m))
            for j in own[c] if inner > 0 else ():
                centers[c, j] = outer * S[c][j] / inner
        history.append(sum(w[i] * (1 - sum(U[i] * centers[labels[i]])) for i in range(n)))
        new = np.array([max(range(k), key=lambda c: round(sum(row * centers[c]), 12)) for row in U])
        if (new == labels).all():
            found = np.array([gains(S[c], m, ratio(S[c], m, own[c])) for c in range(k)])
            return labels, np.array(features if local else features[0]), np.array(history), found
        labels = new


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("signed", [False, True], ids=["counts", "signed"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_equals_the_literal_algorithm(scope, signed, weighted):
    X, truth = texts(3, signed=signed)
    start = np.where(np.arange(len(X)) % 4 == 0, (truth + 1) % 3, truth).astype(np.int32)
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    labels, features, history, gains = literal(X, start, 3, 5, scope == "local", w)
    model = cosine(3, n_features_to_select=5, scope=scope, init=start)
    model.fit(X, sample_weight=w if weighted else None)
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.selected_features_, features)
    assert np.allclose(model.criterion_history_, history, rtol=RELATIVE)
    found = gains if scope == "local" else gains.sum(axis=0)
    assert np.allclose(model.feature_gains_, found, rtol=RELATIVE, atol=RELATIVE)


@FEWER_CLUSTERS
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_with_all_features_it_is_spherical_kmeans(seed, signed, weighted):
    X, truth = texts(seed, n=30, signed=signed)
    start = np.where(np.arange(len(X)) % 4 == 0, (truth + 1) % 3, truth).astype(np.int32)
    w = np.random.default_rng(seed).uniform(0.5, 2, len(X)) if weighted else np.ones(len(X))
    labels, history = spherical_kmeans(X, start, 3, w)
    for scope in SCOPES:
        model = cosine(3, n_features_to_select=X.shape[1], scope=scope, init=start)
        model.fit(X, sample_weight=w if weighted else None)
        assert np.array_equal(model.labels_, labels)
        assert np.allclose(model.criterion_history_, history, rtol=RELATIVE)
        assert np.allclose(np.square(model.cluster_centers_).sum(axis=1), 1)


@FEWER_CLUSTERS
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 14), st.sampled_from(SCOPES), st.booleans(), st.integers(1, 5))
def test_the_objective_never_rises(seed, s, scope, signed, k):
    X, _ = texts(seed, n=40, signed=signed)
    start = np.random.default_rng(seed).integers(0, k, len(X)).astype(np.int32)
    model = cosine(k, n_features_to_select=s, scope=scope, init=start).fit(X)
    rounding = 1e-12 * model.tss_
    assert (np.diff(model.criterion_history_) <= rounding).all()
    assert 0 <= model.objective_ <= model.tss_ + rounding
    assert model.inertia_ == pytest.approx(model.objective_, abs=rounding)
    assert -model.score(X) == pytest.approx(model.objective_, abs=rounding)
    assert np.array_equal(model.predict(X), model.labels_)
    U = directions(X)
    assert np.allclose(model.transform(X), 1 - U @ model.cluster_centers_.T, atol=1e-12)
    assert np.allclose(np.square(model.cluster_centers_).sum(axis=1), 1)


@pytest.mark.parametrize("signed", [False, True], ids=["counts", "signed"])
def test_features_that_rank_first_are_the_best_of_all(signed):
    """Every set of 5 of 9 features is tried, for given labels; others come close."""
    shares, certified = [], 0
    for seed in range(40):
        X, _ = texts(seed, n=30, p=9, common=0, signed=signed)
        labels = np.random.default_rng(seed).integers(0, 3, len(X)).astype(np.int32)
        problem = cosine_problem(ArraySource(X, None, np.ones(len(X), bool)), 3)
        m, sums = problem.scaling.offset, problem.rows(labels).sums()
        found = Ranking(m, Sizes(5, False, 1))(sums)
        S = ROOT_2 * sums.sums[:, :-1] + sums.counts[:, None] * m
        worth = {F: sum(explained(row, m, F) for row in S) for F in combinations(range(9), 5)}
        total = found.gains.sum(axis=0)
        assert found.explained == pytest.approx(worth[tuple(found.selected.tolist())])
        assert total[found.selected].sum() == pytest.approx(found.explained)
        assert np.sort(total)[-5:].sum() >= max(worth.values()) * (1 - RELATIVE)
        if np.array_equal(np.sort(np.argsort(-total, kind="stable")[:5]), found.selected):
            certified += 1
            assert found.explained == pytest.approx(max(worth.values()))
        shares.append(found.explained / max(worth.values()))
    assert certified >= 10
    assert np.mean(shares) > 0.99
    assert np.mean(np.array(shares) > 1 - RELATIVE) > 0.9


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_sparse_matrix_has_the_same_bits_and_stays_sparse(dtype, scope, monkeypatch):
    X = texts(1)[0].astype(dtype)
    w = np.random.default_rng(0).uniform(0.5, 2, len(X))
    model = cosine(3, n_features_to_select=6, scope=scope, n_init=3, random_state=0).fit(X, sample_weight=w)
    monkeypatch.setattr(csr_array, "todense", None)
    sparse = cosine(3, n_features_to_select=6, scope=scope, n_init=3, random_state=0).fit(
        csr_array(X), sample_weight=w
    )
    assert np.array_equal(sparse.labels_, model.labels_)
    assert np.array_equal(sparse.selected_features_, model.selected_features_)
    assert np.array_equal(sparse.cluster_centers_, model.cluster_centers_)
    assert np.array_equal(sparse.predict(csr_array(X)), model.predict(X))
    assert sparse.cluster_centers_.dtype == dtype


def test_unit_rows_of_arrays_and_sparse_matrices_are_the_same_and_safe():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 30)) * (rng.random((50, 30)) < 0.3)
    X *= 2.0 ** rng.integers(-1000, 1000, (50, 1))
    X[7] = 0
    found = unit_rows(X)
    assert np.array_equal(unit_rows(csr_array(X)).toarray(), found)
    assert np.allclose(np.square(np.delete(found, 7, axis=0)).sum(axis=1), 1)
    assert not found[7].any()


@FEWER_CLUSTERS
@settings(max_examples=8)
@given(st.integers(0, 1000), st.sampled_from(SCOPES))
@example(186, "global")  # entries of 2^28, in a column of numbers below 1: no digits are lost
def test_lengths_of_rows_do_not_count(seed, scope):
    X, _ = texts(seed)
    powers = 2.0 ** np.random.default_rng(seed).integers(-30, 30, (len(X), 1))
    a, b = (
        cosine(3, n_features_to_select=5, scope=scope, n_init=3, random_state=0).fit(Y)
        for Y in (X, X * powers)
    )
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.cluster_centers_, b.cluster_centers_)


def test_a_repeated_row_is_a_row_of_larger_weight():
    X, truth = texts(2)
    times = np.random.default_rng(0).integers(1, 4, len(X))
    start = ((truth + (np.arange(len(X)) % 4 == 0)) % 3).astype(np.int32)
    a = cosine(3, n_features_to_select=5, init=start).fit(X, sample_weight=times)
    b = cosine(3, n_features_to_select=5, init=np.repeat(start, times)).fit(np.repeat(X, times, axis=0))
    assert np.array_equal(np.repeat(a.labels_, times), b.labels_)
    assert np.array_equal(a.selected_features_, b.selected_features_)
    assert a.objective_ == pytest.approx(b.objective_, rel=RELATIVE)


def test_words_of_topics_are_selected():
    """Of nine such words one may be left out for a common word, to which the others are compared."""
    X, truth = texts(0, n=150, p=60)
    model = cosine(3, n_features_to_select=9, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert len(set(model.selected_features_) & set(range(3, 12))) >= 8


def test_given_centres_count_by_their_directions():
    X, truth = texts(5)
    centers = np.array([X[truth == c].mean(axis=0) for c in range(3)])
    a = cosine(3, n_features_to_select=6, init=centers).fit(X)
    b = cosine(3, n_features_to_select=6, init=centers * [[1e-3], [1.0], [1e4]]).fit(X)
    assert np.array_equal(a.labels_, b.labels_)


def test_rows_in_another_order_have_the_same_labels():
    X, _ = texts(6)
    start = np.random.default_rng(0).integers(0, 3, len(X)).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(X))
    a = cosine(3, n_features_to_select=6, init=start).fit(X)
    b = cosine(3, n_features_to_select=6, init=start[order]).fit(X[order])
    assert np.array_equal(a.labels_[order], b.labels_)
    assert np.array_equal(a.cluster_centers_, b.cluster_centers_)


def test_always_and_never():
    X, _ = texts(7)
    model = cosine(3, n_features_to_select=6, always=[13], never=[4, 5], random_state=0).fit(X)
    assert 13 in model.selected_features_
    assert not {4, 5} & set(model.selected_features_)
    assert model.objective_ == pytest.approx(model.inertia_)


def test_auto_chooses_a_number_of_features():
    X, truth = texts(8, n=60, p=40)
    model = cosine(3, random_state=0).fit(X)
    assert len(model.selection_path_) > 3
    assert model.selection_path_["n_features_to_select"].min() == 2
    assert adjusted_rand_score(truth, model.labels_) > 0.9


def test_one_cluster_explains_nothing():
    X, _ = texts(9)
    model = cosine(1, n_features_to_select=5).fit(X)
    assert model.objective_ == model.tss_
    assert not model.feature_gains_.any()


BAD = {
    "standardize": ({"standardize": True}, "set standardize=False"),
    "winsorize": ({"winsorize": 4.0}, "np.log1p"),
    "refine": ({"refine": True}, "use refine=False"),
    "projection": ({"projection": "nonnegative", "n_features_to_select": None}, "loss='squared' only"),
    "one feature": ({"n_features_to_select": 1}, "need 2 features; raise it"),
}


@pytest.mark.parametrize("case", BAD)
def test_options_that_go_with_other_losses_are_refused(case):
    options, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        cosine(3, **{"n_features_to_select": 5, **options}).fit(texts(0)[0])


def test_rows_of_zeros_are_refused_by_number():
    X, _ = texts(0)
    model = cosine(3, n_features_to_select=5, random_state=0).fit(X)
    X[[4, 9]] = 0
    for data in (X, csr_array(X)):
        with pytest.raises(ValueError, match=r"X has 2 rows of zeros \(4, 9\).*leave them out"):
            cosine(3, n_features_to_select=5).fit(data)
        with pytest.raises(ValueError, match="2 rows of zeros"):
            model.predict(data)


def test_missing_values_are_refused():
    X, _ = texts(0)
    model = cosine(3, n_features_to_select=5, random_state=0).fit(X)
    X[2, 3] = np.nan
    with pytest.raises(ValueError, match="lengths of rows"):
        cosine(3, n_features_to_select=5).fit(X)
    with pytest.raises(ValueError, match="lengths of rows"):
        model.predict(X)


def test_rows_that_cancel_have_no_mean_direction():
    X = np.vstack([np.eye(4), -np.eye(4)])
    with pytest.raises(ValueError, match="no mean direction"):
        cosine(2, n_features_to_select=2).fit(X)


def test_files_are_refused_with_the_remedy(tmp_path):
    X, _ = texts(0)
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(ValueError, match=r"loss='cosine' needs.*raise memory_limit"):
        cosine(3, n_features_to_select=5, memory_limit=8000).fit(tmp_path / "x.npy")
