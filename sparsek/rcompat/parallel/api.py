"""R's nextRNGStream and nextRNGSubStream: streams of "L'Ecuyer-CMRG" that do not overlap."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import as_array
from sparsek.rng.kinds import LECUYER_MODULI, LECUYER_STEPS, LEcuyer, Matrix, product

_STREAM = 127
_SUBSTREAM = 76


def nextRNGStream(seed: ArrayLike) -> NDArray[np.int32]:
    """Give the state 2^127 draws further on, as R's ``nextRNGStream``.

    Parameters
    ----------
    seed : array_like of int, shape (7,)
        A state of "L'Ecuyer-CMRG" as R's ``.Random.seed`` shows it: `RRandom.random_seed`.

    Returns
    -------
    ndarray of int32, shape (7,)
        The start of the next stream, for `RRandom.setstate`.

    Raises
    ------
    RError
        If `seed` is not such a state.

    Notes
    -----
    Source: L'Ecuyer, Simard, Chen & Kelton (2002), An object-oriented random-number package with many long
    streams and substreams, Operations Research 50, 1073-1075.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> seed = RRandom(1, kind="L'Ecuyer-CMRG").random_seed
    >>> nextRNGStream(seed).tolist()
    [10407, 4246464, -231956060, -471632796, 1620595781, 533443421, 594164961]
    """
    return _jumped(seed, _STREAM)


def nextRNGSubStream(seed: ArrayLike) -> NDArray[np.int32]:
    """Give the state 2^76 draws further on, as R's ``nextRNGSubStream``.

    Parameters
    ----------
    seed : array_like of int, shape (7,)
        As for `nextRNGStream`.

    Returns
    -------
    ndarray of int32, shape (7,)
        The start of the next part of the stream, for `RRandom.setstate`.

    Raises
    ------
    RError
        If `seed` is not such a state.

    Notes
    -----
    Source: as for `nextRNGStream`.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> seed = RRandom(1, kind="L'Ecuyer-CMRG").random_seed
    >>> nextRNGSubStream(seed).tolist()
    [10407, 1758599292, 395847541, 373354099, -1616541142, 1293554115, -1180290192]
    """
    return _jumped(seed, _SUBSTREAM)


@cache
def _jumps(doublings: int) -> tuple[Matrix, Matrix]:
    """The matrices that move both parts of the generator by 2^doublings steps."""
    first, second = LECUYER_STEPS
    for _ in range(doublings):
        first, second = product(first, first, LECUYER_MODULI[0]), product(second, second, LECUYER_MODULI[1])
    return first, second


def _jumped(seed: ArrayLike, doublings: int) -> NDArray[np.int32]:
    """The state 2^doublings steps further on."""
    state = as_array(seed, "seed")
    if state.shape != (1 + LEcuyer.size,) or state.dtype.kind not in "iu" or state[0] % 100 != LEcuyer.code:
        raise RError(
            "invalid value of 'seed'",
            f"seed must be the 7 integers of a .Random.seed of L'Ecuyer-CMRG, the first ending in 07; got "
            f"shape {state.shape}, dtype {state.dtype}",
        )
    words = [int(word) % 2**32 for word in state[1:]]
    moved = [
        sum(factor * word for factor, word in zip(row, part, strict=True)) % modulus
        for part, jump, modulus in zip((words[:3], words[3:]), _jumps(doublings), LECUYER_MODULI, strict=True)
        for row in jump
    ]
    return np.array([int(state[0]), *moved], dtype=np.int64).astype(np.uint32).view(np.int32)
