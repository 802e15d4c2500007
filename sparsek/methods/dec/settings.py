"""Parameters of deep embedded clustering: sizes of layers, and defaults that depend on the data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from sparsek.core.steps import Array
from sparsek.inputs.arguments import Described, count
from sparsek.methods.dec.algorithm import ClusterPlan
from sparsek.methods.dec.autoencoder import Training
from sparsek.methods.dec.optimizers import Rule

LARGE = 2000
"""Number of rows from which the paper's network and update interval are the defaults."""
MOST_WEIGHTS = 2**31
"""Largest number of weights of a network, 16 GB."""
LARGE_NETWORK, SMALL_NETWORK = (500, 500, 2000), (200, 200, 500)
LARGE_INTERVAL, SMALL_INTERVAL = 140, 30
PRETRAIN_RATES = {"adam": 1e-3, "sgd": 0.1}
RATES = {"adam": 1e-3, "sgd": 0.01}
FAR = 10.0
"""A mean of a column is far from 0 if it is more than so many standard deviations away."""
SGD_DECAY = 20_000
"""Steps after which the paper divides the rate of pretraining by 10."""


def are_sizes(given: Any) -> bool:
    """Whether the value is a sequence of whole numbers of at least 1."""
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        return False
    return getattr(given, "ndim", 1) == 1 and all(count().is_satisfied_by(size) for size in given)


HiddenSizes = Annotated[Any, Described("a sequence of ints of at least 1", are_sizes, (8,), (16, 8), ())]


def hidden_sizes(given: Any, n: int) -> tuple[int, ...]:
    """Units of the hidden layers for n rows."""
    if given is None:
        return LARGE_NETWORK if n >= LARGE else SMALL_NETWORK
    return tuple(int(size) for size in given)


def make_plans(model: Any, n: int, p: int) -> tuple[Training, ClusterPlan]:
    """Settings of the autoencoder and of the clustering for n rows of p features."""
    sizes = (p, *hidden_sizes(model.hidden_sizes, n), int(model.n_components))
    n_weights = sum(before * after for before, after in pairwise(sizes))
    if n_weights > MOST_WEIGHTS:
        raise ValueError(
            f"layers of {', '.join(map(str, sizes))} units have {n_weights} weights, more than "
            f"{MOST_WEIGHTS}; lower n_components or hidden_sizes"
        )
    pretrain_rule = Rule(
        model.pretrain_optimizer,
        float(model.pretrain_learning_rate or PRETRAIN_RATES[model.pretrain_optimizer]),
        float(model.momentum),
        SGD_DECAY if model.pretrain_optimizer == "sgd" else None,
    )
    training = Training(
        sizes,
        pretrain_rule,
        int(model.layer_epochs),
        int(model.finetune_epochs),
        int(model.batch_size),
        float(model.dropout),
        bool(model.corrupt_input),
        model.weight_init,
        model.patience,
    )
    plan = ClusterPlan(
        sizes,
        int(model.n_clusters),
        Rule(model.optimizer, float(model.learning_rate or RATES[model.optimizer]), float(model.momentum)),
        float(model.alpha),
        int(model.batch_size),
        int(model.update_interval or (LARGE_INTERVAL if n >= LARGE else SMALL_INTERVAL)),
        int(model.max_iter),
        float(model.tol),
    )
    return training, plan


def far_means(X: Array) -> Array:
    """The means of the columns that lie far from 0 for their spread, and 0 for the others, (p,).

    Beside such a mean, which is in every row, the network sees no differences of rows.
    """
    exponent = int(np.frexp(float(np.abs(X).max()))[1])
    scaled = np.ldexp(X, -exponent)
    means = scaled.mean(axis=0, dtype=np.float64)
    with np.errstate(under="ignore"):
        spread = np.sqrt(np.square(scaled - means).mean(axis=0))
    far = np.where(np.abs(means) > FAR * spread, means, 0.0)
    return np.asarray(np.ldexp(far, exponent), dtype=X.dtype)


def root_mean_square(X: Array) -> tuple[float, int]:
    """Root of the mean square of all entries as (m, e), which is m 2^e with m in [1/2, 1); 1 for zeros.

    As one number it would lose digits where X is subnormal.
    """
    largest = float(np.abs(X).max())
    if largest == 0:
        return 0.5, 1
    exponent = int(np.frexp(largest)[1])
    squares = np.square(np.ldexp(X, -exponent))
    m, e = np.frexp(np.sqrt(squares.mean(dtype=np.float64)))
    return float(m), int(e) + exponent
