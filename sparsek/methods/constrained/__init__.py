"""Clustering with must-links and cannot-links."""
