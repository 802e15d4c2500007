"""Questions that a site refuses by name, answers that a coordinator refuses, and what sites hold."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsek import SKFR
from sparsek.federated import Coordinator, Round, Site, fit
from tests.sources.sites.test_federated import labels_of, rows, sites_of, starting

X = rows(40, 3)
BEGIN = {"ask": "begin", "n": 40, "n_clusters": 2, "single": 0, "weighted": 0, "heaviest": 1.0}
PLACE = {"coordinates": 1, "unit": np.ones(3), "offset": np.zeros(3), "spread": np.ones(3)}
PLACE |= {"reach": np.abs(X).max(axis=0)}
START = {
    "ask": "assign",
    "columns": np.arange(3),
    "centers": np.array([[1.0, 0, 0], [-1, 0, 0]]),
    "before": -1,
    "name": 2,
    "forget": -1,
    **PLACE,
}
SUMS = {"ask": "sums", "coordinates": 1, "name": 2}
SCATTER = {"ask": "scatter", "coordinates": 1, "name": 2, "most": 500.0}
SCATTER |= {"columns": START["columns"], "centers": START["centers"]}


def begun(**limits: Any) -> Site:
    """A site at which a fit has begun, with labels of the name 2."""
    site = Site(X, **{"min_rows": 1, **limits})
    assert set(site.answer(BEGIN)) == {"top", "bottom"}
    assert site.answer(START) == {}
    return site


def test_answers_are_those_of_plain_sums() -> None:
    site = begun()
    labels = np.square(X[:, None] - START["centers"]).sum(axis=2).argmin(axis=1)
    sums = site.answer(SUMS)["sums"]
    assert sums.dtype == np.int64
    np.testing.assert_array_equal(sums[:, -1] / (sums[:, -1].sum() / 40), np.bincount(labels))
    moments = site.answer({"ask": "moments", "top": X.max(axis=0), "bottom": X.min(axis=0)})
    assert moments["sums"].shape == (2, 3)
    assert set(site.answer(SCATTER)) == {"sum"}
    with pytest.raises(ValueError, match=r"no labels yet; call sparsek\.federated\.fit"):
        _ = site.labels
    assert site.answer({"ask": "keep", "name": 2}) == {}
    np.testing.assert_array_equal(site.labels, labels)


WRONG: list[tuple[Any, str]] = [
    ({}, r"question must ask one of rows, begin,.*got ''"),
    ({"ask": "row 7"}, r"question must ask one of .*got 'row 7'"),
    ({"ask": 3}, r"question must ask one of"),
    ({"ask": ["rows"]}, r"question must ask one of"),
    ({**BEGIN, "n": 39}, r"must be those of all sites; this one has more rows"),
    ({**BEGIN, "n": 0}, r"n of the question 'begin' must be from 1"),
    ({**BEGIN, "n": 2.5}, r"n of the question 'begin' must have shape \(\) and hold whole numbers"),
    ({**BEGIN, "n": True}, r"must have shape \(\) and hold whole numbers; got shape \(\), bool"),
    ({**BEGIN, "n": "40"}, r"must have shape \(\) and hold whole numbers"),
    ({**BEGIN, "n": [40]}, r"must have shape \(\) and hold whole numbers; got shape \(1,\)"),
    ({**BEGIN, "n": 10**30}, r"must have shape \(\) and hold whole numbers"),
    ({**BEGIN, "n_clusters": 10**9}, r"n_clusters of the question 'begin' must be from 1 to 1000000"),
    ({**BEGIN, "weighted": 1, "heaviest": 0.5}, r"must be those of all sites; .*a larger weight"),
    ({**BEGIN, "weighted": 1, "heaviest": np.nan}, r"heaviest of the question 'begin' must be finite"),
    ({**BEGIN, "low": np.zeros(3)}, r"the question 'begin' has no part 'high'"),
    ({"ask": "begin"}, r"the question 'begin' has no part 'single'"),
    ({"ask": "moments"}, r"the question 'moments' has no part 'top'"),
    ({"ask": "moments", "top": np.zeros(3), "bottom": np.zeros(3)}, r"must be those of all sites"),
    ({"ask": "moments", "top": np.zeros(2), "bottom": np.zeros(2)}, r"top .*must have shape \(3,\)"),
    ({"ask": "labels", "labels": np.zeros(39, int), "name": 1}, r"labels .*must have shape \(40,\)"),
    ({"ask": "labels", "labels": np.full(40, 2), "name": 1}, r"labels .*must be from 0 to 1; got 2\.\.2"),
    ({"ask": "labels", "labels": np.zeros(40), "name": 1}, r"labels .*hold whole numbers"),
    ({**SUMS, "name": 9}, r"holds no labels of the name 9"),
    ({**SUMS, "coordinates": 9}, r"knows no coordinates of the name 9"),
    ({**START, "columns": [0, 1, 3]}, r"columns .*must be from 0 to 2; got 0\.\.3"),
    ({**START, "columns": [0, 1]}, r"centers .*must have shape \(2, 2\)"),
    ({**START, "centers": np.full((2, 3), np.inf)}, r"centers .*must be finite"),
    ({**START, "centers": np.zeros((3, 3))}, r"centers .*must have shape \(2, 3\)"),
    ({**START, "centers": np.zeros((2, 3), complex)}, r"centers .*hold numbers"),
    ({**START, "before": -2}, r"before .*must be from -1"),
    ({**START, "before": 9}, r"holds no labels of the name 9"),
    ({**START, "spread": np.zeros(3)}, r"units and spreads of the coordinates 1 must be positive"),
    ({**START, "reach": np.zeros(3)}, r"lie beyond the reach of the coordinates 1"),
    ({**SCATTER, "most": 1e-9}, r"most of the question 'scatter' is below a distance"),
    ({"ask": "keep", "name": 9}, r"holds no labels of the name 9"),
]


@pytest.mark.parametrize("place", range(len(WRONG)))
def test_wrong_questions_are_refused_and_change_nothing(place: int) -> None:
    question, message = WRONG[place]
    site = begun()
    with pytest.raises(ValueError, match=message):
        site.answer(question)
    if question.get("ask") != "begin":
        again = site.answer({**SUMS, **PLACE})
        np.testing.assert_array_equal(again["sums"], begun().answer(SUMS)["sums"])


def test_questions_are_mappings_and_come_after_begin() -> None:
    for wrong in (None, "rows", ["rows"], 3):
        with pytest.raises(TypeError, match=r"question must be a mapping"):
            Site(X).answer(wrong)  # type: ignore[arg-type]
    for question in (SUMS, START, SCATTER, {"ask": "keep"}, {"ask": "moments"}):
        with pytest.raises(ValueError, match=r"no fit has begun at this site; ask 'begin' first"):
            Site(X).answer(question)


def test_every_answer_of_a_small_site_is_a_refusal() -> None:
    site = Site(X[:4])
    for ask in ("rows", "begin", "moments", "labels", "sums", "assign", "scatter", "keep"):
        assert set(site.answer({"ask": ask})) == {"refused"}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["moments", "labels", "sums", "assign", "scatter", "keep", "begin"]),
            st.dictionaries(
                st.sampled_from(
                    ["name", "before", "forget", "coordinates", "columns", "centers", "labels", "most", "n"]
                ),
                st.sampled_from(
                    [0, 1, 2, -1, 0.5, 1e300, np.nan, "x", [], [0], [0, 5], np.zeros((2, 1)), np.eye(3), None]
                ),
                max_size=4,
            ),
        ),
        max_size=5,
    )
)
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
def test_no_question_tells_a_sum_of_few_rows(asked: list[tuple[str, dict[str, Any]]]) -> None:
    """Questions from strangers end with an answer, a refusal or a ValueError; sums have `min_rows` rows."""
    site = Site(X, min_rows=8)
    site.answer(BEGIN)
    site.answer(START)
    whole = {"begin": BEGIN, "assign": START, "sums": {**SUMS, **PLACE}, "scatter": {**SCATTER, **PLACE}}
    for ask, parts in asked:
        try:
            answer = site.answer({**whole.get(ask, {"ask": ask, "name": 2}), **parts})
        except ValueError:
            continue
        if "sums" in answer and ask != "moments":
            sizes = answer["sums"][:, -1]
            assert np.all((sizes == 0) | (sizes * 40 >= 8 * sizes.sum()))


class Wrong:
    """A site whose answers to one question have another part."""

    def __init__(self, ask: str, answer: Any) -> None:
        self.site, self.ask, self.found = Site(X), ask, answer

    def answer(self, question: Any) -> Any:
        """The answer of a site, changed."""
        answer = self.site.answer(question)
        if question["ask"] != self.ask:
            return answer
        return {**answer, **self.found} if isinstance(self.found, dict) else self.found


@pytest.mark.parametrize(
    ("ask", "answer", "message"),
    [
        ("rows", None, r"site 1, counted from 0, answered with NoneType"),
        ("rows", {"n": 1.5}, r"n in the answer of site 1 to 'rows' must have shape \(\); it has shape \(\)"),
        ("begin", {"top": np.zeros(2)}, r"top in the answer of site 1 to 'begin' must have shape \(3,\)"),
        ("moments", {"sums": np.zeros((2, 3))}, r"sums .*it has shape \(2, 3\) and dtype float64"),
        ("sums", {"sums": np.zeros((2, 3), int)}, r"sums in the answer of site 1 .*shape \(2, 4\)"),
        ("assign", {"moved": "no"}, r"moved in the answer of site 1 to 'assign'"),
        ("scatter", {"refused": np.array("it is late")}, r""),
        ("keep", {"refused": "it is late"}, r"site 1, .*refuses to answer 'keep': it is late"),
    ],
)
def test_wrong_answers_are_refused(ask: str, answer: Any, message: str) -> None:
    sites = [Site(X), Wrong(ask, answer)]
    model = SKFR(2, 2, init=START["centers"], standardize=True)
    if not message:  # of scatter
        assert np.isnan(fit(model, sites).inertia_)
        return
    with pytest.raises(ValueError, match=message):
        fit(model, sites)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (
            np.where(X > 1, np.nan, X),
            {},
            ValueError,
            r"missing values \(NaN\), the first in row .*impute them",
        ),
        (np.where(X > 1, np.inf, X), {}, ValueError, r"infinity"),
        (np.zeros(3), {}, ValueError, r"Expected 2D array"),
        (np.zeros((3, 0)), {}, ValueError, r"0 feature"),
        ("rows.csv", {}, ValueError, r"."),
        (sp.csr_array(X), {}, TypeError, r"[Ss]parse"),
        (pd.DataFrame({"a": ["x", "y"]}), {}, TypeError, r"column 'a' of X"),
        (X, {"sample_weight": np.ones(3)}, ValueError, r"sample_weight must have shape \(40,\)"),
        (X, {"sample_weight": -np.ones(40)}, ValueError, r"must not be negative"),
        (X, {"sample_weight": np.full(40, 1e200)}, ValueError, r"divide all weights"),
        (X, {"min_rows": 0}, ValueError, r"min_rows"),
        (X, {"min_rows": 2.0}, ValueError, r"min_rows"),
        (X, {"min_moved": "10"}, ValueError, r"min_moved"),
    ],
)
def test_wrong_rows_and_limits_of_a_site(data: Any, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Site(data, **options)


def test_sites_change_and_share_no_data() -> None:
    data, weights = X.copy(), np.ones(40)
    site = Site(data, sample_weight=weights)
    fit(SKFR(2, 2, init=START["centers"], standardize=True), [site])
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(weights, 1)


def test_rounds_count_numbers() -> None:
    sites = sites_of(rows(), [60])
    coordinator = Coordinator(sites)
    labels = np.arange(120) % 3
    fit(SKFR(3, 3, init=labels, standardize=True), coordinator)
    assert coordinator.rounds[0] == Round("rows", 0, 6)
    assert [r for r in coordinator.rounds if r.question == "labels"] == [Round("labels", 61, 0)]
    fit(SKFR(3, 3, init=starting(rows()), standardize=True), coordinator)
    assert sum(r.question == "keep" for r in coordinator.rounds) == 2
    assert len(labels_of(sites)) == 120
    assert re.fullmatch(r"Round\(question='rows', asked=0, answered=6\)", repr(coordinator.rounds[0]))
