"""The simulations of the SKFR paper: designs, methods, trials with checkpoints, summaries against the
printed numbers."""
