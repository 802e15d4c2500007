"""What tests draw, which ones `make test` leaves out, which run by both engines; counts as the last lines."""

import gc
import importlib
import os
import random
import secrets
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# Nothing that a test draws depends on the time: on a busy machine a limit would fail tests that hold.
UNTIMED = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
# Examples are the same in every run; --hypothesis-seed draws more of them, new ones, which the seed decides.
settings.register_profile("same", derandomize=True, max_examples=40, **UNTIMED)
settings.register_profile("explore", derandomize=False, max_examples=100, **UNTIMED)
settings.load_profile("same")
# By default hypothesis also draws numbers from the source of loaded modules, which the tests before decide.
providers._get_local_constants = lambda: providers._local_constants

# R's stream takes its first seed from there; `SameDraws` seeds what this asks.
secrets.randbits = random.getrandbits

# scipy reads this at import; scikit-learn's array API check runs only if it is set.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

FOLDER = Path(__file__).parent
THOROUGH = (
    "docs/test_built_pages.py",
    "docs/test_cli_docs.py",
    "docs/test_docs.py",
    "docs/test_docs_pages.py",
    "docs/test_examples.py",
    "docs/test_memory_claims.py",
    "docs/test_method_pages.py",
    "docs/test_newcomer.py",
    "docs/test_sentences.py",
    "core/test_checkpoint.py",
    "methods/kpod/test_kpod_sources.py",
    "methods/power/test_power_sources.py",
    "sources/test_dask_cluster.py",
    "sources/test_same_labels.py",
    "methods/search/test_permutation_gap_parallel.py",
    "package/test_new_estimator.py",
    "package/test_packaging.py",
    "port",
    "validation/benchmarks",
    "validation/inference",
    "validation/kernel",
    "validation/minmax",
    "validation/pcskm",
    "validation/skfr",
    "validation/fuzz/test_faults.py",
    "validation/fuzz/test_fuzz.py",
    "validation/fuzz/test_fuzz_sameness.py",
    "validation/test_mutants.py",
    "validation/test_new_paper.py",
    "validation/test_new_r_function.py",
    "validation/test_papers.py",
    "validation/test_port_your_own.py",
    "validation/report",
    "validation/test_platforms.py",
    "validation/parity/test_software_parity.py",
    "validation/test_statements.py",
    "validation/test_student.py",
    "validation/verdicts",
)
"""Only `make test-all` and CI run these: papers, pages, packages, processes, sources, arithmetic, tools.

Single tests elsewhere carry the mark ``thorough``.
"""

COMPILED_LATER = ("package/test_compilations.py", "rcompat", "rng", "validation/parity")
"""Of these, `make test` runs by numpy what has two engines: numba takes a minute to compile their loops.

The loops of estimators are compiled in `make test` too, for double precision.
"""

COUNTS: pytest.StashKey[Counter[str]] = pytest.StashKey()
REASONS: pytest.StashKey[Counter[str]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTS] = Counter()
    config.stash[REASONS] = Counter()
    config.pluginmanager.register(Counts(config), "counts")
    config.pluginmanager.register(SameDraws())
    if config.getoption("--hypothesis-seed") is not None:
        settings.load_profile("explore")
    if "SPARSEK_ENGINE" not in os.environ:  # "auto" would compile in some orders of the tests only
        _engines().set_engine("numpy")


def _engines() -> ModuleType:
    """sparsek.engine, imported after the environment is set."""
    return importlib.import_module("sparsek.engine")


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that the test runs with."""
    with _engines().set_engine(request.param):
        yield request.param


def seeds_of(config: pytest.Config, count: int, first: int = 0, also: Sequence[int] = ()) -> list[int]:
    """The seeds of a test marked ``seeds``: so many from the first, or others with --hypothesis-seed."""
    given = config.getoption("--hypothesis-seed")
    drawn = range(first, first + count) if given is None else random.Random(given).sample(range(2**31), count)
    return [*also, *drawn]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked ``engines`` by both, but for tests that choose engines; give seeds to ``seeds``."""
    definition = metafunc.definition
    drawn = definition.get_closest_marker("seeds")
    if drawn:
        metafunc.parametrize("seed", seeds_of(metafunc.config, *drawn.args, **drawn.kwargs))
    chooses = definition.get_closest_marker("compiled") or any(
        mark.args[0] == "engine" for mark in definition.iter_markers("parametrize")
    )
    if definition.get_closest_marker("engines") and not chooses:
        if "engine" not in metafunc.fixturenames:
            metafunc.fixturenames.append("engine")
        compiled = pytest.param("compiled", marks=pytest.mark.compiled)
        metafunc.parametrize("engine", ["numpy", compiled], indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Close the figures that a test leaves: matplotlib warns of more than twenty of any tests."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@cache
def is_thorough(path: Path) -> bool:
    """Whether a file is one of `THOROUGH` or lies in one of its folders."""
    return _lies_in(path, THOROUGH)


def _lies_in(path: Path, places: tuple[str, ...]) -> bool:
    """Whether a file is one of the places or lies in one of them."""
    if FOLDER not in path.parents:
        return False
    own = path.relative_to(FOLDER)
    return any(place.as_posix() in places for place in (own, *own.parents))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that `make test` leaves out are not even read there."""
    return True if "not thorough" in config.option.markexpr and is_thorough(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is there before the first test stays: no later collection of garbage looks through it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out, and properties as such; skip what needs numba where it is missing.

    Property tests draw columns of all scales: the warning of scale is no error in them. Other tests on such
    columns ignore it by a mark of their own, or ask for it by ``pytest.warns``.
    """
    for item in items:
        if is_thorough(item.path):
            item.add_marker(pytest.mark.thorough)
        if item.get_closest_marker("compiled"):
            if not _engines().has_numba():
                item.add_marker(pytest.mark.skip(reason="numba is not installed"))
            if _lies_in(item.path, COMPILED_LATER):
                item.add_marker(pytest.mark.thorough)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning"))
            item.add_marker(pytest.mark.drawn)
        if item.get_closest_marker("seeds"):
            item.add_marker(pytest.mark.drawn)


class SameDraws:
    """Seeds what has no seed of its own, so that a test draws the same in any order of the tests."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        os.environ.pop("PYTHONSAFEPATH", None)  # which the command line sets for the processes that it starts
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002  what random_state=None draws from
        if "sparsek.rng.stream" in sys.modules:
            sys.modules["sparsek.rng.stream"]._CURRENT.set(None)


class Counts:
    """Counts tests of compiled loops, and comparisons with records and with R itself, run or skipped.

    A test says how many it makes by a property "recorded" or "live". A test marked live_r that says nothing
    makes one.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.counts, self.reasons = config.stash[COUNTS], config.stash[REASONS]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "compiled" in report.keywords and (report.when == "call" or report.skipped):
            self.counts["loops skipped" if report.skipped else "loops"] += 1
        live = "live_r" in report.keywords
        stated = dict(report.user_properties)
        if report.skipped and live:
            self.counts["skipped"] += stated.get("live", 1)
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.reasons[reason.removeprefix("Skipped: ")] += 1
        elif report.when == "call" and live:
            self.counts["live"] += stated.get("live", 1)
        elif report.when == "call":
            self.counts["recorded"] += stated.get("recorded", 0)


def parity_line(counts: Counter[str], reasons: Counter[str]) -> str:
    """The last line: numbers of comparisons made and skipped, with the reasons."""
    why = f" ({'; '.join(sorted(reasons))})" if reasons else ""
    return (
        f"parity: {counts['recorded']} recorded, {counts['live']} live, {counts['skipped']} live skipped{why}"
    )


def loops_line(counts: Counter[str]) -> str:
    """The line before: tests of compiled loops made and skipped."""
    why = " (numba is not installed)" if counts["loops skipped"] else ""
    return f"compiled loops: {counts['loops']} tests, {counts['loops skipped']} skipped{why}"


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    counts = config.stash[COUNTS]
    if counts and not hasattr(config, "workerinput"):  # of several processes, the one that collects prints
        print(loops_line(counts))
        print(parity_line(counts, config.stash[REASONS]))
