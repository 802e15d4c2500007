"""IF-PCA and SpectralGEM: k-means on an embedding of the rows."""
