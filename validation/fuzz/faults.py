"""Faults from outside: kills, full disks, damaged and changing files, lost workers, simultaneous processes.

Each scenario of `SCENARIOS` works in a temporary folder and in processes of its own, which are functions of
this file: ``python -m validation.fuzz.faults <function> <arguments>``.
"""

import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a process counts as hanging."""
GRACE = 10.0
"""Seconds that a hanging process has to print where its threads are."""
ORDER = ("right", "clear", "unclear", "wrong", "hang")
"""The outcomes, from the best to the worst."""
KINDS = ("npy", "npy by column", "memmap", "memmap by column", "hdf5", "parquet")
FULL = 150
"""Bytes beyond which no file grows while a disk counts as full."""


class Outcome(NamedTuple):
    """What a scenario found."""

    name: str  # Name of the scenario
    outcome: str  # One of `ORDER`
    detail: str  # The message, or what differs


class Ended(NamedTuple):
    """How a process ended: its exit code, None if it had to be stopped, and what it printed."""

    code: int | None
    answer: str
    errors: str


# --- what the processes do ---------------------------------------------------------------------------------


def data(n: int = 400, p: int = 8) -> Any:
    """Rows of three groups."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    X[:, :3] += 4 * rng.normal(size=(3, 3))[np.arange(n) % 3]
    return X


def digest(*arrays: Any) -> str:
    """Checksum of some arrays."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def search(folder: str) -> str:
    """A search with a checkpoint; of three tasks and about two seconds."""
    from sparsek import PermutationGap, SparseKMeans

    model = PermutationGap(SparseKMeans(3, n_init=40), "l1_bound", [1.3, 2], n_permutations=5, random_state=0)
    model.set_params(checkpoint=folder or None).fit(data())
    return digest(model.objectives_, model.permuted_objectives_, model.labels_)


def search_on_a_full_disk(folder: str) -> str:
    """The same where no file may grow beyond `FULL` bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, FULL))
    return search(folder)


def search_in_threads(folder: str) -> str:
    """The same search from eight threads at once, on one folder; the answer if all agree."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as threads:
        return " ".join(sorted(set(threads.map(search, [folder] * 8))))


def save_on_a_full_disk(path: str) -> str:
    """Write a model over another one where no file may grow beyond `FULL` bytes."""
    from sparsek import DEC

    model = DEC.load(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, FULL))
    model.save(path)
    return "saved"


def fit_file(path: str, kind: str, change: str) -> str:
    """Fit a file by blocks; after the first pass that assigns labels, the file is changed."""
    import h5py

    from sparsek import SKFR
    from sparsek.sources.local import LocalRows

    given: Any = path
    if kind.startswith("memmap"):
        given = np.load(path, mmap_mode="r")
    if kind == "hdf5":
        given = h5py.File(path, "r")["X"]
    assign, size = LocalRows.assign, os.path.getsize(path)
    done: list[None] = []

    def then_change(self: LocalRows, *arguments: Any, **options: Any) -> bool:
        moved = assign(self, *arguments, **options)
        if not done and change == "cut off":
            os.truncate(path, size // 3)
        if not done and change == "overwritten":
            with open(path, "r+b") as file:
                file.seek(size // 4)
                file.write(bytes(size // 2))
        done.append(None)
        return moved

    LocalRows.assign = then_change  # type: ignore[method-assign]
    limits = {"memory_limit": "40kB", "init": np.arange(400) % 3}
    return digest(SKFR(3, n_features_to_select=3, random_state=0, **limits).fit(given).labels_)


def fit_on_cluster(n_lost: str) -> str:
    """Fit on two worker processes, of which some are killed after the second assignment of labels."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from sparsek import SKFR
    from sparsek.sources.dask import rows as _rows

    assign, calls = _rows.DaskRows.assign, []
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):

        def then_kill(self: Any, *arguments: Any, **options: Any) -> bool:
            moved = assign(self, *arguments, **options)
            calls.append(None)
            if len(calls) == 2:
                for process in list(client.run(os.getpid).values())[: int(n_lost)]:
                    os.kill(process, signal.SIGKILL)
            return moved

        _rows.DaskRows.assign = then_kill  # type: ignore[method-assign]
        rows = da.from_array(data(), chunks=(70, 8))
        model = SKFR(3, n_features_to_select=3, init=np.arange(400) % 3, random_state=0).fit(rows)
        return digest(model.labels_.compute())


# --- processes and their judgement -------------------------------------------------------------------------


def start(work: Callable[..., str], *arguments: object) -> "subprocess.Popen[str]":
    """Run a function of this file, or of `concurrency`, in a process and group of its own."""
    module = work.__module__ if work.__module__ != "__main__" else "validation.fuzz.faults"
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-m", module, work.__name__]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]", patience: float = PATIENCE) -> Ended:
    """Wait for a process; one that hangs prints where its threads are and is stopped, with all it started."""
    try:
        answer, errors = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # faulthandler prints the stacks
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=GRACE)
        with suppress(ProcessLookupError):  # nothing is left of its group
            os.killpg(process.pid, signal.SIGKILL)
        answer, errors = process.communicate()
        return Ended(None, answer, f"no end after {patience:.0f} seconds\n{errors}")
    return Ended(process.returncode, answer.strip(), errors)


def judge(ended: Ended, expected: str, clear: str = "a^") -> tuple[str, str]:
    """Outcome and detail: an equal answer is right, a message that matches `clear` is clear."""
    if ended.code is None:
        return "hang", ended.errors.strip()
    if ended.code < 0:
        return "wrong", f"ended by {signal.Signals(-ended.code).name}"
    if ended.code == 0:
        return ("right", "") if ended.answer == expected else ("wrong", "ended with another answer")
    message = ended.errors.strip().rpartition("\n")[2]
    return "clear" if re.search(clear, message) else "unclear", message


def together(name: str, *found: tuple[str, str]) -> Outcome:
    """One outcome of several: the worst."""
    outcome, detail = max(found, key=lambda one: ORDER.index(one[0]))
    return Outcome(name, outcome, detail)


def whole(folder: Path) -> tuple[str, str]:
    """Whether a folder holds no unfinished files."""
    left = [file.name for file in folder.rglob("*") if file.suffix in (".part", ".new", ".old")]
    return ("wrong", f"left behind: {', '.join(left)}") if left else ("right", "")


# --- scenarios ---------------------------------------------------------------------------------------------


def killed_search() -> Outcome:
    """A search is killed (kill -9) in its middle, and goes on from its checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        process, end = start(search, folder), time.monotonic() + PATIENCE
        while not list(Path(folder).glob("*.npy")) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        finish(process)
        return together("search killed", judge(finish(start(search, folder)), search("")))


def full_disk_in_search() -> Outcome:
    """The disk is full while a search stores its tasks; with room again, it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        expected = search(folder)
        for file in Path(folder).glob("*.npy"):
            file.unlink()
        full = judge(finish(start(search_on_a_full_disk, folder)), "", r"could not be written.*make room")
        clean = whole(Path(folder))
        again = judge(finish(start(search, folder)), expected)
        return together("disk full in a search", full, clean, again)


def full_disk_in_save() -> Outcome:
    """The disk is full while a model is saved over another one, which must survive."""
    from sparsek import DEC

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.npz")
        quick: dict[str, Any] = {"hidden_sizes": (4,), "layer_epochs": 1, "finetune_epochs": 1, "max_iter": 1}
        DEC(3, n_components=2, random_state=0, **quick).fit(data(60)).save(path)
        before = path.read_bytes()
        full = judge(finish(start(save_on_a_full_disk, path)), "", r"could not be written.*make room")
        kept = ("right", "") if path.read_bytes() == before else ("wrong", "the model on the disk is lost")
        return together("disk full in DEC.save", full, kept, whole(Path(folder)))


def damaged_checkpoint() -> Outcome:
    """Files of a checkpoint are cut off, emptied, changed in one bit, or replaced by others."""
    with tempfile.TemporaryDirectory() as folder:
        expected, files = search(folder), sorted(Path(folder).glob("*.npy"))
        damages: list[Callable[[bytes], bytes]] = [
            lambda content: content[:-7],
            lambda content: b"",
            lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
            lambda content: files[-1].read_bytes(),
        ]
        for file, damage in zip(files, damages, strict=False):
            file.write_bytes(damage(file.read_bytes()))
        Path(folder, "search.part").write_text("half")
        return together("checkpoint damaged", judge(finish(start(search, folder)), expected))


def simultaneous_searches() -> Outcome:
    """Four processes, and then eight threads, begin the same search on one folder at once."""
    with tempfile.TemporaryDirectory() as folder:
        processes = [start(search, Path(folder, "a")) for _ in range(4)]
        found = [judge(finish(process), search("")) for process in processes]
        threads = judge(finish(start(search_in_threads, Path(folder, "b"))), search(""))
        return together("searches at once", *found, threads, whole(Path(folder)))


def changed_file(kind: str, change: str) -> Outcome:
    """A file is overwritten, or cut off, in the middle of a fit by blocks."""
    import h5py
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, {"hdf5": "x.h5", "parquet": "x.parquet"}.get(kind, "x.npy"))
        if kind == "hdf5":
            with h5py.File(path, "w") as file:
                file["X"] = data()
        elif kind == "parquet":
            pd.DataFrame(data(), columns=list("abcdefgh")).to_parquet(path, row_group_size=100)
        else:
            np.save(path, np.asfortranarray(data()) if "column" in kind else data())
        before = judge(finish(start(fit_file, path, kind, "none")), undisturbed_labels())
        after = judge(
            finish(start(fit_file, path, kind, change)),
            undisturbed_labels(),
            rf"{path.name}.* was changed .*",
        )
        return together(f"{kind} {change} in a fit", before, after)


def undisturbed_labels() -> str:
    """Checksum of the labels of undisturbed fits."""
    from sparsek import SKFR

    init = np.arange(400) % 3
    return digest(SKFR(3, n_features_to_select=3, random_state=0, init=init).fit(data()).labels_)


def lost_workers(n_lost: int) -> Outcome:
    """Some of two workers of a Dask cluster are killed in the middle of a fit."""
    clear = r"(KilledWorker|cluster|worker).*"
    return together(
        f"{n_lost} of 2 Dask workers lost",
        judge(finish(start(fit_on_cluster, n_lost)), undisturbed_labels(), clear),
    )


SCENARIOS: tuple[Callable[[], Outcome], ...] = (
    killed_search,
    full_disk_in_search,
    full_disk_in_save,
    damaged_checkpoint,
    simultaneous_searches,
    *(partial(changed_file, kind, change) for kind in KINDS for change in ("overwritten", "cut off")),
    partial(lost_workers, 1),
    partial(lost_workers, 2),
)
"""The scenarios; each gives an `Outcome`."""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(globals()[sys.argv[1]](*sys.argv[2:]))
    else:
        for scenario in SCENARIOS:
            print(*scenario(), sep="\t", flush=True)
