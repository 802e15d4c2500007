"""The R packages that are compared: the folders in ``packages/``, found by listing.

A folder has the name of the R package, and in it:

- ``cases.py``, or several ``cases_*.py``: the calls to compare, ``RANDOM_CASES`` and ``fixed_cases()``;
- ``calls.R``, if R must call more than the function of that name;
- ``ours.py`` with ``CALLS``, if our side of a call is more than the function of that name;
- ``tolerances.toml``, if some fields need not equal R's bit for bit;
- ``limits.py`` with ``LIMITS``, if how far they may differ depends on the case;
- ``VERSION``, if ``install.R`` installs the package from CRAN.

Beside the folders, ``packages/ours.py`` says which functions of ours have R's names: ``FUNCTIONS`` has them
as attributes, ``packages()`` gives the R package of each. Where ``CALLS`` have all calls, it is left out.
"""

import importlib
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from r_reference.case_parts import Case
from r_reference.recipes import load_table

PACKAGES = Path(__file__).parent / "packages"
Limits = Callable[[Mapping[str, np.ndarray], np.ndarray], dict[str, np.ndarray]]
"""From R's fields and the data to the largest differences, by field, in a shape that fits the field's."""


def _modules(pattern: str) -> list[tuple[str, ModuleType]]:
    """Pairs (package, module) of all modules whose file name matches the pattern."""
    names = [(path.parent.name, path.stem) for path in sorted(PACKAGES.glob(f"*/{pattern}.py"))]
    return [
        (package, importlib.import_module(f"{__package__}.packages.{package}.{stem}"))
        for package, stem in names
    ]


def _with_package(case: Case, package: str) -> Case:
    """A case with the name of its package, as second entry after the function."""
    return {"function": case["function"], "package": package, **case}


@cache
def _generators() -> dict[str, tuple[str, int, Callable[[Random, int], Case]]]:
    """By function: its package, its number of random cases in the table, and the generator of a case."""
    found: dict[str, tuple[str, int, Callable[[Random, int], Case]]] = {}
    for package, module in _modules("cases*"):
        for function, (count, generator) in module.RANDOM_CASES.items():
            if function in found:
                raise ValueError(f"{function} is in the packages {found[function][0]} and {package}")
            found[function] = (package, count, generator)
    return found


def function_names() -> list[str]:
    """The R functions that are compared, in the order of cases.json; new ones last."""
    known = dict.fromkeys(case["function"] for case in load_table()["cases"])
    return [name for name in {**known, **_generators()} if name in _generators()]


def fixed_cases() -> list[Case]:
    """The chosen cases of all packages, without ids."""
    return [
        _with_package(case, package)
        for package, module in _modules("cases*")
        for case in module.fixed_cases()
    ]


def random_case(function: str, r: Random, seed: int) -> Case:
    """One random case of a function, without its id."""
    package, _, generator = _generators()[function]
    return _with_package(generator(r, seed), package)


def table_cases(function: str) -> list[Case]:
    """The random cases of a function in the table, without ids; equal on every call."""
    r = Random(f"table {function}")
    _, count, _ = _generators()[function]
    return [random_case(function, r, r.randrange(-1000, 100000)) for _ in range(count)]


def fresh_cases(function: str, count: int, seed: int, taken: set[int]) -> list[Case]:
    """Random cases of one function with seeds that the table does not use."""
    r = Random(f"{function} {seed}")
    cases: list[Case] = []
    used = set(taken)
    while len(cases) < count:
        call_seed = r.randrange(-(2**31) + 1, 2**31)
        if call_seed in used:
            continue
        used.add(call_seed)
        cases.append(
            {"id": f"fresh-{function}-{seed}-{len(cases) + 1}", **random_case(function, r, call_seed)}
        )
    return cases


@cache
def our_calls() -> dict[str, Callable[..., Any]]:
    """Python functions for the calls that are more than our function of that name."""
    return {name: call for _, module in _modules("ours") for name, call in module.CALLS.items()}


@cache
def _functions() -> ModuleType | None:
    """``packages/ours.py``; None without it."""
    there = (PACKAGES / "ours.py").exists()
    return importlib.import_module(f"{__package__}.packages.ours") if there else None


def find_twin(function: str) -> Callable[..., Any] | None:
    """Our function with R's name, dots replaced by underscores; None without one."""
    ours = _functions()
    return None if ours is None else getattr(ours.FUNCTIONS, function.replace(".", "_"), None)


def twins() -> dict[str, str]:
    """Our functions that have R's name, and the R package of each."""
    ours = _functions()
    return {} if ours is None else ours.packages()


@cache
def tolerances() -> list[dict[str, Any]]:
    """The exceptions from bit equality: ``functions``, ``fields``, ``deviation``, ``reason``, and how far.

    ``min_lre`` is the number of digits that must agree; where `limits` computes it for each case, ``limit``
    describes it. ``digits`` is either as a text.
    """
    files = sorted(PACKAGES.glob("*/tolerances.toml"))
    entries = [entry for file in files for entry in tomllib.loads(file.read_text("utf-8"))["tolerances"]]
    return [{**entry, "digits": entry.get("limit") or f"{entry['min_lre']:g}"} for entry in entries]


@cache
def limits() -> dict[str, Limits]:
    """By function: what computes the largest differences of the fields that may differ, entry by entry."""
    return {name: limit for _, module in _modules("limits") for name, limit in module.LIMITS.items()}
