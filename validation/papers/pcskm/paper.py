"""The PCSKM paper (pairwise-constrained sparse k-means): Table 1, and Figures 1 to 4."""

from functools import partial

from validation.papers.paper import Paper
from validation.papers.pcskm import claims, table_1
from validation.papers.pcskm.figures import run_figures
from validation.papers.pcskm.samples import FETCHED, find_missing
from validation.papers.pcskm.sections import scores, weights
from validation.papers.shared.claims import judge_record

PAPER = Paper(
    name="pcskm",
    title="PCSKM",
    place=3,
    tables={1: table_1.run_table},
    figures=dict.fromkeys((1, 2, 3, 4), run_figures),
    section_makers={
        "pcskm-table-1": table_1.section,
        "pcskm-figure-1": scores,
        "pcskm-figure-2": weights,
    },
    captions={
        "pcskm-table-1": "PCSKM, Table 1: data and constraints",
        "pcskm-figure-1": "PCSKM, Figure 1: F-scores",
        "pcskm-figure-2": "PCSKM, Figure 2: feature weights",
    },
    pages={"tables": "pcskm-tables.html", "figures": "pcskm-figures.html"},
    claims={
        "pcskm-figure-1": partial(judge_record, ["pcskm-figure-1"], [claims.score_claims]),
        "pcskm-figure-2": partial(judge_record, ["pcskm-figure-2-shares"], [claims.weight_claims]),
    },
    data=FETCHED,
    look_up=lambda: find_missing(download=False),
)
