"""R's package Gmedian."""

from sparsek.rcompat.gmedian.api import Gmedian, GmedianCov, Weiszfeld, WeiszfeldCov
from sparsek.rcompat.gmedian.api_kmedians import kGmedian

__all__ = ["Gmedian", "GmedianCov", "Weiszfeld", "WeiszfeldCov", "kGmedian"]
