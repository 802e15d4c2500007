"""The experiments: which samples, which methods, how many trials at which scale."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.utils import Bunch

from sparsek.datasets import make_brodinova, make_partially_observed, make_subset_attributes

SIZES = (20, 50, 100, 200, 500, 1000)
SCALES = {"quick": 6, "full": 200}
"""Trials of each cell."""
COSTLY = {"SKM": {"quick": 2, "full": 30}, "geometric k-medians": {"quick": 3, "full": 60}}
"""Trials of the methods that take longest."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One setting of the paper.

    Attributes
    ----------
    name : str
        Used in file names.
    title : str
        For people.
    make : callable
        ``make(n_features, random_state)`` gives a sample.
    methods : tuple of str
        Keys of `validation.simulation.methods.METHODS`.
    n_init : int
        Starts of every method.
    inferred : tuple of str
        Settings that the paper leaves open, as chosen here.
    """

    name: str
    title: str
    make: Callable[..., Bunch]
    methods: tuple[str, ...]
    n_init: int
    inferred: tuple[str, ...]


def _with(make: Callable[..., Bunch], **options: Any) -> Callable[..., Bunch]:
    """A maker with some arguments fixed."""
    return partial(make, **options)


RAW_SEEDS = "seeds on raw columns (inferred from the authors' code)"
SKM_TUNING = "SKM: bounds 2, 3, 4, 6, 8, 10 up to sqrt(p), 3 permutations (the paper gives only the range)"
EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "clean",
            "Figure 2: ten groups, no outliers",
            _with(make_brodinova),
            (
                "SKFR1",
                "SKFR1, screened seeds",
                "SKFR1, standardised seeds",
                "Lloyd",
                "Lloyd, standardised",
                "SKM",
            ),
            20,
            (RAW_SEEDS, SKM_TUNING),
        ),
        Experiment(
            "outliers",
            "Figure 2 and Table 2: ten groups, outliers",
            _with(make_brodinova, scatter_outliers=0.1, noise_outliers=0.1),
            (
                "SKFR1",
                "SKFR1, screened seeds",
                "SKFR1, winsorised, screened seeds",
                "Lloyd",
                "SKM",
                "geometric k-medians",
            ),
            20,
            (
                "outliers: scatter and noise outliers, 10 % each (inferred from Table 2)",
                RAW_SEEDS,
                SKM_TUNING,
                "all rows count for ARI and NVI",
            ),
        ),
        Experiment(
            "subsets",
            "Figure 3, left: clusters on features of their own",
            _with(make_subset_attributes),
            ("SKFR2", "SKFR1", "Lloyd", "SKM"),
            20,
            ("3 is the standard deviation of the noise (inferred)", RAW_SEEDS, SKM_TUNING),
        ),
        Experiment(
            "missing",
            "Figure 3, right: 10 % of the entries missing",
            _with(make_partially_observed),
            ("SKFR1, observed entries", "SKFR1, imputation", "k-POD"),
            10,
            (
                "1.5 is the standard deviation of the noise (inferred)",
                "an exact number of entries is removed",
                "best start: smallest loss over the observed entries",
                RAW_SEEDS,
            ),
        ),
    )
}
"""The experiments by name."""


def count_trials(method: str, scale: str) -> int:
    """Trials of a method at a scale."""
    return COSTLY.get(method, SCALES)[scale]
