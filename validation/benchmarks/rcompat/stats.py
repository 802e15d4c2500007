"""Time dist, hclust, sample, scale and random draws against R: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/stats.py [--repeats 5] [--only PATTERN]``; needs R and rpy2.
Columns are explained in `validation.benchmarks.rows`. Values and the next uniform are compared bit for bit; a
difference is an error.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

DRAWS = 10**6
SIZES = {"x": (1000, 20), "y": (400, 50), "z": (200, 10)}
DATA = {name: np.random.default_rng(1).standard_normal(size) for name, size in SIZES.items()}
LINKAGES = ["complete", "average", "single", "ward.D2", "centroid"]
GOAL = 0.8
DISTRIBUTIONS: dict[str, list[tuple[float, ...]]] = {
    "runif": [()],
    "rnorm": [()],
    "rexp": [()],
    "rbinom": [(10, 0.3), (1000, 0.3), (500, 0.9), (1e6, 0.3)],
    "rpois": [(2,), (20,), (1000,)],
    "rgamma": [(0.5,), (2,), (5,), (50,)],
}
"""Parameters of every distribution."""
Call = tuple[str, tuple[int, ...], str, Callable[[RRandom], Any]]


def calls() -> list[Call]:
    """Name, size, R's call, and ours of a stream, of every comparison."""
    rows: list[Call] = []
    for name, data in DATA.items():
        rows.append(("dist", data.shape, f"dist({name})", lambda rng, x=data: rcompat.dist(x)))
    for name, data in DATA.items():
        d = rcompat.dist(data)
        for method in LINKAGES:
            rows.append(
                (
                    f"hclust, {method}",
                    data.shape[:1],
                    f'hclust(d{name}, "{method}")$height',
                    lambda rng, d=d, method=method: rcompat.hclust(d, method).height,
                )
            )
    for n, size in ((10**6, 10**6), (10**6, 10**5), (10**4, 10**4)):
        rows.append(
            (
                f"sample, {size} of {n}",
                (size,),
                f"sample({n}, {size})",
                lambda rng, n=n, size=size: rcompat.sample(n, size, rng=rng),
            )
        )
    for name, data in DATA.items():
        rows.append(("scale", data.shape, f"scale({name})", lambda rng, x=data: rcompat.scale(x)))
    for function, parameters in DISTRIBUTIONS.items():
        for args in parameters:
            text = ", ".join(map(str, (DRAWS, *args)))

            def draw(rng: RRandom, function: str = function, args: tuple[float, ...] = args) -> Any:
                return getattr(rcompat, function)(DRAWS, *args, rng=rng)

            given = ", ".join(f"{value:g}" for value in args)
            rows.append((f"{function}({given})", (DRAWS,), f"{function}({text})", draw))
    return rows


def fit_here(here: Callable[[RRandom], Any]) -> np.ndarray:
    """The values of a call, and the next uniform of its stream."""
    rng = RRandom(1)
    values = np.asarray(here(rng), dtype=float)
    return np.append(values.ravel(order="F"), rng.runif(1))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="calls whose name has this pattern")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r():
        return
    distances = "; ".join(f"d{name} <- dist({name})" for name in DATA)
    in_r(f'RNGkind("default", "default", "default"); {distances}'.replace("<-", "<<-"), **DATA)()
    for name, size, source, here in calls():
        if re.search(options.only, name):
            theirs = in_r(f"set.seed(1); found <- {source}; c(found, runif(1))")
            ours = partial(fit_here, here)
            yield compare(name, size, theirs, ours, goal=GOAL, repeats=options.repeats)


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)
