"""``python -m validation report``: collects parity, real data and environment, and writes the report."""

import argparse
import shutil
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from r_reference.bridge import live_versions
from validation.benchmarks.real.page import load_section
from validation.environment import describe_environment
from validation.fuzz.verdict import load_campaign
from validation.papers import find_papers
from validation.papers.overview import overview_table
from validation.papers.paper import Paper
from validation.papers.shared.data import which_are_here
from validation.parity import cases as parity
from validation.parity.command import add_cases
from validation.report.build import build_report, write_report
from validation.report.outcomes import load_tests
from validation.report.realdata import LOADERS, analyse
from validation.report.sections import Section


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path("report"), help="default: report")
    add_cases(parser)
    parser.add_argument("--no-live-r", action="store_true", help="leave R out even where it is installed")
    parser.add_argument(
        "--papers",
        nargs="*",
        choices=list(find_papers()),
        default=list(find_papers()),
        metavar="NAME",
        help=f"papers whose tables and figures are repeated, of {', '.join(find_papers())} (default: all)",
    )
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes over trials (default: all cores)")


def reproduce(papers: Iterable[Paper], folder: Path, n_jobs: int) -> list[Section]:
    """The sections on printed results: papers, run at the quick scale on the data at hand."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [section for paper in papers for section in paper.sections(paper.quick(folder, n_jobs))]
    shutil.rmtree(folder)
    return found


def papers_data(papers: Iterable[Paper]) -> list[str]:
    """Names of the real data sets of papers, one that two papers share once for each."""
    return [name for paper in papers for name in paper.data]


def main(options: argparse.Namespace) -> int:
    """Run everything and write the report."""
    tests = load_tests()
    cases = parity.select_cases(options.cases)
    live = not options.no_live_r
    results = parity.run_cases(cases, live=live)
    packages = sorted({case["package"] for case in cases})
    skipped = parity.live_skips(cases) if live else [{"cases": len(cases), "reason": "R left out on request"}]
    real_data = [analyse(name) for name in tqdm(LOADERS, desc="real data", unit="set", disable=None)]
    papers = [paper for name, paper in find_papers().items() if name in options.papers]
    sections = reproduce(papers, options.output / "unfinished", options.n_jobs)
    environment = describe_environment(live_versions(packages) if live else {})
    content = build_report(
        results,
        skipped,
        real_data,
        environment,
        sections,
        load_campaign(),
        overview_table() if sections else None,
        tests,
        which_are_here(papers_data(papers)),
        [paper.title for name, paper in find_papers().items() if name not in options.papers],
        load_section(),
    )
    return write_report(content, options.output)
