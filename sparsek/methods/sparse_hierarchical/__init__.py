"""Sparse hierarchical clustering (Witten and Tibshirani 2010)."""
