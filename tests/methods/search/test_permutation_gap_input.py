"""PermutationGap: pipelines, data frames, arguments passed to the estimator, bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import PermutationGap, SparseAgglomerativeClustering, SparseKMeans
from tests.methods.search.test_permutation_gap import BOUNDS, X, search


def test_pipeline_standardises_and_is_searched_by_its_step():
    pipeline = make_pipeline(StandardScaler(), SparseKMeans(2, n_init=3, standardize=False))
    model = PermutationGap(pipeline, "sparsekmeans__l1_bound", BOUNDS, n_permutations=4, random_state=3)
    model.fit(X * [1, 10, 100, 1, 1, 1])
    plain = search().fit(StandardScaler().fit_transform(X))
    # Shuffling and standardising commute up to the rounding of means.
    np.testing.assert_allclose(model.gap_, plain.gap_, atol=1e-10)
    assert model.best_params_.keys() == {"sparsekmeans__l1_bound"}
    np.testing.assert_array_equal(model.get_support(), plain.get_support())
    assert model.best_estimator_[-1].random_state == plain.best_estimator_.random_state
    default = PermutationGap(
        pipeline.set_params(sparsekmeans__n_init=1), "sparsekmeans__l1_bound", n_permutations=2
    ).fit(X)
    assert len(default.param_range_) == 10


def test_inside_a_pipeline_with_named_columns():
    frame = load_iris(as_frame=True).data
    model = make_pipeline(StandardScaler(), search()).set_output(transform="pandas").fit(frame)
    distances = model.transform(frame)
    assert isinstance(distances, pd.DataFrame)
    assert list(distances) == ["sparsekmeans0", "sparsekmeans1"]
    assert model[-1].feature_names_in_.tolist() == frame.columns.tolist()
    assert model[-1].best_estimator_.feature_names_in_.tolist() == frame.columns.tolist()


def test_input_is_not_changed_and_may_be_read_only():
    data = np.asfortranarray(X)
    data.setflags(write=False)
    np.testing.assert_array_equal(search().fit(data).gap_, search().fit(X).gap_)
    assert search().fit(X.astype(np.float32)).transform(X.astype(np.float32)).dtype == np.float32


def test_without_refit_there_is_no_best_estimator():
    model = search(refit=False).fit(X)
    assert not hasattr(model, "best_estimator_")
    assert model.best_params_ == search().fit(X).best_params_
    for method in ("predict", "transform", "fit_transform", "get_support", "get_feature_names_out"):
        assert not hasattr(model, method)
    assert not hasattr(model, "labels_")
    with pytest.raises(AttributeError, match="has no attribute 'predict'"):
        model.predict(X)


def test_an_estimator_without_predict_and_seed():
    model = PermutationGap(SparseAgglomerativeClustering(2), "l1_bound", BOUNDS, n_permutations=3).fit(X)
    fits = [SparseAgglomerativeClustering(2, l1_bound=s).fit(X) for s in BOUNDS]
    np.testing.assert_array_equal(model.objectives_, [-fit.objective_ for fit in fits])
    assert not hasattr(model, "predict")
    np.testing.assert_array_equal(model.labels_, fits[model.best_index_].labels_)


def test_methods_are_those_of_the_estimator():
    kmeans = PermutationGap(KMeans(2), "n_clusters", [2, 3])
    assert hasattr(kmeans, "predict")
    assert not hasattr(kmeans, "get_support")
    with pytest.raises(NotFittedError):
        kmeans.predict(X)
    inverse = PermutationGap(
        KMeans(2, n_init=1), "n_clusters", [2, 3], objective=lambda fit: 1 / fit.inertia_, n_permutations=2
    ).fit(X)
    assert inverse.n_selected_.tolist() == [6, 6]  # without a selection, all features
    assert len(inverse.predict(X)) == len(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"param_name": "bound"}, ValueError, "param_name must be a parameter.*l1_bound.*got 'bound'"),
        ({"param_name": "max_iter", "param_range": None}, ValueError, "for an l1_bound only"),
        ({"param_range": []}, ValueError, "at least one value"),
        ({"param_range": [1.2, np.nan]}, ValueError, "only finite ones"),
        ({"param_range": [1.2, np.inf]}, ValueError, "only finite ones"),
        ({"param_range": ["1.2"]}, TypeError, "must hold numbers; got '1.2'"),
        ({"param_range": [True]}, TypeError, "must hold numbers; got True"),
        ({"param_range": 1.2}, TypeError, r"'param_range' parameter of .* Got 1\.2 instead"),
        ({"param_range": np.array(1.2)}, TypeError, r"must be a sequence of numbers; got array\(1.2\)"),
        ({"param_range": np.ones((2, 2))}, TypeError, "must hold numbers"),
        ({"param_range": "1.2"}, TypeError, "'param_range' parameter of"),
        ({"param_range": [0.5]}, ValueError, "'l1_bound' parameter of .* Got 0.5 instead"),
        ({"n_permutations": 1}, ValueError, "'n_permutations' parameter of .* Got 1 instead"),
        ({"n_permutations": 2.5}, TypeError, "'n_permutations' parameter of .* Got 2.5 instead"),
        ({"rule": "min"}, ValueError, "'rule' parameter of .* Got 'min' instead"),
        ({"n_jobs": 1.5}, TypeError, "'n_jobs' parameter of"),
        ({"n_jobs": 0}, ValueError, "'n_jobs' parameter of"),
        ({"objective": "inertia_"}, TypeError, "'objective' parameter of"),
        ({"objective": lambda fit: 0.0}, ValueError, "must be a positive number.*got 0.0 at l1_bound=1.2"),
        ({"objective": lambda fit: fit.objective_}, ValueError, "must be a positive number"),
        ({"objective": lambda fit: "a"}, ValueError, "must be a positive number.*got 'a'"),
        ({"objective": lambda fit: np.nan}, ValueError, "must be a positive number.*got nan"),
        ({"estimator": KMeans(2), "param_name": "n_clusters", "param_range": [2]}, TypeError,
         "KMeans has no gap_objective_.*give objective"),
        ({"estimator": SparseKMeans(1)}, ValueError, "use at least two clusters"),
        ({"random_state": "a"}, ValueError, "'random_state' parameter of"),
        ({"param_name": ()}, ValueError, "'param_name' parameter of"),
        ({"param_name": ("l1_bound", "l1_bound")}, ValueError, "'param_name' parameter of"),
        ({"param_name": ("l1_bound", "bound")}, ValueError, "got 'bound'"),
        ({"param_name": ("n_clusters", "l1_bound")}, ValueError, "one sequence of values for each of"),
        ({"param_name": ("n_clusters", "l1_bound"), "param_range": None}, ValueError, "for each of"),
        ({"param_name": ("n_clusters", "l1_bound"), "param_range": ([2], 1.2)}, TypeError,
         "must be a sequence of numbers; got 1.2"),
        ({"param_name": ("n_clusters", "l1_bound"), "param_range": ([1, 2], [1.2])}, ValueError,
         "at n_clusters=1, l1_bound=1.2: use at least two clusters"),
    ],
)  # fmt: skip
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        search().set_params(**options).fit(X)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (np.where(X > 2, np.nan, X), ValueError, "contains NaN"),
        (np.where(X > 2, np.inf, X), ValueError, "contains infinity"),
        (X[:1], ValueError, "n_samples=1"),
        (X[0], ValueError, "Expected 2D array"),
        (np.ones((10, 4)), ValueError, "data that are not constant"),
    ],
)
def test_bad_data(data, error, message):
    with pytest.raises(error, match=message):
        search().fit(data)
