"""The student report on SKFR: its generator, Figures 3 to 5, and the error in its listing of SKFR2."""
