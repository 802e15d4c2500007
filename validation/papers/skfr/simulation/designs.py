"""The experiments: samples, methods, and trials at each scale."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.utils import Bunch

from sparsek.datasets import make_brodinova, make_partially_observed, make_subset_attributes
from validation.report.sections import Setting, inferred, our_choice

SIZES = (20, 50, 100, 200, 500, 1000)
SCALES = {"quick": 6, "full": 200}
"""Number of trials of each cell, by scale."""
R_SPARCL = "SKM (R sparcl)"
"""Name of sparse k-means in R itself."""
R_RECORD = "table-2-r"
"""Name of the table of its results on the samples of Table 2."""
COSTLY = {
    "SKM": {"quick": 2, "full": 30},
    R_SPARCL: {"quick": 2, "full": 30},
    "geometric k-medians": {"quick": 3, "full": 60},
}
"""Number of trials of the slowest methods."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One setting of the paper."""

    name: str  # Name of the experiment in file names
    title: str  # Title of the experiment
    make: Callable[..., Bunch]  # ``make(n_features, random_state)`` gives a sample
    methods: tuple[str, ...]  # Keys of `validation.papers.skfr.simulation.methods.METHODS`
    n_init: int  # Starts of every method
    settings: tuple[Setting, ...]  # Settings that the paper leaves open


def _with(make: Callable[..., Bunch], **options: Any) -> Callable[..., Bunch]:
    """A maker with some arguments fixed."""
    return partial(make, **options)


NOISE = inferred("noise columns are normal, as in the code of the generator, not uniform, as in its help")
SEEDS = (
    inferred("seeds are rows of the raw columns, also for SKFR, which standardises afterwards"),
    inferred("seeds are drawn with probability proportional to the distance, not to its square"),
    inferred("Lloyd, SKM, geometric k-medians and k-POD see raw columns"),
    our_choice("of the starts the one with the smallest loss counts"),
)
TUNING = (
    our_choice("SKM: bounds 2, 3, 4, 6, 8, 10 up to sqrt(p); the paper gives the range 2 to 10"),
    our_choice("SKM: 3 permutations per gap"),
)
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
            (NOISE, *SEEDS, *TUNING),
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
                inferred(
                    "outliers: a tenth of each group scattered in the informative columns, another tenth "
                    "with gross values in a tenth of the noise columns; the choice that matches Table 2"
                ),
                NOISE,
                our_choice("all rows count for ARI and NVI, outliers under the group that they replace"),
                our_choice("geometric k-medians: R's kGmedian at its defaults"),
                *SEEDS,
                *TUNING,
            ),
        ),
        Experiment(
            "subsets",
            "Figure 3, left: clusters on features of their own",
            _with(make_subset_attributes),
            ("SKFR2", "SKFR1", "Lloyd", "SKM"),
            20,
            (inferred("3 is the standard deviation of the noise, not its variance"), *SEEDS, *TUNING),
        ),
        Experiment(
            "missing",
            "Figure 3, right: 10 % of the entries missing",
            _with(make_partially_observed),
            ("SKFR1, observed entries", "SKFR1, imputation", "k-POD"),
            10,
            (
                inferred("1.5 is the standard deviation of the noise, not its variance"),
                our_choice("exactly a tenth of the entries is removed"),
                our_choice("the loss of a start is that over the observed entries"),
                *SEEDS,
            ),
        ),
    )
}
"""The experiments by name."""


def count_trials(method: str, scale: str) -> int:
    """Trials of a method at a scale."""
    return COSTLY.get(method, SCALES)[scale]
