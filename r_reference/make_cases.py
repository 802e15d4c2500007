"""Writes ``cases.json`` and ``data/*.csv``, the same every time: ``python -m r_reference.make_cases``."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from r_reference.generators import GENERATORS, Case, new_case

FOLDER = Path(__file__).parent
N_RANDOM = {"sample": 6, "sample.int": 14, "kmeans": 150, "KMeansSparseCluster": 84}
N_RANDOM |= {"KMeansSparseCluster.permute": 14, "hclust": 40, "runif": 2, "rnorm": 2, "rexp": 2}
DATASETS = {"iris": (load_iris, 3), "wine": (load_wine, 3), "wdbc": (load_breast_cancer, 2)}
BOTH_KINDS = ("Rejection", "Rounding")

# The small matrices of the specification.
MATRIX_A = {"rows": [[(7 * i + 5 * j + i * j) % 11 / 2 + (4 if i > 6 and j == 1 else 0) for j in (1, 2, 3)]
                     for i in range(1, 13)]}  # fmt: skip
MATRIX_X = {"rows": [[(7 * i + 5 * j + i * j) % 11 / 2 + (6 if i > 6 and j <= 2 else 0) for j in range(1, 7)]
                     for i in range(1, 13)]}  # fmt: skip
NEAR_TIES = {"rows": [[-0.4]] * 5 + [[-0.4 - 1.11e-16]] * 14 + [[-0.5]]}


def dataset_text(name: str) -> str:
    """scikit-learn's copy of a data set as csv, every digit of it."""
    bunch = DATASETS[name][0]()
    header = ",".join(str(feature).replace(",", " ") for feature in bunch.feature_names)
    rows = [",".join(repr(float(v)) for v in row) for row in bunch.data]
    return "\n".join([header, *rows]) + "\n"


def dataset_entry(name: str) -> dict[str, Any]:
    """File, centres and scales of a data set; the constants are rounded to 3 digits, exact on both sides."""
    data = DATASETS[name][0]().data
    centre = [float(f"{v:.3g}") for v in data.mean(axis=0)]
    scale = [float(f"{v:.3g}") for v in data.std(axis=0, ddof=1)]
    return {"file": f"data/{name}.csv", "center": centre, "scale": scale}


def real(name: str, scaled: bool, *steps: list[Any]) -> Case:
    """The recipe of a real data set."""
    return {"dataset": name, "scaled": scaled, "steps": list(steps)}


def draw_cases() -> list[Case]:
    """Uniform, normal and exponential draws: seeds, limits, degenerate arguments, blocks of 624 crossed."""
    cases = []
    for seed in (0, 1, 42, -1, 2147483647, -2147483647):
        cases.append(new_case("runif", {"n": 300}, None, seed))
        cases.append(new_case("rnorm", {"n": 300}, None, seed))
    for args in (
        {"n": 5, "min": 2, "max": 2},
        {"n": 0},
        {"n": 3, "min": 2, "max": 1},
        {"n": 3, "min": 0, "max": "Inf"},
    ):
        cases.append(new_case("runif", args, None, 9, before=620))
    for args in (
        {"n": 4, "mean": 3, "sd": 0},
        {"n": 3, "mean": 0, "sd": -1},
        {"n": 3, "mean": "Inf", "sd": 1},
    ):
        cases.append(new_case("rnorm", args, None, 10, before=623))
    cases.append(new_case("rnorm", {"n": 1000, "mean": -2.5, "sd": 0.3}, None, 10))
    cases += [
        new_case("rexp", {"n": 300, "rate": rate}, None, seed)
        for seed, rate in ((1, 1), (-5, 0.01), (8, 37.5))
    ]
    return cases


def sample_cases() -> list[Case]:
    """Sampling under both kinds: permutations, replacement, hashing, weights, alias tables, errors."""
    cases = [new_case("sample", {"x": x}, None, 5) for x in (4, 3.7, [2.5, 7], [9, 8, 7, 6, 5, 4, 3])]
    cases.append(new_case("sample", {"x": [9, 8, 7], "size": 5}, None, 5))
    cases.append(
        new_case("sample", {"x": [3, 1, 2], "size": 9, "replace": True, "prob": [1, 0.5, 2]}, None, 5)
    )
    full = [{"n": n} for n in (1, 2, 10, 400)]
    parts = [{"n": n, "size": 40} for n in (32768, 32769, 65535, 65536, 65537, 100000)]
    replaced = [{"n": n, "size": 60, "replace": True} for n in (1, 6, 65536, 2 * 10**9)]
    hashed = [{"n": 2 * 10**7, "size": 100}]
    weighted = [
        {"n": 5, "size": 3, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 5, "size": 30, "replace": True, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 300, "size": 60, "replace": True, "prob": list(range(1, 301))},
        {"n": 300, "size": 60, "prob": [i % 7 for i in range(300)]},
    ]
    for kind in BOTH_KINDS:
        for args in full + parts + replaced + hashed + weighted:
            cases.append(new_case("sample.int", args, None, 42, sample_kind=kind))
    for args in (
        {"n": 5, "size": 6},
        {"n": 3, "size": 2, "prob": [1, -1, 1]},
        {"n": 3, "size": 2, "prob": [1, "NA", 1]},
        {"n": 3, "size": 2, "prob": [1, 0, 0]},
        {"n": 3, "size": 2, "prob": [1, 1]},
        {"n": 3.9, "size": 2.9},
    ):
        cases.append(new_case("sample.int", args, None, 3))
    return cases


def kmeans_cases() -> list[Case]:
    """Calls of kmeans on the matrices of the specification, faults and errors, and the real data sets."""

    def on(data: Case, centers: Any, seed: int = 1, **args: Any) -> Case:
        return new_case(
            "kmeans", {"centers": centers, **{k.replace("_", "."): v for k, v in args.items()}}, data, seed
        )

    far = {"matrix": [*MATRIX_A["rows"][:2], [100, 100, 100]]}
    first_rows = {"rows_of_x": [1, 2, 3]}
    cases = [
        on(MATRIX_A, 3),
        on(MATRIX_A, 3, nstart=5),
        on(MATRIX_A, first_rows),
        on(MATRIX_A, first_rows, nstart=9),
    ]
    for algorithm in ("Lloyd", "Forgy", "MacQueen"):
        cases += [on(MATRIX_A, 3, algorithm=algorithm), on(MATRIX_A, 3, algorithm=algorithm, iter_max=1)]
        cases += [on(MATRIX_A, far, algorithm=algorithm), on(MATRIX_A, 12, algorithm=algorithm)]
        cases += [on(MATRIX_A, 1, algorithm=algorithm), on(MATRIX_A, first_rows, algorithm=algorithm)]
    cases += [
        on(MATRIX_A, 4, seed=4, iter_max=1),
        on(MATRIX_A, far),
        on(MATRIX_A, 12),
        on(MATRIX_A, 1),
        on(MATRIX_A, 3.9),
    ]
    cases += [
        on(MATRIX_A, 13),
        on(MATRIX_A, 13, nstart=3),
        on(MATRIX_A, 3, iter_max=0),
        on(MATRIX_A, 3, iter_max="NA"),
    ]
    cases += [on(MATRIX_A, {"rows_of_x": [1, 2, 1]}), on(MATRIX_A, {"matrix": [[1, 2], [3, 4]]})]
    cases += [on(MATRIX_A, {"matrix": [[i, i, i] for i in range(13)]}), on(MATRIX_A, [1, 2, 3])]
    for value in ("NaN", "Inf"):
        cases += [on({**MATRIX_A, "steps": [["set", 3, 2, value]]}, 3, nstart=nstart) for nstart in (1, 2)]
    cases += [
        on({**MATRIX_A, "steps": [["duplicate", 4]]}, k, nstart=nstart)
        for k in (3, 4, 5)
        for nstart in (1, 3)
    ]
    cases += [on(NEAR_TIES, 3, seed=seed) for seed in range(1, 7)] + [on(NEAR_TIES, 3, seed=2, nstart=2)]
    for name, (_, k) in DATASETS.items():
        for scaled in (False, True):
            cases += [on(real(name, scaled), k, seed=11), on(real(name, scaled), k + 2, seed=12, nstart=20)]
            cases += [
                on(real(name, scaled), k, seed=13, nstart=5, algorithm=a) for a in ("Lloyd", "MacQueen")
            ]
            cases += [on(real(name, scaled), {"rows_of_x": [1, 60, 101]}, seed=14, iter_max=3)]
    return cases


def sparse_cases() -> list[Case]:
    """Calls of KMeansSparseCluster: the specification's, errors and quirks, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("KMeansSparseCluster", args, data, seed)

    scaled_down = {**MATRIX_X, "steps": [["multiply", 1e-4]]}
    constant = {**MATRIX_X, "steps": [["multiply", 0]]}
    centers = {"rows_of_x": [1, 2, 7]}
    cases = [on(MATRIX_X, K=3, wbounds=[1.5, 2.2]), on(MATRIX_X, centers=centers, wbounds=1.5)]
    cases += [on(MATRIX_X, K=3, wbounds=[2.2, 1.2]), on(MATRIX_X, K=3, wbounds=1.3), on(MATRIX_X, K=3)]
    cases += [on(scaled_down, K=3, wbounds=1.3), on(MATRIX_X, K=3, wbounds=1.5, maxiter=0)]
    cases += [
        on(MATRIX_X, wbounds=2),
        on(MATRIX_X, K=2, centers=centers, wbounds=2),
        on(MATRIX_X, K=3, wbounds=1),
    ]
    cases += [on(MATRIX_X, K=3, centers=centers, wbounds=2), on(MATRIX_X, K=3, wbounds=[2, 0.5])]
    cases += [on(MATRIX_X, centers={"matrix": [[1, 2], [3, 4]]}, wbounds=2), on(MATRIX_X, K=1, wbounds=2)]
    cases += [on(constant, K=2, wbounds=2), on(MATRIX_X, K=13, wbounds=2), on(MATRIX_X, K=12, wbounds=2)]
    cases += [
        on(MATRIX_X, K=2, wbounds=[1.01, 1.5]),
        on({**MATRIX_X, "steps": [["set", 3, 2, "NaN"]]}, K=2, wbounds=2),
    ]
    cases += [on({**MATRIX_X, "steps": [["columns", 1]]}, K=2, wbounds=1.5)]
    cases += [on(MATRIX_X, K=2, wbounds=[1.5, bound]) for bound in (1.001, 1.0001)]
    cases += [on(real("iris", False), K=3, wbounds=1.0001)]
    single = {
        "draw": "normal",
        "n": 20,
        "p": 3,
        "steps": [["clusters", 2, 3, 1]],
    }  # one weight left: R's 'dims' error
    cases += [on({**single, "seed": seed}, K=2, wbounds=[1.5, 1.0001]) for seed in range(1, 13)]
    for name, (_, k) in DATASETS.items():
        for scaled in (False, True):
            cases += [on(real(name, scaled), seed=21, K=k, wbounds=[1.2, 1.5, 1.9])]
            cases += [on(real(name, scaled), seed=22, K=k + 1, wbounds=[2.5, 1.4], nstart=5)]
            cases += [on(real(name, scaled), seed=23, centers={"rows_of_x": [1, 60, 101]}, wbounds=1.7)]
    cases += [on(real(name, scaled), seed=24, K=3) for name in ("iris", "wine") for scaled in (False, True)]
    return cases


def permute_cases() -> list[Case]:
    """Calls of KMeansSparseCluster.permute: the specification's, errors, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("KMeansSparseCluster.permute", args, data, seed)

    cases = [on(MATRIX_X, K=2, nperms=3, nvals=3), on(MATRIX_X, K=2, nperms=1, wbounds=[1.5, 2])]
    cases += [
        on(MATRIX_X, centers={"rows_of_x": [1, 8]}, nperms=2, nvals=3),
        on(MATRIX_X, K=2, wbounds=[1, 2]),
    ]
    cases += [on(MATRIX_X, K=2, wbounds=2), on(MATRIX_X, wbounds=[1.5, 2]), on(MATRIX_X, K=2, nperms=2)]
    cases += [on(MATRIX_X, K=3, centers={"rows_of_x": [1, 8]}, wbounds=[1.5, 2])]
    for name, (_, k) in DATASETS.items():
        thin = [["every", 4]] if name == "wdbc" else []
        cases += [on(real(name, scaled, *thin), seed=31, K=k, nperms=2, nvals=4) for scaled in (False, True)]
    return cases


def make_table() -> dict[str, Any]:
    """The whole table: data sets and numbered cases."""
    cases = draw_cases() + sample_cases() + kmeans_cases() + sparse_cases() + permute_cases()
    for function, count in N_RANDOM.items():
        r = Random(f"table {function}")
        cases += [GENERATORS[function](r, r.randrange(-1000, 100000)) for _ in range(count)]
    cases.sort(key=lambda case: list(GENERATORS).index(case["function"]))
    counts = dict.fromkeys(GENERATORS, 0)
    numbered = []
    for case in cases:
        counts[case["function"]] += 1
        numbered.append({"id": f"{case['function']}-{counts[case['function']]:03d}", **case})
    return {"datasets": {name: dataset_entry(name) for name in DATASETS}, "cases": numbered}


def write_table(table: dict[str, Any]) -> None:
    """Writes the table with one case per line, and the data sets."""
    lines = ",\n".join("  " + json.dumps(case) for case in table["cases"])
    datasets = json.dumps(table["datasets"], indent=1)
    (FOLDER / "cases.json").write_text(f'{{"datasets": {datasets},\n"cases": [\n{lines}\n]}}\n')
    for name in DATASETS:
        (FOLDER / "data" / f"{name}.csv").write_text(dataset_text(name))


if __name__ == "__main__":
    result = make_table()
    write_table(result)
    names, sizes = np.unique([case["function"] for case in result["cases"]], return_counts=True)
    print(", ".join(f"{size} {name}" for name, size in zip(names, sizes, strict=True)))
