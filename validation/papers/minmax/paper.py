"""The sparse MinMax paper: Tables 1 to 6; its figures stand beside Table 2."""

from functools import partial

from validation.papers.minmax.designs import TABLES
from validation.papers.minmax.judging import CHOSEN
from validation.papers.minmax.sections import judged, make_section
from validation.papers.minmax.tables import run_table
from validation.papers.paper import Paper

PAPER = Paper(
    name="minmax",
    title="sparse MinMax",
    place=2,
    tables={number: partial(run_table, number) for number in TABLES},
    section_makers={f"minmax-table-{number}": partial(make_section, number) for number in TABLES},
    captions={
        "minmax-table-1": "MinMax, Table 1: UCI sets and Yale",
        "minmax-table-2": "MinMax, Table 2: gene expression, best of 20",
        "minmax-table-3": "MinMax, Table 3: Trace and Control Chart",
        "minmax-table-4": "MinMax, Table 4: gene expression, means",
        "minmax-table-5": "MinMax, Table 5: Dunn index, features kept",
        "minmax-table-6": "MinMax, Table 6: time",
    },
    judged={f"minmax-table-{number}": partial(judged, number) for number in CHOSEN},
    chosen={f"minmax-table-{number}": text for number, text in CHOSEN.items()},
    pages={"tables": "minmax-tables.html"},
)
