"""Options that several commands share, in their groups. Light: the help of a command imports nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = "csv, tsv (also .gz), parquet, xlsx, npz, h5ad"
"""Formats of tables that can be read."""
CRITERIA = ("gap", "thinning", "entries", "blocks", "strength", "consistency")
"""Criteria of `sparsek tune`; those of the search."""
FITTING, READING, WRITING, RUNNING = "Clusters", "Reading the file", "Results", "Running"
TESTING = "Tests"
"""Groups of options in the help."""

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
NInit = Annotated[int | None, typer.Option("--n-init", help="Number of starts.", rich_help_panel=FITTING)]
Scale = Annotated[
    bool,
    typer.Option(
        "--scale/--no-scale",
        help="Standardise the columns to mean 0 and sd 1 first, or take them as they are.",
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
Sep = Annotated[
    str | None,
    typer.Option("--sep", help="What separates columns, if not what the name says.", rich_help_panel=READING),
]
Decimal = Annotated[
    str,
    typer.Option(
        "--decimal",
        help="The decimal mark; R's write.csv2 needs --sep ';' --decimal ','.",
        rich_help_panel=READING,
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Sheet of an Excel file.", rich_help_panel=READING)
]
ArrayName = Annotated[
    str | None,
    typer.Option("--array", help="Array of an npz file, or layer of an h5ad file.", rich_help_panel=READING),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show where an error came from.", rich_help_panel=RUNNING)
]


def split_names(names: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in names.split(",")) if names else ()


def whole(select: float | None) -> float | None:
    """A number of features as an integer, a share as it is."""
    return int(select) if select is not None and select.is_integer() else select
