"""Tests of verdicts on printed numbers."""
