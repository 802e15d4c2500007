"""The experiment of the slides on kernel k-means: the doughnut."""
