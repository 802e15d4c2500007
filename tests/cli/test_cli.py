"""The command line: output files, bad input, and that a failure leaves no file behind."""

import importlib
import json
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsek
from r_reference import bridge
from sparsek import SKFR, ModelChoice, PermutationGap, SparseKMeans, rcompat
from sparsek.cli import _methods, _tune, _write
from sparsek.cli._folder import FILES, new_folder
from sparsek.engine import describe_choice
from tests.cli.cli_runner import EXACT, FEATURES, a_result, error_of, make_frame, run
from tests.places import ROOT


@pytest.fixture
def frame() -> pd.DataFrame:
    return make_frame()


@pytest.fixture
def data(frame: pd.DataFrame, tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    frame.to_csv(file)
    return file


def test_fit_writes_what_the_estimator_finds(frame: pd.DataFrame, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    done = run(
        "fit", data, "--k", 3, "--select", 2, "--id-col", "id", "--out", out, "--n-init", 4, "--seed", 5
    )
    model = SKFR(3, 2, n_init=4, random_state=5).fit(frame)
    labels = pd.read_csv(out / "labels.csv")
    assert labels["id"].tolist() == frame.index.tolist()
    assert labels["cluster"].tolist() == model.labels_.tolist()
    features = pd.read_csv(out / "features.csv", **EXACT).set_index("feature")
    assert features["selected"].to_dict() == dict(zip(FEATURES, model.get_support().astype(int), strict=True))
    assert sorted(features["rank"]) == [1, 2, 3, 4, 5, 6]
    assert features.loc[FEATURES, "weight"].tolist() == model.feature_weights_.tolist()
    centers = pd.read_csv(out / "centers.csv", index_col="feature", **EXACT)
    assert centers.index.tolist() == FEATURES
    assert centers.pop("selected").tolist() == model.get_support().astype(int).tolist()
    assert list(centers) == ["center_0", "center_1", "center_2"]
    assert np.array_equal(centers.to_numpy(), model.cluster_centers_.T)
    assert (out / "summary.txt").read_text() == done.stdout == model.summary().as_text() + "\n"
    result = json.loads((out / "result.json").read_text())
    assert result["labels"] == model.labels_.tolist()
    assert result["objective"] == model.objective_
    assert result["parameters"]["random_state"] == 5
    assert result["data"]["rows"] == 30
    assert (out / "weights.png").read_bytes()[1:4] == b"PNG"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "result"]


@pytest.mark.parametrize(("name", "written"), [("bottle", "bottle"), ("cluster", "id")])
def test_labels_keep_the_name_of_the_ids(
    frame: pd.DataFrame, tmp_path: Path, name: str, written: str
) -> None:
    frame.rename_axis(name).to_csv(tmp_path / "data.csv")
    out = tmp_path / "result"
    run("fit", tmp_path / "data.csv", "--k", 3, "--select", 2, "--id-col", name, "--out", out, "--no-plots")
    assert list(pd.read_csv(out / "labels.csv")) == [written, "cluster"]


def test_the_same_seed_writes_the_same_bytes(data: Path, tmp_path: Path) -> None:
    for name, jobs in (("one", 1), ("two", 2)):
        run("fit", data, "--k", 3, "--select", 2, "--id-col", 1, "--out", tmp_path / name, "--n-jobs", jobs)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_scaling_is_taken_back_in_the_centers(frame: pd.DataFrame, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    command = [
        "fit",
        data,
        "--method",
        "sparse-kmeans",
        "--bound",
        1.5,
        "--k",
        3,
        "--scale",
        "--id-col",
        "id",
    ]
    run(*command, "--out", out, "--no-plots")
    scaled = (frame - frame.mean()) / frame.std()
    model = SparseKMeans(3, l1_bound=1.5, random_state=0).fit(scaled)
    labels = pd.read_csv(out / "labels.csv")["cluster"].to_numpy()
    assert np.array_equal(labels, model.labels_)
    means = frame.groupby(labels).mean()
    # Means of scaled columns, scaled back: rounding errors of a few units in the last place, for numbers up
    # to 10.
    centers = pd.read_csv(out / "centers.csv", index_col=0).drop(columns="selected")
    np.testing.assert_allclose(centers.T, means, rtol=0, atol=1e-13)
    assert not (out / "weights.png").exists()


def test_json_is_what_the_file_holds(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    done = run("fit", data, "--k", 3, "--id-col", "id", "--json", "--no-plots", "--out", out)
    assert done.stdout == (out / "result.json").read_text()
    assert "NaN" not in done.stdout
    assert "wrote" in done.stderr


def test_existing_results_are_replaced_by_force_only(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "result"
    command = ["fit", data, "--k", 3, "--id-col", "id", "--no-plots", "--out", out]
    run(*command)
    (out / "choice.csv").write_text("from another run")
    assert "--force replaces them" in error_of(*command)
    run(*command, "--force")
    assert not (out / "choice.csv").exists()
    (out / "thesis.tex").write_text("precious")
    assert "thesis.tex, which sparsek did not write" in error_of(*command, "--force")
    assert (out / "thesis.tex").read_text() == "precious"


@pytest.mark.parametrize("existing", [False, True])
def test_a_failure_leaves_everything_as_it_was(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool
) -> None:
    out = tmp_path / "result"
    command = ["fit", data, "--k", 3, "--select", 2, "--id-col", "id", "--out", out, "--force"]
    if existing:
        run(*command, "--seed", 3, "--no-plots")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(_write, "draw_pictures", fail)
    assert error_of(*command) == "sparsek: error: disk full"
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    assert out.exists() == existing


def test_a_failure_of_the_last_step_puts_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "result"
    folder.mkdir()
    (folder / "labels.csv").write_text("old")
    (folder / "result.json").write_text(json.dumps(a_result()))
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="no"), new_folder(folder, force=True) as new:
        (new / "labels.csv").write_text("new")
    assert [path.name for path in tmp_path.iterdir()] == ["result"]
    assert (folder / "labels.csv").read_text() == "old"


def test_outliers_and_local_weights_are_written(data: Path, tmp_path: Path) -> None:
    run(
        "fit",
        data,
        "--method",
        "rskc",
        "--k",
        3,
        "--id-col",
        "id",
        "--n-init",
        2,
        "--no-plots",
        "--out",
        tmp_path / "trimmed",
    )
    assert pd.read_csv(tmp_path / "trimmed" / "labels.csv")["outlier"].isin([0, 1]).all()
    local = ["--set", "scope=local", "--no-plots", "--out", tmp_path / "local"]
    run("fit", data, "--k", 3, "--id-col", "id", *local)
    assert {"weight_0", "weight_1", "weight_2"} <= set(pd.read_csv(tmp_path / "local" / "features.csv"))


def test_methods_without_centers_write_none(data: Path, tmp_path: Path) -> None:
    run("fit", data, "--method", "kernel-kmeans", "--k", 3, "--id-col", "id", "--out", tmp_path / "result")
    found = sorted(path.name for path in (tmp_path / "result").iterdir())
    pictures = ["centers.png", "convergence.png", "pca.png", "silhouette.png"]
    assert found == sorted(["labels.csv", "result.json", "summary.txt", *pictures])


def pictures_of(*command: object, out: Path) -> list[str]:
    """The pictures that a fit writes."""
    run(*command, "--id-col", "id", "--out", out)
    return sorted(path.stem for path in out.glob("*.png"))


@pytest.mark.thorough
def test_pictures_are_those_that_make_sense(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.csv"
    frame.to_csv(data)
    always = ["centers", "convergence", "pca", "silhouette", "weights"]
    assert pictures_of("fit", data, "--k", 3, out=tmp_path / "plain") == always
    assert "silhouette" not in pictures_of("fit", data, "--k", 1, out=tmp_path / "one")
    monkeypatch.setattr(_write, "SILHOUETTE_ROWS", 29)
    assert "silhouette" not in pictures_of("fit", data, "--k", 3, out=tmp_path / "large")
    monkeypatch.undo()
    frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1).to_csv(data)
    expected = ["centers", "convergence", "missingness", "pca", "silhouette"]
    assert pictures_of("fit", data, "--method", "kpod", "--k", 3, out=tmp_path / "holes") == expected


def test_constraints(frame: pd.DataFrame, data: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("r0,r29,must\nr0, r1, cannot\n")
    command = ["fit", data, "--k", 3, "--id-col", "id", "--json"]
    done = run(*command, "--method", "cop-kmeans", "--constraints", pairs)
    labels = json.loads(done.stdout)["labels"]
    assert labels[0] == labels[29] != labels[1]
    assert "has no --constraints; these have: pcskm, " in error_of(*command, "--constraints", pairs)
    for text, message in (
        ("r0,r1\n", "line 1 of .* must have 3 cells"),
        ("r0,r99,must\n", "line 1 of .*: no row 'r99'"),
        ("r0,r1,perhaps\n", "link 'perhaps'"),
    ):
        pairs.write_text(text)
        line = error_of(*command, "--method", "pckm", "--constraints", pairs)
        assert pd.Series([line]).str.contains(message).all(), line


def test_groups(frame: pd.DataFrame, data: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "groups.csv", tmp_path / "result"
    groups = {"first": FEATURES[:2], "second": FEATURES[2:4], "third": FEATURES[4:]}
    lines = [f"{feature},{group}\n" for group, own in groups.items() for feature in own]
    file.write_text("feature,group\n" + "".join(lines))
    command = ["fit", data, "--k", 3, "--id-col", "id", "--groups", file]
    done = run(*command, "--select", 2, "--always", "third", "--out", out, "--no-plots")
    model = SKFR(3, 2, groups=groups, always=("third",), random_state=0).fit(frame)
    assert done.stdout == model.summary().as_text() + "\n"
    features = pd.read_csv(out / "features.csv").set_index("feature")
    assert features["group"].to_dict() == {feature: group for group, own in groups.items() for feature in own}
    result = json.loads((out / "result.json").read_text())
    assert result["labels"] == model.labels_.tolist()
    assert result["parameters"]["groups"] == groups
    chosen = run("tune", *command[1:], "--criterion", "gap", "--permutations", 2, "--json")
    tried = [row["n_features_to_select"] for row in json.loads(chosen.stdout)["choice"]]
    assert sorted(set(tried)) == [1, 2, 3]
    for text, message in (
        ("a\n", "line 1 of .* must have 2 cells, feature,group"),
        ("a,g\na,h\n", "line 2 of .* has 'a' again, which is in line 1"),
        ("", "is empty; it must have lines feature,group"),
        ("zz,g\n", r"groups\['g'\] names 'zz', which is no column of X"),
        (lines[0], "groups leaves out 5 of 6 features"),
    ):
        file.write_text(text)
        line = error_of(*command)
        assert pd.Series([line]).str.contains(message).all(), line
    line = error_of(*command, "--method", "kpod")
    assert "method kpod has no --groups; these have: " in line


def test_warnings_are_single_lines_and_recorded(data: Path) -> None:
    done = run("fit", data, "--k", 3, "--id-col", "id", "--set", "max_iter=1", "--select", 9, "--json")
    recorded = json.loads(done.stdout)["warnings"]
    assert recorded
    *warned, said = done.stderr.splitlines()
    assert warned == [f"sparsek: warning: {text}" for text in recorded]
    assert said.startswith("sparsek: standardize='auto' ")


def test_tune_chooses_as_permutation_gap_does(frame: pd.DataFrame, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned"
    run(
        "tune",
        data,
        "--k",
        3,
        "--select",
        "2,4",
        "--criterion",
        "gap",
        "--permutations",
        3,
        "--id-col",
        "id",
        "--out",
        out,
        "--seed",
        2,
    )
    search = PermutationGap(SKFR(3), "n_features_to_select", [2, 4], n_permutations=3, random_state=2).fit(
        frame
    )
    result = json.loads((out / "result.json").read_text())
    assert result["chosen"] == search.best_params_
    assert [row["gap"] for row in result["choice"]] == search.gap_.tolist()
    assert pd.read_csv(out / "choice.csv")["chosen"].tolist() == search.results_["chosen"].tolist()
    assert pd.read_csv(out / "labels.csv")["cluster"].tolist() == search.labels_.tolist()
    not_here = {"missingness.png", "truth.csv", "report.html", "probabilities.csv"}
    assert {path.name for path in out.iterdir()} == set(FILES) - not_here


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["--k", "2:4", "--select", "2"], {"n_clusters", "n_features_to_select"}),
        (["--k", "2,3", "--method", "kpod"], {"n_clusters"}),
        (["--k", "3", "--method", "sparse-kmeans"], {"l1_bound"}),
        (["--k", "3"], {"n_features_to_select"}),
    ],
)
def test_tune_over_other_grids(data: Path, options: list[str], chosen: set[str]) -> None:
    done = run("tune", data, *options, "--n-init", 2, "--id-col", "id", "--json")
    assert set(json.loads(done.stdout)["chosen"]) == chosen


@pytest.mark.thorough
@pytest.mark.parametrize("criterion", _tune.CRITERIA)
def test_tune_by_every_criterion(frame: pd.DataFrame, data: Path, criterion: str) -> None:
    done = run(
        "tune", data, "--k", "2,3", "--select", "2,4", "--criterion", criterion, "--id-col", "id", "--json"
    )
    result = json.loads(done.stdout)
    grid = {"n_clusters": [2, 3], "n_features_to_select": [2, 4]}
    search = ModelChoice(SKFR(), grid, criterion, random_state=0).fit(frame)
    assert result["criterion"] == criterion
    assert result["chosen"] == search.best_params_
    assert [row[criterion] for row in result["choice"]] == search.results_[criterion].tolist()


@pytest.mark.parametrize("method", ["madd", "skfr"])
def test_tune_compares_numbers_of_clusters_by_their_separation(data: Path, method: str) -> None:
    done = run("tune", data, "--k", "2,3", "--method", method, "--n-init", 2, "--id-col", "id", "--json")
    result = json.loads(done.stdout)
    assert result["criterion"] == "separation"
    assert set(result["chosen"]) == {"n_clusters"}


@pytest.mark.parametrize(
    ("text", "values"), [("3", [3]), ("2:4", [2, 3, 4]), ("1.5, 2", [1.5, 2]), ("1e1", [10.0])]
)
def test_values(text: str, values: list[float]) -> None:
    assert _tune.parse_values(text, "--k") == values


def test_methods_lists_every_clusterer() -> None:
    rows = json.loads(run("methods", "--json").stdout)["methods"]
    listed = {row["estimator"] for row in rows}
    exported = {name for name in sparsek.__all__ if hasattr(getattr(sparsek, name), "fit_predict")}
    assert listed == exported - {
        "ConsensusClustering",
        "EntryCrossValidation",
        "ModelChoice",
        "PermutationGap",
        "PredictionStrength",
        "SelectionConsistency",
        "ThinnedSearch",
        "WeakestSeparation",
    }
    table = run("methods", "--long").stdout
    assert all(row["method"] in table and row["paper"] in table for row in rows)


@pytest.mark.parametrize("name", _methods.METHODS)
def test_method_table_is_true(name: str) -> None:
    method = _methods.METHODS[name]
    if method.twin:
        assert hasattr(rcompat, method.twin.partition("::")[2])
    docs = " ".join((_methods.method_class(name).__doc__ or "").split())
    first_author, year = method.paper.split()[0].rstrip(","), method.paper.split()[-1]
    assert first_author in docs
    assert f"({year})" in docs
    X = np.random.default_rng(0).normal(size=(20, 4))
    X[0, 0] = np.nan
    model = _methods.make_estimator(name, 2, {}, {}, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _methods.takes(name, "missing"):
            model.fit(X)
        else:
            with pytest.raises(ValueError, match="NaN"):
                model.fit(X)
        if method.local == "always":
            weights = model.fit(np.nan_to_num(X))._weights_by_cluster()
            assert weights.shape == (2, 4)


def test_version() -> None:
    assert run("--version").stdout.strip() == f"{sparsek.__version__} (engine {describe_choice()})"


def test_entry_point_is_the_main_function() -> None:
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert script == {"sparsek": "sparsek.cli:main"}


def test_validate_hands_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    command: Any = importlib.import_module("validation.__main__")
    monkeypatch.setattr(command, "main", lambda arguments: calls.append(arguments) or 1)
    run("validate", "--out", "there", "--cases", "^kmeans", "--no-live-r", "--no-reproduction", code=1)
    expected = "report --output there --n-jobs -1 --cases ^kmeans --no-live-r --papers"
    assert calls == [expected.split()]


@pytest.mark.live_r
def test_compare_with_r(data: Path) -> None:
    found, reason = bridge.available()
    if not found:
        pytest.skip(reason)
    command = ["compare", data, "--call", "kmeans(centers=3, nstart=2)", "--seed", 1, "--id-col", "id"]
    assert "fields equal" in run(*command).stdout
    assert "fields equal" in run(*command, "--scale").stdout
    result = json.loads(run(*command, "--json").stdout)
    assert result["passed"]
    assert all(field["exact"] for field in result["fields"])
