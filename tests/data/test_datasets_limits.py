"""Data sets that unpack to too much, or are damaged, end with a clear error."""

import gzip
import struct
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat

from sparsek import _limits
from sparsek._limits import LimitedFile, SizeError, check_zip, read_whole
from sparsek.datasets._content import read_tidy
from sparsek.datasets._parsers import parse_matlab
from sparsek.datasets._rdata import read_rdata


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of 10 000 and 30 000 bytes."""
    monkeypatch.setattr(_limits, "MEMBER_BYTES", 10_000)
    monkeypatch.setattr(_limits, "ARCHIVE_BYTES", 30_000)


def zipped(path: Path, *sizes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for number, size in enumerate(sizes):
            file.writestr(f"m{number}.npy", bytes(size))
    return path


def test_zip_archives(tmp_path: Path) -> None:
    check_zip(zipped(tmp_path / "a.zip", 10_000, 10_000, 10_000))
    with pytest.raises(SizeError, match=r"m1\.npy in .*b\.zip unpacks to 10001 bytes; the limit is 10000"):
        check_zip(zipped(tmp_path / "b.zip", 5, 10_001))
    with pytest.raises(SizeError, match=r"c\.zip unpacks to 30001 bytes; the limit is 30000"):
        check_zip(zipped(tmp_path / "c.zip", 10_000, 10_000, 10_000, 1))
    with pytest.raises(SizeError, match="unpacks to 99999 bytes"):
        read_tidy(zipped(tmp_path / "d.npz", 99_999), (), None)


def test_gzip_files(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    for content, works in ((bytes(10_000), True), (bytes(10_001), False)):
        path.write_bytes(gzip.compress(content))
        if works:
            assert read_whole(path, gzip.open) == content
            continue
        for read in (
            lambda: read_whole(path, gzip.open),
            lambda: read_tidy(path, (), None),
            lambda: read_rdata(path),
        ):
            with pytest.raises(SizeError, match=r"x\.csv\.gz holds more than 10000 bytes, the limit"):
                read()


def test_matlab_files(tmp_path: Path) -> None:
    entry: Any = type("Entry", (), {"options": {"data": "X", "target": "y"}, "shape": (1, 1)})
    savemat(tmp_path / "x.mat", {"X": np.zeros((50, 50)), "y": np.zeros(50)}, do_compression=True)
    with pytest.raises(SizeError, match=r"X in .* unpacks to 20000 bytes"):
        parse_matlab([tmp_path / "x.mat"], entry)


def test_downloads(tmp_path: Path) -> None:
    with LimitedFile(tmp_path / "x", "wb") as file:
        file.write(bytes(30_000))
        with pytest.raises(SizeError, match="would be larger than 30000 bytes"):
            file.write(b"1")


def r_file(*body: int) -> bytes:
    """An R file of some integers after its head."""
    return b"RDX2\nX\n" + bytes(12) + struct.pack(f">{len(body)}i", *body)


SOUND = r_file(2 + 1024, 1, 9, 0, 14, 1, 0, 0, 254)
"""An R file with the number 0, whose name has no letters."""


def test_sound_r_file(tmp_path: Path) -> None:
    (tmp_path / "x.rda").write_bytes(SOUND)
    assert read_rdata(tmp_path / "x.rda") == {"": np.zeros(1)}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x1f\x8b",
        gzip.compress(SOUND, mtime=0)[:-9],
        b"BZh9 no more",
        b"\xfd7zXZ\x00 no more",
        r_file(),
        r_file(14, -1),
        r_file(14, 2**31 - 1),
        r_file(16, 2**31 - 1),
        r_file(9, 50),
        r_file(255),
        r_file(14, 0),
        r_file(254),
        r_file(*[2] * 2000),
    ],
)
def test_damaged_r_files(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.rda").write_bytes(content)
    with pytest.raises(ValueError, match=r"damaged R data file|not a binary R data file"):
        read_rdata(tmp_path / "x.rda")


@given(cut=st.integers(0, len(SOUND)), at=st.integers(0, len(SOUND) - 1), value=st.integers(0, 255))
def test_any_damage_of_an_r_file(cut: int, at: int, value: int, tmp_path_factory: Any) -> None:
    content = bytearray(SOUND)
    content[at] = value
    path = tmp_path_factory.mktemp("r") / "x.rda"
    path.write_bytes(content[:cut])
    with suppress(ValueError):
        assert isinstance(read_rdata(path), dict)
