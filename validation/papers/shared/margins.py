"""Margins of equivalence, one per measure, chosen from the measure and not from any result."""

from typing import NamedTuple


class Margin(NamedTuple):
    """How far apart two numbers may be and still count as the same."""

    value: float  # Largest difference, in the unit of the measure; or largest share of the printed number
    reason: str  # Why this much
    relative: bool = False  # Whether `value` is a share of the printed number

    def around(self, printed: float) -> float:
        """The largest difference from a printed number, in the unit of the measure."""
        return self.value * abs(printed) if self.relative else self.value


SHARE = "two hundredths of its range from 0 to 1"
MARGINS = {
    "nmi": Margin(0.02, SHARE),
    "ari": Margin(0.02, SHARE),
    "error rate": Margin(0.02, SHARE),
    "F score": Margin(0.02, SHARE),
    "Dunn index": Margin(0.02, SHARE),
    "fpr": Margin(0.05, "half a feature of the ten that are searched for"),
    "fnr": Margin(0.05, "half a feature of the ten that are searched for"),
    "mixed nodes": Margin(1, "one node, the smallest step"),
    "mice": Margin(12, "the mice of one node: 570 in 49 nodes, 510 in 36"),
    "iterations": Margin(1, "one iteration, the smallest step"),
    "features": Margin(0.05, "one feature in twenty", relative=True),
}
"""Margins of means, medians and best runs by measure."""
SD_FACTOR = 1.5
"""Margin of standard deviations: ours over the printed one lies between 1/1.5 and 1.5."""
SD_REASON = "half as much again; the papers' 20 runs show equal spreads as equal one time in three at best"
