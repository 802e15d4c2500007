"""Robust sparse k-means: trimmed, and weighted by outlyingness."""
