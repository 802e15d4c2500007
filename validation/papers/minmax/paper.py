"""The sparse MinMax paper: Tables 1 to 6; its figures stand beside Table 2."""

from functools import partial

from validation.papers.minmax.designs import TABLES
from validation.papers.minmax.sections import make_section
from validation.papers.minmax.tables import run_table
from validation.papers.paper import Paper

PAPER = Paper(
    name="minmax",
    title="sparse MinMax",
    place=2,
    tables={number: partial(run_table, number) for number in TABLES},
    section_makers={f"minmax-table-{number}": partial(make_section, number) for number in TABLES},
    pages={"tables": "minmax-tables.html"},
)
