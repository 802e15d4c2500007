"""R's stream of random numbers: `RRandom`, and the stream that a call takes."""

import asyncio
import copy
import math
import threading
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import as_array, unmasked
from sparsek.rng import exponentials as rexponentials
from sparsek.rng import generator, literal
from sparsek.rng import pools as rpools
from sparsek.rng import weighted_sampling as rweighted
from sparsek.rng.arguments import count, recycle, truth, warn_nan, whole
from sparsek.rng.generator import RandomState, normal_quantile
from sparsek.rng.kinds import OTHERS
from sparsek.rng.normals import BOX_MULLER, DRAWS, INVERSION, box_muller

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MAX_POPULATION = 4.5e15  # the largest n that R's sample.int takes
_HASHED_FROM = 10**7  # above this n, R draws small samples by rejecting repeats, not from a pool
SKIPPED = 100_000
"""Normals that are drawn at a time where they are only skipped."""
_MANY = 1000  # fewer normals or uniforms are faster by numpy than by reading and writing numpy's state
_LARGEST_POOL = 2**31  # numbers of larger pools do not fit into 32 bits
_BLOCK_WORDS = 1_000_000  # most generator outputs drawn ahead for many small pools
_ONE_BY_ONE = 40  # up to this many draws, single draws are faster than drawing ahead and going back


def _check_population(n: int, size: int) -> None:
    """Refuse samples without replacement that are larger than the population."""
    if size > n:
        raise RError(
            "cannot take a sample larger than the population when 'replace = FALSE'",
            f"size must be at most {n}; got {size}",
        )


class RRandom(RandomState):
    """A stream of random numbers equal to R's under the same seed.

    The state after every method equals R's too. Copies made by `copy.copy` or by pickling are independent
    streams at the same place.

    Parameters
    ----------
    seed : int or float, optional
        As in ``set.seed``: between -(2^31 - 1) and 2^31 - 1, fractions truncated toward zero. None takes
        fresh entropy from the operating system.
    normal_kind : str, default="Inversion"
        How normals are made: "Inversion", "Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage" or "Buggy
        Kinderman-Ramage".
    sample_kind : {"Rejection", "Rounding"}, default="Rejection"
        How indices are made; "Rounding" is that of R < 3.6.
    kind : str, default="Mersenne-Twister"
        The generator: "Mersenne-Twister", "L'Ecuyer-CMRG", "Wichmann-Hill", "Marsaglia-Multicarry",
        "Super-Duper", "Knuth-TAOCP-2002" or "Knuth-TAOCP".

    Raises
    ------
    RError
        If the seed or a kind is not one of the above.

    Notes
    -----
    An error found in the arguments leaves the stream where it was. "Box-Muller" takes sine and cosine from
    the C library, whose last digits R's own answer depends on too.

    References
    ----------
    Generators: Matsumoto & Nishimura (1998), ACM TOMACS 8, 3-30; L'Ecuyer (1999), Operations Research 47,
    159-164; Wichmann & Hill (1982), AS 183; Marsaglia (1997), a message to sci.stat.math; Reeds, Hartley &
    Marsaglia (Super-Duper); Knuth, The Art of Computer Programming, volume 2, section 3.6, programs of 1997
    and 2002. Normals: Wichura (1988), AS 241; Box & Muller (1958); Ahrens & Dieter (1973), Math. Comp. 27,
    927-937; Kinderman & Ramage (1976), JASA 71, 893-896. Exponentials: Ahrens & Dieter (1972), algorithm SA.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> RRandom(42).sample_int(10)
    array([ 1,  5, 10,  8,  2,  4,  6,  9,  7,  3])
    """

    def runif(self, n: ArrayLike, min: ArrayLike = 0.0, max: ArrayLike = 1.0) -> FloatArray:
        """Uniform draws, one output each; none where the limits are equal.

        Parameters
        ----------
        n : int or array_like
            How many; of an array of another length than 1, the length.
        min, max : float or array_like, default=0, 1
            Limits, recycled.

        Returns
        -------
        ndarray of shape (n,)
            Draws; NaN where a limit is not finite or ``max < min``.

        Raises
        ------
        RError
            If `n` is not a number from 0 on or the limits are not numbers.

        Warns
        -----
        RWarning
            "NAs produced".
        """
        size = count(n)
        if self.compiles(size, literal.runif, size >= _MANY, digits=False):
            return warn_nan(self.draw(literal.runif, size, min=min, max=max))
        low, high = recycle("min", min, size), recycle("max", max, size)
        bad = ~(np.isfinite(low) & np.isfinite(high) & (low <= high))
        draws = ~bad & (low < high)
        u = np.zeros(size)
        u[draws] = self._uniforms(int(draws.sum()))
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.where(draws, low + (high - low) * u, low)
        values[bad] = np.nan
        return warn_nan(values)

    def rnorm(self, n: ArrayLike, mean: ArrayLike = 0.0, sd: ArrayLike = 1.0) -> FloatArray:
        """Normal draws by the stream's normal kind; none where ``sd == 0`` or the mean is infinite.

        Parameters
        ----------
        n : int or array_like
            How many; of an array of another length than 1, the length.
        mean, sd : float or array_like, default=0, 1
            Mean and standard deviation, recycled.

        Returns
        -------
        ndarray of shape (n,)
            Draws; NaN where the mean is NaN or `sd` is negative or not finite.

        Raises
        ------
        RError
            If `n` is not a number from 0 on or the parameters are not numbers.

        Warns
        -----
        RWarning
            "NAs produced".
        """
        size = count(n)
        if self.compiles(size, literal.rnorm, size >= _MANY):
            return warn_nan(self.draw(literal.rnorm, size, mean=mean, sd=sd))
        centre, scale = recycle("mean", mean, size), recycle("sd", sd, size)
        bad = np.isnan(centre) | ~np.isfinite(scale) | (scale < 0)
        draws = ~bad & (scale > 0) & np.isfinite(centre)
        values = np.where(bad, np.nan, centre)
        with np.errstate(over="ignore"):
            values[draws] += scale[draws] * self._normals(int(draws.sum()))
        return warn_nan(values)

    def skip_normals(self, n: int) -> None:
        """Advance the stream as n standard normal draws do, without keeping them.

        Parameters
        ----------
        n : int
            Number of draws.

        Raises
        ------
        RError
            If it is not a number from 0 on.
        """
        if self.normal_kind == INVERSION:
            self.skip(2 * n)
            return
        for start in range(0, n, SKIPPED):
            self.rnorm(min(SKIPPED, n - start))

    def _normals(self, n: int) -> FloatArray:
        """Standard normal draws."""
        if self.normal_kind == INVERSION:
            u = self._uniforms(2 * n)
            return normal_quantile(generator.pair_up(u[0::2], u[1::2]))
        if self.normal_kind != BOX_MULLER:
            draw = DRAWS[self.normal_kind]
            return self._consume(3 * n + 20, lambda words: rexponentials.in_turn(words, n, draw))
        drawn = [self._kept] if self._kept != 0 else []
        pairs = max(0, n - len(drawn) + 1) // 2
        stream = iter(self._uniforms(2 * pairs).tolist())
        drawn += [z for _ in range(pairs) for z in box_muller(stream)]
        self._kept = drawn[n] if len(drawn) > n else 0.0
        return np.array(drawn[:n])

    def rexp(self, n: ArrayLike, rate: ArrayLike = 1.0) -> FloatArray:
        """Exponential draws; none where the rate is infinite.

        Parameters
        ----------
        n : int or array_like
            How many; of an array of another length than 1, the length.
        rate : float or array_like, default=1
            Rate (one over the mean), recycled.

        Returns
        -------
        ndarray of shape (n,)
            Draws; NaN where ``1 / rate`` is negative or not finite.

        Raises
        ------
        RError
            If `n` is not a number from 0 on or the rate is not a number.

        Warns
        -----
        RWarning
            "NAs produced".
        """
        size = count(n)
        if self.compiles(generator.SLOW * size, literal.rexp, digits=False):
            return warn_nan(self.draw(literal.rexp, size, rate=rate))
        with np.errstate(divide="ignore", over="ignore"):
            scale = 1.0 / recycle("rate", rate, size)
        bad = ~np.isfinite(scale) | (scale < 0)
        draws = ~bad & (scale > 0)
        values = np.where(bad, np.nan, 0.0)
        drawn = int(draws.sum())
        with np.errstate(over="ignore"):
            e = self._consume(3 * drawn + 20, lambda words: rexponentials.exponentials(words, drawn))
            values[draws] = scale[draws] * e
        return warn_nan(values)

    def unif_index(self, n: int) -> int:
        """One index.

        Parameters
        ----------
        n : int
            Number of values.

        Returns
        -------
        int
            In 0..n-1; 0 without a draw when ``n <= 0``, under "Rejection".

        Raises
        ------
        RError
            If `n` is not an integer of at most 4.5e15.
        """
        n = whole("n", max(n, 0), "invalid first argument", _MAX_POPULATION)
        if self._rounding:
            words = self._bits.random_raw(rpools.index_words(n, 1, self._rounding))
            return int(rpools.index_stream(words, n, self._rounding)[0][0])
        if n == 0:
            return 0
        if self._kind in OTHERS:
            words = rpools.index_words(n, 1, 0)
            return int(self._consume(words, lambda block: rpools.equal_indices(block, n, 1, 0))[0])
        bits, per_attempt = rpools.index_bits(n)
        mask: int = 2**bits - 1
        while True:
            value = 0
            for _ in range(per_attempt):
                value = value << 16 | int(self._bits.random_raw()) >> 16
            if value & mask < n:
                return value & mask

    def sample(
        self, x: Any, size: int | None = None, replace: float = False, prob: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Sample from the elements of x, or from 1..x when x is a single number of at least 1.

        Parameters
        ----------
        x : number or array_like of shape (n,)
            What to sample from.
        size : int, optional
            How many; all when not given.
        replace : bool or float, default=False
            Whether an element can come more than once.
        prob : array_like of shape (n,), optional
            Weights, at least 0; they need not sum to one.

        Returns
        -------
        ndarray of shape (size,)
            Elements of `x`, or int64 numbers from 1 to ``floor(x)``.

        Raises
        ------
        RError
            As `sample_int`.
        ValueError
            If `x` is a matrix.
        """
        values = as_array(unmasked(x, "x"), "x")
        if values.ndim > 1:
            raise ValueError(f"x must be a number or one-dimensional; got shape {values.shape}")
        values = np.atleast_1d(values)
        if values.size == 1 and values.dtype.kind in "iuf" and 1 <= values[0] < math.inf:
            return self.sample_int(values[0], size, replace, prob)
        return values[self.sample_int(values.size, size, replace, prob) - 1]

    def sample_int(
        self, n: int, size: int | None = None, replace: float = False, prob: ArrayLike | None = None
    ) -> IntArray:
        """Sample from 1..n.

        Parameters
        ----------
        n : int
            Largest value, a fraction truncated.
        size : int, optional
            How many, a fraction truncated; `n` when not given.
        replace : bool or float, default=False
            Whether a value can come more than once.
        prob : array_like of shape (n,), optional
            Weights, at least 0; they need not sum to one.

        Returns
        -------
        ndarray of int64, shape (size,)
            Values from 1 to n.

        Raises
        ------
        RError
            With R's message, if an argument is out of range, `size` is above `n` without replacement, or
            the weights are not finite, negative, too few, or not `n`. Nothing has been drawn then.
        """
        replace = truth("replace", replace)
        n = whole("n", n, "invalid first argument", _MAX_POPULATION)
        size = n if size is None else whole("size", size, "invalid 'size' argument")
        if n == 0 and size > 0:
            raise RError("invalid first argument", f"cannot take {size} of no values; give n of at least 1")
        if not replace:
            _check_population(n, size)
        if prob is not None:
            return self._weighted(size, replace, rweighted.normalise_weights(prob, n, 1 if replace else size))
        if replace:
            return self._indices(n, size) + 1
        drawn: IntArray = self.sample_sets(n, size, 1)[0]
        return drawn

    def permutations(self, n: int, count: int) -> IntArray:
        """Random permutations of 1..n.

        Parameters
        ----------
        n, count : int
            Length and number of the permutations.

        Returns
        -------
        ndarray of int64, shape (count, n)
            The same as `count` successive ``sample_int(n)``.

        Raises
        ------
        RError
            If an argument is not a number from 0 on.
        """
        return self.sample_sets(n, n, count)

    def sample_sets(self, n: int, size: int, count: int) -> IntArray:
        """Samples from 1..n without replacement.

        Parameters
        ----------
        n, size, count : int
            Largest value, size and number of the samples.

        Returns
        -------
        ndarray of int64, shape (count, size)
            The same as `count` successive ``sample_int(n, size)``.

        Raises
        ------
        RError
            If an argument is not a number from 0 on, or `size` is above `n`.
        """
        n = whole("n", n, "invalid first argument", _MAX_POPULATION)
        size = whole("size", size, "invalid 'size' argument")
        count = whole("count", count, "invalid arguments")
        _check_population(n, size)
        if size < 2:
            return self._indices(n, size * count).reshape(count, size) + 1
        if n > _HASHED_FROM and size <= n / 2:
            sets = [self._distinct_indices(n, size) for _ in range(count)]
            return np.array(sets, dtype=np.int64).reshape(count, size) + 1
        many = size * count > _ONE_BY_ONE
        if n < _LARGEST_POOL and self.compiles(size * count, literal.pools, many, digits=False):
            samples = np.empty((count, size), dtype=np.int64)
            self.run(literal.pools, n, samples)
            return samples
        at_once = max(1, int(_BLOCK_WORDS / rpools.pool_words(n, size)))
        blocks = [
            rpools.take_from_pools(self._pool_indices(n, size, min(at_once, count - start)), n)
            for start in range(0, count, at_once)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, size), dtype=np.int64)

    def _indices(self, n: int, size: int) -> IntArray:
        """Independent indices in 0..n-1."""
        if size <= _ONE_BY_ONE:
            return np.array([self.unif_index(n) for _ in range(size)], dtype=np.int64)
        if self.compiles(size, literal.indices, digits=False):
            drawn = np.empty(size, dtype=np.int64)
            self.run(literal.indices, n, drawn)
            return drawn
        return self._consume(
            rpools.index_words(n, size, self._rounding),
            lambda words: rpools.equal_indices(words, n, size, self._rounding),
        )

    def _distinct_indices(self, n: int, size: int) -> IntArray:
        """Distinct indices in 0..n-1; an index that came before is drawn again."""
        return self._consume(
            rpools.index_words(n, size, self._rounding),
            lambda words: rpools.distinct_indices(words, n, size, self._rounding),
        )

    def _pool_indices(self, n: int, size: int, count: int) -> IntArray:
        """Indices of successive draws from `count` shrinking pools, shape (count, size)."""
        if self._rounding and n <= self._rounding:
            u = self._uniforms(count * size).reshape(count, size)
            return np.floor(np.arange(n, n - size, -1) * u).astype(np.int64)
        if self._rounding or count * size <= _ONE_BY_ONE:
            drawn = [[self.unif_index(n - i) for i in range(size)] for _ in range(count)]
            return np.array(drawn, dtype=np.int64)
        mean = count * rpools.pool_words(n, size)
        need = math.ceil(mean + 8 * math.sqrt(mean) + 32)
        return self._consume(need, lambda words: rpools.pool_indices(words, n, size, count))

    def _weighted(self, size: int, replace: bool, probabilities: FloatArray) -> IntArray:
        """Weighted sample by the method that R uses."""
        if not replace:
            return rweighted.weighted_without_replacement(self._uniforms(size), probabilities)
        if not rweighted.uses_alias(probabilities):
            return rweighted.weighted_with_replacement(self._uniforms(size), probabilities)
        n = probabilities.size
        draws = self._consume(
            rpools.index_words(n, size, self._rounding) + size + 1,
            lambda words: rweighted.alias_draws(words, n, size, self._rounding),
        )
        return rweighted.alias_lookup(draws, probabilities)


class _Owned(NamedTuple):
    """A stream and the task or thread that may draw from it."""

    stream: RRandom
    owner: object
    made: object  # Its state when it was made from the clock: then no draw has come of it yet


_CURRENT: ContextVar[_Owned | None] = ContextVar("sparsek_stream", default=None)


def _caller() -> object:
    """The running asyncio task, or the thread when none runs."""
    try:
        return asyncio.current_task() or threading.current_thread()
    except RuntimeError:  # no event loop runs in this thread
        return threading.current_thread()


def current_stream() -> RRandom | None:
    """The stream of the running task or thread; None before its first draw or seed."""
    current = _CURRENT.get()
    return None if current is None or current.stream.getstate() == current.made else current.stream


def resolve_rng(rng: RRandom | None = None) -> RRandom:
    """Return the stream to draw from.

    Parameters
    ----------
    rng : RRandom, optional
        A stream of the caller's own.

    Returns
    -------
    RRandom
        The given stream, or that of the running task or thread.

    Raises
    ------
    TypeError
        If `rng` is something else.
    """
    if rng is not None:
        if not isinstance(rng, RRandom):
            raise TypeError(f"rng must be a sparsek.rng.RRandom or None; got {type(rng).__name__}")
        return rng
    caller = _caller()
    current = _CURRENT.get()
    if current is None:
        stream = RRandom()
        current = _Owned(stream, caller, stream.getstate())
        _CURRENT.set(current)
    elif current.owner is not caller:  # inherited from the task or thread that started this one
        current = _Owned(copy.copy(current.stream), caller, current.made)
        _CURRENT.set(current)
    return current.stream
