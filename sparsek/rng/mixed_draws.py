"""Draws made of draws of several kinds: noncentral chi-square, Student's t, multinomial."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.extended import integers
from sparsek.errors import RError
from sparsek.inputs.containers import numbers
from sparsek.rng.arguments import first_of, whole
from sparsek.rng.binomial_draws import binomial_sampler
from sparsek.rng.draws import Outputs, Sampler, constant
from sparsek.rng.gamma_draws import chi_square_sampler, gamma_sampler
from sparsek.rng.generator import RandomState
from sparsek.rng.poisson_draws import poisson_sampler

_LARGEST = 2**31 - 1


def noncentral_chi_square_sampler(df: float, ncp: float) -> Sampler:
    """Sampler of noncentral chi-square draws: 2 r further degrees of freedom, r a Poisson draw."""
    if not df >= 0 or not 0 <= ncp < math.inf:
        return constant(math.nan)
    central = gamma_sampler(df / 2.0, 2.0)
    if ncp == 0:
        return central
    further = poisson_sampler(ncp / 2.0)

    def draw(outputs: Outputs) -> float:
        r = further(outputs)
        value = chi_square_sampler(2.0 * r)(outputs) if r > 0 else 0.0
        return value + central(outputs) if df > 0 else value

    return draw


def student_sampler(df: float) -> Sampler:
    """Sampler of Student's t."""
    if not df > 0:
        return constant(math.nan)
    if math.isinf(df):
        return Outputs.normal
    chi_square = chi_square_sampler(df)

    def draw(outputs: Outputs) -> float:
        z = outputs.normal()
        below = math.sqrt(chi_square(outputs) / df)
        return z / below if below > 0 else math.copysign(math.inf, z)

    return draw


def _conditionals(prob: ArrayLike) -> list[float]:
    """Probability of each class among it and the classes after, in extended precision; R's errors."""
    given = np.asarray(numbers(prob, "prob", holes=True))
    if given.dtype.kind not in "biuf":
        raise RError("NA in probability vector", f"prob must be numbers; got {prob!r}")
    weights = given.astype(np.float64).ravel().tolist()
    if not all(map(math.isfinite, weights)):
        raise RError("NA in probability vector", f"prob must be finite; got {prob!r}")
    if any(weight < 0 for weight in weights):
        raise RError("negative probability", f"prob must be at least 0; got {prob!r}")
    total = 0.0
    for weight in weights:
        total += weight
    if total == 0:
        raise RError("no positive probabilities", f"one of prob must be above 0; got {prob!r}")
    shares = [integers.from_float(weight / total) for weight in weights]
    rest = integers.from_float(0.0)
    for share in shares:
        rest = integers.add(rest, share)
    conditionals = []
    for share in shares:
        conditionals.append(integers.to_float(integers.divide(share, rest)) if rest[0] > 0 else 1.0)
        rest = integers.add(rest, (-share[0], share[1]))
    return [c if weight > 0 else 0.0 for c, weight in zip(conditionals, weights, strict=True)]


def multinomial_draws(stream: RandomState, n: Any, size: Any, prob: ArrayLike) -> NDArray[np.int64]:
    """Multinomial draws, class by class: a binomial draw of what is left.

    Shapes: prob (k,); returns (k, n).

    Raises RError if an argument is out of range; nothing has been drawn then.
    """
    draws = whole("n", first_of(n), "invalid first argument 'n'", _LARGEST)
    objects = whole("size", first_of(size), "invalid second argument 'size'", _LARGEST)
    conditionals = _conditionals(prob)
    outputs = Outputs(stream, draws * len(conditionals))
    columns = [_one_multinomial(outputs, objects, conditionals) for _ in range(draws)]
    outputs.close()
    return np.array(columns, dtype=np.int64).reshape(draws, len(conditionals)).T


def _one_multinomial(outputs: Outputs, left: int, conditionals: list[float]) -> list[int]:
    """One multinomial draw."""
    counts = [0] * len(conditionals)
    for k, conditional in enumerate(conditionals[:-1]):
        counts[k] = int(binomial_sampler(left, conditional)(outputs)) if conditional < 1 else left
        left -= counts[k]
        if left == 0:
            return counts
    counts[-1] = left
    return counts
