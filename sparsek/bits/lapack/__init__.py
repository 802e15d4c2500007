"""Steps of LAPACK in the order of operations of R's own build: eigenvalues, singular values."""
