"""Which kinds of data fits, searches and tests take, by running each on each: a table for a page."""

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import sparsek as sk
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sparsek.inference import test_one_cluster

ROWS = 40
FEW = {"n_features_to_select": [2, 3]}
MODEL = sk.SKFR(2, 2, n_init=1, random_state=0)
LABELS = np.tile([0, 1], ROWS // 2)


def numbers() -> np.ndarray:
    """Counts of two clusters."""
    X = np.random.default_rng(0).poisson(1.0, size=(ROWS, 5)).astype(float)
    X[LABELS == 0, :2] += 6
    return X


def survey() -> pd.DataFrame:
    """The same with two questions that are answered in words."""
    frame = pd.DataFrame(numbers(), columns=list("abcde"))
    rng = np.random.default_rng(1)
    home = np.where(LABELS == 0, "town", "village")
    return frame.assign(home=home, pet=rng.choice(["cat", "dog"], ROWS))


def with_holes() -> np.ndarray:
    """The numbers, of which a twentieth is missing."""
    X = numbers()
    X[np.random.default_rng(2).random(X.shape) < 0.05] = np.nan
    return X


def file_of_numbers(folder: Path) -> Path:
    """The numbers in a file."""
    np.save(folder / "x.npy", numbers())
    return folder / "x.npy"


def polars_table(_: Path) -> Any:
    """The survey as a table of polars."""
    import polars

    return polars.from_pandas(survey())


def dask_array(_: Path) -> Any:
    """The numbers in chunks."""
    import dask.array

    return dask.array.from_array(numbers(), chunks=(20, 5))


KINDS: dict[str, Callable[[Path], Any]] = {
    "numbers": lambda _: numbers(),
    "categories": lambda _: survey(),
    "polars": polars_table,
    "missing values": lambda _: with_holes(),
    "sparse": lambda _: csr_array(numbers()),
    "file": file_of_numbers,
    "Dask": dask_array,
}
"""Data of each kind; those of polars have categories too."""
CALLS: dict[str, Callable[[Any], Any]] = {
    "`fit`, `predict`": lambda X: MODEL.fit(X).predict(X),
    "`explain`": lambda X: sk.explain(X, LABELS, 2, n_resamples=3),
    "`PermutationGap`": lambda X: sk.PermutationGap(
        MODEL, "n_features_to_select", [2, 3], n_permutations=2
    ).fit(X),
    "`WeakestSeparation`": lambda X: sk.WeakestSeparation(
        MODEL, {"n_clusters": [1, 2]}
    ).fit(X),
    "`PredictionStrength`": lambda X: sk.PredictionStrength(
        MODEL, {"n_clusters": [2, 3]}, n_resamples=2
    ).fit(X),
    "`SelectionConsistency`": lambda X: sk.SelectionConsistency(
        MODEL, FEW, n_resamples=3
    ).fit(X),
    "`EntryCrossValidation`": lambda X: sk.EntryCrossValidation(
        MODEL, "n_features_to_select", [2, 3], n_folds=2
    ).fit(X),
    "the same, by blocks": lambda X: sk.EntryCrossValidation(
        MODEL, "n_features_to_select", [2, 3], n_folds=2, scheme="blocks"
    ).fit(X),
    "`ThinnedSearch`": lambda X: sk.ThinnedSearch(MODEL, FEW, n_folds=2).fit(X),
    "`ModelChoice`": lambda X: sk.ModelChoice(
        MODEL,
        {"n_clusters": [1, 2]},
        "strength",
        level=0.5,
        options={"strength": {"n_resamples": 2}},
    ).fit(X),
    "`FitUncertainty`": lambda X: (
        sk.FitUncertainty(MODEL, n_resamples=3, keep_fits=True).fit(X).predict_proba(X)
    ),
    "`StabilitySelection`": lambda X: sk.StabilitySelection(MODEL, n_resamples=3).fit(X),
    "`ConsensusClustering`": lambda X: sk.ConsensusClustering(
        MODEL, (2, 3), n_resamples=9
    ).fit(X),
    "`FeatureFDR`": lambda X: sk.FeatureFDR(MODEL, 0.5, n_null=2).fit(X),
    "`inference.test_one_cluster`": lambda X: test_one_cluster(X, MODEL, (2,), n_null=2),
    "`GridSearchCV` of scikit-learn": lambda X: GridSearchCV(
        MODEL, FEW, cv=2, error_score="raise"
    ).fit(X),
}
"""What is run on them."""
UNSPLIT = "one draw of a category cannot be split into independent parts, as thinning does with numbers"
WHY: dict[tuple[str, str], str] = {
    ("`ThinnedSearch`", "categories"): UNSPLIT,
    ("`ThinnedSearch`", "polars"): UNSPLIT,
    (
        "`GridSearchCV` of scikit-learn",
        "file",
    ): "scikit-learn takes rows of X by their numbers, which the name of a file does not have",
}
"""Why a call does not take a kind of data."""


def taken(call: Callable[[Any], Any], X: Any) -> bool:
    """Whether the call ends without an error of its data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(X)
        except (ValueError, TypeError):
            return False
    return True


def found(
    calls: Iterable[str] = CALLS, kinds: Iterable[str] = KINDS
) -> dict[str, list[str]]:
    """The cells of the table, by the names of the calls; numbers of the reasons where one is not taken.

    Raises AssertionError for a cell without a reason, or a reason without such a cell.
    """
    kinds, reasons = list(kinds), list(dict.fromkeys(WHY.values()))
    table: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        for name in calls:
            table[name] = []
            for kind in kinds:
                yes, why = (
                    taken(CALLS[name], KINDS[kind](Path(folder))),
                    WHY.get((name, kind)),
                )
                assert yes == (why is None), (
                    f"{name} on {kind}: {yes}, and the reason is {why}"
                )
                table[name].append(
                    "yes" if why is None else f"no ({reasons.index(why) + 1})"
                )
    return table


def write_kinds() -> str:
    """The table and the reasons below it."""
    lines = [f"| with SKFR | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in found().items()]
    reasons = list(dict.fromkeys(WHY.values()))
    listed = "".join(
        f"{number}. {why[0].upper()}{why[1:]}.\n" for number, why in enumerate(reasons, 1)
    )
    return "\n" + "\n".join(lines) + "\n\n" + listed + "\n"
