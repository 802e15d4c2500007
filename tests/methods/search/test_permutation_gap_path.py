"""PermutationGap with an estimator that shares work among values: all bits equal those of separate fits."""

import re
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, PermutationGap
from sparsek.sources.source import ArraySource
from tests.methods.skfr.test_skfr_path import FORMS, VALUES, sample

RESULTS = ("objectives_", "permuted_objectives_", "n_selected_", "gap_", "gap_sd_", "gap_se_")


def some_rows(X, n_clusters, random_state):
    """Centres that depend on the seed."""
    return X[random_state % 20 :][:n_clusters]


STARTS: list[dict[str, Any]] = [
    {"init": "random"},
    {"init": "paper"},
    {"init": np.arange(30) % 3},
    {"init": some_rows},
    {"winsorize": 2.0, "ddof": 0},
]


def form_name(form):
    """A name of a test that is the same in every process."""
    return str({name: getattr(value, "__name__", value) for name, value in form.items()})


class Separate(SKFR):
    """SKFR with its own `fit`, so that no work is shared."""

    def fit(self, X, y=None, sample_weight=None):
        """As in SKFR."""
        return super().fit(X, y, sample_weight)


def both_routes(X, values=VALUES, name: Any = "n_features_to_select", **options):
    """Results of the search with shared work and with separate fits."""
    given_options = {"n_init": 3, "standardize": True, **options}
    return [
        PermutationGap(cls(3, **given_options), name, values, n_permutations=2, random_state=4).fit(X)
        for cls in (SKFR, Separate)
    ]


def assert_equal(found, expected):
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # small random data
@pytest.mark.parametrize("form", FORMS + STARTS, ids=form_name)
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_shared_work_gives_the_bits_of_separate_fits(form: dict[str, Any], seed: int) -> None:
    X = sample(seed, "missing" in form)
    shared, separate = both_routes(X, **form)
    assert_equal(shared, separate)
    assert shared.best_estimator_.gap_objective_ == shared.objectives_[shared.best_index_]
    np.testing.assert_array_equal(shared.labels_, separate.labels_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # small random data
def test_the_same_bits_on_and_off_the_stack_of_starts():
    # 41 starts are too many for a stack with 250 features and 200 rows, but not with 1 or 30 features.
    assert_equal(*both_routes(np.random.default_rng(0).normal(size=(200, 300)), [1, 30, 250], n_init=41))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # small random data
def test_the_same_bits_for_shares_and_in_single_precision():
    assert_equal(*both_routes(sample(3, partial=False).astype(np.float32), [0.2, 1.0, 1, 3]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # small random data
@pytest.mark.parametrize(
    ("names", "ranges"),
    [
        (("n_clusters", "n_features_to_select"), ([2, 4], [1, 3, 6])),
        (("ddof", "n_clusters", "n_features_to_select"), ([0, 1], [3], [2, 5])),
        (("n_features_to_select", "n_clusters"), ([1, 3], [2, 4])),  # s varies slowest: no work to share
        ("winsorize", [2, 4]),
    ],
)
def test_the_same_bits_in_grids_and_for_other_parameters(names, ranges):
    assert_equal(*both_routes(sample(1, partial=False), ranges, names))


def test_an_objective_and_a_pipeline_get_fitted_estimators():
    X = sample(2, partial=False)
    shared, _ = both_routes(X)
    seen = []

    def objective(fit):
        seen.append((fit.labels_, fit.inertia_))
        return fit.gap_objective_

    own = PermutationGap(
        SKFR(3, n_init=3, standardize=True), "n_features_to_select", VALUES, n_permutations=2, random_state=4
    )
    assert_equal(own.set_params(objective=objective).fit(X), shared)
    assert len(seen) == 3 * len(VALUES)
    pipeline = make_pipeline(
        StandardScaler(with_mean=False, with_std=False), SKFR(3, n_init=3, standardize=True)
    )
    whole = PermutationGap(
        pipeline, "skfr__n_features_to_select", VALUES, n_permutations=2, random_state=4
    ).fit(X)
    assert_equal(whole, shared)


def test_data_are_standardised_and_screened_once_for_all_values(monkeypatch):
    calls = Counter()

    def count(name):
        original = getattr(ArraySource, name)

        def counted(*args, **options):
            calls[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(ArraySource, name, counted)

    count("moments")
    count("normality")
    search = PermutationGap(
        SKFR(2, n_init=1, standardize=True), "n_features_to_select", VALUES, n_permutations=4, refit=False
    )
    search.fit(sample(0, partial=False))
    assert calls == {"moments": 5, "normality": 5}  # the data and four permutations of them


def test_convergence_is_counted_as_in_separate_fits():
    messages = []
    for cls in (SKFR, Separate):
        search = PermutationGap(
            cls(3, n_init=2, max_iter=1), "n_features_to_select", VALUES, n_permutations=2, random_state=0,
            refit=False,
        )  # fmt: skip
        with pytest.warns(ConvergenceWarning) as caught:
            search.fit(sample(0, partial=False))
        messages.append([str(warning.message) for warning in caught])
        assert all(warning.filename == __file__ for warning in caught)
    assert len(messages[0]) == 1
    assert re.match(r"\d+ warnings about convergence in the fits", messages[0][0])
    assert messages[0] == messages[1]


def test_more_features_than_there_are_are_all_with_one_warning():
    X = sample(0, partial=False)
    search = PermutationGap(
        SKFR(2, n_init=2, standardize=True),
        "n_features_to_select",
        [3, 8, 9],
        n_permutations=2,
        random_state=0,
    )
    with pytest.warns(UserWarning, match="=9 is more than n_features=7: 7 is used") as caught:
        model = search.fit(X)
    (warning,) = caught
    assert warning.filename == __file__
    assert model.param_range_ == [3, 8, 9]
    assert model.n_selected_.tolist() == [3, 7, 7]
    assert model.objectives_[1] == model.objectives_[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        within = search.set_params(param_range=[3, 7]).fit(X)
    np.testing.assert_array_equal(within.permuted_objectives_, model.permuted_objectives_[:2])


def test_the_one_warning_stays_one_when_the_chosen_value_is_too_large():
    search = PermutationGap(
        SKFR(2, n_init=2, standardize=True), "n_features_to_select", [9], n_permutations=2, random_state=0
    )
    with pytest.warns(UserWarning, match="7 is used") as caught:
        search.fit(sample(0, partial=False))
    assert len(caught) == 1
    assert search.get_support().all()


@pytest.mark.parametrize(
    ("values", "message"), [([0, 2], "Got 0 instead"), ([0.0, 2], r"Got 0\.0"), ([1.5, 2], r"Got 1\.5")]
)
def test_bad_values_are_refused_as_by_the_estimator(values, message):
    with pytest.raises(ValueError, match=message):
        PermutationGap(SKFR(2, standardize=True), "n_features_to_select", values).fit(
            sample(0, partial=False)
        )
    with pytest.raises(ValueError, match="takes the place of the ranking"):
        PermutationGap(SKFR(2, projection="nonnegative", standardize=True), "n_features_to_select", [2]).fit(
            sample(0, False)
        )
