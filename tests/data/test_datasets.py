"""Fetchers: what they return; and the real data, if SPARSEK_DATA or ../shared/data has them."""

import inspect
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpydoc.validate import validate
from sklearn.utils import Bunch

from sparsek import datasets
from sparsek.datasets._content import Content, hash_content, name_features, read_tidy, write_tidy
from sparsek.datasets._fetch import make_fetcher
from sparsek.datasets._parsers import PARSERS
from sparsek.datasets._registry import load_registry
from tests.docs.test_docs import CHECKS
from tests.places import DATA

REAL = DATA
REGISTRY = load_registry()
NOT_HERE = {"breast", "lung2", "sucancer"}  # no copy was available
FETCHERS = [name for name in datasets.__all__ if name.startswith("fetch_")]
NAMED = {"fetch_microarray": "microarray", "fetch_pcskm": "pcskm"}


def fetch(name: str, **arguments: Any) -> Any:
    """Call the fetcher of an entry of the registry."""
    folder = REGISTRY[name].file.partition("/")[0]
    for function, own in NAMED.items():
        if folder == own:
            return getattr(datasets, function)(name, **arguments)
    return getattr(datasets, f"fetch_{name}")(**arguments)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder of real data, with nothing in the cache."""
    if not (REAL / "skfr").is_dir():
        pytest.skip("no real data: neither SPARSEK_DATA nor ../shared/data")
    monkeypatch.setenv("SPARSEK_DATA", str(REAL))
    monkeypatch.setattr("pooch.os_cache", lambda _: tmp_path)


@pytest.mark.parametrize("name", sorted(set(REGISTRY) - NOT_HERE))
def test_real_data_are_those_of_the_registry(name: str, real: None) -> None:
    entry = REGISTRY[name]
    content = read_tidy(REAL / entry.file, entry.features, entry.decimals)
    assert hash_content(content) == entry.content
    sample = fetch(name, download_if_missing=False)
    assert sample.data.shape == entry.shape[-2:] == (len(sample.target), len(sample.feature_names))
    assert sample.data.dtype == np.float64
    assert sample.data.flags.c_contiguous
    assert set(sample.target.tolist()) == set(range(len(sample.target_names)))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("newthyroid", {"hyper": 35, "hypo": 30, "normal": 150}),
        (
            "mice_protein",
            {
                "c-CS-m": 150,
                "c-CS-s": 135,
                "c-SC-m": 150,
                "c-SC-s": 135,
                "t-CS-m": 135,
                "t-CS-s": 105,
                "t-SC-m": 135,
                "t-SC-s": 135,
            },
        ),
        ("glass", {"1": 70, "2": 76, "3": 17, "5": 13, "6": 9, "7": 29}),
        ("srbct", {"EWS": 23, "BL": 8, "NB": 12, "RMS": 20}),
        ("colon", {"normal": 22, "tumor": 40}),
        ("lung1", {"adenocarcinoma": 150, "mesothelioma": 31}),
        ("ecoli", {"cp": 143, "im": 77, "imL": 2, "imS": 2, "imU": 35, "om": 20, "omL": 5, "pp": 52}),
        ("mwm_ttscst", {"1": 168, "3": 182, "8": 74}),
    ],
)
def test_classes_of_real_data(name: str, sizes: dict[str, int], real: None) -> None:
    sample = fetch(name)
    assert dict(zip(sample.target_names.tolist(), np.bincount(sample.target).tolist(), strict=True)) == sizes
    assert all(f"{cls} ({size})" in sample.DESCR for cls, size in sizes.items())


def test_missing_cells_of_real_data(real: None) -> None:
    X, _ = datasets.fetch_mice_protein(return_X_y=True)
    hidden = np.isnan(X)
    assert hidden.sum() == 1396
    assert hidden.any(axis=0).sum() == 49
    assert (~hidden.any(axis=1)).sum() == 552
    hidden = np.isnan(datasets.fetch_breast_cancer_wisconsin().data)
    assert hidden.sum(axis=0).tolist() == [0, 0, 0, 0, 0, 16, 0, 0, 0]


def test_mice_frame_keeps_the_text_columns(real: None) -> None:
    sample = datasets.fetch_mice_protein(as_frame=True)
    assert list(sample.frame.columns[-5:]) == ["MouseID", "Genotype", "Treatment", "Behavior", "target"]
    assert sample.data.shape == (1080, 77)
    assert sample.frame["MouseID"].str.partition("_")[0].nunique() == 72
    assert set(sample.frame["Genotype"]) == {"Control", "Ts65Dn"}
    control = [str(name).startswith("c") for name in sample.target_names[sample.target]]
    np.testing.assert_array_equal(sample.frame["Genotype"] == "Control", control)


def test_iris_of_the_pcskm_paper_is_scikit_learns(real: None) -> None:
    np.testing.assert_array_equal(datasets.fetch_pcskm("fisheriris").data, datasets.load_iris().data)


def test_replicates_differ(real: None) -> None:
    one, two = (datasets.fetch_pcskm("digits048", replicate=r).data for r in (0, 9))
    assert one.shape == two.shape == (150, 16)
    assert not np.array_equal(one, two)


@pytest.mark.parametrize(("name", "q"), [("synthetic_40_3_5_5", 5), ("synthetic_40_3_3_7", 3)])
def test_stored_draws_have_the_moments_of_the_model(name: str, q: int, real: None) -> None:
    """Informative feature j has the common mean in group j mod 3, covariances trace q, noise is N(0, 1)."""
    own = np.arange(q) % 3 == np.arange(3)[:, None]
    for replicate in range(10):
        sample = datasets.fetch_pcskm(name, replicate=replicate)
        groups = [sample.data[sample.target == group] for group in range(3)]
        means = np.array([rows.mean(axis=0) for rows in groups])
        level = means[:, :q][own]
        # The largest eigenvalue is 1 + 4 * 0.9: standard errors of means of 40 rows are below 0.34; five of
        # them.
        assert np.all(np.abs(means[:, :q][~own]) < 1.7)
        assert np.all((np.abs(level) > 3 - 1.7) & (np.abs(level) < 6 + 1.7))
        assert len(set(np.sign(level))) == 1
        # Traces of three covariances with 39 degrees of freedom: standard error of their mean / q is 0.12.
        variances = np.mean([rows[:, :q].var(axis=0, ddof=1) for rows in groups])
        assert variances == pytest.approx(1, abs=0.6)
        np.testing.assert_allclose(means[:, q:], 0, atol=5 / np.sqrt(40))


# The tests below need no real data.


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Fetcher of a small set with text columns and missing cells, in the folder that SPARSEK_DATA names."""
    content = Content(
        np.array([[0.1, np.nan], [-0.0, 1e300], [3.0, 1 / 3]]),
        np.array([1, 0, 1]),
        ("a", "b"),
        ("no", "yes"),
        {"animal": ("aardvark", "antelope", "bass")},
    )
    entry = replace(
        REGISTRY["zoo"], name="toy", file="toy/toy.csv.gz", shape=(3, 2), content=hash_content(content)
    )
    monkeypatch.setattr("sparsek.datasets._fetch.load_registry", lambda: {"toy": entry})
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path))
    write_tidy(tmp_path / entry.file, content)
    return make_fetcher("toy")


def test_bunch(toy: Any) -> None:
    sample = toy()
    assert isinstance(sample, Bunch)
    np.testing.assert_array_equal(sample.data, [[0.1, np.nan], [0, 1e300], [3, 1 / 3]])
    assert sample.target.tolist() == [1, 0, 1]
    assert sample.target_names.tolist() == ["no", "yes"]
    assert sample.feature_names == ["a", "b"]
    assert sample.frame is None
    for text in ("3 x 2", "no (1), yes (2)", "Missing cells: 1", "UCI 111", "OpenML 62", "CC BY 4.0"):
        assert text in sample.DESCR


def test_frames(toy: Any) -> None:
    sample = toy(as_frame=True)
    assert list(sample.frame.columns) == ["a", "b", "animal", "target"]
    assert sample.frame["animal"].tolist() == ["aardvark", "antelope", "bass"]
    assert sample.data.equals(sample.frame[["a", "b"]])
    assert sample.target.tolist() == [1, 0, 1]
    X, y = toy(return_X_y=True, as_frame=True)
    assert X.equals(sample.data)
    assert y.equals(sample.target)
    arrays = toy(return_X_y=True)
    assert [type(part) for part in arrays] == [np.ndarray, np.ndarray]


@pytest.mark.parametrize("suffix", ["csv.gz", "npz"])
def test_tidy_files_keep_every_bit(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((50, 4)) * 10.0 ** rng.integers(-300, 300, (50, 4))
    values[::7, 1] = np.nan
    content = Content(values, rng.integers(0, 2, 50), ("f1", "f2", "f3", "f4"), ("a", "b"))
    write_tidy(tmp_path / f"x.{suffix}", content)
    again = read_tidy(tmp_path / f"x.{suffix}", (), None)
    np.testing.assert_array_equal(again.data, values)
    assert hash_content(again) == hash_content(content)


def test_hash_sees_content_and_nothing_else() -> None:
    def make(value: float, target: int = 0, feature: str = "a", name: str = "x") -> str:
        return hash_content(Content(np.array([[value]]), np.array([target]), (feature,), (name, "y")))

    assert make(0.0) == make(-0.0)
    assert make(np.nan) == make(-np.nan)
    reference = make(1.0)
    others = [make(np.nextafter(1, 2)), make(1.0, 1), make(1.0, 0, "b"), make(1.0, 0, "a", "z")]
    assert len({reference, *others}) == 5


def test_feature_names_are_repeated() -> None:
    assert name_features(("x{}", "y{}"), 4) == ("x1", "y1", "x2", "y2")
    assert name_features(("mcg", "gvh"), 2) == ("mcg", "gvh")


def test_every_entry_is_complete() -> None:
    for name, entry in REGISTRY.items():
        assert entry.title, name
        assert entry.licence, name
        assert len(entry.content) == len(entry.sha256) == (0 if name in NOT_HERE else 64), name
        assert bool(entry.class_sizes) == (name in NOT_HERE), name
        assert not (entry.verified and name in NOT_HERE), name
        assert (entry.parser in PARSERS) == bool(entry.urls), name
        assert all(url.startswith("https://") for url in entry.urls), name
        assert len(name_features(entry.features, entry.shape[-1])) in (0, entry.shape[-1]), name
        assert entry.page.startswith("https://"), name


def test_every_entry_has_a_fetcher() -> None:
    for name, entry in REGISTRY.items():
        folder = entry.file.partition("/")[0]
        assert folder in NAMED.values() or f"fetch_{name}" in datasets.__all__
    assert sorted(datasets.__all__) == datasets.__all__


@pytest.mark.parametrize("name", [n for n in datasets.__all__ if n.startswith(("fetch_", "make_"))])
def test_docstring_follows_numpydoc(name: str) -> None:
    errors = validate(f"sparsek.datasets.{name}")["errors"]
    assert [f"{code}: {text}" for code, text in errors if code in CHECKS] == []


def test_every_fetcher_takes_the_same_arguments() -> None:
    common = ["data_home", "download_if_missing", "return_X_y", "as_frame", "progressbar"]
    for name in FETCHERS:
        parameters = inspect.signature(getattr(datasets, name)).parameters
        assert list(parameters)[-5:] == common
        assert all(parameters[key].kind is inspect.Parameter.KEYWORD_ONLY for key in common)


def test_fetchers_can_be_pickled() -> None:
    assert all(
        pickle.loads(pickle.dumps(getattr(datasets, name))) is getattr(datasets, name) for name in FETCHERS
    )


def test_loaders_are_scikit_learns() -> None:
    for load, shape in (
        (datasets.load_iris, (150, 4)),
        (datasets.load_wine, (178, 13)),
        (datasets.load_wdbc, (569, 30)),
    ):
        assert load().data.shape == shape


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: datasets.fetch_microarray("liver"),
            ValueError,
            "name must be one of brain, .*; got 'liver'",
        ),
        (lambda: datasets.fetch_microarray(3), TypeError, "name must be a str; got int"),
        (
            lambda: datasets.fetch_pcskm("brain"),
            ValueError,
            "name must be one of fisheriris, .*; got 'brain'",
        ),
        (lambda: datasets.fetch_pcskm("digits048", replicate=10), ValueError, "from 0 to 9; got 10"),
        (lambda: datasets.fetch_pcskm("ionosphere", replicate=1), ValueError, "from 0 to 0; got 1"),
        (lambda: datasets.fetch_pcskm("digits048", replicate="1"), TypeError, "must be an integer; got '1'"),
        (
            lambda: datasets.fetch_zoo(data_home=5),
            TypeError,
            "data_home must be a folder's name or None; got 5",
        ),
    ],
)
def test_bad_arguments(
    call: Any, error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARSEK_DATA", raising=False)
    with pytest.raises(error, match=message):
        call()
