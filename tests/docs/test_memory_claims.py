"""What the page on large data says of the memory of fits, against what `memory_limit` counts with."""

from sparsek import SKFR, KPod, PowerKMeans, SparseKMeans
from tests.places import ROOT

CLAIMS = {
    "SKFR": SKFR(),
    "SKFR with an option that needs all rows at once": SKFR(winsorize=3.0),
    "SparseKMeans": SparseKMeans(),
    "SparseKMeans with absolute differences": SparseKMeans(dissimilarity="absolute"),
    "KPod": KPod(),
    "PowerKMeans": PowerKMeans(),
}


def test_the_page_tells_what_memory_limit_counts_with():
    page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
    for words, model in CLAIMS.items():
        assert (
            f"{model._copies:g} times their size ({words})" in page
            or f"{model._copies:g} times ({words})" in page
        )
