"""The cases of every R package: chosen ones and generators of random ones.

A module per package has ``GENERATORS`` (function to generator of random cases), ``N_RANDOM`` (function to
number of random cases in the table) and ``fixed_cases()``; the generators also give the cases of a live run.
"""

from random import Random

from r_reference.tables import (
    agreement,
    clues,
    gmedian,
    hierarchical,
    kpodclustr,
    madd,
    minmax,
    rskc,
    skfr,
    sparcl,
    stats,
    wrsk,
    wskm,
)
from r_reference.tables.common import Case

MODULES = (
    stats,
    sparcl,
    hierarchical,
    kpodclustr,
    gmedian,
    wskm,
    rskc,
    agreement,
    clues,
    wrsk,
    skfr,
    madd,
    minmax,
)
GENERATORS = {name: generator for module in MODULES for name, generator in module.GENERATORS.items()}
"""The generator of random cases of each function, in the order of the table."""


def fresh_cases(function: str, count: int, seed: int, taken: set[int]) -> list[Case]:
    """Random cases of one function with seeds that the table does not use.

    Parameters
    ----------
    function : str
        A key of ``GENERATORS``.
    count : int
        Number of cases.
    seed : int
        Seed of the generator of cases; the same seed gives the same cases.
    taken : set of int
        Seeds of the table, which are not drawn.

    Returns
    -------
    list of dict
        Cases with the ids ``fresh-<function>-<seed>-<number>``.
    """
    r = Random(f"{function} {seed}")
    cases: list[Case] = []
    used = set(taken)
    while len(cases) < count:
        call_seed = r.randrange(-(2**31) + 1, 2**31)
        if call_seed in used:
            continue
        used.add(call_seed)
        case = GENERATORS[function](r, call_seed)
        cases.append({"id": f"fresh-{function}-{seed}-{len(cases) + 1}", **case})
    return cases
