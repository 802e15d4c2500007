"""The simulations of the SKFR paper: designs, methods, trials with checkpoints, summaries with the printed
numbers."""
