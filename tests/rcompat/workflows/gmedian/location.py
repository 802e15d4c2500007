"""Three medians of the same cloud: recursive, Weiszfeld's and by coordinates."""

import numpy as np

from sparsek.rcompat import Gmedian, Weiszfeld, matrix, median, rexp, rt, set_seed

set_seed(23)
x = matrix(rt(200, df=2), 50)
by_column = [median(column) for column in x.T]
recursive = Gmedian(x)
from_column = Gmedian(x, init=by_column, nstart=5)
weiszfeld = Weiszfeld(x)
weighted = Weiszfeld(x, weights=rexp(50))
gap = np.abs(recursive - weiszfeld.median).max()
