"""Papers whose tables and figures are repeated, one folder each: see `validation.papers.paper.Paper`."""

import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from sparsek.errors import ScaleWarning

if TYPE_CHECKING:
    from validation.papers.paper import Paper

# The papers take columns as they are where they say so.
warnings.filterwarnings("ignore", category=ScaleWarning)


@cache
def find_papers() -> "dict[str, Paper]":
    """The papers by name, in the order of the report: every folder here that has a ``paper.py``."""
    names = [path.parent.name for path in sorted(Path(__file__).parent.glob("*/paper.py"))]
    papers = [import_module(f"{__name__}.{name}.paper").PAPER for name in names]
    return {paper.name: paper for paper in sorted(papers, key=lambda paper: paper.place)}
