"""Power k-means and its entropy-weighted form."""
