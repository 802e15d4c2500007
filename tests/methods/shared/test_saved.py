"""Models as files: JSON from which plain numpy and R predict the same labels, and pickles with a version."""

import json
import pickle
import shutil
import subprocess
import warnings
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

import sparsek
from sparsek import SKFR, KPod, SparseKMeans
from sparsek.errors import ModelVersionWarning
from sparsek.methods.shared import estimator
from tests.variants import FIRST, make

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 6)) * [1, 10, 1, 0.1, 1, 1] + [0, 100, 0, 0, -5, 0]
X[:40, :2] += [4, 40]
X[40:70, 2:4] += [5, 0.5]
NEW = X[RNG.permutation(120)] + RNG.normal(size=(120, 6)) * 0.3
HOLES = np.where(RNG.random(NEW.shape) < 0.2, np.nan, NEW)
HOLES[7] = np.nan


def predicted(file: Path, rows: np.ndarray) -> np.ndarray:
    """Labels by the description of the format alone."""
    m = json.loads(file.read_text(encoding="utf-8"))
    assert (m["format"], m["version"], m["sparsek"]) == ("sparsek nearest centre", 1, sparsek.__version__)
    assert m["n_features"] == rows.shape[1]
    x = rows[:, m["columns"]]
    if m["limits"] is not None:
        x = np.clip(x, *m["limits"])
    z = (x - m["offsets"]) * m["rates"]
    assert m["takes_missing"] or not np.isnan(z).any()
    power = {"euclidean": 2, "manhattan": 1}[m["distance"]]
    far = np.nansum(np.abs(z[:, None] - np.array(m["centers"])) ** power, axis=2)
    labels = np.array(m["labels"])[far.argmin(axis=1)]
    return np.where(np.isnan(x).all(axis=1), m["label_without_values"], labels)


@pytest.mark.parametrize(
    "model",
    [
        SKFR(3, 4, random_state=0),
        SKFR(3, random_state=0, standardize=False),
        SKFR(3, 2, scope="local", random_state=0, winsorize=3.0),
        SKFR(3, 4, random_state=0, loss="absolute", standardize=True),
        SKFR(3, init=[0] * 50 + [1] * 40 + [2] * 30, n_features_to_select=3),
        SKFR(3, projection="nonnegative", random_state=0),
        SparseKMeans(3, random_state=0, l1_bound=1.8),
        SparseKMeans(4, random_state=1, standardize="range"),
        KPod(3, random_state=0, standardize=True),
        KPod(4, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")
@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::sparsek.errors.SelectionWarning")
def test_plain_numpy_predicts_from_the_file(model: Any, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    model.fit(X).save(file)
    for rows in (X, NEW):
        assert_array_equal(predicted(file, rows), model.predict(rows))
    if not isinstance(model, SparseKMeans):
        assert_array_equal(predicted(file, HOLES), model.predict(HOLES))
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize("model", [SKFR(3, 4, random_state=0), KPod(3, random_state=0, standardize=True)])
def test_fits_to_holes_and_names(model: Any, tmp_path: Path) -> None:
    data = np.where(RNG.random(X.shape) < 0.05, np.nan, X)
    frame = pd.DataFrame(data, columns=list("abcdef"))
    model.fit(frame).save(tmp_path / "model.json")
    assert_array_equal(predicted(tmp_path / "model.json", data), model.labels_)
    m = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert m["feature_names"] == list("abcdef")
    assert m["estimator"] == type(model).__name__


@pytest.mark.live_r
def test_r_predicts_from_the_file(tmp_path: Path) -> None:
    ready = (
        shutil.which("Rscript")
        and not subprocess.run(
            ["Rscript", "-e", "library(jsonlite)"], capture_output=True, check=False
        ).returncode
    )
    if not ready:
        pytest.skip("needs R with jsonlite")
    page = Path(__file__).parents[3] / "docs" / "questions" / "new-rows.md"
    lines = page.read_text(encoding="utf-8").split("```r\n")[1].split("```")[0]
    model = SKFR(3, 4, random_state=0).fit(X)
    model.save(tmp_path / "model.json")
    np.savetxt(tmp_path / "x.csv", NEW, delimiter=",", fmt="%.17g")
    script = f'x <- as.matrix(read.csv("x.csv", header = FALSE))\n{lines}\ncat(labels)\n'
    done = subprocess.run(["Rscript", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert_array_equal([int(label) for label in done.stdout.split()], model.predict(NEW))


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            SKFR(2, 3, loss="poisson", standardize=False, random_state=0),
            {},
            "loss='poisson' does not",
        ),
        (SKFR(2, 3, loss="cosine", standardize=False, random_state=0), {}, "loss='cosine' does not compare"),
        (SparseKMeans(2, l1_bound=1.5, dissimilarity="absolute", random_state=0), {}, "all rows of clusters"),
        (SKFR(2, 3, random_state=0), {"batch": np.arange(120) % 2}, "the fit has several batches"),
        (SKFR(2, 3, categories=[5], random_state=0), {}, "X had categories"),
    ],
)
def test_what_the_format_does_not_have_is_refused(
    model: Any, options: Any, message: str, tmp_path: Path
) -> None:
    data = np.abs(X.round())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data, **options)
    with pytest.raises(ValueError, match=message):
        model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    model = SKFR(3, 4, random_state=0).fit(X)
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        model.save(tmp_path / "none" / "model.json")
    with pytest.raises(NotFittedError, match="not fitted"):
        SKFR(2).save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", sorted(FIRST))
def test_a_pickle_of_another_version_warns(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(text)
    written = pickle.dumps(model)
    for same in (pickle.loads(written), copy(model), deepcopy(model)):
        assert vars(same).keys() == vars(model).keys()
    monkeypatch.setattr(sparsek, "__version__", "9.9.9")
    with pytest.warns(ModelVersionWarning, match=rf"^this {type(model).__name__} was written by sparsek 0"):
        pickle.loads(written)


def test_a_pickle_without_a_version_warns() -> None:
    model = SKFR(3, 4, random_state=0).fit(X)
    state = {name: value for name, value in model.__getstate__().items() if name != estimator.VERSION}
    read = SKFR.__new__(SKFR)
    with pytest.warns(ModelVersionWarning, match="was written by sparsek before 0.1.0 and is read by"):
        read.__setstate__(state)
    assert_array_equal(read.predict(X), model.labels_)
