"""StabilitySelection: every estimator that selects, pipelines, data frames, missing values, y, bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel, VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sparsek import (
    IFPCA,
    SKFR,
    PCSparseKMeans,
    PermutationGap,
    RobustSparseKMeans,
    SparseAgglomerativeClustering,
    SparseKernelKMeans,
    SparseKMeans,
    SparseMinMaxKMeans,
    StabilitySelection,
    WeightedRobustSparseKMeans,
)
from tests.methods.search.test_stability import Largest, X, planted, selection


@pytest.mark.filterwarnings("ignore")  # small data: searches of few p-values, lost clusters
@pytest.mark.parametrize(
    "estimator",
    [
        SKFR(2, 3, n_init=2, scope="local"),
        SparseKMeans(2, l1_bound=1.4, n_init=2),
        SparseMinMaxKMeans(2, n_init=2),
        RobustSparseKMeans(2, l1_bound=1.4, n_init=2),
        WeightedRobustSparseKMeans(2, n_init=2),
        SparseAgglomerativeClustering(2, l1_bound=1.4),
        SparseKernelKMeans(2, n_init=2),
        PCSparseKMeans(2, l1_bound=1.4, n_init=2),
        IFPCA(2, cache=False, n_null=400),
        PermutationGap(SKFR(2, n_init=2), "n_features_to_select", [2, 4], n_permutations=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_estimator_that_selects(estimator):
    model = StabilitySelection(estimator, n_resamples=4, random_state=0).fit(planted(shift=6.0))
    assert model.get_support()[:2].all()
    assert (model.path_frequencies_.sum() <= 8) & (model.path_frequencies_.max() == 1)


def test_pipeline_with_selectors_counts_the_features_of_the_input():
    data = np.insert(X * 100, 1, 7.0, axis=1)  # a constant column
    inner = make_pipeline(VarianceThreshold(), StandardScaler(), SKFR(2, 2, n_init=2))
    model = StabilitySelection(inner, "skfr__n_features_to_select", [2], n_resamples=4, random_state=0)
    model.fit(data)
    assert model.get_support(indices=True).tolist() == [0, 2]
    assert model.selection_frequencies_[1] == 0
    new = make_pipeline(PCA(3), SKFR(2, 2, n_init=2))
    with pytest.raises(ValueError, match="selects among 3 features, not the 8 of X"):
        StabilitySelection(new, n_resamples=2).fit(X)


def test_inside_a_pipeline_with_named_columns():
    frame = pd.DataFrame(planted(shift=6.0)).add_prefix("gene_")
    model = make_pipeline(
        StandardScaler(), selection(param_range=[1, 2]), SKFR(2, 1, n_init=2, random_state=0)
    )
    model.set_output(transform="pandas").fit(frame)
    assert model[:2].transform(frame).columns.tolist() == ["gene_0", "gene_1"]
    assert model[-1].feature_names_in_.tolist() == ["gene_0", "gene_1"]
    features = model[1].summary(3).features
    assert features["feature"].tolist()[:2] == ["gene_0", "gene_1"]


def test_missing_values_where_the_estimator_takes_them():
    data = planted(shift=6.0)
    data[::7, 3] = np.nan
    model = selection(param_range=[1, 2]).fit(data)
    assert model.get_support(indices=True).tolist() == [0, 1]
    assert np.isnan(model.inverse_transform(model.transform(data))).sum() == 0
    with pytest.raises(ValueError, match="contains NaN"):
        StabilitySelection(SparseKMeans(2)).fit(data)


def test_y_goes_with_its_rows():
    y = np.arange(40) >= 20
    Largest.seen.clear()
    StabilitySelection(Largest(), n_resamples=2, random_state=0).fit(np.arange(40.0)[:, None], y)
    for _, rows, labels in Largest.seen:
        np.testing.assert_array_equal(labels, rows[:, 0] >= 20)
    lasso = SelectFromModel(LinearSVC(penalty="l1", C=0.1, dual=False, random_state=0))
    model = StabilitySelection(lasso, "estimator__C", [0.05, 0.1], n_resamples=10, random_state=0)
    assert model.fit(planted(shift=6.0), y).get_support(indices=True).tolist() == [0, 1]
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[1:])


def test_input_is_not_changed_and_may_be_read_only():
    data = np.asfortranarray(X)
    data.setflags(write=False)
    np.testing.assert_array_equal(
        selection().fit(data).path_frequencies_, selection().fit(X).path_frequencies_
    )
    model = selection()
    assert model.fit(X.astype(np.float32)).transform(X.astype(np.float32)).dtype == np.float32
    assert not hasattr(model.estimator, "labels_")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"param_name": "sparsity"}, ValueError, "param_name must be a parameter.*got 'sparsity'"),
        ({"param_name": None}, ValueError, r"param_range=\[1, 2, 4\] are values of no parameter"),
        ({"param_range": None}, ValueError, "has values for an l1_bound only"),
        ({"param_range": []}, ValueError, "at least one value"),
        ({"param_range": ["1"]}, TypeError, "must hold numbers; got '1'"),
        ({"n_resamples": 1}, ValueError, "'n_resamples' parameter of .* Got 1 instead"),
        ({"n_resamples": 2.5}, TypeError, "'n_resamples' parameter of .* Got 2.5 instead"),
        ({"n_resamples": 5, "complementary_pairs": True}, ValueError, "n_resamples must be even.*got 5"),
        ({"complementary_pairs": "yes"}, TypeError, "'complementary_pairs' parameter of"),
        ({"sample_fraction": 0}, ValueError, "'sample_fraction' parameter of"),
        ({"sample_fraction": 0.7}, ValueError, r"'sample_fraction' parameter of .* Got 0\.7 instead"),
        ({"sample_fraction": "half"}, TypeError, "'sample_fraction' parameter of"),
        ({"sample_fraction": 0.01}, ValueError, "sample_fraction=0.01 of n_samples=40 leaves no rows"),
        ({"sample_fraction": 0.03}, ValueError, "n_samples=1"),  # two clusters of one row
        ({"threshold": 0.5}, ValueError, "'threshold' parameter of"),
        ({"threshold": 1.1}, ValueError, r"'threshold' parameter of .* Got 1\.1 instead"),
        ({"threshold": "0.6"}, TypeError, "'threshold' parameter of"),
        ({"threshold": np.nan}, ValueError, "'threshold' parameter of"),
        ({"expected_false": 0}, ValueError, "'expected_false' parameter of"),
        ({"expected_false": -1}, ValueError, "'expected_false' parameter of"),
        ({"param_name": None, "param_range": None, "threshold": 0.6, "expected_false": 1}, ValueError,
         "give param_name and param_range to choose from, or threshold=None"),
        ({"n_jobs": 1.5}, TypeError, "'n_jobs' parameter of"),
        ({"n_jobs": 0}, ValueError, "'n_jobs' parameter of"),
        ({"estimator": KMeans(2)}, TypeError, "KMeans has no get_support"),
        ({"estimator": SKFR(50)}, ValueError, "at least n_clusters=50"),
        ({"random_state": "a"}, ValueError, "'random_state' parameter of"),
    ],
)  # fmt: skip
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        selection().set_params(**options).fit(X)


def test_sparse_columns_with_another_fill_value_are_transformed():
    data = planted(shift=6.0)
    data[:, 2] = 4.0
    frame = pd.DataFrame(data).astype(pd.SparseDtype(float, 4.0))
    frame.columns = [f"gene_{j}" for j in range(data.shape[1])]
    model = StabilitySelection(SKFR(2, 3, n_init=2), n_resamples=4, random_state=0).fit(frame)
    assert np.array_equal(model.transform(frame), data[:, model.get_support()])
    named = model.set_output(transform="pandas").transform(frame)
    assert named.columns.tolist() == frame.columns[model.get_support()].tolist()


def test_columns_of_the_largest_numbers_are_taken_without_a_warning() -> None:
    data = np.random.default_rng(0).normal(size=(20, 3))
    search = StabilitySelection(SKFR(2, 3, n_init=2), n_resamples=4, random_state=0).fit(data)
    largest = np.full((4, 3), np.finfo(float).max) * [[1], [-1], [1], [-1]]
    assert np.array_equal(search.transform(largest), largest[:, search.get_support()])
