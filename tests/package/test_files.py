"""Files are written whole or not at all, and nothing but regular files is replaced."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sparsek._files import check_target, remove_parts, whole_file
from sparsek.datasets import _content
from sparsek.methods.dec.files import write_archive
from sparsek.methods.spectral import ks_null
from sparsek.rcompat.sparcl.tree_files import write_files
from validation import __main__ as validation
from validation.papers.shared.store import write_whole


def write(path: Path, text: str) -> None:
    with whole_file(path) as part:
        part.write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write(path, "one")
    path.chmod(0o640)
    write(path, "two")
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "x"
    path.write_text("old")

    def fail() -> None:
        with whole_file(path) as part:
            part.write_text("half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x"]


def test_links_stay_and_lead_to_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    for name in ("there", "new"):
        (tmp_path / name).symlink_to(tmp_path / "far" / name)
    (tmp_path / "far" / "there").write_text("old")
    for name in ("there", "new"):
        write(tmp_path / name, "text")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "far" / name).read_text() == "text"
    assert names(tmp_path / "far") == ["new", "there"]


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def plug(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/null")


def loop(path: Path) -> None:
    path.symlink_to(path)


SPECIAL = pytest.mark.parametrize(
    ("make", "message"),
    [
        (folder, "is a folder"),
        (pipe, "a device, a pipe or a socket"),
        (plug, "a device, a pipe or a socket"),
        (link_to_device, "a device, a pipe or a socket"),
        (loop, "leads back to itself"),
    ],
)


@pytest.mark.skipif(os.name == "nt", reason="pipes, sockets and devices have no names in folders there")
@SPECIAL
def test_nothing_but_regular_files_is_replaced(
    tmp_path: Path, make: Callable[[Path], None], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    path = Path("x")
    make(path)
    mode = path.lstat().st_mode
    with pytest.raises(OSError, match=message), whole_file(path):
        pass
    assert path.lstat().st_mode == mode
    assert names(tmp_path) == ["x"]


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*no, in which x should be"):
        check_target(tmp_path / "no" / "x")


def test_a_file_without_permission_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # the super-user may write everywhere
    with pytest.raises(PermissionError, match="must not be written"):
        write(tmp_path / "x", "new")
    assert (tmp_path / "x").read_text() == "old"


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    write(path, "text")
    assert path.read_text() == "text"


def test_parts_of_killed_processes_are_removed(tmp_path: Path) -> None:
    for name in (".x[1].0a.part", ".x.0a.part", "x[1]"):
        (tmp_path / name).write_text("half")
    remove_parts(tmp_path / "x[1]")
    assert names(tmp_path) == [".x.0a.part", "x[1]"]


def save_model(path: Path) -> None:
    write_archive(path, "model", {"fitted": np.eye(2)})


def save_data(path: Path) -> None:
    _content.write_tidy(path, _content.make_content(np.eye(2), ["a", "b"], ("u", "v")))


def save_scores(path: Path) -> None:
    ks_null._write(path, np.zeros(2, np.float32))


def save_tree(path: Path) -> None:
    write_files({"txt": ["1"], path.suffix[1:]: ["2"]}, str(path.with_suffix("")))


WRITERS: list[Callable[[Path], None]] = [
    save_model,
    save_data,
    save_scores,
    save_tree,
    lambda path: write_whole(path, "text"),
]


@pytest.mark.skipif(os.name == "nt", reason="no pipes with names")
@pytest.mark.parametrize("save", WRITERS)
def test_everything_that_writes_follows_links_and_refuses_pipes(
    tmp_path: Path, save: Callable[[Path], None]
) -> None:
    path = tmp_path / "x.npz"
    path.symlink_to("y.npz")
    save(path)
    assert path.is_symlink()
    assert (tmp_path / "y.npz").stat().st_size > 0
    path.unlink()
    os.mkfifo(path)
    before = names(tmp_path)
    if save is save_scores:  # a cache that cannot be written is no error
        save(path)
    else:
        with pytest.raises(OSError, match="a device, a pipe or a socket"):
            save(path)
    assert path.is_fifo()
    assert names(tmp_path) == before


def test_parity_checks_the_file_for_its_results_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert validation.main(["parity", "--json", str(tmp_path)]) == 2
    assert "is a folder; give the name of a file" in capsys.readouterr().err
