"""The commands that cluster a file: fit, tune, test, and the page about a fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sparsek.cli import _methods, _tune
from sparsek.cli._cells import InputError
from sparsek.cli._messages import one_line_errors, say, warnings_on_one_line
from sparsek.cli._methods import check_call, check_proba, check_values
from sparsek.cli._options import (
    CRITERIA,
    FITTING,
    TESTING,
    Batch,
    Choice,
    Choices,
    Data,
    NClusters,
    Proba,
    Reading,
    Running,
    Scale,
    Traceback,
    Truth,
    Weights,
    Writing,
    command_of,
    forced,
    grouped,
)
from sparsek.methods.search.nulls.sets_needed import require_sets


@one_line_errors
@grouped
def fit(
    context: typer.Context,
    data: Data,
    k: NClusters,
    *,
    choice: Choice,
    constraints: Annotated[
        Path | None,
        typer.Option(
            "--constraints",
            help="csv file of lines: id,id,must or id,id,cannot.",
            rich_help_panel=FITTING,
        ),
    ] = None,
    scale: Scale = None,
    batch: Batch = None,
    weights: Weights = None,
    truth: Truth = None,
    proba: Proba = False,
    writing: Writing,
    running: Running,
    reading: Reading,
    traceback: Traceback = False,
) -> None:
    """Cluster the rows of a file and weight its features."""
    check_values(k=k)
    check_call(data, choice, writing, running, reading, constraints=constraints, batch=batch, weights=weights)
    if proba:
        check_proba(writing, running, constraints)
    from sparsek.cli import _fitting  # from here on libraries are loaded
    from sparsek.cli._read import read_constraints

    apart = _fitting.Apart(truth, batch, weights)
    work = _fitting.Work(command_of(context), choice, scale, writing, running, reading, apart)
    model = work.estimator(k)
    table = work.read(data)
    links: dict[str, Any] = {}
    if constraints is not None:
        links = read_constraints(constraints, table.ids)
    frame = work.prepared(model)
    found: dict[str, Any] = {}
    with warnings_on_one_line() as warned:
        model.fit(frame, **links, **work.beside)
        lost = None
        if proba:
            try:
                found["probabilities"] = _fitting.probabilities(model, frame, running)
            except (ValueError, TypeError) as error:  # the fit is not lost with them
                lost = error
    work.finish(model, model, found, warned)
    if lost is not None:
        raise InputError(f"the fit is complete, and there are no probabilities: {lost}")


@one_line_errors
@grouped
def tune(
    context: typer.Context,
    data: Data,
    k: Annotated[
        str,
        typer.Option("--k", help="Number of clusters, or several: 2,3,4 or 2:6.", rich_help_panel=FITTING),
    ],
    *,
    choices: Choices,
    criterion: Annotated[
        str | None,
        typer.Option(
            help=f"What chooses: {', '.join(CRITERIA)}. If not given, separation of several numbers of "
            "clusters, else thinning.",
            rich_help_panel=FITTING,
        ),
    ] = None,
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
    scale: Scale = None,
    batch: Batch = None,
    weights: Weights = None,
    truth: Truth = None,
    writing: Writing,
    running: Running,
    reading: Reading,
    traceback: Traceback = False,
) -> None:
    """Choose the number of features or of clusters by a criterion."""
    n_clusters = _tune.parse_values(k, "--k")
    has_categories = reading.categories is not None or reading.ordered is not None
    criterion = criterion or _tune.usual_criterion(n_clusters, has_categories)
    choosing = _tune.criterion_options(criterion, permutations, rule)
    check_values(k=n_clusters, permutations=permutations)
    check_call(data, choices, writing, running, reading, batch=batch, weights=weights)
    if criterion == "gap":
        _tune.check_method(choices.method, n_clusters)
    sizes = _tune.given_sizes(choices.method, n_clusters, choices.select, choices.bound)
    check_values(**sizes)
    from sparsek.cli import _fitting  # from here on libraries are loaded

    apart = _fitting.Apart(truth, batch, weights)
    work = _fitting.Work(command_of(context), choices, scale, writing, running, reading, apart)
    options = {"n_init": choices.n_init, **forced(choices)}
    model = _methods.make_estimator(choices.method, n_clusters[0], options, work.settings)
    table = work.read(data)
    grid = _tune.size_grid(choices.method, sizes, _tune.n_units(model, table), criterion)
    _tune.check_grid(model, {"n_clusters": n_clusters, **grid})
    frame = work.prepared(model)
    shown = {"n_jobs": running.n_jobs, "random_state": running.seed, "verbose": 1}
    search = _tune.make_search(model, n_clusters, grid, criterion, choosing, **shown)
    with warnings_on_one_line() as warned:
        search.fit(frame, **work.beside)
    chosen = {
        "chosen": search.best_params_,
        "criterion": criterion,
        "rule": search.rule_,
        "choice": search.results_,
    }
    work.finish(search, search.best_estimator_, chosen, warned)


@one_line_errors
@grouped
def test(
    context: typer.Context,
    data: Data,
    k: NClusters,
    *,
    choice: Choice,
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
    scale: Scale = None,
    batch: Batch = None,
    writing: Writing,
    running: Running,
    reading: Reading,
    traceback: Traceback = False,
) -> None:
    """Test clusters: one or more, which differ, and in which features."""
    if k < 2:
        raise InputError(f"--k must be at least 2 to test clusters; got {k}")
    check_values(k=k, fdr=fdr, null=n_null, sigma=sigma)
    require_sets(n_null, fdr)
    check_call(data, choice, writing, running, reading, batch=batch)
    from sparsek.cli import _fitting, _testing  # from here on libraries are loaded

    work = _fitting.Work(
        command_of(context), choice, scale, writing, running, reading, _fitting.Apart(batch=batch)
    )
    model = work.estimator(k)
    work.read(data, has_truth=False)
    frame = work.prepared(model)
    with warnings_on_one_line() as warned:
        model.fit(frame, **work.beside)
        tests = _testing.run_tests(
            model, frame, sigma, fdr, n_null, running.seed, running.n_jobs, work.beside
        )
    work.finish(model, model, {"tests": tests}, warned)


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
