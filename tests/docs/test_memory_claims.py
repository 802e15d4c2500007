"""What the page on large data says of the memory of fits, against what `memory_limit` counts with."""

import re
import tracemalloc

import numpy as np
import pytest

from sparsek import SKFR, KPod, PowerKMeans, SparseKMeans, set_engine
from sparsek.sources.source import COPIED_ENTRIES
from tests.places import ROOT

CLAIMS = {
    "SKFR": SKFR(),
    "SKFR with an option that needs all rows at once": SKFR(winsorize=3.0),
    "SparseKMeans": SparseKMeans(),
    "SparseKMeans with absolute differences": SparseKMeans(dissimilarity="absolute"),
    "KPod": KPod(),
    "PowerKMeans": PowerKMeans(),
}


@pytest.mark.parametrize("model", [SKFR(10), SKFR(10, 10)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_small_data_take_what_the_page_says(model):
    page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
    words = re.search(r"Data of up to (\d+) MB may take (\d+) times their size", page)
    megabytes, times = map(int, words.groups())
    assert round(COPIED_ENTRIES * 8 / 1e6) == megabytes
    X = np.random.default_rng(0).normal(size=(400, 1000))
    model = model.set_params(random_state=0, max_iter=10)
    with set_engine("numpy"):  # which takes the most
        model.fit(X[:50])  # imports
        tracemalloc.start()
        model.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= times * X.nbytes


def test_the_page_tells_what_memory_limit_counts_with():
    page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
    for words, model in CLAIMS.items():
        assert (
            f"{model._copies:g} times their size ({words})" in page
            or f"{model._copies:g} times ({words})" in page
        )
