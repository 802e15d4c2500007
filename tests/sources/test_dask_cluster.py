"""Dask collections on a cluster of two worker processes: a lost worker, errors, memory."""

import logging
import os
import signal
import time
from contextlib import contextmanager
from uuid import uuid4

import dask
import dask.array as da
import joblib
import numpy as np
import pytest
from sklearn.base import clone

import sparsek
from sparsek.sources.dask import graph as _graph
from sparsek.sources.dask import rows as _rows
from sparsek.sources.dask.memory import spare_bytes
from tests.sources.test_dask import CLASSES, assert_same, groups, make

distributed = pytest.importorskip("distributed", reason="needs sparsek[dask]")
X = groups(600, 10)
START = np.random.default_rng(1).integers(0, 3, len(X))


@contextmanager
def cluster_of_two():
    """A cluster of two processes of one thread each, closed at the end.

    Where a worker has just gone, distributed may look it up in vain, after it has closed everything.
    """
    cluster = distributed.LocalCluster(
        2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    )
    try:
        yield cluster
    finally:
        try:
            cluster.close()
        except KeyError:
            cluster.status = distributed.Status.closed


@pytest.fixture(scope="module")
def client():
    """A client of the cluster, quiet."""
    quiet = {"distributed.logging.distributed": "critical", "distributed.comm.timeouts.connect": "30s"}
    with (
        dask.config.set(quiet | {"distributed.worker.daemon": True}),
        cluster_of_two() as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def two_minutes(client):
    """Make a cluster that does not answer a failure; a test takes 4 to 15 seconds."""

    def give_up(*_):
        pytest.fail(f"no result after 120 s from {client}")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def wait_for_both(client):
    """Wait until two workers are running; start them anew if one that was killed does not come back."""
    try:
        client.wait_for_workers(2, timeout=40)
    except TimeoutError:
        client.cluster.scale(0)
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=60)


@pytest.fixture
def rows(client):
    """The data in seven chunks that the workers can compute again, once two workers are running."""
    wait_for_both(client)
    chunks = da.from_array(X, chunks=(90, 10), name=False).persist()
    distributed.wait(chunks)
    return chunks


def n_tasks(client):
    """Number of tasks that the scheduler knows."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


@pytest.mark.parametrize("name", CLASSES)
def test_same_as_in_memory(name, rows):
    expected = make(name, init=START).fit(X)
    found = make(name, init=START).fit(rows)
    assert_same(found, expected)
    np.testing.assert_array_equal(found.predict(rows), expected.labels_)
    np.testing.assert_allclose(found.score(rows), -expected.inertia_, rtol=1e-12)
    named = make(name, n_init=3).fit(rows)
    np.testing.assert_array_equal(named.labels_, make(name, n_init=3).fit(X).labels_)


@pytest.mark.parametrize(
    ("name", "persisted"), [("KPod", False), ("PowerKMeans", True), ("EntropyWeightedPowerKMeans", False)]
)
def test_passes_of_other_methods_run_on_the_workers(name, persisted, client):
    data = X
    if name == "KPod":
        data = np.where(np.random.default_rng(2).random(X.shape) < 0.2, np.nan, X)
        data[[5, 6, 100]] = np.nan  # rows without any value take no part
    options = {"n_clusters": 3, "init": START} | ({} if name == "KPod" else {"polish": True})
    expected = getattr(sparsek, name)(**options).fit(data)
    given = da.from_array(data, chunks=(90, 10))
    found = getattr(sparsek, name)(**options).fit(given.persist() if persisted else given)
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    np.testing.assert_allclose(found.inertia_, expected.inertia_, rtol=1e-9)


def kill_after_two_steps(monkeypatch, client, everyone=False):
    """Kill a worker that holds labels, or all, after the second assignment; a list that grows with each."""
    assigned = []
    assign = _rows.DaskRows.assign

    def then_kill(self, *arguments, **options):
        moved = assign(self, *arguments, **options)
        assigned.append(None)
        if len(assigned) == 2:
            futures = [self.labels.graph[key] for key in self.labels.keys]
            holders = next(workers for workers in client.who_has(futures).values() if workers)
            killed = None if everyone else holders[:1]
            for process in client.run(os.getpid, workers=killed).values():
                os.kill(process, signal.SIGKILL)
        return moved

    monkeypatch.setattr(_rows.DaskRows, "assign", then_kill)
    return assigned


# A killed process takes seconds to come back: each value of name, kind and limit occurs once.
@pytest.mark.parametrize(
    ("name", "kind", "limit"), [("SKFR", "persisted", None), ("SparseKMeans", "lazy", "1kB")]
)
def test_a_killed_worker_does_not_change_the_result(name, kind, limit, client, rows, monkeypatch):
    """Chunks and columns are lost, if they are kept (no limit), and labels."""
    assigned = kill_after_two_steps(monkeypatch, client)
    expected = make(name, init=START).fit(X)
    lazy = rows if kind == "persisted" else da.from_array(X, chunks=(90, 10)) + 0
    assert_same(make(name, init=START, memory_limit=limit).fit(lazy), expected)
    assert len(assigned) > 2  # in the middle of the fit


def test_chunks_that_are_lost_for_good_are_told_of(client, rows, monkeypatch):
    sent = client.scatter([X[:300], X[300:]])
    kill_after_two_steps(monkeypatch, client, everyone=True)
    scattered = da.Array(
        {("sent", i, 0): part for i, part in enumerate(sent)}, "sent", ((300, 300), (10,)), float
    )
    with pytest.raises(RuntimeError, match=r"chunks of X were lost .*; make X again, and fit again"):
        make("SKFR", init=START).fit(scattered)


def sent_bytes(client):
    """Bytes that the workers have sent to each other and to the client."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_rows_stay_on_their_workers(name, client):
    wait_for_both(client)
    large = da.from_array(groups(40_000, 10), chunks=(5_000, 10)).persist()
    distributed.wait(large)
    places, sent = client.who_has(large), sent_bytes(client)
    model = make(name, init=X[:3], max_iter=4).fit(large)
    assert client.who_has(large) == places
    assert sent_bytes(client) - sent < large.nbytes / 10
    assert model.labels_.shape == (40_000,)


@pytest.mark.parametrize("name", CLASSES)
def test_lazy_rows_are_read_once_kept_on_the_workers_and_released(name, client, rows, tmp_path):
    def read(chunk):
        (tmp_path / uuid4().hex).touch()
        return chunk + 0

    before = n_tasks(client)
    lazy = rows.map_blocks(read, dtype=float, meta=np.empty((0, 0)))
    expected = make(name, init=START).fit(X)
    model = make(name, init=START).fit(lazy)
    assert_same(model, expected)
    assert len(list(tmp_path.iterdir())) == rows.numblocks[0]
    del model, lazy
    end = time.monotonic() + 30
    while n_tasks(client) > before and time.monotonic() < end:
        time.sleep(0.05)
    assert n_tasks(client) <= before


def test_memory_of_the_workers_is_kept_to(client):
    wait_for_both(client)
    limits = [worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()]
    assert 0 < spare_bytes(np.inf) < sum(limits) / 4
    assert spare_bytes(1e6) == 5e5


def test_a_wrong_chunk_of_a_worker_is_named(rows):
    wrong = rows.map_blocks(lambda chunk: chunk[:80], dtype=float, meta=np.empty((0, 0)))
    for given in (wrong, wrong.persist()):
        with pytest.raises(
            ValueError, match=r"chunk \d of X has \d+ rows, but \d+ are declared; call X.comp"
        ):
            make("SKFR").fit(given)


def test_chunks_of_a_worker_are_worked_on_together(client, rows):
    chunks = _graph.as_chunks(rows)
    numbers = sorted(start for starts in chunks.starts for start in starts)
    assert numbers == list(range(0, 600, 90))  # every chunk once
    holders = client.who_has(rows)
    for keys in chunks.keys:
        assert len({workers for key in keys for workers in holders[key]}) == 1
        assert len(keys) <= 4  # half of them, also if a worker holds more
    lazy = _graph.as_chunks(da.from_array(X, chunks=(90, 10)))
    assert [len(keys) for keys in lazy.keys] == [1] * 7


def test_labels_are_in_the_chunks_of_the_rows_whatever_the_groups():
    labels = np.arange(10, dtype=np.int32)
    chunks = _graph.Chunks([["a", "c"], ["b"]], {}, [[0, 6], [4]], [[4, 4], [2]])
    parts = _graph.ChunkArrays("own", {("own", i): part for i, part in enumerate(chunks.split(labels))})
    found = _graph.as_array(parts, chunks, np.int32)
    assert found.chunks == ((4, 2, 4),)
    assert found.compute(scheduler="synchronous").tolist() == labels.tolist()


@pytest.mark.parametrize("name", CLASSES)
def test_labels_of_earlier_iterations_are_released(name, client, rows, monkeypatch):
    counts = []
    assign = _rows.DaskRows.assign

    def then_count(self, *arguments, **options):
        moved = assign(self, *arguments, **options)
        counts.append(n_tasks(client))
        return moved

    monkeypatch.setattr(_rows.DaskRows, "assign", then_count)
    before = n_tasks(client)
    model = make(name, init=START).fit(rows)
    n_chunks = rows.numblocks[0]
    assert len(counts) > 4
    # Labels of two iterations with their constants, and unreleased results of a reduction.
    assert max(counts) - before < 5 * n_chunks
    labels = model.labels_
    del model
    assert labels.compute().shape == (len(X),)


def test_errors_of_a_worker_are_plain(rows):
    bad = rows.map_blocks(lambda block, where: np.where(where, np.nan, block), _at(410, 3, rows), dtype=float)
    with pytest.raises(
        ValueError, match=r"^X has nan in row 410, column 3; rows must be complete and finite"
    ):
        make("SKFR").fit(bad)
    lost = rows.map_blocks(_lost, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match=r"^chunk 3 of X could not be computed \(OSError: the disk"):
        make("SKFR").fit(lost)


def _lost(block, block_info):
    if block_info[0]["chunk-location"][0] == 3:
        raise OSError("the disk is gone")
    return block


def _at(row, column, rows):
    """A mask with one entry."""
    mask = np.zeros(rows.shape, dtype=bool)
    mask[row, column] = True
    return da.from_array(mask, chunks=rows.chunks)


def test_constants_are_sent_once_for_an_iteration(rows, monkeypatch):
    sizes = []
    run = _graph.run

    def weighed(graph, *arguments):
        own = [value for key, value in graph.items() if isinstance(value, tuple)]
        sizes.append(sum(part.nbytes for task in own for part in task if isinstance(part, np.ndarray)))
        return run(graph, *arguments)

    monkeypatch.setattr(_rows, "run", weighed)
    make("SKFR", init=X[:3]).fit(rows)
    assert set(sizes) == {0}  # tasks name their dependencies


GAP = ("objectives_", "permuted_objectives_", "n_selected_", "gap_", "labels_")
SEARCHES = [
    (
        sparsek.PermutationGap(sparsek.SparseKMeans(3, n_init=2), "l1_bound", [1.2, 1.6], n_permutations=3),
        GAP,
    ),
    (sparsek.StabilitySelection(sparsek.SKFR(3, 3, n_init=2), n_resamples=4), ("selection_frequencies_",)),
    (
        sparsek.ConsensusClustering(sparsek.SKFR(n_init=2), (2, 3), n_resamples=4, sample_fraction=1.0),
        ("resample_labels_", "labels_"),
    ),
]


@pytest.mark.parametrize(("search", "names"), SEARCHES)
def test_searches_run_on_a_cluster_with_the_same_bits(search, names, client, tmp_path):
    wait_for_both(client)
    expected = clone(search).set_params(random_state=0).fit(X[:150])
    with joblib.parallel_config(backend="dask"):
        found = clone(search).set_params(random_state=0, checkpoint=tmp_path).fit(X[:150])
    for name in names:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert len(list(tmp_path.glob("*.npy"))) == 4


def test_constraints_are_validated_on_a_cluster_with_the_same_bits(client):
    y = np.arange(90) % 3
    splitter = sparsek.ConstraintSplitter(5.0, n_splits=3, n_draws=1, random_state=0)
    options = {"splitter": splitter, "parameter": "l1_bound", "values": [1.2, 1.8]}
    model = sparsek.PCSparseKMeans(3, random_state=0)
    expected = sparsek.cross_validate_constraints(model, X[:90], y, **options)
    with joblib.parallel_config(backend="dask"):
        found = sparsek.cross_validate_constraints(model, X[:90], y, **options)
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert np.ptp(found.scores) > 0


def test_starts_stay_in_this_process_whatever_the_backend(client):
    """Starts of one fit share the data, so they run as threads under any backend."""
    model = sparsek.SKFR(3, 3, n_init=3, random_state=0)
    expected = clone(model).fit(X)
    before = n_tasks(client)
    with joblib.parallel_config(backend="dask"):
        found = clone(model).set_params(n_jobs=2).fit(X)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert n_tasks(client) <= before
