"""Stacked denoising autoencoder: layers trained one after the other, then all together.

The parameters are one flat vector. Block l of it holds the parameters of layer l: the encoder half, from
sizes[l] to sizes[l + 1] units, and the decoder half, back again; each half is a weight matrix and a bias. So
both a layer and the whole network are trained in place through views.

Randomness depends on (seed, stage, epoch) alone: a run continued after any epoch ends with the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from sparsek.core.steps import Array
from sparsek.methods.dec.optimizers import Rule, descend, no_moments

Layers = list[tuple[Array, Array]]
Masks = dict[int, Array]

CHUNK_ROWS = 1024
"""Number of rows sent through the network at a time."""
NORMAL_SD = 0.01
"""Standard deviation of the paper's starting weights."""
LEAST_GAIN = 1e-4
"""Smallest relative fall of the loss that counts as progress."""


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of the training of an autoencoder."""

    sizes: tuple[int, ...]  # Numbers of features, of units of every hidden layer, and of components
    rule: Rule  # Optimiser
    # layer_epochs, finetune_epochs: largest numbers of epochs of every layer, and of the whole network
    layer_epochs: int = 20
    finetune_epochs: int = 60
    batch_size: int = 256  # Largest number of rows of a batch
    # Probability with which inputs and hidden units are set to 0 while layers are trained
    dropout: float = 0.2
    corrupt_input: bool = True  # Whether the data themselves are corrupted while the first layer is trained
    weight_init: str = "glorot"  # Starting weights
    patience: int | None = None  # A stage ends after this many epochs without progress; None: never early

    @property
    def depth(self) -> int:
        """Number of layers of the encoder; also the number of the stage that trains the whole network."""
        return len(self.sizes) - 1


@dataclass(frozen=True, slots=True)
class Pretraining:
    """State of the training of an autoencoder. Later epochs change its arrays in place."""

    stage: int  # Layer in training; depth for the whole network, depth + 1 at the end
    epoch: int  # Number of completed epochs of this stage
    parameters: Array  # (n_parameters,): all parameters
    moments: Array  # (1 or 2, m): moments of the parameters in training
    losses: tuple[tuple[float, ...], ...]  # Mean loss of every epoch of every stage so far
    # Mean squared errors of the whole network, before and after it is trained, once computed
    errors: tuple[float, ...] = ()


def epoch_generator(seed: int, stage: int, epoch: int) -> np.random.Generator:
    """Generator of one epoch, counted from 1; number 0 is for the starting values."""
    return np.random.default_rng((seed, stage, epoch))


def batches(n: int, batch_size: int, rng: np.random.Generator) -> list[Array]:
    """Row numbers, shuffled and cut into the fewest possible batches, of almost equal sizes."""
    return np.array_split(rng.permutation(n), -(-n // batch_size))


def split(flat: Array, shapes: Sequence[tuple[int, int]]) -> Layers:
    """Views of weights and biases that lie one after the other in a flat vector."""
    layers, first = [], 0
    for rows, columns in shapes:
        middle, last = first + rows * columns, first + rows * columns + columns
        layers.append((flat[first:middle].reshape(rows, columns), flat[middle:last]))
        first = last
    return layers


def n_encoder_parameters(sizes: Sequence[int]) -> int:
    """Number of weights and biases of the encoder."""
    return sum((a + 1) * b for a, b in pairwise(sizes))


def block(sizes: Sequence[int], layer: int) -> slice:
    """Slice of the parameters of both halves of a layer."""
    counts = [2 * a * b + a + b for a, b in pairwise(sizes)]
    return slice(sum(counts[:layer]), sum(counts[: layer + 1]))


def halves(flat: Array, sizes: Sequence[int], layer: int) -> Layers:
    """Views of the encoder and the decoder half of a layer."""
    a, b = sizes[layer : layer + 2]
    return split(flat[block(sizes, layer)], [(a, b), (b, a)])


def whole(flat: Array, sizes: Sequence[int]) -> Layers:
    """Views of all layers, encoder first."""
    pairs = [halves(flat, sizes, layer) for layer in range(len(sizes) - 1)]
    return [pair[0] for pair in pairs] + [pair[1] for pair in reversed(pairs)]


def rectified(depth: int) -> list[bool]:
    """Whether each layer of the whole network is rectified: all but the embedding and the output are."""
    return [True] * (depth - 1) + [False] + [True] * (depth - 1) + [False]


def initial_parameters(plan: Training, dtype: Any, seed: int) -> Array:
    """Glorot's uniform or small normal weights, and biases 0."""
    flat = np.zeros(block(plan.sizes, plan.depth - 1).stop, dtype)
    for layer in range(plan.depth):
        rng = epoch_generator(seed, layer, 0)
        for weights, _ in halves(flat, plan.sizes, layer):
            if plan.weight_init == "normal":
                weights[...] = NORMAL_SD * rng.standard_normal(weights.shape)
            else:
                limit = np.sqrt(6 / sum(weights.shape))
                weights[...] = rng.uniform(-limit, limit, weights.shape)
    return flat


def forward(layers: Layers, rectify: Sequence[bool], X: Array, masks: Masks | None = None) -> list[Array]:
    """Activations, the input first; mask l multiplies the output of layer l (dropout)."""
    activations = [X]
    for i, ((weights, bias), rectifies) in enumerate(zip(layers, rectify, strict=True)):
        out = activations[-1] @ weights
        out += bias
        if rectifies:
            np.maximum(out, 0, out=out)
        if masks and i in masks:
            out *= masks[i]
        activations.append(out)
    return activations


def backward(
    layers: Layers,
    rectify: Sequence[bool],
    activations: list[Array],
    delta: Array,
    gradients: Layers,
    masks: Masks | None = None,
) -> None:
    """Write the gradients of all layers from the gradient of the output, `delta`, which is overwritten."""
    for i in reversed(range(len(layers))):
        if masks and i in masks:
            delta *= masks[i]
        if rectify[i]:
            delta *= activations[i + 1] > 0
        weights, bias = gradients[i]
        np.matmul(activations[i].T, delta, out=weights)
        np.sum(delta, axis=0, out=bias)
        if i:
            delta = delta @ layers[i][0].T


def encode(layers: Layers, rectify: Sequence[bool], X: Array) -> Array:
    """Output of the last layer, a few rows at a time."""
    out = np.empty((len(X), layers[-1][1].size if layers else X.shape[1]), X.dtype)
    for first in range(0, len(X), CHUNK_ROWS):
        rows = slice(first, first + CHUNK_ROWS)
        out[rows] = forward(layers, rectify, X[rows])[-1]
    return out


def reconstruction_error(layers: Layers, rectify: Sequence[bool], X: Array) -> float:
    """Mean squared error over all entries."""
    total = 0.0
    for first in range(0, len(X), CHUNK_ROWS):
        rows = X[first : first + CHUNK_ROWS]
        total += float(np.square(forward(layers, rectify, rows)[-1] - rows).sum(dtype=np.float64))
    return total / X.size


def reconstruction_gradient(
    layers: Layers,
    rectify: Sequence[bool],
    given: Array,
    clean: Array,
    gradients: Layers,
    masks: Masks | None = None,
) -> float:
    """Mean squared error of reconstructing `clean` from `given`; its gradients are written."""
    activations = forward(layers, rectify, given, masks)
    delta = activations[-1] - clean
    loss = float(np.square(delta).sum(dtype=np.float64)) / delta.size
    delta *= 2 / delta.size
    backward(layers, rectify, activations, delta, gradients, masks)
    return loss


def dropout_mask(shape: tuple[int, int], rate: float, dtype: Any, rng: np.random.Generator) -> Array:
    """Random mask with entries 0 with probability `rate`, else 1 / (1 - rate)."""
    kept = rng.random(shape, dtype=np.float32) >= rate
    return np.multiply(kept, 1 / (1 - rate), dtype=dtype)


def pretrain(X: Array, plan: Training, seed: int, state: Pretraining | None = None) -> Iterator[Pretraining]:
    """Train an autoencoder, from a given state on if any; yield the state after every epoch and at the end.

    Shapes: X (n, p).
    """
    if state is None:
        parameters = initial_parameters(plan, X.dtype, seed)
        state = enter_stage(X, plan, Pretraining(0, 0, parameters, parameters[:0], ()), 0)
    while state.stage <= plan.depth:
        stage = prepare_stage(X, plan, state)
        while not is_done(plan, state):
            rng = epoch_generator(seed, state.stage, state.epoch + 1)
            loss = train_epoch(stage, plan, state, rng)
            losses = (*state.losses[:-1], (*state.losses[-1], loss))
            state = replace(state, epoch=state.epoch + 1, losses=losses)
            yield state
        state = enter_stage(X, plan, state, state.stage + 1)
    yield state


def is_done(plan: Training, state: Pretraining) -> bool:
    """Whether a stage has completed its epochs, or makes no more progress."""
    losses = state.losses[-1]
    if state.epoch >= (plan.layer_epochs if state.stage < plan.depth else plan.finetune_epochs):
        return True
    if plan.patience is None or len(losses) <= plan.patience:
        return False
    return min(losses[-plan.patience :]) > min(losses[: -plan.patience]) * (1 - LEAST_GAIN)


def enter_stage(X: Array, plan: Training, state: Pretraining, stage: int) -> Pretraining:
    """The state before the first epoch of a stage; from the last stage on, add the whole network's error."""
    parameters, errors = state.parameters, state.errors
    if stage >= plan.depth:
        layers = whole(parameters, plan.sizes)
        errors = (*errors, reconstruction_error(layers, rectified(plan.depth), X))
    if stage > plan.depth:
        return replace(state, stage=stage, epoch=0, moments=parameters[:0], errors=errors)
    trained = block(plan.sizes, stage) if stage < plan.depth else slice(None)
    moments = no_moments(plan.rule, len(parameters[trained]), X.dtype)
    return Pretraining(stage, 0, parameters, moments, (*state.losses, ()), errors)


@dataclass(frozen=True, slots=True)
class Stage:
    """Data and parameters of one stage of the training."""

    data: Array  # (n, d): data to reconstruct: X, or the outputs of the layers below
    parameters: Array  # (m,): view of the parameters in training
    layers: Layers  # layers, gradients: views of the parameters, and of `gradient`
    gradients: Layers
    gradient: Array  # (m,): gradient of a batch
    rectify: list[bool]  # Whether each layer is rectified
    # corrupts, drops_code: whether dropout acts on the inputs, and on the outputs of the first layer
    corrupts: bool
    drops_code: bool


def prepare_stage(X: Array, plan: Training, state: Pretraining) -> Stage:
    """Data and views of the parameters for the stage of a state."""
    flat, sizes, layer, depth = state.parameters, plan.sizes, state.stage, plan.depth
    everything = np.empty_like(flat)
    if layer == depth:
        layers, gradients = whole(flat, sizes), whole(everything, sizes)
        return Stage(X, flat, layers, gradients, everything, rectified(depth), False, False)
    below = whole(flat, sizes)[:layer]
    data = encode(below, [True] * layer, X) if layer else X
    trained = block(sizes, layer)
    return Stage(
        data,
        flat[trained],
        halves(flat, sizes, layer),
        halves(everything, sizes, layer),
        everything[trained],
        [layer < depth - 1, layer > 0],
        plan.dropout > 0 and (layer > 0 or plan.corrupt_input),
        plan.dropout > 0 and layer < depth - 1,
    )


def train_epoch(stage: Stage, plan: Training, state: Pretraining, rng: np.random.Generator) -> float:
    """Train for one pass over the rows, in place; return the mean loss over its batches."""
    parts = batches(len(stage.data), plan.batch_size, rng)
    total = 0.0
    for number, rows in enumerate(parts, start=1 + state.epoch * len(parts)):
        clean = stage.data[rows]
        given, masks = clean, {}
        if stage.corrupts:
            given = clean * dropout_mask(clean.shape, plan.dropout, clean.dtype, rng)
        if stage.drops_code:
            shape = (len(rows), len(stage.layers[0][1]))
            masks[0] = dropout_mask(shape, plan.dropout, clean.dtype, rng)
        loss = reconstruction_gradient(stage.layers, stage.rectify, given, clean, stage.gradients, masks)
        total += loss * len(rows)
        descend(plan.rule, stage.parameters, stage.gradient, state.moments, number)
    return total / len(stage.data)
