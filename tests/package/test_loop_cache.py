"""Where compiled loops are kept."""

import os
import sys
from pathlib import Path

import pytest

from sparsek import _loop_cache
from sparsek.engine import Loop, has_numba

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners and modes of this kind")


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    for function in (_loop_cache.directory, _loop_cache.digest):
        function.cache_clear()


def double(x: float) -> float:
    return 2 * x


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loop_cache, "digest", lambda: "abc")


@pytest.mark.usefixtures("fixed")
def test_the_first_place_that_can_be_written_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    places = [tmp_path / "file", tmp_path / "a" / "b", tmp_path / "c"]
    monkeypatch.setattr(_loop_cache, "_places", lambda: iter(places))
    assert _loop_cache.directory() == str(tmp_path / "a" / "b" / "abc")
    assert not (tmp_path / "c").exists()


@pytest.mark.usefixtures("fixed")
def test_without_any_place_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(_loop_cache, "_places", lambda: iter([tmp_path / "file"]))
    assert _loop_cache.directory() is None
    if has_numba():
        assert Loop(double).compiled(4.0) == 8.0


@posix
@pytest.mark.usefixtures("fixed")
def test_what_others_can_write_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, linked, own = tmp_path / "shared", tmp_path / "linked", tmp_path / "own"
    shared.mkdir()
    shared.chmod(0o777)
    linked.symlink_to(own)
    own.mkdir(mode=0o700)
    monkeypatch.setattr(_loop_cache, "_places", lambda: iter([shared, linked, own]))
    assert _loop_cache.directory() == str(own / "abc")
    assert own.stat().st_mode & 0o077 == 0


def test_the_place_that_numba_is_told_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert list(_loop_cache._places()) == [tmp_path / "sparsek"]
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert next(iter(_loop_cache._places())) == _loop_cache.PACKAGE / "__pycache__" / "loops"


def test_loops_that_were_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loop_cache, "_places", lambda: iter([tmp_path]))
    tmp_path.chmod(0o700)
    for age, name in enumerate("abcde"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    monkeypatch.setattr(_loop_cache, "digest", lambda: "new")
    assert _loop_cache.directory() == str(tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "new"]


@pytest.mark.compiled
def test_a_changed_helper_in_another_file_has_another_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bits").mkdir()
    (tmp_path / "core").mkdir()
    for name in ("engine.py", "bits/elementary.py", "core/loops.py"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(_loop_cache, "PACKAGE", tmp_path)
    before = _loop_cache.digest.__wrapped__()
    assert _loop_cache.digest.__wrapped__() == before
    (tmp_path / "core" / "loops.py").write_text("2")
    assert _loop_cache.digest.__wrapped__() != before


def test_all_files_with_loops_are_in_the_digest() -> None:
    package = _loop_cache.PACKAGE
    with_loops = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "\n@Loop" in (text := path.read_text(encoding="utf-8")) or "\n@inlined" in text
    }
    assert with_loops <= {path.relative_to(package).as_posix() for path in _loop_cache.sources()}
    assert len(with_loops) > 10
