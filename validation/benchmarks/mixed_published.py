"""The examples that kmodes, clustMixType and VarSelLCM publish: printed numbers, those found, and ours.

Sources: kmodes, tests of the soybean data; Szepannek (2018), The R Journal 10 (2), section "Example"; the
vignette of VarSelLCM 2.1.3.1.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, rand_score

from validation.benchmarks.mixed_page import OURS
from validation.benchmarks.mixed_tables import Table, in_r, soybean

HOLE = "heart with a hole"
"""The table of the vignette of VarSelLCM."""


def published(known: dict[str, Table], folder: Path, find: Any, kmodes: Path | None) -> pd.DataFrame:
    """The printed numbers of the packages' own examples, those of the packages here, and ours beside."""
    rows: list[dict[str, Any]] = []

    def add(example: str, quantity: str, printed: str, found: str, name: str = "") -> None:
        index = rand_score if quantity == "Rand index" else adjusted_rand_score
        mine = {}
        for method in OURS if name else ():
            one = find(method, name, known[name])
            mine[method] = "" if one["problem"] else f"{index(known[name].truth, one['labels'].split()):.3f}"
        rows.append({"example": example, "quantity": quantity, "printed": printed, "found": found, **mine})

    for read, place in ((_of_kmodes, kmodes), (_of_clustmixtype, folder), (_of_varsellcm, folder)):
        try:
            if place is not None:
                read(known, place, add)
        except (ImportError, FileNotFoundError, KeyError) as error:
            print(f"{read.__name__[4:]}: no published example, {error}")
    return pd.DataFrame(rows)


def _answers(package: str, folder: Path) -> dict[str, str]:
    """What a package of R answers to its example."""
    path = folder / f"published-{package}.tsv"
    if not path.exists():
        in_r("published", folder, package, path)
    lines = pd.read_csv(path, keep_default_na=False, dtype=str)
    return dict(zip(lines["quantity"], lines["value"], strict=True))


def _of_kmodes(known: dict[str, Table], folder: Path, add: Any) -> None:
    """The labels in kmodes' tests of its soybean example: the four diseases, 10, 10, 10 and 17 plants."""
    table = soybean(folder, 1)
    fitted = importlib.import_module("kmodes.kmodes").KModes
    for name, model in (
        ("Huang", fitted(4, n_init=2, init="Huang", random_state=42)),
        ("Cao", fitted(4, init="Cao")),
    ):
        labels = model.fit_predict(table.frame.astype(int).to_numpy())
        counts = pd.crosstab(table.truth, labels).max(axis=1)
        add(f"kmodes, soybean, {name}", "plants of D1 to D4 in a cluster of their own", "10 10 10 17",
            " ".join(map(str, counts)))  # fmt: skip
        add(f"kmodes, soybean, {name}", "adjusted Rand index", "1.000",
            f"{adjusted_rand_score(table.truth, labels):.3f}", "soybean")  # fmt: skip


def _of_clustmixtype(known: dict[str, Table], folder: Path, add: Any) -> None:
    """Output 1 and the Rand index of Szepannek (2018)."""
    answers, table = _answers("clustMixType", folder), known["kproto"]
    rand = rand_score(table.truth, answers["labels"].split())
    add("clustMixType, two numbers and two factors", "lambda", "5.52477", f"{float(answers['lambda']):.5f}")
    add("clustMixType, two numbers and two factors", "cluster sizes", "100 95 101 104", answers["sizes"])
    add("clustMixType, two numbers and two factors", "within cluster error", "1192.034",
        f"{float(answers['error']):.3f}")  # fmt: skip
    add("clustMixType, two numbers and two factors", "Rand index", "0.870", f"{rand:.3f}", "kproto")


def _of_varsellcm(known: dict[str, Table], folder: Path, add: Any) -> None:
    """The vignette: the first answer is missing."""
    heart = known["heart"]
    frame = heart.frame.copy()
    frame.iloc[0, 0] = np.nan
    table = known[HOLE] = Table(frame, heart.truth)
    answers = _answers("VarSelLCM", folder)
    for kind, printed_bic, printed_ari in (("without", "-6516.216", "0.222"), ("with", "-6509.506", "0.266")):
        ari = adjusted_rand_score(table.truth, answers[f"labels_{kind}"].split())
        name = f"VarSelLCM, heart, {kind} selection"
        add(name, "BIC", printed_bic, f"{float(answers[f'bic_{kind}']):.3f}")
        add(
            name,
            "adjusted Rand index",
            printed_ari,
            f"{ari:.3f}",
            HOLE if kind == "with" else "",
        )
    add("VarSelLCM, heart, with selection", "variables that are relevant", "8 of 12",
        f"{len(answers['variables'].split())} of 12")  # fmt: skip
