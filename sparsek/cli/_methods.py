"""The methods that the command line knows: one table, and estimators made from options."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sklearn.utils import get_tags

import sparsek
from sparsek.cli._read import InputError

OPTIONS = {"select": "n_features_to_select", "bound": "l1_bound", "n_init": "n_init"}
"""Options that only some methods have, with the parameters they set."""


@dataclass(frozen=True, slots=True)
class Method:
    """Facts about a method that its class does not hold.

    Attributes
    ----------
    estimator : str
        Name of its class in `sparsek`.
    paper : str
        Authors and year.
    twin : str
        The R function whose numbers `sparsek.rcompat` gives; empty without.
    local : str
        Whether clusters can have features or weights of their own, and how to ask for it.
    """

    estimator: str
    paper: str
    twin: str = ""
    local: str = ""


METHODS = {
    "skfr": Method("SKFR", "Zhang, Lange & Xu 2020", local="--set scope=local"),
    "sparse-kmeans": Method("SparseKMeans", "Witten & Tibshirani 2010", "sparcl::KMeansSparseCluster"),
    "sparse-hclust": Method(
        "SparseAgglomerativeClustering", "Witten & Tibshirani 2010", "sparcl::HierarchicalSparseCluster"
    ),
    "rskc": Method("RobustSparseKMeans", "Kondo et al. 2012", "RSKC::RSKC"),
    "wrsk": Method("WeightedRobustSparseKMeans", "Brodinova et al. 2019", "wrsk::wrsk"),
    "sparse-minmax": Method("SparseMinMaxKMeans", "Dey, Das & Mallipeddi 2020"),
    "sparse-kernel": Method("SparseKernelKMeans", "Witten & Tibshirani 2010"),
    "ewkm": Method("EntropyWeightedKMeans", "Jing, Ng & Huang 2007", "wskm::ewkm", "always"),
    "fgkm": Method("FeatureGroupKMeans", "Chen et al. 2012", "wskm::fgkm", "always"),
    "twkm": Method("TwoLevelKMeans", "Chen et al. 2013", "wskm::twkm"),
    "ew-power": Method("EntropyWeightedPowerKMeans", "Chakraborty et al. 2020"),
    "cosa": Method("COSA", "Friedman & Meulman 2004", local="always"),
    "ifpca": Method("IFPCA", "Jin & Wang 2016"),
    "kpod": Method("KPod", "Chi, Chi & Baraniuk 2016", "kpodclustr::kpod"),
    "kgmedian": Method("GeometricKMedians", "Cardot, Cenac & Monnez 2012", "Gmedian::kGmedian"),
    "power": Method("PowerKMeans", "Xu & Lange 2019"),
    "minmax": Method("MinMaxKMeans", "Tzortzis & Likas 2014"),
    "madd": Method("MADDKMeans", "Sarkar & Ghosh 2020"),
    "spectral-gem": Method("SpectralGEM", "Lee, Luca & Roeder 2010"),
    "kernel-kmeans": Method("KernelKMeans", "Shawe-Taylor & Cristianini 2004"),
    "dec": Method("DEC", "Xie, Girshick & Farhadi 2016"),
    "cop-kmeans": Method("COPKMeans", "Wagstaff et al. 2001"),
    "pckm": Method("PCKMeans", "Basu, Banerjee & Mooney 2004"),
    "mpckm": Method("MPCKMeans", "Bilenko, Basu & Mooney 2004"),
    "pcskm": Method("PCSparseKMeans", "Vouros & Vasilaki 2021"),
}
"""The methods by name."""


def find_method(name: str) -> Method:
    """The method of this name; for an unknown name, an error that suggests similar ones."""
    if name in METHODS:
        return METHODS[name]
    close = get_close_matches(name, METHODS, n=3) or ["the list that `sparsek methods` prints"]
    raise InputError(f"there is no method {name!r}; try {' or '.join(close)}")


def method_class(name: str) -> Any:
    """The class of the method of this name."""
    return getattr(sparsek, find_method(name).estimator)


def has_parameter(name: str, parameter: str) -> bool:
    """Whether the method's class has the parameter."""
    return parameter in inspect.signature(method_class(name)).parameters


def takes_missing(name: str) -> bool:
    """Whether the method takes data with missing values."""
    return bool(get_tags(method_class(name)()).input_tags.allow_nan)


def takes_constraints(name: str) -> bool:
    """Whether the method takes must-links and cannot-links."""
    return "must_link" in inspect.signature(method_class(name).fit).parameters


def describe_methods() -> list[dict[str, Any]]:
    """One row per method: what `sparsek methods` shows."""
    return [
        {
            "method": name,
            "estimator": method.estimator,
            "size": next(
                (f"--{key}" for key in ("select", "bound") if has_parameter(name, OPTIONS[key])), ""
            ),
            "missing": takes_missing(name),
            "constraints": takes_constraints(name),
            "local features": method.local,
            "R": method.twin,
            "paper": method.paper,
        }
        for name, method in METHODS.items()
    ]


def check_option(name: str, option: str) -> None:
    """Raise unless the method has the option."""
    if not has_parameter(name, OPTIONS[option]):
        having = [other for other in METHODS if has_parameter(other, OPTIONS[option])]
        flag = "--" + option.replace("_", "-")
        raise InputError(f"method {name} has no {flag}; these have: {', '.join(having)}")


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Parameters from texts ``name=value``; a value is read as a Python literal, or else as text."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set takes name=value, such as --set max_iter=50; got {text!r}")
        try:
            settings[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[name] = value
    return settings


def make_estimator(
    name: str,
    n_clusters: int,
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
) -> Any:
    """The estimator of a method; `options` are those of `OPTIONS`, None where not given."""
    estimator = method_class(name)(n_clusters=n_clusters)
    known = estimator.get_params()
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise InputError(f"method {name} has no parameter {unknown[0]!r}; it has {', '.join(known)}")
    values = dict(settings)
    for option, value in options.items():
        if value is not None:
            check_option(name, option)
            values[OPTIONS[option]] = value
    ambient = {"random_state": seed, "n_jobs": n_jobs}
    return estimator.set_params(**{key: value for key, value in ambient.items() if key in known} | values)
