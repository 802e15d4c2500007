"""HTML pages that load nothing, from the templates beside this file."""

from pathlib import Path
from typing import Any

import jinja2

from validation.sections import VERDICTS, show_value

FOLDER = Path(__file__).parent


def render(name: str, **values: Any) -> str:
    """A page from a template.

    Parameters
    ----------
    name : str
        File name of the template.
    **values
        What it shows.

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
    return environment.get_template(name).render(**values, verdicts=VERDICTS, show_value=show_value)
