"""Odd arguments of functions end with an error that names the argument, and none of numpy's or scipy's."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.linear_model import LinearRegression

from sparsek import SKFR, plots, rcompat
from sparsek.compare import log_relative_error
from sparsek.errors import RError
from sparsek.inference import estimate_sigma
from sparsek.metrics import agreement_score
from sparsek.summary import summarise

RAGGED = [[1.0, 2.0], [3.0, [4.0]]]
X = np.random.default_rng(0).normal(size=(20, 3)) + 5 * (np.arange(20) % 2)[:, None]
FIT = SKFR(2, 1, n_init=1, random_state=0).fit(X)
DRAWS = {"rnorm": (), "rbinom": (3, 0.5), "rt": (3, 0.5), "rexp": (), "rbeta": (1, 2)}
OWN = r"cannot be made an array|must be numbers; got"
CALLS = {
    "mean": lambda: rcompat.mean(RAGGED),
    "mean, trim": lambda: rcompat.mean(X, trim=RAGGED),
    "round": lambda: rcompat.round(RAGGED),
    "prcomp": lambda: rcompat.prcomp(X, rank_=RAGGED),
    "sparsewkm": lambda: rcompat.sparsewkm(X, 2, lambda_=RAGGED),
    "nextRNGStream": lambda: rcompat.nextRNGStream(RAGGED),
    "nextRNGSubStream": lambda: rcompat.nextRNGSubStream(RAGGED),
    "cor": lambda: rcompat.cor(RAGGED, X),
    "colSums": lambda: rcompat.colSums(RAGGED),
    "cmdscale": lambda: rcompat.cmdscale(RAGGED),
    "cutree": lambda: rcompat.cutree(rcompat.hclust(rcompat.dist(X)), h=RAGGED),
    "rgamma, rate": lambda: rcompat.rgamma(2, 1.0, rate=b"2", scale=0.5),
    "rgamma, scale": lambda: rcompat.rgamma(2, 1.0, rate=2, scale=RAGGED),
    "rmultinom": lambda: rcompat.rmultinom(2, RAGGED, [0.5, 0.5]),
    **{f"{name}, n": lambda name=name: getattr(rcompat, name)(RAGGED, *DRAWS[name]) for name in DRAWS},
    "sample_int": lambda: rcompat.sample_int(4, 2, replace=RAGGED),
    "rexp, rate": lambda: rcompat.rexp(3, RAGGED),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_rows_of_different_lengths_and_texts(call) -> None:
    with pytest.raises((RError, TypeError, ValueError), match=OWN):
        call()


def test_single_numbers_are_compared() -> None:
    assert log_relative_error(1.0, 1.0) == 15
    assert log_relative_error(2.5, None) == 0
    assert log_relative_error(2.002, 2.0).round(9) == 3


def test_rates_and_scales_of_gamma_draws() -> None:
    with pytest.raises(RError, match="specify 'rate' or 'scale' but not both"):
        rcompat.rgamma(2, 1.0, rate=2, scale=3)
    with pytest.raises(RError, match="the condition has length > 1"):
        rcompat.rgamma(2, 1.0, rate=[2, 2], scale=0.5)
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        rcompat.rgamma(2, 1.0, rate=1e300, scale=np.nan)


def test_lists_of_lists_are_summarised_as_lists() -> None:
    rows = rcompat.summary([[1.0], [3.0, [4.0, 5.0]]])
    assert [row[0].strip() for row in np.asarray(rows).tolist()] == ["1", "2"]
    assert np.asarray(rows)[1].tolist()[1:] == ["-none-", "list"]


@pytest.mark.parametrize(
    ("row", "pairs", "message"),
    [
        (1, [0, 2], "two rows merge"),
        (0, [9, 2], "row 0 merges"),
        (1, [1, 5], "row 1 merges"),
        (0, [-1, 2], "row 0 merges"),
        (0, [np.nan, 2], "row 0 merges"),
        (0, [0.5, 2], "row 0 merges"),
    ],
)
def test_linkage_matrices_of_no_tree(row: int, pairs: list[float], message: str) -> None:
    tree = np.array([[0, 1, 1.0, 2], [3, 2, 2.0, 3]])
    tree[row, :2] = pairs
    with pytest.raises(ValueError, match=f"tree is no linkage matrix of 3 rows: {message} what is not there"):
        plots.plot_dendrogram(tree)


def test_linkage_matrices_are_drawn() -> None:
    assert plots.plot_dendrogram(linkage(X)).get_title() == "tree of 20 rows"
    plt.close("all")
    with pytest.raises(ValueError, match="linkage matrix of 1 rows"):
        plots.plot_dendrogram(np.zeros((0, 4)))


def test_searches_of_summaries_have_a_summary() -> None:
    for wrong in (np.eye(2), LinearRegression()):
        with pytest.raises(TypeError, match="search must be an estimator with a summary or None; got"):
            summarise(FIT, 3, search=wrong)


def test_agreement_takes_labels_that_are_no_numbers() -> None:
    found = FIT.predict(X)
    assert agreement_score(FIT, X, found) == agreement_score(FIT, X, np.array(["a", "b"])[found]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert agreement_score(FIT, X, np.array([1e300, 2e300])[found]) == 1
    with pytest.raises(ValueError, match=r"y must hold whole numbers; got 0\.5"):
        agreement_score(FIT, X, np.full(20, 0.5))


@pytest.mark.parametrize("method", ["median", "sample", "shrunk"])
def test_noise_of_columns_without_values_and_of_extreme_sizes(method: str) -> None:
    found = estimate_sigma(X, method)
    for exponent in (-1000, -450, 450, 1000):  # powers of two change no digit
        moved = np.ldexp(X, exponent)
        if method != "shrunk":
            assert estimate_sigma(moved, method) == np.ldexp(found, exponent)
            continue
        if abs(exponent) < 500:
            np.testing.assert_array_equal(estimate_sigma(moved, method), np.ldexp(found, 2 * exponent))
            continue
        with pytest.raises(ValueError, match="too large or too small for double precision"):
            estimate_sigma(moved, method)
    if method != "shrunk":
        assert estimate_sigma(np.column_stack([X, np.full(20, np.nan)]), method) == found
        with pytest.raises(ValueError, match="X has no values but NaN"):
            estimate_sigma(np.full((4, 2), np.nan), method)
    with pytest.raises(ValueError, match="X has infinite entries"):
        estimate_sigma(np.where(X.max() - 1e-9 < X, np.inf, X), method)
