"""R's sums, sampling and distributions, used by all packages."""
