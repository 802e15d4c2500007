"""SKFR under cosine distance: rows of unit length, and centres that are unit vectors.

Let u_i = x_i / ||x_i||, S_k the weighted sum of the rows u_i of cluster k, and m the direction of the sum of
all rows. For a set F of s features, one for all clusters or one for each, minimises

    h(C, c, F) = sum_i w_i (1 - u_i . c_label(i)),  ||c_k|| = 1,  c_kl = m_l for features l outside F.

The best centre is ||m_F|| S_kF / ||S_kF|| in F, where v_F are the entries of v in F (Cauchy and Schwarz), so
that cluster k explains ||m_F|| ||S_kF|| - m_F . S_kF more than m does. With all features this is spherical
k-means. Rows are not scaled anew in F: cosines are always those of whole rows.

The ranking: for every r_k > 0, (r_k ||m_F|| - ||S_kF||)^2 >= 0 gives

    ||m_F|| ||S_kF|| - m_F . S_kF  <=  sum over l in F of g_kl,  g_kl = (S_kl - r_k m_l)^2 / (2 r_k),

with equality at r_k = ||S_kF|| / ||m_F||. So the gains g at this r add up to what F explains. If F has the s
largest of them, it is the best of all sets: each of the others explains at most the sum of its g, which is at
most that of F. Such a set need not exist. Sets that rank first at some r are tried, and the best is taken.

Proof that h never rises: the features of the last iteration are among the sets that are compared, the centres
are the best ones for the features and labels, and labels are those of the nearest centres.

Source: Dhillon and Modha (2001), "Concept decompositions for large sparse text data using clustering",
Machine Learning 42, 143-175, for spherical k-means. The restriction to features is ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, ClusterSums, FitResult, added_in_order, largest, nonzero
from sparsek.methods.skfr.algorithm import Ranked, Selection, Sizes, skfr
from sparsek.methods.skfr.problem import RankedProblem
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import ArraySource, MatrixSource

CANCELLED = 64
"""The mean of unit rows has no direction if it is shorter than this number of roundings of a row."""
ROUNDS = 10
"""Sets of features that are tried, at most, in one iteration: more change little, see the tests."""
ROOT_2 = float(np.sqrt(2.0))
"""In coordinates (u - m) / ROOT_2, squared distances of unit vectors are cosine distances."""


@dataclass(frozen=True, slots=True)
class CosineProblem(RankedProblem):
    """Rows of unit length in coordinates (u - m) / sqrt(2)."""

    def start(self, labels: Any, sizes: Sizes, keep_sums: bool = False) -> FitResult[Selection]:
        """One start on its own."""
        rank: Any = self.rank(self.scaling.offset.astype(np.float64), sizes)
        return skfr(self.rows(labels), rank, tss=self.tss, max_iter=sizes.max_iter, keep_sums=keep_sums)

    def nearest(self, subspace: Subspace, centers: Array) -> Any:
        """Labels of the centres with the smallest angles, whatever their lengths."""
        m = self.scaling.offset[subspace.columns]
        found = unit_rows(centers.astype(np.float64) * ROOT_2 + m)
        return super(CosineProblem, self).nearest(subspace, ((found - m) / ROOT_2).astype(centers.dtype))


def cosine_problem(source: ArraySource | MatrixSource, n_clusters: int) -> CosineProblem:
    """The rows of a fit; a sparse matrix stays sparse."""
    rows: Any
    if isinstance(source, MatrixSource):
        rows = MatrixSource(unit_rows(source.X), source.weights, source.kept)
    else:
        rows = ArraySource(unit_rows(source.dense()), source.weights, source.kept)
    moments, (n, p), dtype = rows.moments(), rows.shape, rows.dtype
    size = float(np.sqrt(added_in_order(np.square(moments.means))))
    if size < CANCELLED * float(np.finfo(dtype).eps):
        raise ValueError(
            "the rows of X, scaled to unit length, add up to 0, so they have no mean direction, from which "
            "loss='cosine' measures gains; use loss='squared' on these rows"
        )
    direction = (moments.means / size).astype(dtype)
    scaling = Scaling(np.ones(p, dtype), direction, np.full(p, ROOT_2, dtype))
    top, bottom = moments.ends(dtype)
    scaling = scaling.gridded(top, bottom, n)
    # Squares about m are those about the mean and n |mean - m|^2; coordinates are divided by the root of 2.
    total = (moments.squares + moments.masses * np.square(moments.means - direction)) / 2
    labelled = rows.labelled(scaling, n_clusters)
    return CosineProblem(rows, n_clusters, moments, scaling, total, labelled, rank=cast(Any, Ranking))


def unit_rows(X: Any) -> Any:
    """Rows divided by their lengths, in an array or a sparse matrix with sorted entries; zeros stay.

    Squares are added in order, so that both have the same bits.
    """
    if not isinstance(X, np.ndarray):
        found = X.copy()
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        top = np.zeros(X.shape[0])
        np.maximum.at(top, row, np.abs(X.data))
        # A power of two brings the largest entry near 1: squares stay finite, and no digit is lost.
        values = np.ldexp(X.data.astype(np.float64), -np.frexp(top)[1][row])
        squares = np.bincount(row, _squares(values), X.shape[0])
        found.data = (values / nonzero(np.sqrt(squares))[row]).astype(X.dtype)
        return found
    found = np.empty_like(X)
    for rows in row_chunks(X):
        top = np.abs(X[rows]).max(axis=1)
        values = np.ldexp(X[rows].astype(np.float64), -np.frexp(top)[1][:, None])
        found[rows] = values / nonzero(np.sqrt(added_in_order(_squares(values))))[:, None]
    return found


def _squares(values: Array) -> Array:
    """Squares; those of very small numbers may underflow to 0."""
    with np.errstate(under="ignore"):
        return np.square(values)


def zero_rows(X: Any) -> NDArray[np.intp]:
    """Numbers of the rows of an array or a sparse matrix that have only zeros."""
    if isinstance(X, np.ndarray):
        return np.flatnonzero(~X.any(axis=1))
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.flatnonzero(np.bincount(row[X.data != 0], minlength=X.shape[0]) == 0)


@dataclass(slots=True)
class Ranking:
    """The ranking of one start, which remembers the last features."""

    direction: Array  # (p,): m
    sizes: Sizes
    features: Any = field(default=None)  # (1, s), or (n_clusters, s) for scope "local"

    def __call__(self, sums: ClusterSums) -> Ranked:
        """Features and centres for these labels; no features explain less than the last ones."""
        found, self.features = _ranked(sums, self.direction, self.sizes, self.features)
        return found


def _ranked(sums: ClusterSums, m: Array, sizes: Sizes, features: Any) -> tuple[Ranked, Array]:
    """Features, centres in coordinates, what they explain, and the features in rows."""
    # Sums of u are got back from sums of the coordinates (u - m) / sqrt(2).
    S = ROOT_2 * sums.sums[:, :-1].astype(np.float64) + sums.counts[:, None] * m
    alone = np.count_nonzero(sums.counts) == 1  # what it explains is 0 but for rounding
    features = _best_features(S, m, sizes, features)
    gains = np.zeros_like(S) if alone else _gains(S, m, _ratios(S, m, features))
    inner, outer = _restricted(S, m, features)
    theta = np.zeros_like(S)
    theta[np.arange(len(S))[:, None], features] = (_centers(inner, outer) - outer) / ROOT_2
    selected = features if sizes.local else features[0]
    columns = np.unique(selected)
    explained = 0.0 if alone else float(_explained(S, m, features).sum())
    return Ranked(selected, columns, theta[:, columns], explained, gains), features


def _best_features(S: Array, m: Array, sizes: Sizes, last: Any) -> Array:
    """The best of the last features and of those that rank first at some r, in rows as `Ranking` has them."""
    # The first r is that of all features, where ||m|| = 1.
    r, best = _lengths(S), last
    for _ in range(ROUNDS):
        found = _first(_gains(S, m, r), sizes)
        if best is None:
            best = found
        better = _explained(S, m, found) > _explained(S, m, best)
        best = np.where(better[:, None], found, best)
        if np.array_equal(_first(_gains(S, m, _ratios(S, m, best)), sizes), best):
            break
        r = np.sqrt(r * _ratios(S, m, found))  # half way, in the logarithm: steps as a whole go to and fro
    return np.asarray(best)


def _first(gains: Array, sizes: Sizes) -> Array:
    """The features with the largest gains, sorted, in one row or a row for each cluster."""
    rows = gains if sizes.local else gains.sum(axis=0)[None]
    return largest(rows, sizes.n_selected, sizes.lift)


def _lengths(V: Array) -> Array:
    """Lengths of the rows."""
    return np.asarray(np.sqrt(np.square(V).sum(axis=1)))


def _restricted(S: Array, m: Array, features: Array) -> tuple[Array, Array]:
    """The entries of S_k and of m in the features of the clusters, both (n_clusters, s)."""
    every = np.broadcast_to(features, (len(S), features.shape[1]))
    return np.take_along_axis(S, every, axis=1), m[every]


def _ratios(S: Array, m: Array, features: Array) -> Array:
    """r_k = ||S_kF|| / ||m_F||, (n_clusters,). Where one is 0, r_k is ||S_k||, as the bound allows."""
    inner, outer = map(_lengths, _restricted(S, m, features))
    return np.where((inner > 0) & (outer > 0), inner / nonzero(outer), _lengths(S))


def _gains(S: Array, m: Array, r: Array) -> Array:
    """g_kl, (n_clusters, p); 0 for clusters without rows."""
    r = r[:, None]
    return np.where(r > 0, np.square(S - r * m) / (2 * nonzero(r)), 0)


def _explained(S: Array, m: Array, features: Array) -> Array:
    """||m_F|| ||S_kF|| - m_F . S_kF, of all clusters, (1,), or of each where it has its own features."""
    inner, outer = _restricted(S, m, features)
    found = _lengths(outer) * _lengths(inner) - (outer * inner).sum(axis=1)
    return np.asarray(found) if len(features) > 1 else np.asarray(found.sum(keepdims=True))


def _centers(S: Array, m: Array) -> Array:
    """Centres c_kF, (n_clusters, s): S_kF with the length of m_F. Where S_kF is 0 the centre is m_F."""
    length = _lengths(S)[:, None]
    return np.where(length > 0, S * (_lengths(m)[:, None] / nonzero(length)), m)
