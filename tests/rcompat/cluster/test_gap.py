"""R's clusGap and maxSE: what their records cannot say."""

import numpy as np
import pytest

from sparsek.errors import BlasDependentWarning, RError, RWarning
from sparsek.rcompat import clusGap, cutree, dist, hclust, kmeans, maxSE, set_seed
from sparsek.rcompat.cluster.api_gap import box_around
from sparsek.rng import RRandom

ROWS = np.array([[0.0], [0.2], [0.3], [0.5], [4.0], [4.1], [4.3], [4.6]])


def tree(x, k):
    return {"cluster": cutree(hclust(dist(x)), k)}


def test_the_dispersion_is_that_of_the_paper():
    gap = clusGap(ROWS, tree, 2, B=2, spaceH0="original", d_power=2, rng=RRandom(1))
    within = [((part - part.mean()) ** 2).sum() for part in (ROWS[:4], ROWS[4:])]
    assert gap.Tab[0, 0] == pytest.approx(
        np.log(((ROWS - ROWS.mean()) ** 2).sum() / 2), rel=1e-12
    )  # rounding
    assert gap.Tab[1, 0] == pytest.approx(np.log(sum(within) / 2), rel=1e-12)
    assert maxSE(gap.Tab[:, 2], gap.Tab[:, 3]) == 2


def test_the_stream_of_the_context_is_taken_and_that_of_an_argument():
    set_seed(3)
    first = clusGap(ROWS, kmeans, 3, B=2, spaceH0="orig")
    again = clusGap(ROWS, kmeans, 3, B=2, spaceH0="orig", rng=RRandom(3))
    assert first.Tab.tolist() == again.Tab.tolist()
    assert (first.n, first.B, first.spaceH0, first.FUNcluster) == (8, 2, "original", kmeans)


def test_text_of_one_data_set_leaves_out_the_number_of_clusters(capsys):
    gap = clusGap(ROWS, kmeans, 2, B=1, spaceH0="original", rng=RRandom(1))
    assert "Number of clusters" not in str(gap)
    with pytest.raises(RError, match=r"SE.f >= 0 are not all TRUE"):
        gap.print()
    more = clusGap(ROWS, kmeans, 2, B=2, spaceH0="original", rng=RRandom(1))
    more.print("globalmax")
    assert "(method 'globalmax'): 2" in capsys.readouterr().out
    assert "(method 'firstSEmax', SE.factor=1): 2" in str(more)


def test_reference_data_fill_the_box_of_the_principal_axes():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    x = np.random.default_rng(1).uniform(size=(60, 2)) * [10, 0.5] @ turn + 3
    box = box_around(x, principal=True)
    drawn = box.draw(RRandom(1))
    assert drawn.shape == x.shape
    along = (np.array([drawn, x]) - box.middle) @ box.axes.T
    slack = 1e-12  # rounding of the rotation
    assert (along >= box.low - slack).all()
    assert (along <= box.high + slack).all()
    assert (box.high - box.low)[1] < 0.6 < 6 < (box.high - box.low)[0]


def test_axes_that_rest_on_rounding_are_told():
    x = np.random.default_rng(1).normal(size=(4, 5))
    with pytest.warns(BlasDependentWarning, match="of 1 of 4 axes"):
        clusGap(x, tree, 2, B=2, rng=RRandom(1))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_values_have_no_axes(value):
    x = np.vstack([ROWS, [[value]]])
    with pytest.raises(RError, match="infinite or missing values in 'x'"):
        clusGap(x, lambda x, k: {"cluster": np.ones(len(x))}, 2, B=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"FUNcluster": "kmeans"}, r"is.function\(FUNcluster\) is not TRUE"),
        ({"x": ROWS[:, 0]}, r"length\(dim\(x\)\) == 2 is not TRUE"),
        ({"K_max": 1}, r"K.max >= 2 is not TRUE .*got K_max=1"),
        ({"B": 1.5}, "'B' has to be a positive integer .*got B=1.5"),
        ({"spaceH0": "foo"}, "'arg' should be one of “scaledPCA”, “original”"),
        ({"FUNcluster": lambda x, k: 1}, r"\$ operator is invalid for atomic vectors"),
    ],
)
def test_errors_of_r(arguments, message):
    given = {"x": ROWS, "FUNcluster": kmeans, "K_max": 3, "B": 2, "spaceH0": "original"} | arguments
    with pytest.raises(RError, match=message):
        clusGap(**given)


def test_labels_of_another_length():
    with pytest.raises(ValueError, match="FUNcluster gave 2 labels for 8 rows"):
        clusGap(ROWS, lambda x, k: {"cluster": [1, 2]}, 2, B=2, spaceH0="original")


def test_maxima_of_missing_values():
    missing = [np.nan, np.nan]
    assert maxSE(missing, [1, 1], "globalmax") is None
    with (
        pytest.warns(RWarning, match="first element used of 'length.out' argument"),
        pytest.raises(RError, match="argument must be coercible to non-negative integer"),
    ):
        maxSE(missing, [1, 1], "globalSEmax")
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        maxSE([1, 3, np.nan], [0, 0, 0])


@pytest.mark.parametrize(
    ("method", "chosen"),
    [
        ("firstSEmax", (2, 1, 2, 1, 2, 1, 2)),
        ("Tibs2001SEmax", (2, 1, 2, 1, 1, 1, 2)),
        ("globalSEmax", (2, 1, 2, 1, 2, 1, 2)),
        ("firstmax", (2, 1, 2, 1, 3, 1, 2)),
        ("globalmax", (2, 1, 4, 1, 3, 1, 2)),
    ],
)
def test_values_equal_to_their_bound_are_chosen(method: str, chosen: tuple[int, ...]) -> None:
    """What R's cluster answers where a value equals a bound, or another value."""
    curves = (
        ([1, 2, 2], [0, 0, 0]),
        ([3, 2.5, 3], [0.5, 0.5, 0.5]),
        ([1, 2, 1.5, 3], [0, 0.5, 0.5, 1]),
        ([2, 2, 2], [0, 0, 0]),
        ([1, 1.5, 2], [0, 0.5, 0.5]),
        ([4, 3, 2], [1, 1, 1]),
        ([1, 3, 2.5, 2.75], [0.25, 0.25, 0.5, 0.25]),
    )
    assert tuple(maxSE(values, errors, method) for values, errors in curves) == chosen
