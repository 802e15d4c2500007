"""The 80-bit type of x86-64 without that type: 64 significant bits, nearest, ties to even, after every step.

`software` has the sums, means, deviations and correlations that `sparsek.bits.ordered_arithmetic` takes
where ``numpy.longdouble`` is another type. They compute with whole numbers and with pairs of doubles.
"""
