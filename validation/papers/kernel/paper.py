"""The slides on kernel k-means (the doughnut), and deep embedded clustering of digits."""

from functools import partial

from validation.papers.kernel.sections import MODULES, TITLES, make_section, run
from validation.papers.paper import Paper

PAPER = Paper(
    name="kernel",
    title="kernel",
    place=4,
    figures={name: partial(run, name) for name in MODULES},
    section_makers={name: partial(make_section, name) for name in MODULES},
    captions=TITLES,
    pages={"figures": "kernel-figures.html"},
)
