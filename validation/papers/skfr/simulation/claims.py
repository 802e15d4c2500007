"""Claims of the SKFR paper's text on its tables and figures, compared with our medians."""

import numpy as np
import pandas as pd

from validation.papers.shared.claims import Claim
from validation.papers.skfr.simulation.designs import R_SPARCL

LOW = 0.5  # a median ARI below this is called a failure
PAR = 0.02  # such medians of ARI count as equal: half the interval of a 30-trial median
OVER = 400  # nonzero weights of SKM at p = 1000, as printed
GAP_RANGE = (15, 17)
GAP_SHARE = 0.9


def line(summary: pd.DataFrame, experiment: str, method: str, measure: str = "ari") -> pd.Series:
    """The medians of one method by number of features."""
    chosen = (summary["experiment"] == experiment) & (summary["method"] == method)
    return summary[chosen & (summary["measure"] == measure)].set_index("n_features")["median"]


def below(medians: pd.Series) -> int | None:
    """The number of features from which all medians of ARI are below one half."""
    high = medians.index[medians >= LOW]
    rest = medians.index[medians.index > high.max()] if len(high) else medians.index
    return int(rest.min()) if len(rest) else None


def _below_text(medians: pd.Series) -> str:
    """The result of `below` in words."""
    size = below(medians)
    ends = f"{medians.iloc[0]:z.2f} at p = {medians.index[0]}, {medians.iloc[-1]:z.2f} at {medians.index[-1]}"
    return f"{ends}; " + ("never below 0.5 for good" if size is None else f"below 0.5 from p = {size} on")


def _deteriorates(text: str, medians: pd.Series) -> Claim:
    """A claim that a method fails as the number of features grows."""
    return Claim(text, f"median ARI {_below_text(medians)}", below(medians) is not None)


def _performs_well(text: str, medians: pd.Series) -> Claim:
    """A claim that a method does not fail at any number of features."""
    least = medians.idxmin()
    return Claim(text, f"smallest median ARI {medians[least]:.2f}, at p = {least}", medians[least] >= LOW)


def _not_worse(text: str, better: pd.Series, worse: pd.Series, slack: float = PAR) -> Claim:
    """A claim that one method's ARI is at least another's at every number of features."""
    difference = better - worse
    least = difference.idxmin()
    measured = f"smallest difference of the medians {difference[least]:+.3f}, at p = {least}"
    return Claim(text, measured, bool(difference[least] >= -slack))


def clean_claims(summary: pd.DataFrame) -> list[Claim]:
    """Claims on Figure 2 without outliers."""
    skfr, lloyd, skm = (line(summary, "clean", method) for method in ("SKFR1", "Lloyd", "SKM"))
    rates = [line(summary, "clean", "SKFR1", rate) for rate in ("fpr", "fnr")]
    wrong = [f"{p} (FPR {rates[0][p]:.3f}, FNR {rates[1][p]:.2f})" for p in skfr.index if rates[1][p] > 0]
    claims = [
        _deteriorates("Lloyd's k-means deteriorates as the number of noise features grows", lloyd),
        _performs_well("SKFR performs well without outliers", skfr),
        _performs_well("SKM performs well without outliers", skm),
        _not_worse("without outliers SKFR is not below Lloyd at any p", skfr, lloyd),
        Claim(
            "SKFR: median FPR and FNR are 0 at every p",
            f"both are 0 except at p = {', '.join(wrong)}" if wrong else "both are 0 at every p",
            not wrong,
        ),
    ]
    return claims + _nonzero_claims(summary, "SKM", "SKM") + _nonzero_claims(summary, R_SPARCL, "R's sparcl")


def _nonzero_claims(summary: pd.DataFrame, method: str, name: str) -> list[Claim]:
    """Claims on the number of positive weights of sparse k-means."""
    nonzero = line(summary, "clean", method, "n_nonzero")
    bounds = (20, 20, "all 20 weights are nonzero"), (1000, OVER + 1, f"more than {OVER} weights are nonzero")
    return [
        Claim(f"{name} at p = {p}: {text}", f"median {nonzero[p]:.0f} of {p}", bool(nonzero[p] >= least))
        for p, least, text in bounds
        if p in nonzero.index
    ]


def outlier_claims(summary: pd.DataFrame) -> list[Claim]:
    """Claims on Figure 2 with outliers."""
    skfr = line(summary, "outliers", "SKFR1")
    others = ("Lloyd", "SKM", "geometric k-medians")
    order = [
        _not_worse(
            f"with outliers SKFR is not below {name} at any p", skfr, line(summary, "outliers", name), 0.0
        )
        for name in others
    ]
    medians = line(summary, "outliers", "geometric k-medians")
    return [*order, _deteriorates("the geometric k-median algorithm deteriorates severely", medians)]


def rate_claims(summary: pd.DataFrame) -> list[Claim]:
    """Claims on Table 2: the rates of SKFR1 and SKM."""
    claims = []
    for rate in ("fpr", "fnr"):
        ours, theirs = (line(summary, "outliers", method, rate) for method in ("SKFR1", "SKM"))
        ahead = [f"{p}" for p in ours.index if ours[p] < theirs[p]]
        text = f"SKFR1 has the smaller {rate.upper()} than SKM in every outlier setting"
        measured = f"smaller at p = {', '.join(ahead) or 'none'}"
        claims.append(Claim(text, measured, len(ahead) == len(ours)))
    return claims


def subset_claims(summary: pd.DataFrame) -> list[Claim]:
    """Claims on Figure 3, left."""
    skfr, lloyd, skm = (line(summary, "subsets", method) for method in ("SKFR2", "Lloyd", "SKM"))
    large = skfr.index.max()
    gain = skfr[large] - skm[large]
    return [
        _deteriorates("Lloyd's k-means deteriorates", lloyd),
        Claim(
            "SKM outperforms Lloyd's k-means significantly (where p is large)",
            f"medians at p = {large}: {skm[large]:z.2f} and {lloyd[large]:z.2f}",
            bool(skm[large] > lloyd[large] + PAR),
        ),
        _not_worse("SKFR2 is at least on a par with SKM at every p", skfr, skm),
        Claim(
            "SKFR2 outperforms SKM when p is large enough",
            f"difference of the medians at p = {large}: {gain:+.2f}",
            bool(gain > PAR),
        ),
    ]


def missing_claims(summary: pd.DataFrame) -> list[Claim]:
    """Claims on Figure 3, right."""
    skfr, kpod = (line(summary, "missing", method) for method in ("SKFR1, imputation", "k-POD"))
    high = skfr.index[skfr.index >= 100]
    observed = line(summary, "missing", "SKFR1, observed entries")
    claims = [
        _not_worse("SKFR with imputation remains competitive with k-POD", skfr, kpod),
        _deteriorates("k-POD deteriorates in high dimensions", kpod),
        _not_worse("Ours: descent on the observed entries is not below imputation", observed, skfr, 0.0),
    ]
    if len(high):
        text = "SKFR outperforms k-POD in high dimensions (p = 100 and more)"
        claims.insert(1, _not_worse(text, skfr[high], kpod[high], -PAR))
    return claims


def _quicker(text: str, ratio: pd.Series) -> Claim:
    """A claim that SKFR1 takes less time."""
    ahead = [f"{p} ({ratio[p]:.1f})" for p in ratio.index if ratio[p] > 1]
    measured = f"time of Lloyd / SKFR1 above 1 at p = {', '.join(ahead) or 'none'}"
    return Claim(text, measured, all(ratio[p] > 1 for p in ratio.index if p < 1000))


def timing_claims(table: pd.DataFrame) -> list[Claim]:
    """Claims on Table 1, from its means."""
    lloyd, skfr, sklearn = (
        table[table["method"] == name].set_index("n_features")
        for name in ("Lloyd", "SKFR1", "Lloyd, scikit-learn")
    )
    n_iter = skfr["n_iter"]
    first, last = skfr.index.min(), skfr.index.max()
    grown = f"{n_iter[first]:.1f} at p = {first}, {n_iter[last]:.1f} at p = {last}"
    return [
        _quicker("SKFR1 takes less time than Lloyd at every p but 1000", lloyd["ratio"]),
        _quicker("SKFR1 takes less time than scikit-learn's Lloyd at every p but 1000", sklearn["ratio"]),
        Claim("the iterations of SKFR1 grow with p", grown, bool(n_iter[last] > 1.5 * n_iter[first])),
        Claim(
            "at p = 1000 Lloyd stops after about 2 iterations",
            f"{lloyd['n_iter'][last]:.1f} at p = {last}",
            bool(last == 1000 and lloyd["n_iter"][last] < 3),
        ),
    ]


def gap_claims(chosen: dict[int, list[int]]) -> list[Claim]:
    """Claims on Figure 1, from the numbers of features with the largest gap."""
    low, high = GAP_RANGE
    claims = []
    for p, values in chosen.items():
        near = int(np.sum([low <= value <= high for value in values]))
        text = (
            f"p = {p}: the largest gap is near the true 15 (at {low} to {high} in at least 9 of 10 data sets)"
        )
        measured = f"{near} of {len(values)} data sets; at {', '.join(map(str, values))}"
        claims.append(Claim(text, measured, near >= GAP_SHARE * len(values)))
    return claims
