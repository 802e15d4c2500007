"""R's random functions on a stream of their own per context.

A thread or an asyncio task that has not drawn yet starts from its own copy of the stream that it inherited,
or from the operating system's entropy when there is none. Its draws change no other stream.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.rng import RRandom, resolve_rng
from sparsek.rng.arguments import check_seed, first_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NOT_LINKED = "user-supplied"
_KINDS = (
    "Wichmann-Hill",
    "Marsaglia-Multicarry",
    "Super-Duper",
    "Mersenne-Twister",
    "Knuth-TAOCP",
    _NOT_LINKED,
    "Knuth-TAOCP-2002",
    "L'Ecuyer-CMRG",
    "default",
)
_BUGGY = "Buggy Kinderman-Ramage"
_NORMAL_KINDS = (
    _BUGGY,
    "Ahrens-Dieter",
    "Box-Muller",
    "Inversion",
    "Kinderman-Ramage",
    _NOT_LINKED,
    "default",
)
_SAMPLE_KINDS = ("Rounding", "Rejection", "default")
_DEFAULTS = ("Mersenne-Twister", "Inversion", "Rejection")
Kinds = tuple[str | None, str | None, str | None]


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
        As for `RNGkind`, without "Buggy Kinderman-Ramage", which R refuses here.

    Raises
    ------
    RError
        If the seed or a kind is not one of the above; nothing changes then.

    Warns
    -----
    RWarning
        As `RNGkind`.

    See Also
    --------
    RNGkind : Kinds of generators.
    sparsek.rng.RRandom : R's stream of random numbers as an object.
    """
    kinds = _checked_kinds(kind, normal_kind, sample_kind)
    if kinds[1] == _BUGGY:
        raise RError(
            "buggy version of Kinderman-Ramage generator is not allowed",
            f"set_seed takes any other normal_kind; RNGkind(normal_kind={_BUGGY!r}) takes this one",
        )
    first = first_of(seed)
    if first is not None:
        check_seed(first)
    stream = resolve_rng()
    _use_kinds(stream, kinds)
    stream.seed(first)


def RNGkind(
    kind: str | None = None,
    normal_kind: str | None = None,
    sample_kind: str | None = None,
    *,
    rng: RRandom | None = None,
) -> tuple[str, str, str]:
    """Show or set the kinds of generators, as R's function of this name.

    Parameters
    ----------
    kind : str, optional
        The generator: "default", "Mersenne-Twister", "L'Ecuyer-CMRG", "Wichmann-Hill",
        "Marsaglia-Multicarry", "Super-Duper", "Knuth-TAOCP-2002" or "Knuth-TAOCP". Naming it seeds the new
        generator with one uniform of the present one, as R does.
    normal_kind : str, optional
        How normals are made: "default", "Inversion", "Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage" or
        "Buggy Kinderman-Ramage".
    sample_kind : {"default", "Rejection", "Rounding"}, optional
        How indices are made; the state stays.
    rng : RRandom, optional
        Stream to show or change instead of the running task's or thread's.

    Returns
    -------
    tuple of (str, str, str)
        The three kinds before the call.

    Raises
    ------
    RError
        If a kind is not one of the above, or the beginning of one only; nothing changes then.

    Warns
    -----
    RWarning
        With R's words: "Rounding" is not uniform, Marsaglia-Multicarry is a poor generator and spoils two of
        the normal kinds, the buggy normal kind is buggy.

    See Also
    --------
    set_seed : Seed the stream of random numbers.
    """
    kinds = _checked_kinds(kind, normal_kind, sample_kind)
    stream = resolve_rng(rng)
    previous = stream.kinds
    if kinds[1] == _BUGGY:
        warn_as_r("buggy version of Kinderman-Ramage generator used")
    _use_kinds(stream, kinds)
    return previous


def _checked_kinds(kind: str | None, normal_kind: str | None, sample_kind: str | None) -> Kinds:
    """The kinds by their full names, the defaults filled in; refuse what R refuses."""
    chosen = (
        _full_name("kind", kind, _KINDS, " (RNG to be used).", "'{}' is not a valid abbreviation of an RNG"),
        _full_name("normal_kind", normal_kind, _NORMAL_KINDS, "", "'NA' is not a valid choice"),
        _full_name("sample_kind", sample_kind, _SAMPLE_KINDS, "", "'NA' is not a valid choice"),
    )
    for name, value, function in zip(("kind", "normal_kind"), chosen, ("unif", "norm"), strict=False):
        if value == _NOT_LINKED:
            raise RError(
                f"'user_{function}_rand' not in load table",
                f"{name} {_NOT_LINKED!r} needs C code linked into R",
            )
    first, second, third = (
        default if value == "default" else value for value, default in zip(chosen, _DEFAULTS, strict=True)
    )
    return first, second, third


def _full_name(name: str, value: object, choices: tuple[str, ...], what: str, r_message: str) -> str | None:
    """The only choice that is or begins with a text, as R's ``pmatch`` finds it; None for None."""
    if value is None:
        return None
    r_name = name.replace("_", ".")
    if not isinstance(value, str):
        raise RError(
            f"'{r_name}' must be a character string of length 1{what}",
            f"{name} must be one of {choices}; got {value!r}",
        )
    found = [choice for choice in choices if value and choice.startswith(value)]
    if value in choices:
        return value
    if len(found) != 1:
        raise RError(r_message.format(value), f"{name} must be one of {choices}; got {value!r}")
    return found[0]


def _use_kinds(stream: RRandom, kinds: Kinds) -> None:
    """Set the kinds that are given, with R's warnings in R's order."""
    kind, normal_kind, sample_kind = kinds
    messages = []
    if sample_kind is not None:
        stream.sample_kind = sample_kind
        if sample_kind == "Rounding":
            messages.append("non-uniform 'Rounding' sampler used")
    if kind is not None:
        stream.choose_generator(kind)
        if kind == "Marsaglia-Multicarry":
            messages.append("RNGkind: Marsaglia-Multicarry has poor statistical properties")
    if normal_kind is not None:
        stream.normal_kind = normal_kind
        deviations = {"Ahrens-Dieter": "deviations", "Kinderman-Ramage": "severe deviations"}
        if stream.kinds[0] == "Marsaglia-Multicarry" and normal_kind in deviations:
            messages.append(
                f"RNGkind: {deviations[normal_kind]} from normality for {normal_kind} + Marsaglia-Multicarry"
            )
    for message in messages:
        warn_as_r(message)


def runif(
    n: ArrayLike, min: ArrayLike = 0.0, max: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Uniform draws, as R's ``runif``; details in `RRandom.runif`.

    Parameters
    ----------
    n : int or array_like
    min, max : float or array_like, default=0, 1
        Limits, recycled.
    rng : RRandom, optional

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
    mean, sd : float or array_like, default=0, 1
        Mean and standard deviation, recycled.
    rng : RRandom, optional

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
    rate : float or array_like, default=1
        Rate (one over the mean), recycled.
    rng : RRandom, optional

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

    Returns
    -------
    ndarray of shape (size,)
        Sample.

    See Also
    --------
    sample_int : Sample from 1..n.
    set_seed : Seed the stream of random numbers.
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

    Returns
    -------
    ndarray of shape (size,)
        Sample.

    See Also
    --------
    sample : Sample from elements.
    """
    return resolve_rng(rng).sample_int(n, size, replace, prob)
