"""Lloyd's algorithm in loops, in Python and compiled, against the array form."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SparseKMeans, set_engine
from sparsek.core.scaling import prepare
from sparsek.methods.sparse_kmeans import compiled, loops
from sparsek.methods.sparse_kmeans.compiled import compiled_lloyd
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows
from sparsek.sources.protocol import Subspace


@dataclass
class Problem:
    """Rows as given, prepared ones and the map between them; a subspace, a start, and a cap."""

    X: np.ndarray
    Z: np.ndarray
    scaling: object
    subspace: Subspace
    labels: np.ndarray
    k: int
    weights: np.ndarray | None
    max_iter: int

    @classmethod
    def of(cls, rng, n, p, k, m, **options):
        """Groups of rows; `options` choose ties, weights, type, offset, spread and empty clusters."""
        X = rng.standard_normal((n, p)) + rng.normal(0, 1.5, (k, p))[rng.integers(k, size=n)]
        X = np.round(X[rng.integers(n, size=n)]) if options.get("ties") else X
        X = (X + options.get("offset", 0.0)).astype(options.get("dtype", np.float64))
        weights = rng.integers(1, 4, n).astype(X.dtype) if options.get("weighted") else None
        Z, scaling = prepare(X, weights, standardize=options.get("standardize", False), exact=True)
        columns = np.sort(rng.choice(p, m, replace=False))
        subspace = Subspace(columns, np.sqrt(rng.uniform(0.1, 1, m)))
        labels = rng.integers(max(1, k - options.get("empty", 0)), size=n).astype(np.int32)
        return cls(X, Z, scaling, subspace, labels, k, weights, options.get("max_iter", 300))

    def rows(self):
        """The prepared rows with the labels of the start."""
        return array_rows(self.Z, self.labels, self.k, self.weights, self.scaling.grid)

    def check(self, run, known=False):
        """Both forms give the same, from prepared rows and from rows as given."""
        rows = self.rows()
        sums = rows.sums() if known else None
        narrow = rows.narrowed(self.subspace, sums)
        expected = lloyd(narrow, self.max_iter)
        whole = array_rows(self.Z, narrow.labels, self.k, self.weights, self.scaling.grid).sums().whole
        chosen = np.append(self.subspace.columns, -1)
        options = {"run": run, "max_iter": self.max_iter, "weights": self.weights}
        options["whole"] = None if sums is None else sums.whole[:, chosen]
        options["rounded"] = self.X.dtype == np.float64
        for X, scaling in ((self.Z, None), (self.X, self.scaling)):
            found = compiled_lloyd(
                X, scaling, self.subspace, self.labels, self.k, rows.reader.steps.grid, **options
            )
            assert np.array_equal(found.labels, narrow.labels)
            assert (found.n_iter, found.converged) == (expected.n_iter, expected.converged)
            assert np.array_equal(found.whole, whole[:, chosen])


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 5))
    p = draw(st.integers(1, 12))
    options = {
        "ties": draw(st.booleans()),
        "weighted": draw(st.booleans()),
        "dtype": draw(st.sampled_from([np.float64, np.float32])),
        "standardize": draw(st.booleans()),
        "offset": draw(st.sampled_from([0.0, 0.3, 1e4])),
        "empty": draw(st.integers(0, 3)),
        "max_iter": draw(st.sampled_from([1, 2, 300])),
    }
    return Problem.of(rng, k + draw(st.integers(1, 60)), p, k, draw(st.integers(1, p)), **options)


@settings(max_examples=35)
@given(problems(), st.booleans())
@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_the_loops_take_the_path_of_the_arrays(problem, known):
    problem.check(loops.lloyd, known)


@pytest.mark.compiled
@settings(max_examples=60, deadline=None)
@given(problems(), st.booleans())
@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_the_compiled_loops_take_the_path_of_the_arrays(problem, known):
    problem.check(None, known)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("m", [5, 40])
def test_rows_are_skipped_and_tiles_filled_without_another_label(seed, m):
    rng = np.random.default_rng(seed)
    Problem.of(rng, 7000, 40, 7, m, ties=seed == 3, standardize=seed == 1, offset=5.0).check(None)


def test_rows_that_cannot_move_are_not_read(monkeypatch):
    problem = Problem.of(np.random.default_rng(0), 900, 6, 3, 6)
    read, plain = [], loops.read_rows.plain

    def read_rows(view, rows, filled, tile):
        read.append(filled)
        plain(view, rows, filled, tile)

    monkeypatch.setattr(loops, "read_rows", read_rows)
    found = compiled_lloyd(
        problem.Z,
        None,
        problem.subspace,
        problem.labels,
        3,
        problem.rows().reader.steps.grid,
        run=loops.lloyd,
    )
    assert found.n_iter > 4
    assert sum(read) < 0.6 * found.n_iter * 900


def test_many_columns_of_large_data_are_not_copied(monkeypatch):
    monkeypatch.setattr(compiled, "SMALL_ENTRIES", 50)
    rows = compiled._ReadColumns(np.ones((30, 9)), None, np.arange(6), False)
    assert rows.copied() is rows
    few = rows._replace(columns=np.array([1, 3])).copied()
    assert few.X.shape == (30, 3)


@pytest.mark.compiled
@pytest.mark.parametrize("l1_bound", [2.0, None])
@pytest.mark.parametrize("refine", [False, True])
def test_both_engines_give_the_same_fit(l1_bound, refine):
    X = np.random.default_rng(0).standard_normal((300, 30))
    X[:150, :5] += 2
    fits = []
    for engine in ("numpy", "compiled"):
        with set_engine(engine):
            model = SparseKMeans(4, l1_bound=l1_bound, refine=refine, n_init=4, random_state=0)
            fits.append(model.fit(X))
    assert np.array_equal(fits[0].labels_, fits[1].labels_)
    assert np.array_equal(fits[0].start_objectives_, fits[1].start_objectives_)
    assert np.array_equal(fits[0].start_n_iter_, fits[1].start_n_iter_)
