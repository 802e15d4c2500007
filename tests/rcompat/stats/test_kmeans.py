"""R's kmeans: reference cases, the literal algorithms as oracles, input, printing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse

from sparsek.bits import ordered_arithmetic as distance
from sparsek.engine import set_engine
from sparsek.errors import RError, RWarning
from sparsek.rcompat import kmeans, set_seed
from sparsek.rcompat.stats import literal, macqueen
from sparsek.rcompat.stats.hartigan_wong import hartigan_wong
from sparsek.rcompat.stats.lloyd import lloyd_in_order
from sparsek.rcompat.stats.runs import distinct_rows, run_kmeans
from sparsek.rng import RRandom

ROW, COLUMN = np.mgrid[1:13, 1:4]
A = (7 * ROW + 5 * COLUMN + ROW * COLUMN) % 11 / 2 + 4.0 * ((ROW > 6) & (COLUMN == 1))
EMPTY = "empty cluster: try a better set of initial centers"


class Literal:
    """Results of a literal algorithm, run in Python."""

    def __init__(self, algorithm, x, start, iter_max):
        x, k = np.asarray(x, dtype=float), len(start)
        centers, self.labels = np.array(np.transpose(start), dtype=float), np.empty(len(x), dtype=np.int64)
        size, self.withinss = np.empty(k, dtype=np.int64), np.empty(k)
        with np.errstate(all="ignore"):
            found = algorithm(x, centers, iter_max, self.labels, size, self.withinss)
        self.n_iter, self.ifault = found
        self.centers = centers.T


def macqueen_once(x, centers, iter_max):
    """MacQueen's algorithm from one start."""
    return macqueen.macqueen(x, centers[None], iter_max)[0]


# --- reference cases (values printed by R 4.2.2 with %.17g) ----------------------------------------


@pytest.mark.engines
@pytest.mark.parametrize(
    ("options", "cluster", "withinss", "n_iter", "following"),
    [
        ({}, "2 3 2 2 2 3 1 1 2 1 3 3", [9.0000000000000018, 34.599999999999994, 11.6875], 2,
         0.90820778999477625),
        ({"nstart": 5}, "2 3 2 2 1 3 3 3 3 3 3 3", [0, 9.0000000000000018, 39.6875], 2, 0.77744522131979465),
        ({"algorithm": "Lloyd"}, "2 3 2 2 1 3 3 3 1 3 3 3", [9.25, 9, 33.571428571428569], 4, None),
        ({"algorithm": "MacQueen"}, "2 3 2 2 1 3 3 3 1 3 3 3", [9.25, 9, 33.571428571428569], 3, None),
    ],
)  # fmt: skip
def test_reference_case(options, cluster, withinss, n_iter, following):
    rng = RRandom(1)
    fit = kmeans(A, 3, rng=rng, **options)
    assert fit.cluster.tolist() == [int(v) for v in cluster.split()]
    assert fit.withinss.tolist() == withinss
    assert fit.iter == n_iter
    if following is not None:
        assert rng.runif(1)[0] == following


@pytest.mark.engines
def test_reference_sums_of_squares():
    fit = kmeans(A, 3, rng=RRandom(1))
    assert (fit.totss, fit.betweenss, fit.ifault) == (117.54166666666667, 62.254166666666677, 0)
    assert fit["tot.withinss"] == fit.tot_withinss == fit.totss - fit.betweenss
    one = kmeans(A, 1, rng=RRandom(1))
    assert one.withinss.tolist() == [117.54166666666666]
    assert one.betweenss == 1.4210854715202004e-14


@pytest.mark.engines
def test_reference_given_centres_draw_nothing():
    rng = RRandom(1)
    before = rng.getstate()
    fit = kmeans(A, A[:3], nstart=5, rng=rng)
    assert fit.cluster.tolist() == [3, 2, 3, 3, 1, 2, 2, 2, 2, 2, 2, 2]
    assert fit.withinss.tolist() == [0, 39.6875, 9.0000000000000018]
    assert rng.getstate() == before


@pytest.mark.engines
def test_reference_without_convergence():
    with pytest.warns(RWarning, match=r"^did not converge in 1 iteration$"):
        fit = kmeans(A, 4, iter_max=1, rng=RRandom(4))
    assert fit.cluster.tolist() == [3, 2, 3, 3, 3, 1, 1, 1, 3, 4, 2, 2]
    assert fit.withinss.tolist() == [5.6666666666666661, 4, 34.599999999999994, 0]
    assert (fit.iter, fit.ifault) == (2, 2)
    with pytest.warns(RWarning, match=r"^did not converge in 1 iteration$"):
        fit = kmeans(A, 3, iter_max=1, algorithm="Lloyd", rng=RRandom(1))
    assert fit.withinss.tolist() == [36.100000000000001, 9, 22.9375]


def test_limits_up_to_the_largest_integer_of_r_count():
    fits = [kmeans(A, 3, iter_max=limit, rng=RRandom(1)) for limit in (100, 2**31 - 1)]
    assert fits[0].cluster.tolist() == fits[1].cluster.tolist()
    with pytest.raises(RError, match=r"'iter\.max' must be positive"):
        kmeans(A, 3, iter_max=2**31)


@pytest.mark.engines
def test_reference_empty_cluster():
    centers = np.vstack([A[:2], [[100.0, 100.0, 100.0]]])
    with pytest.raises(RError, match=EMPTY) as caught:
        kmeans(A, centers)
    assert caught.value.r_message == EMPTY
    with pytest.warns(RWarning, match=EMPTY) as told:
        fit = kmeans(A, centers, algorithm="Lloyd")
    assert [str(w.message) for w in told] == [EMPTY, EMPTY]
    assert fit.size.tolist() == [4, 8, 0]
    assert fit.withinss.tolist() == [29.25, 39.6875, 0]
    assert np.isnan(fit.centers[2]).all()


@pytest.mark.engines
def test_every_start_empty_is_an_error_too():
    x = np.array([[0.0, 0], [0, 1], [1, 0], [5, 5], [6, 5]])
    with pytest.raises(RError, match=EMPTY):
        kmeans(x, np.array([[0.0, 0], [6, 5], [100, 100]]))


@pytest.mark.engines
def test_reference_quick_transfer_limit():
    x = np.r_[[-0.4] * 5, [-0.4 - 1.11e-16] * 14, -0.5]
    rng = RRandom(1)
    with pytest.warns(RWarning, match=r"^Quick-TRANSfer stage steps exceeded maximum \(= 1000\)$"):
        fit = kmeans(x, 3, rng=rng)
    assert fit.cluster.tolist() == [int(v) for v in "22222221111111222223"]
    assert fit.withinss.tolist() == [8.6281661508548166e-32, 1.6023737137301802e-31, 0]
    assert (fit.iter, fit.ifault) == (1, 4)
    assert rng.runif(1)[0] == 0.66079779248684645


# --- the block formulation against the literal algorithms ------------------------------------------


def data_of_kind(rng, kind, n, p, k):
    """Data that are continuous or tiny, or have ties, duplicates, an offset or an outlier."""
    x = rng.normal(size=(n, p)) + rng.choice([0, 1, 3]) * rng.normal(size=(k, p))[rng.integers(k, size=n)]
    match kind:
        case "rounded":
            return np.floor(x * 4) / 4
        case "integer":
            return np.floor(x)
        case "offset":
            return x + 10.0 ** rng.integers(3, 12)
        case "outlier":
            x[0] = 1e12
            return x
        case "tiny":
            return x * 1e-160
    return x


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "rounded", "integer", "offset", "outlier", "tiny"]),
    wide=st.booleans(),
    iter_max=st.sampled_from([1, 2, 10]),
)
def test_hartigan_wong_equals_the_literal_algorithm(seed, kind, wide, iter_max):
    rng = np.random.default_rng(seed)
    n, p, k = rng.integers(6, 60), rng.integers(65, 80) if wide else rng.integers(1, 20), rng.integers(2, 6)
    x = data_of_kind(rng, kind, n, p, k)
    distinct = x[distinct_rows(x)]
    assume(len(distinct) >= k)
    starts = np.stack([distinct[rng.choice(len(distinct), k, replace=False)] for _ in range(4)])
    together = hartigan_wong(x, starts, iter_max)
    alone = [hartigan_wong(x, centers[None], iter_max)[0] for centers in starts]
    for centers, *runs in zip(starts, together, alone, strict=True):
        if runs[0] is None:
            assert runs[1] is None
            assert Literal(literal.hartigan_wong, x, centers, iter_max).ifault == literal.EMPTY
            continue
        expected = Literal(literal.hartigan_wong, x, centers, iter_max)
        for run in runs:
            assert run.labels.tolist() == expected.labels.tolist()
            assert (run.n_iter, run.ifault) == (expected.n_iter, expected.ifault)


@pytest.mark.parametrize(("n", "p"), [(450, 3), (120, 70)], ids=["by rows", "by Gram matrix"])
def test_hartigan_wong_with_many_points(n, p):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, p)) + rng.normal(size=(6, p))[rng.integers(6, size=n)] / 2
    starts = np.stack([x[rng.choice(n, 6, replace=False)] for _ in range(2)])
    together = hartigan_wong(x, starts, 10)
    alone = [hartigan_wong(x, centers[None], 10)[0] for centers in starts]
    for centers, *runs in zip(starts, together, alone, strict=True):
        expected = Literal(literal.hartigan_wong, x, centers, 10)
        for run in runs:
            assert run is not None
            assert run.labels.tolist() == expected.labels.tolist()
            assert run.n_iter == expected.n_iter


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "rounded", "integer", "offset"]),
    iter_max=st.sampled_from([1, 3, 10]),
)
def test_lloyd_and_macqueen_equal_the_literal_algorithms(seed, kind, iter_max):
    rng = np.random.default_rng(seed)
    n, p, k = rng.integers(5, 80), rng.integers(1, 20), rng.integers(1, 6)
    x = data_of_kind(rng, kind, n, p, k)
    centers = x[rng.choice(n, min(k, n), replace=False)]
    for ours, oracle in ((lloyd_in_order, literal.lloyd), (macqueen_once, literal.macqueen)):
        labels, final, withinss, n_iter = ours(x, centers, iter_max)
        expected = Literal(oracle, x, centers, iter_max)
        np.testing.assert_array_equal(labels, expected.labels)
        np.testing.assert_array_equal(final, expected.centers)
        np.testing.assert_array_equal(withinss, expected.withinss)
        assert n_iter == expected.n_iter


@pytest.mark.compiled
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "rounded", "integer", "offset", "outlier", "tiny"]),
    algorithm=st.sampled_from(["Hartigan-Wong", "Lloyd", "MacQueen"]),
    iter_max=st.sampled_from([1, 3, 10]),
)
@example(seed=2_219_003_360, kind="outlier", algorithm="Lloyd", iter_max=3)
def test_both_engines_give_the_same(seed, kind, algorithm, iter_max):
    rng = np.random.default_rng(seed)
    n, p, k = rng.integers(6, 80), rng.integers(1, 80), rng.integers(1, 6)
    x = data_of_kind(rng, kind, n, p, k)
    seen = []
    for engine in ("numpy", "compiled"):
        stream = RRandom(seed % 1000)
        with set_engine(engine), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                fit = kmeans(x, k, iter_max=iter_max, nstart=3, algorithm=algorithm, rng=stream)
                numbers = [np.array(value, dtype=float) for value in fit.values() if value is not None]
                # A centre of an empty cluster is NaN, whose sign means nothing.
                values = [np.where(np.isnan(found), np.nan, found).tobytes() for found in numbers]
            except RError as error:
                values = [str(error)]
        seen.append((values, [str(warning.message) for warning in told], stream.getstate()))
    assert seen[0] == seen[1]


@pytest.mark.seeds(1)
@pytest.mark.parametrize("algorithm", ["lloyd", "macqueen"])
def test_distances_are_summed_feature_by_feature(algorithm, seed):
    ours, rng = {"lloyd": lloyd_in_order, "macqueen": macqueen_once}[algorithm], np.random.default_rng(seed)
    for _ in range(50):  # a grid of decimal fractions: many ties, which rounding breaks
        x = np.floor(12 * rng.random((46, 9))) * 1e-4
        expected = Literal(getattr(literal, algorithm), x, x[:3], 10)
        assert ours(x, x[:3], 10)[0].tolist() == expected.labels.tolist()


def test_macqueen_in_small_blocks_and_batches_is_the_same(monkeypatch):
    x = np.random.default_rng(5).normal(size=(200, 3))
    starts = x[np.random.default_rng(6).integers(0, 200, (7, 4))]
    whole = macqueen.macqueen(x, starts, 10)
    monkeypatch.setattr(macqueen, "BLOCK_ROWS", 17)
    monkeypatch.setattr(macqueen, "BATCH_STARTS", 3)
    for one, other in zip(whole, macqueen.macqueen(x, starts, 10), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_two_nearest_settles_ties_by_the_lower_index():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    first, second = distance.two_nearest(distance.Geometry(x), np.array([[[2.0], [0.0], [2.0]]]))
    assert first.tolist() == [[1, 0, 0, 0]]
    assert second.tolist() == [[0, 1, 2, 2]]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), shift=st.sampled_from([1e8, -1e8]))
def test_labels_survive_a_huge_offset(seed, shift):
    rng = np.random.default_rng(seed)
    x = np.floor(64 * rng.normal(size=(40, 3))) / 64  # exact under the offset
    x[:20] += 16.0
    plain = kmeans(x, 2, nstart=3, rng=RRandom(1))
    moved = kmeans(x + shift, 2, nstart=3, rng=RRandom(1))
    assert moved.cluster.tolist() == plain.cluster.tolist()


# --- input and errors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"centers": 13}, "cannot take a sample larger than the population when 'replace = FALSE'"),
        ({"centers": 12}, "number of cluster centres must lie between 1 and nrow(x)"),
        ({"centers": 13, "nstart": 2}, "more cluster centers than distinct data points."),
        ({"centers": 0}, "number of cluster centres must lie between 1 and nrow(x)"),
        ({"centers": np.vstack([A[0], A[0]])}, "initial centers are not distinct"),
        ({"centers": np.vstack([A, A + 100])}, "more cluster centers than data points"),
        ({"centers": A[:2, :2]}, "must have same number of columns in 'x' and 'centers'"),
        ({"centers": 3, "iter_max": 0}, "'iter.max' must be positive"),
        ({"centers": 3, "iter_max": float("nan")}, "'iter.max' must be positive"),
        ({"centers": 3, "nstart": 0}, "argument is of length zero"),
        ({"centers": 3, "algorithm": "EM"},
         "'arg' should be one of “Hartigan-Wong”, “Lloyd”, “Forgy”, “MacQueen”"),
        ({"centers": np.array([[np.nan, 0, 0], [1, 1, 1]])},
         "NA/NaN/Inf in foreign function call (arg 4)"),
    ],
)  # fmt: skip
def test_errors_of_r(arguments, message):
    with pytest.raises(RError) as caught:
        kmeans(A, rng=RRandom(1), **arguments)
    assert caught.value.r_message == message
    assert len(str(caught.value)) > len(message)  # followed by the remedy


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_missing_values_are_refused_after_the_draw(bad):
    x = A.copy()
    x[3, 1] = bad
    rng, other = RRandom(1), RRandom(1)
    with pytest.raises(RError, match=r"x\[3, 1\] is") as caught:
        kmeans(x, 3, rng=rng)
    assert caught.value.r_message == "NA/NaN/Inf in foreign function call (arg 1)"
    other.sample_int(12, 3)
    assert rng.getstate() == other.getstate()  # as in R


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.array([["a", "b"]]), "real numbers"),
        (A + 1j, "real numbers"),
        (A.astype(str).astype(object), "real numbers"),
        (sparse.csr_array(A), "not supported yet"),
        (pd.DataFrame({"a": [1.0, 2], "b": ["x", "y"]}), "column 'b' of x (has type|holds 'x', a str)"),
    ],
)
def test_wrong_types(x, message):
    with pytest.raises(TypeError, match=message):
        kmeans(x, 2)


@pytest.mark.parametrize(("x", "message"), [(np.empty((0, 3)), "empty"), (np.ones((2, 2, 2)), "dimensions")])
def test_wrong_shapes(x, message):
    with pytest.raises(ValueError, match=message):
        kmeans(x, 2)


def test_data_without_columns_have_too_few_distinct_rows():
    with pytest.raises(RError, match="more cluster centers than distinct data points"):
        run_kmeans(np.empty((20, 0)), 3, nstart=20, rng=RRandom(1))  # as R 4.2.2 says for matrix(0, 20, 0)


def test_overflowing_squares_are_refused():
    with pytest.raises(ValueError, match=r"values up to 8e\+160.*limit is 1e\+150"):
        kmeans(A * 1e160, 3, rng=RRandom(1))


@pytest.mark.parametrize(("value", "error"), [("3", TypeError), (None, RError), (np.nan, RError)])
def test_centers_of_the_wrong_kind(value, error):
    with pytest.raises(error):
        kmeans(A, value, rng=RRandom(1))


@pytest.mark.engines
def test_an_error_in_a_later_start_leaves_the_stream_there():
    x = np.array([[0.0], [1e-170], *([v] for v in range(5, 13))])  # the first two differ, their distance is 0
    failed_at = set()
    for seed in range(40):
        rng, other = RRandom(seed), RRandom(seed)
        starts = [other.sample_int(10, 3)]
        while not {1, 2} <= set(starts[-1].tolist()) and len(starts) < 6:
            starts.append(other.sample_int(10, 3))
        if {1, 2} <= set(starts[-1].tolist()):
            with pytest.raises(RError, match=EMPTY):
                kmeans(x, 3, nstart=6, rng=rng)
            failed_at.add(len(starts))
        else:
            kmeans(x, 3, nstart=6, rng=rng)
        assert rng.getstate() == other.getstate()
    assert len(failed_at) > 2


# --- frames, names, printing -----------------------------------------------------------------------


def test_frames_give_the_same_result():
    expected = kmeans(A, 3, rng=RRandom(1))
    frame = pd.DataFrame(A, columns=list("abc"), index=[f"r{i}" for i in range(12)])
    others = [pl.DataFrame(A, schema=["a", "b", "c"]), A.tolist(), np.asfortranarray(A), A.astype("f4")]
    for x in (frame, *others):
        assert kmeans(x, 3, rng=RRandom(1)).withinss.tolist() == expected.withinss.tolist()
    fit = kmeans(frame, 3, rng=RRandom(1))
    assert (fit.row_names, fit.column_names) == (list(frame.index), ["a", "b", "c"])


def test_input_is_not_changed():
    x = A.copy()
    kmeans(x, 3, nstart=3, rng=RRandom(1))
    assert np.array_equal(x, A)


def test_context_stream():
    set_seed(1)
    first = kmeans(A, 3)
    assert first.cluster.tolist() == kmeans(A, 3, rng=RRandom(1)).cluster.tolist()


def test_algorithm_may_be_abbreviated():
    a = kmeans(A, 3, algorithm="Mac", rng=RRandom(1))
    assert a.centers.tolist() == kmeans(A, 3, algorithm="MacQueen", rng=RRandom(1)).centers.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kmeans(A, 3, algorithm="Forgy", rng=RRandom(1)).iter == 4


def test_print_as_r_does():
    text = str(kmeans(A, 3, rng=RRandom(1)))
    assert text == (
        "K-means clustering with 3 clusters of sizes 3, 5, 4\n\nCluster means:\n"
        "      [,1]     [,2]     [,3]\n"
        "1 6.833333 2.166667 3.333333\n"
        "2 2.200000 1.700000 2.000000\n"
        "3 5.250000 4.125000 2.250000\n"
        "\nClustering vector:\n [1] 2 3 2 2 2 3 1 1 2 1 3 3\n"
        "\nWithin cluster sum of squares by cluster:\n[1]  9.0000 34.6000 11.6875\n"
        " (between_SS / total_SS =  53.0 %)\n\nAvailable components:\n\n"
        '[1] "cluster"      "centers"      "totss"        "withinss"     "tot.withinss"\n'
        '[6] "betweenss"    "size"         "iter"         "ifault"      '
    )


def test_print_names_the_rows_as_r_does():
    frame = pd.DataFrame(A, index=[f"row {i}" for i in range(12)])
    text = str(kmeans(frame, 3, rng=RRandom(1)))
    assert (
        "Clustering vector:\n"
        " row 0  row 1  row 2  row 3  row 4  row 5  row 6  row 7  row 8  row 9 row 10 \n"
        "     2      3      2      2      2      3      1      1      2      1      3 \n"
        "row 11 \n     3 \n"
    ) in text


def test_result_is_a_mapping_with_attributes():
    fit = kmeans(A, 3, rng=RRandom(1))
    assert list(fit) == [
        "cluster", "centers", "totss", "withinss", "tot.withinss", "betweenss", "size", "iter", "ifault",
    ]  # fmt: skip
    assert fit.cluster.min() == 1
    with pytest.raises(AttributeError, match="no field 'nonsense'"):
        _ = fit.nonsense


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["Hartigan-Wong", "Lloyd", "MacQueen"])
def test_starts_in_threads_give_the_same_answer(algorithm):
    x = np.random.default_rng(0).standard_normal((60, 3))
    with set_engine("compiled"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        alone = kmeans(x, 4, nstart=8, algorithm=algorithm, rng=RRandom(1))
        with parallel_config(backend="threading", n_jobs=2):
            together = kmeans(x, 4, nstart=8, algorithm=algorithm, rng=RRandom(1))
    assert all(np.array_equal(alone[name], together[name]) for name in alone)


@pytest.mark.parametrize("limit", [2.0**31, 1e300, float("inf"), float("nan"), 0, -3])
def test_limits_that_r_has_no_integers_for_are_not_positive(limit):
    with pytest.raises(RError, match=r"'iter\.max' must be positive"):
        kmeans([[1.0], [2.0], [9.0]], 2, iter_max=limit)
