"""The PCSKM paper (pairwise-constrained sparse k-means): Figures 1 and 2, and 3 and 4 of its appendix."""

from validation.papers.paper import Paper
from validation.papers.pcskm.figures import run_figures
from validation.papers.pcskm.sections import scores, weights

PAPER = Paper(
    name="pcskm",
    title="PCSKM",
    place=3,
    figures=dict.fromkeys((1, 2, 3, 4), run_figures),
    section_makers={"pcskm-figure-1": scores, "pcskm-figure-2": weights},
    captions={
        "pcskm-figure-1": "PCSKM, Figure 1: F-scores",
        "pcskm-figure-2": "PCSKM, Figure 2: feature weights",
    },
    pages={"figures": "pcskm-figures.html"},
)
