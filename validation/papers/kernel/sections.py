"""The doughnut and DEC on digits as sections of the report: full run, claims, this run."""

from pathlib import Path
from types import ModuleType

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.drawing import to_svg
from validation.papers.kernel import dec, doughnut
from validation.papers.skfr.simulation.report_tables import origin
from validation.papers.skfr.simulation.store import RESULTS, load_table
from validation.report.sections import Picture, Section, Table, make_table, our_choice

SEEDS = {"quick": {"doughnut": 5, "dec": 1}, "full": {"doughnut": doughnut.N_SEEDS, "dec": dec.N_SEEDS}}
MODULES: dict[str, ModuleType] = {"doughnut": doughnut, "dec": dec}
TITLES = {
    "doughnut": "Kernels: the doughnut",
    "dec": "Deep embedded clustering of digits",
}
TEXTS = {
    "doughnut": "A disc inside a ring in two features, and 18 of noise. Errors are shares of rows outside "
    "their group; exact counts the samples without any.",
    "dec": "scikit-learn's 1797 digits. Accuracy is the share of rows in the matched class; k-means on the "
    "embedding is where DEC begins.",
}
SETTINGS = {
    "doughnut": (our_choice("500 rows, the radii of make_doughnut, s = 1.41; the slides name none of them"),),
    "dec": (our_choice("the quick setting of sparsek.DEC; the DEC paper uses other digits and longer runs"),),
}


def run(scale: str, n_jobs: int) -> tuple[dict[str, pd.DataFrame], dict[str, Figure]]:
    """Both experiments.

    Parameters
    ----------
    scale : {"quick", "full"}
        How many seeds.
    n_jobs : int
        Processes over the seeds.

    Returns
    -------
    trials : dict of str to DataFrame
        By the names that files get.
    figures : dict of str to Figure
        By the same names.
    """
    trials, figures = {}, {}
    for name, module in MODULES.items():
        trials[name], figures[name] = module.reproduce(SEEDS[scale][name], n_jobs)
    return trials, figures


def sections(
    this_run: dict[str, pd.DataFrame], figures: dict[str, Figure], folder: Path = RESULTS
) -> list[Section]:
    """The sections: the full run in `folder` beside this run.

    Parameters
    ----------
    this_run : dict of str to DataFrame
        From `run`.
    figures : dict of str to Figure
        From `run`.
    folder : Path
        Holds the full run.

    Returns
    -------
    list of Section
        The doughnut, DEC.
    """
    return [_section(name, trials, figures[name], folder) for name, trials in this_run.items()]


def _section(name: str, trials: pd.DataFrame, figure: Figure, folder: Path) -> Section:
    module = MODULES[name]
    full, about = load_table(name, folder)
    claims = [[claim.text, claim.measured, claim.verdict] for claim in module.claims(full)]
    tables = [
        make_table("Claims, by the full run", ("Claim", "Measured", "Verdict"), claims),
        _by_method(f"Full run, {full['seed'].nunique()} seeds", module.summarise(full)),
        _by_method(f"This run, {trials['seed'].nunique()} seeds", module.summarise(trials)),
    ]
    return Section(
        TITLES[name],
        name,
        TEXTS[name],
        pictures=(Picture("This run", to_svg(figure, f"{name}-picture")),),
        tables=tuple(tables),
        settings=SETTINGS[name],
        remarks=(origin("Full run", about),),
    )


def _by_method(caption: str, summary: pd.DataFrame) -> Table:
    return make_table(caption, [str(column) for column in summary.columns], summary.to_numpy(object).tolist())
