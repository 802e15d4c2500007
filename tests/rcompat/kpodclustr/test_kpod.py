"""R's kpodclustr: reference cases, the literal algorithm, errors, effects of discarded runs.

The reference numbers come from R 4.2.2 with kpodclustr 1.1; the recorded and live cases compare far more.
"""

import logging
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.bits.ordered_arithmetic import long_sum
from sparsek.errors import RError, RWarning
from sparsek.rcompat import (
    assign_clustpp,
    findMissing,
    initialImpute,
    kmeans,
    kmpp,
    kpod,
    makeData,
    runif,
    sample,
    sample_int,
    set_seed,
)
from sparsek.rcompat.kpodclustr import algorithm as core
from sparsek.rng import RRandom

NAN = math.nan
X = np.column_stack(
    [
        [1.0, 1.2, NAN, 0.8, 5.0, 5.3, 4.9, NAN, 9.1, 8.8],
        [2.0, NAN, 2.2, 1.9, 6.1, NAN, 5.8, 6.0, 0.5, 0.2],
    ]
)


def labels(text):
    return [int(v) for v in text.split()]


def test_reference_start():
    assert findMissing(X).tolist() == [3, 8, 12, 16]
    filled = initialImpute(X)
    assert filled[[2, 7], 0].tolist() == filled[[1, 5], 1].tolist() == [3.8, 3.8]
    assert np.isnan(X).sum() == 4  # the input is unchanged
    assert kmpp(filled, 3, rng=RRandom(1)).tolist() == [[9.1, 0.5], [1.0, 2.0], [3.8, 6.0]]


@pytest.mark.parametrize(
    ("seed", "cluster", "following"),
    [(1, "2 2 2 2 3 3 3 3 1 1", 0.478545248275623), (2, "2 2 2 2 1 1 1 1 3 3", 0.288059732178226)],
)
def test_reference_fit(seed, cluster, following):
    rng = RRandom(seed)
    fit = kpod(X, 3, rng=rng)
    assert list(fit) == ["cluster", "cluster_list", "obj_vals", "fit", "fit_list"]
    assert fit.cluster.tolist() == labels(cluster)
    # The reference numbers have 15 digits.
    assert fit.obj_vals.tolist() == pytest.approx([3.58625, 0.552265625], rel=1e-14)
    assert fit.fit_list.tolist() == pytest.approx([0.891453438056204, 0.991331033451132], rel=1e-14)
    assert fit.fit == fit.fit_list[-1]
    assert rng.runif(1)[0] == pytest.approx(following, abs=1e-15)


def test_reference_simulation():
    data = makeData(5, 50, 3, 0.15, 0.2, rng=RRandom(99))
    assert list(data) == ["Orig", "Missing", "truth"]
    expected = [-0.0241928266673817, -1.494297995227766, -0.156711804454105]
    assert data.Orig[0, :3].tolist() == pytest.approx(expected, rel=1e-14)  # 15 digits printed
    assert data.truth[:15].tolist() == labels("3 1 2 1 2 3 2 2 3 1 1 3 2 1 1")
    positions = findMissing(data.Missing)
    assert positions[:10].tolist() == labels("1 3 4 8 12 13 23 25 26 33")
    assert len(positions) == 44
    for flag, following in ((True, 0.544054188299924), (False, 0.0697486787103117)):
        rng = RRandom(7)
        fit = kpod(data.Missing, 3, flag, rng=rng)
        assert fit.cluster[:12].tolist() == labels("1 2 3 2 3 1 3 3 1 2 2 1")
        assert fit.obj_vals.tolist() == pytest.approx([8.85708235018963, 6.45716701628493], rel=1e-14)
        assert rng.runif(1)[0] == pytest.approx(following, abs=1e-15)


# --- the literal algorithm --------------------------------------------------------------------------


def literal_kmpp(x, k, rng):
    """k-means++ as in kpodclustr, one seed after the other."""
    rows = [int(sample_int(len(x), 1, rng=rng)[0]) - 1]
    while len(rows) < k:
        squares = []
        for row in x:
            terms = [math.sqrt(sum_in_order((row - x[chosen]) ** 2)) ** 2 for chosen in rows]
            squares.append(min(terms))
        total = long_sum(np.array(squares))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.array(squares) / total
        rows.append(int(sample(np.arange(1, len(x) + 1), 1, prob=shares, rng=rng)[0]) - 1)
    return x[rows]


def sum_in_order(values):
    total = 0.0
    for value in values:
        total += value
    return total


def literal_discarded(x, k, rng, count):
    for _ in range(count):
        kmeans(x, literal_kmpp(x, k, rng), rng=rng)


def told(call):
    """Warnings in order, and the error's message."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
            error = None
        except RError as exception:
            error = exception.r_message
    return [str(w.message) for w in caught], error


# Coarse values give ties that the order of R's heap sort decides.
grids = st.tuples(st.integers(6, 24), st.integers(1, 3), st.integers(2, 4), st.integers(0, 2**31 - 1))


@settings(max_examples=20, deadline=None)
@given(grids, st.integers(2, 4), st.sampled_from(["Rejection", "Rounding"]))
def test_seeding_and_discarded_runs_equal_the_literal_ones(sizes, k, kind):
    n, p, levels, seed = sizes
    x = np.random.default_rng(seed).integers(levels, size=(n, p)).astype(float)
    ours, literal = (RRandom(seed, sample_kind=kind) for _ in range(2))
    assert told(lambda: core.run_discarded(x, k, ours, 23)) == told(
        lambda: literal_discarded(x, k, literal, 23)
    )
    assert ours.getstate() == literal.getstate()


def test_discarded_runs_leave_warnings_and_draws():
    cube = np.array([[i % 4, i // 4 % 4, i // 16] for i in range(64)], dtype=float)
    ours, literal = RRandom(1), RRandom(1)
    warned, error = told(lambda: core.run_discarded(cube, 6, ours, 40))
    assert error is None
    assert set(warned) == {"did not converge in 10 iterations"}
    assert told(lambda: literal_discarded(cube, 6, literal, 40)) == (warned, None)
    assert ours.getstate() == literal.getstate()


@pytest.mark.seeds(8)
def test_discarded_run_that_fails_comes_after_the_warnings_of_those_before(seed):
    """Squared differences between distinct rows underflow to 0, so k-means refuses the seeds."""
    x = np.r_[[-0.4] * 5, [-0.4 - 1.11e-16] * 14, -0.5, -0.4 - 1e-170][:, None]
    ours, literal = RRandom(seed), RRandom(seed)
    found = told(lambda rng=ours: core.run_discarded(x, 3, rng, 20))
    assert found == told(lambda rng=literal: literal_discarded(x, 3, rng, 20))
    assert ours.getstate() == literal.getstate()


def test_kmpp_flag_changes_the_stream_alone():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(60, 3)) + 3.0 * rng.integers(3, size=(60, 1))
    x[rng.random((60, 3)) < 0.2] = NAN
    with_runs, without = RRandom(5), RRandom(5)
    a, b = kpod(x, 3, rng=with_runs), kpod(x, 3, kmpp_flag=False, rng=without)
    np.testing.assert_array_equal(a.cluster, b.cluster)
    np.testing.assert_array_equal(a.obj_vals, b.obj_vals)
    for _ in range(len(a.obj_vals) - 1):
        for _ in range(20):
            without.unif_index(60)
            without.runif(2)
    assert with_runs.getstate() == without.getstate()


# --- arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "message", "draws"),
    [
        (1, "subscript out of bounds", 2),
        (10, "number of cluster centres must lie between 1 and nrow(x)", 10),
        (11, "NA in probability vector", 10),
        (-1, "invalid 'length' argument", 0),
        (NAN, "vector size cannot be NA/NaN", 0),
        (math.inf, "vector size cannot be infinite", 0),
    ],
)
def test_number_of_clusters_out_of_range(k, message, draws):
    rng, untouched = RRandom(1), RRandom(1)
    with pytest.raises(RError) as caught:
        kpod(X, k, rng=rng)
    assert caught.value.r_message == message
    if draws:
        untouched.unif_index(10)
        untouched.runif(draws - 1)
    assert rng.getstate() == untouched.getstate()


def test_maxiter_below_two_fails_when_it_is_not_enough():
    noise = np.random.default_rng(8).normal(size=(20, 3))
    noise[np.random.default_rng(9).random((20, 3)) < 0.4] = NAN
    lengths = {seed: len(kpod(noise, 3, rng=RRandom(seed)).obj_vals) for seed in range(30)}
    longer = next(seed for seed, length in lengths.items() if length > 2)
    with pytest.raises(RError, match="get1index") as caught:
        kpod(noise, 3, maxiter=1, rng=RRandom(longer))
    assert "raise maxiter" in str(caught.value)
    assert len(kpod(noise, 3, maxiter=2, rng=RRandom(longer)).obj_vals) == 2
    enough = next(seed for seed, length in lengths.items() if length == 2)
    assert len(kpod(noise, 3, maxiter=1, rng=RRandom(enough)).obj_vals) == 2


def test_infinite_missing_and_repeated_data():
    infinite = np.where(np.isnan(X), np.inf, X)
    for data in (infinite, np.full((4, 2), NAN), np.ones((5, 2))):
        with pytest.raises(RError, match="NA in probability vector") as caught:
            kpod(data, 2, rng=RRandom(1))
        assert "distinct" in str(caught.value)


def test_complete_data_has_a_criterion_of_zero():
    fit = kpod(initialImpute(X), 3, rng=RRandom(1))
    assert fit.obj_vals.tolist() == [0.0, 0.0]


def test_vectors_are_refused_as_in_r_where_r_refuses_them():
    vector = np.array([1.0, NAN, 3.0])
    assert initialImpute(vector).tolist() == [1.0, 2.0, 3.0]
    assert findMissing(vector).tolist() == [2]
    assert np.isnan(initialImpute([NAN, NAN])).all()
    for call in (lambda: kpod(vector, 2), lambda: kmpp([1.0, 2.0, 3.0], 2)):
        with pytest.raises(RError, match="argument of length 0"):
            call()


def test_data_frames_are_taken_as_matrices():
    frame = pd.DataFrame(X, columns=["u", "v"], index=list("abcdefghij"))
    fit = kpod(frame, 3, rng=RRandom(1))
    assert fit.cluster.tolist() == labels("2 2 2 2 3 3 3 3 1 1")
    assert fit.row_names == list("abcdefghij")


def test_draws_come_from_the_seeded_stream():
    set_seed(1)
    assert kpod(X, 3).cluster.tolist() == labels("2 2 2 2 3 3 3 3 1 1")
    following = runif(1)[0]
    assert following == pytest.approx(0.478545248275623, abs=1e-15)  # 15 digits printed
    makeData(2, 5, 2, 1, 0.3)
    first = runif(1)[0]
    set_seed(77)
    makeData(2, 5, 2, 1, 0.3)  # reseeds the stream
    assert runif(1)[0] == first


@pytest.mark.parametrize("sizes", [(0, 5, 2), (2, -1, 2), (2, 5, 0), (NAN, 0, 2)])
def test_simulation_refuses_sizes_as_r_does(sizes, caplog):
    with caplog.at_level(logging.WARNING, logger="sparsek"):
        assert makeData(*sizes, 1, 0.3) is None
        assert makeData(2, 5, 2, 1, 1.2) is None
    assert [r.message for r in caplog.records] == [
        "Please select positive values for p, n, and k.",
        "Please select a missingness percentage between 0 and 1.",
    ]


def test_simulation_refuses_what_r_turns_into_wrong_shapes():
    for sizes in ((2.5, 5, 2), (2, 5.5, 2), (2, 5, 2.5), (math.inf, 5, 2)):
        with pytest.raises(ValueError, match="whole numbers"):
            makeData(*sizes, 1, 0.3)
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        makeData(2, 5, 2, 1, NAN)
    with pytest.raises(RError, match="supplied seed is not a valid integer"):
        makeData(2, 5, 2, 1, 0.3, seed=2**31)


def test_assignment_takes_centres_or_a_number():
    filled = initialImpute(X)
    given = assign_clustpp(filled, filled[[0, 4, 8]], False)
    assert list(given) == ["clusts", "obj", "centers", "fit"]
    assert given.clusts.tolist() == labels("1 1 1 1 2 2 2 2 3 3")
    assert assign_clustpp(filled, 1, False).fit == 0.0
    rng, untouched = RRandom(3), RRandom(3)
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        assign_clustpp(filled, filled[:2], NAN, rng=rng)
    with pytest.raises(RError, match="NA/NaN argument"):
        assign_clustpp(filled, filled[:2], True, NAN, rng=rng)
    assert rng.getstate() == untouched.getstate()


@pytest.mark.parametrize(
    ("runs", "count"), [(1, 1), (2.5, 2), (0, 2), (-1, 3), (0.5, 1), (-0.5, 2), (41, 41)]
)
def test_number_of_discarded_runs(runs, count):
    filled = initialImpute(X)
    rng, expected = RRandom(3), RRandom(3)
    assign_clustpp(filled, filled[[0, 4, 8]], True, runs, rng=rng)
    for _ in range(count):
        expected.unif_index(10)
        expected.runif(2)
    assert rng.getstate() == expected.getstate()


def test_warnings_have_rs_class():
    cube = np.array([[i % 4, i // 4 % 4, i // 16] for i in range(64)], dtype=float)
    with pytest.warns(RWarning, match="did not converge in 10 iterations"):
        assign_clustpp(cube, cube[[0, 5, 22, 40, 55, 63]], True, 20, rng=RRandom(1))


@pytest.mark.parametrize("bad", ["text", None, [[1j, 2]]])
def test_bad_types(bad):
    with pytest.raises((TypeError, ValueError)):
        kpod(bad, 2)
    with pytest.raises(TypeError, match="k must be one number"):
        kmpp(initialImpute(X), [1, 2])
