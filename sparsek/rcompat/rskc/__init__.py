"""R's package RSKC."""

from sparsek.rcompat.rskc.api import RSKC, RobustClusters
from sparsek.rcompat.rskc.api_agreement import CER, Sensitivity
from sparsek.rcompat.rskc.api_data import DBWorld, DutchUtility, optd, showbitmap, showDigit
from sparsek.rcompat.rskc.api_tools import Clest, ClestResult, revisedsil
from sparsek.rcompat.rskc.api_trimmed import RSKC_trimkmeans

__all__ = [
    "CER",
    "RSKC",
    "Clest",
    "ClestResult",
    "DBWorld",
    "DutchUtility",
    "RSKC_trimkmeans",
    "RobustClusters",
    "Sensitivity",
    "optd",
    "revisedsil",
    "showDigit",
    "showbitmap",
]
