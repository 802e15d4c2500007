"""Time our own 80-bit arithmetic against ``numpy.longdouble``, and a full parity run in both.

Run with ``python validation/benchmarks/rcompat/long_double.py [--repeats 5] [--no-parity]`` on x86-64 Linux.
Prints nanoseconds per element, the smallest of the repeats, and seconds of processor time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from sparsek.bits import elementary
from sparsek.bits import ordered_arithmetic as ordered
from sparsek.bits.extended import software

MATRICES = [(100, 20), (100, 100), (100, 1000), (200, 10_000)]
VECTORS = [10, 100, 10_000]
ARGUMENTS = 2000


def nanoseconds(call: Callable[[], object], repeats: int, elements: int) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) / elements * 1e9


def parity_seconds(value: str) -> tuple[float, str]:
    """Processor time of a parity run and its last line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "validation", "parity"]
    environment = {**os.environ, ordered.VARIABLE: value}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, done.stdout.splitlines()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Our own 80-bit arithmetic against the processor's.")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-parity", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"{'ns per element':<34} {'numpy':>8} {'our own':>8}")
    for shape in MATRICES:
        a = rng.standard_normal(shape)
        for name in ("sums", "means"):
            calls = getattr(ordered, f"long_column_{name}"), getattr(software, f"column_{name}")
            found = [nanoseconds(lambda f=f, a=a: f(a), options.repeats, a.size) for f in calls]
            print(f"{f'column {name}, {shape[0]} x {shape[1]}':<34} {found[0]:>8.1f} {found[1]:>8.1f}")
    for n in VECTORS:
        v = rng.standard_normal(n)
        for name in ("sum", "mean", "deviation"):
            calls = getattr(ordered, f"long_{name}"), getattr(software, f"vector_{name}")
            found = [nanoseconds(lambda f=f, v=v: f(v), options.repeats, n) for f in calls]
            print(f"{f'{name}, {n} values':<34} {found[0]:>8.1f} {found[1]:>8.1f}")
    x = rng.uniform(0.1, 9, ARGUMENTS).tolist()
    for name, theirs, ours in (
        ("log", elementary.log, elementary.own_log),
        ("exp", elementary.exp, elementary.own_exp),
    ):
        found = [nanoseconds(lambda f=f: [f(v) for v in x], options.repeats, len(x)) for f in (theirs, ours)]
        print(f"{name:<34} {found[0]:>8.1f} {found[1]:>8.1f}")
    if not options.no_parity:
        for label, value in (("numpy", ""), ("our own", "software")):
            seconds, line = parity_seconds(value)
            print(f"parity, {label}: {seconds:.0f} s of processor time; {line}")


if __name__ == "__main__":
    main()
