"""Kernel k-means and sparse kernel k-means."""
