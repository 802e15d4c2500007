"""Time five usual cases, with which docs/speed.md begins: whole calls, defaults where there are some.

Run with ``python validation/benchmarks/methods/usual.py [--repeats 3]``; the first three need R with sparcl,
and rpy2. Columns are explained in `validation.benchmarks.rows`. R's answers must be equal to ours. SKFR and
scikit-learn's KMeans are different methods: each does what it does by default on the same data.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from validation.benchmarks.methods.peers import groups
from validation.benchmarks.methods.skfr import labels_of, mixture
from validation.benchmarks.public_calls import public_call
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script


class InR(NamedTuple):
    """A case of R: its title, R's call, ours, what is compared (a field in R and one here), and the size."""

    title: str
    theirs: str
    ours: str
    field: tuple[str, str]
    size: tuple[int, int, int]


CASES_IN_R = (
    InR(
        "k-means, 20 starts",
        "kmeans(x, 5, nstart = 20)",
        "rcompat.kmeans(x, 5, nstart=20, rng=RRandom(1))",
        ("$cluster", ".cluster"),
        (1000, 10, 5),
    ),
    InR(
        "sparse k-means at one bound",
        "KMeansSparseCluster(x, 4, wbounds = 6)",
        "rcompat.KMeansSparseCluster(x, 4, wbounds=6, rng=RRandom(1))",
        ("[[1]]$ws", '[0]["ws"]'),
        (200, 500, 4),
    ),
    InR(
        "the bound by permutations",
        "KMeansSparseCluster.permute(x, 4)",
        "rcompat.KMeansSparseCluster_permute(x, 4, rng=RRandom(1))",
        ("$gaps", '["gaps"]'),
        (200, 500, 4),
    ),
)
SKFR_CASES = {
    "SKFR, default starts": ("SKFR(10, 20, random_state=0).fit(X)", (10_000, 1000, 10, 20)),
    "a million rows, one start": ("SKFR(10, 10, n_init=1, random_state=0).fit(X)", (1_000_000, 50, 10, 10)),
}
"""Our call, and the numbers of rows, columns, clusters and selected columns, by title."""
KMEANS = "KMeans(10, random_state=0).fit(X)"
"""scikit-learn's call beside SKFR: one start by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows_in_r(options: argparse.Namespace) -> Iterator[Row]:
    """R's functions."""
    in_r("suppressMessages(library(sparcl)); 0")()
    for case in CASES_IN_R:
        x = groups(*case.size)
        there, here = case.field
        yield compare(
            case.theirs,
            case.size,
            in_r(f"set.seed(1); invisible(capture.output(fit <- {case.theirs})); fit{there}", x=x),
            public_call(case.ours + here, x=x),
            data=case.title,
            peer="the same call in R",
            repeats=options.repeats,
        )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if has_r("sparcl"):
        yield from rows_in_r(options)
    for title, (text, size) in SKFR_CASES.items():
        X = mixture(size, 0)
        yield compare(
            text,
            size[:3],
            public_call(KMEANS, X=X),
            labels_of(text, X=X),
            data=title,
            peer=f"`{KMEANS}` of scikit-learn",
            repeats=options.repeats,
            same=None,
        )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)
