"""Comparison of fields, the reader of R calls, and the compare command without R."""

import contextlib
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.compare import compare_fields, log_relative_error, match_labels
from tests.cli.cli_runner import run
from validation import __main__ as command
from validation.compare import own_call
from validation.compare.own_call import InputError
from validation.compare.rcall import parse_call
from validation.compare.rvalues import CallError, RowsOfX


def test_log_relative_error() -> None:
    # log10 of powers of ten that are not exact doubles: a few units in the last place
    computed = [1.0, 1.001, 0.0, 1e-5, 5.0, np.nan, np.inf, np.inf, 1.0 + 2**-52]
    reference = [1.0, 1.0, 0.0, 0.0, 0.0, np.nan, np.inf, 1.0, 1.0]
    expected = [15, 3, 15, 5, 0, 15, 15, 0, 15]
    np.testing.assert_allclose(log_relative_error(computed, reference), expected, atol=1e-12)
    with pytest.raises(ValueError, match="same shape"):
        log_relative_error([1.0], [1.0, 2.0])


def test_match_labels_pairs_by_largest_overlap() -> None:
    np.testing.assert_array_equal(match_labels([3, 3, 1, 1, 2], [1, 1, 2, 2, 3]), [1, 1, 2, 2, 3])
    np.testing.assert_array_equal(match_labels([1, 1, 2, 3], [5, 5, 5, 7]), [5, 5, 8, 7])
    with pytest.raises(ValueError, match="same length"):
        match_labels([1, 2], [1])


def test_match_labels_of_truth_values() -> None:
    assert match_labels([True, False, False], [False, True, True]).tolist() == [False, True, True]
    assert match_labels([1, 1, 2, 3], [True, True, True, False]).tolist() == [1, 1, 2, 0]


@pytest.mark.parametrize(
    ("ours", "theirs", "exact", "message"),
    [
        ([1.0, np.nan], [1.0, np.nan], True, ""),
        ([0.0], [-0.0], False, "1 of 1 entries differ, first at [1]: 0, R has -0"),
        ([1.0], [1.0, 2.0], False, "shape (1,), R has (2,)"),
        ([1.0, 2.0], [1.0, np.inf], False, "1 of 2 entries differ, first at [2]: 2, R has inf"),
        ([[1, 2]], [[1, 2]], True, ""),
        ([[1, 2], [3, 4]], [[1, 2], [5, 4]], False, "1 of 4 entries differ, first at [2, 1]: 3, R has 5"),
        (None, "bad", False, "None, R has 'bad'"),
        (["a"], ["a", "b"], False, "1 texts, R has 2, first difference at [2]: None, R has 'b'"),
        ([], [], True, ""),
    ],
)
def test_compare_fields(ours: object, theirs: object, exact: bool, message: str) -> None:
    (comparison,) = compare_fields({"f": ours}, {"f": theirs})
    assert (comparison.exact, comparison.message) == (exact, message)
    assert (comparison.lre == 15.0) == (exact or "R has -0" in message)


def test_compare_fields_names_what_is_missing() -> None:
    comparisons = compare_fields({"a": 1.0}, {"b": 1.0})
    assert [(c.field, c.exact) for c in comparisons] == [("b", False), ("a", False)]
    assert [c.message for c in comparisons] == ["only R has this", "R has nothing of this name"]


def test_largest_difference() -> None:
    (comparison,) = compare_fields({"f": [1.0, 2.5]}, {"f": [1.0, 2.0]})
    assert comparison.max_abs_diff == 0.5


@pytest.mark.parametrize(
    ("text", "function", "args"),
    [
        ("kmeans(3)", "kmeans", {"centers": [3]}),
        ("stats::kmeans(x, 3L, nstart = 2, algorithm='Lloyd')", "kmeans",
         {"centers": [3], "nstart": [2], "algorithm": "Lloyd"}),
        ("KMeansSparseCluster(K=3, wbounds=c(2,4), nstart=20)", "KMeansSparseCluster",
         {"K": [3], "wbounds": [2, 4], "nstart": [20]}),
        ("KMeansSparseCluster(x, wbounds=2:4, 2, silent=TRUE)", "KMeansSparseCluster",
         {"K": [2], "wbounds": [2, 3, 4]}),
        ("KMeansSparseCluster.permute(K=2, wbounds=seq(1.5, 3, length.out=4), nperms=1e1)",
         "KMeansSparseCluster.permute", {"K": [2], "wbounds": [1.5, 2, 2.5, 3], "nperms": [10]}),
        ("kmeans(c(-1.5, .5, 3:1), iter.max=NA)", "kmeans",
         {"centers": [-1.5, 0.5, 3, 2, 1], "iter.max": [np.nan]}),
        ("KMeansSparseCluster(centers=NULL, K=-2)", "KMeansSparseCluster", {"K": [-2]}),
        ("kmeans(x=x, 3)", "kmeans", {"centers": [3]}),
        ("hclust('single')", "hclust", {"method": "single"}),
        ("kpod(X=x, 3, kmpp_flag=TRUE)", "kpod", {"k": [3], "kmpp_flag": [True]}),
        ("wskm::ewkm(3, 0.5)", "ewkm", {"centers": [3], "lambda": [0.5]}),
        ("kGmedian(2)", "kGmedian", {"ncenters": [2]}),
        ("sparcl::KMeansSparseCluster(x, 2, 10/60)", "KMeansSparseCluster", {"K": [2], "wbounds": [1 / 6]}),
        ("kmeans(3, iter=50, nst=2)", "kmeans", {"centers": [3], "iter.max": [50], "nstart": [2]}),
        ("kmeans(sqrt(3) + c(1, 2) * 2 - (1 - 1:2) / 4)", "kmeans",
         {"centers": [np.sqrt(3) + 2, np.sqrt(3) + 4 + 0.25]}),
        ("kmeans(seq(0.1, 0.7, by=0.1))", "kmeans",
         {"centers": [0.1, 0.2, 0.1 + 2 * 0.1, 0.4, 0.5, 0.6, 0.7]}),
        ("kmeans(seq(5, 0, -2))", "kmeans", {"centers": [5, 3, 1]}),
        ("kmeans(seq(2, 4))", "kmeans", {"centers": [2, 3, 4]}),
        ("kmeans(seq(1, 1 + 1e-14, by=1e-15))", "kmeans", {"centers": [1]}),
        ("kmeans(seq(3, 3, by=1))", "kmeans", {"centers": [3]}),
        ("hclust(dist(x), 'single')", "hclust", {"method": "single"}),
        ("hclust(d=stats::dist(x))", "hclust", {"method": "complete"}),
        ("cutree(hclust(dist(x), 'average'), k=3)", "cutree", {"method": "average", "k": [3]}),
        ("stats::cutree(stats::hclust(dist(x)), h=2)", "cutree", {"method": "complete", "h": [2]}),
    ],
)  # fmt: skip
def test_parse_call(text: str, function: str, args: dict) -> None:
    call = parse_call(text)
    assert call.function == function
    values = {k: v if isinstance(v, str) else np.atleast_1d(v).tolist() for k, v in call.args.items()}
    np.testing.assert_equal(values, args)


def test_parse_rows_of_x() -> None:
    centers = parse_call("kmeans(x, centers=x[c(1,4:5),])").args["centers"]
    assert isinstance(centers, RowsOfX)
    assert centers.rows.tolist() == [1, 4, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown function"),
        ("lm(3)", "known are kmeans"),
        ("kmeans(3", "expected ',' but found 'the end'"),
        ("kmeans(3) + 1", "text after the call: '+'"),
        ("kmeans(3) 4", "text after the call"),
        ("kmeans(k=3)", "argument 'k' is unknown; kmeans takes centers"),
        ("kmeans(centers=3, centers=4)", "given twice"),
        ("kmeans(3, 10, 1, 'Lloyd', FALSE, 5)", "too many arguments"),
        ("kmeans(system('ls'))", "'system' is not understood"),
        ("kmeans(3, x)", "x stands for the data"),
        ("kmeans(seq(1, 3, by=-1))", "steps of that sign; got by=-1"),
        ("kmeans(seq(1, 3, by=0))", "steps of that sign; got by=0"),
        ("kmeans(seq(1, 3, by=1e-9))", "fewer than 10000000 steps"),
        ("kmeans(seq(1, 3, 1, length.out=2))", "by or length.out at most"),
        ("kmeans(seq(1, 3, step=1))", "seq: argument 'step' is unknown"),
        ("kmeans(seq(3))", "seq needs two ends"),
        ("kmeans(sqrt(-1))", "at least 0; got -1"),
        ("kmeans(sqrt(1, 2))", "sqrt takes a number"),
        ("kmeans(1:2 + 1:3)", "vectors of the same length"),
        ("kmeans('a' + 1)", "+ needs numbers"),
        ("kmeans((3", "expected ')' but found 'the end'"),
        ("cutree(k=3)", "cutree needs method; write cutree(hclust(...), ...)"),
        ("wrsk()", "wrsk needs k; write k=..."),
        ("kmeans(dist(x), 3)", "the data of kmeans are written x, not dist(...)"),
        ("cutree(dist(x), k=3)", "the data of cutree are written hclust, not dist(...)"),
        ("hclust(dist(3))", "the first argument of dist must be the data, x"),
        ("hclust(dist(x, nonsense=2))", "argument 'nonsense' is unknown; dist takes x"),
        ("kmeans(3, centres=dist(x))", "'centres' is unknown"),
        ("kmeans(3, nstart=dist(x))", "x stands for the data"),
        ("RSKC(2, 0.1, 1.5, n=2)", "argument 'n' is the beginning of ncl and nstart"),
        ("kmeans(seq(1, 3, length.out=0))", "whole number from 1 to 9999999"),
        ("kmeans(c('a'))", "numbers only"),
        ("kmeans(-'a')", "single numbers"),
        ("kmeans(3 @ 4)", "cannot read '@ 4)'"),
        ("kmeans(seq(1, 3, length.out=Inf))", "whole number from 1 to 9999999"),
        ("kmeans(seq(1, 3, length.out=NA))", "whole number from 1 to 9999999"),
        ("kmeans(1:Inf)", "fewer than 10000000 numbers; got 1:inf"),
        ("kmeans(NA:1)", "fewer than 10000000 numbers; got nan:1"),
        ("kmeans(x['a',])", "the rows in x[rows, ] must be numbers"),
        ("kmeans(" + "-" * 5000, "nested too deeply"),
    ],
)
def test_call_that_is_not_understood(text: str, message: str) -> None:
    with pytest.raises(CallError) as caught:
        parse_call(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system('ls')", "unknown function 'system'"),
        ('system("rm -rf x")', "unknown function 'system'"),
        ("base::system('ls')", "unknown function 'system'"),
        ("`system`('ls')", 'cannot read "`system`'),
        ("`kmeans`(3)", "cannot read '`kmeans`"),
        ("kmeans(`x`)", "cannot read '`x`"),
        ("nonsense::kmeans(3)", "kmeans is known of the package stats, not of 'nonsense'"),
        ("stats:::kmeans(3)", "cannot read ':::kmeans(3)'"),
        ("kmeans(nonsense::c(3))", "c is known of the package base, not of 'nonsense'"),
        ("kmeans(base::system('ls'))", "'system' is not understood"),
        ("kmeans(nonsense::x)", "'x' is not understood"),
        ("y <- kmeans(3)", "cannot read '<- kmeans(3)'"),
        ("y = kmeans(3)", "unknown function 'y'"),
        ("kmeans(y <- 3)", "cannot read '<- 3)'"),
        ("kmeans(3) -> y", "cannot read '-> y'"),
        ("kmeans(3); system('ls')", "text after the call: 'system'"),
        ("kmeans(3)\nsystem('ls')", "text after the call: 'system'"),
        ("kmeans({system('ls')})", 'cannot read "{system'),
        ("kmeans(eval(parse(text='1')))", "'eval' is not understood"),
        ("kmeans((function() 3)())", "'function' is not understood"),
        ("kmeans(3)(4)", "text after the call: '('"),
        ("kmeans('a\\x41')", "cannot read"),
        ("kmeans(0x10)", "cannot read '0x10"),
        ("kmeans(1i)", "cannot read '1i"),
        ("kmeans('a", 'cannot read "\'a"'),
        ("!kmeans(3)", "cannot read '!kmeans"),
    ],
)
def test_calls_of_other_functions_and_code_are_refused(text: str, message: str) -> None:
    with pytest.raises(CallError) as caught:
        parse_call(text)
    assert message in str(caught.value)


def compare_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Error message of a command that ends with exit code 2, on one line."""
    assert command.main(["compare", *arguments, "--seed", "1"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_compare_command_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    call = ["--call", "kmeans(2)"]
    assert "there is no file" in compare_errors([str(file), *call], capsys)
    file.write_text("a,b,c\n1,10,100,\n2,20,200,\n")
    assert "line 2 of" in compare_errors([str(file), *call], capsys)
    file.write_text("name,a\nu,1\nv,2\n")
    assert "columns that are not numbers: name" in compare_errors([str(file), *call], capsys)
    assert "has no column '0'" in compare_errors([str(file), *call, "--id-col", "0"], capsys)
    assert "known are kmeans" in compare_errors([str(file), "--call", "lm(y)"], capsys)
    rows = ["--id-col", "1", "--call", "kmeans(x[1:3,])"]
    assert "whole numbers from 1 to 2" in compare_errors([str(file), *rows], capsys)
    for call in (
        "HierarchicalSparseCluster(outputfile.prefix='x')",
        "HierarchicalSparseCluster(output.cluster.files=TRUE)",
    ):
        assert "compare writes no files; leave out output" in compare_errors(
            [str(file), "--id-col", "1", "--call", call], capsys
        )


@pytest.mark.parametrize("seed", [2**31, -(2**31), 10**20])
def test_compare_takes_the_seeds_that_r_takes(seed: int) -> None:
    with pytest.raises(InputError, match="--seed must be from -2147483647 to 2147483647, as in R; got"):
        own_call.compare("kmeans(2)", np.eye(3), seed)


def test_compare_command_without_r(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text("1,2\n3,4\n")
    monkeypatch.setattr(own_call.bridge, "available", lambda package=None: (False, "R is not installed"))
    message = compare_errors([str(file), "--no-header", "--call", "kmeans(1)"], capsys)
    assert message.startswith("sparsek: error: R cannot make this call: R is not installed; ")
    assert '"make r"' in message


def test_both_commands_have_the_same_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["compare", "--help"]) == 0
    printed = re.findall(r"--[\w-]+", capsys.readouterr().out)
    assert printed == re.findall(r"--[\w-]+", run("compare", "--help").stdout)
    assert {"--id-col", "--sep", "--decimal", "--scale", "--json", "--sample-kind"} <= set(printed)


def test_a_call_is_read_before_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "no-table.csv"
    file.write_bytes(b"\0")
    assert "unknown function 'lm'" in compare_errors([str(file), "--call", "lm(y)"], capsys)


@given(st.text("kmeans(cx3,2=:+*/-'\"\\`;#\n.[]{}<>%$ )", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for call in (text, f"kmeans({text})"):
        with contextlib.suppress(CallError):
            parse_call(call)
