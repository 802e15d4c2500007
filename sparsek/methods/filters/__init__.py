"""Filters: features ranked before any clustering."""
