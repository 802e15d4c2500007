"""Weights of rows in every estimator of the registry: copies, rows left out, powers of two, refusals."""

import inspect
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sparsek
from sparsek import SKFR, EntropyRanking, SparseKMeans
from sparsek._registry import ESTIMATORS
from tests.variants import VARIANTS, first_in_short, make

RNG = np.random.default_rng(4)
TRUTH = RNG.permutation(np.repeat([0, 1, 2], [9, 8, 7]))
X = RNG.normal(size=(24, 5)) / 4
X[:, :2] += 6 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
X[:, 2] += 6 * (TRUTH == 1)
W = RNG.integers(0, 4, 24)
START = np.where(np.arange(24) % 9 == 0, (TRUTH + 1) % 3, TRUTH)
"""Labels to start from, so near to the groups that no cluster loses all rows on the way."""


def takes_weights(text):
    return make(text)._no_weights is None


def is_search(text):
    return "estimator" in make(text).get_params(deep=False)


TAKING = [text for text in VARIANTS if takes_weights(text)]
CLUSTERERS = [text for text in TAKING if not is_search(text)]
RESAMPLING = [text for text in TAKING if is_search(text)]
REFUSING = [text for text in VARIANTS if not takes_weights(text)]
STEPS = {
    "GeometricKMedians(algorithm='recursive', n_init=2)": "takes one step for each repetition",
    **{text: "has the number of copies in BIC" for text in VARIANTS if text.startswith("FactorSp")},
    "EntropyRanking()": "counts the pairs among the copies of a row, (m - 1) m / 2",
    **{text: "trims whole copies of whole weights" for text in VARIANTS if text.startswith("RobustSp")},
    **{text: "leaves one copy of a row out of means" for text in VARIANTS if text.startswith("MADDKMeans")},
}
"""Variants in which a weight is a number, and not a share: scaled weights give other results."""
STANDARDIZING = [
    text for text in CLUSTERERS if "standardize" in make(text).get_params() and "Power" not in text
]
"""Those that divide by standard deviations of the divisor n - 1."""
SHARES = [text for text in CLUSTERERS if text not in STEPS and "coef0" not in text and "width" not in text]
"""Those for which weights are shares, and labels the same if all columns are multiplied by one number."""
SLACK = {"GeometricKMedians(n_init=2)": 1e-5}
"""Relative differences that iterations leave which stop before the last digit."""
NOT_COMPARED = (
    *("criterion_history_", "start_n_iter_", "n_iter_", "n_steps_", "labels_", "start_objectives_"),
    "n_leaves_",  # rows, of which copies are more
)


def fitted(text, data, weights, start=None):
    """A fit of three clusters from one start that is given, where the estimator takes one."""
    model = make(text)
    known = model.get_params()
    chosen = {"n_clusters": 3, "random_state": 0}
    if start is not None and "init" in known and not text.startswith("SelfOrganizingMap"):
        chosen["init"] = start
    model.set_params(**{name: value for name, value in chosen.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data, sample_weight=weights)


def results(model):
    """The numbers that a fit has found."""
    found = {name: np.asarray(value) for name, value in vars(model).items() if name.endswith("_")}
    return {name: value for name, value in found.items() if value.dtype.kind in "fiub"}


def labels_of(model):
    """Labels of all rows; the ranks of the features for what has none."""
    return model.labels_ if hasattr(model, "labels_") else model.ranking_


@pytest.mark.parametrize("row", ESTIMATORS, ids=lambda row: row.name)
def test_an_estimator_takes_weights_or_says_why_not(row) -> None:
    cls = getattr(sparsek, row.name)
    takes = "sample_weight" in inspect.signature(cls.fit).parameters
    assert takes != (cls._no_weights is not None)


@pytest.mark.parametrize("text", first_in_short(CLUSTERERS))
def test_whole_weights_are_repeated_rows(text) -> None:
    weighted = fitted(text, X, W, START)
    repeated = fitted(text, np.repeat(X, W, axis=0), None, np.repeat(START, W))
    if hasattr(weighted, "labels_"):
        np.testing.assert_array_equal(np.repeat(weighted.labels_, W), repeated.labels_)
    known, found = results(repeated), results(weighted)
    for name in known.keys() & found.keys() - set(NOT_COMPARED):
        if known[name].shape == found[name].shape:
            slack = SLACK.get(text, 1e-9)  # sums in another order
            np.testing.assert_allclose(found[name], known[name], rtol=slack, atol=slack, err_msg=name)


@pytest.mark.parametrize("text", first_in_short(CLUSTERERS) + [pytest.param(t) for t in RESAMPLING])
def test_rows_of_weight_zero_are_left_out_in_every_bit(text) -> None:
    kept = W > 0
    known, found = results(fitted(text, X[kept], W[kept])), results(fitted(text, X, W))
    assert known.keys() == found.keys()
    for name, value in known.items():
        if value.shape == found[name].shape:
            np.testing.assert_array_equal(found[name], value, err_msg=name)
    if "labels_" in known:
        np.testing.assert_array_equal(found["labels_"][kept], known["labels_"])


@pytest.mark.parametrize("text", first_in_short(CLUSTERERS))
def test_powers_of_two_change_no_bit(text) -> None:
    """Where weights are shares: with given sizes, and not with standard deviations of divisor n - 1.

    The size is chosen by shuffled copies of rows, which are more for larger weights.
    """
    if text in STEPS:
        pytest.skip(STEPS[text])
    model = make(text)
    plain = {"standardize": False, "ddof": 0, "n_features_to_select": 2, "l1_bound": 1.5}
    plain = {name: value for name, value in plain.items() if name in model.get_params()}
    known = fit_of(model.set_params(**plain), W)
    for factor in (4.0, 2.0**-9):  # sums of 156 and 0.08
        found = fit_of(model, factor * W)
        np.testing.assert_array_equal(labels_of(found), labels_of(known))
        for name in ("feature_weights_", "cluster_centers_", "selected_features_"):
            if hasattr(known, name):
                np.testing.assert_array_equal(getattr(found, name), getattr(known, name), err_msg=name)
        if hasattr(known, "inertia_"):
            assert found.inertia_ in (known.inertia_, factor * known.inertia_)


@pytest.mark.parametrize("text", first_in_short(SHARES))
def test_powers_of_two_change_no_label_in_standard_deviations(text) -> None:
    """The divisor n - 1 then scales all columns alike, which a kernel with a unit of its own notices."""
    model = make(text)
    chosen = {"standardize": True, "n_features_to_select": 2, "l1_bound": 1.5}
    model.set_params(**{name: value for name, value in chosen.items() if name in model.get_params()})
    known = labels_of(fit_of(model, W))
    for factor in (64.0, 2.0**-4):  # sums of 2496 and 2.4
        np.testing.assert_array_equal(labels_of(fit_of(model, factor * W)), known)


@pytest.mark.parametrize("text", first_in_short(STANDARDIZING))
def test_weights_that_add_up_to_one_leave_nothing_to_standardise_by(text) -> None:
    model = make(text).set_params(standardize=True)
    # Those after the first add up to 1 but for rounding, to either side.
    for total in (0.5, 1 - 2e-16, 1.0, 1 + 2e-16, 1 + 1e-12):
        with pytest.raises(
            ValueError, match=f"sample_weight sums to {total:.3g}, which must exceed (ddof=)?1"
        ):
            fit_of(model, W / W.sum() * total)
    if text != "EntropyRanking()":
        plain = model.set_params(standardize=False)
        assert hasattr(fit_of(plain, W / W.sum()), "labels_")


def test_observed_weights_that_add_up_to_one_do_so_by_column() -> None:
    holed = X.copy()
    holed[2:, 3] = np.nan
    for model in (sparsek.KPod(3, standardize=True), SKFR(3, 2, missing="mm", standardize=True)):
        with pytest.raises(ValueError, match=r"where column 3 is observed sums to 0\.8, which must exceed"):
            model.fit(holed, sample_weight=np.full(24, 0.4))


@pytest.mark.parametrize("text", RESAMPLING)
def test_searches_refuse_what_their_fits_refuse(text) -> None:
    model = make(text).set_params(estimator__standardize=True)
    with pytest.raises(ValueError, match=r"sums to .*, which must exceed ddof=1|must hold whole numbers"):
        fit_of(model, W / W.sum())


def fit_of(model, weights):
    """A fit of a copy, without its warnings."""
    chosen = {"n_clusters": 3, "random_state": 0}
    model = clone(model).set_params(
        **{name: value for name, value in chosen.items() if name in model.get_params()}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, sample_weight=weights)


@pytest.mark.parametrize("text", RESAMPLING)
def test_searches_find_the_groups_of_repeated_rows(text) -> None:
    """Draws of rows differ between weighted and repeated rows; two clear groups are the same for all."""
    clear = np.vstack([X[:, :2] / 9, X[:, :2] / 9 + 50])
    counts = np.concatenate([W, W]) + 1
    weighted = search_of(text, clear, counts)
    repeated = search_of(text, np.repeat(clear, counts, axis=0), None)
    if hasattr(weighted, "labels_"):
        np.testing.assert_array_equal(np.repeat(weighted.labels_, counts), repeated.labels_)
    if hasattr(weighted, "get_support"):
        np.testing.assert_array_equal(weighted.get_support(), repeated.get_support())
    if hasattr(weighted, "best_params_"):
        assert weighted.best_params_ == repeated.best_params_


def search_of(text, data, weights):
    """A fit of a search with a seed, without its warnings."""
    model = make(text).set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data, sample_weight=weights)


@pytest.mark.parametrize("text", REFUSING)
def test_a_refusal_names_method_reason_and_remedy(text) -> None:
    model = make(text)
    reason = model._no_weights
    for name in ("fit", "fit_predict"):
        method = getattr(model, name, None)
        if method is not None:
            expected = (
                f"{type(model).__name__}.{name} does not take sample_weight, because {reason.why}; leave it "
                f"out, or use {reason.instead}"
            )
            with pytest.raises(ValueError, match=re.escape(expected)):
                method(X, sample_weight=W)
            with pytest.raises(ValueError, match="does not take sample_weight"):
                method("no data", sample_weight="no weights")
            with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
                method(X, weights=W)


@pytest.mark.parametrize("text", first_in_short(REFUSING))
def test_what_is_named_instead_takes_weights(text) -> None:
    named = re.findall(r"[A-Z]\w+\b(?!=)", make(text)._no_weights.instead)
    known = [getattr(sparsek, name) for name in named if name in sparsek.__all__]
    assert known
    assert all(cls._no_weights is None for cls in known)


def test_none_is_no_weight() -> None:
    model = sparsek.COSA(2)
    np.testing.assert_array_equal(model.fit(X, sample_weight=None).labels_, model.fit(X).labels_)


def test_a_subclass_refuses_once() -> None:
    class Own(sparsek.PCKMeans):
        def fit(self, X, y=None):
            return super().fit(X, y)

    with pytest.raises(ValueError, match=r"Own\.fit does not take sample_weight, because a pair binds"):
        Own(2).fit(X, sample_weight=W)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=24, max_size=24), st.booleans())
def test_the_entropy_of_whole_weights_is_that_of_repeated_rows(counts, standardize) -> None:
    counts = np.array(counts)
    if np.count_nonzero(counts) < 3:
        counts[:3] = 1
    model = EntropyRanking(standardize=standardize)
    found = model.fit(X, sample_weight=counts).scores_
    # Means of pairs in another order.
    np.testing.assert_allclose(found, model.fit(np.repeat(X, counts, axis=0)).scores_, rtol=0, atol=1e-13)


def test_too_little_weight_for_pairs() -> None:
    with pytest.raises(ValueError, match=r"sample_weight sums to 1, which must exceed 1"):
        EntropyRanking().fit(X, sample_weight=np.eye(24)[0])


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=24, max_size=24),
    st.sampled_from([SKFR(3, 3, standardize=True), SparseKMeans(3, l1_bound=1.5, standardize=False)]),
)
def test_any_counts_are_repetitions(counts, estimator) -> None:
    weighted = clone(estimator).set_params(init=START).fit(X, sample_weight=counts)
    copies = np.repeat(X, counts, axis=0)
    repeated = clone(estimator).set_params(init=np.repeat(START, counts)).fit(copies)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, counts), repeated.labels_)
    np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, rtol=1e-9, atol=1e-9)
