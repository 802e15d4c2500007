"""Tests after clustering: level, power and sets, after the papers of Gao, Chen and their coauthors."""
