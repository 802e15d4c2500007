"""Calls that are more than the function of sparsek.rcompat of that name, as in r_reference/calls."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.methods.madd.algorithm import cluster_means, sweep
from sparsek.methods.minmax.distances import SequentialSpace, Space
from sparsek.methods.minmax.minmax import MinMaxFit, minmax_released
from sparsek.methods.minmax.sparse_minmax import ReleasedSteps, fit_path
from sparsek.methods.shared.scaling import column_squares, prepare
from sparsek.methods.skfr.algorithm import skfr
from sparsek.numerics.ordered_sums import long_column_sums, long_sum, seq_length
from sparsek.rng import RRandom
from validation.released.madd_in_order import base_in_order, madd_in_order
from validation.released.minmax_gap import permutation_gap as minmax_gap


def _on_data(name: str, draws: bool = True) -> Callable[..., Any]:
    """A function of kpodclustr; with as_vector the data come as a plain vector, column by column."""

    def call(x: np.ndarray, rng: RRandom, as_vector: bool = False, **args: Any) -> Any:
        data = x.ravel(order="F") if as_vector else x
        return getattr(rcompat, name)(data, **args, **({"rng": rng} if draws else {}))

    return call


def _tree(tree: Any) -> dict[str, Any]:
    """The numbers of a tree."""
    return {name: tree[name] for name in ("merge", "height", "order")}


def _column_sums(dists: np.ndarray) -> np.ndarray:
    """Sums of the distances, as R's ``colSums``."""
    return long_column_sums(dists).astype(np.float64)


def _hierarchical(
    x: np.ndarray, rng: RRandom, complement: bool = False, reuse: bool = False, **args: Any
) -> dict[str, Any]:
    """The numbers of a sparse hierarchical clustering; see r_reference/calls/sparcl.R."""
    fit = rcompat.HierarchicalSparseCluster(x, **args, rng=rng)
    if complement:
        fit = rcompat.HierarchicalSparseCluster(x, **args, uorth=fit["u"], rng=rng)
    if reuse:
        fit = rcompat.HierarchicalSparseCluster(dists=fit["dists"], **args, rng=rng)
    fields = {name: fit[name] for name in ("ws", "u", "crit", "wbound")}
    fields |= {"hc": _tree(fit["hc"]), "dists": _column_sums(fit["dists"])}
    return fields | ({"hc.features": _tree(fit["hc.features"])} if "hc.features" in fit else {})


def _hierarchical_permute(rng: RRandom, **args: Any) -> dict[str, Any]:
    """The gap of a sparse hierarchical clustering, with the sums of the distances."""
    fit = rcompat.HierarchicalSparseCluster_permute(**args, rng=rng)
    return {**fit, "dists": _column_sums(fit["dists"])}


def _gmedian(name: str, draws: bool = False) -> Callable[..., Any]:
    """A function of Gmedian; eigenvectors and scores without their signs."""

    def call(x: np.ndarray, rng: RRandom, **args: Any) -> Any:
        fit = getattr(rcompat, name)(x, **args, **({"rng": rng} if draws else {}))
        if not name.endswith("Cov"):
            return fit
        return {
            field: abs(value) if field in ("scores", "vectors") else value for field, value in fit.items()
        }

    return call


def _wskm(name: str) -> Callable[..., Any]:
    """A function of wskm, whose argument lambda is a keyword of Python."""

    def call(**args: Any) -> Any:
        return getattr(rcompat, name)(**{"lambda_" if key == "lambda" else key: v for key, v in args.items()})

    return call


def _predict_ewkm(newdata: np.ndarray, **args: Any) -> np.ndarray:
    """The numbers of the centres that predict names; none at all, as in R, where every row is missing."""
    names = rcompat.predict_ewkm(_wskm("ewkm")(**args), newdata).tolist()
    return np.array([np.nan if name is None else float(name) for name in names if set(names) != {None}])


def _wrsk(name: str) -> Callable[..., Any]:
    """A function of wrsk that takes distances and data."""

    def call(x: np.ndarray, k: float, rng: RRandom, **args: Any) -> Any:
        distances = rcompat.dist(x)
        pair = (distances, x) if name == "ROBIN" else (x, distances)
        return getattr(rcompat, name)(*pair, k, **args, rng=rng)

    return call


def _sim_data(p_inf: float, p_out_inf: float, rng: RRandom, **args: Any) -> dict[str, Any]:
    """What of a simulated data set can equal R's; see r_reference/calls/wrsk.R."""
    sim = rcompat.SimData(p_inf=p_inf, p_out_inf=p_out_inf, **args, rng=rng)
    noise, outliers = sim["x"][:, int(p_inf) :], sim["x"][sim["lbout"] == 0, : int(p_out_inf)]
    return {**{name: sim[name] for name in ("y", "lb", "lbout")}, "noise": noise, "outliers": outliers}


def _rskc(name: str) -> Callable[..., Any]:
    """A function of RSKC without the texts of its result; see r_reference/calls/RSKC.R."""

    def call(x: np.ndarray, weighted: bool = True, **args: Any) -> dict[str, Any]:
        fit = getattr(rcompat, name)(x, **args, **({} if weighted else {"L1": None}))
        return {field: value for field, value in fit.items() if not isinstance(value, str)}

    return call


def _sparsekmeans(local: bool) -> Callable[..., Any]:
    """A function of the SKFR authors, from given labels; see r_reference/calls/SKFR.R."""

    def call(x: np.ndarray, classes: float, sparsity: float, rng: RRandom, **args: Any) -> dict[str, Any]:
        k = int(classes)
        Z, _ = prepare(x, None, standardize=True)
        tss = float(column_squares(Z, None).sum())
        labels = np.asarray(args["class"]).astype(np.int32) - 1
        fit = skfr(Z, labels, n_clusters=k, n_selected=int(sparsity), local=local, tss=tss)
        centers = np.zeros((k, x.shape[1]))
        centers[:, fit.params.columns] = fit.params.centers
        squares = ((Z[:, :-1] - centers[fit.labels]) ** 2).sum(axis=1)
        selected = fit.params.selected + 1.0
        if local:
            selected[np.bincount(fit.labels, minlength=k) == 0] = np.nan
        return {
            "m1": fit.labels + 1,
            "m2": centers.T,
            "WSS": np.bincount(fit.labels, squares, k),
            "TSS": tss,
            "selected": selected,
        }

    return call


def _maddkmeans(version: int) -> Callable[..., Any]:
    """A k-means on MADD from labels drawn as R draws them; R's loop makes two sweeps at least."""

    def call(x: np.ndarray, k: float, rng: RRandom) -> dict[str, Any]:
        start = np.asarray(rng.sample_int(int(k), len(x), replace=True)) - 1
        D = madd_in_order(base_in_order(x, version)) ** 2
        (fit,) = sweep(D, start[None], int(k), cluster_means, strict=False, max_iter=1000)
        return {"iters": max(2, fit.n_iter), "cluster": fit.labels + 1}

    return call


class _LikeReleased(ReleasedSteps):
    """The released sparse MinMax k-means with its failures; see r_reference/calls/SparseMinMax.R."""

    def restart(self, space: Space, why: str) -> MinMaxFit:
        """What the released code does in place of a new start."""
        message = "subscript out of bounds" if why == "lost cluster" else "reached CPU time limit"
        raise RError(message, "sparsek begins anew from random rows")

    def feature_weights(self, between: np.ndarray, l1_bound: float) -> np.ndarray:
        """The weights, or the released code's error where there are none."""
        weights = super().feature_weights(between, l1_bound)
        if not weights.any():
            raise RError("missing value where TRUE/FALSE needed", "no feature differs between the clusters")
        return weights


def _minmaxkmeans(x: np.ndarray, start: np.ndarray, rng: RRandom, **args: float) -> dict[str, Any]:
    """MinMax k-means as released."""
    names = {"p_max": "alpha_max", "pstep": "alpha_step", "beta": "beta"}
    options = {names[name]: float(value) for name, value in args.items()}
    fit = minmax_released(SequentialSpace(x), start, n_clusters=len(start), **options)
    counts = np.bincount(fit.labels, minlength=len(start))
    return {
        "centers": fit.centers,
        "flag": float(fit.solved),
        "cluster": fit.labels + 1,
        "x": counts,
        "p": fit.alpha,
        "wk": fit.weights,
    }


def _sparse_cl(
    x: np.ndarray, K: float, rng: RRandom, wbounds: Any = None, maxiter: float = 6
) -> list[dict[str, Any]]:
    """Sparse MinMax k-means as released, along bounds."""
    bounds = seq_length(1.1, np.sqrt(x.shape[1]), 20) if wbounds is None else np.atleast_1d(wbounds)
    if (bounds <= 1).any():
        raise RError("wbounds should be greater than 1", "use larger bounds")
    steps = _LikeReleased(x, int(K), rng)
    return [
        {
            "ws": fit.weights,
            "Cs": fit.labels + 1,
            "wcss": {
                "wcss.perfeature": fit.within,
                "wcss": long_sum(fit.within),
                "wcss.ws": long_sum(fit.within * fit.weights),
                "bcss.perfeature": fit.between,
            },
            "crit": np.array(fit.history),
            "wbound": fit.l1_bound,
            "wk": fit.minmax.weights,
            "p": fit.minmax.alpha,
        }
        for fit in fit_path(steps, steps.start(), bounds.tolist(), int(maxiter))
    ]


def _sp_perm(
    x: np.ndarray, K: float, rng: RRandom, nperms: float = 25, wbounds: Any = None, nvals: float = 10
) -> dict[str, Any]:
    """The permutation gap as released."""
    logs = seq_length(math.log(1.2), math.log(math.sqrt(x.shape[1]) * 0.9), int(nvals))
    bounds = np.array([math.exp(v) for v in logs]) if wbounds is None else np.atleast_1d(wbounds)
    if len(bounds) < 2:
        raise RError("Wbounds should be a vector of at least two elements.", "give more bounds")
    gap = minmax_gap(
        x, bounds.tolist(), lambda data: _LikeReleased(data, int(K), rng), n_permutations=int(nperms), rng=rng
    )
    return {
        "tots": gap.objectives,
        "permtots": gap.permuted,
        "nnonzerows": gap.n_nonzero,
        "gaps": gap.gaps,
        "sdgaps": gap.deviations,
        "wbounds": bounds,
        "bestw": gap.best_bound,
    }


def _sensitivity(label1: Any, label2: Any, rng: RRandom) -> dict[str, Any]:
    """The numbers of Sensitivity; see r_reference/calls/RSKC.R."""
    found = rcompat.Sensitivity(label1, label2, rng=rng)
    share, label = found["prob"].values()
    return {"share": share, "label": label, "table": found["table"], "marginal": found["marginal"]}


CALLS: dict[str, Callable[..., Any]] = {
    "Sensitivity": _sensitivity,
    "cutree": lambda x, method, rng, **cuts: rcompat.cutree(rcompat.hclust(rcompat.dist(x), method), **cuts),
    "HierarchicalSparseCluster": _hierarchical,
    "HierarchicalSparseCluster.permute": _hierarchical_permute,
    "hclust": lambda x, method, rng: rcompat.hclust(rcompat.dist(x), method),
    **{name: _gmedian(name) for name in ("Gmedian", "Weiszfeld", "GmedianCov", "WeiszfeldCov")},
    "kGmedian": _gmedian("kGmedian", draws=True),
    **{name: _wskm(name) for name in ("ewkm", "fgkm", "twkm")},
    "predict.ewkm": _predict_ewkm,
    "minmaxkmeans": _minmaxkmeans,
    "SparseCl": _sparse_cl,
    "sp.perm": _sp_perm,
    "sparsekmeans1": _sparsekmeans(local=False),
    "sparsekmeans2": _sparsekmeans(local=True),
    **{f"maddkmeans{version or ''}": _maddkmeans(version) for version in (0, 1, 2)},
    **{name: _on_data(name) for name in ("kpod", "assign_clustpp", "kmpp")},
    **{name: _on_data(name, draws=False) for name in ("initialImpute", "findMissing")},
    "lof": lambda x, rng, **args: rcompat.lof(x, **args),
    "lof.dist": lambda x, rng, **args: rcompat.lof(rcompat.dist(x), **args),
    "wrsk": lambda x, **args: rcompat.wrsk(x, **args),
    "wrskGap": lambda x, **args: rcompat.wrskGap(x, **args, cores=1),
    **{name: _wrsk(name) for name in ("wrk", "ROBIN")},
    "GetOutRates": lambda rng, **args: rcompat.GetOutRates(**args),
    "SimData": _sim_data,
    **{name: _rskc(name) for name in ("RSKC", "Clest", "revisedsil")},
}
