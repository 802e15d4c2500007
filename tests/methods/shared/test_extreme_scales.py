"""Data multiplied by powers of two, at the ends of the floating-point range, with huge entries and columns.

A multiplication by a power of two is exact, so that every estimator must give the same labels, and results in
units of the data that are multiplied in the same way.
"""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import sparsek
from sparsek import SparseKMeans
from sparsek.errors import PrecisionWarning
from sparsek.inputs.validation import check_array
from tests.variants import FIRST, VARIANTS, first_in_short, make

FORMS = [
    "SKFR(missing='mm')",
    "SKFR(loss='absolute')",
    "SKFR(projection='nonnegative')",
    "SKFR(standardize=False)",
    "SKFR(winsorize=2.0)",
    "KPod()",
    "MinMaxKMeans(refine=True)",
    "GeometricKMedians(init='robin')",
    "WeightedRobustSparseKMeans(init='k-means++')",
    "SpectralGEM(standardize=False)",
]
UNITS_IN_PARAMETERS = {
    "SparseMinMaxKMeans(n_init=2)": "the tolerance of the released code is in units of X",
    "MinMaxKMeans(variant='r', n_init=2)": "the tolerance of the released code is in units of X",
    "MADDKMeans(variant='gmadd', version=2)": "1 - exp(-|x - y|) is no distance in units of X",
    "KernelKMeans(kernel='polynomial', coef0=1.0, n_init=2)": "coef0 is in squared units of X",
    "SparseKernelKMeans(kernel='gaussian', width=1e-3, n_init=2)": "width is in squared units of X",
}
(DEC,) = [text for text in VARIANTS if text.startswith("DEC(")]
FREE = [text for text in VARIANTS + FORMS if text not in UNITS_IN_PARAMETERS]


NO_SEARCHES = [text for text in FREE if not hasattr(make(text), "estimator")]
"""Searches have the labels of what they fit."""

draw = np.random.default_rng(3)
X = draw.normal(size=(30, 6))
X[:10, :3] += 4
X[10:20, 1:3] -= 4
X = np.round(X * 64) / 64  # 10 bits: multiples by powers of two are exact among subnormal numbers too

LARGEST = np.finfo(float).max


def made(text):
    """The estimator of a text, with three clusters and a seed; what a search fits has one start."""
    model = make(text)
    for part in (model, getattr(model, "estimator", None)):
        known = part.get_params() if part is not None else {}
        chosen = {"n_clusters": 3, "random_state": 0, "n_init": 3 if part is model else 1}
        chosen = {name: value for name, value in chosen.items() if name in known}
        part = part.set_params(**chosen) if part is not None else None
    return model


def outcome(text, data):
    """What a fitted estimator says of the data, or the error; numpy's RuntimeWarnings are errors."""
    model = made(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model.fit(data)
        except ValueError as error:
            return error
        found = {name: value for name, value in vars(model).items() if name.endswith("_")}
        for method in ("predict", "transform", "score", "summary"):
            if hasattr(model, method):
                found[method] = getattr(model, method)(*([] if method == "summary" else [data]))
        str(found.get("summary"))
    return found


@cache
def outcome_of_x(text):
    """The same of the data as they are."""
    return outcome(text, X)


def equal_labels(first, second):
    """Whether labels, consensus or selections agree; a clear error of the second counts."""
    if isinstance(second, ValueError):
        return any(word in str(second) for word in ("overflow", "lost", "extreme scale"))
    return np.array_equal(first["labels_"], second["labels_"]) if "labels_" in first else True


@pytest.mark.parametrize("text", first_in_short(NO_SEARCHES))
def test_labels_do_not_depend_on_a_power_of_two(text):
    base = outcome_of_x(text)
    for exponent in (301, 1018, -1060):
        assert equal_labels(base, outcome(text, np.ldexp(X, exponent))), exponent


@pytest.mark.thorough
@pytest.mark.parametrize("text", [text for text in FREE if text in FIRST])
def test_labels_of_single_precision_do_not_depend_on_a_power_of_two(text):
    single = X.astype(np.float32)
    base = outcome(text, single)
    for exponent in (123, -140):
        assert equal_labels(base, outcome(text, np.ldexp(single, exponent))), exponent


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "powers"),
    [
        (
            "SparseKMeans(standardize=False)",
            {"cluster_centers_": 1, "inertia_": 2, "objective_": 2, "feature_weights_": 0},
        ),
        ("SKFR(standardize=False)", {"standardized_centers_": 1, "cluster_centers_": 1, "tss_": 2}),
        (
            "SKFR(standardize=True)",
            {"standardized_centers_": 0, "cluster_centers_": 1, "tss_": 0, "transform": 0},
        ),
        ("KPod()", {"cluster_centers_": 1, "inertia_": 2, "transform": 1}),
        ("GeometricKMedians()", {"cluster_centers_": 1, "inertia_": 1, "criterion_history_": 1}),
        ("MinMaxKMeans(n_init=2)", {"scatter_": 2, "cluster_weights_": 0, "score": 2}),
        ("EntropyWeightedKMeans()", {"gamma_": 2, "objective_": 2, "transform": 1}),
        ("MADDKMeans(n_init=2)", {"dissimilarity_matrix_": 1, "objective_": 2}),
        ("MPCKMeans()", {"feature_weights_": -2, "cluster_centers_": 1, "transform": 0}),
        ("RobustSparseKMeans()", {"cluster_centers_": 1, "objective_": 2, "transform": 1}),
        (DEC, {"scale_": 1, "embedding_": 0, "cluster_centers_": 0, "objective_": 0, "transform": 0}),
    ],
)
@pytest.mark.parametrize("exponent", [-30, 505, -1060])  # as it is, squares overflow, subnormal numbers
def test_results_in_units_are_scaled_exactly(text, powers, exponent):
    base, scaled = outcome_of_x(text), outcome(text, np.ldexp(X, exponent))
    for name, power in powers.items():
        with np.errstate(over="ignore"):
            expected = np.ldexp(np.asarray(base[name], dtype=float), power * exponent)
        np.testing.assert_array_equal(scaled[name], expected, err_msg=name)


@pytest.mark.engines
@pytest.mark.parametrize("n", [40, 6000])
def test_bounds_of_distances_have_no_units(n):
    """They are kept in single precision, which overflows where squares in double precision do not."""
    rows = np.random.default_rng(0).normal(size=(n, 8))
    base, *others = (
        SparseKMeans(5, l1_bound=2.0, n_init=1, random_state=0, standardize=False).fit(
            np.ldexp(rows, exponent)
        )
        for exponent in (0, -200, -140, 135)
    )
    for other in others:
        assert np.array_equal(other.labels_, base.labels_)
        assert other.n_iter_ == base.n_iter_


def extreme_inputs():
    """Data by name: huge and tiny columns and entries, offsets, constants."""
    inputs = {"largest": X / np.abs(X).max() * LARGEST, "subnormal": np.round(X) * 5e-324}
    for factor in (1e154, 1e-300):
        inputs[f"column {factor}"] = X * np.where(np.arange(6) == 4, factor, 1)
    for value in (1e11, -1e154, LARGEST):
        inputs[f"entry {value}"] = with_entries({(5, 4): value})
    inputs["entries at both ends"] = with_entries({(5, 4): LARGEST, (6, 4): -LARGEST})
    inputs["entries in two columns"] = with_entries({(5, 4): LARGEST, (6, 3): -LARGEST})
    inputs["offset"] = X + 1e15
    inputs["constant column"] = X * (np.arange(6) != 2) + LARGEST * (np.arange(6) == 2)
    inputs["equal rows"] = np.full((30, 6), LARGEST)
    inputs["ten huge rows"] = X * np.where(np.arange(30) < 10, 1e160, 1)[:, None]
    return inputs


def with_entries(entries):
    """The data with some entries replaced."""
    data = X.copy()
    for place, value in entries.items():
        data[place] = value
    return data


@pytest.mark.parametrize("text", first_in_short(VARIANTS + FORMS))
def test_extreme_inputs_give_results_or_a_clear_error_and_no_warning_of_numpy(text):
    # Every third input, and every fifth for the other variants and for searches, which fit such estimators.
    few = text not in FIRST or "MinMax" in text
    for name, data in list(extreme_inputs().items())[(VARIANTS + FORMS).index(text) % 3 :: 5 if few else 3]:
        found = outcome(text, data)
        if isinstance(found, ValueError):
            assert any(
                word in str(found)
                for word in ("overflow", "scale", "constant", "distinct", "equal", "exceeds")
            ), (name, found)
            continue
        for attribute in ("cluster_centers_", "feature_weights_", "embedding_", "transform", "inertia_"):
            value = found.get(attribute)
            assert value is None or not np.isnan(np.asarray(value, dtype=float)).any(), (name, attribute)
        centers = found.get("cluster_centers_")
        assert centers is None or np.isfinite(centers).all(), name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("SparseKMeans(l1_bound=1.5)", value) for value in (1e11, -1e11, 1e30, 1e154, 1e300, -LARGEST)),
        *(
            (text, value)
            for text in ("SKFR()", "PowerKMeans()", "SpectralGEM()", "DEC()")
            for value in (1e11, 1e300)
        ),
    ],
)
def test_an_entry_that_hides_its_column_is_named(text, value):
    data = pd.DataFrame(with_entries({(5, 4): value}), columns=list("abcdef"))
    model = made(text)
    if text == "DEC()":
        model.set_params(n_components=2, hidden_sizes=(4,), layer_epochs=1, finetune_epochs=1, max_iter=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data)
    (found,) = [entry for entry in caught if issubclass(entry.category, PrecisionWarning)]
    assert f"entry {value:.6g} in row 5, column 4 ('e') lies so far" in str(found.message)
    assert "correct it, leave the row out" in str(found.message)
    assert (found.message.row, found.message.column) == (5, 4)
    assert found.filename == __file__


def precision_warnings(model, data, **options):
    """The messages about precision that a fit gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data, **options)
    return [str(entry.message) for entry in caught if issubclass(entry.category, PrecisionWarning)]


def test_rows_are_counted_in_the_data_of_the_caller_and_codes_of_missing_values_are_counted():
    data = with_entries({(7, 1): 9e20, (8, 1): 9.9e20, (9, 1): 9e20})
    weights = np.arange(30) >= 3
    (message,) = precision_warnings(made("SparseKMeans()"), data, sample_weight=weights.astype(float))
    assert "entry 9.9e+20 in row 8, column 1 (and 2 more of this column) lies" in message
    holes = with_entries({(5, 4): 1e12, (6, 4): np.nan, (7, 0): np.nan})
    (message,) = precision_warnings(made("KPod()"), holes)
    assert "entry 1e+12 in row 5, column 4 lies" in message


def test_a_column_that_hides_others_is_named_where_columns_are_compared():
    data = X * np.where(np.arange(6) == 4, 1e9, 1)
    for text in ("SparseKMeans(standardize=False)", "SKFR(standardize=False)", "MADDKMeans()"):
        (message,) = precision_warnings(made(text), data)
        assert message.startswith("column 4 spans 4.")
        assert "no longer show the differences in 5 other columns: column 0, for example, spans" in message
        assert "standardize the columns, or leave this one out" in message
    for text in ("SKFR()", "MPCKMeans()", "IFPCA()", "PowerKMeans(standardize=True)", "COSA()"):
        assert precision_warnings(made(text), data) == []


def test_a_search_names_the_entry_once_by_its_row_in_the_data():
    data = with_entries({(5, 4): 1e12})
    for search in (
        sparsek.PermutationGap(sparsek.SparseKMeans(2, n_init=1), "l1_bound", [1.5], n_permutations=2),
        sparsek.StabilitySelection(sparsek.SKFR(2, 3, n_init=1), n_resamples=2),
        sparsek.ConsensusClustering(sparsek.SKFR(n_init=1), (2,), n_resamples=3),
    ):
        (message,) = precision_warnings(search.set_params(random_state=0), data)
        assert "entry 1e+12 in row 5, column 4" in message


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ordinary_data_give_no_warning(dtype):
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.05, size=(200, 5)).astype(float)
    for data in (
        rng.normal(size=(300, 5)) * [1e-3, 1, 1e2, 1e3, 1],
        rng.standard_cauchy(size=(300, 5)),
        np.exp(3 * rng.normal(size=(300, 5))),
        counts,
        counts * 1e6 + 1e8,
        np.hstack([rng.normal(size=(50, 3)), np.full((50, 1), 0.1) + 1e-17, np.zeros((50, 1))]),
        np.eye(30),
        X + 1e8 if dtype == np.float64 else X + 1e4,
        np.ldexp(X, 900) if dtype == np.float64 else np.ldexp(X, 100),
    ):
        assert precision_warnings(made("SparseKMeans(l1_bound=1.0)"), data.astype(dtype)) == []


@pytest.mark.parametrize(
    "text", first_in_short(text for text in VARIANTS + FORMS if "variant='gmadd'" not in text)
)
def test_new_rows_too_far_from_those_of_the_fit_are_refused(text):
    model = made(text)
    if text.startswith("DEC") or not hasattr(model, "predict") or hasattr(model, "estimator"):
        return  # DEC refuses large embeddings itself
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (1e160, LARGEST):
            far = X + np.where(np.arange(30) == 8, value, 0)[:, None]
            try:
                assert len(model.predict(far)) == 30
            except ValueError as error:
                refusal = str(error)
                assert "overflow" in refusal
                assert any(part in refusal for part in ("in row 8", "kernel reaches", "kernel's width"))


def test_checks_of_data_give_no_warning_of_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = np.array([[LARGEST, LARGEST], [-LARGEST, -LARGEST]] * 8)
        np.testing.assert_array_equal(check_array(both), both)
