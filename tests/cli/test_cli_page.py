"""`sparsek report`, `--truth`, the picture of the rows, the checks of the data, and scaling by default."""

import json
import re
import shlex
from datetime import date
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, ModelChoice, SparseKMeans
from sparsek.cli import _page
from sparsek.cli._checks import check_data, in_words
from sparsek.cli._page import PICTURES
from sparsek.cli._read import Table
from sparsek.summary import tables
from tests.cli.cli_runner import EXACT, error_of, make_frame, run

SAID = "sparsek: columns were standardised to mean 0 and sd 1; --no-scale takes them as they are"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The frame with a column of classes, some with a name that HTML must escape."""
    frame = make_frame()
    frame["kind"] = ["<b>", "y", ""] * 10
    frame.to_csv(tmp_path / "data.csv")
    return tmp_path / "data.csv"


def fit(data: Path, *options: object, code: int = 0) -> object:
    """A fit of the file with its classes left out."""
    return run("fit", data, "--k", 3, "--id-col", "id", "--truth", "kind", *options, code=code)


def test_the_page_has_summary_pictures_settings_and_checks(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    fit(data, "--out", out, "--set", "max_iter=77")
    assert run("report", out).stderr == f"sparsek: wrote {out / 'report.html'}\n"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h1>SKFR of data.csv</h1>" in page
    assert "<b>" not in page.replace("&lt;b&gt;", "")
    there = [name for name in PICTURES if (out / name).is_file()]
    assert {"pca.png", "weights.png", "silhouette.png"} <= set(there)
    assert page.count('src="data:image/png;base64,') == len(there)
    assert '<th scope="row">max_iter</th><td>77</td>' in page
    assert '<th scope="row">columns</th><td>mean 0 and sd 1</td>' in page
    assert '<th scope="row">Missing values</th><td>none</td>' in page
    assert not re.search(r'(?:src|href)="(?!data:image/png;base64,)', page)  # nothing is loaded
    run("fit", data, "--k", 3, "--id-col", "id", "--drop", "kind", "--out", out, "--force", "--no-plots")
    assert not (out / "report.html").exists()
    run("report", out, "--out", tmp_path / "page.html")
    assert "<img" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_page_says_when_and_how_it_was_made(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "my result"
    fit(data, "--out", out, "--no-plots", "--set", "max_iter=77", "--no-scale", "--n-jobs", 1, "--seed", 3)
    command = "sparsek fit data.csv --k 3 --set max_iter=77 --no-scale --truth kind --seed 3 --id-col id"
    assert json.loads((out / "result.json").read_text())["command"] == command
    run("report", out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert f"<code>{command}</code>" in page
    day = date.fromtimestamp((out / "result.json").stat().st_mtime)
    assert f"fitted on {day.isoformat()} by sparsek" in page
    again = run(*shlex.split(command.replace("data.csv", str(data)))[1:])
    assert again.stdout == (out / "summary.txt").read_text()


def test_the_page_has_the_tables_of_the_summary(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    fit(data, "--out", out, "--no-plots", "--select", 2)
    run("report", out)
    page = (out / "report.html").read_text(encoding="utf-8")
    model = SKFR(3, 2, random_state=0).fit(make_frame())
    for table in model.summary().tables.values():
        for cell in np.ravel(tables.as_texts(table)[2]):
            assert f">{escape(cell)}</td>" in page
    assert "<h3>Clusters and kind (adjusted Rand index" in page
    assert all(f'<p class="muted">{escape(note)}</p>' in page for note in model.summary().notes)
    assert '<th scope="col" class="n">weight</th>' in page
    assert "<pre>" not in page


def test_tests_are_tables_of_the_page(tmp_path: Path) -> None:
    make_frame().to_csv(tmp_path / "data.csv")
    out = tmp_path / "result"
    tested = ["--k", 3, "--select", 2, "--id-col", "id", "--null", 9, "--no-plots", "--out", out]
    run("test", tmp_path / "data.csv", *tested)
    run("report", out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h3>Is there more than one cluster? " in page
    assert "<h3>Features at a false discovery rate of 0.1: " in page
    assert "sparsek test data.csv --k 3 --select 2 --null 9 --id-col id" in page


def test_a_page_is_not_put_beside_other_results(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another command replaces the results after they were read."""
    fit(data, "--out", data.parent / "out", "--no-plots")
    as_page = _page.as_page

    def then_replaced(*arguments: Any) -> str:
        page = as_page(*arguments)
        fit(data, "--out", data.parent / "out", "--no-plots", "--force", "--n-init", 3)
        return page

    monkeypatch.setattr(_page, "as_page", then_replaced)
    assert "was replaced by other results meanwhile" in error_of("report", data.parent / "out")
    assert not list((data.parent / "out").glob("*report*"))


def test_results_beside_a_part_of_a_page_can_be_replaced(data: Path) -> None:
    """A process that was killed has left it."""
    out = data.parent / "out"
    fit(data, "--out", out, "--no-plots")
    (out / ".report.html.0123456789abcdef.part").write_text("half")
    fit(data, "--out", out, "--no-plots", "--force")
    assert not list(out.glob(".*"))


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    line = error_of("report", tmp_path)
    assert f"{tmp_path} holds no results of sparsek: there is no regular file" in line


def test_truth_is_counted_and_not_seen(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    done = fit(data, "--out", out, "--no-plots", "--json")
    result = json.loads(done.stdout)
    frame = make_frame()
    labels = SKFR(3, random_state=0).fit_predict(frame)
    assert result["labels"] == labels.tolist()
    classes = ["<b>", "y", "(missing)"] * 10
    truth = result["truth"]
    assert (truth["column"], truth["classes"]) == ("kind", ["(missing)", "<b>", "y"])
    assert truth["adjusted_rand"] == adjusted_rand_score(classes, labels)
    assert np.sum(truth["counts"]) == 30
    shown = fit(data).stdout
    assert f"Clusters and kind (adjusted Rand index {truth['adjusted_rand']:.4f})" in shown
    written = pd.read_csv(out / "truth.csv", index_col="cluster")
    assert written.to_numpy().tolist() == truth["counts"]
    assert "kind" in (out / "summary.txt").read_text(encoding="utf-8")


def test_an_unknown_truth_is_named(data: Path) -> None:
    line = error_of("fit", data, "--k", 3, "--id-col", "id", "--truth", "colour")
    assert "has no column 'colour'" in line


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_columns_are_scaled_as_told(data: Path) -> None:
    frame = make_frame() * [1, 10, 100, 1, 1, 1]
    frame.to_csv(data)
    command = ["fit", data, "--k", 3, "--id-col", "id", "--method", "sparse-kmeans", "--bound", 1.5, "--json"]
    scaled = (frame - frame.mean()) / frame.std()
    for options, X, said in (
        (["--set", "standardize=false"], frame, []),
        (["--scale"], scaled, [SAID]),
        (["--no-scale"], frame, []),
        (["--set", "standardize=true"], scaled, []),
    ):
        done = run(*command, *options)
        model = SparseKMeans(3, l1_bound=1.5, standardize=False, random_state=0).fit(X)
        result = json.loads(done.stdout)
        assert result["labels"] == model.labels_.tolist()
        assert result["scaled"] == (X is scaled)
        assert [line for line in done.stderr.splitlines() if line.startswith("sparsek: columns")] == said


@pytest.mark.parametrize(
    ("options", "standardize"),
    [(["--scale"], True), (["--no-scale"], False), (["--set", "standardize=false"], False)],
)
def test_skfr_is_scaled_as_told(data: Path, options: list[str], standardize: bool) -> None:
    result = json.loads(fit(data, "--json", *options).stdout)
    model = SKFR(3, standardize=standardize, random_state=0).fit(make_frame())
    assert result["labels"] == model.labels_.tolist()
    assert result["objective"] == model.objective_
    assert result["parameters"]["standardize"] == standardize
    assert result["scaled"] == standardize


def test_the_scale_is_chosen_as_in_python(data: Path) -> None:
    done = fit(data, "--json")
    model = SKFR(3, random_state=0).fit(make_frame())
    assert json.loads(done.stdout)["labels"] == model.labels_.tolist()
    assert f"sparsek: {model.scaling_.in_words()}; --scale and --no-scale decide" in done.stderr


def test_checks_name_what_can_mislead() -> None:
    frame = pd.DataFrame(
        {
            "a": [1.0, 2.0, 1.0, np.nan],
            "b": [5.0] * 4,
            "c": [1e200, -1e200, 1e200, 0.0],
            "d": [1.0, 1.0, 1.0, 2.0],
        }
    )
    facts = check_data(Table(frame, list("wxyz"), Path()))
    assert facts["missing"] == 1
    assert facts["columns with missing"] == ["a"]
    assert facts["constant columns"] == ["b"]
    assert facts["rows equal to another"] == 2
    assert (facts["smallest sd"][0], facts["largest sd"][0]) == ("d", "c")
    answers = dict(in_words(facts))
    assert answers["Missing values"] == "1 cells, in a"
    assert answers["Standard deviations"].startswith("from 0.5 (d) to 9.574e+199 (c)")


def test_many_names_are_cut_short() -> None:
    frame = pd.DataFrame(np.ones((3, 25)), columns=[f"f{j}" for j in range(25)])
    facts = check_data(Table(frame, list("xyz"), Path()))
    assert facts["constant columns"] == [*(f"f{j}" for j in range(10)), "15 more"]
    assert "smallest sd" not in facts


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    """Thirty rows of two sites, of which one measures higher."""
    frame = make_frame().assign(site=["north", "south"] * 15)
    frame.loc[frame["site"] == "south", ["a", "b", "c"]] += [50, -20, 7]
    frame.to_csv(tmp_path / "sites.csv")
    return tmp_path / "sites.csv"


def test_batches_are_read_from_a_column(sites: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    done = run(
        "fit",
        sites,
        "--k",
        3,
        "--select",
        2,
        "--id-col",
        "id",
        "--batch",
        "site",
        "--out",
        out,
        "--no-plots",
        "--json",
    )
    result = json.loads(done.stdout)
    frame = pd.read_csv(sites, index_col="id", **EXACT)
    model = SKFR(3, 2, random_state=0).fit(frame.drop(columns="site"), batch=frame["site"])
    assert result["labels"] == model.labels_.tolist()
    assert result["batches"] == {"north": 15, "south": 15}
    centers = pd.read_csv(out / "centers.csv", **EXACT)
    assert centers["batch"].tolist() == ["north"] * 6 + ["south"] * 6
    assert np.allclose(centers["center_1"], model.batch_centers_[1].ravel())


def test_numbers_of_features_are_chosen_within_batches(sites: Path) -> None:
    choosing = ("--k", 3, "--select", "1,2", "--n-init", 2, "--criterion", "consistency", "--batch", "site")
    result = json.loads(run("tune", sites, *choosing, "--id-col", "id", "--json").stdout)
    frame = pd.read_csv(sites, index_col="id", **EXACT)
    grid = {"n_features_to_select": [1, 2]}
    search = ModelChoice(SKFR(3, n_init=2), grid, "consistency", random_state=0)
    search.fit(frame.drop(columns="site"), batch=frame["site"])
    assert result["chosen"] == search.best_params_
    assert result["labels"] == search.labels_.tolist()


def test_wrong_batches_are_named(sites: Path) -> None:
    fitted = ("fit", sites, "--k", 3, "--id-col", "id", "--batch")
    assert "has no column 'colour'" in error_of(*fitted, "colour")
    assert "method kpod has no --batch; these have: skfr, sparse-kmeans" in error_of(
        *fitted, "site", "--method", "kpod"
    )
    assert "--truth and --batch both name column 'site'" in error_of(*fitted, "site", "--truth", "site")
    sites.write_text(sites.read_text(encoding="utf-8").replace(",north", ",", 1), encoding="utf-8")
    assert "has no batch in row r0, column site" in error_of(*fitted, "site")
