"""Which call has which number: everything follows from the seed and the number."""

import numpy as np

from validation.fuzz import commands, doors, estimators, functions, rfunctions, strangers
from validation.fuzz.judge import Call

GROUPS = (
    (estimators, "estimators", 48),
    (rfunctions, "R's functions", 20),
    (doors, "public functions, one wrong value", 16),
    (functions, "other functions", 10),
    (commands, "command line", 2),
    (strangers, "files and folders of strangers", 4),
)
"""Modules of calls, with the name of the group and its share in percent."""
SLOW = {
    "Clest": 0.15,
    "wrskGap": 0.15,
    "KMeansSparseCluster.permute": 0.3,
    "HierarchicalSparseCluster.permute": 0.3,
    "DEC": 0.4,
    "StabilitySelection": 0.5,
    "ConsensusClustering": 0.5,
    "PermutationGap": 0.5,
    "EntryCrossValidation": 0.5,
    "ModelChoice": 0.5,
    "ThinnedSearch": 0.5,
    "PredictionStrength": 0.5,
    "SelectionConsistency": 0.5,
    "FitUncertainty": 0.5,
}
"""Weights of targets that take long or are drawn within others; all others have 1."""
TARGETS = {name: module for module, _, _ in GROUPS for name in module.NAMES}
"""Module by target."""
GROUP = {name: group for module, group, _ in GROUPS for name in module.NAMES}
"""Group by target."""


def _shares() -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Probability of each target."""
    parts = []
    for module, _, percent in GROUPS:
        weights = np.array([SLOW.get(name, 1.0) for name in module.NAMES])
        parts.append(percent / 100 * weights / weights.sum())
    return np.concatenate(parts)


SHARES = _shares()


def target_of(seed: int, number: int) -> str:
    """The target of a call."""
    return str(np.random.default_rng([seed, number]).choice(list(TARGETS), p=SHARES))


def make_call(seed: int, number: int) -> Call:
    """A call by its number."""
    name = target_of(seed, number)
    return TARGETS[name].make_call(name, np.random.default_rng([seed, number, 1]))
