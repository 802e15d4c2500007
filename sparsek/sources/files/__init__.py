"""Rows read block by block from arrays larger than memory and from files."""
