"""HTML pages without external resources, from the templates in this folder."""

import dataclasses
import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from sparsek._files import whole_file
from validation.environment import describe_environment
from validation.report.sections import Section, show_cells

FOLDER = Path(__file__).parent


def render(name: str, **values: Any) -> str:
    """A page from a template.

    Parameters
    ----------
    name : str
        File name of the template.
    **values
        Content of the page.

    Returns
    -------
    str
        The page.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name).render(**values, show_cells=show_cells)


def write_page(
    path: Path,
    title: str,
    scale: str,
    sections: Sequence[Section],
    r_versions: dict[str, str] | None = None,
    screen: object | None = None,
) -> None:
    """Write sections as a separate page, and print its place.

    Parameters
    ----------
    path : Path
        The file; its folder exists.
    title : str
        Heading.
    scale : str
        Scale of the run, for the record.
    sections : sequence of Section
        Content of the page.
    r_versions : dict or None
        Versions of R and of its packages, if R was run.
    screen : validation.papers.screen.Screen or None
        What the page begins with.
    """
    page = render(
        "tables.html.j2",
        title=title,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        scale=scale,
        environment=describe_environment(r_versions or {}),
        screen=screen,
        sections=[dataclasses.asdict(section) for section in sections],
    )
    with whole_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    print(f"written: {path}, and the numbers as CSV beside it")
