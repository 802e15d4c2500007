"""Arithmetic and algorithms that both the methods and the R functions use."""
