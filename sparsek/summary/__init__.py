"""Summaries of fitted estimators, as text, HTML and LaTeX: settings, sizes, objective, features, starts."""

from sparsek.summary.estimators import summarise
from sparsek.summary.results import Summary

__all__ = ["Summary", "summarise"]


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
