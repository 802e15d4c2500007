"""Comparison of fields, the reader of R calls, and the compare command without R."""

from pathlib import Path

import numpy as np
import pytest

from sparsek.compare import compare_fields, log_relative_error, match_labels
from validation import __main__ as command
from validation.parity import compare_cmd
from validation.parity.compare_cmd import InputError
from validation.parity.rcall import CallError, RowsOfX, parse_call


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


@pytest.mark.parametrize(
    ("ours", "theirs", "exact", "message"),
    [
        ([1.0, np.nan], [1.0, np.nan], True, ""),
        ([0.0], [-0.0], False, "1 of 1 entries differ, first at entry 1: 0 against -0"),
        ([1.0], [1.0, 2.0], False, "shape (1,) against (2,)"),
        ([1.0, 2.0], [1.0, np.inf], False, "1 of 2 entries differ, first at entry 2: 2 against inf"),
        ([[1, 2]], [[1, 2]], True, ""),
        (None, "bad", False, "None against 'bad'"),
        (["a"], ["a", "b"], False, "1 against 2 texts, first difference at 2: None against 'b'"),
        ([], [], True, ""),
    ],
)
def test_compare_fields(ours: object, theirs: object, exact: bool, message: str) -> None:
    (comparison,) = compare_fields({"f": ours}, {"f": theirs})
    assert (comparison.exact, comparison.message) == (exact, message)
    assert (comparison.lre == 15.0) == (exact or "against -0" in message)


def test_compare_fields_names_what_is_missing() -> None:
    comparisons = compare_fields({"a": 1.0}, {"b": 1.0})
    assert [(c.field, c.exact) for c in comparisons] == [("b", False), ("a", False)]
    assert comparisons[0].message == "ours lacks this field"


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
        ("kmeans(3) + 1", "cannot read"),
        ("kmeans(3) 4", "text after the call"),
        ("kmeans(k=3)", "'k' is unknown or given twice"),
        ("kmeans(centers=3, centers=4)", "given twice"),
        ("kmeans(3, 10, 1, 'Lloyd', 5)", "too many arguments"),
        ("kmeans(system('ls'))", "'system' is not understood"),
        ("kmeans(3, x)", "x stands for the data"),
        ("kmeans(seq(1, 3, by=1))", "seq(a, b, length.out=n)"),
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
    assert "--index-col counts columns from 1" in compare_errors(
        [str(file), *call, "--index-col", "0"], capsys
    )
    assert "known are kmeans" in compare_errors([str(file), "--call", "lm(y)"], capsys)
    rows = ["--index-col", "1", "--call", "kmeans(x[1:3,])"]
    assert "whole numbers from 1 to 2" in compare_errors([str(file), *rows], capsys)
    for call in (
        "HierarchicalSparseCluster(outputfile.prefix='x')",
        "HierarchicalSparseCluster(output.cluster.files=TRUE)",
    ):
        assert "compare writes no files; leave out output" in compare_errors(
            [str(file), "--index-col", "1", "--call", call], capsys
        )


@pytest.mark.parametrize("seed", [2**31, -(2**31), 10**20])
def test_compare_takes_the_seeds_that_r_takes(seed: int) -> None:
    with pytest.raises(InputError, match="--seed must be from -2147483647 to 2147483647, as in R; got"):
        compare_cmd.compare("kmeans(2)", np.eye(3), seed)


def test_compare_command_without_r(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text("1,2\n3,4\n")
    monkeypatch.setattr(compare_cmd.bridge, "available", lambda package=None: (False, "R is not installed"))
    message = compare_errors([str(file), "--no-header", "--call", "kmeans(1)"], capsys)
    assert message == "R cannot make this call: R is not installed"


def test_read_matrix_is_exact(tmp_path: Path) -> None:
    values = np.array([[0.1 + 0.2, 1 / 3], [-1e-300, 5e15]])
    file = tmp_path / "data.csv"
    file.write_text("id,a,b\n" + "\n".join(f"r,{a!r},{b!r}" for a, b in values.tolist()))
    np.testing.assert_array_equal(compare_cmd.read_matrix(file, True, 1), values)
