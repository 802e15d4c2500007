"""Values of every kind: printed, rounded, swept as in R."""
