"""Searches over parameters: permutation gap, stability selection, consensus."""
