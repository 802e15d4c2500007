"""Chunks of a Dask array that are not what it says of them, and how often a fit reads the chunks."""

import re

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import sparsek
from sparsek.sources.dask import rows as _rows
from sparsek.sources.dask.graph import as_chunks, plain_losses
from sparsek.sources.dask.memory import spare_bytes
from sparsek.sources.dask.source import DaskSource
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import RowProblem
from tests.sources.test_dask import CLASSES, assert_same, groups, make

X = groups(120, 6)
LITTLE = "1kB"  # neither chunks nor columns are kept


@pytest.fixture(autouse=True, params=["synchronous", "threads"])
def _scheduler(request):
    """Use the schedulers of this process."""
    with dask.config.set(scheduler=request.param, num_workers=2):
        yield


def stored(X, chunks=(30, 6)):
    """The rows as a Dask array."""
    return da.from_array(X, chunks=chunks)


def told(X, change, where=(2, 0), dtype=float, chunks=(30, 6)):
    """The rows, of which one chunk is changed without a word to Dask."""

    def changed(chunk, block_info):
        return change(chunk) if block_info[0]["chunk-location"] == where else chunk

    return stored(X, chunks).map_blocks(changed, dtype=dtype, meta=np.empty((0, 0), dtype))


SIZE, SHAPE, TYPE = "call X.compute_chunk_sizes() first", "declare the shapes", "convert them by X.map_blocks"
DTYPE = "convert the chunks to one dtype where they are made, and declare this one"


@pytest.mark.parametrize("limit", [None, LITTLE])
@pytest.mark.parametrize(
    ("change", "error", "messages"),
    [
        (lambda x: x[:20], ValueError, ["chunk 2 of X has 20 rows, but 30 are declared", SIZE]),
        (lambda x: np.vstack([x, x]), ValueError, ["chunk 2 of X has 60 rows, but 30 are declared", SIZE]),
        (lambda x: x[:1], ValueError, ["has 1 rows, but 30", SIZE]),
        (lambda x: x[:0], ValueError, ["has 0 rows, but 30", SIZE]),
        (lambda x: x[:, :4], ValueError, ["chunk 2 of X has shape (30, 4), but (30, 6) is declared", SHAPE]),
        (lambda x: np.hstack([x, x]), ValueError, ["has shape (30, 12), but (30, 6)", SHAPE]),
        (lambda x: x[:, 0], ValueError, ["has shape (30,), but (30, 6)", SHAPE]),
        (lambda x: x.astype(object), TypeError, ["has dtype object, but float64 is declared", DTYPE]),
        (lambda x: x.astype(str), TypeError, ["has dtype <U32, but float64", DTYPE]),
        (lambda x: x + 1j, TypeError, ["has dtype complex128, but float64", DTYPE]),
        (sp.csr_array, TypeError, ["chunk 2 of X is of type csr_array", TYPE, "toarray()"]),
        (pd.DataFrame, TypeError, ["chunk 2 of X is of type DataFrame", TYPE]),
        (lambda x: np.ma.masked_greater(x, 1), TypeError, ["is of type MaskedArray", TYPE]),
        (lambda x: x.tolist(), TypeError, ["is of type list", TYPE]),
        (lambda x: None, TypeError, ["is of type NoneType", TYPE]),
    ],
)
def test_a_chunk_that_is_not_as_declared_is_named(change, error, messages, limit):
    for name in CLASSES:
        with pytest.raises(error) as found:
            make(name, memory_limit=limit).fit(told(X, change))
        assert all(part in str(found.value) for part in messages)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (told(X, lambda x: x[:20], (1, 1), chunks=(30, 3)), ValueError, "chunk (1, 1) of X has 20 rows"),
        (
            told(X, lambda x: x[:, :2], (1, 1), chunks=(30, 3)),
            ValueError,
            "of X has shape (30, 2), but (30, 3)",
        ),
        (told(X, lambda x: x.astype(str), dtype=int), TypeError, "has dtype <U32, but int64 is declared"),
        (told(X, lambda x: x + 1j, dtype=int), TypeError, "has dtype complex128, but int64 is declared"),
        (told(X, lambda x: x, dtype=np.float32), TypeError, "has dtype float64, but float32 is declared"),
        (
            told(X, lambda x: X[:5], (0, 0), chunks=((0, 30, 90), 6)),
            ValueError,
            "chunk 0 of X has 5 rows, but 0 are declared",
        ),
    ],
)
def test_chunks_are_checked_before_they_are_joined_or_converted(rows, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make("SKFR").fit(rows)


def breaks(chunk):
    raise OSError("the disk is gone")


@pytest.mark.parametrize("limit", [None, LITTLE])
@pytest.mark.parametrize("chunks", [(30, 6), (30, 3)])
def test_a_chunk_that_cannot_be_computed_is_named(limit, chunks):
    for name in CLASSES:
        with pytest.raises(RuntimeError) as found:
            make(name, memory_limit=limit).fit(told(X, breaks, chunks=chunks))
        assert str(found.value).startswith("chunk 2 of X could not be computed (OSError: the disk is gone); ")
        assert isinstance(found.value.__cause__, OSError)


def test_a_chunk_that_fails_once_is_not_named():
    fails = [True]

    def once(chunk):
        if fails:
            fails.clear()
            raise OSError("the disk is gone")
        return chunk

    with pytest.raises(RuntimeError, match=r"^a chunk of X could not be computed \(OSError: the disk"):
        make("SKFR").fit(told(X, once))


def test_rows_that_move_from_chunk_to_chunk_are_noticed():
    """The total number of rows is right."""
    rows = da.map_blocks(
        lambda block_info: [X[:20], X[20:60], X[60:]][block_info[None]["chunk-location"][0]],
        chunks=((30, 30, 60), (6,)),
        dtype=float,
        meta=np.empty((0, 0)),
    )
    with pytest.raises(ValueError, match=r"chunk [01] of X has (20|40) rows, but 30 are declared"):
        make("SKFR").fit(rows)


@pytest.mark.parametrize("name", CLASSES)
def test_the_remedy_for_wrong_sizes_helps(name):
    rows = told(X, lambda x: x[:20])
    rows.compute_chunk_sizes()
    expected = make(name, init=X[:3]).fit(np.delete(X, np.s_[80:90], axis=0))
    assert_same(make(name, init=X[:3]).fit(rows), expected)


@pytest.mark.parametrize("change", [lambda x: np.rint(x).astype(np.int32), lambda x: np.float32(x)])
def test_a_chunk_of_a_dtype_that_the_declared_one_holds_is_converted(change):
    whole = X.copy()
    whole[60:90] = change(X[60:90])
    for limit in (None, LITTLE):
        found = make("SKFR", init=X[:3], memory_limit=limit).fit(told(X, change))
        assert_same(found, make("SKFR", init=X[:3]).fit(whole))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("sizes", [(0,), (0, 0, 0)])
def test_chunks_that_are_all_empty(name, sizes):
    with pytest.raises(ValueError, match=r"n_samples=0 \(rows\) must be at least n_clusters=3"):
        make(name).fit(stored(X[:0], (sizes, 6)))


def changing(noise):
    """Rows that are others whenever they are read."""
    rng = np.random.default_rng(0)
    return stored(X).map_blocks(
        lambda x: x + noise * rng.normal(size=x.shape), dtype=float, meta=np.empty((0, 0))
    )


@pytest.mark.parametrize("noise", [1, 1e-4])
@pytest.mark.parametrize("name", CLASSES)
def test_rows_that_change_from_pass_to_pass_are_noticed(name, noise):
    with pytest.raises(ValueError, match=r"chunk \d of X had other entries when it was read again; give X a"):
        make(name, memory_limit=LITTLE).fit(changing(noise))
    assert make(name).fit(changing(noise)).labels_.shape == (120,)  # read once


def test_rounding_is_no_change():
    rng = np.random.default_rng(0)
    rows = stored(X).map_blocks(
        lambda x: x * (1 + 1e-15 * rng.integers(2)), dtype=float, meta=np.empty((0, 0))
    )
    make("SKFR", memory_limit=LITTLE).fit(rows)


def counted(X, n_chunks):
    """The rows in chunks that are computed in every pass, and a list that grows by one with every chunk."""
    read = []
    rows = stored(X, (len(X) // n_chunks, X.shape[1]))
    return rows.map_blocks(lambda x: read.append(0) or x + 0, dtype=float, meta=np.empty((0, 0))), read


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("init", [X[:3], "k-means++"])
def test_chunks_are_read_once_if_they_fit(name, init):
    rows, read = counted(X, 4)
    found = make(name, init=init).fit(rows)
    assert len(read) == 4
    np.testing.assert_array_equal(found.labels_, make(name, init=init).fit(X).labels_)


@pytest.mark.parametrize("name", CLASSES)
def test_chunks_that_do_not_fit_are_read_once_for_a_step(name, monkeypatch):
    steps = []
    run = _rows.run

    def counting(*arguments, **options):
        steps.append(0)
        return run(*arguments, **options)

    monkeypatch.setattr(_rows, "run", counting)
    rows, read = counted(X, 4)
    start = np.random.default_rng(1).integers(0, 3, len(X))
    found = make(name, init=start, memory_limit=LITTLE).fit(rows)
    assert_same(found, make(name, init=start).fit(X))
    assert len(read) <= 4 * (2 + len(steps))  # two passes for the moments


def test_k_means_reads_nothing_where_its_columns_are_kept():
    """The chunks do not fit, but three of six columns do."""
    rows, read = counted(X, 4)
    source = DaskSource(rows, 2 * X[:, :3].nbytes)
    scaling = RowProblem.of(source, source.moments(), 3, divisor=False).scaling
    held = source.labelled(scaling, 3)
    subspace = Subspace(np.array([0, 1, 5]), np.array([1.0, 0.5, 2.0]))
    narrow = held(np.arange(120) % 3).narrowed(subspace, None)
    sums = narrow.sums()
    narrow.assign(sums.means)
    sums = narrow.moved_sums(sums)
    read.clear()
    assert narrow.assign(sums.means[[1, 2, 0]])  # nearly all rows move
    sums = narrow.moved_sums(sums)
    assert not read
    expected = held(narrow.labels).narrowed(subspace, None).sums()
    np.testing.assert_array_equal(sums.sums, expected.sums)


def test_memory_of_this_process_is_kept_to():
    assert spare_bytes(1e9) == 5e8
    rows, read = counted(X, 4)
    for limit, passes in ((2 * X.nbytes, 1), (2 * X.nbytes - 1, 2)):
        read.clear()
        make("SKFR", init=X[:3], memory_limit=limit).fit(rows)
        assert (len(read) > 4) == (passes > 1)


def test_chunks_of_this_process_are_worked_on_together():
    assert [len(keys) for keys in as_chunks(stored(X, (20, 6))).keys] == [3, 3]
    assert [len(keys) for keys in as_chunks(stored(X, (20, 6)) + 1).keys] == [1] * 6


def test_lost_workers_are_told_of_in_words():
    class KilledWorker(Exception):
        """Stands for that of distributed."""

    with pytest.raises(RuntimeError, match="make the chunks of X smaller"), plain_losses():
        raise KilledWorker("task of three workers")
    with pytest.raises(ZeroDivisionError), plain_losses():
        raise ZeroDivisionError


def test_predictions_of_another_dtype_are_those_in_memory():
    whole = np.rint(4 * X).astype(np.int16)
    model = sparsek.SKFR(3, 3, random_state=0).fit(whole.astype(float))
    np.testing.assert_array_equal(model.predict(stored(whole)), model.labels_)
    unknown = stored(whole)[stored(whole)[:, 0] > 0]
    np.testing.assert_array_equal(model.predict(unknown), model.labels_[whole[:, 0] > 0])


@pytest.mark.parametrize("what", ["predict", "transform", "score"])
def test_new_rows_have_the_chunks_that_are_declared(what: str) -> None:
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = sparsek.SKFR(2, random_state=0).fit(X)
    whole = da.from_array(X, chunks=(10, 4))
    short = whole.map_blocks(lambda block: block[:-1], dtype=float, chunks=whole.chunks)
    with pytest.raises(ValueError, match=r"chunk \d of X has 9 rows, but 10 are declared"):
        np.asarray(getattr(model, what)(short))
    assert np.shape(getattr(model, what)(whole)) == np.shape(getattr(model, what)(X))
    unknown = whole[whole[:, 0] > 0]
    assert len(np.asarray(model.predict(unknown))) == int((X[:, 0] > 0).sum())
