"""Criteria for numbers of clusters and features over a grid, and data thinning."""
