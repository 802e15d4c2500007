from sparsek.rcompat.base import *
from sparsek.rcompat.clues import *
from sparsek.rcompat.gmedian import *
from sparsek.rcompat.kpodclustr import *
from sparsek.rcompat.rskc import *
from sparsek.rcompat.sparcl import *
from sparsek.rcompat.stats import *
from sparsek.rcompat.wrsk_package import *
from sparsek.rcompat.wskm import *

def packages_of(function: str) -> list[str]: ...
