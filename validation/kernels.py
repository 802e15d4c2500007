"""The tests under several kernels of OpenBLAS, and once without numpy's vector loops.

Each kernel adds up matrix products in an order of its own, and so do numpy's loops with and without vectors.
What holds under all of them does not rest on last digits. A setting that cannot run is named and skipped.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from validation.suite import RESULTS, number, run_tests

KERNELS: dict[str, tuple[str, ...]] = {
    "Haswell": ("Haswell",),
    "Zen": ("Zen", "Haswell"),
    "SkylakeX": ("SkylakeX",),
    "Prescott": ("Prescott", "Katmai"),
}
"""Kernels, and the names by which OpenBLAS may call them: many builds have no kernel of Zen's own, and the
oldest ones are one kernel of several names."""
NO_VECTORS = "no-vector-loops"
"""The setting that switches numpy's vector loops off; OpenBLAS keeps its kernel."""
SETTINGS = (*KERNELS, NO_VECTORS)
OUTPUT = RESULTS / "kernels"
"""Folder of what pytest printed and found under each setting."""
PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
for kind in ("float64", "float32"):
    x = numpy.eye(70, dtype=kind) + 1
    scipy.linalg.svd(x @ x.T + x @ x[0])
blas = [lib for lib in threadpoolctl.threadpool_info() if lib["internal_api"] == "openblas"]
loops = numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
print(json.dumps([[lib["architecture"] for lib in sorted(blas, key=lambda lib: lib["filepath"])], loops]))
"""
"""Prints the kernels of numpy's and scipy's OpenBLAS and numpy's vector loops, after some work for them."""


@dataclass(frozen=True, slots=True)
class State:
    """What computes in a process."""

    kernels: tuple[str, ...]  # Kernel of every OpenBLAS that numpy and scipy load, by OpenBLAS' names
    loops: tuple[str, ...]  # Numpy's names of the vector loops it uses beyond those that every processor has


def probe(environment: Mapping[str, str]) -> State | None:
    """What computes in a process with these environment variables; None where the process dies."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=os.environ | environment, capture_output=True, text=True
    )
    if done.returncode:
        return None
    kernels, loops = json.loads(done.stdout)
    return State(tuple(kernels), tuple(loops))


def variables(setting: str, own: State) -> dict[str, str]:
    """The environment variables of a setting."""
    if setting == NO_VECTORS:
        return {"NPY_DISABLE_CPU_FEATURES": " ".join(own.loops)}
    return {"OPENBLAS_CORETYPE": setting}


def why_not(setting: str, own: State, state: State | None, seen: Mapping[State, str]) -> str:
    """Why a setting is not run."""
    if setting == NO_VECTORS and not own.loops:
        return "numpy uses no vector loops that can be switched off here"
    if state is None:
        return "this processor cannot run it"
    if setting == NO_VECTORS and state.loops:
        return f"numpy keeps its loops {', '.join(state.loops)}"
    if setting in KERNELS and not state.kernels:
        return "numpy and scipy are not linked to OpenBLAS here"
    others = sorted(set(state.kernels) - set(KERNELS.get(setting, state.kernels)))
    if others:
        return f"OpenBLAS runs {', '.join(others)} instead"
    return f"the same code as {seen[state]}" if state in seen else ""


def choose(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, str], str]]:
    """The settings asked for, one after the other."""
    own = probe({})
    if own is None:
        raise SystemExit("error: numpy, scipy or threadpoolctl fails here; make test installs them")
    seen = {} if options.others is None else {own: "without a setting"}
    left = len(SETTINGS) if options.others is None else options.others
    for setting in options.only:
        if not left:
            return
        environment = variables(setting, own)
        state = probe(environment)
        reason = why_not(setting, own, state, seen)
        if state is not None and not reason:
            seen[state] = setting
            left -= 1
        yield setting, environment, reason


def known(text: str) -> list[str]:
    """Settings from a text with commas."""
    names = text.split(",")
    for name in names:
        if name not in SETTINGS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(SETTINGS)}")
    return names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument(
        "--only",
        type=known,
        default=SETTINGS,
        metavar="NAME,...",
        help=f"settings, separated by commas, of: {', '.join(SETTINGS)}",
    )
    parser.add_argument(
        "--others",
        type=number,
        metavar="N",
        help="run the first N settings only that can run here and compute otherwise than without a setting",
    )
    parser.add_argument(
        "--n-jobs", default="auto", metavar="N", help="processes for the tests (default: one for each core)"
    )
    parser.add_argument(
        "tests",
        nargs=argparse.REMAINDER,
        metavar="tests",
        help="files or folders of tests, then options of pytest (default: the whole suite)",
    )


def main(options: argparse.Namespace) -> int:
    """Run the tests under every setting that can run here, and print a line for each setting."""
    outcomes = []
    for setting, environment, reason in choose(options):
        if reason:
            print(f"{setting}: skipped, {reason}", flush=True)
            continue
        chosen = ["-m", "not slow", *options.tests]
        passed, line = run_tests(OUTPUT / setting, chosen, environment, options.n_jobs)
        print(f"{setting}: {'passed' if passed else 'FAILED'}: {line}", flush=True)
        outcomes.append(passed)
    if not outcomes:
        print("error: no setting can run here", file=sys.stderr)
        return 2
    return 0 if all(outcomes) else 1
