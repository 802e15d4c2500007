"""Time dist, hclust, sample, scale and random draws against R: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/stats.py [--repeats 5] [--only PATTERN]``; needs R and rpy2.
The ratio is our median time divided by R's for the whole call. Values, and for random calls the next uniform,
are compared bit for bit; a difference is an error.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import rcompat
from sparsek.rng import RRandom

DRAWS = 10**6
SIZES = {"x": (1000, 20), "y": (400, 50), "z": (200, 10)}
DATA = {name: np.random.default_rng(1).standard_normal(size) for name, size in SIZES.items()}
LINKAGES = ["complete", "average", "single", "ward.D2", "centroid"]
DISTRIBUTIONS = {
    "rnorm": ([()], ""),
    "rbinom": ([(10, 0.3), (1000, 0.3), (500, 0.9), (1e6, 0.3)], "5"),
    "rpois": ([(2,), (20,), (1000,)], "5"),
    "rgamma": ([(0.5,), (2,), (5,), (50,)], "5"),
}
"""Parameters and target of every distribution."""
Call = tuple[str, str, Callable[[RRandom], Any], str]


def calls() -> list[Call]:
    """Name, R's call, ours of a stream, and target of every comparison."""
    rows: list[Call] = []
    for name, data in DATA.items():
        rows.append((f"dist {data.shape}", f"dist({name})", lambda rng, x=data: rcompat.dist(x), "1.5"))
    for name, data in DATA.items():
        d = rcompat.dist(data)
        for method in LINKAGES:
            rows.append(
                (
                    f"hclust {method} {len(data)}",
                    f'hclust(d{name}, "{method}")$height',
                    lambda rng, d=d, method=method: rcompat.hclust(d, method).height,
                    "2",
                )
            )
    for n, size in ((10**6, 10**6), (10**6, 10**5), (10**4, 10**4)):
        rows.append(
            (
                f"sample {n} {size}",
                f"sample({n}, {size})",
                lambda rng, n=n, size=size: rcompat.sample(n, size, rng=rng),
                "3",
            )
        )
    for name, data in DATA.items():
        rows.append((f"scale {data.shape}", f"scale({name})", lambda rng, x=data: rcompat.scale(x), "1"))
    for function, (parameters, target) in DISTRIBUTIONS.items():
        for args in parameters:
            text = ", ".join(map(str, (DRAWS, *args)))

            def draw(rng: RRandom, function: str = function, args: tuple[float, ...] = args) -> Any:
                return getattr(rcompat, function)(DRAWS, *args, rng=rng)

            rows.append((f"{function} {args}", f"{function}({text})", draw, target))
    return rows


def main() -> None:
    from rpy2 import robjects

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="calls whose name has this pattern")
    options = parser.parse_args()
    for name, data in DATA.items():
        vector = robjects.FloatVector(data.ravel("F"))
        robjects.globalenv[name] = robjects.r.matrix(vector, nrow=len(data))
        robjects.r(f"d{name} <- dist({name})")
    robjects.r('RNGkind("default", "default", "default")')
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'call':<22} {'R s':>9} {'ours s':>9} {'ratio':>6}  target")
        for name, source, here, target in calls():
            if not re.search(options.only, name):
                continue
            in_r = robjects.r(f"function() {{ set.seed(1); {source} }}")
            theirs, ours = [], []
            for _ in range(options.repeats):
                begin = time.perf_counter()
                expected = in_r()
                theirs.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                rng = RRandom(1)
                found = here(rng)
                ours.append(time.perf_counter() - begin)
            same = np.array_equal(np.asarray(found, dtype=float), np.array(expected, dtype=float))
            if not same or rng.runif(1)[0] != robjects.r("runif(1)")[0]:
                raise SystemExit(f"results differ from R's: {name}")
            a, b = statistics.median(theirs), statistics.median(ours)
            print(f"{name:<22} {a:9.5f} {b:9.5f} {b / a:6.2f}  {target}", flush=True)


if __name__ == "__main__":
    main()
