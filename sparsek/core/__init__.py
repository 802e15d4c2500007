"""What every method rests on: exact sums, scaling, the steps of k-means, weights, many fits as tasks."""
