"""Calls of R's functions: valid ones from the generators of the case tables, with one thing changed."""

import inspect
from random import Random as Standard
from typing import Any

from r_reference.formals import python_name
from r_reference.listing import find_twin, function_names, our_calls, random_case
from r_reference.recipes import decode_args, make_data
from sparsek import rcompat
from sparsek.rng import RRandom
from validation.fuzz import containers, parameters, values
from validation.fuzz.invariants import require, same_numbers
from validation.fuzz.judge import Call
from validation.fuzz.values import Random

BY_PARTS = (
    "hclust",
    "cutree",
    "wrk",
    "ROBIN",
    "lof.dist",
    "wrskGap",
    "silhouette",
    "cluster.stats",
    "pamk",
    "NbClust",
    "groupsparsewkm",
    "weightedss",
    "groupsoft",
    "sparsewkm",
    "recodmix",
    "info_clust",
    "table",
    "clusGap",
    "test_hier_clusters_exact",
    "test_hier_clusters_exact_1f",
    "test_complete_hier_clusters_approx",
    "test_clusters_approx",
    "test_selective_inference",
    "merge_selective_inference",
)
"""Functions that get distances, a tree, another function or one core: called as for the comparison with R."""
OF_COMPARISON = (
    "as_vector",
    "weighted",
    "complement",
    "reuse",
    "form",
    "words",
    "more",
    "named",
    "list",
    "formula",
)
"""Arguments of the case table that the functions themselves do not have."""
LABELS = {"tapply": "INDEX", "aggregate": "by"}
"""The argument that takes the case table's vectors of labels `first` and `second`."""
NAMES = tuple(
    name
    for name in function_names()
    if name != "RNGkind" and (find_twin(name) is not None or name in (*BY_PARTS, "predict.ewkm"))
)
"""The functions that are called; cases of RNGkind are calls of others under its kinds."""
KINDS = ("kinds", "other")
"""Arguments by which the case table makes other columns of an array; other containers hold numbers."""
NAMES_OF: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("groupsparsewkm", "sparsewkm", "recodmix", "info_clust", "weightedss"),
    ("features", "parts", "columns", "names"),
) | {"pamk": ("printed",)}
"""Fields of the case table that hold names, which differ between containers, by function."""
SMALL = {
    "nstart": 5,
    "B": 2,
    "B0": 2,
    "nperms": 2,
    "npermute": 2,
    "maxK": 3,
    "nvals": 3,
    "nstartkmeans": 3,
} | {"samples": 5, "maxit": 50}
"""Largest values of arguments that only repeat."""
AS_MATRIX = ("vector", "number")
"""What R takes as a matrix of one column."""
ANY_SHAPE = ("sum", "mean", "cumsum", "median", "quantile", "sd", "groupsoft", "zapsmall", "prop.table")
"""Functions that take the numbers of an array of any shape."""
NO_NUMBERS = (*containers.CATEGORIES, "dates", "durations")
TABLES = (
    *("frame", "nullable frame", "polars frame", "arrow table", "record batch", "sparse frame"),
    *("Arrow table, a name twice", "lazy frame"),
    *NO_NUMBERS,
)
TEXTS = ("text", "texts", "texts of numbers")
NOTHING = ("nothing",)
FRAMES = {
    "mean": (*TABLES, *TEXTS),
    "tapply": (*TABLES, *TEXTS, "array of dates"),
    "aggregate": NO_NUMBERS,
    "rmvnorm": NOTHING,
    "rev": (*NOTHING, *TEXTS, "empty list"),
    "cluster.stats": NOTHING,
    "sparsewkm": ("categories", "answers"),
    "daisy": ("categories", "answers"),
    "info_clust": ("categories", "answers"),
    "recodmix": (*containers.CATEGORIES, *TEXTS),
}
"""Containers for which R has another answer than for numbers: the mean of a data frame or of texts is NA."""
LISTS = ("lists", "tuples", "list of arrays")
"""Containers that keep no number of columns where there are no rows."""
PER_ROW = (
    "n",
    "nn",
    "size",
    "p",
    "size_grp",
    "p_inf",
    "p_noise",
    "maxK",
    "nstart",
    "nstartkmeans",
    "nperms",
    "npermute",
    "B",
    "B0",
    "samples",
    "maxit",
    "nitermax",
    "M",
    "runs",
)
"""Arguments that ask for work: large odd values are not passed to them."""


def make_call(name: str, r: Random) -> Call:
    """A call of an R function."""
    case = random_case(name, Standard(int(r.integers(2**31))), int(r.integers(1, 2**31)))
    args = decode_args(case, make_data(case["data"]))
    args = {
        key: min(value, SMALL[key]) if key in SMALL and _is_number(value) else value
        for key, value in args.items()
        if key not in OF_COMPARISON
    }
    if name in LABELS:
        args[LABELS[name]] = [args.pop(key) for key in ("first", "second") if key in args]
    kind, container, held, refuse = "case", "array", None, ""
    if case["data"] is not None:
        args["x"] = args["x"][:60]
        if r.random() < 0.4:
            kind, args["x"] = values.draw(r)
        container, held = containers.draw(args["x"], r)
        if container != "array":
            args = {key: value for key, value in args.items() if key not in KINDS}
        taken = AS_MATRIX if name not in ANY_SHAPE else (*AS_MATRIX, "cube", "empty list")
        taken = (*taken, *FRAMES.get(name, ()))
        args["x"], refuse = held.X, "" if container in taken else held.refuse
    others = [key for key in args if key != "x" and (name not in BY_PARTS or key in _parameters(name))]
    if others and r.random() < 0.35:
        key = str(r.choice(others))
        odd = parameters.ODD[int(r.integers(len(parameters.ODD)))]
        large = _is_number(odd) and odd > 100
        fresh = key == "seed" and odd is None  # other results each time are what None asks for
        whole = key == "size" and odd is None and args.get("n", 0) > 1e6  # a permutation of all n
        args[key] = "x" if fresh or whole or (large and key in PER_ROW) else odd

    def run(changed: dict[str, Any] | None = None) -> Any:
        rng = RRandom(case["seed"], sample_kind=case["sample_kind"])
        return call_twin(name, {**args, **(changed or {})}, rng)

    def check(found: Any, warned: list[str]) -> None:
        repr(found)
        require(same_numbers(found, run()), "a second call with the same seed differs")
        other = ("array", "float16", "float32", *FRAMES.get(name, ()))
        other += () if held is None or held.plain is None or len(held.plain) else LISTS
        if held is not None and held.plain is not None and container not in other:
            require(
                same_numbers(_without_names(name, found), _without_names(name, run({"x": held.plain}))),
                f"differs from that for a plain array ({container})",
            )

    words = ", ".join(
        f"{key}={' '.join(repr(value).split())[:60]}" for key, value in args.items() if key != "x"
    )
    text = f"rcompat.{name}({kind} {getattr(args.get('x'), 'shape', '')} as {container}, {words})"
    return Call(text, run, (args,), check, refuse)


def call_twin(name: str, args: dict[str, Any], rng: RRandom) -> Any:
    """The result of the function of sparsek with R's name."""
    named = {python_name(key): value for key, value in args.items()}
    data = [named.pop("x")] if "x" in named else []
    if name == "predict.ewkm":
        new = named.pop("newdata")
        return rcompat.predict_ewkm(rcompat.ewkm(*data, **named, rng=rng), new)
    twin = our_calls()[name] if name in BY_PARTS else find_twin(name)
    assert twin is not None
    if "rng" in inspect.signature(twin).parameters:
        named["rng"] = rng
    return twin(*data, **named)


def _without_names(name: str, found: Any) -> Any:
    """A result of a function without the fields that hold names, and lists by column without their names."""
    if name == "apply" and isinstance(found, dict):
        return list(found.values())
    if name not in NAMES_OF:
        return found
    return {key: value for key, value in found.items() if key not in NAMES_OF[name]}


def _parameters(name: str) -> set[str]:
    """R's names of the arguments that a function itself has."""
    twin = find_twin(name)
    known = () if twin is None else inspect.signature(twin).parameters
    return {key.replace("_", ".") for key in known} | set(known)


def _is_number(value: Any) -> bool:
    """Whether a value is a single number."""
    return isinstance(value, int | float) and not isinstance(value, bool)
