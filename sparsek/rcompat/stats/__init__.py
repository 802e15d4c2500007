"""R's package stats."""

from sparsek.rcompat.base.stream import rexp, rnorm, runif
from sparsek.rcompat.stats.api_aggregate import aggregate
from sparsek.rcompat.stats.api_count_draws import rbinom, rgeom, rhyper, rmultinom, rnbinom, rpois
from sparsek.rcompat.stats.api_draws import rbeta, rcauchy, rchisq, rgamma, rlnorm, rlogis, rt, rweibull
from sparsek.rcompat.stats.api_hclust import cutree, hclust
from sparsek.rcompat.stats.api_kmeans import KMeansResult, fitted, kmeans
from sparsek.rcompat.stats.api_moments import cor, cov, cov2cor, sd, var
from sparsek.rcompat.stats.api_prcomp import prcomp
from sparsek.rcompat.stats.api_quantiles import median, quantile
from sparsek.rcompat.stats.api_summary import summary
from sparsek.rcompat.stats.api_trees import as_dist, cophenetic, rect_hclust
from sparsek.rcompat.stats.dendrogram.api_cut import cut
from sparsek.rcompat.stats.dendrogram.api_dendrogram import (
    as_dendrogram,
    as_hclust,
    labels,
    nobs,
    order_dendrogram,
    reorder,
    rev,
)
from sparsek.rcompat.stats.dendrogram.api_heatmap import heatmap
from sparsek.rcompat.stats.dendrogram.dendrograms import Dendrogram
from sparsek.rcompat.stats.distances.api_cmdscale import cmdscale
from sparsek.rcompat.stats.distances.api_dist import as_matrix, dist

__all__ = [
    "Dendrogram",
    "KMeansResult",
    "aggregate",
    "as_dendrogram",
    "as_dist",
    "as_hclust",
    "as_matrix",
    "cmdscale",
    "cophenetic",
    "cor",
    "cov",
    "cov2cor",
    "cut",
    "cutree",
    "dist",
    "fitted",
    "hclust",
    "heatmap",
    "kmeans",
    "labels",
    "median",
    "nobs",
    "order_dendrogram",
    "prcomp",
    "quantile",
    "rbeta",
    "rbinom",
    "rcauchy",
    "rchisq",
    "rect_hclust",
    "reorder",
    "rev",
    "rexp",
    "rgamma",
    "rgeom",
    "rhyper",
    "rlnorm",
    "rlogis",
    "rmultinom",
    "rnbinom",
    "rnorm",
    "rpois",
    "rt",
    "runif",
    "rweibull",
    "sd",
    "summary",
    "var",
]
