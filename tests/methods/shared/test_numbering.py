"""Clusters have the same numbers for every seed: by size, then first row; arrays given keep theirs."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import sparsek
from sparsek import SKFR, COPKMeans, GeometricKMedians, KPod, PCKMeans, SelfOrganizingMap, SparseKMeans
from sparsek.methods.shared.clusterer.numbering import NumberedClusters, numbers_by_size
from tests.partitions import by_size
from tests.variants import VARIANTS, first_in_short, make

SIZES = (5, 9, 7)
rng = np.random.default_rng(4)
TRUTH = rng.permutation(np.repeat([0, 1, 2], SIZES))
X = rng.normal(size=(21, 6)) / 4
X[:, :2] += 6 * np.array([[0, 0], [1, 0], [0, 1]])[TRUTH]
X[:, 2] += 6 * (TRUTH == 1)
FORMS = ["SKFR(scope='local')", "MPCKMeans(metric='per_cluster_full', n_init=2)", "MinMaxKMeans(refine=True)"]
CLUSTERERS = [
    text
    for text in dict.fromkeys(VARIANTS + FORMS)
    if issubclass(getattr(sparsek, text.partition("(")[0]), NumberedClusters)
    and not text.startswith("SelfOrganizingMap")
]


def fitted(text, seed=0, data=X, **options):
    """An estimator of three clusters, fitted without its warnings."""
    model = make(text)
    known = model.get_params()
    chosen = {"n_clusters": 3, "random_state": seed, **options}
    model.set_params(**{name: value for name, value in chosen.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data)


@pytest.mark.parametrize("text", [*FORMS, *first_in_short(text for text in CLUSTERERS if text not in FORMS)])
def test_the_largest_cluster_is_first_and_everything_by_cluster_in_the_same_order(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(2):
        model = fitted(text, seed)
        assert np.array_equal(model.labels_, by_size(model.labels_))
        with monkeypatch.context() as patch:
            patch.setattr(NumberedClusters, "_keeps_order", lambda self: True)
            raw = fitted(text, seed)
        order = [int(np.argmax(model.labels_ == model.labels_[raw.labels_ == k][0])) for k in range(3)]
        numbers = model.labels_[order]  # of each cluster of the fit
        assert np.array_equal(numbers[raw.labels_], model.labels_)
        found = {name: value for name, value in vars(raw).items() if name.endswith("_")}
        found |= {name: getattr(raw, name)(X) for name in ("predict", "transform") if hasattr(raw, name)}
        for name, value in found.items():
            own = getattr(model, name)
            own = own(X) if callable(own) else own
            if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fiu":
                # Probabilities are divided by their sum, which rounds in the order of its terms.
                slack = 1e-12 if name == "probabilities_" else 0
                assert np.allclose(own, in_order(name, value, numbers), slack, slack, equal_nan=True), name


def in_order(name, value, numbers):
    """An array of the fit with its clusters in the order of the numbers."""
    if name in ("labels_", "initial_labels_", "predict"):
        return numbers[value]
    order = np.argsort(numbers)
    if name in ("transform", "probabilities_") and value.shape[1] == 3:
        return value[:, order]
    one_each = name.startswith(("start_", "criterion_")) or (name == "selected_features_" and value.ndim == 1)
    return value[order] if value.shape[0] == 3 and not one_each else value


def test_the_same_partition_has_the_same_labels_for_every_seed() -> None:
    found = [SKFR(3, 3, random_state=seed, standardize=True).fit(X) for seed in range(6)]
    assert np.bincount(found[0].labels_).tolist() == [9, 7, 5]
    for model in found:
        assert np.array_equal(model.labels_, found[0].labels_)
        assert np.array_equal(model.cluster_centers_, found[0].cluster_centers_)


def test_weights_count_where_rows_have_some() -> None:
    weights = np.where(TRUTH == 0, 10.0, 1.0)
    weights[np.flatnonzero(TRUTH == 0)[0]] = 0
    for model in (
        SKFR(3, 3, random_state=0, standardize=True),
        SparseKMeans(3, l1_bound=1.5, random_state=0, standardize=False),
        KPod(3, random_state=0),
    ):
        labels = model.fit(X, sample_weight=weights).labels_
        masses = np.bincount(labels, weights)
        assert (np.diff(masses) <= 0).all()
        assert (labels[TRUTH == 0] == 0).all()  # the smallest one, but the heaviest


def test_ties_go_to_the_first_row() -> None:
    rows = np.repeat([[9.0], [0.0], [5.0]], 4, axis=0) + np.tile([0, 0.1, 0.2, 0.3], 3)[:, None]
    for seed in range(4):
        assert KPod(3, random_state=seed).fit(rows).labels_.tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_given_starts_keep_their_order() -> None:
    by_label = np.array([X[k == TRUTH].mean(axis=0) for k in range(3)])
    rows = np.array([np.flatnonzero(k == TRUTH)[0] for k in range(3)])
    for init in (by_label, TRUTH, rows):
        assert np.array_equal(SKFR(3, 3, init=init, standardize=True).fit(X).labels_, TRUTH)
        assert np.array_equal(COPKMeans(3, init=init).fit(X).labels_, TRUTH)

    def call(X, n_clusters, random_state):
        return by_label

    drawn = SKFR(3, 3, init=call, n_init=1, standardize=True).fit(X)
    assert np.array_equal(drawn.labels_, by_size(TRUTH))


def test_predict_agrees_with_the_labels_where_rows_tie() -> None:
    rows = np.array([[0.0], [0.0], [2.0], [2.0], [1.0], [1.0], [1.0], [4.0], [4.0]])
    for seed in range(6):
        model = KPod(3, random_state=seed, n_init=1).fit(rows)
        assert np.array_equal(model.predict(rows), model.labels_)
        distances = model.transform(rows)
        assert np.array_equal(distances.min(axis=1), distances[range(9), model.labels_])


def test_an_empty_cluster_comes_last() -> None:
    rows = np.repeat([[0.0, 1.0], [5.0, 2.0]], [2, 4], axis=0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = PCKMeans(3, random_state=0).fit(rows)
    assert np.bincount(model.labels_, minlength=3).tolist() == [4, 2, 0]


def test_later_rows_keep_the_numbers() -> None:
    model = GeometricKMedians(3, algorithm="recursive", random_state=0).fit(X)
    before, labels = model.cluster_centers_.copy(), model.labels_
    model.partial_fit(X[:3])
    assert np.array_equal(model.labels_, model.predict(X[:3]))
    assert np.abs(model.cluster_centers_ - before).max() < 2  # a third of the distance of two groups
    assert np.array_equal(labels[:3], model.labels_)


def test_a_map_keeps_its_places() -> None:
    model = SelfOrganizingMap(4, random_state=0).fit(X)
    assert np.array_equal(model.transform(X).argmin(axis=1), model.labels_)
    assert model.positions_.shape == (4, 2)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_numbers_by_size(labels: list[int]) -> None:
    found = np.array(labels)
    sizes = np.bincount(found, minlength=5)
    numbers = numbers_by_size(found, sizes)
    assert sorted(numbers.tolist()) == list(range(5))
    assert np.array_equal(numbers[found], by_size(found))
