"""Writes PLINK's files bit by bit, and reads them so, as the file format reference states them."""

from pathlib import Path

import numpy as np

TWO_BITS = {2: "00", 1: "10", 0: "11", None: "01"}
"""Bits by the number of copies of the first allele; None is missing."""


def write_plink(folder: Path, genotypes: np.ndarray, name: str = "study") -> Path:
    """Write ``.bed``, ``.bim`` and ``.fam``; genotypes (samples, variants) are 0, 1, 2 or NaN."""
    n, p = genotypes.shape
    content = bytearray(b"\x6c\x1b\x01")
    for j in range(p):
        for first in range(0, n, 4):
            four = [None if np.isnan(g) else int(g) for g in genotypes[first : first + 4, j]]
            bits = "".join(TWO_BITS[g] for g in reversed(four))  # the first sample in the lowest bits
            content.append(int(bits, 2))
    path = folder / f"{name}.bed"
    path.write_bytes(content)
    path.with_suffix(".bim").write_text("".join(f"1\trs{j}\t0\t{100 + j}\tA\tG\n" for j in range(p)))
    path.with_suffix(".fam").write_text("".join(f"F{i} S{i} 0 0 0 -9\n" for i in range(n)))
    return path


def read_plink(path: Path, n: int, p: int) -> np.ndarray:
    """The genotypes of a ``.bed`` file of n samples and p variants."""
    content = path.read_bytes()
    copies = {bits: np.nan if count is None else count for count, bits in TWO_BITS.items()}
    found = np.empty((n, p))
    for j in range(p):
        for i in range(n):
            bits = f"{content[3 + j * ((n + 3) // 4) + i // 4]:08b}"
            at = 6 - 2 * (i % 4)
            found[i, j] = copies[bits[at : at + 2]]
    return found


def simulated(seed: int, n: int, p: int, missing: float = 0.0) -> np.ndarray:
    """Genotypes of variants in Hardy-Weinberg proportions, with frequencies of their own."""
    rng = np.random.default_rng(seed)
    found = rng.binomial(2, rng.uniform(0.05, 0.95, p), (n, p)).astype(float)
    return np.where(rng.random((n, p)) < missing, np.nan, found)
