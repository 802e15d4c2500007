"""The design: data sets, starts and kinds of constraints, trials at each scale."""

from dataclasses import dataclass

from validation.report.sections import inferred, our_choice


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set."""

    title: str  # Its name in the paper
    origin: str  # Name in `sparsek.datasets.fetch_pcskm`; "" if the data are drawn at random
    n_uninformative: int = 0  # Number of features, the last ones, that are known to be uninformative
    replicates: int = 1  # Number of subsets or draws, used by the trials in turn
    n_informative: int = 0  # Informative features of data drawn at random
    n_added: int = 0  # Number of exponential noise features that are added


DATA = {
    "ionosphere": DataSet("ionosphere", "ionosphere"),
    "fisheriris": DataSet("fisheriris", "fisheriris"),
    "digits048": DataSet("digits 0-4-8", "digits048", replicates=10),
    "digits389": DataSet("digits 3-8-9", "digits389", replicates=10),
    "mwm_ttscst": DataSet("MWM TT-SC-ST", "mwm_ttscst", 10),
    "mwm_ttchst": DataSet("MWM TT-CH-ST", "mwm_ttchst", 10),
    "synthetic_5_5": DataSet("synthetic +5 -5", "", 5, 10, n_informative=5),
    "synthetic_3_7": DataSet("synthetic +3 -7", "", 7, 10, n_informative=3),
    "digits048_noise": DataSet("digits 0-4-8 +16 -4", "digits048", 4, 10, n_added=4),
    "digits389_noise": DataSet("digits 3-8-9 +16 -4", "digits389", 4, 10, n_added=4),
}
FIGURE_1 = tuple(DATA)[:6]
SYNTHETIC = tuple(DATA)[6:8]
MAZES = tuple(DATA)[4:6]
CONTAMINATED = tuple(DATA)[8:]
"""Data sets of Figure 7 of the paper's appendix."""

STARTS = {"seeding": "Seeding", "dkm++": "DKM++", "robin": "ROBIN", "maximin": "Maximin"}
KINDS = {"both": "both", "ml": "must-links", "cl": "cannot-links"}
FROM_ROWS = tuple(STARTS)[1:]
"""Starts that use neither constraints nor random draws."""
CONDITIONS = (("seeding", "both"), *((start, kind) for start in FROM_ROWS for kind in KINDS))
METHODS = ("LKM", "SKM", "PCKM", "MPCKM", "PCSKM")
SPARSE = ("SKM", "PCSKM")
WEIGHTED = ("SKM", "PCSKM", "MPCKM")
N_FOLDS = 10
SEED = 1


@dataclass(frozen=True, slots=True)
class Scale:
    """Amount of work."""

    # Numbers of constraints in Figure 1, in percent of the pool; the paper has 1, 1.5, ..., 10
    percents: tuple[float, ...]
    n_trials: int  # Folds and draws of each cell of Figure 1; the paper has 10 folds x 25 draws
    # Numbers of constraints elsewhere: Figure 2, the appendix, equation (15), the choice of s
    few_percents: tuple[float, ...]
    few_trials: int  # Folds and draws of each cell elsewhere
    nested_trials: int  # Folds and draws on which s is also chosen by inner folds
    thin: int  # One in this many of the bounds s = 1.1, 1.3, ... is tried
    nested: tuple[str, ...]  # Data sets on which s is also chosen by inner folds


SCALES = {
    "quick": Scale((1, 10), 2, (1, 10), 2, 2, 3, ("fisheriris",)),
    "full": Scale(tuple(1 + i / 2 for i in range(19)), 100, (1, 4, 7, 10), 20, 50, 1, FIGURE_1),
}
N_INNER = 3

SETTINGS = (
    inferred("the largest separation F is that of the authors' program, from the data's box and the origin"),
    inferred("weights of PCSKM leave the penalties out, and s is met by 15 halvings (authors' program)"),
    inferred("a fit in which a cluster loses all its rows has no score and is left out (authors' program)"),
    inferred("MPCKM starts from the labels that Seeding comes with; the others from its centres only"),
    inferred("data are used as they are stored, rows in the authors' order"),
    our_choice("p-values printed as 1^-10 are read as 1e-10"),
    our_choice(
        "at the full scale Figure 1 has the paper's 19 percentages, with "
        f"{SCALES['full'].n_trials} folds and draws per cell instead of 250, and other results "
        f"{len(SCALES['full'].few_percents)} percentages and {SCALES['full'].few_trials} folds and draws; "
        "a recorded run may have fewer, and its caption says how many; each trial of the "
        "digits takes another subset"
    ),
    our_choice("one s per cell, that of the best mean F-score over its trials"),
    our_choice(
        "the two synthetic sets are drawn anew from the published model, because the authors' draws cannot "
        "be had; the noise added to the digits is exponential with mean 1"
    ),
)
"""Settings that the paper leaves open."""
