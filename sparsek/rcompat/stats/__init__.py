"""R's package stats."""

from sparsek.rcompat.base.stream import rexp, rnorm, runif
from sparsek.rcompat.stats.api_count_draws import rbinom, rgeom, rmultinom, rnbinom, rpois
from sparsek.rcompat.stats.api_draws import rbeta, rcauchy, rchisq, rgamma, rlnorm, rlogis, rt, rweibull
from sparsek.rcompat.stats.api_hclust import cutree, dist, hclust
from sparsek.rcompat.stats.api_kmeans import KMeansResult, kmeans

__all__ = [
    "KMeansResult",
    "cutree",
    "dist",
    "hclust",
    "kmeans",
    "rbeta",
    "rbinom",
    "rcauchy",
    "rchisq",
    "rexp",
    "rgamma",
    "rgeom",
    "rlnorm",
    "rlogis",
    "rmultinom",
    "rnbinom",
    "rnorm",
    "rpois",
    "rt",
    "runif",
    "rweibull",
]
