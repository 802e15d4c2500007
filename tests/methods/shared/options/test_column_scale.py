"""The scale of the columns: what `standardize` takes, what "auto" chooses, and what `scaling_` says of it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from sparsek import SKFR, ModelChoice, PermutationGap, SparseKMeans
from sparsek.core.column_scaling import ONLY_UNITS, shrunken_ranges, unit_part

BOTH = pytest.mark.parametrize("method", [SKFR, SparseKMeans])


def two_groups(n: int = 60, p: int = 6, shift: float = 4.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two groups that differ in all columns."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return rng.normal(size=(n, p)) + shift * labels[:, None], labels


def sparse_groups() -> np.ndarray:
    """Rows of two groups that differ in 3 of 30 columns."""
    X = np.random.default_rng(0).normal(size=(60, 30))
    X[:30, :3] += 5
    return X


def deviations_of(X: np.ndarray) -> np.ndarray:
    return X.std(axis=0, ddof=1)


class TestShrunkenRanges:
    """What columns are divided by where most features carry the clusters."""

    def test_one_unit_stays(self) -> None:
        X = np.random.default_rng(1).normal(size=(50, 8)) * np.linspace(1, 2, 8)
        divisors, alpha = shrunken_ranges(X.max(0), X.min(0), deviations_of(X))
        assert alpha == 0
        assert np.ptp(divisors) == 0

    def test_units_are_taken_out(self) -> None:
        X = np.random.default_rng(1).normal(size=(50, 8)) * 10.0 ** np.arange(8)
        divisors, alpha = shrunken_ranges(X.max(0), X.min(0), deviations_of(X))
        assert alpha == 1
        assert np.ptp(X / divisors, axis=0) == pytest.approx(np.full(8, np.ptp(X[:, 0]) / divisors[0]))

    def test_the_mean_variance_is_one(self) -> None:
        X = np.random.default_rng(1).normal(size=(50, 8)) * 2.0 ** np.arange(8)
        divisors, _ = shrunken_ranges(X.max(0), X.min(0), deviations_of(X))
        assert (X / divisors).var(axis=0, ddof=1).mean() == pytest.approx(1)

    def test_an_exceptional_column_is_limited(self) -> None:
        """One column of years beside many of grades keeps exp(1.2) times the scale of these at most."""
        X = np.random.default_rng(1).uniform(0, 3, size=(90, 34))
        X[:, 33] *= 25
        divisors, _ = shrunken_ranges(X.max(0), X.min(0), deviations_of(X))
        left = np.log(np.ptp(X, axis=0) / divisors)
        assert left[33] - np.median(left) == pytest.approx(1.2)

    def test_constant_columns_take_no_part(self) -> None:
        X = np.random.default_rng(1).normal(size=(50, 4)) * 10.0 ** np.arange(4)
        wide = np.column_stack([X, np.full(50, 7.0)])
        divisors, alpha = shrunken_ranges(wide.max(0), wide.min(0), deviations_of(wide))
        known, same = shrunken_ranges(X.max(0), X.min(0), deviations_of(X))
        assert np.array_equal(divisors, [*known, 1.0])
        assert alpha == same
        assert shrunken_ranges(np.ones(2), np.ones(2), np.zeros(2))[1] == 0

    @given(st.permutations(range(9)), st.integers(-200, 200))
    def test_order_and_a_common_unit_change_nothing(self, order: list[int], power: int) -> None:
        X = np.random.default_rng(2).normal(size=(40, 9)) * 1.7 ** np.arange(9)
        ends = X.max(0), X.min(0), deviations_of(X)
        divisors, alpha = shrunken_ranges(*ends)
        again, same = shrunken_ranges(*(np.ldexp(end[order], power) for end in ends))
        assert again == pytest.approx(np.ldexp(divisors[order], power), rel=1e-8)  # of 30 binary digits
        assert same == pytest.approx(alpha, rel=1e-9)

    def test_the_part_taken_for_units_grows_without_a_jump(self) -> None:
        spreads = np.linspace(0, 2 * np.sqrt(ONLY_UNITS), 2001)
        parts = np.array([unit_part(np.array([-spread, spread])) for spread in spreads])
        assert parts[0] == 0
        assert parts[-1] == 1
        assert np.all(np.diff(parts) >= 0)
        assert np.diff(parts).max() < 0.01


@BOTH
class TestChoice:
    """What "auto" does in a fit."""

    def test_sparse_data_are_standardised(self, method: type) -> None:
        X = sparse_groups()
        found = method(2, random_state=0).fit(X)
        known = method(2, standardize=True, random_state=0).fit(X)
        assert found.scaling_.method == "standardized"
        assert found.scaling_.carrying <= 1 / 3
        assert found.objective_ == known.objective_
        assert np.array_equal(found.labels_, known.labels_)
        assert np.array_equal(found.scaling_.divisors, deviations_of(X)) or found.scaling_.divisors == (
            pytest.approx(deviations_of(X), rel=1e-14)
        )

    def test_wide_columns_of_one_unit_lead(self, method: type) -> None:
        """The groups are in the wide columns, and others in the narrow ones."""
        rng = np.random.default_rng(3)
        wide, narrow = np.arange(80) % 2, np.arange(80) // 40
        shift = np.array([[1, 1, 0, 0, 0]]) * wide[:, None] + np.array([[0, 0, 1, 1, 1]]) * narrow[:, None]
        X = (rng.normal(size=(80, 5)) / 6 + shift) * [2.2, 2.2, 1, 1, 1]
        found = method(2, random_state=0).fit(X)
        assert found.scaling_.alpha == (0 if method is SKFR else 0.5)  # the root of what is left
        assert ("as they are" in found.scaling_.in_words()) is (method is SKFR)
        assert adjusted_rand_score(found.labels_, wide) == 1

    def test_units_do_not_matter_where_they_differ(self, method: type) -> None:
        X, labels = two_groups()
        units = 10.0 ** np.array([0, 3, -3, 1, -2, 5])
        found = method(2, random_state=0).fit(X * units)
        assert found.scaling_.alpha == 1
        assert adjusted_rand_score(found.labels_, labels) == 1

    def test_the_scale_of_a_fit_serves_another(self, method: type) -> None:
        X, _ = two_groups(seed=4)
        X *= 3.0 ** np.arange(6)
        first = method(2, random_state=0).fit(X)
        again = clone(method(2, standardize=first.scaling_, random_state=0)).fit(X)
        assert np.array_equal(again.labels_, first.labels_)
        assert again.objective_ == first.objective_
        assert again.scaling_.method == first.scaling_.method
        by_numbers = method(2, standardize=first.scaling_.divisors, random_state=0).fit(X)
        assert by_numbers.objective_ == first.objective_
        assert by_numbers.scaling_.method == "given"

    def test_the_scale_is_a_step_before_any_other_method(self, method: type) -> None:
        X, _ = two_groups(seed=4)
        X *= 3.0 ** np.arange(6)
        scale = method(2, random_state=0).fit(X).scaling_
        divided = X / scale.divisors
        steps = make_pipeline(clone(scale), KMeans(2, n_init=3, random_state=0))
        expected = KMeans(2, n_init=3, random_state=0).fit_predict(divided)
        assert np.array_equal(clone(steps).fit_predict(pd.DataFrame(X, columns=list("abcdef"))), expected)
        assert np.array_equal(scale.fit(X).transform(X), divided)
        np.testing.assert_allclose(scale.transform(csr_array(X)).toarray(), divided, rtol=1e-15)  # a product
        with pytest.raises(ValueError, match="X has 5 features, but ColumnScaling is expecting 6"):
            scale.transform(X[:, 1:])

    def test_new_rows_are_labelled_as_those_of_the_fit(self, method: type) -> None:
        X, _ = two_groups(seed=5)
        X *= 4.0 ** np.arange(6)
        fit = pickle.loads(pickle.dumps(method(2, random_state=0).fit(X)))
        assert np.array_equal(fit.predict(X), fit.labels_)
        assert fit.scaling_.in_words() in fit.summary().lead

    def test_ranges_on_request(self, method: type) -> None:
        X, _ = two_groups(seed=6)
        X *= 4.0 ** np.arange(6)
        fit = method(2, standardize="range", random_state=0).fit(X)
        given = method(2, standardize=np.ptp(X, axis=0), random_state=0).fit(X)
        assert np.array_equal(fit.scaling_.divisors, np.ptp(X, axis=0))
        assert fit.objective_ == given.objective_

    def test_batches_and_categories_are_standardised(self, method: type) -> None:
        X, _ = two_groups(seed=7)
        batch = np.repeat([0, 1], 30)
        for named in ({"batch": batch}, {}):
            options = {} if named else {"categories": [5]}
            data = X if named else np.column_stack([X[:, :5], (X[:, 5] > 2).astype(float)])
            found = method(2, random_state=0, **options).fit(data, **named)
            known = method(2, standardize=True, random_state=0, **options).fit(data, **named)
            assert found.objective_ == known.objective_
            assert found.scaling_.carrying is None

    def test_few_features_asked_for_are_of_standardised_columns(self, method: type) -> None:
        X, _ = two_groups(p=12, seed=8)
        few = {"n_features_to_select": 3} if method is SKFR else {"l1_bound": 1.8}
        found = method(2, random_state=0, **few).fit(X)
        known = method(2, standardize=True, random_state=0, **few).fit(X)
        assert found.objective_ == known.objective_

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ([1.0, 2.0], r"standardize has shape \(2,\), and X has 6 columns; give one positive number"),
            ([1, 1, 0, 1, 1, 1], r"standardize divides column 2 by 0, which must be positive and finite"),
            ([1, 1, 1, np.inf, 1, 1], "standardize divides column 3 by inf"),
            ("ranges", "'standardize' parameter of"),
            (
                [1, 1e-320, 1, 1, 1, 1],
                "standardize divides column 1 by .*, which is too small for its values",
            ),
            ([1, 2j, 1, 1, 1, 1], "standardize has complex numbers; give one positive number"),
            (["a"] * 6, "standardize must hold real numbers"),
            ({"x0": 1}, "standardize must be an array or a table; got dict"),
        ],
    )
    def test_wrong_divisors_are_refused(self, method: type, wrong: object, message: str) -> None:
        with pytest.raises((ValueError, TypeError), match=message):
            method(2, standardize=wrong).fit(two_groups()[0])


@pytest.mark.parametrize("loss", ["poisson", "multinomial", "cosine"])
def test_a_loss_with_a_scale_of_its_own_takes_the_data_as_they_are(loss: str) -> None:
    X = np.random.default_rng(0).poisson(4, size=(40, 6)) + 1.0
    found = SKFR(2, loss=loss, random_state=0).fit(X)
    known = SKFR(2, loss=loss, standardize=False, random_state=0).fit(X)
    assert found.objective_ == known.objective_
    assert found.scaling_.in_words() == "as given"


def test_features_of_noise_are_left_out() -> None:
    """The largest gap is flat beyond the features of the groups; those whose gain is noise are not taken."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 40))
    X[:150, :5] += 3
    fit = SKFR(2, random_state=0).fit(X)
    assert fit.get_support(indices=True).tolist() == [0, 1, 2, 3, 4]


def test_a_search_compares_fits_in_one_scale() -> None:
    X, _ = two_groups(seed=9)
    X *= 4.0 ** np.arange(6)
    gap = PermutationGap(
        SKFR(n_init=2, random_state=0),
        param_name="n_clusters",
        param_range=[2, 3],
        n_permutations=2,
        random_state=0,
    ).fit(X)
    scaling = gap.best_estimator_.scaling_
    assert scaling.method == "shrunken range"
    choice = ModelChoice(
        SKFR(n_init=2, random_state=0), {"n_clusters": [2, 3]}, criteria="strength", random_state=0
    ).fit(X)
    assert np.array_equal(choice.best_estimator_.scaling_.divisors, scaling.divisors)


@pytest.mark.parametrize("weight", [1 / 60, 1e-6, 0.5])
def test_weights_that_add_up_to_little_are_no_evidence_of_noise(weight: float) -> None:
    """Weights are numbers of rows: of one or fewer there is no law of noise, and nothing divides by 0."""
    X, labels = two_groups(seed=10)
    fit = SparseKMeans(2, standardize=False, random_state=0).fit(X, sample_weight=np.full(60, weight))
    assert adjusted_rand_score(fit.labels_, labels) == 1
    found = SKFR(2, standardize=False, random_state=0).fit(X, sample_weight=np.full(60, weight))
    assert adjusted_rand_score(found.labels_, labels) == 1


def test_the_words_of_a_choice_say_which_rule_took_the_bound() -> None:
    dense, sparse = (
        SparseKMeans(2, random_state=0).fit(X) for X in (two_groups(seed=11)[0], sparse_groups())
    )
    for fit in (dense, sparse):
        path = fit.selection_path_
        took_largest = path["gap"].idxmax() == path["chosen"].idxmax()
        said = "largest permutation gap" if took_largest else "smallest value within one error of the largest"
        assert f": {said}" in fit.summary().lead
    assert dense.scaling_.alpha is not None


@BOTH
@pytest.mark.parametrize("largest", [1.7e308, 1e-310])
def test_columns_at_the_ends_of_the_numbers_stay_standardised(method: type, largest: float) -> None:
    """Found by the fuzzer: a deviation in units of X overflowed."""
    X, _ = two_groups(seed=12)
    X *= largest / np.abs(X).max()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit = method(2, random_state=0).fit(X)
        assert fit.scaling_.in_words()
        assert np.array_equal(fit.predict(X), fit.labels_)
