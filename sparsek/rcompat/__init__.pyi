import builtins

from sparsek.rcompat.base import *
from sparsek.rcompat.cadet import *
from sparsek.rcompat.clues import *
from sparsek.rcompat.cluster import *
from sparsek.rcompat.clusterpval import *
from sparsek.rcompat.datathin_package import *
from sparsek.rcompat.fpc import *
from sparsek.rcompat.gmedian import *
from sparsek.rcompat.kmeansinference import *
from sparsek.rcompat.kpodclustr import *
from sparsek.rcompat.mass import *
from sparsek.rcompat.mclust import *
from sparsek.rcompat.mvtnorm import *
from sparsek.rcompat.nbclust import *
from sparsek.rcompat.parallel import *
from sparsek.rcompat.rskc import *
from sparsek.rcompat.sparcl import *
from sparsek.rcompat.stats import *
from sparsek.rcompat.validiclust import *
from sparsek.rcompat.vimpclust import *
from sparsek.rcompat.wrsk_package import *
from sparsek.rcompat.wskm import *

def packages_of(function: builtins.str) -> list[builtins.str]: ...
