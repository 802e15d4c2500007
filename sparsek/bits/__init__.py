"""R's arithmetic to the last bit: sums in R's order and width, elementary functions, LAPACK's algorithms."""
