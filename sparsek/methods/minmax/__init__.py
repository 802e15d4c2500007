"""MinMax k-means and its sparse form."""
