"""``python -m validation report``: gathers parity, real data and environment, and has the report written."""

import argparse
from pathlib import Path

from tqdm import tqdm

from r_reference import bridge
from validation import parity
from validation.environment import describe_environment
from validation.parity_cmd import case_pattern
from validation.realdata import LOADERS, analyse
from validation.report import build_report, write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path("report"), help="default: report")
    parser.add_argument(
        "--cases",
        metavar="PATTERN",
        type=case_pattern,
        help="only cases whose id this regular expression finds",
    )
    parser.add_argument("--no-live-r", action="store_true", help="leave R out even where it is installed")


def live_versions(packages: list[str]) -> dict[str, str]:
    """Versions of the live R and of the packages that it has.

    Parameters
    ----------
    packages : list of str
        R packages to ask for.

    Returns
    -------
    dict
        Version by name.
    """
    facts = [bridge.provenance(package) for package in packages if bridge.available(package)[0]]
    versions = {"R": facts[0]["r"]} if facts else {}
    return versions | {fact["package"]: fact["package_version"] for fact in facts}


def main(options: argparse.Namespace) -> int:
    """Run everything and write the report.

    Parameters
    ----------
    options : Namespace
        What `add_arguments` describes.

    Returns
    -------
    int
        0 if every parity claim holds, 1 if one fails.
    """
    cases = parity.select_cases(options.cases)
    live = not options.no_live_r
    results = parity.run_cases(cases, live=live)
    packages = sorted({case["package"] for case in cases})
    skipped = parity.live_skips(cases) if live else [{"cases": len(cases), "reason": "R left out on request"}]
    real_data = [analyse(name) for name in tqdm(LOADERS, desc="real data", unit="set", disable=None)]
    environment = describe_environment(live_versions(packages) if live else {})
    return write_report(build_report(results, skipped, real_data, environment), options.output)
