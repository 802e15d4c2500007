"""A run of deep embedded clustering: train autoencoders, choose the best, cluster; and its checkpoints."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from sparsek._files import check_target, remove_parts
from sparsek.core.progress import ProgressBar
from sparsek.core.steps import Array
from sparsek.methods.dec.algorithm import ClusterPlan, DECState, cluster, first_clustering
from sparsek.methods.dec.autoencoder import Pretraining, Training, pretrain
from sparsek.methods.dec.files import as_tuples, read_archive, write_archive


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of a run."""

    seeds: tuple[int, ...]  # Seeds, one for every autoencoder
    start: int = 0  # Number of the autoencoder in training, from 0
    best_start: int = 0  # Number of the best trained one
    start_errors: tuple[float, ...] = ()  # Reconstruction errors of the trained autoencoders
    current: Pretraining | None = None  # current, best: the autoencoder in training, and the best trained one
    best: Pretraining | None = None
    clustering: DECState | None = None  # State of the clustering


def run(X: Array, training: Training, plan: ClusterPlan, snapshot: Snapshot) -> Iterator[Snapshot]:
    """Continue from a snapshot to the end; yield one after every epoch and every update of the target."""
    while snapshot.start < len(snapshot.seeds):
        for state in pretrain(X, training, snapshot.seeds[snapshot.start], snapshot.current):
            check_finite(state.losses[-1][-1:], "pretrain_learning_rate")
            snapshot = replace(snapshot, current=state)
            yield snapshot
        check_finite(state.errors, "pretrain_learning_rate")
        if not snapshot.start_errors or state.errors[-1] < min(snapshot.start_errors):
            snapshot = replace(snapshot, best=state, best_start=snapshot.start)
        errors = (*snapshot.start_errors, state.errors[-1])
        snapshot = replace(snapshot, start=snapshot.start + 1, start_errors=errors, current=None)
    best, seed = snapshot.best, snapshot.seeds[snapshot.best_start]
    assert best is not None
    first = snapshot.clustering or first_clustering(X, plan, best.parameters, seed)
    for clustering in cluster(X, plan, first, seed):
        check_finite(clustering.history[-1], "learning_rate")
        snapshot = replace(snapshot, clustering=clustering)
        yield snapshot


def run_watched(
    X: Array, training: Training, plan: ClusterPlan, first: Snapshot, verbose: int
) -> Iterator[Snapshot]:
    """The snapshots of `run`, with progress bars on a terminal if asked for."""
    per_start = training.depth * training.layer_epochs + training.finetune_epochs
    hidden = None if verbose else True
    total = per_start * len(first.seeds)
    with (
        ProgressBar(desc="autoencoder", unit="epoch", total=total, disable=hidden) as epochs,
        ProgressBar(desc="clustering", unit="step", total=plan.max_iter, disable=hidden) as steps,
    ):
        for snapshot in run(X, training, plan, first):
            if snapshot.clustering is not None:
                step, _, changed = snapshot.clustering.history[-1]
                steps.set_postfix(changed=f"{changed:.4f}", refresh=False)
                steps.update(step - steps.n)
            elif snapshot.current is not None:
                done = sum(map(len, snapshot.current.losses))
                epochs.update(snapshot.start * per_start + done - epochs.n)
            yield snapshot


def check_finite(values: tuple[float, ...], name: str) -> None:
    """Raise if a loss is infinite or NaN; `name` is the learning rate to lower."""
    for value in values:
        if not np.isfinite(value):
            raise ValueError(f"the loss became {value}: lower {name}, or scale X to entries of size 1")


class CheckpointFile:
    """File with the last snapshot of a run; it is replaced as a whole, so it is never half written."""

    def __init__(self, path: str | os.PathLike[str], X: Array, parameters: Mapping[str, Any], every: float):
        self.path, self.every = check_target(path), every
        digest = hashlib.sha256(json.dumps(parameters, sort_keys=True, default=repr).encode())
        digest.update(f"{X.dtype} {X.shape}".encode())
        digest.update(X.data)
        self._fingerprint = digest.hexdigest()
        self._last = time.monotonic()

    def read(self) -> Snapshot | None:
        """The snapshot in the file, if there is one."""
        if not self.path.exists():
            return None
        values = read_archive(
            self.path, "checkpoint", [*(field.name for field in fields(Snapshot)), "fingerprint"]
        )
        if values.pop("fingerprint") != self._fingerprint:
            raise ValueError(
                f"checkpoint {str(self.path)!r} is of other data or other parameters; "
                "remove the file or name another"
            )
        try:
            for name, kind in (("current", Pretraining), ("best", Pretraining), ("clustering", DECState)):
                if values[name] is not None:
                    values[name] = kind(**{key: as_tuples(value) for key, value in values[name].items()})
            return Snapshot(**{name: as_tuples(value) for name, value in values.items()})
        except (AttributeError, TypeError) as error:
            raise ValueError(f"{str(self.path)!r} is not a checkpoint of DEC: {error}") from error

    def write(self, snapshot: Snapshot) -> None:
        """Write a snapshot if the last one is old enough."""
        if time.monotonic() - self._last < self.every:
            return
        values = {field.name: getattr(snapshot, field.name) for field in fields(snapshot)}
        for name in ("current", "best", "clustering"):
            values[name] = values[name] and asdict(values[name])
        write_archive(self.path, "checkpoint", values | {"fingerprint": self._fingerprint})
        self._last = time.monotonic()

    def remove(self) -> None:
        """Remove the file, and parts that interrupted writes may have left."""
        self.path.unlink(missing_ok=True)
        remove_parts(self.path)
