"""R's sums, sampling and distributions: what the packages stand on."""
