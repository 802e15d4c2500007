"""Sparse k-means and its relatives, with R's answers under R's seeds."""

__version__ = "0.1.0"
