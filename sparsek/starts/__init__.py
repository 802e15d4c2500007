"""Starts: k-means++, screened, DKM++, ROBIN, Maximin."""
