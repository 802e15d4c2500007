"""Comparison with R: recorded answers, and R itself."""
