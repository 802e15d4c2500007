"""Self-organising maps for Table 3: the schedules that were tried. The paper states none."""

from dataclasses import dataclass

import numpy as np
from minisom import MiniSom
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
RATE = 0.5
"""Learning rate of the online maps at the start of a phase."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a map is trained.

    Attributes
    ----------
    text : str
        The schedule in words.
    phases : tuple of (first, last, epochs)
        Radii of the neighbourhood in nodes, None for half the side of the map, and passes over the rows. An
        online phase has MiniSom's decay, from the first radius to a third of it, whatever `last`.
    batch : bool
        Whether all rows move the nodes together, else one row after the other by MiniSom.
    axes : bool
        Whether nodes begin on the plane of the first two principal axes, else at the rows drawn for the run.
    lattice : {"hexagonal", "rectangular"}
        Neighbours of a node.
    """

    text: str
    phases: tuple[tuple[float | None, float | None, int], ...]
    batch: bool = False
    axes: bool = False
    lattice: str = "hexagonal"


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

    Parameters
    ----------
    schedule : Schedule
        How.
    X : ndarray of shape (n, p)
        Data.
    nodes : ndarray of shape (side ** 2, p)
        Rows drawn for the run.
    seed : int
        Seed of the order of the rows.

    Returns
    -------
    labels : ndarray of shape (n,)
        Nearest node of each row.
    error : float
        Quantisation error, the mean distance of a row to its node, in the unit of X.
    """
    side = round(len(nodes) ** 0.5)
    if schedule.axes:
        nodes = _on_axes(X, side)
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
    """Nodes after one batch step for each radius: means of the rows, weighted by the neighbourhood."""
    side = round(len(nodes) ** 0.5)
    row, column = np.divmod(np.arange(side**2), side)
    place = np.column_stack([column + 0.5 * (row % 2), row * 0.75**0.5])
    apart = _distances(place, place)
    for radius in radii:
        nearest = _distances(X, nodes).argmin(axis=1)
        near = np.exp(-((apart[:, nearest] / radius) ** 2) / 2)
        total = near.sum(axis=1, keepdims=True)
        nodes = np.where(total > 1e-12, near @ X / np.maximum(total, 1e-12), nodes)
    return nodes


def _on_axes(X: FloatArray, side: int) -> FloatArray:
    """Nodes evenly spaced up to two standard deviations along both principal axes."""
    mean = X.mean(axis=0)
    _, sizes, axes = np.linalg.svd(X - mean, full_matrices=False)
    steps = np.linspace(-2, 2, side)
    first, second = (axes[i] * sizes[i] / len(X) ** 0.5 for i in range(2))
    return (mean + steps[:, None, None] * first + steps[None, :, None] * second).reshape(side**2, -1)


def _distances(X: FloatArray, nodes: FloatArray) -> FloatArray:
    """Euclidean distances, (n, number of nodes)."""
    squares = np.square(X).sum(axis=1)[:, None] - 2 * X @ nodes.T + np.square(nodes).sum(axis=1)
    return np.sqrt(np.maximum(squares, 0))
