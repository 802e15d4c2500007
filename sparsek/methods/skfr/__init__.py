"""Sparse k-means with feature ranking (Zhang, Lange and Xu 2020)."""
