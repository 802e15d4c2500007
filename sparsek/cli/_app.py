"""The command line ``sparsek``: its commands in groups.

What a command needs is imported when it runs, so that help and errors in options come at once.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import sparsek
from sparsek.cli import _checkout, _clusters, _port
from sparsek.cli._messages import one_line_errors, show
from sparsek.cli._options import Json, Traceback

CLUSTERS, FROM_R, CHECKS = "Cluster a file", "Come from R", "Check sparsek itself"
"""Groups of commands."""
EXAMPLES = {
    "fit": "sparsek fit cells.csv --k 3 --id-col cell --drop type\n"
    "sparsek fit cells.csv --k 3 --truth type --id-col cell --out result\n"
    "sparsek fit genes.tsv.gz --k 4 --method sparse-kmeans --bound 12 --no-scale",
    "tune": "sparsek tune cells.csv --k 3 --select 2:20 --id-col cell --drop type\n"
    "sparsek tune cells.csv --k 1:6 --criterion strength --id-col cell --drop type --out tuned",
    "test": "sparsek test cells.csv --k 3 --id-col cell --drop type --out tested\n"
    "sparsek test genes.csv --k 2 --select 50 --fdr 0.05",
    "report": "sparsek report result\nsparsek report result --out cells.html",
    "methods": "sparsek methods\nsparsek methods --long",
    "compare": 'sparsek compare cells.csv --call "kmeans(centers=3)" --seed 1 --id-col cell --drop type',
    "port": "sparsek port --hints analysis.R\nsparsek port analysis.R analysis.py --html port.html",
    "validate": "sparsek validate --out report",
}
"""Examples of every command."""
OTHERS = "Options"
"""Group of the options that name none."""


def _write_groups(formatter: Any, rows: list[tuple[str, tuple[str, str]]]) -> None:
    """Write pairs of name and help under the headings of their groups, in the order of their appearance."""
    for group in dict.fromkeys(name for name, _ in rows):
        with formatter.section(group):
            formatter.write_dl([row for name, row in rows if name == group])


def _write_options(command: Any, context: Any, formatter: Any) -> None:
    """Write the options of a command by groups, those without one last."""
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            group = "Arguments" if parameter.param_type_name == "argument" else OTHERS
            rows.append((getattr(parameter, "rich_help_panel", None) or group, record))
    _write_groups(formatter, sorted(rows, key=lambda row: row[0] == OTHERS))


class Command(TyperCommand):
    """A command whose help has groups of options; its epilog are examples, a line each."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Group(TyperGroup):
    """Commands in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        _write_options(self, ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        named = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        commands = [command for command in named if command is not None and not command.hidden]
        width = formatter.width - 6 - max(len(command.name or "") for command in commands)
        _write_groups(
            formatter,
            [
                (getattr(command, "rich_help_panel", None) or "Commands", (command.name or "", text))
                for command in commands
                for text in [command.get_short_help_str(width)]
            ],
        )

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        Command.format_epilog(self, ctx, formatter)  # type: ignore[arg-type]  # a group, which has the same parts


app = typer.Typer(
    cls=Group,
    help="Sparse k-means and its relatives on files of yours.",
    epilog="sparsek fit data.csv --k 3 --out result\nsparsek report result\nsparsek fit --help",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@one_line_errors
def methods(
    long: Annotated[
        bool,
        typer.Option("--long", help="What each handles, its class, R's function and the paper; 150 columns."),
    ] = False,
    as_json: Json = False,
    traceback: Traceback = False,
) -> None:
    """List the methods with their purpose."""
    from sparsek.cli import _methods

    rows = _methods.describe_methods()
    if as_json:
        from sparsek.cli._write import to_json

        show(to_json({"methods": rows}))
    else:
        show((_methods.as_table if long else _methods.as_list)(rows))


for group, command in (
    (CLUSTERS, _clusters.fit),
    (CLUSTERS, _clusters.tune),
    (CLUSTERS, _clusters.test),
    (CLUSTERS, _clusters.report),
    (CLUSTERS, methods),
    (FROM_R, _port.port),
    (FROM_R, _checkout.compare),
    (CHECKS, _checkout.validate),
):
    app.command(
        cls=Command,
        rich_help_panel=group,
        epilog=EXAMPLES[command.__name__],
        hidden=command is _checkout.validate and not _checkout.is_checkout(_checkout.OWN),
    )(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from sparsek.engine import describe_choice

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
