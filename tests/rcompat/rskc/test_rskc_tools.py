"""R's Clest and revisedsil: reference cases, random ties, errors."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from r_reference import bridge
from sparsek.errors import BlasDependentWarning, RError
from sparsek.rcompat import RSKC, Clest, eigen, revisedsil, var
from sparsek.rcompat.rskc.prediction_strength import random_nearest
from sparsek.rng import RRandom
from tests.rcompat.rskc.test_rskc import W

CLEST = {"maxK": 4, "alpha": 0.1, "B": 3, "B0": 2, "nstart": 10, "L1": 1.4, "pca": False}
HALVES = [1] * 20 + [2] * 20


def test_clest_reference():
    rng = RRandom(1)
    fit = Clest(W[:, :3], **CLEST, rng=rng)
    assert fit.K == 2
    # The reference numbers have 15 digits.
    observed = [0, 0.0641025641025641, 0.141025641025641]
    expected = [0.487179487179487, 0.256410256410256, 0.294871794871795]
    np.testing.assert_allclose(fit.result_table[:, 1], observed, rtol=1e-14)
    np.testing.assert_allclose(fit.result_table[:, 2], expected, rtol=1e-14)
    assert fit.result_table[:, 3].tolist() == [0, 0, 0]
    assert rng.runif(1)[0] == pytest.approx(0.071094990009442, rel=1e-13)
    assert str(fit).startswith(
        "$call\nClest(d = d, maxK = 4, alpha = 0.1, B = 3, B0 = 2, nstart = 10, \n"
        "    L1 = 1.4, pca = FALSE)\n\n"
        "$K\n[1] 2\n\n$result.table\n   test.stat     obsCER    refCER P-value\n"
        "2 -0.4871795 0.00000000 0.4871795       0"
    )
    assert "$referenceCERs\n           k=2         3         4\n[1,] 0.4615385" in str(fit)


def test_clest_says_one_cluster_when_nothing_is_significant():
    assert Clest(W[:, :3], **{**CLEST, "beta": 0}, rng=RRandom(1)).K == 1


def test_clest_on_principal_axes():
    args = {**CLEST, "pca": True, "B": 1, "B0": 1}
    with pytest.warns(BlasDependentWarning, match="R's own answer depends on its BLAS here: .* of 3 axes"):
        default = Clest(W[:, :3], **args, rng=RRandom(1))
    with pytest.warns(BlasDependentWarning):
        axes = eigen(var(W[:, :3])).vectors
    given = Clest(W[:, :3], **args, eigenvectors=axes, rng=RRandom(1))
    turned = Clest(W[:, :3], **args, eigenvectors=np.eye(3), rng=RRandom(1))
    along = Clest(W[:, :3], **{**args, "pca": False}, rng=RRandom(1))
    assert default.result_table.tolist() == given.result_table.tolist()
    assert turned.result_table.tolist() == along.result_table.tolist()


@pytest.mark.live_r
def test_clest_with_the_eigenvectors_of_r():
    there, reason = bridge.available("RSKC")
    if not there:
        pytest.skip(reason)  # counted and printed with its reason by conftest
    from rpy2 import rinterface

    call = rinterface.evalr("""function(x, n, seed) {
      d <- matrix(x, n); v <- eigen(var(d))$vectors; set.seed(seed)
      fit <- RSKC::Clest(d, 3, 0.1, B = 2, B0 = 2, nstart = 3, L1 = 1.5, silent = TRUE)
      list(v, fit$referenceCERs, fit$observedCERs) }""")
    for seed in range(1, 9):
        x = RRandom(seed).rnorm(120).reshape(30, 4, order="F")
        x[:15] += 2
        numbers = rinterface.FloatSexpVector
        vectors, reference, observed = call(
            numbers(x.ravel(order="F")), numbers([30.0]), numbers([float(seed)])
        )
        axes = np.array(vectors).reshape(4, 4, order="F")
        fit = Clest(x, 3, 0.1, B=2, B0=2, nstart=3, L1=1.5, eigenvectors=axes, rng=RRandom(seed))
        assert fit.referenceCERs.ravel(order="F").tolist() == list(reference)
        assert fit.observedCERs.ravel(order="F").tolist() == list(observed)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"maxK": 2}, "length of 'dimnames' [2] not equal to array extent"),
        ({"alpha": 2}, "alpha must be between 0 and 1"),
        ({"L1": 0.5}, "L1 value must be greater or equal to 1 or NULL!"),
    ],
)
def test_clest_errors_of_r(args, message):
    with pytest.raises(RError) as caught:
        Clest(W, **{**CLEST, **args})
    assert caught.value.r_message == message


def test_clest_refuses_rows_without_a_common_feature():
    x = W[:, :2].copy()
    x[[3, 8, 21], 0] = np.nan
    with pytest.raises(RError) as caught:
        Clest(x, **{**CLEST, "L1": 1, "B": 15}, rng=RRandom(1))
    assert caught.value.r_message == "NAs in foreign function call (arg 1)"


@pytest.mark.parametrize(
    ("x", "args", "message"),
    [
        (W[:8], {}, "third of its rows"),
        (W[:, :1], {}, "at least 2 columns"),
        (W, {"B": 0}, "B must be a whole number"),
        (W, {"B0": 1.5}, "B0 must be a whole number"),
        (W, {"nstart": 0}, "nstart must be"),
        (np.where(W > 11, np.nan, W), {"pca": True}, "principal axes are not"),
        (W, {"pca": True, "eigenvectors": np.eye(4)}, r"shape \(5, 5\)"),
    ],
)
def test_clest_refuses_what_cannot_work(x, args, message):
    rng = RRandom(1)
    with pytest.raises(ValueError, match=message):
        Clest(x, **{**CLEST, **args}, rng=rng)
    assert rng.runif(1)[0] == RRandom(1).runif(1)[0]


def test_clest_logs_its_progress(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="sparsek"):
        Clest(W[:, :3], **{**CLEST, "B": 1}, rng=RRandom(1))
    assert "reference data 2 of 2" in caplog.text
    assert "split 1 of 1" in caplog.text
    assert capsys.readouterr().out == ""


def literal_max_col(rows, rng):
    """R's max.col(-distances), in the order of its documentation."""
    found = []
    for row in rows:
        values = [-v for v in row]
        tol = 1e-5 * max(abs(v) for v in values)
        best, at, ties = values[0], 0, 1
        for j, v in enumerate(values[1:], start=1):
            if v > best + tol:
                best, at, ties = v, j, 1
            elif v >= best - tol:
                ties += 1
                if ties * float(rng.runif(1)[0]) < 1:
                    at = j
        found.append(at)
    return found


def test_ties_are_broken_at_random():
    generator = np.random.default_rng(0)
    distances = generator.integers(0, 4, (200, 4)) + generator.choice([0, 1e-6, 1e-4], (200, 4))
    ours, theirs = RRandom(1), RRandom(1)
    assert random_nearest(distances.astype(float), ours).tolist() == literal_max_col(distances, theirs)
    assert ours.getstate() == theirs.getstate()


def test_silhouette_of_a_fit():
    fit = RSKC(W, 2, 0.1, L1=1.5, nstart=20, rng=RRandom(1))
    sil, same = revisedsil(W, fit), revisedsil(W, W=fit.weights, C=fit.labels, out=fit.oW)
    assert sil.WdisC.tolist() == same.WdisC.tolist()
    assert [len(rows) for rows in sil["obs.i"]] == [21, 19]
    for widths, rows in zip(sil["sil.i"], sil["obs.i"], strict=True):
        assert sil.sil_order[rows.astype(int) - 1].tolist() == widths.tolist()
    np.testing.assert_allclose(sil.trans_mu[0, 0], 2.464489, rtol=1e-6)  # as printed by R


def test_silhouette_without_trimming():
    fit = RSKC(W, 2, 0, L1=None, nstart=5, rng=RRandom(1))
    assert revisedsil(W, fit).trans_mu.shape == (2, 5)


def test_a_smaller_first_cluster_changes_places():
    small_first = [1] * 10 + [2] * 30
    assert [len(widths) for widths in revisedsil(W, W=[1] * 5, C=small_first)["sil.i"]] == [30, 10]


@pytest.mark.parametrize(
    ("weights", "labels", "message"),
    [
        ([0, 1, 0, 0, 0], HALVES, "incorrect number of dimensions"),
        ([1] * 5, [1] * 40, "subscript out of bounds"),
        ([1] * 5, [1] * 20 + [3] * 20, "missing value where TRUE/FALSE needed"),
    ],
)
def test_silhouette_errors_of_r(weights, labels, message):
    with pytest.raises(RError) as caught:
        revisedsil(W, W=weights, C=labels)
    assert caught.value.r_message == message


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "give reRSKC, or W and C"),
        ({"W": [1] * 4, "C": HALVES}, "W must be 5 weights"),
        ({"W": [-1, 1, 1, 1, 1], "C": HALVES}, "not negative"),
        ({"W": [1] * 5, "C": HALVES[:-1]}, "C must be 40 whole numbers"),
        ({"W": [1] * 5, "C": [0, *HALVES[1:]]}, "from 1"),
        ({"W": [1] * 5, "C": HALVES, "print_plot": True}, "print_plot"),
    ],
)
def test_silhouette_refuses_what_cannot_work(args, message):
    with pytest.raises(ValueError, match=message):
        revisedsil(W, **args)
