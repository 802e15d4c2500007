"""R's package VALIDICLUST."""

from sparsek.rcompat.validiclust.api import (
    merge_selective_inference,
    test_multimod,
    test_selective_inference,
)

__all__ = ["merge_selective_inference", "test_multimod", "test_selective_inference"]
