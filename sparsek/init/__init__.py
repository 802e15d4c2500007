"""Starting rows of k-means and its relatives, as functions; `seeding` gives centres and labels.

All of them take the data as they are given: scale columns of different units first. The estimators take the
same methods by name, ``init="dkm++"``, and look for the rows in the data that they have centred and scaled
themselves: Maximin then begins with the row farthest from the centre. Rows of weight 0 are left out; DKM++,
Maximin and ROBIN give all other rows the same weight. The estimators also take the functions as callables,
which get the data as they were given to the estimator: ``init=functools.partial(robin, crit=0.1)``, with
``n_init=1``, because every start is the same.
"""

from sparsek._docstrings import complete
from sparsek.init._deterministic import dkm_plus_plus, local_outlier_factors, maximin, robin
from sparsek.init._neighbourhoods import seeding
from sparsek.init._random import kmeans_plus_plus, random_rows

__all__ = [
    "dkm_plus_plus",
    "kmeans_plus_plus",
    "local_outlier_factors",
    "maximin",
    "random_rows",
    "robin",
    "seeding",
]

_TEXTS = {"TypeError": "Sparse data, or an argument of the wrong type."}
complete((globals()[name] for name in __all__), _TEXTS)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
