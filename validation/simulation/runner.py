"""Runs the trials of an experiment on several processes, cell by cell, and goes on where it was
interrupted."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from sparsek.metrics import false_negative_rate, false_positive_rate, normalized_variation_of_information
from validation.simulation.designs import EXPERIMENTS, count_trials
from validation.simulation.methods import METHODS

Row = dict[str, Any]


def run_trial(experiment: str, n_features: int, method: str, trial: int) -> Row:
    """One method on one sample; the sample depends on experiment, number of features and trial only.

    Parameters
    ----------
    experiment : str
        Key of `EXPERIMENTS`.
    n_features : int
        Number p of features.
    method : str
        Key of `METHODS`.
    trial : int
        Number of the trial, from 0.

    Returns
    -------
    dict
        ARI, NVI, FPR, FNR, iterations and seconds, with what they are of.
    """
    setting = EXPERIMENTS[experiment]
    place = list(EXPERIMENTS).index(experiment)
    sample = setting.make(
        n_features=n_features, random_state=np.random.default_rng([place, n_features, trial])
    )
    with threadpool_limits(1):
        begin = time.perf_counter()
        answer = METHODS[method](sample, trial + 1, setting.n_init)
        seconds = time.perf_counter() - begin
    rated = answer.support is not None and answer.support.shape == sample.informative.shape
    return {
        "experiment": experiment,
        "n_features": n_features,
        "method": method,
        "trial": trial,
        "ari": adjusted_rand_score(sample.target, answer.labels),
        "nvi": normalized_variation_of_information(sample.target, answer.labels),
        "fpr": false_positive_rate(sample.informative, answer.support) if rated else np.nan,
        "fnr": false_negative_rate(sample.informative, answer.support) if rated else np.nan,
        "n_iter": answer.n_iter,
        "seconds": seconds,
    }


def run_cell(
    experiment: str, n_features: int, method: str, n_trials: int, folder: Path, n_jobs: int
) -> pd.DataFrame:
    """All trials of one method at one number of features; trials that `folder` holds already are not run
    again.

    Parameters
    ----------
    experiment, method : str
        What.
    n_features : int
        Number of features.
    n_trials : int
        Trials 0 to n_trials - 1.
    folder : Path
        Holds one CSV file per cell, written whole when the cell is done.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        One row per trial.
    """
    name = f"{experiment}-{n_features}-{method.replace(', ', '-').replace(' ', '_')}.csv"
    path = folder / name
    done = pd.read_csv(path) if path.exists() else pd.DataFrame()
    missing = sorted(set(range(n_trials)) - set(done["trial"] if len(done) else ()))
    if missing:
        rows = Parallel(n_jobs=n_jobs)(
            delayed(run_trial)(experiment, n_features, method, trial) for trial in missing
        )
        done = pd.concat([done, pd.DataFrame(rows)], ignore_index=True).sort_values("trial")
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".part")
        done.to_csv(temporary, index=False)
        temporary.replace(path)
    return done[done["trial"] < n_trials]


def run_experiment(
    experiment: str,
    sizes: Sequence[int],
    scale: str,
    folder: Path,
    n_jobs: int,
    methods: Iterable[str] | None = None,
) -> pd.DataFrame:
    """All cells of an experiment.

    Parameters
    ----------
    experiment : str
        Key of `EXPERIMENTS`.
    sizes : sequence of int
        Numbers of features.
    scale : {"quick", "full"}
        How many trials.
    folder : Path
        Where cells are kept.
    n_jobs : int
        Processes.
    methods : iterable of str or None
        Some of the experiment's methods; None takes all.

    Returns
    -------
    DataFrame
        One row per method, size and trial.
    """
    chosen = EXPERIMENTS[experiment].methods if methods is None else tuple(methods)
    cells = [(size, method) for size in sizes for method in chosen]
    bar = tqdm(cells, desc=experiment, unit="cell", disable=None)
    frames = [
        run_cell(experiment, size, method, count_trials(method, scale), folder, n_jobs)
        for size, method in bar
    ]
    return pd.concat(frames, ignore_index=True)
