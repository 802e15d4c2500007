"""Comparison with R, recorded and live, and the validation report: ``python -m validation --help``."""
