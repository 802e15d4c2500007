"""Eigenvectors of GmedianCov and WeiszfeldCov: as near to R's as the gaps between eigenvalues allow."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_reference.bridge import available, run_case
from r_reference.case_parts import new_case
from r_reference.listing import limits
from r_reference.packages.Gmedian.limits import TAU
from r_reference.recipes import decode_args, make_data
from sparsek import rcompat
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.rcompat.gmedian.medians import scale_tau2
from validation.parity.cases import compare_live

NAMES = ("GmedianCov", "WeiszfeldCov")
UNITS = (1e5, 1.0, 1e-2, 1e-4, 1e-5)


def draw_case(r: Random, number: int) -> dict[str, Any]:
    """A call on more columns than the random cases have, in small units too; many eigenvalues lie close."""
    p = r.randint(3, 40)
    data = {"draw": "normal", "seed": r.randrange(1, 2**31), "n": p + r.randint(20, 80), "p": p}
    steps = [["multiply", r.choice(UNITS)]]
    if r.random() < 0.5:
        steps.insert(0, ["clusters", r.randint(2, 6), r.choice([1, 2, 4.5]), r.randint(1, p)])
    args: dict[str, Any] = {"scores": r.choice([1, 2, r.randint(1, p)])}
    function = NAMES[number % 2]
    if function == "GmedianCov":
        args |= {"gamma": round(r.uniform(0.1, 4), 3), "alpha": round(r.uniform(0.4, 1), 3)}
    case = new_case(function, args, {**data, "steps": steps}, 1)
    return {"id": f"axes-{number}", "package": "Gmedian", **case}


@pytest.fixture
def with_r() -> None:
    """Skip without R and its package."""
    found, reason = available("Gmedian")
    if not found:
        pytest.skip(reason)


@pytest.mark.live_r
@pytest.mark.usefixtures("with_r")
@pytest.mark.seeds(2, 1)
def test_axes_lie_as_near_as_the_gap_between_eigenvalues_allows(seed: int) -> None:
    r = Random(seed)
    results = [compare_live(draw_case(r, number)) for number in range(80)]
    assert [f"{result.id}: {result.message}" for result in results if not result.passed] == []


@pytest.mark.live_r
@pytest.mark.usefixtures("with_r")
def test_r_finds_no_axes_in_tiny_units() -> None:
    data = {"draw": "normal", "seed": 6, "n": 60, "p": 6, "steps": [["multiply", 1e-8]]}
    case = {"id": "tiny", "package": "Gmedian", **new_case("WeiszfeldCov", {"scores": 2}, data, 1)}
    x = make_data(data)
    theirs = run_case(case, decode_args(case, x))["value"]
    matrix = theirs["covmedian"]
    values = np.sort(np.linalg.eigvalsh(matrix))[::-1]
    ours = rcompat.WeiszfeldCov(x, scores=2).vectors
    assert np.abs(np.abs(ours) - theirs["vectors"]).max() > 0.1
    # LAPACK's backward error: a few units in the last place of the largest eigenvalue.
    np.testing.assert_allclose(matrix @ ours, ours * values[:2], rtol=0, atol=1e-14 * values[0])


def test_axes_are_the_same_in_every_unit() -> None:
    x = np.random.default_rng(0).normal(size=(40, 5)) * [3, 2.5, 2, 1, 1]
    usual, tiny = (rcompat.WeiszfeldCov(x * 2.0**-k, epsilon=0).vectors for k in (0, 27))
    np.testing.assert_allclose(
        tiny, usual, rtol=0, atol=1e-12
    )  # a few units in the last place, over gaps of .2


@given(st.integers(0, 10**6), st.integers(5, 80), st.sampled_from([1e-9, 1e-4, 0.1]))
def test_the_tau_scale_moves_at_most_eighty_times_as_far_as_the_values(seed: int, n: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_t(1, size=n)
    moved = x + far * rng.choice([-1, 1], size=n)
    assert abs(scale_tau2(moved) - scale_tau2(x)) <= TAU * far


def reference() -> tuple[dict[str, FloatArray], FloatArray]:
    """Fields as R gives them, for a matrix with eigenvalues 4, 1 and 1 + 1e-6."""
    fields = {"covmedian": np.diag([4.0, 1.0 + 1e-6, 1.0]), "median": np.zeros((1, 3))}
    return {**fields, "vectors": np.eye(3)[:, :2]}, np.array([[3.0, 4.0, 0.0], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_residuals_divided_by_gaps(name: str) -> None:
    fields, x = reference()
    found = limits()[name](fields, x)
    # 2 * 1e-10 * 4 / 3, and 2 * 1e-10 / 1e-6; rounding adds a few 1e-15 to each residual.
    np.testing.assert_allclose(found["vectors"], [8e-10 / 3, 2e-4], rtol=1e-4)
    np.testing.assert_allclose(found["scores"], np.outer([5, 1], found["vectors"]), rtol=1e-14)
    assert limits()[name]({"covmedian": fields["covmedian"]}, x) == {}
    equal = limits()[name]({**fields, "covmedian": np.eye(3)}, x)
    assert equal["vectors"].tolist() == [1, 1]
