"""Checkpoints with damaged files, files of killed processes, a full disk, and several processes at once."""

import io
import os
import resource
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sparsek.core.checkpoint import Checkpoint
from tests.core.test_checkpoint import X, assert_equal_fits, consensus, gap, stability

SEARCHES = [
    (gap, ("objectives_", "permuted_objectives_", "n_selected_")),
    (stability, ("selection_frequencies_",)),
    (consensus, ("resample_labels_", "labels_")),
]


def as_npy(array):
    """The bytes of a .npy file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def flipped(content):
    """Content with one bit changed in the array."""
    return content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]


DAMAGES = {
    "empty": lambda content: b"",
    "text": lambda content: b"cut off",
    "cut off": lambda content: content[:-1],
    "one bit": flipped,
    "no checksum": lambda content: content[:-32],
    "another array": lambda content: as_npy(np.full((2, 2), np.nan)),
}


@pytest.mark.parametrize(
    ("make", "names", "damages"),
    [(*SEARCHES[0], DAMAGES), *((*search, ["one bit"]) for search in SEARCHES[1:])],
)
def test_damaged_tasks_are_run_again(make, names, damages, tmp_path):
    """Every search reads its tasks by one function."""
    expected = make(checkpoint=tmp_path).fit(X)
    file = tmp_path / "000001.npy"
    whole = file.read_bytes()
    for damage in damages:
        file.write_bytes(DAMAGES[damage](whole))
        with pytest.warns(
            UserWarning, match=r"000001\.npy is damaged or of another search; its task is run again"
        ):
            found = make(checkpoint=tmp_path).fit(X)
        assert_equal_fits(found, expected, names)
        assert file.read_bytes() == whole


def test_tasks_of_another_number_search_or_shape(tmp_path):
    folder = Checkpoint(tmp_path, {"seed": 1}, (2, 2))
    folder.save(0, np.ones((2, 2)))
    np.testing.assert_array_equal(folder.load(0), np.ones((2, 2)))
    (tmp_path / "000001.npy").write_bytes((tmp_path / "000000.npy").read_bytes())
    folder.save(2, np.ones((2, 3)))
    folder.save(3, np.full((2, 2), np.nan))
    Checkpoint(tmp_path / "other", {"seed": 2}, (2, 2)).save(4, np.ones((2, 2)))
    (tmp_path / "other" / "000004.npy").replace(tmp_path / "000004.npy")
    for number in (1, 2, 3, 4):
        with pytest.warns(UserWarning, match="is damaged"):
            assert folder.load(number) is None
    assert folder.load(5) is None


def test_other_things_in_the_place_of_a_task(tmp_path):
    folder = Checkpoint(tmp_path, {"seed": 1}, (2,))
    (tmp_path / "000000.npy").mkdir()
    os.mkfifo(tmp_path / "000001.npy")
    for number in (0, 1):
        with pytest.raises(ValueError, match="is no file with the result of a task; remove it"):
            folder.load(number)
        with pytest.raises(OSError, match="could not be written"):
            folder.save(number, np.ones(2))


def test_unfinished_files_do_not_block(tmp_path):
    for name in ("search.part", "000001.77.part", ".search.json.0123.part"):
        (tmp_path / name).write_bytes(b"half")
    expected = gap().fit(X)
    for _ in range(2):
        assert_equal_fits(gap(checkpoint=tmp_path).fit(X), expected, ("objectives_",))


def test_full_disk(tmp_path):
    """A file may not grow beyond 300 bytes: nothing half written is left, and the search goes on later."""
    folder = Checkpoint(tmp_path, {"seed": 1}, (100,))
    folder.save(0, np.ones(100))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
    try:
        with pytest.raises(OSError, match=r"000001\.npy could not be written \(File too large\); make room"):
            folder.save(1, np.ones(100))
        with pytest.raises(OSError, match=r"search\.json could not be written"):
            Checkpoint(tmp_path / "new", {"text": "x" * 400}, (100,))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((tmp_path / "new").iterdir()) == []
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    Checkpoint(tmp_path / "new", {"text": "x" * 400}, (100,)).save(1, np.ones(100))


def test_a_search_on_a_full_disk_names_the_checkpoint(tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError("the checkpoint could not be written; make room") from OSError(28, "No space left")

    monkeypatch.setattr(Checkpoint, "save", fail)
    with pytest.raises(OSError, match="the checkpoint could not be written"):
        gap(checkpoint=tmp_path).fit(X)


def test_many_threads_begin_at_once(tmp_path):
    def begin(number):
        folder = Checkpoint(tmp_path / str(number // 12), {"seed": 1, "data": "x" * 5000}, (50,))
        if folder.load(0) is None:
            folder.save(0, np.arange(50.0))
        return folder.load(0)

    with ThreadPoolExecutor(12) as threads:
        found = list(threads.map(begin, range(600)))
    assert all(np.array_equal(one, np.arange(50)) for one in found)
    assert {path.name for path in tmp_path.glob("*/*")} == {"search.json", "000000.npy"}
