"""Dendrograms of R: what is made of trees, and the order of heat maps."""
