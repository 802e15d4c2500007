"""Options that several commands share, in their groups. Light: the help of a command imports nothing else.

A command takes a group as one argument, a dataclass; `grouped` makes an option of each of its fields.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from sparsek.cli._cells import InputError, ReadOptions

FORMATS = (
    "csv, tsv, txt, gct (also .gz), xlsx, parquet, feather, npz, npy, h5ad, rds, RData, dta (Stata), "
    "sav (SPSS), bed (PLINK)"
)
"""Formats of tables that can be read."""
CRITERIA = {
    "separation": ("largest",),
    "gap": ("max", "one_se"),
    "thinning": ("min", "one_se"),
    "entries": ("min", "one_se"),
    "blocks": ("min", "one_se"),
    "strength": ("threshold",),
    "consistency": ("max", "one_se"),
}
"""Criteria of `sparsek tune`, each with its rules; those of the search."""
FITTING, READING, WRITING, RUNNING = "Clusters", "Reading the file", "Results", "Running"
TESTING = "Tests"
"""Groups of options in the help."""

NOT_REPEATED = {"out", "force", "plots", "safe_csv", "as_json", "n_jobs", "traceback"}
"""Options that change where and how results are shown, and not the results."""

Data = Annotated[Path, typer.Argument(help=f"Table of numbers, one row per observation: {FORMATS}.")]
MethodName = Annotated[
    str,
    typer.Option("--method", help="Method; `sparsek methods` lists them.", rich_help_panel=FITTING),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any parameter of the estimator.", rich_help_panel=FITTING
    ),
]
NClusters = Annotated[int, typer.Option("--k", help="Number of clusters.", rich_help_panel=FITTING)]
Select = Annotated[
    float | None,
    typer.Option(
        "--select",
        help="Features to select: number, or share below 1; left out, skfr chooses.",
        rich_help_panel=FITTING,
    ),
]
Bound = Annotated[
    float | None,
    typer.Option("--bound", help="L1 bound on the feature weights.", rich_help_panel=FITTING),
]
GroupsFile = Annotated[
    Path | None,
    typer.Option(
        "--groups",
        help="csv file of lines: feature,group. Groups are selected as a whole.",
        rich_help_panel=FITTING,
    ),
]
Always = Annotated[
    str | None,
    typer.Option("--always", help="Features that are always selected: a,b (skfr).", rich_help_panel=FITTING),
]
Never = Annotated[
    str | None,
    typer.Option("--never", help="Features that take no part in the clusters: a,b.", rich_help_panel=FITTING),
]
Selects = Annotated[
    str | None,
    typer.Option("--select", help="Numbers of features: 2,4,8 or 2:6.", rich_help_panel=FITTING),
]
Bounds = Annotated[str | None, typer.Option("--bound", help="L1 bounds: 1.5,2,3.", rich_help_panel=FITTING)]
NInit = Annotated[int | None, typer.Option("--n-init", help="Number of starts.", rich_help_panel=FITTING)]
Scale = Annotated[
    bool | None,
    typer.Option(
        "--scale/--no-scale",
        help="Standardise the columns to mean 0 and sd 1, or take them as they are; else as the method does.",
        rich_help_panel=FITTING,
    ),
]
Batch = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="COLUMN",
        help="Column with the batch of each row, within which columns are scaled (skfr, sparse-kmeans), or "
        "by which they are shifted (factor-mixture).",
        rich_help_panel=FITTING,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="Column with the weight of each row, such as that of a survey; no feature then.",
        rich_help_panel=FITTING,
    ),
]
Truth = Annotated[
    str | None,
    typer.Option(
        "--truth",
        metavar="COLUMN",
        help="Column with known classes: left out of the fit, and counted against the clusters.",
        rich_help_panel=WRITING,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder for the results, made whole or not at all.", rich_help_panel=WRITING),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace results that --out holds already.", rich_help_panel=WRITING),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put a ' before texts in csv files that spreadsheets take as formulas (= + - @ first).",
        rich_help_panel=WRITING,
    ),
]
Plots = Annotated[bool, typer.Option(help="Draw pictures into --out.", rich_help_panel=WRITING)]
Proba = Annotated[
    bool,
    typer.Option(
        "--proba",
        help="Write how probable each cluster is for each row: by the method, or by 100 resamples.",
        rich_help_panel=WRITING,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="Seed; the same seed gives the same results.", rich_help_panel=RUNNING),
]
NJobs = Annotated[
    int | None,
    typer.Option("--n-jobs", help="Parallel jobs, -1 for all cores.", rich_help_panel=RUNNING),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=WRITING)]
Header = Annotated[bool, typer.Option(help="Whether line 1 holds names.", rich_help_panel=READING)]
IdCol = Annotated[
    str | None,
    typer.Option(
        "--id-col",
        help="Column that identifies the rows: name, or number from 1.",
        rich_help_panel=READING,
    ),
]
Drop = Annotated[
    str | None,
    typer.Option("--drop", help="Columns to leave out, separated by commas.", rich_help_panel=READING),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        help="Columns to use although they look like ids or classes, separated by commas.",
        rich_help_panel=READING,
    ),
]
Categories = Annotated[
    str | None,
    typer.Option(
        "--categories",
        help="Columns that are categories: a,b; or all-text, all that hold texts.",
        rich_help_panel=READING,
    ),
]
Ordered = Annotated[
    list[str] | None,
    typer.Option(
        "--ordered",
        metavar="COLUMNS=LEVELS",
        help="Columns with ordered levels: 'q1,q2=No<Maybe<Yes'; none: the order of no words is guessed.",
        rich_help_panel=READING,
    ),
]
Sep = Annotated[
    str | None,
    typer.Option("--sep", help="What separates columns; else it is recognised.", rich_help_panel=READING),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        help="The decimal mark, a point or a comma; else it is recognised.",
        rich_help_panel=READING,
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Sheet of an Excel file.", rich_help_panel=READING)
]
ArrayName = Annotated[
    str | None,
    typer.Option(
        "--array",
        help="Array of an npz file, layer of an h5ad file, or object of an R file, such as data$x.",
        rich_help_panel=READING,
    ),
]
Transpose = Annotated[
    bool | None,
    typer.Option(
        "--transpose/--no-transpose",
        help="Rows are features and columns observations, as genes and samples are stored; or they are not.",
        rich_help_panel=READING,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="TEXT",
        help="A further text or number that stands for a missing value; may be repeated.",
        rich_help_panel=READING,
    ),
]
Skip = Annotated[
    int,
    typer.Option(
        "--skip", help="Lines before the names of the columns to leave out.", rich_help_panel=READING
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show where an error came from.", rich_help_panel=RUNNING)
]


def split_names(names: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in names.split(",")) if names else ()


def check_reading(reading: Reading) -> None:
    """Refuse options for reading that no file can follow."""
    if reading.decimal not in (None, ".", ","):
        raise InputError(f"--decimal must be a point or a comma; got {reading.decimal!r}")
    if reading.skip < 0:
        raise InputError(f"--skip must be at least 0; got {reading.skip}")


def forced(choice: Choice | Choices) -> dict[str, Any]:
    """The options that force features in or out, and groups of them."""
    from sparsek.cli._text import read_groups

    groups = None if choice.groups is None else read_groups(choice.groups)
    forces = {"always": split_names(choice.always) or None, "never": split_names(choice.never) or None}
    return {"groups": groups, **forces}


def whole(select: float | None) -> float | None:
    """A number of features as an integer, a share as it is."""
    return int(select) if select is not None and select.is_integer() else select


@dataclass(frozen=True, slots=True)
class Choice:
    """The method and its parameters."""

    method: MethodName = "skfr"
    select: Select = None
    bound: Bound = None
    groups: GroupsFile = None
    always: Always = None
    never: Never = None
    n_init: NInit = None
    settings: Settings = None

    def options(self) -> dict[str, Any]:
        """The options that stand for parameters."""
        return {"select": whole(self.select), "bound": self.bound, "n_init": self.n_init, **forced(self)}


@dataclass(frozen=True, slots=True)
class Choices:
    """The method and the values of its parameters to choose from."""

    method: MethodName = "skfr"
    select: Selects = None
    bound: Bounds = None
    groups: GroupsFile = None
    always: Always = None
    never: Never = None
    n_init: NInit = None
    settings: Settings = None


@dataclass(frozen=True, slots=True)
class Writing:
    """Where the results go."""

    out: Out = None
    force: Force = False
    plots: Plots = True
    safe_csv: SafeCsv = False


@dataclass(frozen=True, slots=True)
class Running:
    """What changes no meaning."""

    seed: Seed = 0
    n_jobs: NJobs = None
    as_json: Json = False


@dataclass(frozen=True, slots=True)
class Reading:
    """How the file is read."""

    header: Header = True
    id_col: IdCol = None
    drop: Drop = None
    keep: Keep = None
    categories: Categories = None
    ordered: Ordered = None
    sep: Sep = None
    decimal: Decimal = None
    sheet: Sheet = None
    array: ArrayName = None
    transpose: Transpose = None
    na: Missing = None
    skip: Skip = 0

    def options(self) -> ReadOptions:
        """The same for what reads files; where rows are features, --id-col has their names."""
        turned = bool(self.transpose)
        return ReadOptions(
            self.header,
            None if turned else self.id_col,
            split_names(self.drop),
            self.sep,
            self.sheet,
            self.array,
            self.decimal,
            categories=split_names(self.categories),
            na=tuple(text.strip() for text in self.na or ()),
            skip=self.skip,
            transpose=self.transpose,
            names_col=self.id_col if turned else None,
        )


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose options are also the fields of the dataclasses that it takes."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    options: list[inspect.Parameter] = []
    for argument in inspect.signature(command).parameters.values():
        group = groups.get(argument.name)
        if group is None:
            options.append(argument.replace(annotation=hints[argument.name]))
            continue
        types = get_type_hints(group, include_extras=True)
        options += [
            inspect.Parameter(field.name, argument.kind, default=field.default, annotation=types[field.name])
            for field in fields(group)
        ]

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__annotations__ = {option.name: option.annotation for option in options}
    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # for typer
    return called


def command_of(context: Any) -> str:
    """The call that repeats a result; files by their names alone, so that it runs in their folder."""
    words = ["sparsek", context.info_name]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        if parameter.name not in NOT_REPEATED and source is not None and source.name == "COMMANDLINE":
            words += _words(parameter, context.params[parameter.name])
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> list[str]:
    """An option or argument with its value as they are typed."""
    if parameter.param_type_name == "argument":
        return [_text(value)]
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for entry in values for word in (parameter.opts[0], _text(entry))]


def _text(value: Any) -> str:
    """A value as typed, a file by its name."""
    return value.name if isinstance(value, Path) else f"{value:g}" if isinstance(value, float) else str(value)
