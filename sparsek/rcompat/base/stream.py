"""R's random functions on a stream of their own per context.

A thread or an asyncio task that has not drawn yet starts from its own copy of the stream that it inherited,
or from the operating system's entropy when there is none. Its draws change no other stream.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError, RWarning
from sparsek.rcompat.arithmetic.generator import first_of
from sparsek.rng import RRandom, resolve_rng

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_KIND = "Mersenne-Twister"


def set_seed(
    seed: ArrayLike | None,
    kind: str | None = None,
    normal_kind: str | None = None,
    sample_kind: str | None = None,
) -> None:
    """Seed the stream of the running task or thread, as ``set.seed``.

    Parameters
    ----------
    seed : int or float or array_like or None
        Between -(2^31 - 1) and 2^31 - 1, fractions truncated toward zero; the first of several counts. None
        takes fresh entropy.
    kind, normal_kind, sample_kind : str, optional
        As for `RNGkind`.

    Raises
    ------
    RError
        If the seed or a kind is not one of the above; nothing changes then.

    Warns
    -----
    RWarning
        "non-uniform 'Rounding' sampler used".
    """
    new_kind = _checked_kinds(kind, normal_kind, sample_kind)
    stream = resolve_rng()
    stream.seed(first_of(seed))
    _use_sample_kind(stream, new_kind)


def RNGkind(
    kind: str | None = None, normal_kind: str | None = None, sample_kind: str | None = None
) -> tuple[str, str, str]:
    """Show or set the kinds of generators, as R's function of this name.

    Parameters
    ----------
    kind : {"default", "Mersenne-Twister"}, optional
        The generator. Naming it seeds the stream anew with one of its own uniforms, as R does.
    normal_kind : {"default", "Inversion"}, optional
        How normals are made.
    sample_kind : {"default", "Rejection", "Rounding"}, optional
        How indices are made; the state stays.

    Returns
    -------
    tuple of (str, str, str)
        The three kinds before the call.

    Raises
    ------
    RError
        If a kind is not one of the above; nothing changes then.

    Warns
    -----
    RWarning
        "non-uniform 'Rounding' sampler used".
    """
    new_kind = _checked_kinds(kind, normal_kind, sample_kind)
    stream = resolve_rng()
    previous = (_KIND, "Inversion", stream.sample_kind)
    if kind is not None:
        word = int(float(stream.runif(1)[0]) * 4294967295.0)
        stream.seed(word - 2**32 if word >= 2**31 else word)
    _use_sample_kind(stream, new_kind)
    return previous


def _checked_kinds(kind: str | None, normal_kind: str | None, sample_kind: str | None) -> str | None:
    """Refuse unknown kinds; return the sample kind to set, if any."""
    for name, value, allowed in (
        ("kind", kind, ("default", _KIND)),
        ("normal_kind", normal_kind, ("default", "Inversion")),
        ("sample_kind", sample_kind, ("default", "Rejection", "Rounding")),
    ):
        if value is not None and (not isinstance(value, str) or value not in allowed):
            raise RError(
                f"'{value}' is not a valid choice", f"{name} must be one of {allowed}; got {value!r}"
            )
    return "Rejection" if sample_kind == "default" else sample_kind


def _use_sample_kind(stream: RRandom, sample_kind: str | None) -> None:
    """Set the sample kind where one is given, with R's warning."""
    if sample_kind is None:
        return
    stream.sample_kind = sample_kind
    if sample_kind == "Rounding":
        warnings.warn("non-uniform 'Rounding' sampler used", RWarning, stacklevel=3)


def runif(
    n: ArrayLike, min: ArrayLike = 0.0, max: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Uniform draws, as R's ``runif``; details in `RRandom.runif`.

    Parameters
    ----------
    n : int or array_like
        How many; of an array of another length than 1, the length.
    min, max : float or array_like, default=0, 1
        Limits, recycled.
    rng : RRandom, optional
        Stream to draw from instead of the running task's or thread's.

    Returns
    -------
    ndarray of shape (n,)
        Draws.
    """
    return resolve_rng(rng).runif(n, min, max)


def rnorm(
    n: ArrayLike, mean: ArrayLike = 0.0, sd: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Normal draws, as R's ``rnorm``; details in `RRandom.rnorm`.

    Parameters
    ----------
    n : int or array_like
        How many; of an array of another length than 1, the length.
    mean, sd : float or array_like, default=0, 1
        Mean and standard deviation, recycled.
    rng : RRandom, optional
        Stream to draw from instead of the running task's or thread's.

    Returns
    -------
    ndarray of shape (n,)
        Draws.
    """
    return resolve_rng(rng).rnorm(n, mean, sd)


def rexp(n: ArrayLike, rate: ArrayLike = 1.0, *, rng: RRandom | None = None) -> FloatArray:
    """Exponential draws, as R's ``rexp``; details in `RRandom.rexp`.

    Parameters
    ----------
    n : int or array_like
        How many; of an array of another length than 1, the length.
    rate : float or array_like, default=1
        Rate (one over the mean), recycled.
    rng : RRandom, optional
        Stream to draw from instead of the running task's or thread's.

    Returns
    -------
    ndarray of shape (n,)
        Draws.
    """
    return resolve_rng(rng).rexp(n, rate)


def sample(
    x: Any,
    size: int | None = None,
    replace: float = False,
    prob: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> NDArray[Any]:
    """Sample from the elements of x, or from 1..x, as R's ``sample``; details in `RRandom.sample`.

    Parameters
    ----------
    x : number or array_like
        Values, or one number of at least 1 for the values 1..x.
    size : int, optional
        How many; all when not given.
    replace : bool or float, default=False
        Whether a value can come more than once; a number other than 0 means True.
    prob : array_like, optional
        Weights of the values.
    rng : RRandom, optional
        Stream to draw from instead of the running task's or thread's.

    Returns
    -------
    ndarray of shape (size,)
        Sample.
    """
    return resolve_rng(rng).sample(x, size, replace, prob)


def sample_int(
    n: int,
    size: int | None = None,
    replace: float = False,
    prob: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> IntArray:
    """Sample from 1..n, as R's ``sample.int``; details in `RRandom.sample_int`.

    Parameters
    ----------
    n : int
        Largest value.
    size : int, optional
        How many; all when not given.
    replace : bool or float, default=False
        Whether a value can come more than once; a number other than 0 means True.
    prob : array_like, optional
        Weights of the values.
    rng : RRandom, optional
        Stream to draw from instead of the running task's or thread's.

    Returns
    -------
    ndarray of shape (size,)
        Sample.
    """
    return resolve_rng(rng).sample_int(n, size, replace, prob)
