"""`predict` gives rows of a fit their labels, or a warning tells of it and the text on `labels_` says why."""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import sparsek
from sparsek.errors import PredictionWarning
from tests.variants import FIRST, SEARCHES, VARIANTS, make

FORMS = [
    "SKFR(3, 2, missing='mm', n_init=2)",
    "SKFR(3, 2, loss='absolute', n_init=2)",
    "SKFR(3, 2, loss='cosine', standardize=False, n_init=2)",
    "SKFR(projection='nonnegative', n_init=2)",
    "SKFR(3, 2, winsorize=2.0, n_init=2)",
    "SparseKMeans(init='robin')",
    "WeightedRobustSparseKMeans(init='k-means++', n_init=2)",
    "WeightedRobustSparseKMeans(max_iter=1, n_init=2)",
    "RobustSparseKMeans(max_iter=1, n_init=2)",
    "SKFR(max_iter=1, n_init=2)",
    "KPod(max_iter=1, n_init=2)",
    "MinMaxKMeans(refine=True)",
    "PowerKMeans(polish=True)",
    "EntropyWeightedKMeans(max_iter=1, n_init=2)",
]
DRAWS = np.random.default_rng(53)


def groups():
    """24 rows of four groups that overlap, in two of five columns."""
    X = DRAWS.normal(size=(24, 5))
    X[:, :2] += 3 * DRAWS.normal(size=(4, 2))[DRAWS.integers(4, size=24)]
    return X


SETS = [groups() for _ in range(6)]
EVERY = [text for text in VARIANTS + FORMS if hasattr(make(text), "predict")]
PAIRS = {"must_link": [(0, 1), (2, 9), (5, 6)], "cannot_link": [(0, 2), (3, 4), (7, 8)]}


def compared(model, X, **given):
    """How many labels of a fit `predict` does not give, and what it warned of: of these, and of its end."""
    known = model.get_params()
    chosen = {"n_clusters": 4, "random_state": 0, "n_init": 1, "l1_bound": 1.356}
    model.set_params(**{name: value for name, value in chosen.items() if name in known})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, **given)
    told = [entry.message for entry in caught if isinstance(entry.message, PredictionWarning)]
    ended = any(issubclass(entry.category, ConvergenceWarning) for entry in caught)
    return int(np.count_nonzero(model.predict(X) != model.labels_)), told, ended


def says_why(model):
    """Whether the text of `labels_` speaks of `predict` and of the warning."""
    (text,) = re.findall(r"^    labels_ : [^\n]*\n((?:        [^\n]*\n)+)", type(model).__doc__, re.M)
    return "`predict`" in text and "PredictionWarning" in text


@pytest.mark.parametrize("text", EVERY)
def test_predict_gives_labels_or_a_warning(text) -> None:
    for X in SETS[:2] if text in SEARCHES or text not in FIRST else SETS:
        model = make(text)
        other, told, ended = compared(model, X)
        assert other == 0 or told or ended
        assert bool(other) >= bool(told)
        if told:
            assert f"predict gives {other} of the 24 rows" in str(told[0])
            assert says_why(model)


def test_row_weights_of_two_kinds_are_told_of() -> None:
    """`cluster_centers_` have the smaller weights of two, and labels were found with those of one."""
    found = [
        compared(sparsek.WeightedRobustSparseKMeans(n_init=1, init=init), X)
        for X in SETS
        for init in ("robin", "k-means++")
    ]
    assert sum(other > 0 for other, *_ in found) > 0
    assert all(bool(other) == bool(told) for other, told, _ in found)


@pytest.mark.parametrize("name", ["PCKMeans", "MPCKMeans", "PCSparseKMeans"])
def test_predict_knows_no_pairs(name) -> None:
    model = getattr(sparsek, name)()
    found = [compared(model, X, **PAIRS) for X in SETS[:4]]
    assert all(bool(other) == bool(told) for other, told, _ in found)
    assert any(told and "predict knows no pairs" in str(told[0]) for _, told, _ in found)
    assert says_why(model)


def test_hard_pairs_are_kept_by_predict() -> None:
    for X in SETS[:4]:
        assert compared(sparsek.COPKMeans(), X, **PAIRS)[:2] == (0, [])


@pytest.mark.parametrize(
    "text",
    ["IFPCA(postselection='complete')", "MinMaxKMeans(variant='r')", "SparseMinMaxKMeans()", "MADDKMeans()"],
)
def test_a_class_that_can_predict_otherwise_says_so(text) -> None:
    model = make(text)
    assert model._predicts_otherwise
    assert says_why(model)


def test_searches_pass_on_no_warning_of_predictions() -> None:
    model = sparsek.WeightedRobustSparseKMeans(4, l1_bound=1.356, n_init=2)
    search = sparsek.ConsensusClustering(model, (3, 4), n_resamples=6, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(SETS[0])
    assert not any(issubclass(entry.category, PredictionWarning) for entry in caught)
