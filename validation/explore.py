"""``python -m validation explore``: every test that draws its cases, with new ones, which a seed decides."""

import argparse
import random

from validation.suite import RESULTS, number, run_tests

OUTPUT = RESULTS / "explore"
"""Folder of what pytest printed and found for each seed."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # in each process, as in the Makefile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--seed", type=int, help="the seed, or the first of several (default: a new one)")
    parser.add_argument("--seeds", type=number, default=1, metavar="N", help="how many seeds (default 1)")
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
    """Run the tests for every seed, and print a line before and after each."""
    first = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    failed = []
    for seed in range(first, first + options.seeds):
        print(f"seed {seed}", flush=True)
        chosen = ["-m", "drawn and not slow", f"--hypothesis-seed={seed}", *options.tests]
        passed, line = run_tests(OUTPUT / f"seed-{seed}", chosen, ONE_THREAD, options.n_jobs)
        print(f"seed {seed}: {'passed' if passed else 'FAILED'}: {line}", flush=True)
        failed += [] if passed else [seed]
    for seed in failed:
        print(f"again: make explore SEED={seed}")
    return int(bool(failed))
