"""Cases of stats: as.dist, cophenetic, order.dendrogram, rect.hclust, and the names of cutree."""

from random import Random

from r_reference.case_parts import MATRIX_X, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real
from r_reference.packages.stats.cases_trees import DISTANCES, METHODS

NAMED = 60
"""Number of cases of cutree on trees with names."""


def random_as_dist(r: Random, seed: int) -> Case:
    """A call of as.dist on a matrix, square but for a few, or on distances."""
    n = r.randint(2, 12)
    wide = r.choice([-1, 1, 2]) if r.random() < 0.15 else 0
    data = random_recipe(r, (n, n), (max(1, n + wide), max(1, n + wide)))
    if r.random() < 0.2:
        data["steps"].append(["missing", r.randrange(1, 10**6), r.randint(1, n)])
    args: Case = {"named": r.choice(["no", "rows", "columns", "both"])}
    if r.random() < 0.3:
        args["metric"] = r.choice(DISTANCES[:4])
    for name in ("diag", "upper"):
        if r.random() < 0.35:
            args[name] = r.random() < 0.7
    return new_case("as.dist", args, data, seed)


def tree_args(r: Random, data: Case) -> Case:
    """What makes a tree of data."""
    args: Case = {"method": r.choice(METHODS)}
    if r.random() < 0.4:
        args["metric"] = r.choice(DISTANCES[:3])
    if r.random() < 0.4 and not any(step[0] in ("set", "add") for step in data["steps"]):
        args["power"] = 2
    if r.random() < 0.5:
        args["named"] = True
    return args


def random_cophenetic(r: Random, seed: int) -> Case:
    """A call of cophenetic."""
    data = random_recipe(r, (2, 30), (1, 6))
    return new_case("cophenetic", tree_args(r, data), data, seed)


def random_order(r: Random, seed: int) -> Case:
    """A call of order.dendrogram."""
    data = random_recipe(r, (2, 40), (1, 6))
    return new_case("order.dendrogram", {**tree_args(r, data), "method": r.choice(METHODS[:6])}, data, seed)


def random_rectangles(r: Random, seed: int) -> Case:
    """A call of rect.hclust by number or height, rarely with arguments that R refuses."""
    data = random_recipe(r, (4, 30), (1, 6))
    args, n = tree_args(r, data), data["n"]
    k = r.randint(2, n - 1)
    if r.random() < 0.7:
        args["k"] = k
    else:
        args["h"] = r.choice([0.5, 1, 2, 3.7, 10])
        k = 2
    if r.random() < 0.4:
        args["which"] = [r.randint(1, k) for _ in range(r.randint(1, 3))]
    elif r.random() < 0.3:
        args["at"] = [r.choice([1, 1.5, 2, r.uniform(0.5, n)]) for _ in range(r.randint(1, 3))]
    if r.random() < 0.05:
        args |= r.choice([{"k": 1}, {"k": n}, {"k": 2, "h": 1}, {"which": k + 1}, {"k": [2, 3]}])
    return new_case("rect.hclust", args, data, seed)


def named_cut(r: Random, seed: int) -> Case:
    """A call of cutree on a tree with names."""
    data = random_recipe(r, (2, 25), (1, 6))
    args: Case = {"method": r.choice(METHODS[:6]), "named": True}
    cuts = r.choice([1, 1, 2, 4])
    numbers = [r.randint(1, data["n"]) for _ in range(cuts)]
    heights = [r.choice([0, 1, 1 / 3, 0.1, 1e5, 2.5, 123456.789, 1e-7, 1e15, "Inf"]) for _ in range(cuts)]
    if r.random() < 0.6:
        args["k"] = numbers
    if "k" not in args or r.random() < 0.1:
        args["h"] = heights
    return new_case("cutree", args, data, seed)


RANDOM_CASES: RandomCases = {
    "as.dist": (60, random_as_dist),
    "cophenetic": (60, random_cophenetic),
    "order.dendrogram": (60, random_order),
    "rect.hclust": (60, random_rectangles),
}
"""Number of random cases in the table, and their generator, of each function."""


def refused_cuts() -> list[Case]:
    """Calls of cutree and rect.hclust with R's messages."""
    cuts: list[Case] = [{"k": "NA"}, {"h": "NA"}, {"h": [1, "NA"]}, {"k": [1, "NA"]}, {"k": [2, 3], "h": 1}]
    cuts += [{"k": [2, 3], "h": [1, 2]}, {"k": 2, "h": [1, 2]}, {"k": -0.5}, {"k": 2.9}, {"k": 7}, {}]
    marks: list[Case] = [{}, {"k": 1}, {"k": 6}, {"k": "NA"}, {"k": [2, 3]}, {"k": 3, "h": 2}, {"k": 2.5}]
    marks += [{"k": [2, 3], "h": 2}, {"k": 3, "h": [1, 2]}]
    marks += [{"h": h} for h in (100, 1e-9, -1, "NA", "Inf", 0)]
    marks += [{"k": 3, "which": w} for w in (4, 1.7, "NA", ["NA", 5], [2, 2], [3, 1])]
    marks += [{"k": 3, "at": x} for x in (9, 1, 2.2, [1, 6])] + [{"k": 3, "which": 1, "at": 1}]
    marks += [{"k": 3, "cluster": [1, 1, 2, 2, 3, 3]}, {"k": 3, "cluster": [3, 1, 2, 3, 1, 2], "which": 2}]
    trees: Case = {"method": "average", "named": True}
    cases = [new_case("cutree", trees | args, SIX_ROWS, 1) for args in cuts]
    return cases + [new_case("rect.hclust", trees | args, SIX_ROWS, 1) for args in marks]


def fixed_cases() -> list[Case]:
    """Names of cuts, refused arguments, real data, every linkage."""
    r = Random("cutree with names")
    cases = [named_cut(r, number) for number in range(NAMED)] + refused_cuts()
    wine = real("wine", True, ["every", 6])
    for method in METHODS:
        trees: Case = {"method": method, "named": True}
        cases.append(new_case("cophenetic", trees, wine, 1))
        if method not in ("median", "centroid"):
            cases.append(new_case("order.dendrogram", trees, wine, 1))
        cases.append(new_case("rect.hclust", {**trees, "k": 3}, wine, 1))
    return [*cases, new_case("as.dist", {"metric": "euclidean"}, MATRIX_X, 1)]
