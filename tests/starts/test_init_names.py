"""Every estimator with `init` takes every kind of start, by one mechanism."""

from __future__ import annotations

import inspect
import re
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import sparsek
from sparsek import SKFR, GeometricKMedians, KPod, PowerKMeans, SparseKMeans, WeightedRobustSparseKMeans, init
from sparsek.core.scaling import prepare
from sparsek.methods.kernel.base import KernelClusterer
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.starts import by_name as _seeding
from sparsek.starts.seeds import seeded_labels, seeded_rows
from tests.partitions import by_size
from tests.variants import one_of_each_body

CLASSES = [getattr(sparsek, name) for name in sparsek.__all__]
CLASSES = [
    item
    for item in CLASSES
    if inspect.isclass(item) and issubclass(item, CentroidClusterer) and "init" in item().get_params()
]
# Starts in the space of a kernel: tests/methods/kernel/test_kernel_starts.py.
# Sizes are given: one that is chosen adds a start from its path, see tests/methods/shared/test_sizes.py.
SIZES = {SKFR: {"n_features_to_select": None}, SparseKMeans: {"l1_bound": None}}
MODELS = [
    item(n_clusters=3, **SIZES.get(item, {})) for item in CLASSES if not issubclass(item, KernelClusterer)
]
for chosen in MODELS:
    if getattr(chosen, "standardize", None) == "auto":  # the choice of the scale would look at the rows too
        chosen.set_params(standardize=isinstance(chosen, SKFR))
OTHERS = [model for model in MODELS if model not in one_of_each_body(MODELS)]
"""Their fits are the same lines as those of models before them; `make test-all` runs them too."""
MODELS += [
    SKFR(3, None, scope="local", standardize=True),
    SKFR(3, None, standardize=False),
    GeometricKMedians(3, algorithm="recursive"),
    PowerKMeans(3, standardize=True),
]
ALL = pytest.mark.parametrize(
    "model", [pytest.param(m, marks=pytest.mark.thorough if m in OTHERS else ()) for m in MODELS], ids=str
)
NAMES = pytest.mark.parametrize("name", ["dkm++", "robin", "maximin"])

X = np.random.default_rng(0).normal(size=(90, 6))
X[:30, :3] += 8
X[30:60, :3] -= 8
TRUTH = np.repeat([0, 1, 2], 30)


def fit(model, data=X, **parameters):
    """A fitted copy; warnings about starts and convergence are tested separately."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return clone(model).set_params(random_state=0, **parameters).fit(data)


def random_robin(model, name):
    return name == "robin" and isinstance(model, WeightedRobustSparseKMeans)


def _names(model):
    """The names that `init` may be."""
    return model._parameter_constraints["init"][0].options


def test_no_estimator_is_left_out():
    assert len(MODELS) >= 11
    assert {type(model).__name__ for model in MODELS} >= {
        *("SKFR", "SparseKMeans", "KPod", "GeometricKMedians", "EntropyWeightedKMeans", "FeatureGroupKMeans"),
        *("TwoLevelKMeans", "PowerKMeans", "EntropyWeightedPowerKMeans", "RobustSparseKMeans"),
        "WeightedRobustSparseKMeans",
    }
    for model in MODELS:
        assert {"k-means++", "random", "dkm++", "robin", "maximin"} <= set(_names(model))


@ALL
@pytest.mark.parametrize("name", ["k-means++", "random", "dkm++", "robin", "maximin"])
def test_each_name_is_accepted(model, name):
    fitted = fit(model, init=name, n_init=4)
    drawn = name in ("k-means++", "random") or random_robin(model, name)
    assert len(fitted.start_objectives_) == (4 if drawn else 1)
    assert fitted.labels_.shape == (90,)


@ALL
@NAMES
def test_constant_starts_depend_on_nothing_else(model, name):
    if random_robin(model, name) or getattr(model, "algorithm", "") == "recursive":
        pytest.skip("draws: its own ROBIN, or the order of the rows")
    one = fit(model, init=name, n_init=1)
    other = fit(model, init=name, n_init=7).set_params(random_state=99)
    again = fit(other)
    for second in (other, again):
        assert np.array_equal(one.labels_, second.labels_)
        assert one.start_objectives_.tolist() == second.start_objectives_.tolist()


@ALL
def test_maximin_finds_clear_groups(model):
    labels = fit(model, init="maximin").labels_
    assert [len(set(labels[k == TRUTH])) for k in range(3)] == [1, 1, 1]
    assert len(set(labels)) == 3


@ALL
@NAMES
def test_a_name_is_the_function_on_the_prepared_data(model, name, monkeypatch):
    if random_robin(model, name):
        pytest.skip("has a ROBIN of its own")
    seen = []
    original = _seeding.SEEDINGS[name]

    def spied(x, k):
        seen.append((x, original(x, k)))
        return seen[-1][1]

    monkeypatch.setitem(_seeding.SEEDINGS, name, spied)
    named = fit(model, init=name, n_init=5)
    ((x, rows),) = seen  # once, whatever n_init
    function = {"dkm++": init.dkm_plus_plus, "robin": init.robin, "maximin": init.maximin}[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert function(x, 3).tolist() == rows
    given = fit(model, init=np.array(rows), n_init=1)
    if getattr(model, "algorithm", "") != "recursive":
        assert np.array_equal(by_size(given.labels_), by_size(named.labels_))
        assert given.start_objectives_.tolist() == named.start_objectives_.tolist()


@ALL
def test_row_numbers_are_centres(model):
    rows = np.array([3, 40, 80])
    by_rows, by_centers = fit(model, init=rows), fit(model, init=X[rows])
    assert np.array_equal(by_rows.labels_, by_centers.labels_)
    by_callable = fit(model, init=lambda X, n_clusters, random_state: rows, n_init=2)
    assert np.array_equal(by_rows.labels_, by_callable.labels_)


@ALL
def test_functions_are_callables(model):
    with_arguments = partial(init.robin, crit=0.3, n_neighbors=15)
    for function in (
        init.dkm_plus_plus,
        init.maximin,
        init.kmeans_plus_plus,
        init.random_rows,
        with_arguments,
    ):
        assert len(fit(model, init=function, n_init=2).start_objectives_) == 2


@pytest.mark.parametrize(
    ("name", "function"), [("k-means++", init.kmeans_plus_plus), ("random", init.random_rows)]
)
def test_drawn_names_are_the_functions(name, function):
    named, called = (
        fit(SparseKMeans(3, n_init=4, standardize=False), init=value) for value in (name, function)
    )
    assert named.start_objectives_.tolist() == called.start_objectives_.tolist()


@ALL
def test_unknown_names_are_refused_with_all_known_ones(model):
    names = ", ".join(map(repr, _names(model)))
    message = f"must be a str among {{{names}}}, an array-like or a function. Got 'best' instead."
    with pytest.raises(ValueError, match=re.escape(message)):
        fit(model, init="best")


@ALL
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            np.array([0, 1, 90]),
            r"row numbers given as init must be different and lie in 0\.\.89; got \[0, 1, 90\]",
        ),
        (np.array([-1, 1, 2]), r"lie in 0\.\.89; got \[-1, 1, 2\]"),
        (np.array([1, 1, 2]), "must be different"),
        (np.array([0.0, 1.0, 2.0]), r"row numbers of shape \(3,\); got shape \(3,\)"),
        (np.array([0, 1]), r"row numbers of shape \(3,\); got shape \(2,\)"),
    ],
)
def test_wrong_rows(model, rows, message):
    with pytest.raises(ValueError, match=message):
        fit(model, init=rows)


def test_rows_of_weight_0_and_rows_without_values():
    weights = np.ones(90)
    weights[:10] = 0
    rows = np.array([12, 40, 80])
    whole = SparseKMeans(3, init=rows).fit(X, sample_weight=weights)
    part = SparseKMeans(3, init=rows - 10).fit(X[10:])
    assert np.array_equal(whole.labels_[10:], part.labels_)
    with pytest.raises(ValueError, match="row 3, given as init, takes no part in the fit"):
        SparseKMeans(3, init=np.array([3, 40, 80])).fit(X, sample_weight=weights)
    holes = X.copy()
    holes[40] = np.nan
    with pytest.raises(ValueError, match="row 40, given as init, takes no part"):
        KPod(3, init=rows).fit(holes)


def test_as_many_rows_as_clusters_are_labels():
    model = SparseKMeans(4, init=np.array([1, 0, 3, 2])).fit(X[::25])
    assert model.labels_.tolist() == [1, 0, 3, 2]


@NAMES
def test_holes_and_weights(name):
    holes = X.copy()
    holes[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    for model in (KPod(3), SKFR(3, 3), SKFR(3, 3, missing="mm")):
        labels = fit(model, holes, init=name).labels_
        assert len(set(labels)) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        weights = np.where(np.arange(90) % 9, 1.0, 0.0)
        weighted = SparseKMeans(3, init=name).fit(X, sample_weight=weights)
        without = SparseKMeans(3, init=name).fit(X[weights > 0])
    assert np.array_equal(weighted.labels_[weights > 0], without.labels_)


def test_robin_in_the_smallest_data():
    assert fit(SparseKMeans(1), X[:1], init="robin").labels_.tolist() == [0]
    assert len(set(fit(SparseKMeans(2), X[[0, 1, 40]], init="robin").labels_)) == 2


@pytest.mark.parametrize("name", ["dkm++", "maximin"])
def test_too_few_distinct_rows(name):
    with pytest.raises(ValueError, match="distinct rows"):
        SparseKMeans(3, init=name).fit(np.repeat(X[:2], 4, axis=0))


def test_dkm_refuses_what_would_take_minutes():
    with pytest.raises(ValueError, match=r"n=30001 .*take k-means\+\+ or Maximin"):
        SparseKMeans(2, init="dkm++").fit(np.zeros((30_001, 1)))


def test_robin_names_what_to_change():
    line = np.append(np.zeros(12), np.arange(1, 4) ** 3.0)[:, None]
    with pytest.raises(ValueError, match="raise crit or change n_neighbors"):
        SparseKMeans(14, init="robin").fit(line)


def test_draws_of_known_names_stay_as_they_are():
    # Recorded before deterministic starts were added.
    Z, _ = prepare(X, None, standardize=False, by_column=False)
    seeds = np.array([1, 2, 3])
    assert seeded_rows(Z, 3, seeds).tolist() == [[76, 14, 36], [49, 16, 88], [38, 26, 88]]
    labels = [labels[[0, 40, 80]].tolist() for labels in seeded_labels(Z, 3, seeds)]
    assert labels == [[1, 2, 0], [1, 0, 2], [1, 0, 2]]
