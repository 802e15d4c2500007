"""The SKFR paper: simulations (Tables 1, 2, Figures 1 to 3, Proposition 2), real data (Tables 3 and 4)."""

from functools import partial

from validation.papers.paper import Paper
from validation.papers.shared.claims import judge_record
from validation.papers.skfr.real_tables import grid_section
from validation.papers.skfr.real_tables import sections as real
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MICE
from validation.papers.skfr.real_tables.methods import IN_R
from validation.papers.skfr.real_tables.samples import FETCHED, is_here
from validation.papers.skfr.real_tables.summary import LAYOUT_3, LAYOUT_4
from validation.papers.skfr.real_tables.tables import run_table
from validation.papers.skfr.simulation import claims, consistency, figure_sections, gap, table_sections
from validation.papers.skfr.simulation.designs import R_RECORD
from validation.papers.skfr.simulation.figures import run_figure
from validation.papers.skfr.simulation.summary import LAYOUT_1, LAYOUT_2
from validation.papers.skfr.simulation.tables import run_table_1, run_table_2

PAPER = Paper(
    name="skfr",
    title="SKFR",
    place=1,
    tables={1: run_table_1, 2: run_table_2, 3: partial(run_table, 3), 4: partial(run_table, 4)},
    figures={number: partial(run_figure, number) for number in (1, 2, 3)}
    | {"proposition 2": consistency.run},
    section_makers={
        "table-1": table_sections.table_1,
        "table-2": table_sections.table_2,
        "figure-1": figure_sections.figure_1,
        "figure-2": figure_sections.figure_2,
        "figure-3": figure_sections.figure_3,
        "table-3": real.table_3,
        "table-4": real.table_4,
        "table-4-grid": grid_section.table_4_grid,
        "consistency": consistency.section,
    },
    captions={
        "table-1": "SKFR, Table 1: iterations and time",
        "table-2": "SKFR, Table 2: rates of wrong features under outliers",
        "table-3": "SKFR, Table 3: mice proteins",
        "table-4": "SKFR, Table 4: ten data sets",
        "table-4-grid": "SKFR, readings of Table 4: SKFR1 at every s",
        "figure-1": "SKFR, Figure 1: gap curves",
        "figure-2": "SKFR, Figure 2: ARI and NVI, with and without outliers",
        "figure-3": "SKFR, Figure 3: local subsets, missing values",
        "consistency": "SKFR, Proposition 2: consistency",
    },
    pages={"tables": "tables.html"},
    judged={
        "table-1": table_sections.judged_1,
        "table-2": table_sections.judged_2,
        "table-3": real.judged_3,
        "table-4": real.judged_4,
    },
    claims={
        "table-1": partial(judge_record, ["table-1"], [claims.timing_claims]),
        "table-2": partial(judge_record, ["table-2"], [claims.rate_claims]),
        "figure-1": partial(
            judge_record, ["figure-1"], [lambda curves: claims.gap_claims(gap.largest_gaps(curves))]
        ),
        "figure-2": partial(
            judge_record, ["figure-2", R_RECORD], [claims.clean_claims, claims.outlier_claims]
        ),
        "figure-3": partial(judge_record, ["figure-3"], [claims.subset_claims, claims.missing_claims]),
        "consistency": partial(judge_record, ["consistency"], [consistency.claims]),
    },
    layouts={"table-1": LAYOUT_1, "table-2": LAYOUT_2, "table-3": LAYOUT_3, "table-4": LAYOUT_4},
    lead=real.same_as_r,
    chosen={"table-2": table_sections.CHOSEN_2, "table-3": real.CHOSEN_3, "table-4": real.CHOSEN_4},
    in_r={2: ("sparcl",), 4: tuple(package for package, _ in IN_R.values())},
    data=FETCHED,
    look_up=lambda: [is_here(name) for name in (*BENCHMARKS, *MICE)],
)
