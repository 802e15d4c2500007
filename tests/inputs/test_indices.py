"""Two objects of pandas with an index: brought into one order, or refused, by one rule everywhere."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sparsek import (
    SKFR,
    KPod,
    ModelChoice,
    SparseKMeans,
    compare,
    explain,
    inference,
    metrics,
    plots,
    skfr_path,
)
from sparsek.federated import Site
from sparsek.inputs.indices import aligned

N = 40
RNG = np.random.default_rng(0)
LABELS = np.arange(N) % 2
VALUES = RNG.normal(size=(N, 4)) + 4 * LABELS[:, None] * [1, 1, 0, 0]
FRAME = pd.DataFrame(VALUES, columns=list("abcd"), index=[f"row {i}" for i in range(N)])
ORDER = RNG.permutation(N)
WEIGHTS = pd.Series(RNG.integers(1, 5, N), index=FRAME.index)
BATCH = pd.Series(np.where(np.arange(N) < 13, "one", "two"), index=FRAME.index)
TRUTH = pd.Series(LABELS, index=FRAME.index)


def others(index: Any) -> pd.Series:
    """Labels with another index."""
    return pd.Series(LABELS, index=index)


@pytest.mark.parametrize("index", [FRAME.index, range(N), range(1, N + 1), range(5, N + 5), [0] * N])
def test_equal_indices_are_taken_as_they_are(index: Any) -> None:
    given, frame = others(index), pd.DataFrame(VALUES, index=index)
    assert aligned(given, frame, "labels") is given
    assert aligned(given.to_numpy(), frame, "labels") is not given
    assert aligned(given, VALUES, "labels") is given


def test_an_index_that_counts_the_rows_names_nothing() -> None:
    given = others(range(N))
    assert aligned(given, FRAME, "labels") is given
    assert aligned(TRUTH, FRAME.reset_index(drop=True), "labels") is TRUTH


@pytest.mark.parametrize(
    "index", [FRAME.index, range(N), np.arange(N) * 0.5, pd.date_range("2020", periods=N)]
)
def test_another_order_is_brought_into_that_of_the_rows(index: Any) -> None:
    given, frame = others(index), pd.DataFrame(VALUES, index=index)
    assert_array_equal(aligned(given.iloc[ORDER], frame, "labels"), LABELS)
    assert_array_equal(aligned(given, frame.iloc[ORDER], "labels"), LABELS[ORDER])


def test_an_index_of_several_levels_and_a_table() -> None:
    index = pd.MultiIndex.from_product([range(4), range(10)])
    frame = pd.DataFrame(VALUES, index=index)
    assert_array_equal(aligned(frame.iloc[ORDER], frame, "weights"), VALUES)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (
            [f"row {i + 1}" for i in range(N)],
            "1 labels of X, the first 'row 0', are not in the index of labels",
        ),
        (range(7, 7 + N), "40 labels of X, the first 'row 0', are not in"),
        (["row 1", *FRAME.index[1:]], "label 'row 1' is there twice in the index of labels, and the orders"),
    ],
)
def test_indices_that_do_not_belong_to_each_other(index: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        aligned(others(index), FRAME, "labels")
    assert "pass labels.to_numpy() where its entries are in this order" in str(error.value)
    with pytest.raises(ValueError, match="labels and X have indices that do not belong to each other"):
        explain(FRAME, others(index))


def test_another_length_is_left_to_the_check_of_lengths() -> None:
    with pytest.raises(ValueError, match="one entry per row of X"):
        SKFR(2, 2, random_state=0).fit(FRAME, sample_weight=WEIGHTS.iloc[1:])


@pytest.mark.parametrize(
    "model", [SKFR(2, 2, n_init=2, random_state=0), SparseKMeans(2, l1_bound=1.4, random_state=0)]
)
def test_weights_and_batches_of_fits_and_of_new_rows(model: Any) -> None:
    fit = model.fit(FRAME, sample_weight=WEIGHTS, batch=BATCH)
    labels, score = fit.labels_, fit.score(FRAME, None, WEIGHTS, BATCH)
    predicted, distances = fit.predict(FRAME, BATCH), fit.transform(FRAME, batch=BATCH)
    within = fit.within_batches(FRAME, BATCH)
    weights, batch = WEIGHTS.iloc[ORDER], BATCH.iloc[ORDER]
    again = model.fit(FRAME, None, weights, batch)
    assert_array_equal(again.labels_, labels)
    assert_array_equal(again._fit_weights, WEIGHTS)
    assert again.score(FRAME, sample_weight=weights, batch=batch) == score
    assert_array_equal(again.predict(FRAME, batch), predicted)
    assert_array_equal(again.transform(FRAME, batch), distances)
    assert_array_equal(again.within_batches(FRAME, batch), within)
    assert_array_equal(model.fit_predict(FRAME, None, weights, batch), labels)
    with pytest.raises(ValueError, match="sample_weight and X have indices that do not belong"):
        model.fit(FRAME, sample_weight=others(range(3, N + 3)))
    with pytest.raises(ValueError, match="batch and X have indices that do not belong"):
        again.predict(FRAME, batch=others(range(3, N + 3)))


def test_starts_that_are_labels() -> None:
    given = TRUTH.iloc[ORDER]
    fit = KPod(2, init=given).fit(FRAME)
    assert fit.init is given
    assert_array_equal(fit.labels_, LABELS)


def test_searches() -> None:
    search = ModelChoice(SKFR(2, n_init=2, random_state=0), {"n_features_to_select": [1, 2]}, random_state=0)
    found = search.fit(FRAME, sample_weight=WEIGHTS).results_
    again = search.fit(FRAME, sample_weight=WEIGHTS.iloc[ORDER]).results_
    pd.testing.assert_frame_equal(again, found)


def test_labels_that_are_explained() -> None:
    found = explain(FRAME, TRUTH, sample_weight=WEIGHTS).to_frame()
    again = explain(FRAME, TRUTH.iloc[ORDER], sample_weight=WEIGHTS.sort_values()).to_frame()
    pd.testing.assert_frame_equal(again, found)
    turned = explain(FRAME.iloc[ORDER], TRUTH, n_resamples=0)
    assert_array_equal(turned.labels_, LABELS[ORDER])


def test_metrics() -> None:
    other = TRUTH.iloc[ORDER]
    assert metrics.misclassification_error(TRUTH, other) == 0
    assert metrics.clustering_error_rate(TRUTH, other) == 0
    assert metrics.mixed_class_nodes(TRUTH, other, other) == metrics.mixed_class_nodes(LABELS, LABELS, LABELS)
    assert metrics.dunn_index(FRAME, other) == metrics.dunn_index(VALUES, LABELS)
    assert_array_equal(compare.match_labels(other, TRUTH), LABELS)
    model = SKFR(2, 2, random_state=0).fit(FRAME)
    assert metrics.agreement_score(model, FRAME, other) == 1
    some = pd.Series([True, True, False, False], index=FRAME.columns)
    assert metrics.false_positive_rate(some, some[::-1]) == metrics.false_negative_rate(some, some[::-1]) == 0
    with pytest.raises(ValueError, match="labels_pred and labels_true have indices that do not belong"):
        metrics.misclassification_error(TRUTH, others(range(3, N + 3)))


def test_tests_paths_and_sites() -> None:
    other = TRUTH.iloc[ORDER]
    pd.testing.assert_frame_equal(
        inference.check_assumptions(FRAME, other), inference.check_assumptions(VALUES, LABELS)
    )
    base = SKFR(2, n_init=2, random_state=0)
    weighted = skfr_path(base, FRAME, [1, 2], sample_weight=WEIGHTS.iloc[ORDER])
    assert_array_equal(weighted.explained, skfr_path(base, VALUES, [1, 2], sample_weight=WEIGHTS).explained)
    assert_array_equal(Site(FRAME, sample_weight=WEIGHTS.iloc[ORDER])._weights, WEIGHTS)


def test_plots() -> None:
    for draw in (lambda labels: plots.plot_heatmap(FRAME, labels), lambda y: plots.plot_clusters(y, FRAME)):
        pictures = []
        for labels in (TRUTH, TRUTH.iloc[ORDER]):
            ax = draw(labels)
            ax.figure.canvas.draw()
            pictures.append(np.asarray(ax.figure.canvas.buffer_rgba()))
            plt.close(ax.figure)
        assert_array_equal(*pictures)
        with pytest.raises(ValueError, match="labels and X have indices that do not belong"):
            draw(others(range(3, N + 3)))


GROUPS = pd.Series(["u", "u", "v", "v"], index=FRAME.columns)


def test_what_has_an_entry_for_each_feature() -> None:
    turned = GROUPS.iloc[[2, 0, 3, 1]]
    fit = SKFR(2, 1, groups=turned, random_state=0).fit(FRAME)
    assert_array_equal(fit.get_support(), [True, True, False, False])
    never = pd.Series([True, False, False, False], index=list("cabd"))
    assert not SKFR(2, 2, never=never, random_state=0).fit(FRAME).get_support()[2]
    scale = pd.Series([1.0, 2.0, 3.0, 4.0], index=list("dcba"))
    scaled = SKFR(2, 2, standardize=scale, random_state=0).fit(FRAME)
    assert_array_equal(scaled.scaling_.divisors, [4, 3, 2, 1])
    explained = explain(FRAME, TRUTH, 1, groups=turned).to_frame()
    assert explained.loc[explained["selected"], "feature"].tolist() == ["b", "a"]
    pd.testing.assert_frame_equal(explained, explain(FRAME, TRUTH, 1, groups=GROUPS).to_frame())
    with pytest.raises(ValueError, match="groups and the columns of X have indices that do not belong"):
        SKFR(2, 1, groups=turned.set_axis(list("abce")), random_state=0).fit(FRAME)
