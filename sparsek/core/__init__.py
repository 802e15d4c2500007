"""The algorithms: numpy and scipy only, one file per paper, no estimator classes."""
