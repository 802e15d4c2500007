"""Tests of the sparse mixture with common factors."""
