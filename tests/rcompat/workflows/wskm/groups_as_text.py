"""Groups of features as a text, without a seed of their own."""

import numpy as np

from sparsek.rcompat import fgkm, matrix, rgamma, set_seed, twkm

set_seed(4)
x = np.vstack([matrix(rgamma(60, 2), 15), matrix(rgamma(60, 9), 15)])
fit = fgkm(x, 2, "0,1;2,3", 2, 2)
two = twkm(x, 2, "0,1;2,3", 2, 2)
equal = np.count_nonzero(fit.cluster == two.cluster)
