"""``python -m validation tables``: the tables of the papers, ours beside the printed numbers."""

import argparse
from collections.abc import Collection, Mapping
from pathlib import Path

from r_reference import bridge
from r_reference.bridge import live_versions
from sparsek.datasets import DatasetError
from validation.environment import commit_here
from validation.papers import find_papers
from validation.papers.paper import Paper, Result, Task, run_each
from validation.papers.screen import Screen, make_screen, screen_text
from validation.papers.shared.store import RESULTS
from validation.report.pages import write_page


def add_shared_arguments(parser: argparse.ArgumentParser, papers: dict[str, Paper]) -> None:
    """The options that tables and figures share."""
    first = next(iter(papers))
    parser.add_argument("--paper", choices=list(papers), default=first, help=f"default: {first}")
    parser.add_argument(
        "--scale", choices=["quick", "full"], default="quick", help="trials per cell (default quick)"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=Path("results"), help="default: results"
    )
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes over trials (default: all cores)")


def ranges(numbers: Mapping[str, Collection[int]]) -> str:
    """Which paper has which numbers."""
    return ", ".join(f"{name} has {min(found)} to {max(found)}" for name, found in numbers.items())


def lacks(paper: Paper, kind: str, known: Collection[int], asked: Collection[int]) -> bool:
    """Whether the paper lacks a table or figure that is asked for; prints which it has."""
    if set(asked) <= set(known):
        return False
    has = f"the {paper.title} paper has {kind}s {min(known)} to {max(known)}"
    print(f"{has}; got --{kind.lower()} {max(asked)}")
    return True


def papers_with_tables() -> dict[str, Paper]:
    """The papers that have tables, by name."""
    return {name: paper for name, paper in find_papers().items() if paper.tables}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    papers = papers_with_tables()
    add_shared_arguments(parser, papers)
    numbers = sorted({number for paper in papers.values() for number in paper.tables})
    which = ranges({name: paper.tables for name, paper in papers.items()})
    parser.add_argument("--table", type=int, choices=numbers, action="append", help=f"default: all; {which}")
    captions = [text for paper in papers.values() for text in paper.captions.values() if ", Table " in text]
    parser.epilog = "; ".join(captions)
    in_r = [
        f"{' and '.join(packages)} for Table {number} of {name}"
        for name, paper in papers.items()
        for number, packages in paper.in_r.items()
    ]
    parser.add_argument("--live-r", action="store_true", help=f"also have R run: {', '.join(in_r)}")


def run_tables(paper: Paper, numbers: list[int], task: Task) -> list[Result]:
    """Run, write and print tables one after the other."""
    results = []
    made = run_each([paper.tables[number] for number in numbers], task)
    for place, number in enumerate(numbers, 1):
        print(f"{paper.title}, Table {number}: {place} of {len(numbers)}", flush=True)
        result = next(made)
        result.write(task.folder, task.scale)
        print(f"\n{result.text}", end="\n\n", flush=True)
        results.append(result)
    return results


def main(options: argparse.Namespace) -> int:
    """Run the tables, print them, and write them as CSV and as sections of one page."""
    commit_here()  # before anything is written
    paper = papers_with_tables()[options.paper]
    packages = sorted({name for names in paper.in_r.values() for name in names}) if options.live_r else []
    for package in packages:
        found, why = bridge.available(package)
        if not found:
            print(f"R's {package} cannot be run: {why}")
            return 2
    numbers = options.table or list(paper.tables)
    if lacks(paper, "Table", paper.tables, numbers):
        return 2
    try:
        results = run_tables(
            paper, numbers, Task(options.scale, options.output, options.n_jobs, options.live_r)
        )
    except DatasetError as error:
        print(error)
        return 2
    sections = [section for result in results for section in paper.sections(result)]
    title = f"Tables of the {paper.title} paper"
    page = options.output / paper.pages["tables"]
    screen = _first_screen(paper, options)
    if screen is not None:
        print(screen_text(screen), end="\n\n")
    write_page(page, title, options.scale, sections, live_versions(packages), screen)
    return 0


def _first_screen(paper: Paper, options: argparse.Namespace) -> Screen | None:
    """What the page begins with: this run's tables at full scale, else those of the recorded full run."""
    if not paper.layouts:
        return None
    if options.scale == "quick":
        return make_screen(paper, RESULTS)
    names = [name for name in paper.layouts if (options.output / f"{name}.json").exists()]
    return make_screen(paper, options.output, names)
