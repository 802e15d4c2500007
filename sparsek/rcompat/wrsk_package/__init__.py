"""R's package wrsk, and the lof of dbscan that it builds on.

The folder is not called wrsk, because `sparsek.rcompat.wrsk` is the function.
"""

from sparsek.rcompat.wrsk_package.api import ROBIN, lof, wrk, wrsk
from sparsek.rcompat.wrsk_package.api_gap import GetOutRates, SimData, wrskGap

__all__ = ["ROBIN", "GetOutRates", "SimData", "lof", "wrk", "wrsk", "wrskGap"]
