"""Tests of the comparison with R."""
