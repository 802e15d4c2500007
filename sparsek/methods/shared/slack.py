"""Bounds that spare the distances of rows which cannot have changed cluster, for large data.

The slack of a row is the distance to its second nearest centre minus the distance to its own. When centre j
moves by m_j, the slack falls by at most m_own + max_j m_j; a row whose slack stays positive keeps its label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.methods.shared.sums import CHUNK_ROWS, Array, Labels, Ties, two_smallest
from sparsek.numerics.exact_sums import row_chunks

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


def fresh_slack(norms: Array | None, n_columns: int) -> Slack | None:
    """Slacks without any known row, for squared lengths; None without them.

    Scores of near rows are in doubt up to (6 m + 64) eps L^2 for m columns and the sum L of the lengths of
    row and centre, at most twice the longest row (see `sums.doubt`); distances up to the root of twice
    that.
    """
    if norms is None:
        return None
    tolerance = float(np.sqrt((48 * n_columns + 512) * np.finfo(norms.dtype).eps * norms.max()))
    return Slack(np.full(len(norms), -np.inf, dtype=norms.dtype), norms, tolerance)


def after_move(slack: Slack, labels: Labels, old: Array, new: Array) -> Slack:
    """Lower the slacks in place for centres moved from `old` to `new`; `labels` are the nearest of `old`."""
    moves = np.sqrt(((new - old) ** 2).sum(axis=1))
    np.subtract(slack.values, (moves + moves.max())[labels], out=slack.values)
    return slack


def nearest_with_slack(block: Array, coefficients: Array, labels: Labels, slack: Slack, ties: Ties) -> Labels:
    """Nearest centre of each row by `score_coefficients`; reads and updates rows that may have moved."""
    rows = np.flatnonzero(slack.values <= slack.tolerance)
    labels = labels.copy()
    everything = 3 * len(rows) > len(block)
    for start in range(0, len(block) if everything else len(rows), CHUNK_ROWS):
        chosen: Any = slice(start, start + CHUNK_ROWS)
        some = chosen if everything else rows[chosen]
        found, best, second = two_smallest(coefficients @ block[some].T)
        norms = slack.norms[some]
        own = np.sqrt(np.maximum(norms + 2 * best, 0))
        slack.values[some] = np.sqrt(np.maximum(norms + 2 * second, 0)) - own
        open_ = np.flatnonzero(second <= best + best.dtype.type(ties.doubt))
        labels[some] = found
        if len(open_):
            places = open_ + start if everything else some[open_]
            labels[places] = ties.decide(places)
    return labels
