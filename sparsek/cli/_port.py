"""The command that runs an R script and its port."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsek.cli._cells import InputError, check_file
from sparsek.cli._messages import one_line_errors, say, show
from sparsek.cli._options import Json, Traceback, split_names


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
    as_json: Json = False,
    traceback: Traceback = False,
) -> None:
    """Run an R script and its port, and compare what they leave.

    This runs the code of both scripts, with all that they do to files: do not run scripts that you do not
    trust. Objects of the same name (dots are underscores) are compared at the end and at comments
    "# check: name". Needs Rscript.
    """
    if hints:
        if python_script is not None or objects is not None or html is not None or as_json:
            raise InputError("--hints reads the R script alone: leave out the other script and options")
        show(_hints_of(r_script))
        return
    if python_script is None:
        raise InputError("port compares two scripts: name the Python script too, or use --hints")
    from sparsek._files import check_target, write_whole

    for script in (r_script, python_script):
        check_file(script)
    from sparsek.port.comparing import compare_scripts
    from sparsek.port.page import as_page

    if html is not None:
        check_target(html)
    comparison = compare_scripts(r_script, python_script, split_names(objects))
    if as_json:
        from sparsek.cli._write import to_json

        show(to_json(comparison.as_dict()))
    else:
        show(comparison.as_text())
    if html is not None:
        write_whole(html, as_page(comparison))
        say(f"wrote {html}")
    raise typer.Exit(0 if comparison.passed else 1)


def _hints_of(script: Path) -> str:
    """The calls of an R script and their twins."""
    from sparsek.cli._cells import InputError

    check_file(script)
    from sparsek.port.hints import as_text, find_hints, find_packages

    try:
        text = script.read_text(encoding="utf-8-sig")
        return as_text(find_hints(text), find_packages(text))
    except ValueError as error:
        raise InputError(f"{script}: {error}") from error
