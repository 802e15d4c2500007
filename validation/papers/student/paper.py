"""The student report on SKFR: Figures 3 to 5, and the error in its listing of SKFR2."""

from functools import partial

from validation.papers.paper import Paper
from validation.papers.shared.claims import judge_record
from validation.papers.student.sections import (
    TITLES,
    generated,
    generated_claims,
    real,
    real_claims,
    run_figure_5,
    run_figures_3_and_4,
)

PAPER = Paper(
    name="student",
    title="student",
    place=5,
    figures={3: run_figures_3_and_4, 4: run_figures_3_and_4, 5: run_figure_5},
    section_makers={"student-runs": generated, "student-real": real},
    captions=TITLES,
    claims={
        "student-runs": partial(judge_record, ["student-runs"], [generated_claims]),
        "student-real": partial(judge_record, ["student-real"], [real_claims]),
    },
    pages={"figures": "student-figures.html"},
)
