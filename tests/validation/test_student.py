"""The student report: its generator, and its listing against a literal copy and against SKFR2."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation.papers.shared.store import save_table
from validation.papers.student import listing, runs, sections
from validation.papers.student.paper import PAPER


def literal(X: np.ndarray, labels: np.ndarray, k: int, s: int, pick: str) -> list[int]:
    """The listing with its loops: standardise, means, ranks, one row after another."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    clusters = labels.tolist()
    for _ in range(listing.MAX_ITER):
        center, members = np.zeros((k, Z.shape[1])), [0] * k
        for row, cluster in zip(Z, clusters, strict=True):
            center[cluster] += row
            members[cluster] += 1
        for j in range(k):
            if members[j] > 0:
                center[j] /= members[j]
            criteria = members[j] * center[j] ** 2
            ranked = [index for _, index in sorted(zip(criteria, range(len(criteria)), strict=True))]
            center[j, ranked[: Z.shape[1] - s]] = 0
        switched = False
        for i, row in enumerate(Z):
            distances = [math.sqrt(((row - c) ** 2).sum()) for c in center]
            j = int(getattr(np, pick)(distances))
            switched |= j != clusters[i]
            clusters[i] = j
        if not switched:
            break
    return clusters


@pytest.mark.parametrize("farthest", [True, False])
def test_listing_is_what_its_loops_give(farthest: bool) -> None:
    X, _ = listing.make_sample(3)
    X = np.hstack([X[::20], np.random.default_rng(0).normal(size=(50, 1))])
    start = runs.start_labels(X, 0)
    found = listing.skfr2_listing(X, start, 4, 2, farthest)
    assert found.labels.tolist() == literal(X, start, 4, 2, "argmax" if farthest else "argmin")


def test_generator_is_that_of_the_appendix() -> None:
    X, y = listing.make_sample(0)
    assert np.bincount(y).tolist() == [250] * 4
    means = np.array([X[y == g].mean(axis=0) for g in range(4)])
    spreads = np.array([X[y == g].std(axis=0) for g in range(4)])
    # Five standard errors of a mean of 250 values with spread 2, and of their spread.
    assert np.abs(means - [[0, 0], [-4, 4], [8, 8], [-12, 12]]).max() < 5 * 2 / math.sqrt(250)
    assert np.abs(spreads - np.array([[1], [2], [2], [2]])).max() < 5 * 2 / math.sqrt(500)


def test_the_corrected_listing_is_skfr2_and_the_printed_one_is_not() -> None:
    trials = pd.DataFrame(runs.run_seed(5))
    equal = trials.groupby("method")["as_skfr2"].all()
    assert equal[runs.NEAREST]
    assert not equal[runs.LISTED]
    verdicts = [claim.holds for claim in sections.generated_claims(trials)]
    assert verdicts == [True, True, False, False, True]
    wrong = trials.assign(rises=1, as_skfr2=False)
    assert not any(claim.holds for claim in sections.generated_claims(wrong))


def test_claim_on_real_data_can_fail_and_hold() -> None:
    table = pd.DataFrame({"data": ["WDBC", "Iris", "Wine"], "s": 1, "nmi": [0.9, 0.8, 0.7], "error": 0.1})
    assert sections.real_claims(table)[0].holds
    assert not sections.real_claims(table.assign(nmi=[0.8, 0.9, 0.7]))[0].holds


def test_sections_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sections.SEEDS, "quick", 1)
    monkeypatch.setattr(runs, "N_INIT", 1)
    result = PAPER.quick(tmp_path, 1)
    for name, table in result.frames.items():
        save_table(table, tmp_path, name, "full")
    found = PAPER.sections(result, tmp_path)
    assert [len(section.pictures) for section in found] == [2, 1]
    assert any("after the fact" in str(setting) for setting in found[1].settings)
