"""The help of the commands: options and commands in groups, and examples."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

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
