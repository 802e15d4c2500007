"""One model for each table: the difference of all its data sets together, by random effects."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from statsmodels.stats.meta_analysis import combine_effects

from validation.papers.shared.margins import MARGINS
from validation.papers.shared.verdict_tables import Layout
from validation.papers.shared.verdicts import (
    FEWEST,
    Verdict,
    as_family,
    judge_estimate,
)


class Joint(NamedTuple):
    """The numbers of one method in a table, judged together.

    Attributes
    ----------
    name : str
        Method.
    measure : str
        What is printed, in words.
    n : int
        Data sets, or other cells.
    verdict : Verdict
        On the mean difference; its P-value is adjusted for the methods of the table.
    heterogeneity : float
        Standard deviation of the true differences between data sets (tau), in the unit of the measure.
    p_heterogeneity : float
        P of Cochran's Q, if the true difference were the same everywhere.
    """

    name: str
    measure: str
    n: int
    verdict: Verdict
    heterogeneity: float
    p_heterogeneity: float

    @property
    def numbers(self) -> str:
        """The model in figures."""
        found = self.verdict
        digits = 1 if found.margin >= 1 else 4 if found.margin < 0.05 else 3
        low, high = (f"{end:+.{digits}f}" for end in (found.low, found.high))
        tau = f"{self.heterogeneity:.{min(digits, 3)}f}"
        text = f"{found.estimate:+.{digits}f} ({low} to {high}), tau {tau}"
        return text if digits == 1 else text.replace("0.", ".")


def pool(
    name: str, measure: str, differences: Sequence[float], errors: Sequence[float], margin: float
) -> Joint:
    """The mean difference of several cells, with its heterogeneity.

    Random effects with the variance between cells by Paule and Mandel, and the error of the mean by Hartung
    and Knapp, never smaller than the usual one (statsmodels' ``combine_effects``).

    Parameters
    ----------
    name, measure : str
        For `Joint`.
    differences, errors : sequence of float
        Our number minus the printed one in each cell, and its standard error under no difference.
    margin : float
        Largest mean difference that counts as none, in the unit of the measure.

    Returns
    -------
    Joint
        Not adjusted for other methods.
    """
    values, variances = np.asarray(differences, float), np.asarray(errors, float) ** 2
    n = len(values)
    if n < FEWEST:
        raise ValueError(f"a joint model needs {FEWEST} cells; {name} has {n}")
    with np.errstate(divide="ignore", invalid="ignore"):  # differences that are all equal: a share of 0 / 0
        found = combine_effects(values, variances, method_re="iterated", use_t=True)
    error = float(found.sd_eff_w_re * max(1.0, found.scale_hksj_re) ** 0.5)
    verdict = judge_estimate(float(found.mean_effect_re), error, n - 1, margin)
    return Joint(
        name,
        measure,
        n,
        verdict,
        float(max(found.tau2, 0.0)) ** 0.5,
        float(found.test_homogeneity().pvalue),
    )


def join_methods(judged: pd.DataFrame, group: str, measure: str, margin: float) -> list[Joint]:
    """The models of a table, one for each method whose numbers are judged in `FEWEST` cells or more.

    Parameters
    ----------
    judged : DataFrame
        From `with_verdicts`.
    group : str
        Column that names the method.
    measure : str
        What is printed, in words.
    margin : float
        Largest mean difference that counts as none.

    Returns
    -------
    list of Joint
        In the order of the table; their P-values are adjusted together, by Holm's rule.
    """
    known = judged[judged["word"].ne("") & np.isfinite(judged["error"]) & judged["error"].gt(0)]
    models = [
        pool(str(name), measure, rows["difference"].tolist(), rows["error"].tolist(), margin)
        for name, rows in known.groupby(group, sort=False)
        if len(rows) >= FEWEST
    ]
    family = as_family([model.verdict for model in models])
    return [model._replace(verdict=verdict) for model, verdict in zip(models, family, strict=True)]


def joint_models(judged: pd.DataFrame, layout: Layout, without: str = "") -> list[Joint]:
    """The joint models of a judged table, by its layout; without a row if one is named."""
    if not layout.joint:
        return []
    named = layout.named(judged)
    named = named[named["row"] != without]
    names = named[list(layout.joint)].astype(str).agg(" ".join, axis=1)
    return join_methods(named.assign(joint=names), "joint", layout.measure, MARGINS[layout.margin].value)
