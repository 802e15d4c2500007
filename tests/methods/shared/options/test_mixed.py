"""Tables with categories in the estimators that take them: coordinates, ranking, results, refusals."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR, KPod, ModelChoice, RobustSparseKMeans, SparseKMeans, set_engine, skfr_path
from sparsek.inputs.mixed import coding_of
from sparsek.plots import plot_centers, plot_elbow, plot_missing, plot_silhouette, plot_weights
from sparsek.rcompat import recodmix
from sparsek.sources.source import ArraySource, RowProblem

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::sparsek.errors.SelectionWarning"
)  # small random data

ENGINES = ("numpy", "compiled")
EACH = pytest.mark.parametrize("model", [SKFR, SparseKMeans, KPod])


MOODS = ["bad", "fair", "good", "great"]


def survey(n: int = 90, seed: int = 0) -> pd.DataFrame:
    """Three groups of answers in an income, a job and a column of noise of each kind."""
    g = np.random.default_rng(seed)
    group = np.arange(n) % 3
    job = np.where(g.random(n) < 0.85, np.array(["cook", "nurse", "smith"])[group], "clerk")
    return pd.DataFrame({
        "income": g.normal(size=n) + 4 * group,
        "age": g.normal(size=n),
        "job": job,
        "town": pd.Categorical(g.choice(["north", "south", "west"], n)),
        "mood": pd.Categorical(np.array(MOODS)[g.integers(0, 4, n)], MOODS, ordered=True),
    })  # fmt: skip


def literal_columns(frame: pd.DataFrame, weights: np.ndarray, ddof: int) -> list[np.ndarray]:
    """Centred and scaled columns of each variable, one by one, by the formulas of PCAmix."""
    total, found = weights.sum(), []
    for name in frame:
        values = frame[name]
        if values.dtype == "category" and values.cat.ordered:
            values = values.cat.codes + 1.0
        if values.dtype.kind == "f":
            mean = (weights * values).sum() / total
            spread = np.sqrt((weights * (values - mean) ** 2).sum() / (total - ddof))
            found.append(((values - mean) / spread).to_numpy()[:, None])
            continue
        columns = []
        for level in sorted(set(values)):
            x = (values == level).to_numpy().astype(float)
            share = (weights * x).sum() / total
            columns.append((x - share) / np.sqrt(share) * np.sqrt((total - ddof) / total))
        found.append(np.column_stack(columns))
    return found


def coordinates(frame: pd.DataFrame, standardize: bool, ddof: int, weights: Any = None) -> tuple[Any, Any]:
    """The coding of a frame, and the problem that fits get."""
    coding = coding_of(frame, np.zeros(frame.shape[1], bool))
    assert coding is not None
    values = coding.expand(np.asarray(coding.table(frame)))
    source = ArraySource(values, weights, np.ones(len(values), bool), levels=coding.is_level)
    return coding, RowProblem.of(source, source.moments(), 2, standardize, ddof)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_are_those_of_pcamix(ddof: int, weighted: bool) -> None:
    frame = survey()
    weights = np.random.default_rng(1).integers(1, 4, len(frame)).astype(float) if weighted else None
    coding, problem = coordinates(frame, True, ddof, weights)
    own = np.ones(len(frame)) if weights is None else weights
    expected = np.hstack(literal_columns(frame, own, ddof))
    np.testing.assert_allclose(problem.prepared(np.arange(len(frame))), expected, rtol=0, atol=1e-12)
    variances = coding.totals(problem.column_total) / (own.sum() - ddof)
    np.testing.assert_allclose(variances, [1, 1, 3, 2, 1], rtol=1e-12)


def test_columns_without_standardisation_keep_numbers_and_have_variance_m_minus_1() -> None:
    frame = survey()
    coding, problem = coordinates(frame, False, 1)
    variances = coding.totals(problem.column_total) / len(frame)
    np.testing.assert_allclose(variances[2:4], [3, 2], rtol=1e-12)
    np.testing.assert_allclose(variances[0], frame["income"].var(ddof=0), rtol=1e-12)


def test_columns_are_those_of_vimpclust() -> None:
    frame = survey().drop(columns="mood").astype({"job": "category"})
    _, problem = coordinates(frame, True, 0)
    expected = np.asarray(recodmix(frame)["Z"])
    np.testing.assert_allclose(problem.prepared(np.arange(len(frame))), expected, rtol=0, atol=1e-12)


def literal_skfr(
    columns: list[np.ndarray], labels: np.ndarray, k: int, s: int
) -> tuple[Any, list[int], float]:
    """Variables with the largest gain per degree of freedom, and nearest means there, by loops.

    Also the smallest gap between what is chosen and what is not.
    """
    degrees = [max(1, block.shape[1] - 1) for block in columns]
    closest = np.inf
    while True:
        gains = []
        for block, degree in zip(columns, degrees, strict=True):
            gain = 0.0
            for m in range(k):
                if (labels == m).any():
                    gain += (labels == m).sum() * (block[labels == m].mean(axis=0) ** 2).sum()
            gains.append(gain / degree)
        order = np.argsort(-np.array(gains), kind="stable")
        if s < len(gains):
            closest = min(closest, gains[order[s - 1]] - gains[order[s]])
        chosen = sorted(order[:s].tolist())
        Z = np.hstack([columns[j] for j in chosen])
        new = np.empty_like(labels)
        for i, row in enumerate(Z):
            far = []
            for m in range(k):
                center = Z[labels == m].mean(axis=0) if (labels == m).any() else np.zeros(Z.shape[1])
                far.append(((row - center) ** 2).sum())
            new[i] = int(np.argmin(far))
            closest = min(closest, float(np.diff(np.sort(far))[0]))
        if (new == labels).all():
            return labels, chosen, closest
        labels = new


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 5))
def test_skfr_is_the_literal_algorithm(seed: int, k: int, s: int) -> None:
    frame = survey(30, seed)
    assume(all(frame[name].nunique() > 1 for name in frame))
    labels = np.append(np.arange(k), np.random.default_rng(seed).integers(k, size=len(frame) - k))
    expected, chosen, gap = literal_skfr(literal_columns(frame, np.ones(30), 1), labels, k, s)
    assume(gap > 1e-9)
    for engine in ENGINES:
        with set_engine(engine):
            fit = SKFR(k, s, init=labels).fit(frame)
        assert fit.get_support(indices=True).tolist() == chosen
        assert fit.labels_.tolist() == expected.tolist()
        assert fit.predict(frame).tolist() == expected.tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("options", [{}, {"scope": "local"}, {"missing": "mm"}, {"refine": True}])
def test_engines_have_equal_bits(options: dict[str, Any]) -> None:
    frame = survey()
    if "missing" in options:
        frame.loc[::7, "job"] = None
    found = []
    for engine in ENGINES:
        with set_engine(engine):
            found.append(SKFR(3, 2, random_state=0, **options).fit(frame))
    for name in ("labels_", "feature_weights_", "cluster_centers_", "criterion_history_"):
        np.testing.assert_array_equal(*(getattr(fit, name) for fit in found))


def test_results_speak_of_variables() -> None:
    frame = survey()
    fit = SKFR(3, 2, random_state=0).fit(frame)
    assert fit.n_features_in_ == 5
    assert fit.feature_names_in_.tolist() == frame.columns.tolist()
    assert fit.get_selected_names().tolist() == ["income", "job"]
    assert fit.selected_features_.tolist() == [0, 2]
    assert fit.feature_weights_.shape == fit.feature_gains_.shape == (5,)
    assert fit.restart_table_["selected"].map(len).eq(2).all()
    shares = pd.crosstab(fit.labels_, frame["job"], normalize="index").to_numpy()
    np.testing.assert_allclose(fit.cluster_centers_[:, 2:6], shares, atol=1e-12)
    summary = fit.summary()
    assert summary.features["feature"].head(2).tolist() == ["income", "job"]
    centers = summary.tables["Centres"]
    assert centers["column"].tolist() == ["income", "job=clerk", "job=cook", "job=nurse", "job=smith"]
    np.testing.assert_allclose(centers.iloc[1:, 1:].to_numpy(float).sum(axis=0), 1, rtol=1e-12)
    explained = fit.feature_gains_[[0, 2]] / ((len(frame) - 1) * np.array([1, 3]))
    np.testing.assert_allclose(fit.feature_weights_[[0, 2]], explained, rtol=1e-10)
    assert fit.summary().tables[""].iloc[1, 1] == "5"


def test_one_set_for_each_cluster() -> None:
    fit = SKFR(3, 2, scope="local", random_state=0).fit(survey())
    assert fit.selected_features_.shape == (3, 2)
    assert fit.feature_weights_.shape == (3, 5)
    assert ((fit.feature_weights_ > 0).sum(axis=1) == 2).all()


def test_the_number_of_variables_is_chosen() -> None:
    fit = SKFR(3, random_state=0).fit(survey(150))
    assert fit.get_selected_names().tolist() == ["income", "job"]
    assert fit.selection_path_["n_features_to_select"].max() == 5


def test_always_never_groups_and_paths_are_of_variables() -> None:
    frame = survey()
    fit = SKFR(3, 2, always=["town"], never=["income"], random_state=0).fit(frame)
    assert fit.get_selected_names().tolist() == ["job", "town"]
    groups = {"wealth": ["income", "job"], "rest": ["age", "town", "mood"]}
    fit = SKFR(3, 1, groups=groups, random_state=0).fit(frame)
    assert fit.selected_groups_.tolist() == ["wealth"]
    assert fit.get_selected_names().tolist() == ["income", "job"]
    path = skfr_path(SKFR(3, random_state=0), frame, [2, 5])
    assert [len(selected) for selected in path.selected] == [5, 2]


@EACH
def test_numbers_alone_have_the_bits_of_an_array(model: Any) -> None:
    frame = survey()[["income", "age"]].assign(flag=np.arange(90) % 2 == 0)
    X = frame.to_numpy(float)
    a, b = model(3, random_state=0).fit(frame), model(3, random_state=0).fit(X)
    for name in ("labels_", "cluster_centers_", "criterion_history_"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_two_levels_are_a_standardised_number() -> None:
    frame = survey()[["income", "age"]].assign(flag=np.arange(90) % 2 == 0)
    number, category = (SKFR(3, 2, random_state=0, categories=names).fit(frame) for names in (None, ["flag"]))
    assert number.labels_.tolist() == category.labels_.tolist()
    np.testing.assert_allclose(number.objective_, category.objective_, rtol=1e-12)
    np.testing.assert_allclose(number.feature_gains_, category.feature_gains_, rtol=1e-9, atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.permutations(["north", "south", "west"]))
def test_names_and_orders_of_levels_and_rows_change_names_only(seed: int, order: list[str]) -> None:
    frame = survey(60, seed)
    start = np.arange(60) % 3
    rows = np.random.default_rng(seed).permutation(60)
    fit = SKFR(3, 3, init=start).fit(frame)
    renamed = frame.assign(
        job=frame["job"].map({"cook": "z", "nurse": "b", "smith": "a", "clerk": "é"}),
        town=frame["town"].cat.reorder_categories(order),
    )
    for other, places in ((SKFR(3, 3, init=start).fit(renamed), slice(None)),
                          (SKFR(3, 3, init=start[rows]).fit(frame.iloc[rows]), rows)):  # fmt: skip
        np.testing.assert_allclose(other.objective_, fit.objective_, rtol=1e-12)
        assert other.labels_.tolist() == fit.labels_[places].tolist()
        assert other.selected_features_.tolist() == fit.selected_features_.tolist()


@pytest.mark.parametrize("change", [
    lambda f: f.astype({"job": "category"}),
    lambda f: f.astype({"job": object, "town": object}),
    lambda f: f.astype({"job": "string"}),
    lambda f: f.astype({"town": pd.CategoricalDtype(["south", "east", "west", "north"])}),
    lambda f: pl.from_pandas(f.astype({"mood": object})).with_columns(
        pl.col("mood").cast(pl.Enum(["bad", "fair", "good", "great"]))),
    lambda f: pl.from_pandas(f.astype({"mood": object})).with_columns(
        pl.col("mood").cast(pl.Enum(["bad", "fair", "good", "great"]))).to_arrow(),
])  # fmt: skip
def test_every_container_gives_the_same_fit(change: Any) -> None:
    frame = survey()
    expected = SKFR(3, 3, n_init=3, random_state=0).fit(frame)
    fit = SKFR(3, 3, n_init=3, random_state=0).fit(change(frame))
    assert fit.labels_.tolist() == expected.labels_.tolist()
    assert fit.predict(change(frame)).tolist() == expected.labels_.tolist()
    assert fit.feature_names_in_.tolist() == frame.columns.tolist()


@EACH
def test_weights_are_repeated_rows_and_0_leaves_a_row_out(model: Any) -> None:
    frame = survey()
    weights = np.random.default_rng(3).integers(1, 4, len(frame))
    weights[5] = 0
    frame.loc[5, "job"] = "judge"  # a level of this row alone
    options: dict[str, Any] = {"standardize": True, "init": np.arange(90) % 3}
    sizes: dict[Any, dict[str, Any]] = {SKFR: {"n_features_to_select": 3}, SparseKMeans: {"l1_bound": 1.9}}
    options |= sizes.get(model, {})
    a = model(3, **options).fit(frame, sample_weight=weights)
    repeated = frame.loc[np.repeat(np.arange(90), weights)].reset_index(drop=True)
    b = model(3, **options | {"init": np.repeat(np.arange(90) % 3, weights)}).fit(repeated)
    np.testing.assert_allclose(a.criterion_history_[-1], b.criterion_history_[-1], rtol=1e-10)
    assert a.labels_[np.repeat(np.arange(90), weights)].tolist() == b.labels_.tolist()


def test_weights_of_sparse_k_means_are_a_group_soft_threshold() -> None:
    frame = survey()
    columns = literal_columns(frame, np.ones(len(frame)), 1)
    degrees = np.array([1, 1, 3, 2, 1])
    for engine in ENGINES:
        with set_engine(engine):
            fit = SparseKMeans(3, l1_bound=1.9, standardize=True, random_state=0).fit(frame)
        bcss = [
            sum((fit.labels_ == m).sum() * block[fit.labels_ == m].mean(axis=0) ** 2 for m in range(3))
            for block in columns
        ]
        norms = np.array([np.linalg.norm(block) for block in bcss])
        weights = fit.feature_weights_
        np.testing.assert_allclose(np.linalg.norm(weights), 1, rtol=1e-12)
        np.testing.assert_allclose(weights @ np.sqrt(degrees), 1.9, rtol=1e-9)
        used = weights > 0
        first, second = np.flatnonzero(used)[:2]
        ratio, roots = weights[first] / weights[second], np.sqrt(degrees)
        limit = (norms[first] - ratio * norms[second]) / (roots[first] - ratio * roots[second])
        expected = np.maximum(norms - limit * roots, 0)
        np.testing.assert_allclose(weights, expected / np.linalg.norm(expected), rtol=1e-7, atol=1e-12)
        assert fit.get_selected_names()[:2].tolist() == ["income", "job"]
        assert fit.predict(frame).tolist() == fit.labels_.tolist()


def test_missing_values_are_refused_where_data_must_be_complete() -> None:
    frame = survey()
    frame.loc[3, "job"] = None
    with pytest.raises(
        ValueError, match=r"1 of its 450 cells are missing, the first in row 3, column 2 \('job'\)"
    ):
        SparseKMeans(3).fit(frame)


@pytest.mark.parametrize("missing", ["observed", "mm"])
def test_missing_categories_in_skfr(missing: str) -> None:
    frame = survey()
    frame.loc[::9, "job"], frame.loc[4, "income"], frame.loc[7, "mood"] = None, np.nan, None
    fit = SKFR(3, 2, missing=missing, random_state=0).fit(frame)
    assert fit.get_selected_names().tolist() == ["income", "job"]
    assert fit.summary().tables[""].iloc[2, 1] == "12"
    if missing == "observed":
        assert fit.predict(frame).tolist() == fit.labels_.tolist()


def test_kpod_has_the_means_of_observed_cells_and_nearest_rows() -> None:
    frame = survey()
    frame.loc[::9, "job"], frame.loc[4, "income"] = None, np.nan
    fit = KPod(3, standardize=True, random_state=0).fit(frame)
    known = frame["job"].notna()
    shares = pd.crosstab(fit.labels_[known], frame["job"][known], normalize="index").to_numpy()
    np.testing.assert_allclose(fit.cluster_centers_[:, 2:6], shares, atol=1e-12)
    assert fit.predict(frame).tolist() == fit.labels_.tolist()
    np.testing.assert_allclose(-fit.score(frame), fit.inertia_, rtol=1e-12)


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_impute_fills_levels(kind: str) -> None:
    frame = survey()
    frame.loc[[0, 4, 8], "job"], frame.loc[10, "income"] = None, np.nan
    if kind == "array":
        X: Any = frame.drop(columns="mood").to_numpy(object)
        fit = KPod(3, standardize=True, random_state=0, categories=[2, 3]).fit(X)
        assert fit.impute()[[0, 4, 8], 2].tolist() == ["cook", "nurse", "smith"]
        return
    given = frame if kind == "pandas" else pl.from_pandas(frame)
    fit = KPod(3, standardize=True, random_state=0).fit(given)
    for filled in (fit.impute(), fit.impute(given)):
        assert type(filled) is type(given)
        assert list(filled.columns) == list(given.columns)
        assert [filled["job"][i] for i in (0, 4, 8)] == ["cook", "nurse", "smith"]
        assert filled["age"].to_list() == frame["age"].to_list()
    if kind == "pandas":
        assert fit.impute()["town"].dtype == frame["town"].dtype


def test_arrays_have_categories_by_index() -> None:
    frame = survey()
    codes = {"cook": 3, "nurse": 1, "smith": 7, "clerk": 2}
    X = np.column_stack([frame["income"], frame["age"], frame["job"].map(codes)])
    fit = SKFR(3, 2, categories=[2], random_state=0).fit(X)
    assert fit.get_support(indices=True).tolist() == [0, 2]
    assert fit.summary().tables["Centres"]["column"].tolist() == ["x0", "x2=1", "x2=2", "x2=3", "x2=7"]
    assert fit.predict(X).tolist() == fit.labels_.tolist()
    named = SKFR(3, 2, categories=["mood"], random_state=0).fit(frame)
    assert named.cluster_centers_.shape == (3, 13)


@EACH
def test_new_rows_with_other_levels_or_columns_are_refused(model: Any) -> None:
    frame = survey()
    fit = model(3, random_state=0).fit(frame)
    with pytest.raises(
        ValueError, match=r"column 'job' of X has the level 'judge' in row 3.*levels are 'clerk'"
    ):
        fit.predict(frame.assign(job=[*frame["job"][:3], "judge", *frame["job"][4:]]))
    with pytest.raises(ValueError, match="feature names should match"):
        fit.predict(frame.drop(columns="age"))
    with pytest.raises(ValueError, match="same order"):
        fit.transform(frame[frame.columns[::-1]])
    with pytest.raises(TypeError, match="column 'income' of X has type"):
        fit.predict(frame.assign(income="x"))


@EACH
@pytest.mark.parametrize(("change", "error", "words"), [
    ({"job": ["1", "2", "3"] * 30}, TypeError, "all its texts are real numbers.*to_numeric.*categories="),
    ({"job": ["a", 2, 3.5] * 30}, TypeError, "'a', a str, and 2, a int"),
    ({"job": [f"person {i}" for i in range(90)]}, ValueError, "another text in each of its 90 rows"),
    ({"town": pd.Categorical([None] * 90, ["a"])}, ValueError, "no value in any row"),
    ({"age": pd.date_range("2020", periods=90)}, TypeError, "column 'age' of X has type datetime64"),
    ({"age": np.inf}, ValueError, "infinity"),
])  # fmt: skip
def test_what_is_no_category_is_refused(model: Any, change: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        model(3).fit(survey().assign(**change))


@pytest.mark.parametrize("kind", ["array", "sparse frame", "nullable frame"])
def test_holes_of_any_container_are_filled(kind) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 1:] = np.round(X[:, 1:])
    X[3, 0] = X[4, 1] = X[5, 2] = np.nan
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    sparse = pd.SparseDtype(float, np.nan)
    given = {"array": X, "sparse frame": frame.astype(sparse), "nullable frame": frame.convert_dtypes()}[kind]
    column = [2] if kind == "array" else ["c"]
    found = KPod(2, categories=column, random_state=0).fit(given).impute(given)
    filled, known = np.asarray(found, dtype=float), ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])
    assert filled[5, 2] in X[known[:, 2], 2]
    assert np.isfinite(filled).all()


def test_dates_are_no_categories() -> None:
    X = pd.DataFrame({"a": [1.0, 2, 3], "day": pd.date_range("2020", periods=3)})
    with pytest.raises(TypeError, match=r"column 'day' of X holds dates .* make it texts"):
        SKFR(2, categories=["day"]).fit(X)


@pytest.mark.parametrize("dtype", [complex, object])
def test_complex_numbers_are_no_categories(dtype: Any) -> None:
    X = np.ones((11, 3), dtype=complex).astype(dtype)
    with pytest.raises(TypeError, match=r"column 0 of X has type complex.*; real numbers or"):
        KPod(4, categories=[True, False, False], random_state=0).fit(X)


def test_ragged_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"X cannot be made an array.*same length"):
        KPod(2, categories=[0]).fit([[1.0], [1.0, 2.0]])


def test_too_many_levels_are_refused() -> None:
    X = np.column_stack([np.arange(1500.0), np.arange(1500) % 2])
    with pytest.raises(ValueError, match=r"column 0 of X has 1500 levels.*at most 1000"):
        SKFR(2, categories=[0]).fit(X)


@EACH
@pytest.mark.parametrize(("given", "error", "words"), [
    (["work"], ValueError, "categories names 'work', which is no column of X"),
    ([9], ValueError, "categories has index 9"),
    ("job", ValueError, "categories"),
    (3, ValueError, "categories"),
])  # fmt: skip
def test_what_names_no_column_is_refused(model: Any, given: Any, error: Any, words: str) -> None:
    with pytest.raises((error, TypeError), match=words):
        model(3, categories=given).fit(survey())


@EACH
def test_categories_of_sparse_data_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match=r"categories=\[0\] needs a data frame or a dense array in memory"):
        model(2, categories=[0]).fit(csr_array(np.eye(4)))


@pytest.mark.parametrize("options", [{"loss": "poisson", "standardize": False}, {"loss": "absolute"},
                                     {"projection": "nonnegative"}])  # fmt: skip
def test_losses_of_numbers_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is for numbers, and X has categories; set"):
        SKFR(3, **options).fit(survey())
    with pytest.raises(ValueError, match="dissimilarity='absolute' is for numbers, and X has categories"):
        SparseKMeans(3, dissimilarity="absolute").fit(survey())


def test_other_estimators_name_those_that_take_categories() -> None:
    with pytest.raises(TypeError, match="categories are for SKFR, SparseKMeans and KPod"):
        ModelChoice(RobustSparseKMeans(3), {"n_clusters": [2, 3]}).fit(survey())
    with pytest.raises(ValueError, match="certificate is of fits to numbers"):
        SKFR(3, 2, random_state=0).fit(survey()).certificate(survey())


@pytest.mark.parametrize(
    "model", [SKFR(4, 4), SparseKMeans(4, standardize=True, l1_bound=2.0), KPod(4, standardize=True)]
)
def test_the_documented_example_of_clustmixtype(model: Any) -> None:
    """Two numbers and two factors of four clusters, as `kproto` documents them, with other random numbers."""
    g, n = np.random.default_rng(0), 100
    often = np.array([[0.9, 0.1], [0.1, 0.9]])
    frame = pd.DataFrame({
        "x1": np.concatenate([g.choice(["A", "B"], 2 * n, p=p) for p in often]),
        "x2": np.concatenate([g.choice(["A", "B"], 2 * n, p=p) for p in often]),
        "x3": np.concatenate([g.normal(1.5 * sign, 1, n) for sign in (-1, 1, -1, 1)]),
        "x4": np.concatenate([g.normal(1.5 * sign, 1, n) for sign in (-1, 1, -1, 1)]),
    })  # fmt: skip
    labels = model.set_params(random_state=0).fit(frame).labels_
    assert adjusted_rand_score(np.repeat(range(4), n), labels) > 0.6


def test_a_fit_to_numbers_after_one_to_categories_forgets_them() -> None:
    model = SKFR(3, 1, random_state=0).fit(survey())
    X = survey()[["income", "age"]]
    again = model.fit(X)
    assert again.cluster_centers_.shape == (3, 2)
    assert again.predict(X).tolist() == again.labels_.tolist()


def test_pictures() -> None:
    pytest.importorskip("matplotlib")
    frame = survey()
    fit = SKFR(3, 2, random_state=0).fit(frame)
    names = [text.get_text() for text in plot_weights(fit).get_yticklabels()]
    assert names[:2] == ["income", "job"]
    assert sorted(names[2:]) == ["age", "mood", "town"]
    for ax in (plot_centers(fit), plot_centers(fit, frame)):
        rows = [text.get_text() for text in ax.get_yticklabels()]
        assert rows == ["income", "job=clerk", "job=cook", "job=nurse", "job=smith"]
    plot_silhouette(fit, frame)
    plot_missing(fit, frame)
    plot_elbow(fit, frame, n_clusters=[2, 3])
