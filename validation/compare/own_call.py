"""The command ``compare``: one call in R and in sparsek on the user's own data."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from r_reference import bridge
from sparsek.cli._read import InputError
from sparsek.port.fields import format_field, moved_labels
from validation.compare.rcall import RCall, parse_call, signatures
from validation.compare.rvalues import CallError, RowsOfX
from validation.parity.cases import CaseResult, compare_outcomes
from validation.parity.outcome import call_ours

SAMPLE_KINDS = ("Rejection", "Rounding")
"""Kinds of R's sample()."""
LARGEST_SEED = 2**31 - 1
"""Largest number that R takes as a seed; the smallest is its negative."""
REMEDY = 'with R on PATH, "make r" in the checkout installs its packages and an rpy2 that fits (extra r)'
"""What to do where R cannot be asked."""
WRITING = ("output.cluster.files", "outputfile.prefix")
"""Arguments by which R's functions write files: both sides would write the same ones."""


def resolve_args(call: RCall, x: np.ndarray) -> dict[str, Any]:
    """The arguments of a call with rows of the data filled in, the data first.

    Shapes: x (n, p).

    Raises CallError if the call refers to a row that the data do not have, or writes files.
    """
    args: dict[str, Any] = {"x": x}
    for name, value in call.args.items():
        if name in WRITING and value is not False:
            raise CallError(f"compare writes no files; leave out {name}")
        args[name] = value
        if isinstance(value, RowsOfX):
            if not all(1 <= row <= len(x) and row == int(row) for row in value.rows):
                raise CallError(f"the rows in x[rows, ] must be whole numbers from 1 to {len(x)}")
            args[name] = x[value.rows.astype(int) - 1]
    return args


@dataclass(frozen=True, slots=True)
class Comparison:
    """One call in R and in sparsek."""

    title: str  # The call and the data
    result: CaseResult  # Field by field
    notes: tuple[str, ...]  # Further remarks

    def as_text(self) -> str:
        """The comparison as text."""
        fields = self.result.fields
        differing = sum(not field.exact for field in fields)
        within = ", within the tolerances of the report" if self.result.within_tolerance else ""
        verdict = f"{differing} fields differ{within}" if differing else f"all {len(fields)} fields equal"
        return "\n".join([self.title, *map(format_field, fields), *self.notes, verdict])

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for programs."""
        fields = [asdict(field) for field in self.result.fields]
        verdict = {"passed": self.result.passed, "within_tolerance": self.result.within_tolerance}
        return {"title": self.title, **verdict, "fields": fields, "notes": list(self.notes)}


def compare(text: str, x: np.ndarray, seed: int, sample_kind: str = "Rejection") -> Comparison:
    """Make a call in R and in sparsek.

    Shapes: x (n, p).

    Raises CallError if the call is not understood; InputError if `sample_kind` is not one of these, R takes
    no such seed, or R cannot make the call.
    """
    if abs(seed) > LARGEST_SEED:
        raise InputError(f"--seed must be from {-LARGEST_SEED} to {LARGEST_SEED}, as in R; got {seed}")
    if sample_kind not in SAMPLE_KINDS:
        raise InputError(f"sample_kind must be one of {', '.join(SAMPLE_KINDS)}; got {sample_kind!r}")
    call = parse_call(text)
    args = resolve_args(call, x)
    package = signatures()[call.function].package
    found, reason = bridge.available(package)
    if not found:
        raise InputError(f"R cannot make this call: {reason}; {REMEDY}")
    setting = {"id": text, "function": call.function, "package": package}
    setting |= {"seed": seed, "sample_kind": sample_kind, "before": 0}
    theirs = bridge.run_case(setting, args)
    ours = call_ours(setting, args)
    notes = moved_labels(ours["value"], theirs["value"])
    if ours["rests_on_blas"]:
        notes.append("R's own answer depends on its BLAS here; sparsek has the answer of the reference BLAS")
    if theirs["error"] is not None:
        notes.append(f"R stops with: {theirs['error']}")
    title = f"{text} on {len(x)} rows and {x.shape[1]} columns, seed {seed}"
    return Comparison(title, compare_outcomes(setting, "live", ours, theirs, x), tuple(notes))
