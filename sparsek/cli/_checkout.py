"""The commands that need a checkout: compare with R, and the validation report."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import sparsek
from sparsek.cli._messages import one_line_errors, say, show
from sparsek.cli._options import (
    ArrayName,
    Data,
    Decimal,
    Drop,
    Header,
    IdCol,
    Json,
    Missing,
    Reading,
    Sep,
    Sheet,
    Skip,
    Traceback,
    Transpose,
    check_reading,
)

OWN = Path(sparsek.__file__).parent.parent
"""The folder of the package: a checkout, or where libraries are installed."""
Checkout = Annotated[
    Path | None,
    typer.Option(
        "--checkout",
        help="Checkout or unpacked source archive, whose code is run. Default: the one that sparsek lies in.",
    ),
]


def is_checkout(folder: Path) -> bool:
    """Whether a folder has what `compare` and `validate` need."""
    return all((folder / name / "__init__.py").is_file() for name in ("validation", "r_reference"))


def _from_checkout(module: str, given: Path | None) -> Any:
    """A module of `validation`, which is in a source checkout but not in the installed library.

    The checkout is the one that the user names or that sparsek itself lies in. It is never the current folder
    by itself, where things of others may stand.
    """
    from sparsek.cli._cells import InputError

    folder = (OWN if given is None else given).absolute()
    if not is_checkout(folder):
        lacks = "the installed library lacks" if given is None else f"--checkout {given} lacks"
        raise InputError(
            f"this command needs the folders validation and r_reference, which {lacks}; name a checkout or "
            f"the unpacked source archive: --checkout sparsek-{sparsek.__version__}, or --checkout . for the "
            "current folder"
        )
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(f"validation.{module}")
    except ModuleNotFoundError as error:
        raise InputError(f'{error.name} is missing; in the checkout: pip install ".[validation]"') from error


@one_line_errors
def compare(
    data: Data,
    call: Annotated[str, typer.Option("--call", help='R call, such as "kmeans(centers=3, nstart=20)".')],
    seed: Annotated[int, typer.Option("--seed", help="Seed, as in set.seed.")],
    sample_kind: Annotated[str, typer.Option(help="R's sample.kind: Rejection, or Rounding.")] = "Rejection",
    scale: Annotated[
        bool, typer.Option("--scale", help="Give both the columns with mean 0 and sd 1.")
    ] = False,
    as_json: Json = False,
    header: Header = True,
    id_col: IdCol = None,
    drop: Drop = None,
    sep: Sep = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    array: ArrayName = None,
    transpose: Transpose = None,
    na: Missing = None,
    skip: Skip = 0,
    checkout: Checkout = None,
    traceback: Traceback = False,
) -> None:
    """Compare a call in R and in sparsek (needs R and a checkout)."""
    from sparsek.cli._cells import check_file

    check_file(data)
    reading = Reading(
        header,
        id_col,
        drop,
        sep=sep,
        decimal=decimal,
        sheet=sheet,
        array=array,
        transpose=transpose,
        na=na,
        skip=skip,
    )
    check_reading(reading)
    from sparsek.cli._checks import scaled
    from sparsek.cli._read import read_table
    from sparsek.cli._write import to_json

    module = _from_checkout("compare.own_call", checkout)
    module.parse_call(call)  # before a large file is read
    table = read_table(data, reading.options())
    if table.recognised:
        say(f"{data} has {table.recognised}; --sep and --decimal say otherwise")
    frame = scaled(table.frame)[0] if scale else table.frame
    comparison = module.compare(call, frame.to_numpy(), seed, sample_kind)
    if as_json:
        show(to_json(comparison.as_dict()))
    else:
        show(comparison.as_text())
    raise typer.Exit(0 if comparison.result.passed else 1)


@one_line_errors
def validate(
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("report"),
    cases: Annotated[
        str | None, typer.Option(help="Only cases whose id this regular expression finds.")
    ] = None,
    live_r: Annotated[bool, typer.Option(help="Compare with R itself where it is installed.")] = True,
    reproduction: Annotated[bool, typer.Option(help="Reproduce tables and figures of the papers.")] = True,
    n_jobs: Annotated[int, typer.Option("--n-jobs", help="Processes, -1 for all cores.")] = -1,
    checkout: Checkout = None,
    traceback: Traceback = False,
) -> None:
    """Write the validation report (needs a checkout)."""
    command = _from_checkout("__main__", checkout)
    arguments = ["report", "--output", str(out), "--n-jobs", str(n_jobs)]
    arguments += ["--cases", cases] if cases is not None else []
    arguments += [] if live_r else ["--no-live-r"]
    arguments += [] if reproduction else ["--papers"]
    raise typer.Exit(command.main(arguments))
