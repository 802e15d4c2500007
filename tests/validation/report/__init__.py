"""Tests of the validation report."""
