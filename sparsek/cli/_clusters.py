"""The commands that cluster a file: fit, tune, test, and the page about a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsek.cli._messages import one_line_errors, say, warnings_on_one_line
from sparsek.cli._options import (
    CRITERIA,
    FITTING,
    TESTING,
    ArrayName,
    Bound,
    Data,
    Decimal,
    Drop,
    Force,
    Header,
    IdCol,
    Json,
    Keep,
    MethodName,
    NClusters,
    NInit,
    NJobs,
    Out,
    Plots,
    SafeCsv,
    Scale,
    Seed,
    Select,
    Sep,
    Settings,
    Sheet,
    Traceback,
    Truth,
    split_names,
    whole,
)


@one_line_errors
def fit(
    data: Data,
    k: NClusters,
    method: MethodName = "skfr",
    select: Select = None,
    bound: Bound = None,
    n_init: NInit = None,
    settings: Settings = None,
    constraints: Annotated[
        Path | None,
        typer.Option(
            "--constraints",
            help="csv file of lines: id,id,must or id,id,cannot.",
            rich_help_panel=FITTING,
        ),
    ] = None,
    scale: Scale = True,
    truth: Truth = None,
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
    keep: Keep = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Cluster the rows of a file and weight its features."""
    from sparsek.cli import _fitting, _methods
    from sparsek.cli._cells import ReadOptions
    from sparsek.cli._checks import prepare, refuse_suspects
    from sparsek.cli._read import read_constraints

    options = {"select": whole(select), "bound": bound, "n_init": n_init}
    given = _methods.parse_settings(settings or [])
    model = _methods.make_estimator(method, k, options, given, seed=seed, n_jobs=n_jobs)
    _fitting.check_output(out, force, plots, data, constraints)
    reading = ReadOptions(header, id_col, split_names(drop), sep, sheet, array, decimal)
    table, classes = _fitting.read_data(data, reading, truth)
    refuse_suspects(table, split_names(keep))
    _fitting.check_values(table, method)
    links = {}
    if constraints is not None:
        _methods.check_constraints(method)
        links = read_constraints(constraints, table.ids)
    frame, taken_out = prepare(table, model, scale, given)
    with warnings_on_one_line() as warned:
        model.fit(frame, **links)
    result = _fitting.describe(
        method, scale and "standardize" not in given, {}, model, table, warned, classes
    )
    writing = {"plots": plots, "force": force, "safe_csv": safe_csv}
    _fitting.finish(model, table, result, as_json, out, scale=taken_out, **writing)


@one_line_errors
def tune(
    data: Data,
    k: Annotated[
        str,
        typer.Option("--k", help="Number of clusters, or several: 2,3,4 or 2:6.", rich_help_panel=FITTING),
    ],
    method: MethodName = "skfr",
    select: Annotated[
        str | None,
        typer.Option("--select", help="Numbers of features: 2,4,8 or 2:6.", rich_help_panel=FITTING),
    ] = None,
    bound: Annotated[
        str | None, typer.Option("--bound", help="L1 bounds: 1.5,2,3.", rich_help_panel=FITTING)
    ] = None,
    n_init: NInit = None,
    settings: Settings = None,
    criterion: Annotated[
        str, typer.Option(help=f"What chooses: {', '.join(CRITERIA)}.", rich_help_panel=FITTING)
    ] = "thinning",
    permutations: Annotated[
        int | None,
        typer.Option(help="Shuffled data sets of --criterion gap; 25 if not given.", rich_help_panel=FITTING),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            help="max (gap, consistency) or min (errors), or one_se: the smallest within one standard error.",
            rich_help_panel=FITTING,
        ),
    ] = None,
    scale: Scale = True,
    truth: Truth = None,
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
    keep: Keep = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Choose the number of features or of clusters by a criterion."""
    from sparsek.cli import _fitting, _methods, _tune
    from sparsek.cli._cells import ReadOptions
    from sparsek.cli._checks import prepare, refuse_suspects

    n_clusters = _tune.parse_values(k, "--k")
    given = _methods.parse_settings(settings or [])
    model = _methods.make_estimator(method, n_clusters[0], {"n_init": n_init}, given)
    choosing = _tune.criterion_options(criterion, permutations, rule)
    if criterion == "gap":
        _tune.check_method(method, n_clusters)
    _fitting.check_output(out, force, plots, data)
    reading = ReadOptions(header, id_col, split_names(drop), sep, sheet, array, decimal)
    table, classes = _fitting.read_data(data, reading, truth)
    refuse_suspects(table, split_names(keep))
    _fitting.check_values(table, method)
    sizes = _tune.size_grid(method, select, bound, table.frame.shape[1])
    _tune.check_grid(model, {"n_clusters": n_clusters, **sizes})
    frame, taken_out = prepare(table, model, scale, given)
    running = {"n_jobs": n_jobs, "random_state": seed, "verbose": 1}
    search = _tune.make_search(model, n_clusters, sizes, criterion, choosing, **running)
    with warnings_on_one_line() as warned:
        search.fit(frame)
    chosen = {
        "chosen": search.best_params_,
        "criterion": criterion,
        "rule": search.rule_,
        "choice": search.results_,
    }
    result = _fitting.describe(
        method, scale and "standardize" not in given, chosen, search.best_estimator_, table, warned, classes
    )
    writing = {"plots": plots, "force": force, "safe_csv": safe_csv}
    _fitting.finish(search, table, result, as_json, out, scale=taken_out, **writing)


@one_line_errors
def test(
    data: Data,
    k: NClusters,
    method: MethodName = "skfr",
    select: Select = None,
    bound: Bound = None,
    n_init: NInit = None,
    settings: Settings = None,
    fdr: Annotated[
        float,
        typer.Option("--fdr", help="Share of false features to allow.", rich_help_panel=TESTING),
    ] = 0.1,
    sigma: Annotated[
        float | None,
        typer.Option(
            "--sigma",
            help="Standard deviation of the noise, as the columns are fitted; estimated if not given.",
            rich_help_panel=TESTING,
        ),
    ] = None,
    n_null: Annotated[
        int,
        typer.Option("--null", help="Sets without clusters to compare with.", rich_help_panel=TESTING),
    ] = 99,
    scale: Scale = True,
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
    keep: Keep = None,
    sep: Sep = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    array: ArrayName = None,
    traceback: Traceback = False,
) -> None:
    """Test clusters: one or more, which differ, and in which features."""
    from sparsek.cli import _fitting, _methods, _testing
    from sparsek.cli._cells import InputError, ReadOptions
    from sparsek.cli._checks import prepare, refuse_suspects
    from sparsek.methods.search.feature_fdr import require_sets

    if k < 2:
        raise InputError(f"--k must be at least 2 to test clusters; got {k}")
    require_sets(n_null, fdr)
    options = {"select": whole(select), "bound": bound, "n_init": n_init}
    given = _methods.parse_settings(settings or [])
    model = _methods.make_estimator(method, k, options, given, seed=seed, n_jobs=n_jobs)
    _fitting.check_output(out, force, plots, data)
    reading = ReadOptions(header, id_col, split_names(drop), sep, sheet, array, decimal)
    table, _ = _fitting.read_data(data, reading, None)
    refuse_suspects(table, split_names(keep), truth=False)
    _fitting.check_values(table, method)
    _testing.check_complete(table, method)
    frame, taken_out = prepare(table, model, scale, given)
    with warnings_on_one_line() as warned:
        model.fit(frame)
        tests = {"tests": _testing.run_tests(model, frame, sigma, fdr, n_null, seed, n_jobs)}
    result = _fitting.describe(
        method, scale and "standardize" not in given, tests, model, table, warned, None
    )
    writing = {"plots": plots, "force": force, "safe_csv": safe_csv}
    _fitting.finish(model, table, result, as_json, out, scale=taken_out, **writing)


@one_line_errors
def report(
    result: Annotated[Path, typer.Argument(help="Folder that --out of fit or tune has made.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File for the page; report.html in the folder if not given."),
    ] = None,
    traceback: Traceback = False,
) -> None:
    """Write one HTML page of a fit, with its pictures."""
    from sparsek.cli._page import write_page

    say(f"wrote {write_page(result, out)}")
