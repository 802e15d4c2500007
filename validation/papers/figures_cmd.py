"""``python -m validation figures``: figures of the papers, drawn from our trials."""

import argparse

from validation.papers import find_papers
from validation.papers.paper import Make, Paper, Result, Task, run_each
from validation.papers.tables_cmd import add_shared_arguments, lacks, ranges
from validation.report.pages import write_page


def papers_with_figures() -> dict[str, Paper]:
    """The papers that have figures, by name."""
    return {name: paper for name, paper in find_papers().items() if paper.figures}


def _numbers(paper: Paper) -> list[int]:
    """The numbers of a paper's figures; none where figures have names."""
    return [number for number in paper.figures if isinstance(number, int)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    papers = papers_with_figures()
    add_shared_arguments(parser, papers)
    numbered = {name: _numbers(paper) for name, paper in papers.items() if _numbers(paper)}
    which = ranges(numbered)
    parser.add_argument(
        "--figure",
        type=_key,
        choices=sorted(set().union(*(paper.figures for paper in papers.values())), key=str),
        action="append",
        help=f"default: all; {which}; other figures have names",
    )


def _key(text: str) -> int | str:
    """The number or the name of a figure."""
    return int(text) if text.isdigit() else text


def _lacks(paper: Paper, asked: list[int | str]) -> bool:
    """Whether the paper lacks a figure that is asked for; prints which it has."""
    numbers = [key for key in asked if isinstance(key, int)]
    if len(numbers) == len(asked) and _numbers(paper):
        return lacks(paper, "Figure", _numbers(paper), numbers)
    unknown = [key for key in asked if key not in paper.figures]
    if unknown:
        has = ", ".join(map(str, paper.figures))
        print(f"the {paper.title} paper has the figures {has}; got --figure {unknown[0]}")
    return bool(unknown)


def choose(paper: Paper, keys: list[int | str] | None) -> list[Make]:
    """Functions that run the wanted figures; all if none are named."""
    return list(paper.figures.values()) if keys is None else [paper.figures[key] for key in keys]


def run_figures(makers: list[Make], task: Task, name_pictures: bool) -> list[Result]:
    """Run, write and name figures one after the other."""
    results = []
    for result in run_each(makers, task):
        tables, pictures = result.write(task.folder, task.scale)
        for path in [*tables, *(pictures if name_pictures else [])]:
            print(f"written: {path}")
        if result.text:
            print(result.text)
        results.append(result)
    return results


def main(options: argparse.Namespace) -> int:
    """Run the trials and draw."""
    paper = papers_with_figures()[options.paper]
    if _lacks(paper, options.figure or []):
        return 2
    page = paper.pages.get("figures")
    task = Task(options.scale, options.output, options.n_jobs)
    results = run_figures(choose(paper, options.figure), task, name_pictures=page is None)
    if page is not None:  # the page contains the pictures
        sections = [section for result in results for section in paper.sections(result)]
        write_page(options.output / page, f"Figures: {paper.name}", options.scale, sections)
    return 0
