"""wrsk's functions: reference cases, limits, errors, and the documented properties of SimData."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sparsek.errors import RError
from sparsek.rcompat import ROBIN, GetOutRates, SimData, dist, lof, wrk, wrsk, wrskGap
from sparsek.rcompat.wrsk_package.simulation_design import Design, random_rotation, simulate
from sparsek.rng import RRandom


@pytest.fixture(scope="module")
def u():
    """Reference data: two groups in two of six columns; rows 1 and 31 are outliers."""
    x = RRandom(5).rnorm(360).reshape(60, 6, order="F")
    x[:30, :2] += 4
    x[0] += 6
    x[30] -= 6
    return x


def test_wrsk_on_the_specification(u):
    rng = RRandom(1)
    fit = wrsk(u, 2, 1.5, rng=rng)
    assert fit.clusters.tolist() == [1] * 30 + [2] * 30
    assert np.flatnonzero(fit.outclusters == 0).tolist() == [0, 30]
    # R's numbers have 17 digits: compared exactly.
    assert fit.varweights[:2].tolist() == [0.71242870704661753756, 0.70166373048686125902]
    assert fit.varweights[2:4].tolist() == [0.00037772456282467116, 0.00111805247335262838]
    assert fit.varweights[4:].tolist() == [0.00717645688477317432, 0.00777511701188991593]
    # The other reference numbers have 15 digits.
    assert pytest.approx(304.452666550039, rel=1e-14) == fit.WBCSS
    assert rng.runif(1)[0] == pytest.approx(0.908207789994776, rel=1e-14)
    assert list(fit) == ["clusters", "outclusters", "obsweights", "varweights", "WBCSS"]


def test_robin_on_the_specification(u):
    start = ROBIN(dist(u), u, 3, rng=RRandom(1))
    assert start.centers.tolist() == [21, 48, 52]
    assert list(start) == ["centers", "lof"]


def test_each_weight_step_draws_one_index_and_the_end_one_more(u):
    rng, twin = RRandom(3), RRandom(3)
    wrsk(u, 2, 1.5, iteration=1, rng=rng)
    for _ in range(2):
        twin.unif_index(60)
    assert rng.runif(1)[0] == twin.runif(1)[0]


def test_arrays_squares_and_frames_give_the_same(u):
    pd = pytest.importorskip("pandas")
    square = np.zeros((60, 60))
    square[np.triu_indices(60, 1)] = dist(u)
    square += square.T
    a, b = (wrk(u, d, 2, rng=RRandom(1)) for d in (dist(u), square))
    c = wrk(pd.DataFrame(u, index=[f"r{i}" for i in range(60)]), dist(u), 2, rng=RRandom(1))
    for other in (b, c):
        assert np.array_equal(a.obsweights, other.obsweights)
        assert a.WCSS == other.WCSS


def test_input_is_not_changed(u):
    copy = u.copy()
    wrsk(u, 2, 1.5, rng=RRandom(1))
    wrskGap(u, 2, [1.2], npermute=1, rng=RRandom(1))
    assert np.array_equal(u, copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 1}, "length of 'center' must equal the number of columns of 'x'"),
        ({"k": 0}, "subscript out of bounds"),
        ({"k": -1}, "invalid 'length' argument"),
        ({"k": 60}, "missing value where TRUE/FALSE needed"),
        ({"data": np.zeros((40, 3))}, "object 'cluster' not found"),
        ({"data": np.arange(20.0).reshape(10, 2)}, "minPts has to be at least 2"),
        ({"data": np.full((20, 2), np.nan)}, "NAs not allowed for LOF using kdtree!"),
        ({"data": np.full((20, 2), np.inf)}, "missing value where TRUE/FALSE needed"),
    ],
)
def test_errors_of_r(u, change, message):
    with pytest.raises(RError, match=r"\[") as caught:
        wrsk(**{"data": u, "k": 2, "s": 1.5, **change}, rng=RRandom(1))
    assert caught.value.r_message.startswith(message)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": np.arange(20.0)}, ValueError, "reshape"),
        ({"data": np.full((20, 2), 1e151)}, ValueError, "1e\\+150"),
        ({"s": math.nan}, ValueError, "s must be a number"),
        ({"s": [1.2, 1.5]}, TypeError, "s must be one number"),
        ({"k": math.inf}, ValueError, "k must be finite"),
        ({"iteration": 0}, ValueError, "iteration"),
        ({"iteration": 2.5}, ValueError, "iteration"),
        ({"cutoff": math.nan}, ValueError, "cutoff"),
    ],
)
def test_bad_arguments_before_any_draw(u, change, error, message):
    rng = RRandom(1)
    with pytest.raises(error, match=message):
        wrsk(**{"data": u, "k": 2, "s": 1.5, **change}, rng=rng)
    assert rng.runif(1)[0] == RRandom(1).runif(1)[0]


def test_distances_must_fit(u):
    with pytest.raises(ValueError, match="between 40 rows"):
        wrk(u, dist(u[:40]), 2)
    with pytest.raises(ValueError, match="symmetric"):
        ROBIN(u[:6], u[:6], 2)
    with pytest.raises(ValueError, match="n \\(n - 1\\) / 2"):
        lof(np.arange(4.0))
    with pytest.raises(TypeError, match="real numbers"):
        ROBIN(["a"], u, 2)


def test_row_names_are_not_used(u):
    pd = pytest.importorskip("pandas")
    named = pd.DataFrame(u, index=[f"r{i}" for i in range(60)])
    assert wrsk(named, 2, 1.5, rng=RRandom(1)).WBCSS == wrsk(u, 2, 1.5, rng=RRandom(1)).WBCSS


def test_gap_equals_r_on_the_specification(u):
    """R's own numbers, with the name of dbscan's argument corrected."""
    rng = RRandom(9)
    gap = wrskGap(u, 2, [1.2, 1.5, 2], npermute=3, cores=1, rng=rng)
    assert gap.gap.tolist() == [0.36960312965880870, 0.51073627028460677]
    assert gap.se.tolist() == [0.072740178534623889, 0.071409754445826618]
    assert gap.nonZerW.tolist() == [2, 6]
    assert gap.s.tolist() == [1.2, 1.5]
    assert rng.runif(1)[0] == pytest.approx(0.8042183, abs=5e-8)  # printed by R with 7 digits


def test_gap_without_disturbing_the_stream(u):
    one, other = (wrskGap(u, 2, [1.5], npermute=2, cores=c, rng=RRandom(9)) for c in (1, 4))
    assert one.gap.tolist() == other.gap.tolist()
    rng, twin = RRandom(9), RRandom(9)
    wrskGap(u, 2, [1.5], npermute=2, rng=rng)
    wrsk(u, 2, 1.5, rng=twin)
    assert rng.runif(1)[0] == twin.runif(1)[0]


def test_gap_where_a_cluster_is_lost(u):
    gap = wrskGap(u, 1, [1.2, 1.5], npermute=2, rng=RRandom(1))
    assert gap.s.tolist() == [1.2]
    assert gap.gap.size == gap.se.size == gap.nonZerW.size == len(gap.resFinal) == 0


@pytest.mark.parametrize("change", [{"S": []}, {"S": [math.nan]}, {"npermute": 0}, {"cores": 0}])
def test_gap_refuses(u, change):
    with pytest.raises(ValueError, match=next(iter(change))):
        wrskGap(**{"data": u, "K": 2, "S": [1.5], **change})


def test_rates():
    rates = GetOutRates(["out", "a", "b", "out"], ["out", "out", "b", "a"])
    assert (rates.TPR, rates.FPR) == (0.5, 0.5)
    assert math.isnan(GetOutRates([1, 1], [0, 1], out=0).TPR)
    with pytest.raises(ValueError, match="one length"):
        GetOutRates([1, 2], [1])


def test_simulated_labels_and_counts():
    sim = SimData([20, 30], 10, 30, 3, p_out_noise=4, rng=RRandom(1))
    assert sim.x.shape == (50, 40)
    assert np.bincount(sim.y).tolist() == [0, 20, 30]
    assert np.bincount(sim.lbout).tolist() == [5, 16, 24, 5]
    assert np.array_equal(sim.lb == 0, (sim.lbout == 0) | (sim.lbout == 3))
    assert np.array_equal(sim.lb[sim.lb > 0], sim.y[sim.lb > 0])
    cells = np.abs(sim.x[sim.lbout == 3][:, 10:])
    assert (np.count_nonzero((cells >= 6) & (cells <= 12), axis=1) == 4).all()


def test_simulated_uniform_outliers_lie_in_their_intervals():
    ranges = {"min1": -30, "max1": -20, "min2": 20, "max2": 21}
    sim = SimData([40, 40], 4, 2, 2, 0.25, False, unif_out_range=ranges, rng=RRandom(2))
    values = sim.x[sim.lb == 0][:, :2]
    assert (((values >= -30) & (values <= -20)) | ((values >= 20) & (values <= 21))).all()


def test_simulated_moments():
    design = Design((6000, 6000), 4, 3, 4, 0.2, True, 0, 0.1, variance_range=(5.0, 5.0))
    x, groups, marked, _ = simulate(design, RRandom(4))
    for group in (1, 2):
        inner = x[(groups == group) & (marked > 0)]
        mean = inner.mean(axis=0)
        level = np.abs(mean[:4]).max()
        expected = np.where(np.arange(4) % 2 == group - 1, level, 0.0)
        # 4800 rows with variances of at most 3.7 along one direction (4 x 0.9 + 0.1): the standard errors of
        # means and covariances are up to 0.028 and 0.08; five of them.
        assert 3 <= level <= 6
        assert np.allclose(np.abs(mean[:4]), expected, atol=0.14)
        assert np.allclose(mean[4:], 0, atol=0.08)
        spectrum = np.linalg.eigvalsh(np.cov(inner[:, :4].T))
        assert np.allclose(spectrum[:3], spectrum[:3].mean(), atol=0.2)
        assert np.isclose(spectrum.sum(), 4, atol=0.4)
        # 1200 outliers of variance 5: the variance's standard error is 0.2.
        assert np.allclose(x[(groups == group) & (marked == 0)][:, :4].var(axis=0), 5, atol=1.1)


@pytest.mark.parametrize("dim", [2, 3, 7])
def test_rotations(dim):
    rng = RRandom(dim)
    q = random_rotation(dim, rng)
    assert np.allclose(q @ q.T, np.eye(dim), atol=1e-13)  # rounding of dim sums
    assert np.isclose(np.linalg.det(q), 1)
    twin = RRandom(dim)
    twin.skip(1 if dim == 2 else dim * dim)
    assert rng.runif(1)[0] == twin.runif(1)[0]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"size_grp": [20, 1]}, "size_grp"),
        ({"p_inf": 1}, "p_inf"),
        ({"p_out_inf": 5}, "p_out_inf"),
        ({"p_out_noise": 4}, "p_out_noise"),
        ({"pct_out": 1.5}, "pct_out"),
        ({"noise_pct_out": 0.6}, "noise_pct_out"),
        ({"s_out_range": {"min": 5, "max": 3}}, "s_out_range"),
        ({"mu_grp_range": [1, 2]}, "mu_grp_range"),
        ({"size_grp": [20, 20, 20, 20, 20]}, "p_inf"),
    ],
)
def test_simulation_refuses(change, name):
    with pytest.raises(ValueError, match=name):
        SimData(**{"size_grp": [20, 20], "p_inf": 4, "p_noise": 3, **change}, rng=RRandom(1))


def test_passes_without_limit(u):
    fits = [wrk(u, dist(u), 2, m, rng=RRandom(1)) for m in (30, math.inf)]
    assert fits[0].WCSS == fits[1].WCSS


def test_outliers_in_noise_of_no_row() -> None:
    made = SimData(
        size_grp=[2], p_inf=8, p_noise=2, p_out_inf=1, scatter_out=True, p_out_noise=2, rng=RRandom(1)
    )
    assert np.isfinite(np.asarray(made["x"])).all()
