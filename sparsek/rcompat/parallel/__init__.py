"""R's package parallel: streams of random numbers for parallel runs."""

from sparsek.rcompat.parallel.api import nextRNGStream, nextRNGSubStream

__all__ = ["nextRNGStream", "nextRNGSubStream"]
