"""Geometric k-medians (Cardot, Cenac and Monnez 2012)."""
