"""Sparse k-means (Witten and Tibshirani 2010)."""
