"""Federated fits against the fit of all rows in one array: every bit, however rows are split; refusals."""

import json
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, SparseKMeans
from sparsek.engine import set_engine
from sparsek.federated import Coordinator, Site, fit
from tests.sources import same_labels
from tests.sources.same_labels import ENGINES, TIED, Case, make_case

DRAWN = settings(suppress_health_check=list(HealthCheck))
SAME = (
    "selected_features_",
    "cluster_centers_",
    "standardized_centers_",
    "feature_gains_",
    "feature_weights_",
    "tss_",
    "objective_",
    "start_objectives_",
    "criterion_history_",
    "n_iter_",
)
"""Attributes that are equal in every bit."""


def rows(n: int = 120, p: int = 8, seed: int = 0) -> Any:
    """Three groups that differ in three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, :3] += 3 * rng.normal(size=(3, 3))[np.arange(n) % 3]
    return X


def starting(X: Any) -> Any:
    """Three centres that are means of rows."""
    return X[:30].reshape(10, 3, -1).mean(axis=0)


def sites_of(X: Any, cuts: list[int], weights: Any = None, **limits: Any) -> list[Site]:
    """Sites with the rows between the cuts; without limits, they tell sums of single rows."""
    limits = {"min_rows": 1, **limits}
    parts = np.split(np.arange(len(X)), cuts)
    return [Site(X[i], sample_weight=None if weights is None else weights[i], **limits) for i in parts]


def labels_of(sites: list[Site]) -> Any:
    """The labels of all sites, site after site."""
    return np.concatenate([site.labels for site in sites])


def assert_same(found: SKFR, sites: list[Site], pooled: SKFR) -> None:
    """Assert that a federated fit is the pooled one."""
    np.testing.assert_array_equal(labels_of(sites), pooled.labels_)
    for name in SAME:
        one, other = np.asarray(getattr(found, name)), np.asarray(getattr(pooled, name))
        assert one.dtype == other.dtype, name
        assert one.tobytes() == other.tobytes(), name
    # The pooled one adds the distances of the rows in floating point.
    tolerance = 1e-12 if found.cluster_centers_.dtype == np.float64 else 1e-4
    np.testing.assert_allclose(found.inertia_, pooled.inertia_, rtol=tolerance, atol=tolerance * pooled.tss_)
    assert not hasattr(found, "labels_")


SPLITS = {
    **same_labels.FIELDS,
    "fit": ("SKFR", "local SKFR"),
    "start": ("centres", "equal centres", "far centre", "labels"),
    "weights": (None, "whole", "fractions", "zeros"),
    "source": ("array",),
    "permuted": (False,),
    "n_init": (1,),
}
CASES = st.builds(
    Case, st.integers(0, 2**31 - 1), **{name: st.sampled_from(values) for name, values in SPLITS.items()}
)


@given(CASES, st.lists(st.floats(0, 1), max_size=6), st.booleans())
@settings(DRAWN, max_examples=60)
def test_any_split_of_rows_equals_the_pooled_fit(case: Case, shares: list[float], ordered: bool) -> None:
    """Sites may be empty or have one row; with `ordered` they hold the rows in another order."""
    problem = same_labels.make_problem(case)
    X, init, weights = problem.X, problem.init, problem.weights
    if case.weights == "zeros":
        weights = (np.random.default_rng(case.seed).random(case.n) < 0.7).astype(float)
        weights[0] = 1.0
    if ordered:
        order = np.random.default_rng(case.seed + 1).permutation(case.n)
        X, init = X[order], init[order] if init.ndim == 1 else init
        weights = None if weights is None else weights[order]
    model = same_labels.make_model(case, init)
    sites = sites_of(X, sorted(int(share * case.n) for share in shares), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        pooled = SKFR(**model.get_params()).fit(X, sample_weight=weights)
        with set_engine(case.engine):
            assert_same(fit(model, sites), sites, pooled)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("standardize", [True, False])
def test_thousands_of_rows_of_extreme_sizes(engine: str, standardize: bool) -> None:
    X = rows(12_000)
    if standardize:
        X *= 10.0 ** np.array([-200, 0, 0, 200, 3, -150, 0, 8])
    init = starting(X)
    options: dict[str, Any] = {"init": init, "standardize": standardize}
    with set_engine(engine):
        pooled = SKFR(3, 3, **options).fit(X)
        sites = sites_of(X, [1, 6000])
        assert_same(fit(SKFR(3, 3, **options), sites), sites, pooled)


def test_where_single_precision_meets_double() -> None:
    X = rows().astype(np.float32)
    init = starting(X)
    sites = [Site(X[:60]), Site(X[60:].astype(float))]
    assert_same(
        fit(SKFR(3, 3, init=init, standardize=True), sites),
        sites,
        SKFR(3, 3, init=init, standardize=True).fit(X.astype(float)),
    )


def test_weights_at_one_site_only() -> None:
    X, weights = rows(), np.random.default_rng(1).uniform(0.5, 2, 120)
    weights[60:] = 1
    init = starting(X)
    sites = [Site(X[:60], sample_weight=weights[:60]), Site(X[60:])]
    pooled = SKFR(3, 3, init=init, standardize=True).fit(X, sample_weight=weights)
    assert_same(fit(SKFR(3, 3, init=init, standardize=True), sites), sites, pooled)


def test_whole_weights_equal_repeated_rows() -> None:
    X = rows()
    weights = np.arange(120) % 3 + 1
    init = starting(X)
    weighted = fit(SKFR(3, 3, init=init, standardize=True), sites_of(X, [50], weights))
    repeated = fit(SKFR(3, 3, init=init, standardize=True), sites_of(np.repeat(X, weights, axis=0), [50]))
    np.testing.assert_array_equal(weighted.selected_features_, repeated.selected_features_)
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-12)


def test_options_of_the_estimator() -> None:
    X = pd.DataFrame(rows(), columns=list("abcdefgh"))
    init = starting(X.to_numpy())
    for options in (
        {"always": ["h"]},
        {"never": ["a"]},
        {"ddof": 0},
        {"scope": "local"},
        {"groups": list("uuvvwwxx")},
        {"max_iter": 1},
    ):
        model = SKFR(3, 3, **{"init": init, "standardize": True, **options})
        sites = [Site(X[:40]), Site(X[40:])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            pooled = SKFR(**model.get_params()).fit(X)
            found = fit(model, sites)
        assert_same(found, sites, pooled)
        assert found.feature_names_in_.tolist() == list("abcdefgh")
        np.testing.assert_array_equal(found.predict(X), pooled.predict(X))


@pytest.mark.parametrize("kind", TIED)
@pytest.mark.seeds(6)
def test_bounds_that_columns_reach_change_no_bit(kind: str, seed: int) -> None:
    problem = same_labels.make_problem(make_case(seed, "SKFR", kind))
    X, init = problem.X, problem.init
    bounds = [X.min(axis=0), X.max(axis=0)]
    sites = sites_of(X, [20, 21])
    coordinator = Coordinator(sites)
    model = fit(SKFR(3, 2, init=init, standardize=True), coordinator, bounds=bounds)
    assert_same(model, sites, SKFR(3, 2, init=init, standardize=True).fit(X))
    told = {round.question: round.answered for round in coordinator.rounds}
    assert told["begin"] == 0


def test_wide_bounds_give_one_result_for_all_splits() -> None:
    X = rows()
    init, found = starting(X), []
    for cuts in ([], [40], [1, 2, 3, 50, 119]):
        sites = sites_of(X, cuts)
        found.append(
            (fit(SKFR(3, 3, init=init, standardize=True), sites, bounds=[-100, 100]), labels_of(sites))
        )
    pooled = SKFR(3, 3, init=init, standardize=True).fit(X)
    for model, labels in found:
        np.testing.assert_array_equal(labels, pooled.labels_)
        for name in (*SAME, "inertia_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(found[0][0], name), err_msg=name)
        np.testing.assert_allclose(model.cluster_centers_, pooled.cluster_centers_, rtol=1e-9, atol=1e-9)


def test_numbers_of_a_round_are_counts_and_sums() -> None:
    """The trial: k p + k numbers from each site in every iteration, and whether a row moved."""
    X = rows(300, 100)
    coordinator = Coordinator([Site(X[:120]), Site(X[120:])])
    model = fit(SKFR(3, 6, init=starting(X), standardize=True), coordinator)
    assigned = [round for round in coordinator.rounds if round.question == "assign"][1:]
    assert len(assigned) == model.n_iter_
    assert {round.answered for round in assigned} == {3 * 100 + 3 + 1}
    # No answer grows with the number of rows.
    assert max(round.answered for round in coordinator.rounds) == 304


class Recording:
    """A site behind a transport that takes texts only, and keeps what went over it."""

    def __init__(self, site: Site) -> None:
        self.site, self.answers = site, list[dict[str, Any]]()

    def answer(self, question: Any) -> Any:
        """Carry the question as text, and the answer back."""
        sent = json.loads(json.dumps({name: np.asarray(part).tolist() for name, part in question.items()}))
        answer = self.site.answer(sent)
        back = json.loads(json.dumps({name: np.asarray(part).tolist() for name, part in answer.items()}))
        self.answers.append(back)
        return back


def test_messages_survive_text_and_hold_no_row() -> None:
    X = rows()
    init, bounds = starting(X), [-30, 30]
    carriers = [Recording(Site(X[:60])), Recording(Site(X[60:]))]
    found = fit(SKFR(3, 3, init=init, standardize=True), carriers, bounds=bounds)
    direct = fit(SKFR(3, 3, init=init, standardize=True), sites_of(X, [60]), bounds=bounds)
    for name in SAME:
        np.testing.assert_array_equal(getattr(found, name), getattr(direct, name), err_msg=name)
    entries = set(X.ravel().tolist())
    for carrier in carriers:
        for answer in carrier.answers:
            numbers = [np.ravel(part) for part in answer.values()]
            assert not any(
                isinstance(value, float) and value in entries for part in numbers for value in part
            )


def test_sites_answer_a_second_fit() -> None:
    X = rows()
    init, sites = starting(X), sites_of(X, [60])
    first = fit(SKFR(3, 3, init=init, standardize=True), sites)
    second = fit(SKFR(3, 3, init=init, standardize=True), sites)
    assert_same(second, sites, SKFR(3, 3, init=init, standardize=True).fit(X))
    assert first.objective_ == second.objective_


def test_a_site_with_too_few_rows_refuses() -> None:
    X = rows()
    with pytest.raises(ValueError, match=r"site 1, .*fewer rows of positive weight than min_rows=5; join"):
        fit(SKFR(3, 3, init=starting(X), standardize=True), [Site(X[:116]), Site(X[116:])])
    with pytest.raises(ValueError, match=r"site 0, .*has fewer of its rows than min_rows=50; fit fewer"):
        fit(SKFR(3, 3, init=starting(X), standardize=True), [Site(X[:116], min_rows=50), Site(X[:0])])


def test_a_site_where_too_few_rows_moved_refuses_and_the_remedy_works() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 6))
    X[:, :2] += np.array([-0.7, 0.7])[np.arange(400) % 2][:, None]
    init = X[:2] + 0.5
    pattern = r"site 0, .*fewer than min_moved=8 of its rows .*after which max_iter=(\d+) ends the fit"
    with pytest.raises(ValueError, match=pattern) as caught:
        fit(SKFR(2, 2, init=init, standardize=True), [Site(X, min_moved=8)])
    found = re.search(pattern, str(caught.value))
    assert found is not None
    model = SKFR(2, 2, init=init, max_iter=int(found[1]), standardize=True)
    sites = [Site(X, min_moved=8)]
    with pytest.warns(ConvergenceWarning):
        fit(model, sites)
    with pytest.warns(ConvergenceWarning):
        pooled = SKFR(**model.get_params()).fit(X)
    np.testing.assert_array_equal(labels_of(sites), pooled.labels_)
    assert model.objective_ == pooled.objective_
    assert np.isnan(model.inertia_)


def test_two_fits_may_not_differ_by_few_rows() -> None:
    """The difference of the first sums of two fits would be the sum of the rows whose labels differ."""
    X, labels = rows(), np.arange(120) % 3
    other = labels.copy()
    other[0] = 1
    site = Site(X, min_moved=2)
    fit(SKFR(3, 3, init=labels, standardize=True), [site])
    with pytest.raises(ValueError, match=r"fewer than min_moved=2"):
        fit(SKFR(3, 3, init=other, standardize=True), [site])


WRONG = {
    "auto": ({"n_features_to_select": "auto"}, r"'auto' needs rows in one place.*give a number"),
    "name": ({"init": "screened"}, r"init='screened' needs rows in one place.*give centres"),
    "callable": ({"init": lambda X, k, random_state: X[:k]}, r"needs rows in one place"),
    "row numbers": ({"init": np.arange(3)}, r"init has row numbers.*give centres"),
    "shape": ({"init": np.zeros((3, 2))}, r"init must be centres of shape \(3, 8\)"),
    "labels": ({"init": np.arange(120)}, r"labels given as init must lie in 0\.\.2"),
    "NaN": ({"init": np.full((3, 8), np.nan)}, r"init contains NaN"),
    "loss": ({"loss": "absolute"}, r"loss='absolute' needs rows in one place.*pool the rows"),
    "refine": ({"refine": True}, r"refine=True needs rows"),
    "winsorize": ({"winsorize": 3.0}, r"winsorize=3\.0 needs rows"),
    "cosine": ({"loss": "cosine"}, r"loss='cosine' needs rows in one place"),
    "categories": ({"categories": [0]}, r"categories=\[0\] needs rows in one place"),
    "batches": ({"batch_centers": "batch"}, r"batch_centers='batch' needs rows"),
    "missing": ({"missing": "mm"}, r"missing='mm' needs rows"),
    "clusters": ({"n_clusters": 500, "init": np.zeros((500, 8))}, r"must be at least n_clusters=500"),
    "features": ({"n_features_to_select": 0}, r"n_features_to_select"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_needs_rows_is_refused_before_any_sum(name: str) -> None:
    options, message = WRONG[name]
    X = rows()
    coordinator = Coordinator(sites_of(X, [60]))
    model = SKFR(
        **{"n_clusters": 3, "n_features_to_select": 3, "init": starting(X), "standardize": True, **options}
    )
    with pytest.raises(ValueError, match=message):
        fit(model, coordinator)
    assert [round.question for round in coordinator.rounds] in ([], ["rows"])


def test_wrong_estimators_and_sites() -> None:
    X = rows()
    model, sites = SKFR(3, 3, init=starting(X), standardize=True), sites_of(X, [60])
    for wrong in (SparseKMeans(3, standardize=False), SKFR, None, "SKFR"):
        with pytest.raises(TypeError, match=r"estimator must be an SKFR"):
            fit(wrong, sites)
    for wrong in (X, None, sites[0], {1: sites[0]}, iter(sites), "sites"):
        with pytest.raises(TypeError, match=r"sites must be a list"):
            fit(model, wrong)
    with pytest.raises(ValueError, match=r"sites is empty"):
        fit(model, [])
    for wrong in (X, None, Site):
        with pytest.raises(TypeError, match=r"site 1, counted from 0, is of type .*no method answer"):
            fit(model, [sites[0], wrong])
    with pytest.raises(ValueError, match=r"no site has a row"):
        fit(model, [Site(X[:0]), Site(X[:10], sample_weight=np.zeros(10))])
    with pytest.raises(ValueError, match=r"sites 0 and 1 have 8 and 7 columns"):
        fit(model, [Site(X[:60]), Site(X[60:, 1:])])
    named = [pd.DataFrame(X[:60], columns=list("abcdefgh")), pd.DataFrame(X[60:], columns=list("abcdefhg"))]
    with pytest.raises(ValueError, match=r"column 6, .*'g' at site 0 and 'h' at site 1; bring"):
        fit(model, [Site(part) for part in named])


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([1, 0], r"bounds of column 0, .*must ascend; got 1 and 0"),
        ([0, np.inf], r"bounds contains infinity"),
        ([[0, 1, 2]], r"bounds must have shape \(2,\) or \(2, 8\)"),
        ([-1, 1], r"site 0, .*values outside its bounds; agree on wider ones"),
        ([-1e9, 1e9], r"column 0, .*hardly varies beside its bounds; agree on narrower"),
    ],
)
def test_wrong_bounds(bounds: Any, message: str) -> None:
    X = rows()
    with pytest.raises(ValueError, match=message):
        fit(SKFR(3, 3, init=starting(X), standardize=True), sites_of(X, [60]), bounds=bounds)


def test_a_constant_column_and_bounds() -> None:
    X = rows()
    X[:, 4] = 0.1
    sites = sites_of(X, [60])
    init = starting(X)
    assert_same(
        fit(SKFR(3, 3, init=init, standardize=True), sites),
        sites,
        SKFR(3, 3, init=init, standardize=True).fit(X),
    )
    with pytest.raises(ValueError, match=r"column 4, .*hardly varies"):
        fit(SKFR(3, 3, init=init, standardize=True), sites, bounds=[-30, 30])


def test_one_cluster_of_one_column() -> None:
    """Each site has a single row."""
    X = np.array([[1.0], [2.0], [4.0]])
    sites = sites_of(X, [1, 2])
    init = np.array([[1.0]])
    assert_same(
        fit(SKFR(1, 1, init=init, standardize=True), sites),
        sites,
        SKFR(1, 1, init=init, standardize=True).fit(X),
    )
