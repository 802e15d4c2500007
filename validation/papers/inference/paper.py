"""Tests after clustering: how their simulations are run, and their sections of the report."""

from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from validation.papers.inference.coverage import coverage_table, run_coverage
from validation.papers.inference.robust import LEVEL as RATE
from validation.papers.inference.robust import (
    RECOMMENDED,
    call_table,
    fdr_table,
    one_table,
    robust_table,
    run_call,
    run_fdr,
    run_one,
    run_robust,
)
from validation.papers.inference.simulations import run_level, run_noise, run_power, run_sets
from validation.papers.paper import Paper, Result, Task
from validation.papers.shared.claims import Claim, claim_table
from validation.papers.shared.store import RESULTS, load_table, origin
from validation.report.drawing import STYLE, to_svg
from validation.report.sections import Picture, Section, make_table, our_choice

LEVEL, POWER, SETS = "inference-level", "inference-power", "inference-sets"
NOISE = "inference-noise"
ROBUST, ONE, FDR = "inference-robust", "inference-one", "inference-fdr"
CALL, COVERAGE = "inference-call", "inference-coverage"
SIZES = {
    "quick": {LEVEL: (60, 4), POWER: (12,), SETS: (20, 20), NOISE: (20,)}
    | {ROBUST: (2,), CALL: (2,), ONE: (2,), FDR: (2,), COVERAGE: (2,)},
    "full": {LEVEL: (5000, 200), POWER: (200,), SETS: (2000, 1000), NOISE: (500,)}
    | {ROBUST: (200,), CALL: (100,), ONE: (200,), FDR: (100,), COVERAGE: (60,)},
}
"""Data sets of each simulation; points of the grid."""
RUNS = {LEVEL: run_level, POWER: run_power, SETS: run_sets, NOISE: run_noise} | {
    ROBUST: run_robust,
    CALL: run_call,
    ONE: run_one,
    FDR: run_fdr,
    COVERAGE: run_coverage,
}
TITLES = {
    LEVEL: "Tests after clustering: level",
    POWER: "Tests after clustering: power",
    SETS: "Tests after clustering: sets by brute force",
    NOISE: "Tests after clustering: estimates of the noise",
    ROBUST: "Tests after clustering: noise that is not normal",
    CALL: "Tests after clustering: power with and without a given noise",
    ONE: "Tests after clustering: one cluster or more",
    FDR: "Tests after clustering: features at a false discovery rate",
    COVERAGE: "Intervals of feature weights: coverage",
}
TEXTS = {
    LEVEL: "Normal data without groups, n = 30, 75 or 150, p = 2, 10, 50 or 200 (30, 2 or 10 for the drawn "
    "test); sigma is known. Shares of p-values below each level; the naive test takes the clusters as given.",
    POWER: "Groups of equal size apart by delta, sigma known. Detection: both tested clusters are groups. "
    "Power: p below 0.05 among those. The papers show curves, no numbers to read off.",
    SETS: "Random data, the distance of two means on a grid, k-means repeated from the same rows: the set is "
    "right where all iterations are the same.",
    NOISE: "Ward's linkage on 60 rows and 10 features, three clusters, two of them tested: share of p below "
    "0.05 without groups (level) and with three groups 7 apart (power); independent noise, or correlations "
    "of .5.",
    ROBUST: "60 rows without groups, 10 features (SKFR 40), three clusters, two of them tested, with "
    "the default noise (shrunk covariance): share of p below .05. Variance 1; correlated: .3; unequal: "
    "standard deviations .5 to 2; rounded to a third. Normal scores: of the ranks of each feature.",
    CALL: "Three groups at the corners of a triangle, 150 rows, or none in 60 rows that were rounded "
    "to a third; 10 features, three clusters, two of them tested: share of p below .05, whatever "
    "they hold. Known: sigma=1; default: estimated on the rows. Dithered: uniform noise of the width of a "
    "step of rounding is added.",
    ONE: "60 rows, 20 features, SKFR with 6 of them and 2 or 3 clusters, 19 sets without clusters: share of "
    "data sets in which more than one cluster is found at level .05, and in which no answer is given, "
    "without groups and with three in 6 features. Items: five answers, or two; counts with depth: Poisson, "
    "lognormal totals of the rows; one principal component of both is removed. Mixed: numbers, items and "
    "counts; holes: a fifth of the cells. Row scales: multivariate t of 4 degrees of freedom; far rows: 3 at "
    "four times the scale; a curve and an arch: a quadratic of one latent variable, normal or uniform. Peers "
    "on the same sets: SigClust's idea with 19 normal sets, diagonal mixtures and latent classes of 1 to 3 "
    "by BIC.",
    FDR: "90 rows, 200 features, SKFR(3, 40), FeatureFDR at .1 with 9 sets without clusters. Blocks: "
    "correlations of .6 among 10 features; counts: negative binomial, mean 3.",
    COVERAGE: "FitUncertainty with 100 resamples, level .95: share of the features that matter whose "
    "interval holds the weight of a fit to 40,000 rows. 150 rows, 12 features, 6 of which differ between "
    "the groups.",
}
SETTINGS = {
    LEVEL: (
        our_choice("sizes drawn for every data set; SKFR selects a quarter of the features"),
        our_choice("a full run has 5,000 data sets (200 drawn)"),
    ),
    POWER: (our_choice("200 data sets for each point; the papers have more, and several starts"),),
    NOISE: (our_choice("60 more rows are held out"),),
    ROBUST: (our_choice("200 data sets a cell"),),
    CALL: (our_choice("100 data sets a cell; 99 permutations"),),
    ONE: (our_choice("200 data sets a row"),),
    FDR: (our_choice("100 data sets a row"),),
    COVERAGE: (our_choice("60 data sets a cell"),),
    SETS: (our_choice("points within 1e-7 of an end of the set are left out"),),
}


def run(name: str, task: Task) -> Result:
    """A simulation and, for the power, its picture."""
    frame = RUNS[name](*SIZES[task.scale][name], n_jobs=task.n_jobs)
    return Result({name: frame}, {name: draw(frame)} if name == POWER else {}, text=frame.to_string())


def draw(power: pd.DataFrame) -> Figure:
    """Detection and conditional power by delta, a column for each design."""
    with mpl.rc_context(STYLE):
        designs = list(dict.fromkeys(power["design"]))
        figure = Figure(figsize=(9, 4.5), layout="constrained")
        panels = figure.subplots(2, len(designs), sharex=True, sharey=True)
        for column, design in enumerate(designs):
            for row, measure in enumerate(("detection", "power")):
                axes = panels[row, column]
                for method, group in power[power["design"] == design].groupby("method", sort=False):
                    axes.plot(group["delta"], group[measure], marker="o", label=method)
                axes.set(ylim=(-0.03, 1.03), ylabel=measure if column == 0 else "")
            panels[0, column].set_title(design)
            panels[1, column].set_xlabel("delta")
            panels[1, column].legend()
    return figure


def at_most(level: float, shares: pd.Series, sets: pd.Series) -> pd.Series:
    """Which shares are at most the level up to three standard errors of the simulation."""
    return shares <= level + 3 * np.sqrt(level * (1 - level) / sets)


def _robust_claims(frame: pd.DataFrame) -> list[Claim]:
    """Every cell holds its level, or warns or refuses more often than not."""
    held = at_most(0.05, frame["below_0.05"].fillna(0), frame["data_sets"])
    told = frame["warned"] + frame["refused"] > 0.5
    failing = frame[~held & ~told]
    text = ", ".join(f"{row.method} on {row.noise}" for row in failing.itertuples()) or "none fails"
    claims = [Claim("each test holds its level, or most of its sets warn or give NaN", text, failing.empty)]
    advised = frame[frame["method"].isin(RECOMMENDED) & frame["noise"].isin(NOT_NORMAL)]
    worst = advised["below_0.05"].max()
    ok = bool(at_most(MOST, advised["below_0.05"], advised["data_sets"]).all())
    name = f"what is recommended on skewed or heavy-tailed rows has a level of at most {MOST:g}"
    return [*claims, Claim(name, f"at most {worst:.3f}", ok)]


def _call_claims(frame: pd.DataFrame) -> list[Claim]:
    """Without groups every call holds its level; with the largest distance the tests see the groups."""
    null = frame[(frame["delta"] == 0)]
    held = at_most(0.05, null["below_0.05"].fillna(0), null["data_sets"])
    worst = f"at most {null['below_0.05'].max():.3f}"
    dithered = frame.loc[frame["noise"] == "dithered", "refused"].max()
    return [
        Claim("without groups each call holds its level", worst, bool(held.all())),
        Claim("dithered rows have no ties", f"NaN in {dithered:.1%}", dithered == 0),
    ]


def _one_claims(frame: pd.DataFrame) -> list[Claim]:
    """The test of one cluster holds its level where it is meant to."""
    null = frame[frame["delta"] == 0]
    held = at_most(0.05, null["more_than_one"], null["data_sets"])
    shares = ", ".join(f"{row.noise} {row.more_than_one:.2f}" for row in null.itertuples())
    return [Claim("more than one cluster is found in at most .05 of sets without", shares, bool(held.all()))]


def _fdr_claims(frame: pd.DataFrame) -> list[Claim]:
    """The false discovery rate is at most the level up to its Monte Carlo error, by design."""
    return [
        Claim(
            f"{row.noise}, groups {row.delta:g} apart in {row.true}: rate at most {RATE:g}",
            f"{row.fdr:.3f} (standard error {row.fdr_se:.3f})",
            bool(row.fdr <= RATE + 2 * max(row.fdr_se, 1 / row.data_sets)),
        )
        for row in frame.itertuples()
    ]


def _coverage_claims(frame: pd.DataFrame) -> list[Claim]:
    """Intervals of level .95 hold the weight about as often as they say, in every cell."""
    least, most = LEAST_HELD, MOST_HELD
    inside = frame["held"].between(least - 2 * frame["held_se"], most + 2 * frame["held_se"])
    return [
        Claim(
            f"{row.estimator}, {row.design}, {row.method}: held in {least:g} to {most:g}",
            f"{row.held:.3f} (standard error {row.held_se:.3f})",
            bool(ok),
        )
        for row, ok in zip(frame.itertuples(), inside, strict=True)
    ]


LEAST_HELD, MOST_HELD = 0.93, 0.98
"""Coverage of intervals of level .95."""
MOST, NOT_NORMAL = 0.065, ("t5", "exponential")
"""The largest level that a recommended test may have, and the noise for which others are recommended."""
HELD = {ROBUST: _robust_claims, CALL: _call_claims, ONE: _one_claims, FDR: _fdr_claims} | {
    COVERAGE: _coverage_claims
}
"""Claims of the simulations of `robust`."""


def table_in_words(name: str) -> str:
    """The table of a recorded full run for the page, and the command that made it."""
    frame, about = load_table(name, RESULTS)
    tables = {ROBUST: robust_table, CALL: call_table, ONE: one_table, FDR: fdr_table}
    tables |= {COVERAGE: coverage_table}
    return (
        f"{tables[name](frame)} Recorded {about['created'][:10]} by `python -m validation figures --paper "
        f"inference --scale full`.\n\n{failing_in_words(name, frame)}\n"
    )


def failing_in_words(name: str, frame: pd.DataFrame) -> str:
    """Which cells of a table are above the level that is asked for, up to the error of the simulation."""
    if name == COVERAGE:
        off = frame[~frame["held"].between(LEAST_HELD, MOST_HELD)]
        cells = [f"{row.estimator}, {row.design}, {row.method} ({row.held:.3f})" for row in off.itertuples()]
        listed = ", ".join(cells).replace("(0.", "(.") or "none"
        return f"Outside {LEAST_HELD:g} to {MOST_HELD:g}: {listed}."
    column, level = (
        ("fdr", RATE) if name == FDR else ("more_than_one", MOST) if name == ONE else ("below_0.05", MOST)
    )
    null = frame[frame["delta"] == 0] if name in (ONE, CALL) else frame
    above = null[null[column] > level]
    if above.empty:
        return (
            f"No cell without groups is above {level:g}." if name != FDR else f"No rate is above {level:g}."
        )
    cells = [f"{_cell_name(row)} ({row[column]:.3f})" for _, row in above.iterrows()]
    return f"Above {level:g}: " + ", ".join(cells).replace("(0.", "(.") + "."


def _cell_name(row: pd.Series) -> str:
    """A cell by its test and noise, or a design by its noise and groups."""
    if "method" in row:
        sigma = f", {row['sigma']} noise" if "sigma" in row else ""
        return f"{row['method']} on {row['noise']}{sigma}"
    return row["noise"] + (f", groups {row['delta']:g} apart" if row["delta"] else "")


def claims(name: str, frame: pd.DataFrame) -> list[Claim]:
    """What the papers prove, in the numbers of a run."""
    if name == LEVEL:
        rows = zip(frame["method"], frame["ks_p"], frame["naive_below_0.05"], strict=True)
        return [
            Claim(
                f"{method}: p-values are uniform without groups (KS test not rejected at 1 %)",
                f"KS p = {ks:.3f}; naive test below .05 in {naive:.1%}",
                bool(ks > 0.01),
            )
            for method, ks, naive in rows
        ]
    if name == SETS:
        wrong = int(frame["disagreements"].sum())
        return [
            Claim(
                "the set holds the data with the same steps, no others", f"{wrong} disagreements", not wrong
            )
        ]
    if name in HELD:
        return HELD[name](frame)
    if name == NOISE:
        known = frame[frame["sigma"] == "known"]
        levels = ", ".join(f"{level:.3f}" for level in known["level"])
        held = bool((known["level"] < 0.05 + 4 * np.sqrt(0.05 * 0.95 / known["samples"])).all())
        return [Claim("known noise: the level is .05 up to the error of the simulation", levels, held)]
    largest = frame.loc[frame["delta"] == frame["delta"].max()]
    grows = [
        (design, method, float(group["power"].iloc[0]))
        for (design, method), group in largest.groupby(["design", "method"], sort=False)
    ]
    return [
        Claim(f"{design}, {method}: power at the largest delta exceeds one half", f"{power:.2f}", power > 0.5)
        for design, method, power in grows
    ]


def make_section(name: str, result: Result, folder: Path) -> Section:
    """A section with a simulation of this run beside the full run."""
    full, about = load_table(name, folder)
    here = result.frames[name]
    pictures = (
        (Picture("This run", to_svg(result.figures[name], f"{name}-picture")),)
        if name in result.figures
        else ()
    )
    return Section(
        TITLES[name],
        name,
        TEXTS[name],
        pictures=pictures,
        tables=(
            claim_table("Claims, by the full run", claims(name, full)),
            *(
                make_table(caption, [str(c) for c in frame.columns], frame.to_numpy(object).tolist())
                for caption, frame in (("Full run", full), ("This run", here))
            ),
        ),
        settings=SETTINGS[name],
        remarks=(origin("Full run", about),),
    )


PAPER = Paper(
    name="inference",
    title="inference",
    place=6,
    figures={name.removeprefix("inference-"): partial(run, name) for name in RUNS},
    section_makers={name: partial(make_section, name) for name in RUNS},
    captions=TITLES,
    pages={"figures": "inference-figures.html"},
)
