"""Calls that are more than the function of sparsek.rcompat of that name, as in r_reference/calls."""

from collections.abc import Callable
from typing import Any

from sparsek import rcompat

CALLS: dict[str, Callable[..., Any]] = {
    "hclust": lambda x, method, rng: rcompat.hclust(rcompat.dist(x), method),
}
