"""Probabilities of the clusters of a fit, for ``sparsek fit --proba``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sparsek.cli._cells import InputError
from sparsek.cli._options import Running, Writing

N_RESAMPLES = 100


def check_proba(writing: Writing, running: Running, constraints: Path | None) -> None:
    """Refuse probabilities without a place, and for pairs of rows, which resamples would tear apart."""
    if writing.out is None and not running.as_json:
        raise InputError(
            "--proba writes a number for each row and cluster: name a folder by --out, or add --json"
        )
    if constraints is not None:
        raise InputError(
            "--proba fits resamples of the rows, and --constraints names pairs of rows that these can lack; "
            "leave one of them out"
        )


def probabilities(model: Any, frame: pd.DataFrame, running: Running) -> dict[str, Any]:
    """Where they are from, and the numbers by row and cluster."""
    if hasattr(model, "predict_proba"):
        return {"from": "predict_proba of the method", "values": model.predict_proba(frame)}
    from sparsek import FitUncertainty

    sure = FitUncertainty(
        model, n_resamples=N_RESAMPLES, n_jobs=running.n_jobs, random_state=running.seed, verbose=1
    )._of_fit(model, frame)
    return {"from": f"shares of {N_RESAMPLES} bootstrap resamples", "values": sure.membership_}
