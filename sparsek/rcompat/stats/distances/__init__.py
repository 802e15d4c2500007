"""Distances of rows as R has them: dist, as.matrix, cmdscale."""
