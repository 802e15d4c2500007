"""Case by case: our calls against R's recorded answers and against R itself."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from r_reference import bridge
from r_reference.case_parts import Case
from r_reference.listing import fresh_cases, function_names, limits, tolerances
from r_reference.recipes import decode_args, load_table, make_data, matrix_sha256
from r_reference.records import case_id
from sparsek.compare import LRE_CAP, FieldComparison, compare_fields
from validation.parity.outcome import Outcome, as_fields, load_record, run_ours


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case compared with one source of R's answers."""

    id: str  # id, function, package: the case, the R function and its package
    function: str
    package: str
    seed: int  # Seed of the call
    source: str  # "recorded" or "live"
    exact: bool  # Whether the input, every field, the error, the warnings and the stream afterwards are equal
    worst_lre: float  # Smallest log relative error (LRE) over the fields, in digits from 0 to 15
    fields: tuple[FieldComparison, ...]  # One per field
    message: str  # Description of the differences; empty if exact
    # seconds, r_seconds: elapsed time of our call and of R's (when recorded: on the recording
    # machine)
    seconds: float
    r_seconds: float
    # Whether the case is not exact, but every difference is within the tolerance that its package states for
    # the field
    within_tolerance: bool = False
    compiled: bool = False  # Whether compiled loops ran in our call

    @property
    def passed(self) -> bool:
        """Whether the case is exact or within its stated tolerance."""
        return self.exact or self.within_tolerance


def _are_within(
    function: str, different: Sequence[FieldComparison], ours: Outcome, theirs: Outcome, x: np.ndarray | None
) -> bool:
    """Whether the differences of all these fields are within stated tolerances."""
    stated = {
        field: entry for entry in tolerances() if function in entry["functions"] for field in entry["fields"]
    }
    if not all(comparison.field in stated for comparison in different):
        return False
    limit = limits()[function](theirs["value"], x) if function in limits() and x is not None else {}
    return all(
        _below(ours["value"][field.field], theirs["value"][field.field], limit[field.field])
        if field.field in limit
        else field.norm_lre >= stated[field.field].get("min_lre", math.inf)
        for field in different
    )


def _below(ours: np.ndarray, theirs: np.ndarray, limit: np.ndarray) -> bool:
    """Whether two fields have one shape and differ by at most the limit in every entry, or are both NaN."""
    if ours.shape != theirs.shape:
        return False
    with np.errstate(invalid="ignore"):
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        return bool((same | (np.abs(ours - theirs) <= limit)).all())


def select_cases(pattern: str | None = None) -> list[Case]:
    """Cases of the table whose id matches a regular expression."""
    return [case for case in load_table()["cases"] if pattern is None or re.search(pattern, case["id"])]


def random_cases(count: int, seed: int, pattern: str | None = None) -> list[Case]:
    """Fresh random cases of every function, with seeds that the table does not use."""
    taken = {case["seed"] for case in load_table()["cases"]}
    functions = [name for name in function_names() if pattern is None or re.search(pattern, name)]
    return [case for name in functions for case in fresh_cases(name, count, seed, taken)]


def compare_outcomes(
    case: Case,
    source: str,
    ours: Outcome,
    theirs: Outcome,
    x: np.ndarray | None = None,
    problem: str = "",
) -> CaseResult:
    """Compare the outcomes of one call."""
    fields = tuple(compare_fields(as_fields(ours), as_fields(theirs)))
    different = [f for f in fields if not f.exact]
    messages = ([problem] if problem else []) + [f"{f.field}: {f.message}" for f in different]
    tolerated = not problem and _are_within(case["function"], different, ours, theirs, x)
    return CaseResult(
        id=case["id"],
        function=case["function"],
        package=case["package"],
        seed=case["seed"],
        source=source,
        exact=not messages,
        worst_lre=0.0 if problem else min((f.lre for f in fields), default=LRE_CAP),
        fields=fields,
        message="; ".join(messages),
        seconds=ours["seconds"],
        r_seconds=theirs["seconds"],
        within_tolerance=bool(messages) and tolerated,
        compiled=ours["compiled"],
    )


def compare_recorded(case: Case, ours: Outcome | None = None) -> CaseResult:
    """Compare ours with the record of a case.

    Raises FileNotFoundError if the case has not been recorded.
    """
    record = load_record(case)
    x = make_data(case["data"])
    problem = "" if case_id(case) == case["id"] else "the record is of another version of this case"
    if x is not None and matrix_sha256(x) != record["input"]["sha256"]:
        problem = "the input matrix differs from the recorded one"
    return compare_outcomes(case, "recorded", ours or run_ours(case, x), record["result"], x, problem)


def compare_live(case: Case, ours: Outcome | None = None) -> CaseResult:
    """Compare ours with R itself.

    Raises RuntimeError if R or rpy2 is missing.
    """
    x = make_data(case["data"])
    theirs = bridge.run_case(case, decode_args(case, x))
    return compare_outcomes(case, "live", ours or run_ours(case, x), theirs, x)


def packages_of(case: Case) -> list[str]:
    """The R packages that a case needs: functions of stats also take the trees of cluster."""
    trees = case["args"].get("kind") in ("agnes", "diana")
    return [case["package"], "cluster"] if trees else [case["package"]]


def missing_package(case: Case) -> str:
    """The first R package that a case needs and that is not there; empty if all are."""
    return next((name for name in packages_of(case) if not bridge.available(name)[0]), "")


def live_skips(cases: Iterable[Case]) -> list[dict[str, int | str]]:
    """Number of cases that cannot be compared live, with the reason; an empty list if all can."""
    missing = Counter(filter(None, map(missing_package, cases)))
    if not missing:
        return []
    found, reason = bridge.available()
    if found:
        many = len(missing) > 1
        reason = f"the R package{'s' * many} {', '.join(sorted(missing, key=str.lower))} "
        reason += f"{'are' if many else 'is'} not installed"
    return [{"cases": sum(missing.values()), "reason": reason}]


def run_cases(
    cases: Sequence[Case], recorded: bool = True, live: bool = False, progress: bool = True
) -> list[CaseResult]:
    """Compare cases with their records, with R itself, or with both."""
    results = []
    for case in tqdm(cases, desc="parity", unit="case", disable=None if progress else True):
        there = live and not missing_package(case)
        if not recorded and not there:
            continue
        ours = run_ours(case, make_data(case["data"]))
        if recorded:
            results.append(compare_recorded(case, ours))
        if there:
            results.append(compare_live(case, ours))
    return results
