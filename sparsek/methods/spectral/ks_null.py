"""Kolmogorov-Smirnov scores of standardised samples, and their null distribution, stored on disk.

The score of a sample of length n is sqrt(n) times the largest distance between its distribution function and
the normal one of its own mean and variance. Its distribution for normal samples depends on n alone. Null
scores are drawn in parts, each from its own generator, so that parts can be drawn in any order and a longer
sequence begins with the shorter ones.

Source: Jin and Wang (2016), "Influential features PCA for high dimensional clustering", Annals of Statistics
44, 2323-2359.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.special import ndtr

from sparsek._files import whole_file
from sparsek.core.steps import Array

PART = 4096
"""Number of scores drawn from one generator."""
CHUNK_ENTRIES = 65_536
"""Number of entries of the samples scored at a time, to stay in the processor's cache."""
WORTH_KEEPING = 2_000_000
"""Scores of fewer normal numbers than this (0.1 s) are drawn again rather than stored on disk."""
COMPARED = 8
"""Number of scores of a stored sequence that are drawn again, to check that it is the right one."""


def ks_scores(samples: Array) -> Array:
    """Scores of the rows, which have mean 0 and mean square 1; the rows are overwritten.

    Shapes: samples (m, n) float64; returns (m,).
    """
    n = samples.shape[1]
    samples.sort(axis=1)
    ndtr(samples, out=samples)
    # The larger difference is the distance from the middle of the step, plus 1/(2n).
    samples -= (np.arange(n) + 0.5) / n
    np.abs(samples, out=samples)
    return np.asarray(np.sqrt(n) * (samples.max(axis=1) + 0.5 / n))


def null_scores(
    n: int, n_null: int, seed: int, folder: Path | None = None, n_jobs: int | None = None
) -> Array:
    """Scores of `n_null` standardised samples of n normal numbers.

    Shapes: returns (n_null,) float32.
    """
    path = folder / f"ks-null-n{n}-seed{seed}.npy" if folder and n * n_null >= WORTH_KEEPING else None
    kept = np.empty(0) if path is None else _read(path, n, seed)
    if len(kept) >= n_null:
        return kept[:n_null]
    scores = np.empty(n_null, np.float32)
    scores[: len(kept)] = kept
    _draw(scores, n, seed, len(kept) // PART, n_jobs)
    if path is not None:
        _write(path, scores)
    return scores


def _draw(scores: Array, n: int, seed: int, first: int, n_jobs: int | None) -> None:
    """Fill the scores from part `first` on."""
    parts = range(first, -(-len(scores) // PART))
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_draw_part)(scores[part * PART : (part + 1) * PART], n, seed, part) for part in parts
    )


def _draw_part(scores: Array, n: int, seed: int, part: int) -> None:
    """Fill `scores` with the first scores of a part."""
    generator = np.random.default_rng((seed, n, part))
    step = max(1, CHUNK_ENTRIES // n)
    for start in range(0, len(scores), step):
        samples = generator.standard_normal((min(step, len(scores) - start), n))
        samples -= samples.mean(axis=1, keepdims=True)
        samples /= np.sqrt(np.einsum("ij,ij->i", samples, samples) / n)[:, None]
        scores[start : start + step] = ks_scores(samples)


def _read(path: Path, n: int, seed: int) -> Array:
    """The stored sequence; empty if there is none, or if it fails a check."""
    try:
        with path.open("rb") as file:
            scores, checksum = np.load(file, allow_pickle=False), file.read()
        compared = np.empty_like(scores[:COMPARED])
        _draw_part(compared, n, seed, 0)
        # Sums of another processor may differ in the last digits; another sequence differs in the first.
        good = (
            scores.dtype == np.float32
            and checksum == _checksum(scores)
            and np.allclose(scores[:COMPARED], compared, rtol=0, atol=1e-6)
        )
    except Exception:  # a damaged or foreign file can raise any error
        return np.empty(0)
    return np.asarray(scores) if good else np.empty(0)


def _checksum(scores: Array) -> bytes:
    """Checksum that follows the array in its file."""
    return zlib.crc32(scores).to_bytes(4, "little")


def _write(path: Path, scores: Array) -> None:
    """Write a file, completely or not at all."""
    with suppress(OSError):  # read-only or full: the scores are drawn again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary, temporary.open("wb") as file:
            np.save(file, scores)
            file.write(_checksum(scores))
