"""Cases of stats: dendrograms, what is made of them, and heat maps."""

from random import Random

from r_reference.case_parts import MATRIX_A, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real
from r_reference.packages.cluster.cases_twins import METHODS as TWINS
from r_reference.packages.stats.cases_cuts import tree_args
from r_reference.packages.stats.cases_trees import METHODS

PARTS = ("all", "all", "all", "rev", "upper", "left", "right")
"""The whole dendrogram, it turned round, it cut, or one of its branches."""
CHAIN = {"rows": [[i * (i + 1) / 2] for i in range(60)]}
"""Rows that single linkage merges one after the other."""


def dendrogram_args(r: Random, data: Case) -> Case:
    """What makes a dendrogram of data."""
    args = tree_args(r, data)
    kind = r.choice(["hclust", "hclust", "hclust", "agnes", "diana"])
    if kind == "agnes":
        args["method"] = r.choice([m for m in TWINS if m != "flexible"])
    if kind != "hclust":
        args["kind"] = kind
    if r.random() < 0.3:
        args["hang"] = r.choice([0, 0.1, 0.5, 2, -2])
    if r.random() < 0.5:
        args["part"] = r.choice(PARTS)
    return args


def _data(r: Random) -> Case:
    """Data, often with ties."""
    data = random_recipe(r, (2, 25), (1, 5))
    if r.random() < 0.3:
        data["steps"] = [*data["steps"], ["round", 1]]
    return data


def random_dendrogram(r: Random, seed: int, function: str = "as.dendrogram") -> Case:
    """A call of as.dendrogram, labels or nobs, which have no other arguments."""
    data = _data(r)
    return new_case(function, dendrogram_args(r, data), data, seed)


def random_labels(r: Random, seed: int) -> Case:
    """A call of labels."""
    return random_dendrogram(r, seed, "labels")


def random_nobs(r: Random, seed: int) -> Case:
    """A call of nobs."""
    return random_dendrogram(r, seed, "nobs")


def random_hclust(r: Random, seed: int) -> Case:
    """A call of as.hclust on a dendrogram or on what it is made of."""
    data = _data(r)
    args = dendrogram_args(r, data) | {"form": r.choice(["dendrogram", "dendrogram", "tree"])}
    if args["form"] == "tree":
        args = {name: value for name, value in args.items() if name not in ("hang", "part")}
    return new_case("as.hclust", args, data, seed)


def random_cut(r: Random, seed: int) -> Case:
    """A call of cut at, above or below the height of a merge, or at a height."""
    data = _data(r)
    args = dendrogram_args(r, data)
    if args.get("part") in ("left", "right") or r.random() < 0.2:
        args["h"] = r.choice([-1, 0, 0.5, 1, 2.5, 10, "Inf", 1e-7])
    else:
        args |= {"at": r.randint(1, data["n"] - 1 if args.get("part") != "upper" else 1)}
        args["factor"] = r.choice([1, 1, 0.9, 1.1])
    return new_case("cut", args, data, seed)


def random_intervals(r: Random, seed: int) -> Case:
    """A call of cut on numbers, by a number of intervals or by their ends, sometimes refused."""
    data = random_recipe(r, (2, 20), (1, 3))
    if r.random() < 0.3:
        data["steps"].append(["missing", r.randrange(1, 2**31), 1])
    ends = [r.choice([-1, 1]) * round(r.uniform(0, 9), r.randint(0, 4)) for _ in range(r.randint(2, 6))]
    args: Case = {"breaks": r.choice([1, 2, 3, 5, 7, 2.7]) if r.random() < 0.5 else ends}
    if r.random() < 0.2 and isinstance(args["breaks"], list):
        args["breaks"] += ["Inf", "-Inf"][: r.randint(1, 2)]
    for name in ("right", "include.lowest", "ordered_result"):
        if r.random() < 0.3:
            args[name] = r.random() < 0.5
    if r.random() < 0.3:
        args["dig.lab"] = r.randint(1, 6)
    if r.random() < 0.2:
        args["labels"] = r.choice([False, [3, 1], [1, 2, 3]])
    return new_case("cut", args, data, seed)


def random_cut_of_either(r: Random, seed: int) -> Case:
    """A call of cut on a dendrogram or on numbers."""
    return (random_cut if r.random() < 0.5 else random_intervals)(r, seed)


def random_rev(r: Random, seed: int) -> Case:
    """A call of rev on a dendrogram, rarely on a vector."""
    data = _data(r)
    args = dendrogram_args(r, data) if r.random() < 0.9 else {"form": r.choice(["vector", "named"])}
    return new_case("rev", args, data, seed)


def random_reorder(r: Random, seed: int) -> Case:
    """A call of reorder, with equal, missing, too few or too many weights."""
    data = _data(r)
    args, n = dendrogram_args(r, data), data["n"]
    if r.random() < 0.1:
        n = max(1, n + r.choice([-2, 2]))
    args["wts"] = [
        r.choice([r.randint(-3, 3), round(r.uniform(-5, 5), 3), r.uniform(0, 1)]) for _ in range(n)
    ]
    if r.random() < 0.1:
        args["wts"][r.randrange(n)] = "NA"
    if r.random() < 0.5:
        args["agglo.FUN"] = r.choice(["sum", "mean", "max", "min"])
    return new_case("reorder", args, data, seed)


def random_heatmap(r: Random, seed: int) -> Case:
    """A call of heatmap: trees by means, weights, other linkages, given ones or none."""
    data = random_recipe(r, (2, 14), (2, 8))
    args: Case = {}
    if r.random() < 0.25:
        data["steps"] = [*data["steps"], ["missing", r.randrange(1, 10**6), r.randint(1, data["p"])]]
    if r.random() < 0.2:
        args["form"] = "square"
        args |= r.choice([{"symm": True}, {"Colv": "Rowv"}, {}, {"symm": True, "columns": "none"}])
    columns = data["n"] if "form" in args else data["p"]
    if r.random() < 0.3:
        args["Rowv"] = [r.randint(-3, 9) for _ in range(data["n"])]
    else:
        args["rows"] = r.choice(["means", "means", "means", "none", "tree", "short"])
        if args["rows"] == "short" and data["n"] < 3:
            args["rows"] = "tree"
    if r.random() < 0.2 and "Colv" not in args:
        args["Colv"] = [r.randint(-3, 9) for _ in range(columns)]
    elif r.random() < 0.2 and "Colv" not in args:
        args["columns"] = "none"
    if r.random() < 0.3:
        args["method"] = r.choice([m for m in METHODS if m not in ("median", "centroid")])
    if r.random() < 0.2:
        args["metric"] = r.choice(["manhattan", "maximum"])
    if r.random() < 0.3:
        args["scale"] = r.choice(["row", "column", "none"])
    if r.random() < 0.2:
        args["na.rm"] = r.random() < 0.5
    if r.random() < 0.4:
        args["named"] = True
    return new_case("heatmap", args, data, seed)


RANDOM_CASES: RandomCases = {
    "heatmap": (80, random_heatmap),
    "as.dendrogram": (80, random_dendrogram),
    "as.hclust": (60, random_hclust),
    "labels": (20, random_labels),
    "nobs": (20, random_nobs),
    "cut": (160, random_cut_of_either),
    "rev": (60, random_rev),
    "reorder": (80, random_reorder),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Every linkage on real data, a chain, refused arguments, dendrograms in cophenetic."""
    iris = real("iris", True, ["every", 5])
    cases = [new_case("as.dendrogram", {"method": m, "named": True}, iris, 1) for m in METHODS]
    cases += [
        new_case("as.dendrogram", {"method": m, "kind": "agnes"}, iris, 1) for m in ("ward", "gaverage")
    ]
    cases += [new_case("as.dendrogram", {"method": "", "kind": "diana"}, iris, 1)]
    for function in ("as.dendrogram", "rev", "nobs", "labels"):
        cases.append(new_case(function, {"method": "single"}, CHAIN, 1))
    average: Case = {"method": "average"}
    cases.append(new_case("reorder", {"method": "single", "wts": list(range(60, 0, -1))}, CHAIN, 1))
    cases += [new_case("as.dendrogram", average | {"hang": hang}, SIX_ROWS, 1) for hang in ("NA", [1, 2])]
    cases += [new_case("cut", average | {"h": h}, SIX_ROWS, 1) for h in ("NA", [1, 2], 0, "Inf", 4)]
    cases += [new_case("reorder", average | {"wts": w}, SIX_ROWS, 1) for w in ([1], "NA", [6, 5, 4, 3, 2, 1])]
    cases += [
        new_case("reorder", average | {"wts": 1, "agglo.FUN": f}, SIX_ROWS, 1) for f in ("range", "none")
    ]
    forms = [(part, named) for part in ("all", "rev", "upper", "left", "right") for named in (True, False)]
    for data in (MATRIX_A, iris):
        for part, named in forms:
            args = average | {"part": part, "named": named}
            cases.append(new_case("cophenetic", args | {"form": "dendrogram"}, data, 1))
            cases.append(new_case("as.hclust", args | {"form": "dendrogram"}, data, 1))
    refused: list[Case] = [{"form": "vector"}, {"scale": "rows"}, {"symm": True}, {"rows": "short"}]
    cases += [new_case("heatmap", args, MATRIX_A, 1) for args in ({}, {"columns": "none"}, *refused)]
    cases += [new_case("heatmap", {}, {"rows": rows}, 1) for rows in ([[1, 2]], [[1], [2]])]
    wine = real("wine", True, ["every", 6])
    return cases + [new_case("heatmap", args, data, 1) for data in (iris, wine) for args in ({}, {"Rowv": 1})]
