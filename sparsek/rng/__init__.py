"""R's random numbers: its generators, its kinds of normals, and both of its index samplers, bit for bit."""

from sparsek.rng.stream import RRandom, current_stream, resolve_rng  # noqa: F401 - for the other rooms

__all__ = ["RRandom"]


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
