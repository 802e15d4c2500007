"""States of streams, as `getstate` gives them and as R's ``.Random.seed`` has them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.rng.kinds import MERSENNE, OTHERS
from sparsek.rng.literal import WORDS

State = tuple[int, int, bytes, float]
SAMPLE_CODES = {"Rejection": 1, "Rounding": 0}
NORMAL_CODES = {
    "Buggy Kinderman-Ramage": 0,
    "Ahrens-Dieter": 1,
    "Box-Muller": 2,
    "Inversion": 4,
    "Kinderman-Ramage": 5,
}
GENERATOR_CODES = {MERSENNE: 3} | {name: kind.code for name, kind in OTHERS.items()}
CODES = {
    10000 * sample_code + 100 * normal_code + code: (kind, normal_kind, sample_kind)
    for sample_kind, sample_code in SAMPLE_CODES.items()
    for normal_kind, normal_code in NORMAL_CODES.items()
    for kind, code in GENERATOR_CODES.items()
}
"""The three kinds of each code with which R's ``.Random.seed`` begins."""
CODE_OF = {kinds: code for code, kinds in CODES.items()}


def parse_state(state: State | ArrayLike) -> tuple[tuple[str, str, str], NDArray[np.uint32], int, float]:
    """Kinds, words, position and kept normal of a state, from `getstate` or R's ``.Random.seed``."""
    if isinstance(state, tuple) and len(state) == 4 and isinstance(state[2], bytes):
        code, position, words, kept = state[0], state[1], np.frombuffer(state[2], dtype=np.uint32), state[3]
    else:
        vector = np.asarray(state)
        if vector.ndim != 1 or vector.dtype.kind not in "iu" or vector.size < 3:
            raise RError(
                "'.Random.seed' has wrong length",
                f"a state must come from getstate() or be R's integers; got {type(state).__name__} "
                f"of shape {vector.shape} and dtype {vector.dtype}",
            )
        twister = int(vector[0]) % 100 == GENERATOR_CODES[MERSENNE]
        code, position, kept = int(vector[0]), int(vector[1]) if twister else 0, 0.0
        words = (vector[1 + twister :].astype(np.int64) % 2**32).astype(np.uint32)
    if code not in CODES:
        raise RError(
            "'.Random.seed' is not an integer vector of a known kind",
            f"the kind code must be one of {sorted(CODES)}; got {code}",
        )
    kind = CODES[code][0]
    size = OTHERS[kind].size if kind in OTHERS else WORDS
    if words.size != size or not 0 <= position <= WORDS:
        raise RError(
            "'.Random.seed' has wrong length",
            f"a state of {kind} has {size} words and a position in 0..624; got {words.size} and {position}",
        )
    return CODES[code], words, position, kept
