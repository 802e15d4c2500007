"""Figures 1 and 2 of Vouros and Vasilaki (2021), "A semi-supervised sparse K-means algorithm"."""
