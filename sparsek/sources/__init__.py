"""Rows held as an array, a sparse matrix or blocks of a file."""
