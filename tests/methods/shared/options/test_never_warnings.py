"""Columns of `never` take no part: neither in warnings, nor in the rounding by which starts are compared."""

import warnings

import numpy as np
import pandas as pd
import pytest

from sparsek import (
    SKFR,
    ConsensusClustering,
    FeatureFDR,
    FitUncertainty,
    ModelChoice,
    PermutationGap,
    RobustSparseKMeans,
    SparseKMeans,
    StabilitySelection,
    skfr_path,
)
from sparsek.errors import ColumnWarning, PrecisionWarning, ScaleWarning
from tests.cli.cli_runner import error_of, run

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
X[:30, :2] += 4
FRAME = pd.DataFrame(X, columns=list("abcd"))
WIDE = rng.normal(size=60) * 1e12
FAR = np.where(np.arange(60) == 3, 1e30, rng.normal(size=60))
CLASS = np.arange(60) % 3
OF_DATA = (ColumnWarning, PrecisionWarning, ScaleWarning)
"""Warnings of the columns of the data."""


def warned(call):
    """The warnings of the columns that a call gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [w.category for w in found if issubclass(w.category, OF_DATA)]


MODELS = pytest.mark.parametrize(
    "model",
    [
        SKFR(2, 2, standardize=True),
        SKFR(2, 2, standardize=False),
        SparseKMeans(2, l1_bound=1.3, standardize=False),
        SparseKMeans(2, l1_bound=1.3, standardize=True),
        RobustSparseKMeans(2, l1_bound=1.3),
        RobustSparseKMeans(2, l1_bound=1.3, standardize=False),
    ],
    ids=repr,
)


@MODELS
@pytest.mark.parametrize(("name", "column"), [("class", CLASS), ("wide", WIDE), ("far", FAR)])
def test_no_warning_of_what_takes_no_part(model, name, column):
    data = FRAME.assign(**{name: column})
    model = model.set_params(n_init=2, random_state=0)
    for never in ([name], [4], np.arange(5) == 4):
        fitted = model.set_params(never=never)
        assert warned(lambda fitted=fitted: fitted.fit(data)) == []
    if name != "wide" or not model.standardize:
        assert warned(lambda: model.set_params(never=None).fit(data)) != []
    with pytest.raises(ValueError, match="never names 'q', which is no column of X"):
        warned(lambda: model.set_params(never=["q"]).fit(data))


@pytest.mark.parametrize(
    "model", [SKFR(2, 2, standardize=False), SparseKMeans(2, l1_bound=1.3, standardize=False)], ids=repr
)
def test_groups_and_categories_in_never(model):
    data = FRAME.assign(wide=WIDE)
    model = model.set_params(n_init=2, random_state=0)
    grouped = model.set_params(groups=["x", "x", "y", "y", "z"], never=["z"], n_init=2)
    assert warned(lambda: grouped.fit(data)) == []
    coded = model.set_params(groups=None, never=["wide"])
    assert warned(lambda: coded.fit(data.assign(town=["u", "v"] * 30))) == []


SEARCHES = {
    "PermutationGap": lambda model, data: PermutationGap(
        model, "n_features_to_select", [2, 3], n_permutations=2
    ).fit(data),
    "StabilitySelection": lambda model, data: StabilitySelection(model, n_resamples=4).fit(data),
    "ConsensusClustering": lambda model, data: ConsensusClustering(model, n_resamples=4).fit(data),
    "FeatureFDR": lambda model, data: FeatureFDR(model, n_null=2, fdr=0.5).fit(data),
    "ModelChoice": lambda model, data: ModelChoice(model, {"n_clusters": [2]}).fit(data),
    "FitUncertainty": lambda model, data: FitUncertainty(model, n_resamples=4).fit(data),
    "skfr_path": lambda model, data: skfr_path(model, data, [2, 3]),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_searches_warn_of_nothing_that_takes_no_part(search):
    data = FRAME.assign(**{"class": CLASS, "far": FAR})
    model = SKFR(2, 2, never=["class", "far"], n_init=1, random_state=0, standardize=True)
    assert warned(lambda: search(model, data)) == []


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_searches_under_cosine_ask_for_no_lengths(search):
    long = FRAME.copy()
    long.iloc[5] *= 1e30
    cosine = SKFR(2, 2, loss="cosine", standardize=False, n_init=1, random_state=0)
    assert warned(lambda: search(cosine, long)) == []
    if search is not SEARCHES["skfr_path"]:  # a search of means sees that the row hides the others
        squared = SKFR(2, 2, n_init=1, random_state=0, standardize=True)
        assert PrecisionWarning in warned(lambda: search(squared, long))


@pytest.mark.parametrize("size", [1e9])
@pytest.mark.parametrize(
    "model", [SKFR(5, 3, standardize=False), SparseKMeans(5, l1_bound=1.3, standardize=False)], ids=repr
)
def test_a_huge_column_of_never_decides_nothing(model, size):
    """Starts are compared by sums in whose rounding it would hide their differences."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        data = rng.normal(size=(40, 6))
        data[:, :3] += 1.5 * rng.normal(size=(5, 3))[rng.integers(5, size=40)]
        wider = np.column_stack([data, rng.normal(size=40) * size])
        model = model.set_params(n_init=5, random_state=0)
        plain = model.set_params(never=None).fit(data)
        labels, gap = plain.labels_, plain.gap_objective_
        found = model.set_params(never=[6]).fit(wider)
        np.testing.assert_array_equal(found.labels_, labels)
        assert found.gap_objective_ == pytest.approx(gap, rel=1e-12)  # sums of 40 rows in another order


def test_what_is_scaled_down_with_an_extreme_column_is_told():
    data = np.column_stack([X, WIDE * 1e200])
    model = SKFR(2, 2, never=[4], standardize=False, n_init=1, random_state=0)
    assert warned(lambda: model.fit(data)) == [PrecisionWarning]


def test_commands_take_classes_that_take_no_part(tmp_path):
    FRAME.assign(**{"class": CLASS}).to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "groups.csv").write_text("feature,group\na,x\nb,x\nc,y\nd,y\nclass,z\n")
    file = ["fit", tmp_path / "d.csv", "--k", 2, "--n-init", 1, "--select", 1]
    for options in (["--never", "class"], ["--never", "z", "--groups", tmp_path / "groups.csv"]):
        done = run(*file, *options)
        assert "looks like a class" not in done.output
        assert "few different whole numbers" not in done.output
    assert "column class looks like a class" in error_of(*file)
