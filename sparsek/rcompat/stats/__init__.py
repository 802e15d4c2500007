"""R's package stats."""

from sparsek.rcompat.base.stream import rexp, rnorm, runif
from sparsek.rcompat.stats.api_count_draws import rbinom, rgeom, rmultinom, rnbinom, rpois
from sparsek.rcompat.stats.api_dist import dist
from sparsek.rcompat.stats.api_draws import rbeta, rcauchy, rchisq, rgamma, rlnorm, rlogis, rt, rweibull
from sparsek.rcompat.stats.api_hclust import cutree, hclust
from sparsek.rcompat.stats.api_kmeans import KMeansResult, kmeans
from sparsek.rcompat.stats.api_moments import cor, cov, sd, var
from sparsek.rcompat.stats.api_quantiles import median, quantile

__all__ = [
    "KMeansResult",
    "cor",
    "cov",
    "cutree",
    "dist",
    "hclust",
    "kmeans",
    "median",
    "quantile",
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
    "sd",
    "var",
]
