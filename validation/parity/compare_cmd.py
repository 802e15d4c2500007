"""``python -m validation compare``: one call in R and in sparsek on the user's own csv file."""

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from r_reference import bridge
from sparsek.cli._read import InputError, ReadOptions, read_table
from sparsek.compare import FieldComparison, match_labels
from validation.parity.compare import CaseResult, compare_outcomes
from validation.parity.outcome import Outcome, call_sparsek
from validation.parity.rcall import CallError, RCall, RowsOfX, parse_call, signatures

SAMPLE_KINDS = ("Rejection", "Rounding")
"""Kinds of R's sample()."""
LARGEST_SEED = 2**31 - 1
"""Largest number that R takes as a seed; the smallest is its negative."""
WRITING = ("output.cluster.files", "outputfile.prefix")
"""Arguments by which R's functions write files: both sides would write the same ones."""
LABELS = ("cluster", "clusters", "Cs", "labels")
"""Names of the fields with the clusters of the rows, in R's results."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument("file", type=Path, help="csv file, one row per observation")
    parser.add_argument("--call", required=True, help='R call, such as "kmeans(centers=3, nstart=20)"')
    parser.add_argument("--seed", type=int, required=True, help="seed, as in set.seed")
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=True, help="whether line 1 holds names"
    )
    parser.add_argument("--index-col", metavar="N", type=int, help="column of row names, counted from 1")
    parser.add_argument("--sample-kind", choices=SAMPLE_KINDS, default="Rejection")


def read_matrix(file: Path, header: bool, index_col: int | None) -> np.ndarray:
    """The numbers of a csv file.

    Parameters
    ----------
    file : Path
        The file.
    header : bool
        Whether its first line holds column names.
    index_col : int or None
        Column of row names, counted from 1, which is left out.

    Returns
    -------
    ndarray of shape (n, p)
        The numbers; empty cells are NaN.

    Raises
    ------
    InputError
        If the file cannot be read or has a column that is not numeric.
    """
    if index_col is not None and index_col < 1:
        raise InputError(f"--index-col counts columns from 1; got {index_col}")
    options = ReadOptions(header, None if index_col is None else str(index_col))
    return read_table(file, options).frame.to_numpy()


def resolve_args(call: RCall, x: np.ndarray) -> dict[str, Any]:
    """The arguments of a call with rows of the data filled in, the data first.

    Parameters
    ----------
    call : RCall
        The call.
    x : ndarray of shape (n, p)
        The data.

    Returns
    -------
    dict
        Arguments by R's names.

    Raises
    ------
    CallError
        If the call refers to a row that the data do not have, or writes files.
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


def format_field(comparison: FieldComparison) -> str:
    """One line on one field.

    Parameters
    ----------
    comparison : FieldComparison
        The comparison.

    Returns
    -------
    str
        "equal", or the LRE, the largest difference and a description.
    """
    if comparison.exact:
        return f"{comparison.field:<28} equal"
    size = "" if comparison.max_abs_diff is None else f"  max difference {comparison.max_abs_diff:.3g}"
    return f"{comparison.field:<28} LRE {comparison.lre:.1f}{size}  {comparison.message}"


def matched_lines(ours: Outcome, theirs: Outcome) -> list[str]:
    """For labels that differ: the number of points that differ after pairing the clusters by overlap.

    Parameters
    ----------
    ours, theirs : dict
        Outcomes of sparsek and R.

    Returns
    -------
    list of str
        One line per vector of labels that differs.
    """
    lines = []
    for field, reference in theirs["value"].items():
        labels = ours["value"].get(field)
        is_label = field.rpartition("$")[2] in LABELS and reference.ndim == 1
        if (
            is_label
            and labels is not None
            and labels.shape == reference.shape
            and (labels != reference).any()
        ):
            moved = int((match_labels(labels, reference) != reference).sum())
            lines.append(f"{field}: {moved} of {reference.size} points differ after pairing the clusters")
    return lines


@dataclass(frozen=True, slots=True)
class Comparison:
    """One call in R and in sparsek.

    Attributes
    ----------
    title : str
        The call and the data.
    result : CaseResult
        Field by field.
    notes : tuple of str
        Further remarks.
    """

    title: str
    result: CaseResult
    notes: tuple[str, ...]

    def as_text(self) -> str:
        """The comparison as text.

        Returns
        -------
        str
            One line per field, and the verdict last.
        """
        fields = self.result.fields
        differing = sum(not field.exact for field in fields)
        within = ", within the tolerances of the report" if self.result.within_tolerance else ""
        verdict = f"{differing} fields differ{within}" if differing else f"all {len(fields)} fields equal"
        return "\n".join([self.title, *map(format_field, fields), *self.notes, verdict])

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for programs.

        Returns
        -------
        dict
            Names and plain values.
        """
        fields = [asdict(field) for field in self.result.fields]
        verdict = {"passed": self.result.passed, "within_tolerance": self.result.within_tolerance}
        return {"title": self.title, **verdict, "fields": fields, "notes": list(self.notes)}


def compare(text: str, x: np.ndarray, seed: int, sample_kind: str = "Rejection") -> Comparison:
    """Make a call in R and in sparsek.

    Parameters
    ----------
    text : str
        The R call without the data.
    x : ndarray of shape (n, p)
        The data.
    seed : int
        As in set.seed.
    sample_kind : {"Rejection", "Rounding"}
        R's sample.kind.

    Returns
    -------
    Comparison
        How the results compare.

    Raises
    ------
    CallError
        If the call is not understood.
    InputError
        If `sample_kind` is not one of these, R takes no such seed, or R cannot make the call.
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
        raise InputError(f"R cannot make this call: {reason}")
    setting = {"id": text, "function": call.function, "package": package}
    setting |= {"seed": seed, "sample_kind": sample_kind, "before": 0}
    theirs = bridge.run_case(setting, args)
    ours = call_sparsek(setting, args)
    notes = matched_lines(ours, theirs)
    if ours["rests_on_blas"]:
        notes.append("R's own answer depends on its BLAS here; sparsek has the answer of the reference BLAS")
    if theirs["error"] is not None:
        notes.append(f"R stops with: {theirs['error']}")
    title = f"{text} on {len(x)} rows and {x.shape[1]} columns, seed {seed}"
    return Comparison(title, compare_outcomes(setting, "live", ours, theirs), tuple(notes))


def main(options: argparse.Namespace) -> int:
    """Make the call in R and in sparsek and print the comparison.

    Parameters
    ----------
    options : Namespace
        Options of `add_arguments`.

    Returns
    -------
    int
        0 if everything is equal or within a stated tolerance, 1 if something differs, 2 if the comparison
        could not be made.
    """
    try:
        parse_call(options.call)  # checks the call before a large file is read
        x = read_matrix(options.file, options.header, options.index_col)
        comparison = compare(options.call, x, options.seed, options.sample_kind)
    except (CallError, InputError, MemoryError) as error:
        print(error, file=sys.stderr)
        return 2
    print(comparison.as_text())
    return 0 if comparison.result.passed else 1
