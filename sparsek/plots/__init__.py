"""Plots of fits, choices and data. Each takes axes and returns them; they need ``sparsek[plot]``."""

from sparsek.plots._gap import plot_gap
from sparsek.plots._weights import plot_weights

__all__ = ["plot_gap", "plot_weights"]
