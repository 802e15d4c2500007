"""An R script and its port side by side, without R: what R did is recorded."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sparsek.port import comparing
from sparsek.port.comparing import PortComparison, compare_recordings, compare_scripts
from sparsek.port.page import as_page
from sparsek.port.recording import Check, Recording, ScriptError, run_r
from tests.cli.cli_runner import error_of, run
from tests.port.scripts import PORT, R_SCRIPT, plain, r_recording, stream


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The port of the R script; what R does is taken from its record."""
    monkeypatch.setattr(comparing, "run_r", lambda script, wanted: r_recording())
    script = tmp_path / "analysis.py"
    script.write_text(PORT, encoding="utf-8")
    return script


def change(script: Path, old: str, new: str) -> None:
    text = script.read_text(encoding="utf-8")
    assert old in text
    script.write_text(text.replace(old, new), encoding="utf-8")


def of_objects(script: str, **objects: object) -> Recording:
    """A recording that ends with these objects: arrays, texts or dicts of both."""
    fields = {name: value if isinstance(value, dict) else {"": value} for name, value in objects.items()}
    return Recording(Path(script), None, [], {"": Check("", 0, fields)})


def compared(theirs: dict, ours: dict, wanted: list[str] | None = None) -> PortComparison:
    return compare_recordings(of_objects("a.R", **theirs), of_objects("a.py", **ours), wanted or [])


def lines_about(comparison: PortComparison) -> list[str]:
    return [f"{row.comparison.field}: {row.comparison.message or 'equal'}" for row in comparison.rows]


def test_an_equal_port(port: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    lines = run("port", R_SCRIPT, port, "--html", page).stdout.splitlines()
    assert lines[:3] == ["check clusters:", f"{'km.fit':<28} equal", f"{'x':<28} equal"]
    names = "cube groups heights kind km.fit mixed picked result sizes whole x"
    at = lines.index("at the end:")
    assert lines[at + 1 : at + 12] == [f"{name:<28} equal" for name in names.split()]
    assert lines[at + 12 :] == [
        f"not compared, only in {R_SCRIPT}: only.here",
        "random streams: equal in all 4 states that both have",
        "objects: all 29 equal; random streams: equal",
    ]
    text = page.read_text(encoding="utf-8")
    assert text.count('<span class="good">equal</span>') == 29
    assert '<p class="good">objects: all 29 equal; random streams: equal</p>' in text


def test_a_port_that_differs_names_the_statements(port: Path, tmp_path: Path) -> None:
    change(port, "nstart=3", "nstart=2")
    change(port, '"two"', '"t<o"')
    page = tmp_path / "page.html"
    lines = run("port", R_SCRIPT, port, "--html", page, code=1).stdout.splitlines()
    assert lines[-4:] == [
        "random streams: they part after",
        f"  {R_SCRIPT}, line 6: km.fit <- kmeans(x, 2, nstart = 3)",
        f"  {port}, line 15: km_fit = rcompat.kmeans(x, 2, nstart=2)",
        lines[-1],
    ]
    assert lines[-1].endswith("random streams: they part")
    message = "1 texts, R has 1, first difference at [1]: 't<o', R has 'two'"
    assert f"{'result[[2]]':<28} {message}" in lines
    text = page.read_text(encoding="utf-8")
    assert "first difference at [1]: &#x27;t&lt;o&#x27;, R has &#x27;two&#x27;" in text
    assert "t<o" not in text
    assert f"{port.name}, line 15: km_fit" in text


def test_named_objects_alone_are_compared(port: Path) -> None:
    change(port, '"two"', '"three"')
    lines = run("port", R_SCRIPT, port, "--objects", "km.fit,x").stdout.splitlines()
    assert lines[-1] == "objects: all 8 equal; random streams: equal"


def test_objects_that_are_missing(port: Path) -> None:
    assert f"{port} has no object only_here with numbers or texts, at the end" in error_of(
        "port", R_SCRIPT, port, "--objects", "only.here"
    )
    assert "analysis.R has no object own with" in error_of("port", R_SCRIPT, port, "--objects", "own")


def test_checks_of_one_script_only(port: Path) -> None:
    change(port, "# check: clusters", "# check: cluster")
    assert f"analysis.R, line 7: {port} has no check 'clusters'" in error_of("port", R_SCRIPT, port)


def test_a_port_that_fails_names_its_line(port: Path, tmp_path: Path) -> None:
    change(port, "x[:10] += 3", "x[:10] += y")
    page = tmp_path / "page.html"
    message = error_of("port", R_SCRIPT, port, "--html", page)
    assert f"{port} fails in line 14: x[:10] += y NameError: name 'y' is not defined" in message
    assert not page.exists()


def test_arguments_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "name the Python script too, or use --hints" in error_of("port", R_SCRIPT)
    assert "leave out the other script" in error_of("port", R_SCRIPT, tmp_path / "a.py", "--hints")
    assert "there is no file" in error_of("port", "--hints", tmp_path / "a.R")
    page = tmp_path / "missing" / "page.html"
    (tmp_path / "a.py").touch()
    assert "there is no folder" in error_of("port", R_SCRIPT, tmp_path / "a.py", "--html", page)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "Rscript is not found" in error_of("port", R_SCRIPT, tmp_path / "a.py")


def test_the_help_says_that_scripts_are_run() -> None:
    assert "runs the code of both scripts" in " ".join(run("port", "--help").stdout.split())


def test_names_and_fields_are_matched_across_spellings() -> None:
    numbers = np.array([1.0, 2.0])
    found = compared(
        {"km.fit": {"$tot.ss": numbers, "$n": numbers}, "lambda": numbers},
        {"km_fit": {"$tot_ss": numbers, "$n": np.array([1, 2 + 1e-9])}, "lambda_": numbers},
    )
    assert lines_about(found) == [
        "km.fit$n: 1 of 2 entries differ, first at [2]: 2.0000000010000001, R has 2",
        "lambda: equal",
    ]
    assert not found.passed


def test_fields_of_one_side_differ() -> None:
    found = compared({"f": {"$a": np.ones(1)}}, {"f": {"$b": np.ones(1)}})
    assert lines_about(found) == ["f$a: only R has this", "f$b: R has nothing of this name"]


def test_numbers_against_texts_and_shapes() -> None:
    found = compared({"a": ["u"], "b": np.ones(2)}, {"a": np.ones(1), "b": np.ones((2, 1))})
    assert lines_about(found) == ["a: numbers, R has texts", "b: shape (2, 1), R has (2,)"]


def test_plain_values_for_programs() -> None:
    ours = {"a": np.array([1.0, 2.5]), "b": np.ones(1)}
    found = compared({"a": np.array([1.0, 2.0]), "b": np.ones(1)}, ours).as_dict()
    assert (found["passed"], found["verdict"]) == (False, "objects: 1 of 2 differ; random streams: equal")
    assert [(field["field"], field["exact"]) for field in found["fields"]] == [("a", False), ("b", True)]
    assert {field["check"] for field in found["fields"]} == {"at the end"}
    assert found["fields"][0]["max_abs_diff"] == 0.5
    assert found["streams"][0].startswith("random streams: equal in all")


def test_names_are_compared_where_both_have_them() -> None:
    numbers = np.ones(2)
    found = compared(
        {"a": {"": numbers, " names": ["u", "v"]}, "b": {"": numbers, " names": ["u", "v"]}},
        {"a": {"": numbers, " names": ["u", "w"]}, "b": numbers},
    )
    message = "2 texts, R has 2, first difference at [2]: 'w', R has 'v'"
    assert lines_about(found) == [f"a names: {message}", "b: equal"]


def test_positions_and_loop_variables() -> None:
    theirs = {"best": np.array([3.0]), "n": np.array([3.0]), "i": np.array([5.0])}
    ours = {"best": np.array([2.0]), "n": np.array([2.0]), "i": np.array([4.0])}
    python = replace(of_objects("a.py", **ours), loops=frozenset("i"), positions=frozenset(["best"]))
    found = compare_recordings(of_objects("a.R", **theirs), python, [])
    assert [line.partition(",")[0] for line in lines_about(found)] == [
        "best: equal",
        "n: 1 of 1 entries differ",
    ]
    assert found.notes == (
        "at the end: best: equal counted from 1, Python's positions count from 0",
        "not compared, loop variables of a.py: i",
    )


@pytest.mark.parametrize("warned", [True, False])
def test_signs_that_rest_on_the_blas_are_free_where_python_warned(warned: bool) -> None:
    axes = np.array([[0.6, 0.8], [0.8, -0.6]])
    python = replace(of_objects("a.py", p={"$rotation": axes * [1, -1]}), free_signs=warned)
    found = compare_recordings(of_objects("a.R", p={"$rotation": axes}), python, [])
    assert found.passed == warned
    note = "at the end: p$rotation: equal but for the signs of columns 2, which rest on R's BLAS"
    assert found.notes == ((note,) if warned else ())


def test_labels_that_differ_are_paired() -> None:
    found = compared(
        {"fit": {"$cluster": np.array([1.0, 1, 2, 2])}}, {"fit": {"$cluster": np.array([2.0, 2, 1, 2])}}
    )
    assert found.notes == ("at the end: fit$cluster: 1 of 4 points differ after pairing the clusters",)


def test_names_that_are_one_in_the_other_language() -> None:
    numbers = np.ones(1)
    with pytest.raises(ScriptError, match=r"a\.R has a\.b and a_b, which are one name"):
        compared({"a.b": numbers, "a_b": numbers}, {"a_b": numbers})


def test_no_common_object() -> None:
    with pytest.raises(ScriptError, match=r"no object of the same name .*; R has a, Python has none"):
        compared({"a": np.ones(1), "f": {}}, {"f": {}})


def test_streams_of_one_script_only_count_as_a_difference() -> None:
    r, python = stream("!a", "b", name="a.R"), stream(name="a.py")
    for side in (r, python):
        side.checks[""] = Check("", 0, {"x": {"": np.ones(1)}})
    found = compare_recordings(r, python, [])
    assert not found.passed
    expected = ["random streams: they part after", "  a.R, line 1: s1", "  a.py, which draws nothing here"]
    assert found.stream_lines == expected
    assert 'class="bad">objects: all 1 equal; random streams: they part' in as_page(found)


@pytest.mark.live_r
def test_r_does_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    monkeypatch.chdir(tmp_path)
    live, recorded = run_r(R_SCRIPT), r_recording()
    assert live.statements == recorded.statements
    assert list(live.checks) == list(recorded.checks)
    for name, check in recorded.checks.items():
        assert plain(live.checks[name].objects) == plain(check.objects)
    assert list(tmp_path.iterdir()) == []  # no Rplots.pdf


@pytest.mark.live_r
def test_scripts_side_by_side(tmp_path: Path) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    port = tmp_path / "analysis.py"
    port.write_text(PORT, encoding="utf-8")
    assert compare_scripts(R_SCRIPT, port, ["km.fit", "picked"]).passed


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x <- 1\ny <- c(x,\nstop('no'))", r"fails in line 2: y <- c\(x, ...\n  no"),
        ("x <- 1\ny <- (", r"cannot be read: .*a\.R:3:0: unexpected end of input"),
        ("x <- 1; quit()", r"fails in line 1: quit\(\)\n  the script ends here, .*; exit code 0"),
        ("T <- 0; c <- paste <- function(...) 1\nsink('s'); closeAllConnections(); rm(list = ls()); u + 1",
         "fails in line 2: u [+] 1\n  object 'u' not found"),
    ],
)  # fmt: skip
def test_r_scripts_that_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGUAGE", "en")
    script = tmp_path / "a.R"
    script.write_text(text, encoding="utf-8")
    with pytest.raises(ScriptError, match=message):
        run_r(script)


@pytest.mark.live_r
def test_seeds_that_functions_of_r_set_are_seen(tmp_path: Path) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    script = tmp_path / "a.R"
    script.write_text(
        "f <- function() { set.seed(1); runif(1) }\nx <- f()\ny <- runif(1)\n", encoding="utf-8"
    )
    assert [statement.seeded for statement in run_r(script).statements] == [False, True, False]
