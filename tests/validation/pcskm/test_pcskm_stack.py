"""Fits at many bounds at once against the estimators, and the comparisons by a mixed model."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from sparsek import ConstraintSplitter, PairwiseConstraints, PCKMeans, PCSparseKMeans
from sparsek.errors import EmptyClusterError
from sparsek.methods.constrained.pcskm import Options, constrained_weights
from tests.validation.pcskm.test_pcskm_figures import AUTHORS
from validation.papers.pcskm import dependent, samples, stack, table_1, trials
from validation.papers.pcskm.designs import CONDITIONS, FIGURE_1, METHODS

DATA = ("fisheriris", "synthetic_3_7")


def fitted(model: PCKMeans | PCSparseKMeans, X: np.ndarray, pairs: PairwiseConstraints) -> list[int] | None:
    """Labels of an estimator; None if it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return model.fit(X, **pairs.fit_params()).labels_.tolist()
        except (EmptyClusterError, ValueError):
            return None


@pytest.mark.parametrize("penalties", [False, True])
@pytest.mark.parametrize("kind", ["both", "ml", "cl"])
@pytest.mark.parametrize("name", DATA)
def test_all_bounds_at_once_are_the_estimators_one_by_one(name: str, kind: str, penalties: bool) -> None:
    sample = samples.load_sample(name, 0)
    X, k = sample.X, sample.n_clusters
    rows = samples.start_rows(name, 0, "maximin")
    splitter = ConstraintSplitter(3, kind=kind, n_draws=1, random_state=5)
    pairs = next(splitter.split(X, sample.target)).constraints
    problem = stack.make_problem(X, k, pairs)
    centers = problem.X[rows, :-1]
    before = centers.copy()
    grid = trials.bounds(X.shape[1], 1)
    plain, sparse = stack.fit_stack(problem, centers, grid, penalties)
    assert (centers == before).all()
    assert plain.labels is not None
    assert plain.labels.tolist() == fitted(PCKMeans(k, init=rows, **AUTHORS), X, pairs)
    for s, fit in zip(grid, sparse, strict=True):
        model = PCSparseKMeans(
            k, l1_bound=s, init=rows, weight_solver="bisection15", penalties_in_weights=penalties, **AUTHORS
        )
        expected = fitted(model, X, pairs)
        assert (None if fit.labels is None else fit.labels.tolist()) == expected
        if expected is not None:
            # Sums of 150 rows in another order; the threshold is met by the same halvings.
            np.testing.assert_allclose(fit.weights, model.feature_weights_, rtol=0, atol=1e-12)


def test_a_cluster_without_rows_fails_at_every_bound() -> None:
    X = np.array([[0.0, 0.0], [0.1, 0.2], [5.0, 5.1], [5.2, 5.0]])
    problem = stack.make_problem(
        X, 2, PairwiseConstraints(4, [(0, 2), (0, 3), (0, 1), (1, 2), (1, 3), (2, 3)])
    )
    plain, sparse = stack.fit_stack(problem, problem.X[[0, 2], :-1], [1.1, 1.3])
    assert (plain, *sparse) == (stack.FAILED,) * 3


def test_bounds_that_all_fail_after_the_first_clustering(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = samples.load_sample("fisheriris", 0)
    problem = stack.make_problem(sample.X, 3, PairwiseConstraints(150))
    cluster, seen = stack._cluster, []

    def first_only(problem: stack.Problem, centers: np.ndarray, weights: np.ndarray) -> tuple:
        labels, alive = cluster(problem, centers, weights)
        seen.append(len(centers))
        return labels, alive & (len(seen) == 1)

    monkeypatch.setattr(stack, "_cluster", first_only)
    plain, sparse = stack.fit_stack(problem, problem.X[[0, 60, 120], :-1], [1.1, 1.3])
    assert plain.labels is not None
    assert sparse == [stack.FAILED] * 2
    assert seen == [1, 2]


def test_weights_under_all_bounds_are_those_of_single_ones() -> None:
    rng = np.random.default_rng(0)
    gains = np.vstack([rng.exponential(size=(30, 8)) ** 3, np.zeros((1, 8)), np.full((1, 8), 1e-7)])
    bounds = np.tile([1.1, 1.5, 2.0, 2.8], 8)
    found = stack.weigh(gains, bounds)
    for row, gain, s in zip(found, gains, bounds, strict=True):
        expected = constrained_weights(gain, gain, Options(s, weight_solver="bisection15"))
        # The halvings are the same; only the norms are summed in another order.
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-15)


def test_sizes_of_table_1_are_those_of_the_printed_table() -> None:
    for name in DATA:
        ours = table_1.measure(name)
        printed = table_1.PRINTED[name]
        assert ours[:3] == printed[:3]
        assert max(abs(a - b) for a, b in zip(ours, printed, strict=True)) <= 1  # ours are even


def made_up(lead: dict[str, float]) -> pd.DataFrame:
    """Case means in which PCSKM leads by so much on each data set."""
    cases = [(data, start, kind) for data in FIGURE_1 for start, kind in CONDITIONS]
    index = pd.MultiIndex.from_tuples(cases, names=["data", "start", "kind"])
    noise = np.random.default_rng(0).normal(scale=0.005, size=(len(cases), len(METHODS)))
    table = pd.DataFrame(0.7 + noise, index=index, columns=list(METHODS))
    table["PCSKM"] += [lead[data] for data, _, _ in cases]
    return table


def test_sixty_cases_count_as_six_data_sets() -> None:
    steady = dependent.compare(made_up(dict.fromkeys(FIGURE_1, 0.05)))
    one_set = dependent.compare(made_up({name: 0.3 * (name == "ionosphere") for name in FIGURE_1}))
    for method in METHODS[:-1]:
        assert steady[dependent.ALL, method].ahead
        # The same mean lead, but from one data set of six: 60 independent cases would show it.
        assert one_set[dependent.ALL, method].verdict.estimate == pytest.approx(0.05, abs=0.005)
        assert not one_set[dependent.ALL, method].ahead
    table = dependent.comparison_table(steady)
    assert len(table.rows) == len(steady) == 15


def test_holm_is_within_families() -> None:
    found = dependent.compare(made_up(dict.fromkeys(FIGURE_1, 0.02)))
    for key, one in found.items():
        size = 3 if key in dependent.KIND_PAIRS else 4
        p = one.verdict.p_different
        assert p <= one.verdict.p_holm <= min(1.0, size * max(c.verdict.p_different for c in found.values()))
