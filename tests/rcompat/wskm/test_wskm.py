"""ewkm, fgkm, twkm and predict: R's numbers, counters, quirks, errors, bad input.

R 4.2.2 with wskm 1.4.40 printed the numbers with 15 digits; the recorded cases compare all digits.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sparsek.errors import RError, RWarning
from sparsek.rcompat import ewkm, fgkm, predict_ewkm, runif, set_seed, twkm
from sparsek.rcompat.wskm import entropy_kmeans as core
from sparsek.rng import RRandom

pytestmark = pytest.mark.engines

PRINTED = {"rel": 1e-14, "abs": 0}  # 15 printed digits


def example() -> np.ndarray:
    """A 20 x 3 matrix: normal draws, 5 added to the first column of rows 1-10."""
    x = RRandom(1).rnorm(60).reshape(3, 20).T.copy()
    x[:10, 0] += 5
    return x


X = example()
Y = np.repeat([[0.0, 0], [1, 1], [2, 2]], [5, 3, 2], axis=0)
GROUPS = [1, 1, 2]


def digits(text: str) -> list[int]:
    """Labels written as one text."""
    return [int(c) for c in text]


# --- reference cases ----------------------------------------------------------------------------------------


def test_ewkm_of_the_specification():
    rng = RRandom(1)
    fit = ewkm(X, 3, rng=rng)
    assert fit.cluster.tolist() == digits("11321332233333333333")
    expected = [
        [0.245259778224537, 0.398588460057885, 0.356151761717578],
        [0.363075132084581, 0.203436893936336, 0.433487973979083],
        [0.0000333322222592580, 0.991603740931404, 0.00836292684633620],
    ]
    assert fit.weights.ravel().tolist() == pytest.approx(np.ravel(expected).tolist(), **PRINTED)
    assert fit.withinss.tolist() == pytest.approx(
        [0.732745895501719, 2.202172892639735, 83.266601805489742], **PRINTED
    )
    assert fit.totss == pytest.approx(161.898163293915, **PRINTED)
    assert (fit.iterations, fit.total_iterations, fit.restarts) == (3, 4, 0)
    assert rng.runif(1)[0] == pytest.approx(0.908207789994776, **PRINTED)


def test_negative_objective_stops_after_one_iteration():
    fit = ewkm(X, 3, lambda_=5, rng=RRandom(1))
    assert fit.cluster.tolist() == digits("11121122213333333333")
    assert (fit.iterations, fit.total_iterations) == (0, 1)
    expected = [0.215266701084701, 0.520105192389132, 0.264628106526167]
    assert fit.weights[2].tolist() == pytest.approx(expected, **PRINTED)


def test_given_centers_draw_nothing():
    rng = RRandom(1)
    before = rng.random_seed
    fit = ewkm(X, X[[0, 10, 14]], rng=rng)
    assert fit.cluster.tolist() == digits("22112211111212333212")
    assert (fit.iterations, fit.total_iterations) == (5, 6)
    assert np.array_equal(before, rng.random_seed)


@pytest.mark.parametrize(
    ("seed", "labels", "counters", "draw"),
    [(1, "2222233333", (-1, 1, 1), 0.62911404389888), (4, "2222233311", (0, 3, 2), 0.28600062080659)],
)
def test_restarts_and_removed_centers(seed, labels, counters, draw):
    rng = RRandom(seed)
    fit = ewkm(Y, 3, maxrestart=2, rng=rng)
    assert fit.cluster.tolist() == digits(labels)
    assert (fit.iterations, fit.total_iterations, fit.restarts) == counters
    assert fit.centers.shape == fit.weights.shape == (2, 2)
    assert len(fit.withinss) == 3
    assert rng.runif(1)[0] == pytest.approx(draw, **PRINTED)


def test_fgkm_of_the_specification():
    rng = RRandom(1)
    fit = fgkm(X, 3, GROUPS, 3, 1, rng=rng)
    assert fit.cluster.tolist() == digits("11113311111313223311")
    expected = [0.499925947306359, 0.474260363475842, 3.33332224215602e-06]
    assert fit.featureWeight[:, 0].tolist() == pytest.approx(expected, **PRINTED)
    expected = [5.59293044097565e-06, 0.465220742209379, 0.486802934609012]
    assert fit.groupWeight[:, 0].tolist() == pytest.approx(expected, **PRINTED)
    assert fit.tot_withinss == pytest.approx(119.515121678554, **PRINTED)
    assert (fit.iterations, fit.totiters, fit.restarts) == (6, 6, 0)
    assert fit.withinss is None
    assert fit.betweenss == fit.totss
    assert rng.runif(1)[0] == pytest.approx(0.138401545351371, **PRINTED)


def test_fgkm_with_a_seed_and_groups_as_text():
    rng = RRandom(99)
    fit = fgkm(X, 3, "0,1;2", 3, 1, seed=42, rng=rng)
    assert fit.cluster.tolist() == digits("11221122221111331111")
    assert fit.iterations == 5
    assert rng.runif(1)[0] == pytest.approx(0.641745518893003, **PRINTED)


def test_twkm_of_the_specification():
    rng = RRandom(1)
    fit = twkm(X, 3, GROUPS, 3, 1, rng=rng)
    assert fit.cluster.tolist() == digits("33113311311313223313")
    assert fit.featureWeight.tolist() == pytest.approx([0.499866531621414, 0.500133468378586, 1], **PRINTED)
    assert fit.groupWeight.tolist() == pytest.approx([0.000004999975002727, 0.999995000024997], rel=1e-12)
    assert fit.tot_withinss == pytest.approx(133.326064348122, **PRINTED)
    assert fit.iterations == 6
    assert rng.runif(1)[0] == pytest.approx(0.138401545351371, **PRINTED)


# --- quirks -----------------------------------------------------------------------------------------------


def test_no_iteration_returns_the_start():
    fit = ewkm(X, X[:3], maxiter=0)
    assert np.array_equal(fit.centers, X[:3])
    assert set(fit.cluster) == {1}
    assert (fit.iterations, fit.total_iterations) == (0, 0)
    assert ewkm(X, X[:3], maxiter=-1).total_iterations == 1
    fit = fgkm(X, X[:3], GROUPS, 3, 1, maxrestart=0, seed=42)
    assert not fit.featureWeight.any()
    assert not fit.groupWeight.any()
    assert (fit.totss, fit.tot_withinss, fit.totiters) == (0, 0, 0)


def test_lambda_of_zero_leaves_nan():
    fit = ewkm(X, 3, 0, rng=RRandom(1))
    assert np.isnan(fit.weights).all()
    assert (fit.iterations, fit.restarts) == (100, 10)
    assert predict_ewkm(fit, X[:2]).tolist() == [None, None]


def test_exhausted_restarts_return_the_last_state():
    fit = fgkm(Y, 3, [1, 2], 3, 1, seed=3, maxrestart=2)
    assert fit.cluster.tolist() == digits("3333322222")
    assert fit.centers[:, 0].tolist() == [0, 7, 0]
    assert (fit.totss, fit.tot_withinss, fit.restarts, fit.totiters) == (0, 0, 2, 2)


def test_seed_is_drawn_and_left_set():
    one, two = RRandom(5), RRandom(5)
    fit = twkm(X, 3, GROUPS, 3, 1, rng=one)
    drawn = math.trunc(two.runif(1)[0] * 1e7)
    again = twkm(X, 3, GROUPS, 3, 1, seed=drawn, rng=two)
    assert np.array_equal(fit.cluster, again.cluster)
    assert one.runif(1) == two.runif(1)


def test_global_stream_is_used():
    set_seed(1)
    fit = ewkm(X, 3)
    assert runif(1)[0] == pytest.approx(0.908207789994776, **PRINTED)
    assert np.array_equal(fit.cluster, ewkm(X, 3, rng=RRandom(1)).cluster)


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("0,1;2", [1, 1, 2]),
        (" 0 - 1 ; 2 ", ["a", "a", "b"]),
        ("0;1", [1, 2, 1]),
        ("0-1;1-2", [7, 9, 9]),
        ("2;1-0", None),
        ("0;;1;2", ["apple", "Banana", "Cherry"]),
        (";0;1;2", [False, True, False]),
    ],
)
def test_groups_as_text_and_vector(text, vector):
    fit = fgkm(X, 3, text, 30, 30, seed=42)
    n_groups = {"2;1-0": 2, ";0;1;2": 3}.get(text) or len(set(vector))
    assert fit.groupWeight.shape == (3, n_groups)
    if vector is not None and text != ";0;1;2":
        same = fgkm(X, 3, vector, 30, 30, seed=42)
        assert np.array_equal(fit.featureWeight, same.featureWeight)
        assert np.array_equal(fit.groupWeight, same.groupWeight)


def test_empty_text_is_one_group_and_a_trailing_mark_an_empty_one():
    assert fgkm(X, 3, "", 3, 1, seed=42).groupWeight.tolist() == [[1], [1], [1]]
    fit = fgkm(X, 3, "0;1;2;", 3, 1, seed=42)
    # R 4.2.2: the empty group has dispersion 0 and so the largest weight.
    assert fit.groupWeight.shape == (3, 4)
    assert fit.groupWeight[0, 0] == pytest.approx(0.02422499833, rel=1e-9)  # ten printed digits
    assert fit.groupWeight[:, 3].min() > 0.25


# --- predict ----------------------------------------------------------------------------------------------


def test_predict_by_name_and_by_order():
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    fit = ewkm(frame, 3, rng=RRandom(1))
    assert predict_ewkm(fit, frame[["w", "u", "v"]]).tolist() == [str(c) for c in fit.cluster]
    assert predict_ewkm(fit, X).tolist() == [str(c) for c in fit.cluster]
    assert predict_ewkm(fit, X[0]).tolist() == ["1"]
    with pytest.raises(RError, match="undefined columns selected"):
        predict_ewkm(fit, frame.rename(columns={"u": "z"}))
    with pytest.raises(ValueError, match="2 columns; the fit has 3"):
        predict_ewkm(fit, X[:, :2])


def test_predict_of_missing_infinite_and_equal_distances():
    fit = ewkm(Y + 1, Y[[0, 5, 9]] + 1, lambda_=5)
    rows = [[math.nan, 1], [math.inf, 1], [1.5, 1.5], [3, 3]]
    assert predict_ewkm(fit, rows).tolist() == [None, "1", "1", "3"]


# --- errors -----------------------------------------------------------------------------------------------

GOOD = {"groups": GROUPS, "lambda_": 3, "eta": 1}
FINITE = "NA/NaN/Inf in foreign function call (arg {})"
INTEGER = "NAs in foreign function call (arg {})"
SHARED = [
    ({"centers": None}, "the number or initial clusters 'centers' must be provided"),
    ({"centers": 0}, "length of 'dimnames' [1] not equal to array extent"),
    ({"centers": -1}, "invalid 'length' argument"),
    ({"centers": [1, 2]}, "invalid 'length' argument"),
    ({"centers": math.inf}, "vector size cannot be infinite"),
    ({"centers": math.nan}, "vector size cannot be NA/NaN"),
    ({"x": X[:, 0]}, "invalid 'length' argument"),
    ({"x": np.where(X[3, 1] == X, np.nan, X)}, FINITE.format(1)),
    ({"lambda_": math.inf}, FINITE.format(5)),
]
R_ERRORS = [
    *[(f, arguments, message) for f in (ewkm, fgkm, twkm) for arguments, message in SHARED],
    (ewkm, {"maxiter": math.nan}, INTEGER.format(6)),
    (ewkm, {"delta": math.nan}, FINITE.format(7)),
    (ewkm, {"maxrestart": math.nan}, INTEGER.format(8)),
    (ewkm, {"centers": X[:2] * math.inf}, FINITE.format(12)),
    (ewkm, {"x": X * 0, "centers": 2}, "length of 'dimnames' [1] not equal to array extent"),
    (fgkm, {"eta": math.nan}, FINITE.format(6)),
    (fgkm, {"groups": [1, math.nan, 2]}, INTEGER.format(8)),
    (fgkm, {"delta": math.inf}, FINITE.format(9)),
    (fgkm, {"maxiter": math.nan}, INTEGER.format(10)),
    (fgkm, {"maxrestart": math.nan}, INTEGER.format(11)),
    (fgkm, {"centers": X[:2] * math.nan}, FINITE.format(14)),
    (fgkm, {"groups": None}, 'argument "groups" is missing, with no default'),
    (fgkm, {"lambda_": None}, 'argument "lambda" is missing, with no default'),
    (fgkm, {"eta": None}, 'argument "eta" is missing, with no default'),
    (fgkm, {"groups": [1, 2]}, "object 'G' not found"),
    (fgkm, {"seed": math.nan}, "missing value where TRUE/FALSE needed"),
    (fgkm, {"x": X * 0}, "length of 'dimnames' [1] not equal to array extent"),
    (twkm, {"x": X * 0}, "incorrect number of dimensions"),
    (twkm, {"x": Y, "groups": [1, 2], "maxrestart": 2, "seed": 1}, "incorrect number of dimensions"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), R_ERRORS)
def test_errors_of_r(function, arguments, message):
    good = {"x": X, "centers": 3, **({} if function is ewkm else GOOD)}
    with pytest.raises(RError) as caught:
        function(**{**good, **arguments})
    assert caught.value.r_message == message
    assert len(str(caught.value)) > len(message)


@pytest.mark.parametrize("name", ["maxiter", "maxrestart"])
def test_integers_out_of_range_warn_first(name):
    with pytest.warns(RWarning, match="NAs introduced by coercion"), pytest.raises(RError, match="arg"):
        ewkm(X, 3, **{name: 1e10})


def test_seed_out_of_range():
    with (
        pytest.warns(RWarning, match="NAs introduced by coercion"),
        pytest.raises(RError, match="valid integer"),
    ):
        fgkm(X, 3, **GOOD, seed=3e9)


@pytest.mark.parametrize("function", [ewkm, fgkm, twkm])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"x": X[:0]}, ValueError, "empty"),
        ({"x": X.astype(str)}, TypeError, "real numbers"),
        ({"x": X.astype(complex)}, TypeError, "real numbers"),
        ({"x": X[None]}, ValueError, "dimensions"),
        ({"centers": 2.5}, ValueError, "whole number; got 2.5"),
        ({"centers": X[:2, :2]}, ValueError, "3 columns"),
        ({"centers": "a"}, TypeError, "centers must be one number"),
        ({"lambda_": [1, 2]}, TypeError, "lambda_ must be one number"),
        ({"delta": "a"}, TypeError, "delta must be one number"),
        ({"maxiter": None}, TypeError, "maxiter must be one number"),
    ],
)
def test_bad_input(function, arguments, error, message):
    good = {"x": X, "centers": 3, **({} if function is ewkm else GOOD)}
    with pytest.raises(error, match=message):
        function(**{**good, **arguments})


@pytest.mark.parametrize("text", ["a;b", "0,1;-2", "0.5;1", "1-1-2", "0;1;3", "0-9"])
def test_unreadable_groups(text):
    with pytest.raises(ValueError, match="groups"):
        fgkm(X, 3, text, 3, 1)


@pytest.mark.parametrize(("rows", "k"), [(20, 20), (20, 21), (2, 2), (1, 2)])
def test_too_many_centers_do_not_hang(rows, k):
    for call in (
        lambda: ewkm(X[:rows], k),
        lambda: fgkm(X[:rows], k, **GOOD),
        lambda: twkm(X[:rows], k, **GOOD),
    ):
        with pytest.raises(ValueError, match="R searches for ever"):
            call()


def test_as_many_given_centers_as_rows_are_fine():
    fit = ewkm(X, X)
    assert fit.cluster.tolist() == list(range(1, 21))
    with pytest.raises(ValueError, match="R searches for ever"):
        ewkm(
            X, np.vstack([X, X[:1] + 1])
        )  # the 21st cluster stays empty: a restart would need to draw 21 rows


def test_unlimited_restarts_do_not_hang(monkeypatch):
    assert core.MOST_RESTARTS == 10_000
    monkeypatch.setattr(core, "MOST_RESTARTS", 20)
    with pytest.raises(ValueError, match="none of 20 starts filled 3 clusters"):
        ewkm(X, 3, 0, maxrestart=-1, rng=RRandom(1))
    with pytest.raises(ValueError, match="R goes on up to maxrestart = 30"):
        ewkm(X, 3, 0, maxrestart=30, rng=RRandom(1))
    assert ewkm(X, 3, 0, maxrestart=20, rng=RRandom(1)).restarts == 20


@pytest.mark.parametrize("function", [fgkm, twkm])
def test_a_billion_restarts_do_not_hang(function, monkeypatch):
    monkeypatch.setattr(core, "MOST_RESTARTS", 20)
    same = np.ones((12, 3))
    with pytest.raises(ValueError, match="none of 20 starts filled 3 clusters"):
        function(same, 3, **GOOD, maxrestart=10**9)


@pytest.mark.parametrize("maxiter", [0, -1])
@pytest.mark.parametrize("function", [fgkm, twkm])
def test_no_iteration_allowed_does_not_hang(function, maxiter):
    with pytest.raises(ValueError, match="maxiter must be at least 1"):
        function(X, 3, **GOOD, maxiter=maxiter)
    assert function(X, X[:2], **GOOD, maxiter=maxiter, maxrestart=0).totiters == 0


def test_input_is_not_changed():
    x, centers = X.copy(), X[:3].copy()
    ewkm(x, centers)
    fgkm(x, centers, **GOOD)
    twkm(x, centers, **GOOD)
    assert np.array_equal(x, X)
    assert np.array_equal(centers, X[:3])
