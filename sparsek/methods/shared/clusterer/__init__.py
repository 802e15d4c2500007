"""Parts of the base classes: numbers of clusters, starts that are given, rows that are not in memory."""
