"""R's package datathin.

The folder is not called datathin, because `sparsek.rcompat.datathin` is the function.
"""

from sparsek.rcompat.datathin_package.api import datathin

__all__ = ["datathin"]
