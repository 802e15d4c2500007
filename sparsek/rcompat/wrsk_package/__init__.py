"""R's package wrsk, and the function lof of R's dbscan that it uses.

The folder is not called wrsk, because `sparsek.rcompat.wrsk` is the function.
"""

from sparsek.rcompat.wrsk_package.api import ROBIN, lof, wrk, wrsk
from sparsek.rcompat.wrsk_package.api_gap import GetOutRates, SimData, wrskGap

__all__ = ["ROBIN", "GetOutRates", "SimData", "lof", "wrk", "wrsk", "wrskGap"]
