"""``python -m validation parity``, ``report``, ``tables`` and the other sub-commands."""

import argparse
import importlib
import logging
import sys
from collections.abc import Sequence

COMMANDS = {
    "parity": ("validation.parity.command", "compare sparsek with R's recorded answers and with R itself"),
    "platforms": (
        "validation.platforms",
        "compare with R's recorded answers on every kernel and Python",
    ),
    "tables": ("validation.papers.tables_cmd", "tables of the papers, ours beside the printed numbers"),
    "figures": ("validation.papers.figures_cmd", "figures of the papers, drawn from our trials"),
    "report": ("validation.report.command", "write the validation report as one HTML file and report.json"),
    "mutants": (
        "validation.mutants.command",
        "change single tokens of the code, list what no test notices",
    ),
    "kernels": (
        "validation.kernels",
        "run the tests under other kernels of OpenBLAS, and without numpy's vector loops",
    ),
    "explore": (
        "validation.explore",
        "run every test that draws its cases with new ones, which a seed decides",
    ),
    "oracles": (
        "validation.oracles",
        "record what every estimator answers in every form of the data, and compare two records",
    ),
    "speed": ("validation.benchmarks.speed", "time calls beside R and scikit-learn, for docs/speed.md"),
    "real": (
        "validation.benchmarks.real.command",
        "cluster real data with known classes by our defaults and by other methods, for docs/real-data.md",
    ),
    "clusters": (
        "validation.benchmarks.clusters.command",
        "choose the number of clusters on sets with a known one by our default and by other rules",
    ),
    "statements": (
        "validation.statements",
        "write what README and the pages state of runs",
    ),
    "times": ("validation.times", "time README's commands in a fresh clone"),
    "fuzz": ("validation.fuzz.command", "call everything with inputs of every kind, classify the outcomes"),
}
"""Sub-commands: a module with ``add_arguments(parser)`` and ``main(options) -> int``, and its help text."""
FORWARDED = {
    "compare": "run one call in R and in sparsek on a file of yours: the command `sparsek compare`",
}
"""Sub-commands of the command line, options and all, with their help texts."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command."""
    try:
        return _run(arguments)
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name in ("", "sparsek", "validation", "r_reference"):
            raise
        print(
            f'error: {name} is missing; in the checkout, run pip install ".[validation]", '
            "or make validate, which installs everything into .venv",
            file=sys.stderr,
        )
        return 2


def _run(arguments: Sequence[str] | None) -> int:
    """Run a sub-command; its exit code."""
    logging.getLogger("sparsek").addHandler(logging.NullHandler())  # R's printing would break the output
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments and arguments[0] in FORWARDED:
        return _forward(arguments)
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, description) in COMMANDS.items():
        command = commands.add_parser(name, help=description, description=description)
        if arguments[:1] == [name]:  # loads the module of the chosen command only
            importlib.import_module(module).add_arguments(command)
    for name, description in FORWARDED.items():
        commands.add_parser(name, help=description)
    options = parser.parse_args(arguments)
    return int(importlib.import_module(COMMANDS[options.command][0]).main(options))


def _forward(arguments: list[str]) -> int:
    """Run a command of the command line; its exit code."""
    try:
        importlib.import_module("sparsek.cli._app").app(arguments, prog_name="python -m validation")
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
