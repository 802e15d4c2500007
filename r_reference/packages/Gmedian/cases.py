"""Cases of Gmedian: medians, median covariation matrices and recursive k-medians."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import (
    DATASETS,
    MATRIX_A,
    MATRIX_X,
    REAL,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)

SPEC = {"draw": "normal", "seed": 1, "n": 20, "p": 3, "steps": []}
THREE = {"rows": [[0, 0], [3, 4], [1, 0]]}
SCALES: list[float] = [1, 1, 1, 1e-170, 1e-100, 1e160]


FIRST_ARGUMENT: dict[str, Case] = {
    "Gmedian": {"nstart": 2},
    "Weiszfeld": {"nitermax": 100},
    "GmedianCov": {"nstart": 1},
    "WeiszfeldCov": {"nitermax": 100},
    "kGmedian": {"ncenters": 2},
}
"""An argument at its default, for calls without arguments, which a record cannot represent."""


def _case(function: str, args: Case, data: Case, seed: int, **other: Any) -> Case:
    """A case of the table without its id."""
    return new_case(function, args or FIRST_ARGUMENT[function], data, seed, **other)


def _plain_recipe(r: Random, p: tuple[int, int]) -> Case:
    """Data of full rank and moderate scale; otherwise rounding errors would determine the eigenvectors."""
    columns = r.randint(*p)
    recipe: Case = {
        "draw": r.choice(["normal", "uniform"]),
        "seed": r.randrange(1, 2**31),
        "n": columns + r.randint(20, 50),
        "p": columns,
        "steps": [],
    }
    if r.random() < 0.6:
        recipe["steps"].append(["clusters", r.randint(2, 6), r.choice([1, 2, 4.5]), r.randint(1, columns)])
    if r.random() < 0.5:
        recipe["steps"].append(r.choice([["add", 1e6], ["multiply", 10], ["multiply", 1e5]]))
    return recipe


def _any_recipe(r: Random, n: tuple[int, int], p: tuple[int, int]) -> Case:
    """Any data, sometimes with missing values or so small or large that squares under- or overflow."""
    data = random_recipe(r, n, p)
    scale = r.choice(SCALES)
    if scale != 1:
        data["steps"] = [*data["steps"], ["multiply", scale]]
    if r.random() < 0.1:
        count = min(r.randint(1, 3), data["p"])
        data["steps"] = [*data["steps"], ["missing", r.randrange(1, 1000), count]]
    return data


def _weights(r: Random, n: int) -> list[float]:
    """Weights, some of them zero, sometimes one too few or too many."""
    length = r.choice([n] * 12 + [n + 1, n - 1])
    return [
        r.choice([0.0, 1.0, 2.0]) if r.random() < 0.3 else round(r.uniform(0, 3), 3) for _ in range(length)
    ]


def _steps(r: Random) -> Case:
    """Arguments about the steps of the stochastic gradient."""
    args: Case = {}
    if r.random() < 0.5:
        args["gamma"] = round(r.uniform(0.1, 4), 3)
    if r.random() < 0.5:
        args["alpha"] = round(r.uniform(0.4, 1), 3)
    if r.random() < 0.5:
        args["nstart"] = r.randint(0, 4)
    return args


def random_gmedian(r: Random, seed: int) -> Case:
    """A call of Gmedian."""
    data = _any_recipe(r, (2, 60), (1, 45))
    args = _steps(r)
    if r.random() < 0.3:
        args["init"] = [
            round(r.uniform(-2, 2), 2) for _ in range(r.choice([1, data["p"], data["p"], data["p"] + 1]))
        ]
    if r.random() < 0.2:
        args["epsilon"] = r.choice([0, 1e-3, 1, "NaN"])
    return _case("Gmedian", args, data, seed)


def random_weiszfeld(r: Random, seed: int) -> Case:
    """A call of Weiszfeld."""
    data = _any_recipe(r, (2, 60), (1, 45))
    args: Case = {"weights": _weights(r, data["n"])} if r.random() < 0.5 and data["n"] > 2 else {}
    if r.random() < 0.3:
        args["nitermax"] = r.choice([0, 1, 2, 30])
    if r.random() < 0.3:
        args["epsilon"] = r.choice([1e-4, 1e-2, 1e-12, 2])
    return _case("Weiszfeld", args, data, seed)


def _with_scores(r: Random, other: Case) -> tuple[Case, Case]:
    """Data and arguments that ask for eigenvectors, or any data and arguments that do not."""
    if r.random() < 0.5:
        data = _plain_recipe(r, (3, 12))
        return data, {**other, **({"scores": r.randint(1, data["p"])} if r.random() < 0.8 else {})}
    return _any_recipe(r, (2, 25), (1, 12)), {**other, "scores": 0}


def random_gmedian_cov(r: Random, seed: int) -> Case:
    """A call of GmedianCov."""
    data, args = _with_scores(r, _steps(r))
    if args.get("scores") != 0 and args.get("nstart") == 0:
        del args["nstart"]  # the eigenvectors of a zero matrix are arbitrary
    if r.random() < 0.3:
        args["nn"] = r.random() < 0.5
    if r.random() < 0.4:
        args["gc"] = round(r.uniform(0.2, 3), 3)
    return _case("GmedianCov", args, data, seed)


def random_weiszfeld_cov(r: Random, seed: int) -> Case:
    """A call of WeiszfeldCov."""
    data, args = _with_scores(r, {})
    if r.random() < 0.4 and data["n"] > 2 and args.get("scores") == 0:
        args["weights"] = _weights(r, data["n"])  # with many zero weights the matrix is nearly of rank 1
    if r.random() < 0.3:
        args["nitermax"] = r.choice([1, 2, 30] if args.get("scores") != 0 else [0, 1, 2, 30])
    if r.random() < 0.2:
        args["epsilon"] = r.choice([1e-4, 1e-2])
    return _case("WeiszfeldCov", args, data, seed)


def random_kgmedian(r: Random, seed: int) -> Case:
    """A call of kGmedian with a number of centres, or with rows of the data as centres."""
    data = random_recipe(r, (6, 60), (1 if r.random() < 0.1 else 2, 40))
    if r.random() < 0.1:
        data["steps"] = [*data["steps"], ["multiply", r.choice([1e-170, 1e-100, 1e140])]]
    args: Case = _steps(r)
    k = r.randint(1 if r.random() < 0.1 else 2, 5)
    args["ncenters"] = {"rows_of_x": r.choices(range(1, data["n"] + 1), k=k)} if r.random() < 0.25 else k
    if r.random() < 0.5:
        args["nstartkmeans"] = r.choice([1, 1, 3])
    if r.random() < 0.3:
        args["iter.max"] = r.choice([1, 2, 5])
    return _case("kGmedian", args, data, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {
    "Gmedian": (24, random_gmedian),
    "Weiszfeld": (20, random_weiszfeld),
    "GmedianCov": (24, random_gmedian_cov),
    "WeiszfeldCov": (20, random_weiszfeld_cov),
    "kGmedian": (40, random_kgmedian),
}
"""Number of random cases in the table, and their generator, of each function."""


def _real_data() -> list[Case]:
    """The real data sets, raw and scaled; wdbc and digits thinned."""
    thin = {"wdbc": [["every", 4]], "digits": [["every", 3]]}
    return [real(name, scaled, *thin.get(name, [])) for name in DATASETS for scaled in (False, True)]


def _of(function: str) -> Callable[..., Case]:
    """Cases of one function."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return _case(function, {name.replace("_", "."): v for name, v in args.items()}, data, seed)

    return on


def _with_step(*step: Any) -> Case:
    """The small data set SPEC with one more step."""
    return {**SPEC, "steps": [list(step)]}


def median_cases() -> list[Case]:
    """Calls of Gmedian and Weiszfeld: small data, limits of the arguments, errors, real data."""
    on, cases = _of("Gmedian"), []
    cases += [
        on(SPEC),
        on(SPEC, nstart=1),
        on(SPEC, init=[0, 0, 0], gamma=1, alpha=0.6, nstart=1),
        on(THREE, nstart=1),
    ]
    cases += [on(SPEC, init=init) for init in ([1, 2], [1, 2, 3, 4], [1], {"matrix": [[1, 2], [3, 4]]})]
    cases += [
        on(SPEC, init={"rows_of_x": [3, 4]}),
        on(SPEC, nstart=0),
        on(SPEC, gamma="NaN"),
        on(SPEC, epsilon=1e9),
    ]
    cases += [on(_with_step("set", i, 2, value)) for i in (1, 3) for value in ("NaN", "Inf")]
    cases += [
        on(_with_step("columns", 1)),
        on(_with_step("every", 20)),
        on(MATRIX_A, gamma=0.1),
        on(MATRIX_X),
    ]
    cases += [on(data, nstart=passes) for data in _real_data() for passes in (1, 3)]
    on = _of("Weiszfeld")
    cases += [
        on(SPEC),
        on(SPEC, weights=list(range(1, 21))),
        on(SPEC, weights=[1, 2, 3]),
        on(SPEC, weights=[0] * 20),
    ]
    cases += [on(SPEC, weights=list(range(-1, -21, -1))), on(SPEC, weights=list(range(1, 26)))]
    cases += [on(SPEC, nitermax=n) for n in (0, 1)] + [on(SPEC, epsilon=e) for e in (0, "NaN", 2)]
    cases += [on(_with_step("set", 3, 2, value)) for value in ("NaN", "Inf")] + [
        on(THREE),
        on(MATRIX_A),
        on(MATRIX_X),
    ]
    cases += [on(_with_step("columns", 1)), on(_with_step("every", 20)), on(_with_step("multiply", 0))]
    cases += [on(data, **args) for data in _real_data() for args in ({}, {"epsilon": 1e-3})]
    return cases


def covariation_cases() -> list[Case]:
    """Calls of GmedianCov and WeiszfeldCov: small data, limits of the arguments, errors, real data."""
    broken = {**SPEC, "steps": [["set", 3, 2, "NaN"]]}
    narrow = {**SPEC, "steps": [["columns", 2]]}
    cases = []
    for name in ("GmedianCov", "WeiszfeldCov"):
        on = _of(name)
        cases += [
            on(SPEC, **({} if s is None else {"scores": s})) for s in (None, 0, 1, 1.5, 3, 4, -1, 0.5, "NaN")
        ]
        cases += [on(narrow, scores=s) for s in (0, 1, 2, 5)] + [on(broken, scores=s) for s in (0, 2, 3)]
        cases += [on(_with_step("multiply", 0), scores=0), on(_with_step("every", 20), scores=0)]
        cases += [on(THREE, scores=0), on(MATRIX_X, scores=0), on(_with_step("multiply", 1e-170), scores=0)]
        small = [data for data in _real_data() if data["dataset"] in REAL]
        cases += [on(data, scores=s) for data in small for s in (0, 2)]
    on = _of("GmedianCov")
    cases += [
        on(SPEC, nn=False),
        on(SPEC, nn=False, scores=3, gc=3),
        on(SPEC, init=[0, 0, 0]),
        on(SPEC, init=[0, 0]),
    ]
    cases += [on(_with_step("multiply", 0), nn=False, scores=s) for s in (0, 2, 3)]
    cases += [on(SPEC, gc=gc, scores=0) for gc in ("NaN", -1, 0)]
    on = _of("WeiszfeldCov")
    cases += [
        on(SPEC, weights=list(range(1, 21))),
        on(SPEC, weights=[1, 2, 3]),
        on(SPEC, weights=[0] * 20, scores=0),
    ]
    cases += [on(SPEC, nitermax=0, scores=0), on(SPEC, weights=[0] * 20)]
    return cases


def clustering_cases() -> list[Case]:
    """Calls of kGmedian: small data, limits of the arguments, errors, real data."""
    on = _of("kGmedian")
    three, one = {"rows_of_x": [1, 2, 3]}, {"rows_of_x": [1]}
    few = {**SPEC, "steps": [["duplicate", 3]]}
    line = {**SPEC, "steps": [["columns", 1]]}
    cases = [on(SPEC, ncenters=2), on(SPEC, ncenters=three, nstart=1)]
    cases += [on(SPEC, 5, ncenters=3, gamma=0.5, alpha=0.66, nstart=4, nstartkmeans=3)]
    cases += [on(SPEC, ncenters=k) for k in (1, 20, 21, 0, -1, 2.7, "NaN", "Inf", "-Inf", 0.5)]
    cases += [on(SPEC, ncenters=k, nstartkmeans=1) for k in (2, 20, 21)] + [on(SPEC, ncenters=1, nstart=1)]
    cases += [on(SPEC, nstart=s) for s in (0, 1, 2.5, "NaN")]
    cases += [on(SPEC, nstartkmeans=s) for s in (0, 1.5, "NaN")] + [on(SPEC, iter_max=i) for i in (0, 1, 1.9)]
    cases += [on(few, ncenters=k, nstartkmeans=s) for k in (3, 4) for s in (1, 10)]
    cases += [on(line), on(line, nstart=1), on(SPEC, ncenters=one, nstart=1), on(SPEC, ncenters=one)]
    cases += [
        on(SPEC, ncenters={"rows_of_x": [1, 1]}, nstart=1),
        on(SPEC, ncenters={"matrix": [[1, 2], [3, 4]]}),
    ]
    cases += [
        on(SPEC, ncenters=[1, 2, 3]),
        on(_with_step("set", 3, 2, "NaN")),
        on(SPEC, gamma=0),
        on(SPEC, gamma=1e6),
    ]
    cases += [on(SPEC, alpha=-1), on(SPEC, ncenters={"rows_of_x": list(range(1, 21)) * 2})]
    cases += [
        on(real(name, scaled, ["every", 5 if name == "wdbc" else 2]), 7, ncenters=k, nstart=5, nstartkmeans=2)
        for name, k in {**REAL, "digits": 10}.items()
        for scaled in (False, True)
    ]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return median_cases() + covariation_cases() + clustering_cases()
