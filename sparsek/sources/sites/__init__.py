"""Rows that stay at their sites, which answer by counts and exact sums."""
