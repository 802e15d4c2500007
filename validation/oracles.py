"""What every estimator answers on made data, in every form of the data, as digests to compare.

``--out FILE`` fits and writes, ``--compare OLD NEW`` compares two such files, ``--across FILE`` compares the
forms of the data within one. Labels, selected features and numbers of iterations must be equal; the last
digits of an objective may change. Run it before and after a change of the arithmetic.
"""

import argparse
import hashlib
import inspect
import json
import re
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

import sparsek
from sparsek._registry import ESTIMATORS
from sparsek.engine import has_numba, set_engine
from sparsek.inputs.validation import READ_ROWS
from validation.environment import describe_environment
from validation.fuzz.estimators import SEARCHES
from validation.fuzz.invariants import ORDERED
from validation.fuzz.parameters import QUICK

K = 3
"""Clusters of every fit."""
MADE = {
    "continuous": 8, "whole": 8, "tenths": 8, "duplicates": 8, "holes": 5, "whole holes": 3, "weights": 5,
    "wide": 5, "tall": 2, "tall whole": 2, "float32": 3, "float32 whole": 3,
}  # fmt: skip
"""Kinds of data, and how many sets of each are made."""
TIED = ("whole", "tenths", "duplicates", "whole holes", "tall whole", "float32 whole")
"""Kinds with equal distances; the others are continuous: there no change of the rounding moves a row."""
MORE = {"SparseKMeans": ("SparseKMeans(refine=False)",)}
"""Variants beside those of the registry: the one that all forms of the data share."""
MAIN = ("SKFR()", "SKFR(scope='local')", "SparseKMeans(refine=False)", "KPod()")
"""Variants that promise the same answer wherever the data lie."""
NOT_TALL = {
    **dict.fromkeys(
        ("SparseAgglomerativeClustering", "COSA", "MADDKMeans", "KernelKMeans", "SparseKernelKMeans"),
        "takes memory for all pairs of rows",
    ),
    **dict.fromkeys(("SpectralGEM", "IFPCA"), "decomposes a matrix of all pairs of rows"),
    **dict.fromkeys(
        ("PCSparseKMeans", "PCKMeans", "MPCKMeans", "COPKMeans", "WeightedRobustSparseKMeans"),
        "takes row after row, or neighbours of every row: seconds",
    ),
}
"""Estimators that are left out for tall data, with the reason."""
ONCE = {
    **dict.fromkeys(SEARCHES, "fits an estimator many times"),
    "DEC": "trains a network",
    "COSA": "a fit takes more than a second",
}
"""Estimators that see the first set of every kind alone, with the reason; no tall data."""
OBJECTIVES = ("objective_", "inertia_", "best_score_")
"""Attributes of which the first that a fit has is recorded."""


@dataclass(frozen=True, slots=True)
class Data:
    """A made data set."""

    kind: str  # One of `MADE`
    number: int  # Its number among those of its kind
    X: Any  # (n, p): rows
    weights: Any  # (n,): weights of the rows

    @property
    def name(self) -> str:
        """The kind and the number."""
        return f"{self.kind} {self.number}"


def make_data(kind: str, number: int) -> Data:
    """The data set of a kind and a number."""
    rng = np.random.default_rng([list(MADE).index(kind), number])
    n, p = int(rng.integers(60, 261)), int(rng.integers(6, 31))
    if kind.startswith("tall"):
        n, p = 6000, 5
    elif kind == "wide":
        n, p = int(rng.integers(60, 101)), int(rng.integers(110, 161))
    X = rng.normal(size=(n, p))
    X[:, : p // 2] += rng.normal(0, 2, (K, p // 2))[rng.integers(K, size=n)]
    if "whole" in kind:
        X = np.clip(np.rint(X / 2 + 1), 0, 2)
    elif kind == "tenths":
        X = np.rint(10 * X) / 10
    elif kind == "duplicates":
        X = X[rng.integers(n // 6, size=n)]
    if "holes" in kind:
        X[rng.random(X.shape) < 0.15] = np.nan
    weights = rng.uniform(0.2, 3, n) if kind == "weights" else None
    return Data(kind, number, X.astype(np.float32) if "float32" in kind else X, weights)


def make_start(name: str, data: Data) -> tuple[str, Any]:
    """A given start: labels, row numbers or centres, in turn."""
    rng = np.random.default_rng(data.number)
    rows = rng.choice(len(data.X), K, replace=False)
    kind = "labels" if name == "MADDKMeans" else ("centres", "labels", "rows")[data.number % 3]
    if kind == "labels":
        return kind, rng.permutation(np.arange(len(data.X)) % K)
    return kind, rows if kind == "rows" else np.nan_to_num(data.X[rows])


def variants() -> Iterator[tuple[str, str]]:
    """Name and text of every variant of every estimator, without its number of starts, which is set here."""
    for row in ESTIMATORS:
        for text in (*(row.checks or (f"{row.name}()",)), *MORE.get(row.name, ())):
            yield row.name, text if row.name in ONCE else re.sub(r"(, )?n_init=2", "", text)


def make_model(name: str, text: str) -> Any:
    """The estimator of a text, with few clusters and starts."""
    model = eval(text, {public: getattr(sparsek, public) for public in sparsek.__all__})
    known = model.get_params(deep=False)
    settings = {"n_clusters": K, "n_init": 3, "random_state": 0} | QUICK.get(name, {})
    if name in ONCE:
        settings = {"random_state": 0}
    return model.set_params(**{key: value for key, value in settings.items() if key in known})


def skipped(name: str, data: Data, model: Any) -> bool:
    """Whether an estimator does not see a data set."""
    if name in ONCE and (data.number > 0 or data.kind.startswith("tall")):
        return True
    if "holes" in data.kind and not model.__sklearn_tags__().input_tags.allow_nan:
        return True
    return data.kind.startswith("tall") and name in NOT_TALL


def permuted(data: Data, start: Any) -> tuple[Any, Data, Any]:
    """An order, the data in it, and the start of the same clusters there."""
    order = np.random.default_rng(data.number).permutation(len(data.X))
    weights = None if data.weights is None else data.weights[order]
    if start is not None and np.ndim(start) == 1:
        start = start[order] if len(start) == len(order) else np.argsort(order)[start]
    return order, Data(data.kind, data.number, data.X[order], weights), start


def forms(model: Any, data: Data) -> Iterator[tuple[str, Any, Any]]:
    """Name of the form, estimator and data of every form in memory but the permuted one."""
    X = data.X
    yield "array", model, X
    yield "Fortran", model, np.asfortranarray(X)
    yield "strided", model, np.repeat(X, 2, axis=1)[:, ::2]
    yield "reversed", model, np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    if model.__sklearn_tags__().input_tags.sparse and "holes" not in data.kind:
        yield "csr", model, sp.csr_array(X)


def forms_outside(model: Any, data: Data, folder: Path) -> Iterator[tuple[str, Any, Any]]:
    """The same of files that are read by blocks, and of Dask collections."""
    X, name, holes = data.X, type(model).__name__, "holes" in data.kind
    if not holes or name == "KPod":  # SKFR takes complete rows alone
        np.save(folder / "X.npy", X)
        table = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
        table.to_parquet(folder / "X.parquet", row_group_size=len(X) // 4)
        least = 40 * X.nbytes // len(X) + 2 * len(X) * (17 + 2 * X.itemsize)
        for file, share in (("X.npy", 0.9), ("X.parquet", 0.3)):
            limit = max(least, share * X.nbytes * (model._copies + 1))
            yield f"{file[2:]} blocks", clone(model).set_params(memory_limit=limit), folder / file
    if name in READ_ROWS and data.weights is None and (not holes or name == "KPod"):
        import dask
        import dask.array as da

        dask.config.set(scheduler="synchronous")
        yield "dask", model, da.from_array(X, chunks=(len(X) // 4 + 1, X.shape[1]))


def digest(values: Any) -> str:
    """Twelve letters that stand for whole numbers."""
    array = np.ascontiguousarray(np.asarray(values), dtype=np.int64)
    return hashlib.sha256(repr(array.shape).encode() + array.tobytes()).hexdigest()[:12]


def outcome(model: Any, X: Any, weights: Any, order: Any = None) -> list[Any]:
    """Digests of labels and features, iterations and objective of a fit; or the error that it raised."""
    options = {} if weights is None else {"sample_weight": weights}
    try:
        fit = clone(model).fit(X, **options)
    except Exception as error:  # an error is an answer too, which the other record may not have
        return [type(error).__name__, str(error)[:60], "", ""]
    labels = getattr(fit, "labels_", ())
    if order is not None:
        labels = np.asarray(labels)[np.argsort(order)]
    kept: Any = ()
    if hasattr(fit, "selected_features_"):
        kept = fit.selected_features_
    elif hasattr(fit, "feature_weights_"):
        kept = np.asarray(fit.feature_weights_) > 0
    found = next((getattr(fit, name) for name in OBJECTIVES if hasattr(fit, name)), None)
    number = None if found is None else repr(float(np.ravel(np.asarray(found))[0]))
    return [digest(labels), digest(kept), getattr(fit, "n_iter_", None), number]


def cases(data: Data, folder: Path) -> Iterator[tuple[tuple[str, str, str, str], list[Any]]]:
    """Text, start, form and engine of every fit of a data set, and its outcome."""
    for name, text in variants():
        model = make_model(name, text)
        if skipped(name, data, model):
            continue
        own = "init" in model.get_params()  # a search has the starts of its estimator
        weights = data.weights if "sample_weight" in inspect.signature(model.fit).parameters else None
        seen = Data(data.kind, data.number, data.X, weights)
        starts = {"drawn": None} if not own or data.number % 4 == 0 else {}
        starts |= dict([make_start(name, data)]) if own else {}
        for called, start in starts.items():
            for (form, engine), result in outcomes(name, text, model, seen, start, folder):
                yield (text, called, form, engine), result


def outcomes(
    name: str, text: str, model: Any, data: Data, start: Any, folder: Path
) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """Form and engine of every fit from a start, None for a drawn one, and its outcome."""
    begun = model if start is None else clone(model).set_params(init=start)
    found: list[tuple[str, Any, Any, Any, Any]]
    found = [(form, each, X, data.weights, None) for form, each, X in forms(begun, data)]
    if text in MAIN and start is not None:
        found += [(form, each, X, data.weights, None) for form, each, X in forms_outside(begun, data, folder)]
    if name not in ORDERED and (start is not None or "init" not in model.get_params()):
        order, there, moved = permuted(data, start)
        again = begun if start is None else clone(model).set_params(init=moved)
        found.append(("permuted", again, there.X, there.weights, order))
    for form, each, X, weights, order in found:
        both = has_numba() and (text in MAIN or form == "array")
        for engine in ("numpy", "compiled") if both else ("numpy",):
            with set_engine(engine):
                yield (form, engine), outcome(each, X, weights, order)


def record(path: Path, quick: bool) -> None:
    """Fit everything and write the outcomes; quick: the first set of every kind."""
    found: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, count in MADE.items():
            for number in range(1 if quick else count):
                data = make_data(kind, number)
                for case, result in cases(data, Path(folder)):
                    found["|".join((data.name, *case))] = result
                print(f"{data.name} {data.X.shape}: {len(found)} fits so far", flush=True)
    about = describe_environment({})
    path.write_text(json.dumps({"about": about, "cases": found}, indent=0, default=str), encoding="utf-8")


def _kind(key: str) -> str:
    """The kind of the data of a case."""
    return key.partition("|")[0].rpartition(" ")[0]


def compare(old: dict[str, list[Any]], new: dict[str, list[Any]]) -> int:
    """Print by kind what is equal; the exit code is 1 where continuous data have another answer."""
    parts = ("labels", "features", "iterations")
    equal: dict[str, Counter[str]] = defaultdict(Counter)
    furthest: dict[tuple[str, bool], float] = defaultdict(float)
    different = []
    shared = [key for key in old if key in new]
    for key in shared:
        kind, one, other = _kind(key), old[key], new[key]
        same = [a == b for a, b in zip(one[:3], other[:3], strict=True)]
        equal[kind].update([name for name, holds in zip(parts, same, strict=True) if holds], cases=1)
        if one[3] and other[3] and one[3] != other[3]:
            a, b = float(one[3]), float(other[3])
            furthest[kind, all(same)] = max(furthest[kind, all(same)], abs(a - b) / max(abs(a), abs(b)))
        if not all(same):
            different.append(key)
    print(f"{len(shared)} cases in both; only in one of them: {len(old.keys() ^ new.keys())}")
    print(
        f"{'kind':<14}{'cases':>7}"
        + "".join(f"{name:>12}" for name in parts)
        + "   objectives: equal, others"
    )
    for kind, counts in equal.items():
        cells = "".join(f"{counts[name]:>12}" for name in parts)
        print(
            f"{kind:<14}{counts['cases']:>7}{cells}   {furthest[kind, True]:.2g}, {furthest[kind, False]:.2g}"
        )
    print(f"{len(different)} cases differ")
    for text, count in Counter(key.split("|")[1] for key in different).items():
        print(f"  {count} of {text}")
    for key in different[:30]:
        print(f"  {key}: {old[key]} {new[key]}")
    return int(not shared or any(_kind(key) not in TIED for key in different))


def across(found: dict[str, list[Any]]) -> int:
    """Print how many data sets have another answer in another form; the exit code is 1 if one has."""
    tried: dict[tuple[str, str], set[str]] = defaultdict(set)
    other: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for key, result in found.items():
        data, text, start, form, engine = key.split("|")
        if text not in MAIN or start == "drawn":
            continue
        line = _kind(key), text
        tried[line].add(data)
        if result[:3] != found["|".join((data, text, start, "array", "numpy"))][:3]:
            for name in (form if form != "array" else engine, "any"):
                other[line][name].add(data)
    print("Data sets of which labels, features or iterations differ from the array in memory, of all tried:")
    for line, names in tried.items():
        counts = {form: len(sets) for form, sets in other[line].items()}
        total = counts.pop("any", 0)
        which = f" ({', '.join(f'{form} {count}' for form, count in counts.items())})" if counts else ""
        print(f"{line[0]:<14} {line[1]:<28} {total} of {len(names)}{which}")
    return int(any(other.values()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, metavar="FILE", help="fit everything and write the answers")
    what.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"), help="compare two files")
    what.add_argument("--across", type=Path, metavar="FILE", help="compare the forms of the data in a file")
    parser.add_argument("--quick", action="store_true", help="one data set of each kind")


def main(options: argparse.Namespace) -> int:
    """Fit and write, or compare."""
    if options.out:
        record(options.out, options.quick)
        return 0
    files = options.compare or [options.across]
    read = [json.loads(path.read_text(encoding="utf-8"))["cases"] for path in files]
    return compare(*read) if options.compare else across(*read)
