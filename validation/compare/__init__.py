"""The command `compare`: one R call on data of the user, read, made in R and in sparsek, compared."""
