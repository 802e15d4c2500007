"""Tables 1 to 6 of the sparse MinMax k-means paper (Dey, Das & Mallipeddi 2020)."""
