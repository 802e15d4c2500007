"""Gradients and optimisers of deep embedded clustering against torch's, if torch is installed.

torch is not a requirement: without it nothing is compared, and the reason is given.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from sparsek.methods.dec import algorithm as dec
from sparsek.methods.dec import autoencoder as ae
from sparsek.methods.dec.optimizers import Rule, descend, no_moments

SIZES, N, K, STEPS = (12, 20, 15, 4), 50, 5, 30
TOLERANCE = 1e-12
"""Largest difference allowed, relative to the largest entry. Sums of some hundred terms differ by 1e-15; the
steps of Adam divide by roots of mean squares, which magnifies the rounding errors of small gradients."""


def missing() -> str | None:
    """Reason why nothing can be compared; None if torch is installed."""
    return None if find_spec("torch") else "torch is not installed: pip install torch"


def _torch_layers(layers: ae.Layers) -> list[tuple[Any, Any]]:
    """Leaf tensors with copies of weights and biases."""
    import torch

    return [tuple(torch.tensor(part, requires_grad=True) for part in layer) for layer in layers]


def _torch_forward(layers: list[tuple[Any, Any]], rectify: list[bool], X: Any) -> Any:
    for (weights, bias), rectifies in zip(layers, rectify, strict=True):
        X = X @ weights + bias
        X = X.relu() if rectifies else X
    return X


def _torch_divergence(layers: list[tuple[Any, Any]], centers: Any, X: Any, p: Any, alpha: float) -> Any:
    Z = _torch_forward(layers, ae.rectified(len(layers))[: len(layers)], X)
    kernel = (1 + ((Z[:, None] - centers) ** 2).sum(-1) / alpha) ** (-(alpha + 1) / 2)
    q = kernel / kernel.sum(1, keepdim=True)
    return (p * (p / q).log()).sum() / len(X)


def _difference(ours: np.ndarray, tensors: list[Any]) -> float:
    """Largest difference from tensors, flattened, relative to their largest entry."""
    theirs = np.concatenate([tensor.detach().numpy().ravel() for tensor in tensors])
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def _autoencoder() -> float:
    """Gradient of the mean squared error of the whole network in all parameters."""
    import torch

    rng = np.random.default_rng(0)
    flat = ae.initial_parameters(ae.Training(SIZES, Rule("adam", 1e-3)), float, 0)
    gradient, X = np.empty_like(flat), rng.standard_normal((N, SIZES[0]))
    layers, rectify = ae.whole(flat, SIZES), ae.rectified(len(SIZES) - 1)
    ae.reconstruction_gradient(layers, rectify, X, X, ae.whole(gradient, SIZES))
    theirs = _torch_layers(layers)
    torch.nn.functional.mse_loss(_torch_forward(theirs, rectify, torch.tensor(X)), torch.tensor(X)).backward()
    ours = np.concatenate([part.ravel() for layer in ae.whole(gradient, SIZES) for part in layer])
    return _difference(ours, [part.grad for layer in theirs for part in layer])


def _clustering_problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Encoder and centres in one vector, data, and a target."""
    rng = np.random.default_rng(1)
    n_weights = ae.n_encoder_parameters(SIZES)
    flat = 0.3 * rng.standard_normal(n_weights + K * SIZES[-1])
    return flat, rng.standard_normal((N, SIZES[0])), rng.dirichlet(np.ones(K), N)


def _clustering(alpha: float) -> float:
    """Gradient of the divergence in the encoder and the centres."""
    import torch

    flat, X, p = _clustering_problem()
    gradient = np.empty_like(flat)
    layers, centers = dec.encoder_and_centers(flat, SIZES)
    dec.clustering_gradient(layers, centers, X, p, alpha, *dec.encoder_and_centers(gradient, SIZES))
    theirs, their_centers = _torch_layers(layers), torch.tensor(centers, requires_grad=True)
    _torch_divergence(theirs, their_centers, torch.tensor(X), torch.tensor(p), alpha).backward()
    return _difference(gradient, [part.grad for layer in theirs for part in layer] + [their_centers.grad])


def _training(rule: Rule) -> float:
    """Parameters after several steps on all rows."""
    import torch

    flat, X, p = _clustering_problem()
    gradient, moments = np.empty_like(flat), no_moments(rule, len(flat), flat.dtype)
    layers, centers = dec.encoder_and_centers(flat, SIZES)
    theirs, their_centers = _torch_layers(layers), torch.tensor(centers, requires_grad=True)
    leaves = [part for layer in theirs for part in layer] + [their_centers]
    if rule.name == "adam":
        optimizer: Any = torch.optim.Adam(leaves, lr=rule.rate)
    else:
        optimizer = torch.optim.SGD(leaves, lr=rule.rate, momentum=rule.momentum)
    views = dec.encoder_and_centers(gradient, SIZES)
    for step in range(1, STEPS + 1):
        dec.clustering_gradient(layers, centers, X, p, 1.0, *views)
        descend(rule, flat, gradient, moments, step)
        optimizer.zero_grad()
        _torch_divergence(theirs, their_centers, torch.tensor(X), torch.tensor(p), 1.0).backward()
        optimizer.step()
    return _difference(flat, leaves)


def compare() -> pd.DataFrame:
    """Largest relative difference from torch of each quantity, in double precision."""
    columns = ["quantity", "difference", "passed"]
    if missing():
        return pd.DataFrame(columns=columns)
    found = {
        "gradient of the autoencoder": _autoencoder(),
        "gradient of the clustering, alpha 1": _clustering(1.0),
        "gradient of the clustering, alpha 2.5": _clustering(2.5),
        f"{STEPS} steps of Adam": _training(Rule("adam", 1e-3)),
        f"{STEPS} steps with momentum": _training(Rule("sgd", 0.01)),
    }
    rows = [(name, value, value <= TOLERANCE) for name, value in found.items()]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    print(missing() or compare().to_string(index=False))
