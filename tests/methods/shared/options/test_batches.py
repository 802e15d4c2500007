"""Rows of several batches: literal standardisation within them, sources, new rows, centres by batch."""

import warnings
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, SparseKMeans
from sparsek.errors import SelectionWarning
from sparsek.inputs.mixed import coding_of
from sparsek.methods.shared.sizes import _shuffled_batches
from sparsek.methods.skfr.separate import matched
from tests.methods.shared.options.test_mixed import literal_columns, survey

ESTIMATORS = {
    "SKFR": SKFR(3, n_features_to_select=2, n_init=5, random_state=0),
    "SKFR local": SKFR(3, n_features_to_select=2, scope="local", n_init=5, random_state=0),
    "SKFR absolute": SKFR(3, n_features_to_select=2, loss="absolute", n_init=5, random_state=0),
    "SparseKMeans": SparseKMeans(3, l1_bound=1.4, standardize=True, n_init=5, random_state=0),
    "SparseKMeans absolute": SparseKMeans(
        3, l1_bound=1.4, standardize=True, dissimilarity="absolute", n_init=2, random_state=0
    ),
}
RELATIVE = 1e-9
"""Data that are standardised twice differ by a few roundings."""
FEWER_CLUSTERS = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def shifted(seed, n=90, p=8):
    """Three groups in two features, in two batches of other means and scales."""
    rng = np.random.default_rng(seed)
    truth, batch = np.arange(n) % 3, np.where(np.arange(n) < 2 * n // 3, "west", "east")
    X = rng.normal(size=(n, p))
    X[:, 0] += 4 * truth
    X[:, 1] += 4 * (truth == 1)
    X[batch == "east"] = X[batch == "east"] * rng.uniform(0.5, 3, p) + rng.normal(scale=20, size=p)
    return X, truth, batch


def literal(X, batch, w=None, standardize=True, ddof=1):
    """Columns within each batch, entry by entry: less their mean, by their standard deviation."""
    Z = np.array(X, dtype=float)
    for name in set(batch):
        for j in range(X.shape[1]):
            rows = [i for i in range(len(X)) if batch[i] == name and not np.isnan(X[i, j])]
            mass = [1.0 if w is None else w[i] for i in rows]
            if not rows:
                continue
            mean = sum(m * X[i, j] for m, i in zip(mass, rows, strict=True)) / sum(mass)
            squares = sum(m * (X[i, j] - mean) ** 2 for m, i in zip(mass, rows, strict=True))
            constant = len({X[i, j] for i in rows}) == 1
            sd = 1.0 if constant or not standardize else np.sqrt(squares / (sum(mass) - ddof))
            for i in rows:
                Z[i, j] = 0.0 if constant else (X[i, j] - mean) / sd
    return Z


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_equals_a_fit_to_rows_that_are_standardised_within_batches(name, weighted):
    X, truth, batch = shifted(0)
    w = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    model = clone(ESTIMATORS[name]).fit(X, sample_weight=w, batch=batch)
    plain = clone(ESTIMATORS[name]).set_params(standardize=False)
    plain.fit(literal(X, batch, w), sample_weight=w)
    assert np.array_equal(model.labels_, plain.labels_)
    assert model.objective_ == pytest.approx(plain.objective_, rel=RELATIVE)
    assert np.allclose(model.cluster_centers_, plain.cluster_centers_, atol=RELATIVE)
    assert adjusted_rand_score(truth, model.labels_) > (0.8 if name.startswith("SKFR") else 0.3)
    assert np.array_equal(model.predict(X, batch=batch), model.labels_)
    assert -model.score(X, sample_weight=w, batch=batch) == pytest.approx(model.inertia_, rel=RELATIVE)
    assert model.transform(X[:4], batch=batch[:4]).shape == (4, 3)
    assert np.array_equal(model.batches_, ["east", "west"])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_batch_has_the_bits_of_none(name):
    X, _, _ = shifted(1)
    plain, one = clone(ESTIMATORS[name]).fit(X), clone(ESTIMATORS[name]).fit(X, batch=[7] * len(X))
    for attribute in ("labels_", "cluster_centers_", "feature_weights_", "start_objectives_", "inertia_"):
        assert np.array_equal(getattr(plain, attribute), getattr(one, attribute)), attribute
    assert np.array_equal(one.batches_, [7])
    assert np.array_equal(one.predict(X), one.predict(X, batch=[7] * len(X)))


@pytest.mark.parametrize("name", ["SKFR", "SparseKMeans"])
@pytest.mark.parametrize("standardize", [True, False])
def test_arrays_matrices_and_files_have_the_same_labels(name, standardize, tmp_path):
    X, _, batch = shifted(2, n=300)
    w = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    start = np.random.default_rng(0).integers(0, 3, len(X))
    model = clone(ESTIMATORS[name]).set_params(init=start, standardize=standardize)
    fits = [clone(model).fit(data, sample_weight=w, batch=batch) for data in (X, csr_array(X), X.tolist())]
    np.save(tmp_path / "x.npy", X)
    fits.append(
        clone(model).set_params(memory_limit=20_000).fit(tmp_path / "x.npy", sample_weight=w, batch=batch)
    )
    for other in fits[1:]:
        assert np.array_equal(other.labels_, fits[0].labels_)
        assert other.objective_ == pytest.approx(fits[0].objective_, rel=RELATIVE)
        assert np.array_equal(other.batch_means_, fits[0].batch_means_)
    assert np.array_equal(fits[3].predict(tmp_path / "x.npy", batch=batch), fits[0].labels_)
    assert np.array_equal(fits[1].predict(csr_array(X), batch=batch), fits[0].labels_)


@FEWER_CLUSTERS
@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from(["SKFR", "SparseKMeans"]))
def test_units_and_origins_of_batches_do_not_count(seed, name):
    """Powers of two and whole numbers, so that no column is rounded otherwise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 20, (40, 5)).astype(float)
    batch = rng.permutation(np.arange(40) % 3)
    moved = X.copy()
    for b in range(3):
        moved[batch == b] = moved[batch == b] * 2.0 ** rng.integers(-3, 4, 5) + rng.integers(-50, 50, 5) * 8
    model = clone(ESTIMATORS[name]).set_params(init=rng.integers(0, 3, 40))
    a, b = clone(model).fit(X, batch=batch), clone(model).fit(moved, batch=batch)
    assert np.array_equal(a.labels_, b.labels_)
    assert a.objective_ == pytest.approx(b.objective_, rel=RELATIVE)


def test_missing_values_count_nowhere():
    X, truth, batch = shifted(3)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[batch == "east", 5] = np.nan  # a column without a value in a batch
    for missing in ("observed", "mm"):
        model = clone(ESTIMATORS["SKFR"]).set_params(missing=missing).fit(X, batch=batch)
        plain = clone(model).set_params(standardize=False).fit(literal(X, batch))
        assert np.array_equal(model.labels_, plain.labels_)
        assert model.objective_ == pytest.approx(plain.objective_, rel=RELATIVE)
        assert adjusted_rand_score(truth, model.labels_) > 0.7


def test_a_column_that_is_constant_in_a_batch_is_0_there():
    X, _, batch = shifted(4)
    X[batch == "east", 2] = 1e6 / 3
    model = clone(ESTIMATORS["SKFR"]).fit(X, batch=batch)
    assert model.batch_scales_[0, 2] == 1
    assert model.batch_means_[0, 2] == 1e6 / 3
    plain = clone(model).set_params(standardize=False).fit(literal(X, batch))
    assert np.array_equal(model.labels_, plain.labels_)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("exponent", [-1000, 500])
@pytest.mark.parametrize("holes", [(), (0, 1, 2)])
def test_constant_columns_and_holes_in_any_unit(holes, exponent, standardize):
    X, _, batch = shifted(0)
    X[batch == batch[0], 1] = 3.0
    X[list(holes), list(holes)] = np.nan
    model = SKFR(3, n_features_to_select=2, standardize=standardize, random_state=0)
    expected, found = (clone(model).fit(data, batch=batch) for data in (X, np.ldexp(X, exponent)))
    assert found.labels_.tolist() == expected.labels_.tolist()
    assert found.selected_features_.tolist() == expected.selected_features_.tolist()
    np.testing.assert_array_equal(np.ldexp(found.batch_means_, -exponent), expected.batch_means_)


def test_a_deviation_beyond_the_largest_number():
    X, _, batch = shifted(0)
    X[:, 0] = np.finfo(float).max * np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    with pytest.raises(
        ValueError, match=r"column 0 in batch 'east' is beyond 1\.8e\+308, the largest number"
    ):
        SKFR(3, random_state=0).fit(X, batch=batch)


@pytest.mark.filterwarnings("ignore")  # of the size of the column, and of what it hides
def test_centres_of_batches_stay_finite():
    X, _, batch = shifted(0)
    high, far = batch == "east", np.arange(len(X)) % 3 == 0
    X[:, 0] = np.where(high, 0.6, 0.9 * far) * np.finfo(float).max
    model = SparseKMeans(3, l1_bound=1.2, n_init=2, random_state=0).fit(X, batch=batch)
    assert np.isfinite(model.batch_centers_).all()


def test_centres_of_batches_are_in_the_units_of_the_data():
    X, _, batch = shifted(5)
    for name in ("SKFR", "SparseKMeans"):
        for standardize in (True, False):
            model = clone(ESTIMATORS[name]).set_params(standardize=standardize).fit(X, batch=batch)
            assert model.batch_centers_.shape == (3, 2, X.shape[1])
            for b, label in enumerate(model.batches_):
                rows = X[batch == label]
                assert np.allclose(model.batch_means_[b], rows.mean(axis=0))
                sd = rows.std(axis=0, ddof=1) if standardize else np.ones(X.shape[1])
                assert np.allclose(model.batch_scales_[b], sd)
                own = rows.mean(axis=0) + model.cluster_centers_ * sd
                assert np.allclose(model.batch_centers_[:, b], own)


def test_rows_of_weight_0_get_the_nearest_cluster_of_their_batch():
    X, _, batch = shifted(6)
    w = np.ones(len(X))
    w[::7] = 0
    model = clone(ESTIMATORS["SKFR"]).fit(X, sample_weight=w, batch=batch)
    assert np.array_equal(model.labels_[::7], model.predict(X[::7], batch=batch[::7]))


def test_labels_of_batches_may_be_of_many_types():
    X, _, batch = shifted(7)
    model = clone(ESTIMATORS["SKFR"])
    given = [
        batch,
        list(batch),
        pd.Series(batch, index=range(5, 95)),
        pd.Categorical(batch, ["west", "east", "no"]),
    ]
    fits = [clone(model).fit(X, batch=labels) for labels in given]
    for fit in fits[1:]:
        assert np.array_equal(fit.labels_, fits[0].labels_)
    assert fits[3].batches_.tolist() == ["west", "east"]
    numbers = clone(model).fit(X, batch=(batch == "west").astype(int))
    assert np.array_equal(numbers.predict(X[:3], batch=[1.0, 1, True]), numbers.labels_[:3])


def test_a_fit_that_fails_leaves_the_last_one():
    X, _, batch = shifted(8)
    model = clone(ESTIMATORS["SKFR"]).fit(X, batch=batch)
    before = model.predict(X, batch=batch)
    with pytest.raises(ValueError, match="single row"):
        model.fit(X, batch=np.where(np.arange(len(X)) == 3, "alone", batch))
    assert np.array_equal(model.predict(X, batch=batch), before)
    assert not hasattr(model.fit(X), "batches_")
    assert np.array_equal(model.predict(X), model.labels_)


def test_auto_and_given_starts_go_with_batches():
    X, truth, batch = shifted(9, n=120)
    model = SKFR(3, n_init=5, random_state=0).fit(X, batch=batch)
    assert len(model.selection_path_) > 2
    assert adjusted_rand_score(truth, model.labels_) > 0.8
    again = SKFR(3, n_features_to_select=2, init=model.standardized_centers_).fit(X, batch=batch)
    assert adjusted_rand_score(truth, again.labels_) > 0.8


BAD = {
    "length": (lambda batch: batch[1:], "one entry for each of the 90 rows of X; got 89"),
    "missing": (lambda batch: [None, *batch[1:]], "missing entries, the first in row 0; name the batch"),
    "shape": (lambda batch: np.array([batch]).T, "must have one dimension"),
    "single": (lambda batch: ["x", *batch[1:]], "batch 'x' has a single row.*leave the row out"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_batches_are_refused(case):
    X, _, batch = shifted(0)
    change, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        clone(ESTIMATORS["SKFR"]).fit(X, batch=change(batch))


def test_what_is_no_sequence_of_labels_is_refused():
    X, _, _ = shifted(0)
    for wrong in ("west", {1: 2}, 3, [[1]] * 90):
        with pytest.raises((TypeError, ValueError), match="batch must"):
            clone(ESTIMATORS["SKFR"]).fit(X, batch=wrong)


def test_weights_that_leave_nothing_are_refused():
    X, _, batch = shifted(0)
    w = np.where(batch == "east", 0.0, 1.0)
    with pytest.raises(ValueError, match="batch 'east' has no row of positive weight"):
        clone(ESTIMATORS["SKFR"]).fit(X, sample_weight=w, batch=batch)
    with pytest.raises(ValueError, match=r"batch 'east' sums to 0\.3, which must exceed ddof=1"):
        clone(ESTIMATORS["SKFR"]).fit(X, sample_weight=np.where(batch == "east", 0.01, 1.0), batch=batch)


def test_new_rows_need_a_known_batch():
    X, _, batch = shifted(0)
    model = clone(ESTIMATORS["SKFR"]).fit(X, batch=batch)
    for method in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="give the batch of each row as batch"):
            method(X)
        with pytest.raises(
            ValueError, match=r"'north' was not in the fit, which has 'east', 'west'.*fit again"
        ):
            method(X[:2], batch=["west", "north"])
        with pytest.raises(ValueError, match="one entry for each of the 2 rows"):
            method(X[:2], batch=["west"])
    with pytest.raises(ValueError, match="fitted without batch"):
        model.fit(X).predict(X, batch=batch)


@pytest.mark.parametrize("loss", [[], {}, None, 2])
def test_what_is_no_loss_is_refused_by_name(loss):
    X, _, batch = shifted(0)
    with pytest.raises(ValueError, match="The 'loss' parameter of SKFR"):
        SKFR(3, loss=loss).fit(X, batch=batch)


def test_losses_with_a_scale_of_their_own_are_refused():
    X, _, batch = shifted(0)
    for loss in ("poisson", "cosine"):
        with pytest.raises(ValueError, match=f"loss='{loss}' takes the data as they are"):
            SKFR(3, n_features_to_select=2, loss=loss, standardize=False).fit(np.abs(X), batch=batch)


def test_differences_that_overflow_are_refused_alone():
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(12, 3)) * np.finfo(float).max
    with pytest.raises(ValueError, match="difference overflows"):
        SparseKMeans(2, l1_bound=1.2, standardize=False).fit(X, batch=np.arange(12) % 2)


def answers(seed=0):
    """A survey of two towns, of which one has no clerks and another scale of incomes."""
    frame = survey(seed=seed).drop(columns="town")
    batch = np.where(np.arange(len(frame)) % 2, "west", "east")
    frame.loc[(batch == "east") & (frame["job"] == "clerk"), "job"] = "cook"
    frame.loc[batch == "east", "income"] = 2 * frame["income"] + 30
    return frame, batch


def literal_batches(frame, batch, weights, ddof):
    """Columns of each variable by the formulas of PCAmix in each batch; 0 for a level that it has not."""
    parts = [np.zeros((len(frame), 1 if name != "job" else 4)) for name in frame]
    for name in ("east", "west"):
        rows = batch == name
        own = literal_columns(frame[rows], weights[rows], ddof)
        for part, block in zip(parts, own, strict=True):
            part[rows, part.shape[1] - block.shape[1] :] = block  # "clerk" is the first level
    return parts


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_categories_are_scaled_by_their_shares_in_the_batch(weighted):
    frame, batch = answers()
    w = np.random.default_rng(1).integers(1, 4, len(frame)).astype(float) if weighted else np.ones(len(frame))
    model = SKFR(3, 2, n_init=5, random_state=0).fit(
        frame, sample_weight=w if weighted else None, batch=batch
    )
    parts = literal_batches(frame, batch, w, 1)
    np.testing.assert_allclose(model.within_batches(frame, batch), np.hstack(parts), rtol=0, atol=1e-12)
    gains, degrees, rest = [], [], []
    for part in parts:
        means = np.array(
            [np.average(part[model.labels_ == k], axis=0, weights=w[model.labels_ == k]) for k in range(3)]
        )
        sizes = np.bincount(model.labels_, w)
        gains.append((sizes[:, None] * means**2).sum())
        rest.append((w[:, None] * part**2).sum() - gains[-1])
        several = [max(1, np.count_nonzero(part[batch == b].any(axis=0)) - 1) for b in ("east", "west")]
        degrees.append(np.average(several, weights=[w[batch == b].sum() for b in ("east", "west")]))
    assert degrees[2] == (2 + 3) / 2 or weighted
    best = np.argsort(-np.array(gains) / degrees, kind="stable")[:2]
    np.testing.assert_array_equal(model.get_support(indices=True), np.sort(best))
    loss = sum(rest) + sum(gain for j, gain in enumerate(gains) if j not in best)
    assert model.objective_ == pytest.approx(loss, rel=RELATIVE)


@pytest.mark.parametrize(
    "model",
    [
        SKFR(3, 2),
        SKFR(3, 2, winsorize=50),
        SKFR(3, 2, missing="mm"),
        SparseKMeans(3, refine=False),
        SparseKMeans(3, refine=True),
        SparseKMeans(3, refine=True, standardize=False),
    ],
    ids=str,
)
def test_categories_are_scaled_once(model):
    frame, batch = answers()
    if hasattr(model, "missing"):
        frame.loc[[3, 8], "income"] = np.nan
        frame.loc[4, "job"] = None
    model = clone(model).set_params(n_init=2, random_state=0).fit(frame, batch=batch)
    mapped = model.within_batches(frame, batch)
    np.testing.assert_allclose(model._column_total, np.nansum(mapped**2, axis=0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_columns_are_shuffled_within_batches(weighted):
    frame, batch = answers()
    coding = coding_of(frame, np.zeros(4, bool))
    values = coding.expand(np.asarray(coding.table(frame)))
    codes = (batch == "west").astype(np.int32)
    w = np.random.default_rng(1).integers(1, 3, len(frame)).astype(float) if weighted else None
    for own in (None, coding):
        shuffled, masses, batches = _shuffled_batches(values, w, codes, own, np.random.default_rng(0))
        assert (masses is None) == (w is None)
        for code in (0, 1):
            rows = np.repeat(values, 1 if w is None else w.astype(int), axis=0)
            rows = rows[(codes if w is None else np.repeat(codes, w.astype(int))) == code]
            some = shuffled[batches == code]
            np.testing.assert_array_equal(np.sort(some, axis=0), np.sort(rows, axis=0))
            assert not np.array_equal(some[:, 0], np.sort(some[:, 0]))
            assert own is None or (some[:, 2:6].sum(axis=1) == 1).all()


@pytest.mark.parametrize("name", ["SKFR", "SparseKMeans"])
def test_categories_of_batches_have_centres_and_new_rows(name):
    frame, batch = answers()
    model = clone(ESTIMATORS[name]).fit(frame, batch=batch)
    np.testing.assert_array_equal(model.predict(frame, batch=batch), model.labels_)
    first = model.labels_ == 0
    for b, own in enumerate(("east", "west")):
        assert np.all((model.batch_centers_[:, b, 2:6] >= 0) & (model.batch_centers_[:, b, 2:6] <= 1))
        center = model.batch_means_[b, 3] + model.batch_scales_[b, 3] * model.cluster_centers_[0, 3]
        assert model.batch_centers_[0, b, 3] == pytest.approx(np.clip(center, 0, 1))
        assert model.batch_means_[b, 3] == pytest.approx((frame["job"][batch == own] == "cook").mean())
    assert first.any()
    assert "west" in str(model.summary())
    one, plain = clone(model).fit(frame, batch=np.zeros(len(frame))), clone(model).fit(frame)
    for attribute in ("labels_", "cluster_centers_", "feature_weights_", "start_objectives_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(plain, attribute))
    if name == "SKFR":
        chosen = SKFR(3, n_init=3, random_state=0).fit(frame, batch=batch)
        assert "income" in chosen.get_selected_names()
        assert not {"age", "mood"} & set(chosen.get_selected_names())
        with pytest.raises(ValueError, match="batch_centers='batch' is for numbers"):
            separate().fit(frame, batch=batch)


@pytest.mark.parametrize("name", ["SKFR", "SparseKMeans"])
def test_chunks_of_dask_have_the_labels_of_the_array(name):
    da = pytest.importorskip("dask.array")
    X, _, batch = shifted(3, n=120)
    batch = np.where(np.arange(120) < 25, "north", batch)  # a batch that is in one chunk only
    model = clone(ESTIMATORS[name]).set_params(init=np.random.default_rng(0).integers(0, 3, 120))
    plain = clone(model).fit(X, batch=batch)
    rows = da.from_array(X, chunks=(30, 3))
    fit = clone(model).fit(rows, batch=batch)
    np.testing.assert_array_equal(fit.labels_.compute(), plain.labels_)
    for attribute in ("cluster_centers_", "batch_means_", "batch_scales_", "batch_centers_", "objective_"):
        np.testing.assert_array_equal(getattr(fit, attribute), getattr(plain, attribute))
    np.testing.assert_array_equal(fit.predict(rows, batch=batch).compute(), plain.labels_)
    np.testing.assert_array_equal(fit.transform(rows, batch=batch).compute(), plain.transform(X, batch=batch))
    assert fit.score(rows, batch=batch) == pytest.approx(plain.score(X, batch=batch), rel=RELATIVE)
    with pytest.raises(ValueError, match="one entry for each of the 120 rows"):
        fit.predict(rows, batch=batch[1:])


def separate(**options):
    return SKFR(
        3, **{"n_features_to_select": 2, "n_init": 5, "random_state": 0, **options}, batch_centers="batch"
    )


def literal_separate(Z, batch, labels, k, s):
    """SKFR1 with centres for every batch, entry by entry: labels, features, history of the loss."""
    p, history, names = Z.shape[1], [], sorted(set(batch))
    while True:
        cells = {
            (b, c): [i for i in range(len(Z)) if batch[i] == b and labels[i] == c]
            for b in names
            for c in range(k)
        }
        means = {cell: Z[rows].mean(axis=0) if rows else np.zeros(p) for cell, rows in cells.items()}
        gains = [sum(len(rows) * means[cell][j] ** 2 for cell, rows in cells.items()) for j in range(p)]
        used = sorted(sorted(range(p), key=lambda j: -gains[j])[:s])
        theta = {cell: np.where(np.isin(np.arange(p), used), mean, 0) for cell, mean in means.items()}
        history.append(sum(sum((Z[i] - theta[batch[i], labels[i]]) ** 2) for i in range(len(Z))))
        new = [min(range(k), key=lambda c: sum((Z[i] - theta[batch[i], c]) ** 2)) for i in range(len(Z))]
        if list(labels) == new:
            return new, used, history
        labels = new


@pytest.mark.parametrize("seed", range(5))
def test_centres_by_batch_equal_the_literal_algorithm(seed):
    X, truth, batch = shifted(seed)
    start = np.where(np.arange(len(X)) % 4 == 0, (truth + 1) % 3, truth)
    labels, used, history = literal_separate(literal(X, batch), batch, start, 3, 2)
    model = separate(init=start).fit(X, batch=batch)
    for name in ("east", "west"):
        rows = batch == name
        assert adjusted_rand_score(np.array(labels)[rows], model.labels_[rows]) == 1
    assert model.selected_features_.tolist() == used
    assert np.allclose(model.criterion_history_, history, rtol=RELATIVE)
    assert (np.diff(model.criterion_history_) <= 1e-12 * model.tss_).all()
    assert model.inertia_ == pytest.approx(model.objective_, rel=RELATIVE)
    assert -model.score(X, batch=batch) == pytest.approx(model.inertia_, rel=RELATIVE)
    assert np.array_equal(model.predict(X, batch=batch), model.labels_)
    assert adjusted_rand_score(truth, model.labels_) > 0.8
    for (b, name), c in product(enumerate(model.batches_), range(3)):
        rows = X[(batch == name) & (model.labels_ == c)]
        assert np.allclose(model.batch_centers_[c, b, used], rows[:, used].mean(axis=0))
    assert model.transform(X, batch=batch).shape == (len(X), 3)


@pytest.mark.seeds(5)
def test_centres_by_batch_fit_no_worse(seed):
    X, _, batch = shifted(seed)
    common = separate(init=np.arange(len(X)) % 3).set_params(batch_centers="common").fit(X, batch=batch)
    own = separate(init=common.labels_).fit(X, batch=batch)
    assert own.objective_ <= common.objective_ * (1 + RELATIVE)


def test_clusters_are_matched_as_well_as_they_can_be():
    rng = np.random.default_rng(0)
    centers, sizes = rng.normal(size=(4, 5, 3)), np.array([10, 40, 20, 5])
    numbers = matched(centers, sizes)
    for own, found in zip(centers, numbers, strict=True):
        cost = lambda order, own=own: sum(np.sum((own[c] - centers[1][order[c]]) ** 2) for c in range(5))  # noqa: E731
        assert cost(found) == pytest.approx(min(map(cost, permutations(range(5)))))
    assert numbers[1].tolist() == [0, 1, 2, 3, 4]


def test_one_batch_has_the_bits_of_common_centres():
    X, _, _ = shifted(0)
    own = separate().fit(X, batch=["a"] * len(X))
    plain = separate().set_params(batch_centers="common").fit(X)
    assert np.array_equal(own.labels_, plain.labels_)
    assert np.array_equal(own.cluster_centers_, plain.cluster_centers_)


SEPARATE = {
    "scope": ({"scope": "local"}, "scope='global' only"),
    "auto": ({"n_features_to_select": "auto"}, "needs n_features_to_select as a number"),
    "refine": ({"refine": True}, "refine=False only"),
    "loss": ({"loss": "absolute"}, "loss='squared' only"),
    "missing": ({"missing": "mm"}, "missing='observed' only"),
}


@pytest.mark.parametrize("case", SEPARATE)
def test_options_without_centres_by_batch_are_refused(case):
    X, _, batch = shifted(0)
    options, message = SEPARATE[case]
    with pytest.raises(ValueError, match=message):
        separate(**options).fit(X, batch=batch)


def test_data_without_centres_by_batch_are_refused():
    X, _, batch = shifted(0)
    with pytest.raises(ValueError, match="give batch to fit"):
        separate().fit(X)
    with pytest.raises(ValueError, match="needs dense data, but X is sparse"):
        separate().fit(csr_array(X), batch=batch)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="takes no missing values"):
        separate().fit(X, batch=batch)


def test_rows_within_batches_are_those_that_the_fit_compares():
    X, _, batch = shifted(0)
    for data in (X, csr_array(X)):
        model = clone(ESTIMATORS["SKFR"]).fit(data, batch=batch)
        assert np.allclose(model.within_batches(data, batch), literal(X, batch))


def of_two_kinds(share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two kinds; one has this share of the first batch, and the other one of the second batch."""
    rng = np.random.default_rng(seed)
    batch = np.arange(200) % 2
    kind = np.where(batch == 0, rng.random(200) < share, rng.random(200) >= share)
    X = rng.normal(size=(200, 20)) + 2 * batch[:, None]
    X[kind, :6] += 3
    return X, batch


@pytest.mark.parametrize("seed", range(4))
def test_clusters_that_batches_have_unevenly_are_named(seed: int) -> None:
    model = SKFR(2, 6, n_init=5, random_state=0)
    X, batch = of_two_kinds(0.8, seed)
    with pytest.warns(SelectionWarning, match=r"unevenly over the batches \(Cramer's V 0\.[345]"):
        model.fit(X, batch=batch)
    X, batch = of_two_kinds(0.5, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, batch=batch)
