"""Tables 3 and 4 of the SKFR paper: mice proteins and ten benchmark data sets."""
