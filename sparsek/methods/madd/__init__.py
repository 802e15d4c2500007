"""k-means on mean absolute differences of distances (Sarkar and Ghosh 2020)."""
