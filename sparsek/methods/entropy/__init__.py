"""Entropy-weighted k-means and weights of feature groups."""
