"""Null scores: distribution, parts and threads, the file in which they are stored."""

import os
import stat

import numpy as np
import pytest

from sparsek.methods.spectral import ks_null
from sparsek.methods.spectral.ks_null import PART, null_scores
from tests.methods.spectral import literal_spectral as literal


@pytest.fixture
def kept(monkeypatch):
    """Store scores even if they are few."""
    monkeypatch.setattr(ks_null, "WORTH_KEEPING", 0)


@pytest.fixture
def drawn(monkeypatch):
    """Sizes of the parts that are drawn, without the few that check a stored file."""
    sizes = []
    draw = ks_null._draw_part

    def count(scores, *arguments):
        if len(scores) > ks_null.COMPARED:
            sizes.append(len(scores))
        draw(scores, *arguments)

    monkeypatch.setattr(ks_null, "_draw_part", count)
    return sizes


def test_scores_are_those_of_normal_samples():
    generator = np.random.default_rng((3, 12, 0))
    expected = [literal.ks_score(row) for row in generator.standard_normal((50, 12)).tolist()]
    scores = null_scores(12, 50, 3)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-7)  # single precision: 6e-8


@pytest.mark.parametrize(
    ("n", "mean", "sd"), [(42, 0.6127, 0.1456), (62, 0.617, 0.1465), (102, 0.621, 0.147)]
)
def test_distribution(n, mean, sd):
    # 20 000 scores: standard errors are 0.001 and 0.0008; the published numbers are rounded to 4e-4.
    scores = null_scores(n, 20_000, 0)
    assert scores.mean() == pytest.approx(mean, abs=4e-3)
    assert scores.std() == pytest.approx(sd, abs=3e-3)


def test_samples_of_two_all_score_the_same():
    assert np.ptp(null_scores(2, 100, 0)) < 1e-6  # single precision


def test_threads_and_chunks_do_not_matter(monkeypatch):
    expected = null_scores(20, 2 * PART + 5, 1)
    assert np.array_equal(null_scores(20, 2 * PART + 5, 1, n_jobs=2), expected)
    monkeypatch.setattr(ks_null, "CHUNK_ENTRIES", 7 * 20)
    assert np.array_equal(null_scores(20, 2 * PART + 5, 1), expected)
    assert not np.array_equal(null_scores(20, 10, 2), expected[:10])
    assert not np.array_equal(null_scores(21, 10, 1), expected[:10])


def test_file_is_read_and_extended(tmp_path, kept, drawn):
    longest = null_scores(15, 2 * PART + 9, 0)
    drawn.clear()
    first = null_scores(15, PART + 30, 0, tmp_path / "new" / "folder")
    assert drawn == [PART, 30]
    folder = tmp_path / "new" / "folder"
    assert [path.name for path in folder.iterdir()] == ["ks-null-n15-seed0.npy"]
    drawn.clear()
    assert np.array_equal(null_scores(15, 100, 0, folder), longest[:100])
    assert np.array_equal(null_scores(15, PART + 30, 0, folder), first)
    assert drawn == []
    # Complete parts are stored, the rest is drawn.
    assert np.array_equal(null_scores(15, 2 * PART + 9, 0, folder), longest)
    assert drawn == [PART, 9]
    null_scores(15, 50, 1, folder)
    null_scores(16, 50, 0, folder)
    assert len(list(folder.iterdir())) == 3


def test_few_scores_are_not_kept(tmp_path):
    null_scores(15, 100, 0, tmp_path)
    assert list(tmp_path.iterdir()) == []


def _cut(content):
    return content[: len(content) // 2]


def _flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _flip,
        lambda _: b"",
        lambda _: b"no array",
        lambda content: content[:-1],
        lambda content: content + b"0",
    ],
    ids=["half", "one bit", "empty", "text", "last byte", "one byte more"],
)
def test_damaged_file_is_made_anew(tmp_path, kept, drawn, damage):
    expected = null_scores(15, 500, 0, tmp_path)
    (path,) = tmp_path.iterdir()
    good = path.read_bytes()
    path.write_bytes(damage(good))
    drawn.clear()
    assert np.array_equal(null_scores(15, 500, 0, tmp_path), expected)
    assert drawn == [500]
    drawn.clear()
    assert np.array_equal(null_scores(15, 500, 0, tmp_path), expected)
    assert drawn == []


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(500, np.float32),
        np.full(500, np.nan, np.float32),
        np.zeros(500),
        np.zeros((5, 100), np.float32),
        np.array(3, np.float32),
        np.empty(0, np.float32),
        np.array(["text"]),
        np.array([{}]),
    ],
)
@pytest.mark.parametrize("checksum", [False, True])
def test_file_of_something_else_is_made_anew(tmp_path, kept, array, checksum):
    with (tmp_path / "ks-null-n15-seed0.npy").open("wb") as file:
        np.save(file, array)
        if checksum and array.dtype != object:
            file.write(ks_null._checksum(np.ascontiguousarray(array).view(np.uint8)))
    assert np.array_equal(null_scores(15, 500, 0, tmp_path), null_scores(15, 500, 0))


def test_file_of_another_seed_is_made_anew(tmp_path, kept):
    null_scores(15, 500, 0, tmp_path)
    os.rename(tmp_path / "ks-null-n15-seed0.npy", tmp_path / "ks-null-n15-seed1.npy")
    assert np.array_equal(null_scores(15, 500, 1, tmp_path), null_scores(15, 500, 1))


def test_folder_that_cannot_be_written_to(tmp_path, kept, monkeypatch):
    expected = null_scores(15, 500, 0)
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert np.array_equal(null_scores(15, 500, 0, blocked / "folder"), expected)
    assert np.array_equal(null_scores(15, 500, 0, blocked), expected)
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)  # the superuser may write anyway
    assert np.array_equal(null_scores(15, 500, 0, folder), expected)
    folder.chmod(stat.S_IRWXU)

    def refuse(*_):
        raise PermissionError("read-only file system")

    monkeypatch.setattr(os, "replace", refuse)
    other = tmp_path / "other"
    assert np.array_equal(null_scores(15, 500, 0, other), expected)
    assert list(other.iterdir()) == []  # no temporary file is left


def test_read_only_file_is_used(tmp_path, kept, drawn):
    expected = null_scores(15, 500, 0, tmp_path)
    (path,) = tmp_path.iterdir()
    path.chmod(stat.S_IRUSR)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    drawn.clear()
    assert np.array_equal(null_scores(15, 300, 0, tmp_path), expected[:300])
    assert drawn == []
    tmp_path.chmod(stat.S_IRWXU)


def test_failure_while_writing_leaves_the_old_file(tmp_path, kept, monkeypatch):
    null_scores(15, 500, 0, tmp_path)
    (path,) = tmp_path.iterdir()
    before = path.read_bytes()

    def fail(file, _):
        file.write(b"half")
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "save", fail)
    null_scores(15, 700, 0, tmp_path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
