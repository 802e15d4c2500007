"""R's table: what its records cannot say."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rcompat import table
from sparsek.rcompat.base.factors import collation_key


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["b", "a", "C"])), min_size=1))
def test_counts_are_those_of_pandas(pairs):
    first, second = zip(*pairs, strict=True)
    counts = table(first, second)
    wanted = pd.crosstab(np.array(first), np.array(second))
    rows, columns = counts.attributes["dimnames"]
    assert np.array_equal(counts, wanted.loc[[int(row) for row in rows], columns])
    assert counts.sum() == len(pairs)


def test_order_of_texts_is_that_of_r_in_utf_8():
    words = ["zoea", "Zoë", "zoe", "AB", "aB", "ab", "a b", "a-b", "1a", "", "_", "É", "f", "é", "e"]
    ordered = ["", "_", "1a", "a b", "a-b", "ab", "aB", "AB", "e", "é", "É", "f", "zoe", "Zoë", "zoea"]
    assert sorted(words, key=collation_key) == ordered  # R's sort() with ICU's root locale


def test_categories_keep_their_order_and_empty_ones_count():
    column = pd.Series(pd.Categorical(["x", "y", None], categories=["y", "x", "w"]))
    counts = table(column)
    assert counts.tolist() == [1, 1, 0]
    assert counts.attributes["dimnames"] == (["y", "x", "w"],)


def test_numbers_are_one_level_where_fifteen_digits_are_equal():
    counts = table([0.1 + 0.2, 0.3, 100000.0, 123456])
    assert counts.attributes["dimnames"] == (["0.3", "1e+05", "123456"],)
    assert table([100000, 3]).attributes["dimnames"] == (["3", "100000"],)


def test_tables_are_arrays_of_whole_numbers():
    counts = table([1, 1, 2], [3, 4, 4], dnn=["a", "b"])
    assert counts.dtype == np.int64
    assert (counts / 2).tolist() == [[0.5, 0.5], [0.0, 0.5]]
    assert str(pickle.loads(pickle.dumps(counts))) == str(counts)
    assert str(counts[0]) == "3 4 \n1 1 "
    assert str(counts[:1]) == "   b\na   3 4\n  1 1 1"


def test_variables_give_their_names():
    cluster, truth = [1, 1, 2], ["a", "b", "b"]
    assert str(table(cluster, truth)).startswith("       truth\ncluster a b\n")
    assert str(table(cluster)).startswith("cluster\n1 2 \n")
    assert table(cluster, truth, deparse_level=0).attributes["dnn"] == ["", ""]
    assert table([1, 2], cluster[:2], deparse_level=2).attributes["dnn"][0] == "c(1, 2)"
    assert table(*[cluster, truth]).attributes["dnn"] == ["", ""]


@pytest.mark.parametrize(
    ("vectors", "options", "message"),
    [
        ([], {}, "nothing to tabulate"),
        ([[1, 2], [1]], {}, "all arguments must have the same length .*2 and 1 labels"),
        ([[1]], {"useNA": "foo"}, "'arg' should be one of “no”, “ifany”, “always”"),
        ([[1]], {"dnn": ["a", "b"]}, r"'names' attribute \[2\] must be the same length as the vector \[1\]"),
    ],
)
def test_errors_of_r(vectors, options, message):
    with pytest.raises(RError, match=message):
        table(*vectors, **options)


def test_bad_vectors():
    with pytest.raises(ValueError, match="one or two vectors of labels; got 3"):
        table([1], [1], [1])
    with pytest.raises(ValueError, match="vector 1 must have one dimension; it has 2"):
        table([[1, 2]])
    with pytest.raises(ValueError, match="dnn must have a name for each of the 2 vectors"):
        table([1], [1], dnn="a")
