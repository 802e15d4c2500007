"""Cases of stats: dist and hclust with every method."""

from random import Random

from r_reference.case_parts import SIX_ROWS, Case, RandomCases, new_case, random_recipe, real

DISTANCES = ("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
METHODS = ("ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid")
NEW_METHODS = ("ward.D", "ward.D2", "mcquitty", "median")
"""Methods that sparcl has not: as many cases for each of them as a function of its own has."""
EXPONENTS = (1, 2, 3, 4, 0.5, 1.5, 7.25, 0.1, 100)
PER_METHOD = 60


def _with_holes(r: Random, data: Case) -> Case:
    """A recipe with missing and infinite entries, or zeros for the binary distance, most of the time."""
    steps = list(data["steps"])
    cells = data["n"] * data["p"]
    if r.random() < 0.4:
        steps.append(["round", 1])
    if r.random() < 0.5:
        steps.append(["missing", r.randrange(1, 10**6), r.randint(1, max(1, cells * 2 // 3))])
    for _ in range(r.choice([0, 0, 1, 3])):
        value = r.choice(["Inf", "-Inf", "NaN", 0, 0, 1e-310, 1e308])
        steps.append(["set", r.randint(1, data["n"]), r.randint(1, data["p"]), value])
    return {**data, "steps": steps}


def dist_case(r: Random, seed: int, method: str) -> Case:
    """A call of dist with a method, whole or abbreviated."""
    data = _with_holes(r, random_recipe(r, (2, 12), (1, 9)))
    args: Case = {"method": method}
    if r.random() < 0.3:
        args["method"] = method[: r.randint(3, len(method))]
    if r.random() < 0.2:
        args |= {"diag": r.random() < 0.5, "upper": r.random() < 0.5}
    if method == "minkowski" or r.random() < 0.1:
        args["p"] = r.choice(EXPONENTS)
    return new_case("dist", args, data, seed)


def random_dist(r: Random, seed: int) -> Case:
    """A call of dist, rarely with arguments that R refuses."""
    case = dist_case(r, seed, r.choice(DISTANCES))
    if r.random() < 0.05:
        case["args"] |= r.choice([{"method": "m"}, {"method": "cosine"}, {"method": "min", "p": 0}])
    return case


def hclust_case(r: Random, seed: int, method: str) -> Case:
    """A call of hclust on distances, their squares or weighted objects, often with ties."""
    data = random_recipe(r, (2, 40), (1, 6))
    args: Case = {"method": method}
    if r.random() < 0.3 and method not in ("ward.D", "ward.D2"):
        args["method"] = method[: r.randint(3, len(method))]
    if r.random() < 0.4:
        args["metric"] = r.choice(DISTANCES[:3])
    if r.random() < 0.4 and not any(step[0] in ("set", "add") for step in data["steps"]):
        args["power"] = 2
    if r.random() < 0.3:
        args["members"] = [r.choice([1, 1, 2, 3, 7, 0.5]) for _ in range(data["n"])]
    if r.random() < 0.3:
        args["named"] = True
    return new_case("hclust", args, data, seed)


def random_hclust(r: Random, seed: int) -> Case:
    """A call of hclust, rarely with arguments that R refuses."""
    case = hclust_case(r, seed, r.choice(METHODS))
    if r.random() < 0.05:
        case["args"] |= r.choice([{"method": "m"}, {"method": "wards"}, {"members": [1]}])
    return case


RANDOM_CASES: RandomCases = {"dist": (20, random_dist), "hclust": (60, random_hclust)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """As many cases of every method as of a function, errors, and real data."""
    cases = []
    for method in DISTANCES:
        r = Random(f"dist {method}")
        cases += [dist_case(r, number, method) for number in range(PER_METHOD)]
    for method in NEW_METHODS:
        r = Random(f"hclust {method}")
        cases += [hclust_case(r, number, method) for number in range(PER_METHOD)]
    refused: list[Case] = [{"method": method} for method in ("m", "ma", "", "foo", "EUC", "euclidi", "NA")]
    refused += [{"method": "minkowski", "p": p} for p in (0, -1, "NA", "Inf", "-Inf", [3, 1], 1e300, 1e-300)]
    cases += [new_case("dist", args, SIX_ROWS, 1) for args in refused]
    broken: list[Case] = [{"method": method} for method in ("ward", "ward.", "c", "", "me", "mc", "Average")]
    broken += [
        {"method": "average", "members": m} for m in ([1, 2], [1, 2, "NA", 1, 1, 1], [1, 2, 3, 4, 5, 6])
    ]
    cases += [new_case("hclust", args, SIX_ROWS, 1) for args in broken]
    data = real("wine", True, ["every", 6])
    cases += [new_case("dist", {"method": method, "p": 3}, data, 1) for method in DISTANCES]
    return cases + [new_case("hclust", {"method": method}, data, 1) for method in METHODS]
