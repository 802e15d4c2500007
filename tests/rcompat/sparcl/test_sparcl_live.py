"""sparcl in a running R against ours: every field, every message and the stream's end state, exactly."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from r_reference.bridge import available
from sparsek.errors import RError
from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rng import RRandom

pytestmark = pytest.mark.live_r

N_CALLS = 60
N_EDGE_CALLS = 60
N_PERMUTE_CALLS = 8
EDGES = ("duplicates", "tiny", "constant", "binary", "offset")
FIELDS = ("ws", "Cs", "crit", "wbound")
SUMS = ("wcss.perfeature", "wcss", "wcss.ws", "bcss.perfeature")
GAP_FIELDS = ("tots", "permtots", "nnonzerows", "gaps", "sdgaps", "wbounds", "bestw")
R_CALL = """
function(f, seed, arguments) {
  set.seed(seed)
  noted <- character(0)
  value <- withCallingHandlers(
    tryCatch(do.call(getExportedValue("sparcl", f), arguments), error = function(e) conditionMessage(e)),
    warning = function(w) { noted <<- c(noted, conditionMessage(w)); invokeRestart("muffleWarning") })
  list(value = value, failed = is.character(value), warnings = noted, state = .Random.seed)
}
"""


def start_r():
    """R's function for one call, and the converter of its arguments."""
    from rpy2 import robjects

    call = robjects.r(R_CALL)

    def convert(value):
        if isinstance(value, np.ndarray):
            vector = robjects.FloatVector(value.ravel(order="F").tolist())
            return robjects.r.matrix(vector, nrow=len(value)) if value.ndim == 2 else vector
        return value

    def run(name, seed, arguments):
        converted = {key: convert(value) for key, value in arguments.items() if value is not None}
        return call(name, seed, robjects.ListVector({**converted, "silent": True}))

    return run


@pytest.fixture(scope="module")
def r():
    there, reason = available("sparcl")
    if not there:
        pytest.skip(reason)  # counted and printed with its reason by conftest
    return start_r()


def ours(function, seed, arguments):
    """Our result or R's message, the warnings, and the end state."""
    rng = RRandom(seed)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            value = function(**arguments, rng=rng)
        except RError as error:
            value = error.r_message
    return value, [str(w.message) for w in noted], rng.random_seed


def differing_fields(mine, theirs, fields):
    """Names of the fields that are not equal."""
    bad = []
    for field in fields:
        other = theirs.rx2(field)
        empty = type(other).__name__ == "NULLType"
        a, b = np.asarray(mine[field], dtype=float), np.array([] if empty else other, dtype=float)
        if not np.array_equal(a, b.reshape(a.shape, order="F") if a.size == b.size else b, equal_nan=True):
            bad.append(field)
    return bad


def disagreements(r, seed, arguments):
    """Differences between R's and our `KMeansSparseCluster`; empty if there are none."""
    theirs = r("KMeansSparseCluster", seed, arguments)
    value, noted, state = ours(KMeansSparseCluster, seed, arguments)
    bad = common_disagreements(theirs, value, noted, state)
    if bad or isinstance(value, str):
        return bad
    if len(value) != len(theirs.rx2("value")):
        return ["length"]
    for mine, other in zip(value, theirs.rx2("value"), strict=True):
        bad += differing_fields(mine, other, FIELDS)
        bad += differing_fields(mine["wcss"], other.rx2("wcss"), SUMS)
    return bad


def permute_disagreements(r, seed, arguments):
    """Differences between R's and our `KMeansSparseCluster_permute`."""
    theirs = r("KMeansSparseCluster.permute", seed, arguments)
    value, noted, state = ours(KMeansSparseCluster_permute, seed, arguments)
    bad = common_disagreements(theirs, value, noted, state)
    if bad or isinstance(value, str):
        return bad
    return differing_fields(value, theirs.rx2("value"), GAP_FIELDS)


def common_disagreements(theirs, value, noted, state):
    """Differences in error, warnings and end state."""
    failed = theirs.rx2("failed")[0]
    bad = []
    if failed != isinstance(value, str) or (failed and theirs.rx2("value")[0] != value):
        bad.append(f"error: R {theirs.rx2('value')[0] if failed else None!r}, ours {value!r:.80}")
    if list(theirs.rx2("warnings")) != noted:
        bad.append(f"warnings: R {list(theirs.rx2('warnings'))}, ours {noted}")
    if not np.array_equal(np.array(theirs.rx2("state")), state):
        bad.append("end state")
    return bad


def random_call(seed, edge=None):
    """Arguments of one random call."""
    g = np.random.default_rng(seed)
    n, p, k = int(g.integers(10, 61)), int(g.integers(2, 41)), int(g.integers(2, 6))
    x = g.normal(size=(n, p)) + 3 * np.outer(g.integers(0, k, n), g.random(p) < 0.4) * g.choice([0, 1])
    if edge is not None:
        k = int(g.integers(1, 9))
    if edge == "duplicates":
        x = x[g.integers(0, max(2, n // 2), n)]
    elif edge == "tiny":
        x = x * 10.0 ** -g.integers(2, 7)
    elif edge == "constant":
        x[:, g.random(p) < 0.5] = g.normal()
    elif edge == "binary":
        x = (x > 0).astype(float)
    elif edge == "offset":
        x = x + 10.0 ** g.integers(3, 9)
    top = max(1.3, np.sqrt(p))
    arguments = {"x": x, "wbounds": g.uniform(1.01, top, int(g.integers(1, 7)))}
    if g.random() < 0.25:
        arguments["centers"] = x[g.choice(n, k, replace=False)]
    else:
        arguments |= {"K": k, "nstart": int(g.choice([1, 2, 5, 20]))}
    if g.random() < 0.3:
        arguments["maxiter"] = int(g.integers(0, 16))
    return arguments


def random_permute_call(seed):
    """Arguments of one random permute call."""
    g = np.random.default_rng(seed)
    arguments = random_call(seed, g.choice([None, None, "binary"]))
    arguments.pop("nstart", None)
    arguments.pop("maxiter", None)
    arguments["x"] = arguments["x"][:40]
    if "K" in arguments:
        arguments["K"] = max(2, arguments["K"])
    if g.random() < 0.5:
        arguments["wbounds"] = None
        arguments["nvals"] = int(g.integers(2, 6))
    return arguments | {"nperms": int(g.integers(1, 5))}


@pytest.mark.seeds(N_CALLS, 1)
def test_random_calls(r, seed):
    assert disagreements(r, seed, random_call(seed)) == []


@pytest.mark.seeds(N_EDGE_CALLS, 1)
def test_edge_calls(r, seed):
    edge = EDGES[seed % len(EDGES)]
    assert disagreements(r, seed, random_call(seed + 10_000, edge)) == []


@pytest.mark.seeds(N_PERMUTE_CALLS, 1)
def test_random_permute_calls(r, seed):
    assert permute_disagreements(r, seed, random_permute_call(seed + 20_000)) == []


def test_a_fraction_of_a_cluster_restarts_every_update(r):
    arguments = {"x": random_call(3)["x"], "K": 2.7, "wbounds": np.array([1.5, 2.0])}
    assert disagreements(r, 1, arguments) == []
