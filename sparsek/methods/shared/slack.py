"""Bounds that spare the distances of rows which cannot have changed cluster, for large data.

The slack of a row is the distance to its second nearest centre minus the distance to its own. When centre j
moves by m_j, the slack falls by at most m_own + max_j m_j; a row whose slack stays positive keeps its label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.methods.shared.scaling import row_chunks
from sparsek.methods.shared.sums import CHUNK_ROWS, Array, Labels, two_smallest

MIN_ROWS = 5000
"""Below this size, bookkeeping costs more than the distances."""


@dataclass(frozen=True, slots=True)
class Slack:
    """Slacks of all rows for one set of columns.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Lower bounds of the slacks; -inf where unknown. Overwritten as rows are scored.
    norms : ndarray of shape (n,)
        Squared lengths of the rows.
    tolerance : float
        Slacks up to this size are within the rounding of distances.
    """

    values: Array
    norms: Array
    tolerance: float


def squared_lengths(block: Array, factors: Array | None = None) -> Array | None:
    """Squared lengths of prepared rows, columns times factors; None for data so small that bounds do not pay.

    Where there are factors, that of the column of ones is 0.
    """
    if len(block) < MIN_ROWS:
        return None
    if factors is None:
        return np.asarray(np.einsum("ij,ij->i", block, block) - 1)
    squares = factors * factors
    return np.concatenate([np.square(block[rows]) @ squares for rows in row_chunks(block)])


def fresh_slack(norms: Array | None) -> Slack | None:
    """Slacks without any known row, for squared lengths; None without them."""
    if norms is None:
        return None
    tolerance = 8 * float(np.sqrt(np.finfo(norms.dtype).eps * norms.max()))
    return Slack(np.full(len(norms), -np.inf, dtype=norms.dtype), norms, tolerance)


def after_move(slack: Slack, labels: Labels, old: Array, new: Array) -> Slack:
    """Lower the slacks in place for centres moved from `old` to `new`; `labels` are the nearest of `old`."""
    moves = np.sqrt(((new - old) ** 2).sum(axis=1))
    np.subtract(slack.values, (moves + moves.max())[labels], out=slack.values)
    return slack


def nearest_with_slack(block: Array, coefficients: Array, labels: Labels, slack: Slack) -> Labels:
    """Nearest centre of each row by `score_coefficients`; reads and updates rows that may have moved."""
    rows = np.flatnonzero(slack.values <= slack.tolerance)
    labels = labels.copy()
    if 3 * len(rows) > len(block):
        for start in range(0, len(block), CHUNK_ROWS):
            chunk = slice(start, start + CHUNK_ROWS)
            labels[chunk], slack.values[chunk] = _score(coefficients @ block[chunk].T, slack.norms[chunk])
    else:
        for start in range(0, len(rows), CHUNK_ROWS):
            some = rows[start : start + CHUNK_ROWS]
            labels[some], slack.values[some] = _score(coefficients @ block[some].T, slack.norms[some])
    return labels


def _score(scores: Array, norms: Array) -> tuple[Array, Array]:
    """Index of the smallest score of each column, lowest on ties, and the slack."""
    labels, best, second = two_smallest(scores)
    own = np.sqrt(np.maximum(norms + 2 * best, 0))
    return labels, np.sqrt(np.maximum(norms + 2 * second, 0)) - own
