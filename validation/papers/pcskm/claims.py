"""Claims of the PCSKM paper's text on its figures, compared with our means."""

import numpy as np
import pandas as pd

from validation.papers.pcskm.dependent import ALL, compare
from validation.papers.pcskm.designs import (
    CONDITIONS,
    CONTAMINATED,
    DATA,
    FIGURE_1,
    MAZES,
    METHODS,
    STARTS,
    SYNTHETIC,
)
from validation.papers.pcskm.summary import case_means, compare_kinds, compare_methods
from validation.papers.shared.claims import Claim
from validation.papers.shared.verdicts import EQUIVALENT, WITHIN

PRINTED_P = {"LKM": 1e-10, "SKM": 1e-10, "PCKM": 1e-10, "MPCKM": 1e-3}
CLOSE = 0.05  # F-scores this close are called close: several standard errors of a mean over the percentages
PAR = 0.02  # scores this close are called equal
NEAR_ZERO = 0.02  # weight shares below this are called near zero
DIGITS = ("digits048", "digits389")
CLEAR = ("ionosphere", "digits048")
SEEDED = ("fisheriris", "digits389", "mwm_ttscst")
CONSTRAINED = ("PCKM", "MPCKM", "PCSKM")
PAPER_ROWS = (("seeding", "both"), ("dkm++", "both"), ("dkm++", "ml"), ("dkm++", "cl"))


def score_claims(table: pd.DataFrame) -> list[Claim]:
    """Figures 1, 3 and 4.

    Parameters
    ----------
    table : DataFrame
        From `summarise_scores`. If data sets are missing, so are the claims on them or on all data sets.

    Returns
    -------
    list of Claim
        In the order of the paper's text.
    """
    cases = case_means(table)
    complete = len(cases) == len(FIGURE_1) * len(CONDITIONS)
    return [
        *([*_method_tests(cases), *_kind_tests(cases), *_overall(cases)] if complete else []),
        *_clear_advantage(table, cases),
        *_seeding(cases),
        *_must_links(cases),
        *_synthetic(table),
    ]


def _method_tests(cases: pd.DataFrame) -> list[Claim]:
    """The paper's comparisons over 60 cases, and those of single starts."""
    found, printed = compare(cases), compare_methods(cases)
    claims = []
    for method, (median, p) in printed.items():
        text = (
            f"PCSKM is better than {method} over all cases (the paper: Wilcoxon, p < {PRINTED_P[method]:g})"
        )
        judged = found[ALL, method]
        claims.append(
            Claim(text, f"{judged.text}; Wilcoxon: median {median:+.3f}, p = {p:.1e}", judged.ahead)
        )
    for start in ("robin", "maximin"):
        tests = {method: found[start, method] for method in printed}
        measured = ", ".join(f"{method} {one.verdict.estimate:+.3f}" for method, one in tests.items())
        text = f"{STARTS[start]} leads to similar conclusions: PCSKM is better than each"
        missed = [f"{method} {one.verdict.text}" for method, one in tests.items() if not one.ahead]
        measured += f"; not shown: {', '.join(missed)}" if missed else ""
        claims.append(Claim(text, measured, not missed))
    return claims


def _kind_tests(cases: pd.DataFrame) -> list[Claim]:
    """The paper's comparisons of the kinds of constraints."""
    found, printed = compare(cases), compare_kinds(cases)
    texts = {
        ("cl", "ml"): "cannot-links are better than must-links (the paper: p < 0.01)",
        ("both", "ml"): "both kinds are better than must-links (the paper: p < 0.001)",
        ("cl", "both"): "cannot-links and both kinds do not differ (the paper: p > 0.1)",
    }
    claims = []
    for pair, text in texts.items():
        one, (median, p) = found[pair], printed[pair]
        holds = one.verdict.word in (EQUIVALENT, WITHIN) if pair == ("cl", "both") else one.ahead
        claims.append(Claim(text, f"{one.text}; Wilcoxon: median {median:+.3f}, p = {p:.1e}", holds))
    return claims


def _overall(cases: pd.DataFrame) -> list[Claim]:
    """PCSKM is best in most cases, and close to the best in the others."""
    lead = cases["PCSKM"] - cases.drop(columns="PCSKM").max(axis=1)
    n_best, n_close = int((lead >= 0).sum()), int((lead >= -CLOSE).sum())
    data, start, kind = lead.idxmin()
    where = f"{DATA[data].title}, {STARTS[start]}, {kind}"
    gain = (cases["PCSKM"] - cases["SKM"]).xs("both", level="kind")
    least = gain.groupby("data").mean()
    return [
        Claim("PCSKM is the best in most cases", f"in {n_best} of {len(lead)}", n_best > len(lead) / 2),
        Claim(
            "where it is not, it is close to the best",
            f"at most {CLOSE} below in {n_close} of {len(lead)}; furthest {lead.min():+.3f} ({where})",
            n_close == len(lead),
        ),
        Claim(
            "constraints (both kinds) improve PCSKM over SKM on every data set",
            f"smallest mean gain {least.min():+.3f} ({DATA[least.idxmin()].title})",
            bool((least > 0).all()),
        ),
    ]


def _clear_advantage(table: pd.DataFrame, cases: pd.DataFrame) -> list[Claim]:
    """PCSKM leads by more than two standard errors in all rows of Figure 1."""
    leads, errors = case_means(table, "pcskm_lead"), case_means(table, "lead_se")
    claims = []
    for name in _there(cases, CLEAR):
        rows = [(name, *row) for row in PAPER_ROWS]
        others = [cases.loc[row].drop("PCSKM").idxmax() for row in rows]
        found = [
            (leads.loc[row, best], errors.loc[row, best]) for row, best in zip(rows, others, strict=True)
        ]
        measured = ", ".join(
            f"{lead:+.3f} ± {se:.3f} to {best}" for (lead, se), best in zip(found, others, strict=True)
        )
        text = f"{DATA[name].title}: PCSKM has a clear advantage (all four rows of Figure 1)"
        claims.append(Claim(text, measured, all(lead > 2 * se for lead, se in found)))
    return claims


def _seeding(cases: pd.DataFrame) -> list[Claim]:
    """The effect of Seeding on MPCKM."""
    claims = []
    for name in _there(cases, SEEDED):
        seeded, other = (cases.loc[(name, start, "both"), "MPCKM"] for start in ("seeding", "dkm++"))
        text = f"{DATA[name].title}: MPCKM gains from Seeding, compared to DKM++"
        claims.append(Claim(text, f"{seeded:.3f} and {other:.3f}", seeded > other))
    for name in _there(cases, FIGURE_1):
        row = cases.loc[(name, "seeding", "both")]
        difference = row["MPCKM"] - row["PCSKM"]
        behind = name in CLEAR
        order = "below" if behind else "at least on a par with"
        text = f"{DATA[name].title}: with Seeding MPCKM is {order} PCSKM"
        holds = difference < -PAR if behind else difference >= -PAR
        claims.append(Claim(text, f"difference {difference:+.3f}", bool(holds)))
    return claims


def _must_links(cases: pd.DataFrame) -> list[Claim]:
    """Must-links alone against no constraints and both kinds; the paper does not say which it means."""
    found = cases.drop("seeding", level="start").groupby(["data", "kind"])[list(METHODS)].mean()
    alone, both = found.xs("ml", level="kind"), found.xs("both", level="kind")
    none = alone.assign(PCKM=alone["LKM"], MPCKM=alone["LKM"], PCSKM=alone["SKM"])
    claims = []
    for name in _there(cases, FIGURE_1):
        for reading, reference in (("no constraints", none), ("both kinds", both)):
            changes = (alone - reference).loc[name, list(CONSTRAINED)]
            measured = ", ".join(f"{method} {change:+.3f}" for method, change in changes.items())
            digits = name in DIGITS
            effect = "do no harm" if digits else "harm every method"
            text = f"{DATA[name].title}: must-links alone {effect}, compared to {reading}"
            holds = (changes >= -PAR).all() if digits else (changes < 0).all()
            claims.append(Claim(text, measured, bool(holds)))
    only = cases.xs("ml", level="kind")
    ahead = [(only["PCSKM"] - only[method]).mean() for method in ("MPCKM", "PCKM")]
    measured = f"by {ahead[0]:.3f} and {ahead[1]:.3f} on average over {len(only)} cases"
    text = "PCSKM copes with must-links much better than MPCKM and PCKM"
    return [*claims, Claim(text, measured, min(ahead) > CLOSE)]


def _synthetic(table: pd.DataFrame) -> list[Claim]:
    """All methods score equally if clusters are distinct."""
    chosen = table[table["data"].isin(SYNTHETIC)]
    if chosen.empty:
        return []
    means = chosen.groupby(["data", "method"])["f_score"].mean()
    text = "all methods do equally well on the synthetic sets"
    measured = f"mean F-scores from {means.min():.3f} ({means.idxmin()[1]}) to {means.max():.3f}"
    return [Claim(text, measured, bool(means.max() - means.min() <= CLOSE))]


def _there(cases: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """The data sets that were run."""
    return [name for name in names if name in cases.index.get_level_values("data")]


def weight_claims(shares: pd.DataFrame) -> list[Claim]:
    """Figures 2, 5, 6 and 7.

    Parameters
    ----------
    shares : DataFrame
        From `summarise_shares`; data sets may be missing.

    Returns
    -------
    list of Claim
        In the order of the paper's text.
    """
    clean = shares[shares["data"].isin((*SYNTHETIC, *MAZES))]
    both, single = clean[clean["kind"] == "both"], clean[clean["kind"] != "both"]
    return [
        *_ignored("the weights of uninformative features are near zero", both),
        _steady(both),
        _used("MPCKM uses the uninformative features", both),
        *_ignored("the same with must-links or cannot-links alone", single),
        _used("MPCKM uses them with must-links or cannot-links alone, too", single),
        *_contaminated(shares[shares["data"].isin(CONTAMINATED)]),
    ]


def _ignored(text: str, shares: pd.DataFrame) -> list[Claim]:
    """The weight share of the uninformative features is near zero in every case, at every s."""
    claims = []
    for method in ("SKM", "PCSKM"):
        rows = shares[shares["method"] == method].reset_index()
        worst = rows.loc[rows["largest_over_s"].idxmax()]
        where = f"{DATA[worst['data']].title}, {STARTS[worst['start']]}, {worst['kind']}"
        measured = (
            f"share at most {rows['share'].max():.4f} on average over s, "
            f"{worst['largest_over_s']:.4f} at the worst s ({where})"
        )
        claims.append(Claim(f"{method}: {text}", measured, bool(worst["largest_over_s"] <= NEAR_ZERO)))
    return claims


def _steady(shares: pd.DataFrame) -> Claim:
    """The weight share does not depend on the number of constraints."""
    rows = shares[shares["method"] == "PCSKM"].groupby(["data", "start"])["share"]
    spread = float((rows.max() - rows.min()).max())
    text = "PCSKM: feature selection does not depend on the number of constraints"
    return Claim(text, f"the share changes by at most {spread:.4f}", spread <= NEAR_ZERO)


def _used(text: str, shares: pd.DataFrame) -> Claim:
    """The uninformative features have at least half of their weight share under equal weights."""
    rows = shares[shares["method"] == "MPCKM"].reset_index()
    relative = rows["share"] / rows["equal_weights"]
    low, high = rows["share"].min(), rows["share"].max()
    measured = f"share {low:.2f} to {high:.2f}, at least {relative.min():.2f} times that of equal weights"
    return Claim(f"{text} in all cases", measured, bool(relative.min() >= 0.5))


def _contaminated(shares: pd.DataFrame) -> list[Claim]:
    """Claims on Figure 7."""
    if shares.empty:
        return []
    ours = shares.loc[shares["method"] == "PCSKM", "share"].max()
    theirs = shares[shares["method"] == "MPCKM"]
    each = (theirs["share"] / 4) / ((1 - theirs["share"]) / 16)
    return [
        Claim(
            "digits with 4 exponential features: PCSKM gives them weight 0",
            f"share at most {ours:.5f}",
            bool(ours < 0.001),
        ),
        Claim(
            "digits with 4 exponential features: MPCKM gives them more weight than the others",
            f"{each.min():.1f} to {each.max():.1f} times the mean weight of the others",
            bool(np.all(each > 1)),
        ),
    ]
