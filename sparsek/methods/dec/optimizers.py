"""Descent rules for one flat vector of parameters: stochastic gradients with momentum, and Adam.

Parameters and moments are changed in place, in pieces that fit into the processor's cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.core.steps import Array

MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8
"""Adam's beta_1, beta_2 and epsilon: the defaults of Kingma and Ba (2015), Algorithm 1."""
PIECE = 16384
"""Number of parameters updated at a time."""
RULES = ("adam", "sgd")


@dataclass(frozen=True, slots=True)
class Rule:
    """Optimiser and its settings."""

    name: str  # Adam, or gradient descent with momentum
    rate: float  # Learning rate
    momentum: float = 0.9  # Share of the last step that is kept; "sgd" only
    # The rate is divided by 10 each time this many steps are done; None keeps it
    decay_every: int | None = None


def no_moments(rule: Rule, n_parameters: int, dtype: np.dtype) -> Array:
    """Moments before the first step: mean and mean square of the gradients (Adam), or the velocity (sgd)."""
    return np.zeros((2 if rule.name == "adam" else 1, n_parameters), dtype)


def descend(rule: Rule, parameters: Array, gradient: Array, moments: Array, step: int) -> None:
    """Make step number `step`, counted from 1, in place; `gradient` is overwritten."""
    rate = rule.rate if rule.decay_every is None else rule.rate / 10 ** ((step - 1) // rule.decay_every)
    for first in range(0, len(parameters), PIECE):
        piece = slice(first, first + PIECE)
        if rule.name == "adam":
            adam(parameters[piece], gradient[piece], moments[0, piece], moments[1, piece], step, rate)
        else:
            momentum(parameters[piece], gradient[piece], moments[0, piece], rule.momentum, rate)


def momentum(parameters: Array, gradient: Array, velocity: Array, kept: float, rate: float) -> None:
    """v = kept v + g; theta = theta - rate v."""
    velocity *= kept
    velocity += gradient
    np.multiply(velocity, rate, out=gradient)
    parameters -= gradient


def adam(parameters: Array, gradient: Array, mean: Array, square: Array, step: int, rate: float) -> None:
    """Kingma and Ba (2015), Algorithm 1."""
    mean *= MEAN_DECAY
    mean += (1 - MEAN_DECAY) * gradient
    square *= SQUARE_DECAY
    np.square(gradient, out=gradient)
    gradient *= 1 - SQUARE_DECAY
    square += gradient
    np.sqrt(square, out=gradient)
    gradient /= (1 - SQUARE_DECAY**step) ** 0.5
    gradient += EPSILON
    np.divide(mean, gradient, out=gradient)
    gradient *= rate / (1 - MEAN_DECAY**step)
    parameters -= gradient
