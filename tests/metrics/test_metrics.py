"""Measures of agreement: reference values, brute force, invariants, bad input."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import mutual_info_score, rand_score
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, metrics, rcompat
from sparsek.metrics import (
    clustering_error_rate,
    dunn_index,
    false_negative_rate,
    false_positive_rate,
    misclassification_error,
    mixed_class_nodes,
    normalized_variation_of_information,
    pairwise_f_score,
    pairwise_scores,
    variation_of_information,
)

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)
FEW = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12)
OF_TWO: list[Callable[..., float]] = [
    clustering_error_rate,
    misclassification_error,
    normalized_variation_of_information,
    pairwise_f_score,
    variation_of_information,
]


def split(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Two labellings of the same rows."""
    a, b = np.array(pairs).T
    return a, b


@given(LABELS)
def test_nvi_is_a_symmetric_distance_in_the_unit_interval(pairs: list[tuple[int, int]]) -> None:
    a, b = split(pairs)
    value = normalized_variation_of_information(a, b)
    assert 0 <= value <= 1
    # Two sums of at most 25 terms in another order.
    assert value == pytest.approx(normalized_variation_of_information(b, a), abs=1e-12)
    assert normalized_variation_of_information(a, 7 - a) == pytest.approx(0, abs=1e-12)


def test_nvi_of_independent_partitions_is_one() -> None:
    a, b = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    assert normalized_variation_of_information(a, b) == pytest.approx(1, abs=1e-12)


def test_nvi_uses_the_joint_entropy() -> None:
    a, b = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]
    joint = np.log(3)
    # scikit-learn's mutual information in nats, summed in another order.
    assert normalized_variation_of_information(a, b) == pytest.approx(
        1 - mutual_info_score(a, b) / joint, abs=1e-12
    )
    assert variation_of_information(a, b) == pytest.approx(2 / 3 * np.log(2), abs=1e-12)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=30))
def test_variation_of_information_is_a_metric(rows: list[tuple[int, int, int]]) -> None:
    a, b, c = np.array(rows).T
    ab, bc, ac = (variation_of_information(*pair) for pair in ((a, b), (b, c), (a, c)))
    assert 0 <= ab <= np.log(len(a)) + 1e-12  # sums of at most 16 terms of order 1, as below
    assert ac <= ab + bc + 1e-12
    assert ab == pytest.approx(variation_of_information(b, a), abs=1e-12)
    entropy = variation_of_information(a, np.zeros(len(a)))
    assert entropy == pytest.approx(mutual_info_score(a, a), abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "pairs", "one_to_one", "many_to_one"),
    [
        ("000112", "001111", 7 / 15, 1 / 3, 1 / 3),  # reference values, case D
        ("11122222", "00100010", None, 0.375, 0.375),
        ("0001", "0011", 0.5, 0.25, 0.25),
        ("0000", "0123", 1.0, 0.75, 0.75),
        ("012012", "012012", 0.0, 0.0, 0.0),
    ],
)
def test_error_rates_of_the_specification(
    a: str, b: str, pairs: float | None, one_to_one: float, many_to_one: float
) -> None:
    first, second = list(a), list(b)
    if pairs is not None:
        # A difference of ratios of small whole numbers.
        assert clustering_error_rate(first, second) == pytest.approx(pairs, abs=1e-15)
    assert misclassification_error(first, second) == one_to_one
    assert misclassification_error(first, second, matching="many-to-one") == many_to_one


def error_by_permutations(truth: np.ndarray, found: np.ndarray) -> float:
    """Smallest error over all one-to-one renamings."""
    names = range(max(truth.max(), found.max()) + 1)
    return min(float((np.array(p)[found] != truth).mean()) for p in permutations(names))


@given(FEW)
def test_errors_equal_brute_force(pairs: list[tuple[int, int]]) -> None:
    truth, found = split(pairs)
    one = misclassification_error(truth, found)
    assert one == error_by_permutations(truth, found)
    majority = min(
        sum(max(int(np.sum((u == i) & (v == j))) for j in np.unique(v)) for i in np.unique(u))
        for u, v in ((truth, found), (found, truth))
    )
    many = misclassification_error(truth, found, matching="many-to-one")
    assert many == (len(truth) - majority) / len(truth)
    assert many <= one
    both = list(combinations(range(len(truth)), 2))
    if both:
        i, j = np.array(both).T
        differ = (truth[i] == truth[j]) != (found[i] == found[j])
        # 1 - (pairs that agree) / pairs equals the share of pairs that disagree.
        assert clustering_error_rate(truth, found) == pytest.approx(differ.mean(), abs=1e-15)
        assert clustering_error_rate(truth, found) == 1 - rand_score(truth, found)


@given(LABELS)
def test_error_rate_is_that_of_r(pairs: list[tuple[int, int]]) -> None:
    a, b = split(pairs)
    ours, theirs = clustering_error_rate(a, b), rcompat.CER(a, b)
    assert ours == theirs or (np.isnan(ours) and np.isnan(theirs))
    assert np.isnan(ours) == (len(a) == 1)
    if len(a) > 1:
        index = rcompat.adjustedRand(a, b, "Rand")["Rand"]
        # 1 minus the share of pairs that agree.
        assert ours == pytest.approx(1 - index, abs=1e-15)


@pytest.mark.parametrize(
    ("truth", "found", "score"),
    [
        ("111222", "112222", 8 / 13),
        ("1112222", "2212121", 1 / 3),
        ("23221112", "22121233", 2 / 17),
        ("413233134", "132131322", 4 / 17),
        ("111111", "111111", 1.0),
        ("221", "122", 0.0),
        ("123", "312", 1.0),
    ],
)
def test_pairwise_f_score_of_the_specification(truth: str, found: str, score: float) -> None:
    assert pairwise_f_score(list(truth), list(found)) == score


@given(FEW)
def test_pairwise_scores_equal_brute_force(pairs: list[tuple[int, int]]) -> None:
    truth, found = split(pairs)
    i, j = np.triu_indices(len(truth), 1)
    actual, predicted = truth[i] == truth[j], found[i] == found[j]
    hits = int((actual & predicted).sum())
    scores = pairwise_scores(truth, found)
    if actual.any() or predicted.any():
        assert scores.f_score == 2 * hits / (int(actual.sum()) + int(predicted.sum()))
    else:
        assert scores.f_score == 1
    assert scores.precision == hits / predicted.sum() if predicted.any() else np.isnan(scores.precision)
    assert scores.recall == hits / actual.sum() if actual.any() else np.isnan(scores.recall)
    swapped = pairwise_scores(found, truth)
    np.testing.assert_equal(swapped, (scores.f_score, scores.recall, scores.precision))


@given(FEW)
def test_mixed_nodes_equal_brute_force(pairs: list[tuple[int, int]]) -> None:
    classes, nodes = split(pairs)
    members = [np.flatnonzero(nodes == node) for node in np.unique(nodes)]
    mixed = [rows for rows in members if len(set(classes[rows])) > 1]
    assert mixed_class_nodes(classes, nodes) == (len(mixed), sum(map(len, mixed)))
    animals = np.arange(len(nodes)) // 3
    total = len({animals[row] for rows in mixed for row in rows})
    assert mixed_class_nodes(classes, nodes, animals) == (len(mixed), total)
    assert mixed_class_nodes(classes, classes) == (0, 0)


def test_mixed_nodes_of_the_specification() -> None:
    assert mixed_class_nodes(list("aabbaac"), [0, 0, 1, 1, 1, 2, 3]) == (1, 3)


@given(LABELS, st.permutations(range(5)), st.randoms(use_true_random=False))
def test_names_of_clusters_and_order_of_rows_do_not_matter(pairs, names, random) -> None:
    a, b = split(pairs)
    order = random.sample(range(len(a)), len(a))
    renamed = np.array(["v", "w", "x", "y", "z"])[np.array(names)][b]
    for measure in [*OF_TWO, lambda u, v: misclassification_error(u, v, matching="many-to-one")]:
        # Entropies are summed in the order of the names; the other measures are counts.
        assert measure(a[order], renamed[order]) == pytest.approx(measure(a, b), abs=1e-12, nan_ok=True)
    assert mixed_class_nodes(a[order], renamed[order]) == mixed_class_nodes(a, b)


def dunn_by_pairs(X: np.ndarray, labels: np.ndarray) -> float:
    """Dunn's index from the full matrix of distances."""
    distances = squareform(pdist(X))
    together = labels[:, None] == labels
    largest, smallest = distances[together].max(), distances[~together].min()
    return smallest / largest if largest else (np.inf if smallest else np.nan)


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(2, 4), st.integers(1, 60))
def test_dunn_index_equals_brute_force(seed: int, n: int, k: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    X, labels = rng.integers(0, 6, (n, 3)).astype(float), rng.integers(0, k, n)
    labels[:2] = 0, 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparsek.metrics._dunn.DISTANCES_AT_ONCE", block)
        value = dunn_index(X, labels)
    expected = dunn_by_pairs(X, labels)
    # Square roots of equal whole numbers, by another routine.
    assert value == pytest.approx(expected, rel=1e-14, nan_ok=True)
    # The index has no unit: rounding of the scaled and shifted data, relative to numbers of order 10.
    if 0 < value < np.inf:
        assert dunn_index(8 * X + 1, labels) == pytest.approx(value, rel=1e-13)


def test_dunn_index_of_the_specification_and_its_limits() -> None:
    X = np.array([(0, 0), (0, 1), (1, 0), (1, 1), (4, 4), (5, 4), (9, 0), (9, 1), (10, 0)])
    # Reference cases A and D: ratio of two square roots.
    assert dunn_index(X, [0, 0, 0, 0, 1, 1, 2, 2, 2]) == pytest.approx(3.0, abs=1e-15)
    for exponent in (600, -600, 1015, -1070):
        assert dunn_index(np.ldexp(X, exponent), [0, 0, 0, 0, 1, 1, 2, 2, 2]) == pytest.approx(3.0, abs=1e-15)
    assert np.isnan(dunn_index(X, np.zeros(9)))
    assert dunn_index(X, np.arange(9)) == np.inf
    assert np.isnan(dunn_index(np.zeros((4, 2)), [0, 0, 1, 1]))


def test_rates() -> None:
    truth = np.array([True] * 10 + [False] * 40)
    chosen = np.zeros(50, dtype=bool)
    chosen[2:12] = True
    assert false_negative_rate(truth, chosen) == 0.2
    assert false_positive_rate(truth, chosen) == 0.05
    assert np.isnan(false_positive_rate(truth[:10], chosen[:10]))
    assert np.isnan(false_negative_rate(truth[10:], chosen[10:]))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_rates_of_the_complement_change_places(pairs: list[tuple[bool, bool]]) -> None:
    truth, chosen = np.array(pairs).T
    np.testing.assert_equal(false_positive_rate(truth, chosen), false_negative_rate(~truth, ~chosen))


def test_many_clusters_need_no_table() -> None:
    labels = np.arange(60_000)  # a dense table would take 29 GB
    assert pairwise_f_score(labels, labels[::-1]) == 1
    assert clustering_error_rate(labels, np.zeros(60_000)) == 1
    # log n, a sum of equal terms.
    assert variation_of_information(labels, np.zeros(60_000)) == pytest.approx(np.log(60_000), rel=1e-12)
    assert misclassification_error(labels, labels // 2, matching="many-to-one") == 0.5
    assert mixed_class_nodes(labels, labels // 2) == (30_000, 60_000)


@pytest.mark.parametrize("measure", [*OF_TWO, mixed_class_nodes, pairwise_scores], ids=lambda f: f.__name__)
def test_bad_labels(measure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="of one length; got 2 and 3 labels"):
        measure([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"labels_true must be a vector of .* label; got shape \(0,\)"):
        measure([], [])
    with pytest.raises(ValueError, match=r"labels_pred must be a vector .* got shape \(2, 1\)"):
        measure([0, 1], [[0], [1]])
    with pytest.raises(ValueError, match=r"labels_pred must hold whole numbers; got 0\.5"):
        measure([0, 1], [0.5, 1])
    with pytest.raises(ValueError, match="whole numbers; got nan"):
        measure([np.nan, 1], [0, 1])
    with pytest.raises(ValueError, match="labels_true has missing labels"):
        measure(np.array(["a", None], dtype=object), [0, 1])
    with pytest.raises(TypeError, match="got dtype complex128"):
        measure([0j, 1], [0, 1])


def test_other_bad_input() -> None:
    with pytest.raises(ValueError, match="boolean masks"):
        false_positive_rate([1, 0], [True, False])
    with pytest.raises(ValueError, match=r"'matching' parameter .* 'many-to-one'.*Got 'best'"):
        misclassification_error([0, 1], [0, 1], matching="best")
    with pytest.raises(ValueError, match="groups must have one entry per label, 2; got 3"):
        mixed_class_nodes([0, 1], [0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="labels must have one entry per row of X, 3; got 2"):
        dunn_index(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="X contains NaN"):
        dunn_index([[np.nan], [1]], [0, 1])


@pytest.mark.parametrize("name", metrics.__all__)
def test_docstrings_follow_numpydoc(name: str) -> None:
    from numpydoc.validate import validate

    from tests.docs.test_docs import CHECKS

    errors = [error for error in validate(f"sparsek.metrics.{name}")["errors"] if error[0] in CHECKS]
    assert errors == []


def test_many_to_one_counts_the_worse_side() -> None:
    # Sparse k-means on the 63 samples of SRBCT; the paper prints 0.349 = 22/63.
    table = np.array([[11, 5, 1, 6], [0, 4, 0, 4], [0, 4, 1, 7], [0, 1, 19, 0]])
    classes, clusters = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    assert misclassification_error(classes, clusters, matching="many-to-one") == 22 / 63
    assert table.max(axis=0).sum() == 63 - 21  # each cluster its commonest class
    assert table.max(axis=1).sum() == 63 - 22  # each class its commonest cluster


def test_agreement_chooses_the_number_of_clusters_in_a_pipeline():
    X = np.random.default_rng(0).normal(size=(90, 6))
    X[:30, :2] += 8
    X[30:60, 1:3] += 8
    model = make_pipeline(StandardScaler(), SKFR(2, 3, n_init=3, random_state=0, standardize=True))
    folds = ShuffleSplit(3, test_size=0.5, random_state=0)
    search = GridSearchCV(model, {"skfr__n_clusters": [2, 3, 5]}, scoring=metrics.agreement_score, cv=folds)
    assert search.fit(X).best_params_ == {"skfr__n_clusters": 3}
    fitted = model.set_params(skfr__n_clusters=3).fit(X[::2])
    assert metrics.agreement_score(fitted, X[1::2]) == 1
    assert metrics.agreement_score(fitted, X[1::2], np.arange(45) // 15) == 1
