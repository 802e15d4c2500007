"""skfr_path: never worse than single fits, properties of the path, bad input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SKFR, skfr_path
from sparsek.datasets import make_brodinova
from sparsek.methods.skfr.path import SKFRPath
from tests.sources.blocks_data import memory_taken, mixture

ROUNDING = 1e-12
"""Share of the total sum of squares: 64 units in the last place per comparison; sums in another order."""
FORMS: list[dict[str, Any]] = [
    {},
    {"scope": "local"},
    {"init": "k-means++"},
    {"missing": "mm"},
    {"missing": "observed", "scope": "local"},
    {"loss": "absolute"},
    {"standardize": False},
]
VALUES = [7, 5, 3, 2, 1]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # small random data


def sample(seed: int, partial: bool) -> np.ndarray:
    """Groups in three of seven columns, with holes on request."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(30, 7))
    X[:15, :3] += 2
    if partial:
        X[g.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=2)
@given(seed=st.integers(0, 10**6))
def test_no_value_is_worse_than_a_fit_of_its_own(form: dict[str, Any], seed: int) -> None:
    X = sample(seed, "missing" in form)
    form = {"standardize": True, **form}
    model = SKFR(3, n_init=3, random_state=seed, **form)
    path = skfr_path(model, X, VALUES)
    slack = ROUNDING * path.estimators[0].tss_
    for i, size in enumerate(VALUES):
        single = SKFR(3, size, n_init=3, random_state=seed, **form).fit(X)
        assert path.objectives[i] <= single.objective_ + slack
        assert path.from_neighbor[i] == (path.objectives[i] < single.objective_)
        if not path.from_neighbor[i]:
            np.testing.assert_array_equal(path.labels[i], single.labels_)
        for j in {i - 1, i + 1} & set(range(len(VALUES))):
            warm = SKFR(3, size, **{**form, "init": path.labels[j]}).fit(X)
            assert path.objectives[i] <= warm.objective_ + slack


@pytest.mark.parametrize("form", [form for form in FORMS if form.get("missing") != "mm"])
@settings(max_examples=2)
@given(seed=st.integers(0, 10**6))
def test_explained_share_grows_with_s_and_per_feature_falls(form: dict[str, Any], seed: int) -> None:
    X = sample(seed, "missing" in form)
    path = skfr_path(SKFR(3, n_init=2, random_state=seed, **({"standardize": True} | form)), X, VALUES)
    assert (np.diff(path.explained) <= ROUNDING).all()
    assert (np.diff(path.explained / path.values) >= -ROUNDING).all()
    assert ((path.explained >= 0) & (path.explained <= 1)).all()


@pytest.mark.parametrize("form", FORMS)
def test_one_value_is_a_fit(form: dict[str, Any]) -> None:
    X = sample(1, "missing" in form)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    path = skfr_path(
        SKFR(3, n_init=4, random_state=5, **({"standardize": True} | form)), X, [3], sample_weight=weights
    )
    fit = SKFR(3, 3, n_init=4, random_state=5, **({"standardize": True} | form)).fit(X, sample_weight=weights)
    (same,) = path.estimators
    assert same.get_params() == fit.get_params()
    for name in ("labels_", "objective_", "inertia_", "tss_", "n_iter_", "cluster_centers_"):
        np.testing.assert_array_equal(getattr(same, name), getattr(fit, name))
    np.testing.assert_array_equal(path.feature_weights[0], fit.feature_weights_)
    np.testing.assert_array_equal(path.selected[0], fit.selected_features_)
    assert same.restart_table_.equals(fit.restart_table_)
    assert path.explained[0] == 1 - fit.objective_ / fit.tss_


def test_path_holds_what_its_estimators_hold() -> None:
    X = sample(2, partial=False)
    path = skfr_path(SKFR(2, random_state=0, standardize=True), X, VALUES)
    assert isinstance(path, SKFRPath)
    assert path.labels.shape == (5, 30)
    assert path.feature_weights.shape == (5, 7)
    for i, model in enumerate(path.estimators):
        assert model.n_features_to_select == path.values[i] == len(path.selected[i])
        np.testing.assert_array_equal(model.predict(X), path.labels[i])
        np.testing.assert_array_equal(np.flatnonzero(path.feature_weights[i]), path.selected[i])
    table = path.to_frame()
    assert list(table) == ["n_features_to_select", "objective", "explained", "n_iter", "from_neighbor"]
    assert table["n_features_to_select"].tolist() == VALUES
    local = skfr_path(SKFR(2, random_state=0, scope="local", standardize=True), X, [2, 4])
    assert local.feature_weights.shape == (2, 2, 7)
    assert [s.shape for s in local.selected] == [(2, 4), (2, 2)]


def test_neighbours_help_where_starts_are_few() -> None:
    X = make_brodinova(100, group_sizes=(20,) * 10, random_state=0).data
    path = skfr_path(SKFR(10, n_init=2, random_state=0), X)
    assert path.from_neighbor.any()
    moved = path.estimators[int(np.argmax(path.from_neighbor))]
    assert len(moved.restart_table_) == 3  # its own two starts and the neighbour's partition
    assert moved.restart_table_["objective"].idxmin() == 2


def test_values_in_any_order_and_as_fractions() -> None:
    X = sample(3, partial=False)
    model = SKFR(2, n_init=2, random_state=0, standardize=True)
    path = skfr_path(model, X, [2, 1.0, 5, 0.3, 2])
    assert path.values.tolist() == [7, 5, 2]
    assert skfr_path(model, X).values.tolist() == [7, 6, 5, 4, 3, 2, 1]
    assert skfr_path(model, np.hstack([X] * 20)).values[[0, -1]].tolist() == [140, 1]
    assert not hasattr(model, "labels_")
    assert model.n_features_to_select == "auto"


def test_a_generator_is_advanced_as_by_one_fit() -> None:
    X = sample(4, partial=False)
    generators = [np.random.RandomState(3) for _ in range(2)]
    path = skfr_path(SKFR(2, random_state=generators[0], standardize=True), X, [4, 2])
    single = SKFR(2, 4, random_state=generators[1], standardize=True).fit(X)
    assert path.objectives[0] <= single.objective_ + ROUNDING * single.tss_
    assert generators[0].randint(10**6) == generators[1].randint(10**6)


def test_float32_read_only_and_constant_data() -> None:
    X = sample(5, partial=False).astype(np.float32)
    X.setflags(write=False)
    path = skfr_path(SKFR(2, random_state=0), X, [4, 2])
    assert path.estimators[0].cluster_centers_.dtype == np.float32
    constant = skfr_path(SKFR(2, n_init=2, random_state=0), np.ones((6, 3)), [3, 1])
    assert constant.explained.tolist() == [0, 0]


def test_values_beyond_the_number_of_features_are_that_number_with_one_warning() -> None:
    X = sample(3, partial=False)
    model = SKFR(2, n_init=2, random_state=0)
    with pytest.warns(UserWarning, match="=9 is more than n_features=7: 7 is used") as caught:
        path = skfr_path(model, X, [8, 2, 9, 7])
    (warning,) = caught
    assert warning.filename == __file__
    assert path.values.tolist() == [7, 2]
    np.testing.assert_array_equal(path.labels, skfr_path(model, X, [7, 2]).labels)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([0, 2], ValueError, "'n_features_to_select' .* Got 0 instead"),
        ([1.5], ValueError, "'n_features_to_select' parameter of"),
        ([], ValueError, "at least one"),
        ([None, 2], ValueError, "must hold numbers of features"),
        (["2"], TypeError, "'n_features_to_select' .* Got '2' instead"),
        ("2", TypeError, "must be a sequence"),
        (3, TypeError, "must be a sequence"),
        (np.array(3), TypeError, "must be a sequence"),
        ([True], TypeError, "'n_features_to_select' .* Got True instead"),
    ],
)
def test_bad_values(values: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        skfr_path(SKFR(2, standardize=True), sample(0, partial=False), values)


def test_bad_estimators_and_data() -> None:
    X = sample(0, partial=False)
    with pytest.raises(TypeError, match="estimator must be of class SKFR; got 2"):
        skfr_path(2, X)  # type: ignore[arg-type]  # the wrong type is the test
    with pytest.raises(ValueError, match="which a projection does not have"):
        skfr_path(SKFR(2, projection="nonnegative"), X)
    with pytest.raises(ValueError, match="at least n_clusters=99"):
        skfr_path(SKFR(99), X)
    with pytest.raises(ValueError, match="absolute"):
        skfr_path(SKFR(2, loss="absolute"), sample(0, partial=True))


def test_share_explained_of_data_of_any_size():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[:15, 0] += 6
    options = {"standardize": False, "random_state": 0}
    large = skfr_path(SKFR(2, **options), X, [1, 2])
    small = skfr_path(SKFR(2, **options), X / 1024, [1, 2])  # TSS below 1; a power of 2 changes no digit
    assert (large.explained > 0.1).all()
    np.testing.assert_array_equal(small.explained, large.explained)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_memory_of_a_fit_is_what_the_limit_counts_with():
    model = SKFR(3, n_features_to_select=20, n_init=1, max_iter=5, random_state=0)
    model.fit(mixture(0, 50, 200))  # loads compiled code, where it is used
    taken = memory_taken(model, mixture(0, 5000, 200))
    assert taken <= model._copies < taken + 1
