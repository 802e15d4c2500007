"""The constrained methods against recorded runs of the reference programs.

The authors' MATLAB program (in Octave), the Java program WekaUT and R's conclust. The first runs on iris are
committed; all runs are compared if SPARSEK_DATA or ../shared/data has them.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from sparsek import COPKMeans, MPCKMeans, PairwiseConstraints, PCKMeans, PCSparseKMeans
from sparsek.datasets import fetch_pcskm
from sparsek.errors import EmptyClusterError, InfeasibleConstraintsError
from sparsek.init import seeding
from sparsek.methods.constrained.assignment import build_pattern
from sparsek.methods.constrained.costs import PairSquares, measure_extents
from tests.places import DATA

REAL = DATA
RUNS = REAL / "pcskm" / "reference_runs.json.gz"
IRIS = json.loads((Path(__file__).parent / "constrained_iris.json").read_text())
NAMES = [
    "fisheriris",
    "ionosphere",
    "digits048",
    "digits389",
    "mwm_ttscst",
    "mwm_ttchst",
    "synthetic_40_3_5_5",
    "synthetic_40_3_3_7",
]
# The programs print 16 digits; our sums run in another order.
WEIGHTS_RTOL = 1e-12
# Weka stops when its objective changes by less than 1e-5.
WEKA_RTOL = 1e-7
TEN = np.reshape(
    [6, 5, 6, 5, 5, 8, 3, 6, 0, 6, 5, 2, 6, 3, -2, 11, 7, 8, 12, 5, 3, 10, 6, 6, 7, 10, 6, 8, 8, 9], (10, 3)
).astype(float)
PAIRS = {"must_link": [(0, 3), (6, 9)], "cannot_link": [(2, 5), (4, 8)]}
START = TEN[[0, 9]]


def digits(text):
    return [int(c) for c in text]


def outcome(model, X, **pairs):
    """The fitted model, or None if a cluster lost its rows."""
    try:
        return model.fit(X, **pairs)
    except EmptyClusterError:
        return None


def compare(model, wanted):
    """Compare labels and, if recorded, passes; returns whether there was something to compare."""
    assert (model is None) == (wanted["status"] == "empty_cluster")
    if model is None:
        return False
    assert model.labels_.tolist() == digits(wanted["labels"])
    assert "n_iter" not in wanted or model.n_iter_ == wanted["n_iter"]
    return True


def check_run(run, X):
    """Compare all methods on one problem."""
    given = {name: run[name] for name in ("must_link", "cannot_link")}
    k, options = run["n_clusters"], {"init": np.array(run["init_rows"]), "on_empty": "error"}
    options["max_separation"] = "box_origin"
    model = outcome(PCKMeans(k, **options), X, **given)
    compare(model, run["pckm"])
    for program, rtol in (("mpckm_matlab", WEIGHTS_RTOL), ("mpckm_weka", WEKA_RTOL)):
        model = outcome(MPCKMeans(k, log_weight=0.01, **options), X, **given)
        if compare(model, run[program]):
            varying = np.ptp(X, axis=0) > 0
            wanted = np.array(run[program]["weights"])
            np.testing.assert_allclose(model.feature_weights_[varying], wanted[varying], rtol=rtol)
    for sparse in run["pcskm"]:
        model = PCSparseKMeans(k, l1_bound=sparse["l1_bound"], weight_solver="bisection15", **options)
        if sparse["status"] == "max_iter":
            with pytest.warns(ConvergenceWarning, match="25 iterations"):
                model = outcome(model, X, **given)
        else:
            model = outcome(model, X, **given)
        if compare(model, sparse):
            np.testing.assert_allclose(model.feature_weights_, sparse["weights"], rtol=0, atol=WEIGHTS_RTOL)


def check_cop(case, run, X):
    """Compare COP-KMeans with R's conclust on the constraints of a run."""
    model = COPKMeans(run["n_clusters"], init=np.array(case["init_rows"]), max_iter=case["max_iter"])
    given = {name: run[name] for name in ("must_link", "cannot_link")}
    if case["status"] == "infeasible":
        with pytest.raises(InfeasibleConstraintsError):
            model.fit(X, **given)
        return
    assert model.fit(X, **given).labels_.tolist() == digits(case["labels"])


@pytest.fixture(scope="module")
def reference():
    if not RUNS.is_file():
        pytest.skip(
            "80 runs and 75 of COP-KMeans not compared: neither SPARSEK_DATA nor ../shared/data has them"
        )
    return json.loads(gzip.decompress(RUNS.read_bytes()))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::sparsek.errors.ConstraintConflictWarning")
@pytest.mark.parametrize("name", NAMES)
def test_recorded_runs(reference, name, monkeypatch, record_property):
    monkeypatch.setenv("SPARSEK_DATA", str(REAL))
    runs = [run for run in reference["runs"] if run["file"].split(".")[0] == name]
    cases = {case: [c for c in reference["cop"] if c["case"] == case] for case in (r["name"] for r in runs)}
    n_compared = 0
    for run in runs:
        X = fetch_pcskm(name, replicate=run["replicate"] or 0).data
        check_run(run, X)
        for case in cases[run["name"]]:
            check_cop(case, run, X)
        n_compared += 3 + len(run["pcskm"]) + len(cases[run["name"]])
    assert n_compared >= 25
    record_property("compared", n_compared)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ConstraintConflictWarning")
@pytest.mark.parametrize("run", IRIS["runs"], ids=lambda run: run["name"])
def test_committed_runs(run):
    X = load_iris().data
    check_run(run, X)
    for case in IRIS["cop"]:
        if case["case"] == run["name"]:
            check_cop(case, run, X)


def test_ten_rows_pckm():
    model = PCKMeans(2, init=START, max_separation="box_origin").fit(TEN, **PAIRS)
    assert model.labels_.tolist() == digits("0000010110")
    assert model.n_iter_ == 3
    wanted = [(6.571429, 5.285714, 3.714286), (9.333333, 7.666667, 6.666667)]
    np.testing.assert_allclose(model.cluster_centers_, wanted, atol=5e-7)  # six digits are printed
    np.testing.assert_allclose(model.criterion_history_, [192.375, 182.571429, 182.571429], atol=5e-7)
    # At the end the must-link (6, 9) and the cannot-links hold, so J is the scatter alone.
    assert model.violated_must_link_.tolist() == []


def test_ten_rows_costs_of_pairs():
    pattern = build_pattern(PairwiseConstraints(10, **PAIRS))
    extents = measure_extents(TEN, np.zeros(3), "box_origin")
    costs = PairSquares(TEN, pattern).costs(np.ones(3), extents.squares)
    ends = list(zip(pattern.first.tolist(), pattern.second.tolist(), strict=True))
    assert ends == [(0, 3), (2, 5), (4, 8), (6, 9)]
    assert costs.together.tolist() == [-16, 236, 251, -61]


def test_ten_rows_first_pass():
    model = PCKMeans(2, init=START, max_separation="box_origin", max_iter=1)
    with pytest.warns(ConvergenceWarning, match="1 iterations"):
        model.fit(TEN, **PAIRS)
    assert model.labels_.tolist() == digits("0000010010")
    np.testing.assert_allclose(model.cluster_centers_, [(7, 5.375, 4), (9, 8.5, 7)], rtol=1e-14)


def test_ten_rows_without_constraints_is_lloyd():
    model = PCKMeans(2, init=START).fit(TEN)
    assert model.labels_.tolist() == digits("1100010111")
    assert model.n_iter_ == 4
    np.testing.assert_allclose(
        model.cluster_centers_, [(6.75, 4.75, 0.75), (7.833333, 6.833333, 7.166667)], atol=5e-7
    )


def test_ten_rows_mpckm():
    model = MPCKMeans(2, init=START, log_weight=0.01, max_separation="box_origin").fit(TEN, **PAIRS)
    assert model.labels_.tolist() == digits("0000010010")
    assert model.n_iter_ == 2
    np.testing.assert_allclose(model.feature_weights_, 0.1 / np.array([66, 18.375, 108]), rtol=1e-13)


@pytest.mark.parametrize(
    ("pairs", "s", "solver", "labels", "weights", "n_iter"),
    [
        (PAIRS, 1.1, "bisection15", "1100011111", (0.1055972498, 0, 0.9944089807), 2),
        (PAIRS, 1.3, "bisection15", "1100011111", (0.2596099127, 0.0778338951, 0.962571856), 4),
        (PAIRS, 1.6, "bisection15", "1100011111", (0.2617955478, 0.080801095, 0.9617350333), 4),
        (PAIRS, 1.1, "exact", "1100011111", (0.1055902791, 0, 0.9944097209), 2),
        (PAIRS, 1.3, "exact", "1100011111", (0.2596019909, 0.0778231476, 0.9625748615), 4),
        ({}, 1.1, "bisection15", "1100010111", (0.0132259413, 0.0910100572, 0.9957621423), 2),
        ({}, 1.3, "bisection15", "1100010111", (0.0283355194, 0.1047911219, 0.9940904985), None),
    ],
)
def test_ten_rows_pcskm(pairs, s, solver, labels, weights, n_iter):
    model = PCSparseKMeans(2, l1_bound=s, init=START, weight_solver=solver, max_separation="box_origin")
    model.fit(TEN, **pairs)
    assert model.labels_.tolist() == digits(labels)
    np.testing.assert_allclose(model.feature_weights_, weights, atol=5.1e-11)  # ten digits are printed
    assert n_iter is None or model.n_iter_ == n_iter


def test_ten_rows_cop():
    model = COPKMeans(2, init=START).fit(TEN, **PAIRS)
    assert model.labels_.tolist() == digits("0000011111")
    np.testing.assert_allclose(model.cluster_centers_, [(5.2, 4.8, 2.8), (9.6, 7.2, 6.4)], rtol=1e-14)
    assert model.fit(TEN, cannot_link=[(0, 1)]).labels_.tolist() == digits("1000010111")
    with pytest.raises(
        InfeasibleConstraintsError, match=r"row 8 fits no cluster: .* rows 2, 5, 8 .* need 3 clusters"
    ):
        model.fit(TEN, cannot_link=[(2, 5), (5, 8), (2, 8)])


@pytest.mark.parametrize(
    ("must_link", "centers", "labelled"),
    [
        ([(0, 3), (6, 9)], [(6, 5, 4), (10, 6.5, 6)], {0: 0, 3: 0, 6: 1, 9: 1}),
        (
            [(0, 3), (6, 9), (9, 7), (1, 2)],
            [(10, 19 / 3, 6), (4, 5.5, 4)],
            {6: 0, 7: 0, 9: 0, 1: 1, 2: 1},
        ),
    ],
)
def test_ten_rows_seeding(must_link, centers, labelled):
    for pairs in (must_link, [(v, u) for u, v in reversed(must_link)]):
        seeds = seeding(TEN, 2, pairs)
        np.testing.assert_allclose(seeds.centers, centers, rtol=1e-14)
        assert {i: k for i, k in enumerate(seeds.labels.tolist()) if k >= 0} == labelled


def test_ten_rows_largest_separation():
    # Two rows of weight 0, so that J of one cluster shows the penalty F.
    wanted = {"box_origin": 365.0, "box": 251.0, "pair": 150.0}
    for mode, separation in wanted.items():
        model = PCKMeans(1, init=TEN[:1], max_separation=mode).fit(TEN, cannot_link=[(2, 5)])
        distance = float(((TEN[2] - TEN[5]) ** 2).sum())
        np.testing.assert_allclose(model.objective_ - model.inertia_, separation - distance, rtol=1e-12)


def test_pairs_from_the_authors_format_are_those_given():
    ordered = [(4, 1), (10, 7), (3, 6), (5, 9)]
    pairs = PairwiseConstraints.from_ordered_pairs(ordered, 10)
    model = PCKMeans(2, init=START, max_separation="box_origin").fit(TEN, **pairs.fit_params())
    assert model.labels_.tolist() == digits("0000010110")
