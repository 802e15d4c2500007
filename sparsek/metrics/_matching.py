"""Measures that give clusters a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparsek.compare import match_labels
from sparsek.inputs.arguments import names, takes
from sparsek.inputs.indices import aligned
from sparsek.metrics._labels import Integers, contingency, encode, encode_both

MATCHINGS = ("one-to-one", "many-to-one")


class MixedNodes(NamedTuple):
    """Clusters that hold rows of more than one class.

    Parameters
    ----------
    nodes : int
        Their number.
    total : int
        Number of rows (or of groups of rows) in them.

    See Also
    --------
    mixed_class_nodes : Clusters that hold more than one class.
    """

    nodes: int
    total: int


@takes(matching=[names(*MATCHINGS)])
def misclassification_error(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, matching: str = "one-to-one"
) -> float:
    """Share of the rows in the wrong class, once clusters are given classes in the best way.

    One-to-one: every cluster gets a class of its own, so that as many rows as possible are right. If there
    are more clusters than classes, all rows of the other clusters are wrong. Many-to-one: every cluster is
    given its most frequent class, and every class its most frequent cluster; the larger of the two shares of
    wrong rows counts, ``max(n - sum_r max_c T_rc, n - sum_c max_r T_rc) / n`` for the table T of classes and
    clusters.

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.
    matching : {"one-to-one", "many-to-one"}, default="one-to-one"
        How clusters are given classes. Many-to-one is never above one-to-one; with two classes an
        uninformative clustering scores the share of the smaller class.

    Returns
    -------
    float
        In [0, 1), dimensionless; 0 for equal partitions.

    Raises
    ------
    TypeError, ValueError
        Labels that are neither whole numbers nor texts, missing, none, or of different length; an unknown
        `matching`.

    See Also
    --------
    clustering_error_rate : Share of pairs of rows on which two partitions disagree.
    mixed_class_nodes : Clusters that hold more than one class.

    Notes
    -----
    The tables of the sparse MinMax paper use both: many-to-one (as `classError` of R's mixture packages) for
    sparse k-means, sparse MinMax k-means and MADD, one-to-one for its other columns. Unlike in R, labels
    never match by the order in which they appear.

    References
    ----------
    Kuhn, H. W. (1955). The Hungarian method for the assignment problem. Naval Research Logistics Quarterly 2,
    83-97.

    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI 2020, 2103-2110, Tables 1 to 4.

    Examples
    --------
    >>> misclassification_error([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2])
    0.16666666666666666
    >>> misclassification_error([0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 2, 2])
    0.5
    >>> misclassification_error([0, 0, 0, 1], [0, 1, 0, 1], matching="many-to-one")
    0.25
    """
    truth, found = encode_both(labels_true, labels_pred)
    if matching == "one-to-one":
        return float((match_labels(found, truth) != truth).mean())
    table = contingency(truth, found)
    of_class = _largest(table.rows, table.cells, len(table.row_sums))
    of_cluster = _largest(table.columns, table.cells, len(table.column_sums))
    right = min(int(of_class.sum()), int(of_cluster.sum()))
    return (len(truth) - right) / len(truth)


def _largest(groups: Integers, values: Integers, n_groups: int) -> Integers:
    """Largest value of each group."""
    largest = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(largest, groups, values)
    return largest


def mixed_class_nodes(
    labels_true: ArrayLike, labels_pred: ArrayLike, groups: ArrayLike | None = None
) -> MixedNodes:
    """Clusters (nodes of a map) that hold rows of more than one class, and the rows in them.

    Parameters
    ----------
    labels_true : array_like of shape (n,)
        Classes.
    labels_pred : array_like of shape (n,)
        Clusters, or best nodes of a self-organising map; empty ones do not appear.
    groups : array_like of shape (n,), optional
        Group of each row, such as the animal it was measured on: `total` then counts the different groups in
        mixed clusters instead of rows.

    Returns
    -------
    MixedNodes
        ``(nodes, total)``, both from 0: the number of mixed clusters, at most that of the clusters, and of
        the rows in them, at most n.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    MixedNodes : Result of `mixed_class_nodes`.
    misclassification_error : Share of rows in the wrong class.

    References
    ----------
    Higuera, C., Gardiner, K. J. and Cios, K. J. (2015). Self-organizing feature maps identify proteins
    critical to learning in a mouse model of Down syndrome. PLoS ONE 10, e0129126.

    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Section 5 and Table 3.

    Examples
    --------
    >>> mixed_class_nodes(list("aabbaac"), [0, 0, 1, 1, 1, 2, 3])
    MixedNodes(nodes=1, total=3)
    """
    truth, found = encode_both(labels_true, labels_pred)
    table = contingency(truth, found)
    mixed = np.bincount(table.columns) > 1
    if groups is None:
        return MixedNodes(int(mixed.sum()), int(table.column_sums[mixed].sum()))
    counted = encode(aligned(groups, labels_true, "groups", "labels_true"), "groups")
    if len(counted) != len(truth):
        raise ValueError(f"groups must have one entry per label, {len(truth)}; got {len(counted)}")
    return MixedNodes(int(mixed.sum()), len(np.unique(counted[mixed[found]])))
