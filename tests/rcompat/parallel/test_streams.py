"""R's nextRNGStream and nextRNGSubStream."""

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom


def test_streams_that_r_gave():
    seed = RRandom(1, kind="L'Ecuyer-CMRG").random_seed
    stream = rcompat.nextRNGStream(seed)
    assert stream.dtype == np.int32
    assert stream.tolist() == [10407, 4246464, -231956060, -471632796, 1620595781, 533443421, 594164961]
    assert rcompat.nextRNGSubStream(seed).tolist() == [
        10407, 1758599292, 395847541, 373354099, -1616541142, 1293554115, -1180290192,
    ]  # fmt: skip
    rng = RRandom(5)
    rng.setstate(stream)
    assert rng.random_seed.tolist() == stream.tolist()


def test_what_is_no_state():
    seed = RRandom(1, kind="L'Ecuyer-CMRG").random_seed
    for bad in (RRandom(1).random_seed, seed[:6], seed.astype(float), None, "a", [10403, 1, 2, 3, 4, 5, 6]):
        for function in (rcompat.nextRNGStream, rcompat.nextRNGSubStream):
            with pytest.raises(RError, match="invalid value of 'seed'"):
                function(bad)
