"""What callers pass: containers turned into arrays, checks, the number of threads."""
