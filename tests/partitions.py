"""Labels as estimators number them, to compare them with labels in another order."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def by_size(labels: ArrayLike) -> NDArray[np.intp]:
    """The labels of the same clusters by falling size, of equal sizes by their first row."""
    found = np.asarray(labels)
    names = sorted(set(found.tolist()), key=lambda k: (-np.sum(found == k), np.argmax(found == k)))
    return np.array([names.index(label) for label in found.tolist()])
