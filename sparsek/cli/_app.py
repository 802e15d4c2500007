"""The commands of ``sparsek``."""

from __future__ import annotations

import functools
import importlib
import signal
import sys
import traceback as tracebacks
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

import sparsek
from sparsek._files import check_target, whole_file
from sparsek.cli import _methods, _tune
from sparsek.cli._folder import check_folder
from sparsek.cli._messages import say, show, warnings_on_one_line
from sparsek.cli._read import FORMATS, InputError, ReadOptions, Table, read_constraints, read_table
from sparsek.cli._signals import Stopped, stopped_by_signals
from sparsek.cli._write import describe_fit, to_json, write_results
from sparsek.engine import describe_choice

EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, sparsek.errors.EmptyClusterError)
"""Errors from bad input or a bad environment; a command then prints one line and exits with code 2."""

app = typer.Typer(
    help="Sparse k-means and its relatives on files of yours.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Data = Annotated[Path, typer.Argument(help=f"Table of numbers, one row per observation: {FORMATS}.")]
MethodName = Annotated[str, typer.Option("--method", help="Method; `sparsek methods` lists them.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any parameter of the estimator.")
]
NInit = Annotated[int | None, typer.Option("--n-init", help="Number of starts.")]
Scale = Annotated[bool, typer.Option("--scale", help="Centre the columns and divide by their sd first.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results, made whole or not at all.")]
Force = Annotated[bool, typer.Option("--force", help="Replace results that --out holds already.")]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put a ' before texts in csv files that spreadsheets take as formulas (= + - @ first).",
    ),
]
Plots = Annotated[bool, typer.Option(help="Draw pictures into --out.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed; the same seed gives the same results.")]
NJobs = Annotated[int | None, typer.Option("--n-jobs", help="Parallel jobs, -1 for all cores.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Header = Annotated[bool, typer.Option(help="Whether line 1 holds names.")]
IdCol = Annotated[
    str | None, typer.Option("--id-col", help="Column that identifies the rows: name, or number from 1.")
]
Drop = Annotated[str | None, typer.Option("--drop", help="Columns to leave out, separated by commas.")]
Sep = Annotated[str | None, typer.Option("--sep", help="What separates columns, if not what the name says.")]
Decimal = Annotated[
    str, typer.Option("--decimal", help="The decimal mark; R's write.csv2 needs --sep ';' --decimal ','.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Sheet of an Excel file.")]
ArrayName = Annotated[str | None, typer.Option("--array", help="Array of an npz file.")]
Traceback = Annotated[bool, typer.Option("--traceback", help="Show where an error came from.")]


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command end with one line: exit code 2 for bad input, 1 for errors in sparsek."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> None:
        try:
            with stopped_by_signals(), warnings_on_one_line():
                command(**options)
        except Stopped as stop:
            say(f"stopped by {signal.Signals(stop.number).name}")
            raise typer.Exit(128 + stop.number) from None
        except Exception as error:  # users see a traceback only with --traceback
            if isinstance(error, typer.Exit):
                raise
            if options.get("traceback"):
                show(tracebacks.format_exc().rstrip("\n"), err=True)
            text = str(error).strip()
            if isinstance(error, EXPECTED):
                say(f"error: {text or type(error).__name__}")
                raise typer.Exit(2) from None
            say(f"unexpected {type(error).__name__}: {text}; please report it with what --traceback shows")
            raise typer.Exit(1) from None

    return wrapped


def _scaled(table: Table) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns scaled to mean 0 and sd 1 (constant ones to 0), as R's scale(); their means and sds."""
    largest = table.frame.abs().max()
    # Squares of numbers around 1 neither overflow nor vanish; a power of two changes no digit.
    unit = pd.Series(np.exp2(np.clip(np.frexp(largest)[1], -1000, 1000)), index=largest.index)
    frame = table.frame / unit
    mean, sd = frame.mean(), frame.std()
    constant = frame.min() == frame.max()
    mean[constant], sd[constant] = frame.min()[constant], 1.0
    return (frame - mean) / sd, pd.DataFrame({"mean": mean * unit, "sd": sd * unit})


def _check_values(table: Table, method: str) -> None:
    """Refuse infinite numbers, and missing values if the method needs complete data."""
    infinite = np.argwhere(np.isinf(table.frame.to_numpy()))
    if len(infinite):
        row, column = infinite[0]
        raise InputError(
            f"{table.file} has {len(infinite)} infinite numbers, or numbers beyond 1.8e308, the first in row "
            f"{table.ids[row]}, column {table.frame.columns[column]}; methods need finite ones"
        )
    holes = table.frame.isna().to_numpy()
    if holes.any() and not _methods.takes_missing(method):
        row, column = np.argwhere(holes)[0]
        able = [name for name in _methods.METHODS if _methods.takes_missing(name)]
        raise InputError(
            f"{table.file} has {holes.sum()} missing values, the first in row {table.ids[row]}, column "
            f"{table.frame.columns[column]}; method {method} needs complete data, {' and '.join(able)} do not"
        )


def _check_output(out: Path | None, force: bool, plots: bool, *inputs: Path | None) -> None:
    """Refuse an unusable output folder, or pictures without matplotlib, before the fit begins."""
    if out is None:
        return
    check_folder(out, force, filter(None, inputs))
    if plots and find_spec("matplotlib") is None:
        raise InputError('pictures need matplotlib: pip install "sparsek[plot]", or use --no-plots')


def _finish(
    fitted: Any, table: Table, result: dict[str, Any], as_json: bool, out: Path | None, **writing: Any
) -> None:
    """Write the files and print the result."""
    files = [] if out is None else write_results(out, fitted, table, result, **writing)
    show(to_json(result) if as_json else fitted.summary().as_text())
    if files:
        say(f"wrote {', '.join(files)} to {out}")


@app.command()
@one_line_errors
def fit(
    data: Data,
    k: Annotated[int, typer.Option("--k", help="Number of clusters.")],
    method: MethodName = "skfr",
    select: Annotated[
        float | None, typer.Option("--select", help="Features to select: number, or share below 1.")
    ] = None,
    bound: Annotated[float | None, typer.Option("--bound", help="L1 bound on the feature weights.")] = None,
    n_init: NInit = None,
    settings: Settings = None,
    constraints: Annotated[
        Path | None, typer.Option("--constraints", help="csv file of lines: id,id,must or id,id,cannot.")
    ] = None,
    scale: Scale = False,
    out: Out = None,
    force: Force = False,
    plots: Plots = True,
    safe_csv: SafeCsv = False,
    seed: Seed = 0,
    n_jobs: NJobs = None,
    as_json: Json = False,
    header: Header = True,
    id_col: IdCol = None,
    drop: Drop = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Cluster the rows of a file and weight its features."""
    size = int(select) if select is not None and select.is_integer() else select
    options = {"select": size, "bound": bound, "n_init": n_init}
    model = _methods.make_estimator(
        method, k, options, _methods.parse_settings(settings or []), seed=seed, n_jobs=n_jobs
    )
    _check_output(out, force, plots, data, constraints)
    table = read_table(data, ReadOptions(header, id_col, _split(drop), sep, sheet, array, decimal))
    _check_values(table, method)
    links = {}
    if constraints is not None:
        if not _methods.takes_constraints(method):
            able = [name for name in _methods.METHODS if _methods.takes_constraints(name)]
            raise InputError(f"method {method} takes no --constraints; these do: {', '.join(able)}")
        links = read_constraints(constraints, table.ids)
    frame, taken_out = _scaled(table) if scale else (table.frame, None)
    with warnings_on_one_line() as warned:
        model.fit(frame, **links)
    result = {
        "method": method,
        "scaled": scale,
        **describe_fit(model, table, model.get_params()),
        "warnings": warned,
    }
    writing = {"plots": plots, "force": force, "safe_csv": safe_csv}
    _finish(model, table, result, as_json, out, scale=taken_out, **writing)


@app.command()
@one_line_errors
def tune(
    data: Data,
    k: Annotated[str, typer.Option("--k", help="Number of clusters, or several: 2,3,4 or 2:6.")],
    method: MethodName = "skfr",
    select: Annotated[str | None, typer.Option("--select", help="Numbers of features: 2,4,8 or 2:6.")] = None,
    bound: Annotated[str | None, typer.Option("--bound", help="L1 bounds: 1.5,2,3.")] = None,
    n_init: NInit = None,
    settings: Settings = None,
    criterion: Annotated[
        str, typer.Option(help=f"What chooses: {', '.join(_tune.CRITERIA)}.")
    ] = _tune.DEFAULT_CRITERION,
    permutations: Annotated[
        int | None, typer.Option(help="Shuffled data sets of --criterion gap; 25 if not given.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            help="max (gap, consistency) or min (errors), or one_se: the smallest within one standard error."
        ),
    ] = None,
    scale: Scale = False,
    out: Out = None,
    force: Force = False,
    plots: Plots = True,
    safe_csv: SafeCsv = False,
    seed: Seed = 0,
    n_jobs: NJobs = None,
    as_json: Json = False,
    header: Header = True,
    id_col: IdCol = None,
    drop: Drop = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Choose the size, or the number of clusters, by data thinning or another criterion."""
    n_clusters = _tune.parse_values(k, "--k")
    model = _methods.make_estimator(
        method, n_clusters[0], {"n_init": n_init}, _methods.parse_settings(settings or [])
    )
    choosing = _tune.criterion_options(criterion, permutations, rule)
    if criterion == "gap":
        _tune.check_method(method, n_clusters)
    _check_output(out, force, plots, data)
    table = read_table(data, ReadOptions(header, id_col, _split(drop), sep, sheet, array, decimal))
    _check_values(table, method)
    frame, taken_out = _scaled(table) if scale else (table.frame, None)
    sizes = _tune.size_grid(method, select, bound, frame.shape[1])
    _tune.check_grid(model, {"n_clusters": n_clusters, **sizes})
    running = {"n_jobs": n_jobs, "random_state": seed, "verbose": 1}
    search = _tune.make_search(model, n_clusters, sizes, criterion, choosing, **running)
    with warnings_on_one_line() as warned:
        search.fit(frame)
    best = search.best_estimator_
    result = {
        "method": method,
        "scaled": scale,
        "chosen": search.best_params_,
        "criterion": criterion,
        "rule": search.rule_,
        "choice": search.results_,
        **describe_fit(best, table, best.get_params()),
        "warnings": warned,
    }
    writing = {"plots": plots, "force": force, "safe_csv": safe_csv}
    _finish(search, table, result, as_json, out, scale=taken_out, **writing)


def _split(names: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in names.split(",")) if names else ()


@app.command()
@one_line_errors
def methods(as_json: Json = False, traceback: Traceback = False) -> None:
    """List the methods and what each handles."""
    rows = _methods.describe_methods()
    if as_json:
        show(to_json({"methods": rows}))
        return
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid(*rows[0], box=None, pad_edge=False)
    for row in rows:
        grid.add_row(*[{True: "yes", False: ""}.get(value, value) for value in row.values()])
    Console(width=None if sys.stdout.isatty() else 200, highlight=False).print(grid)


def _in_checkout() -> bool:
    """Whether the folders that `compare` and `validate` need are here; else the help does not offer them."""
    return (Path("validation") / "__main__.py").is_file() or find_spec("r_reference") is not None


def _from_checkout(module: str) -> Any:
    """A module of `validation`, which is in a source checkout but not in the installed library."""
    if (Path("validation") / "__main__.py").is_file() and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(f"validation.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("validation", "r_reference"):
            raise InputError(
                "this command needs the folders validation and r_reference, which are not part of the "
                "installed library; run it inside a checkout, or in the source archive after "
                f"tar xzf sparsek-{sparsek.__version__}.tar.gz"
            ) from error
        raise InputError(f'{error.name} is missing; in the checkout: pip install ".[validation]"') from error


@app.command(hidden=not _in_checkout())
@one_line_errors
def compare(
    data: Data,
    call: Annotated[str, typer.Option("--call", help='R call, such as "kmeans(centers=3, nstart=20)".')],
    seed: Annotated[int, typer.Option("--seed", help="Seed, as in set.seed.")],
    sample_kind: Annotated[str, typer.Option(help="R's sample.kind: Rejection, or Rounding.")] = "Rejection",
    scale: Scale = False,
    as_json: Json = False,
    header: Header = True,
    id_col: IdCol = None,
    drop: Drop = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Compare a call in R and in sparsek (needs R and a checkout)."""
    module = _from_checkout("parity.compare_cmd")
    module.parse_call(call)  # before a large file is read
    table = read_table(data, ReadOptions(header, id_col, _split(drop), sep, sheet, array, decimal))
    frame = _scaled(table)[0] if scale else table.frame
    comparison = module.compare(call, frame.to_numpy(), seed, sample_kind)
    if as_json:
        show(to_json(comparison.as_dict()))
    else:
        show(comparison.as_text())
    raise typer.Exit(0 if comparison.result.passed else 1)


@app.command()
@one_line_errors
def port(
    r_script: Annotated[Path, typer.Argument(help="The R script.")],
    python_script: Annotated[
        Path | None, typer.Argument(help="Its port to Python; left out with --hints.")
    ] = None,
    objects: Annotated[
        str | None, typer.Option("--objects", help="Objects to compare, separated by commas, if not all.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="File for the comparison as a page.")] = None,
    hints: Annotated[
        bool,
        typer.Option("--hints", help="List the calls of the R script and their twins here; runs nothing."),
    ] = False,
    traceback: Traceback = False,
) -> None:
    """Run an R script and its port, and compare their objects and random streams.

    This runs the code of both scripts, with all that they do to files: do not run scripts that you do not
    trust. Objects of the same name (dots are underscores) are compared at the end and at comments
    "# check: name". Needs Rscript.
    """
    if hints:
        if python_script is not None or objects is not None or html is not None:
            raise InputError("--hints reads the R script alone: leave out the other script and options")
        show(_hints_of(r_script))
        return
    if python_script is None:
        raise InputError("port compares two scripts: name the Python script too, or use --hints")
    from sparsek.port.comparing import compare_scripts
    from sparsek.port.page import as_page

    if html is not None:
        check_target(html)
    comparison = compare_scripts(r_script, python_script, _split(objects))
    show(comparison.as_text())
    if html is not None:
        with whole_file(html) as temporary:
            temporary.write_text(as_page(comparison), encoding="utf-8")
        say(f"wrote {html}")
    raise typer.Exit(0 if comparison.passed else 1)


def _hints_of(script: Path) -> str:
    """The calls of an R script and their twins."""
    from sparsek.port.hints import as_text, find_hints

    if not script.is_file():
        raise InputError(f"there is no file {script}")
    try:
        return as_text(find_hints(script.read_text(encoding="utf-8-sig")))
    except ValueError as error:
        raise InputError(f"{script}: {error}") from error


@app.command(hidden=not _in_checkout())
@one_line_errors
def validate(
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("report"),
    cases: Annotated[
        str | None, typer.Option(help="Only cases whose id this regular expression finds.")
    ] = None,
    live_r: Annotated[bool, typer.Option(help="Compare with R itself where it is installed.")] = True,
    reproduction: Annotated[bool, typer.Option(help="Reproduce tables and figures of the papers.")] = True,
    n_jobs: Annotated[int, typer.Option("--n-jobs", help="Processes, -1 for all cores.")] = -1,
    traceback: Traceback = False,
) -> None:
    """Write the validation report (needs a checkout)."""
    command = _from_checkout("__main__")
    arguments = ["report", "--output", str(out), "--n-jobs", str(n_jobs)]
    arguments += ["--cases", cases] if cases is not None else []
    arguments += [] if live_r else ["--no-live-r"]
    arguments += [] if reproduction else ["--no-reproduction"]
    raise typer.Exit(command.main(arguments))


def _print_version(wanted: bool) -> None:
    if wanted:
        show(f"{sparsek.__version__} (engine {describe_choice()})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and the engine."
        ),
    ] = False,
) -> None:
    """Sparse k-means and its relatives on files of yours."""
