"""Counts the comparisons with R and prints them as the very last line of the run."""

import os
from collections import Counter

import pytest
from hypothesis import settings

# Examples have no time limit: on a busy machine it would fail tests that hold.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")

# scipy reads this at import; scikit-learn's array API check runs only if it is set.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

COUNTS: pytest.StashKey[Counter[str]] = pytest.StashKey()
REASONS: pytest.StashKey[Counter[str]] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTS] = Counter()
    config.stash[REASONS] = Counter()
    config.pluginmanager.register(ParityCounter(config), "parity-counter")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Property tests draw columns of all scales: the warning of scale is no error in them.

    Other tests on such columns ignore it by a mark of their own, or ask for it by ``pytest.warns``.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning"))


class ParityCounter:
    """Counts tests that compare with a record (user property) and tests marked live_r, run or skipped."""

    def __init__(self, config: pytest.Config) -> None:
        self.counts, self.reasons = config.stash[COUNTS], config.stash[REASONS]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        live = "live_r" in report.keywords
        if report.skipped and live:
            self.counts["skipped"] += 1
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.reasons[reason.removeprefix("Skipped: ")] += 1
        elif report.when == "call" and live:
            self.counts["live"] += 1
        elif report.when == "call" and ("parity", "recorded") in report.user_properties:
            self.counts["recorded"] += 1


def parity_line(counts: Counter[str], reasons: Counter[str]) -> str:
    """The last line: numbers of comparisons made and skipped, with the reasons."""
    why = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"parity: {counts['recorded']} recorded, {counts['live']} live, {counts['skipped']} live skipped{why}"
    )


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    counts = config.stash[COUNTS]
    if counts and not hasattr(config, "workerinput"):  # of several processes, the one that collects prints
        print(parity_line(counts, config.stash[REASONS]))
