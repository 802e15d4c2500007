"""Cases of wskm: ewkm, its predict, and the two methods with groups of features, fgkm and twkm.

R hangs if it must draw as many centres as there are rows, if restarts have no limit, and if fgkm or twkm are
allowed no iteration. No case does this.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import REAL, Case, RandomCases, new_case, random_recipe, real, sample_kind

TWO_LEVELS = [[0, 0]] * 5 + [[1, 1]] * 3 + [[2, 2]] * 2
PAIRS = {"rows": TWO_LEVELS}
"""Ten rows with three distinct values: clusters are often empty and a centre is often zero."""
SHIFTED = {"draw": "normal", "seed": 1, "n": 20, "p": 3, "steps": [["clusters", 2, 5, 1]]}


def _data(r: Random, n: tuple[int, int], p: tuple[int, int]) -> tuple[Case, int]:
    """A recipe and a number of clusters that R can draw."""
    data = random_recipe(r, n, p) if r.random() < 0.9 else dict(PAIRS)
    rows = data.get("n", len(TWO_LEVELS))
    return data, min(r.randint(1, 7), rows - 1)


def _centers(r: Random, data: Case, k: int) -> Any:
    """A number of clusters, or rows of the data, sometimes with a repeated row."""
    if r.random() < 0.75:
        return k
    rows = data.get("n", len(TWO_LEVELS))
    return {"rows_of_x": [r.randint(1, rows) for _ in range(k)]}


def _lambda(r: Random) -> float:
    """A weight of the entropy: mostly moderate, sometimes zero, negative or huge."""
    return r.choice([0, -1.5, 1e-12, 1e12]) if r.random() < 0.1 else round(10 ** r.uniform(-2, 3), 4)


def _entropy_args(r: Random, data: Case, k: int) -> Case:
    """Arguments of ewkm."""
    args: Case = {"centers": _centers(r, data, k)}
    if r.random() < 0.85:
        args["lambda"] = _lambda(r)
    if r.random() < 0.4:
        args["maxiter"] = r.choice([-1, 0, 1, 2, 5, 2.7, 300])
    if r.random() < 0.3:
        args["delta"] = r.choice([0, -1, 1e-9, 1e-3, 0.5])
    if r.random() < 0.5:
        args["maxrestart"] = r.choice([0, 1, 2, 3, 25])
    return args


def random_ewkm(r: Random, seed: int) -> Case:
    """A call of ewkm."""
    data, k = _data(r, (4, 80), (1, 12))
    return new_case("ewkm", _entropy_args(r, data, k), data, seed, sample_kind=sample_kind(r))


def random_predict(r: Random, seed: int) -> Case:
    """A call of ewkm and predict, for rows of the data or for other rows."""
    data, k = _data(r, (4, 40), (1, 6))
    args = _entropy_args(r, data, k)
    p = data.get("p", 2)
    if r.random() < 0.4:
        rows = data.get("n", len(TWO_LEVELS))
        args["newdata"] = {"rows_of_x": [r.randint(1, rows) for _ in range(r.randint(1, 12))]}
    else:
        special = ["NaN", "Inf", "-Inf", 1e200]
        cells = [[round(r.gauss(0, 3), 3) for _ in range(p)] for _ in range(r.randint(2, 12))]
        for row in cells[1:]:
            if r.random() < 0.2:
                row[r.randrange(p)] = r.choice(special)
        args["newdata"] = {"matrix": cells}
    return new_case("predict.ewkm", args, data, seed, sample_kind=sample_kind(r))


def _groups(r: Random, p: int) -> Any:
    """Groups of p features as a vector or as R's text, sometimes an error."""
    count = r.randint(1, min(p, 4))
    index = [r.randrange(count) for _ in range(p)]
    form = r.random()
    if form < 0.05:
        return [*index, 1, 1]
    if p > 1 and form < 0.6:
        return [r.choice([1, -0.5, 10]) * i for i in index] if form < 0.3 else index
    named = [[str(j) for j in range(p) if index[j] == g and r.random() < 0.95] for g in range(count)]
    if r.random() < 0.3:
        named[-1].append(f"0-{r.randrange(p)}")
    return ";".join(",".join(part) for part in named)


def _random_grouped(name: str, r: Random, seed: int) -> Case:
    """A call of fgkm or twkm."""
    data, k = _data(r, (4, 60), (1, 10))
    args: Case = {"centers": _centers(r, data, k), "groups": _groups(r, data.get("p", 2))}
    args |= {"lambda": _lambda(r), "eta": _lambda(r)}
    if r.random() < 0.4:
        args["maxiter"] = r.choice([1, 2, 5, 2.7, 300])
    if r.random() < 0.3:
        args["delta"] = r.choice([0, -1, 1e-9, 1e-3, 0.5])
    if r.random() < 0.5:
        args["maxrestart"] = r.choice([-1, 0, 1, 2, 3, 25])
    if r.random() < 0.4:
        args["seed"] = r.choice([0, -7, 0.5, 42, 1e7, r.randint(1, 10**6)])
    return new_case(name, args, data, seed, sample_kind=sample_kind(r), before=r.randint(0, 3))


def random_fgkm(r: Random, seed: int) -> Case:
    """A call of fgkm."""
    return _random_grouped("fgkm", r, seed)


def random_twkm(r: Random, seed: int) -> Case:
    """A call of twkm."""
    return _random_grouped("twkm", r, seed)


RANDOM_CASES: RandomCases = {
    "ewkm": (70, random_ewkm),
    "fgkm": (60, random_fgkm),
    "twkm": (60, random_twkm),
    "predict.ewkm": (45, random_predict),
}
"""Number of random cases in the table, and their generator, of each function."""

BAD_NUMBERS = ["NaN", "Inf", 1e10]


def _errors(fit: Callable[..., Case], good: Case, limits: tuple[str, ...]) -> list[Case]:
    """R's errors that these functions share: data, centres, limits."""
    cases = [fit(SHIFTED, **{**good, "centers": k}) for k in (0, -1, -0.5, "Inf", "-Inf", [1, 2], [1, 2, 3])]
    cases += [fit({**SHIFTED, "steps": [["set", 3, 2, value]]}, **good) for value in ("NaN", "Inf", "-Inf")]
    cases += [fit(SHIFTED, **good, **{name: value}) for name in limits for value in BAD_NUMBERS]
    cases += [fit(SHIFTED, **{**good, "centers": {"matrix": [[1, 2, "NaN"], [2, 3, 4]]}})]
    cases += [fit(SHIFTED, **{**good, "lambda": value}) for value in ("NaN", "Inf")]
    return [*cases, fit(SHIFTED, **{name: value for name, value in good.items() if name != "centers"})]


def entropy_cases() -> list[Case]:
    """Calls of ewkm and its predict: small data, counters, removed centres, errors, real data."""

    def fit(data: Case, start: int = 1, /, **args: Any) -> Case:
        return new_case("ewkm", args, data, start)

    def predict(data: Case, start: int = 1, /, **args: Any) -> Case:
        return new_case("predict.ewkm", args, data, start)

    rows = {"rows_of_x": [1, 11, 15]}
    cases = [fit(SHIFTED, centers=3), fit(SHIFTED, centers=3, **{"lambda": 5}), fit(SHIFTED, centers=rows)]
    cases += [fit(PAIRS, seed, centers=3, maxrestart=m) for seed in range(1, 6) for m in (0, 2)]
    cases += [fit(PAIRS, seed, centers=3, maxrestart=-1) for seed in (1, 2)]
    cases += [fit(SHIFTED, centers=19), fit(SHIFTED, centers={"rows_of_x": list(range(1, 21))})]
    cases += [fit(SHIFTED, centers=3, **{"lambda": value}) for value in (0, -1, 1e-300, 1e300)]
    cases += _errors(fit, {"centers": 3, "lambda": 2}, ("maxiter", "maxrestart"))
    cases += [fit(SHIFTED, centers=3, maxrestart=1e10, maxiter=1e10), fit(SHIFTED, centers=3, delta="NaN")]
    for name, k in REAL.items():
        for scaled in (False, True):
            cases += [fit(real(name, scaled), 41, centers=k), fit(real(name, scaled), 42, centers=k + 3)]
            cases += [fit(real(name, scaled), 43, centers={"rows_of_x": [1, 60, 101]}, **{"lambda": 8})]
            new = {"rows_of_x": list(range(3, 140, 11))}
            cases += [predict(real(name, scaled), 44, centers=k, newdata=new, **{"lambda": 20})]
    cases += [fit(real("digits", False), 45, centers=10, **{"lambda": 100})]
    return cases


def grouped_cases(name: str) -> list[Case]:
    """Calls of fgkm or twkm: small data, groups, seeds, errors, real data."""

    def fit(data: Case, start: int = 1, /, **args: Any) -> Case:
        return new_case(name, args, data, start)

    good: Case = {"centers": 3, "groups": [1, 1, 2], "lambda": 3, "eta": 1}
    texts = ["0,1;2", "0-1;2", "0;1", "0;1;2;", "0;;1;2", ";;0;1;2", "0-1;1-2", "2;1-0", "0 , 1 ; 2", ""]
    cases = [fit(SHIFTED, **good), fit(SHIFTED, **{**good, "centers": {"rows_of_x": [1, 11, 15]}})]
    cases += [
        fit(SHIFTED, **{**good, "groups": groups}, seed=42) for groups in (*texts, [5, 5, 5], [3, 2, 1])
    ]
    cases += [fit(SHIFTED, **{**good, "groups": groups}) for groups in ([1, 2], [1, 2, 3, 4], [1, "NA", 1])]
    cases += [
        fit(PAIRS, seed, **{**good, "groups": [1, 2], "maxrestart": m}) for seed in (1, 3) for m in (0, 2)
    ]
    missing = [{n: v for n, v in good.items() if n != name} for name in ("groups", "lambda", "eta")]
    cases += [fit(SHIFTED, **args) for args in missing]
    cases += _errors(fit, good, ("maxiter", "maxrestart", "seed"))
    for data, k in REAL.items():
        p = {"iris": 4, "wine": 13, "wdbc": 30}[data]
        text = f"0-{p // 2 - 1};{p // 2}-{p - 1}"
        for scaled in (False, True):
            cases += [fit(real(data, scaled), 51, centers=k, groups=text, **{"lambda": 50, "eta": 30})]
            cases += [fit(real(data, scaled), 52, centers=k + 2, groups=text, **{"lambda": 5, "eta": 300})]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return entropy_cases() + grouped_cases("fgkm") + grouped_cases("twkm")
