"""The SKFR paper: simulations and real data."""
