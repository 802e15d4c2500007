"""Self-organising maps for Table 3: the schedules that were tried. The paper states none."""

from dataclasses import dataclass

import numpy as np
from minisom import MiniSom
from numpy.typing import NDArray

from sparsek.methods.maps.algorithm import batch_map, nodes_on_axes, places

FloatArray = NDArray[np.float64]
RATE = 0.5
"""Learning rate of the online maps at the start of a phase."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a map is trained."""

    text: str  # The schedule in words
    # Radii of the neighbourhood in nodes, None for half the side of the map, and passes over the rows. An
    # online phase has MiniSom's decay, from the first radius to a third of it, whatever `last`
    phases: tuple[tuple[float | None, float | None, int], ...]
    batch: bool = False  # Whether all rows move the nodes together, else one row after the other by MiniSom
    # Whether nodes begin on the plane of the first two principal axes, else at the rows drawn for the run
    axes: bool = False
    lattice: str = "hexagonal"  # Neighbours of a node


TWO_PHASES = ((None, None, 10), (1.0, None, 40))
BATCH_PHASES = ((None, 1.0, 10), (1.0, 0.5, 40))
USED = "SOM"
SCHEDULES = {
    USED: Schedule("online, 10 epochs from radius side / 2, 40 from radius 1", TWO_PHASES),
    "SOM, rectangular": Schedule("as used, but a rectangular lattice", TWO_PHASES, lattice="rectangular"),
    "SOM, half as long": Schedule("as used, but 5 and 20 epochs", ((None, None, 5), (1.0, None, 20))),
    "SOM, twice as long": Schedule("as used, but 20 and 80 epochs", ((None, None, 20), (1.0, None, 80))),
    "SOM, from axes": Schedule("as used, but from nodes on two principal axes", TWO_PHASES, axes=True),
    "SOM, wide": Schedule("online, 50 epochs from radius side / 2", ((None, None, 50),)),
    "SOM, narrow": Schedule("online, 50 epochs from radius 1", ((1.0, None, 50),)),
    "SOM, batch": Schedule(
        "batch, 10 epochs from side / 2 to 1, 40 from 1 to 1 / 2", BATCH_PHASES, batch=True
    ),
    "SOM, batch from axes": Schedule(
        "batch, from nodes on two principal axes", BATCH_PHASES, batch=True, axes=True
    ),
}
"""Schedules by the name of their method; the first is the one in Table 3."""


def train(schedule: Schedule, X: FloatArray, nodes: FloatArray, seed: int) -> tuple[NDArray[np.intp], float]:
    """Train a square map.

    Shapes: X (n, p), nodes (side ** 2, p); returns labels (n,).
    """
    side = round(len(nodes) ** 0.5)
    if schedule.axes:
        nodes = nodes_on_axes(_prepared(X - X.mean(axis=0)), (side, side), None) + X.mean(axis=0)
    for first, last, epochs in schedule.phases:
        start = side / 2 if first is None else first
        if schedule.batch:
            nodes = _batch(X, nodes, np.linspace(start, last or start, epochs))
        else:
            nodes = _online(X, nodes, start, epochs, schedule.lattice, seed)
    distances = _distances(X, nodes)
    return distances.argmin(axis=1), float(distances.min(axis=1).mean())


def _online(
    X: FloatArray, nodes: FloatArray, radius: float, epochs: int, lattice: str, seed: int
) -> FloatArray:
    """Nodes after a phase of MiniSom."""
    side = round(len(nodes) ** 0.5)
    grid = MiniSom(
        side, side, X.shape[1], sigma=radius, learning_rate=RATE, topology=lattice,
        decay_function="linear_decay_to_zero", random_seed=seed,
    )  # fmt: skip
    grid.get_weights()[:] = nodes.reshape(side, side, -1)
    grid.train(X, epochs * len(X), random_order=True)
    return np.asarray(grid.get_weights(), dtype=np.float64).reshape(nodes.shape)


def _batch(X: FloatArray, nodes: FloatArray, radii: FloatArray) -> FloatArray:
    """Nodes after one batch step for each radius."""
    side = round(len(nodes) ** 0.5)
    return batch_map(_prepared(X), nodes, places((side, side), "hexagonal"), radii).params.nodes


def _prepared(X: FloatArray) -> FloatArray:
    """Rows with a last column of ones, as the algorithms take them."""
    return np.column_stack([X, np.ones(len(X))])


def _distances(X: FloatArray, nodes: FloatArray) -> FloatArray:
    """Euclidean distances, (n, number of nodes)."""
    squares = np.square(X).sum(axis=1)[:, None] - 2 * X @ nodes.T + np.square(nodes).sum(axis=1)
    return np.sqrt(np.maximum(squares, 0))
