"""The sparse MinMax paper: Tables 1 to 6; its figures stand beside Table 2; further checks."""

from functools import partial

from validation.papers.minmax.checks import MEMORY_TABLE, TITLES, make_check, run_checks
from validation.papers.minmax.designs import DATA, TABLES
from validation.papers.minmax.judging import CHOSEN, LAYOUTS
from validation.papers.minmax.memory import memory_claims
from validation.papers.minmax.other_tables import time_claims
from validation.papers.minmax.pictures import CONVERGENCE, convergence_claims
from validation.papers.minmax.samples import find_data
from validation.papers.minmax.sections import judged, make_section
from validation.papers.minmax.tables import run_table
from validation.papers.paper import Paper
from validation.papers.shared.claims import judge_record

PAPER = Paper(
    name="minmax",
    title="sparse MinMax",
    place=2,
    tables={number: partial(run_table, number) for number in TABLES},
    figures=dict.fromkeys(TITLES, run_checks),
    section_makers={
        **{f"minmax-table-{number}": partial(make_section, number) for number in TABLES},
        **{name: partial(make_check, name) for name in TITLES},
    },
    captions={
        "minmax-table-1": "MinMax, Table 1: UCI sets and Yale",
        "minmax-table-2": "MinMax, Table 2: gene expression, best of 20",
        "minmax-table-3": "MinMax, Table 3: Trace and Control Chart",
        "minmax-table-4": "MinMax, Table 4: gene expression, means",
        "minmax-table-5": "MinMax, Table 5: Dunn index, features kept",
        "minmax-table-6": "MinMax, Table 6: time",
        **{name: f"MinMax: {title}" for name, title in TITLES.items()},
    },
    judged={f"minmax-table-{number}": partial(judged, number) for number in CHOSEN},
    claims={
        "minmax-table-2": partial(judge_record, [CONVERGENCE], [convergence_claims]),
        "minmax-table-6": partial(judge_record, ["minmax-table-6"], [time_claims]),
        MEMORY_TABLE: partial(judge_record, [MEMORY_TABLE], [memory_claims]),
    },
    layouts={f"minmax-table-{number}": LAYOUTS[number] for number in CHOSEN},
    chosen={f"minmax-table-{number}": text for number, text in CHOSEN.items()},
    pages={"tables": "minmax-tables.html", "figures": "minmax-checks.html"},
    data=tuple(DATA),
    look_up=lambda: find_data(tuple(DATA), download=False),
)
