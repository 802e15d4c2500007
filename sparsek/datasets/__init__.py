"""Data sets: those that the papers simulate."""

from sparsek.datasets._simulated import make_brodinova, make_partially_observed, make_subset_attributes

__all__ = ["make_brodinova", "make_partially_observed", "make_subset_attributes"]
