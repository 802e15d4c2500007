"""Computations of released code that have no other use than comparison."""
