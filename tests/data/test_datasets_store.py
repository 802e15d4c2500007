"""Sources of data sets: SPARSEK_DATA, cache, download from a local server; damaged files."""

import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsek.datasets import ChecksumError, DatasetError
from sparsek.datasets._content import Content, hash_content, hash_file, make_content, write_tidy
from sparsek.datasets._registry import Entry
from sparsek.datasets._store import obtain

ORIGIN = b"aardvark,1,0.5,2\nantelope,?,1.5,1\nbass,0,-2.5,2\n"
CONTENT = make_content([[1, 0.5], [np.nan, 1.5], [0, -2.5]], ["yes", "no", "yes"], ("hair", "legs"))


class Origin:
    """A server of the origin's files; `requests` lists what was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"/toy.data": ORIGIN}
        self.cut = False  # announces more bytes than are sent
        self.requests: list[str] = []
        origin = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                origin.requests.append(self.path)
                body = origin.files.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"") + 100 * origin.cut))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def origin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Origin]:
    monkeypatch.delenv("SPARSEK_DATA", raising=False)
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    origin = Origin()
    thread = threading.Thread(target=origin.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield origin
    origin.server.shutdown()
    origin.server.server_close()
    thread.join()


@pytest.fixture
def entry(origin: Origin) -> Entry:
    return Entry(
        name="toy",
        title="the toy data",
        file="toys/toy.csv.gz",
        shape=(3, 2),
        source="nobody",
        licence="none",
        page="https://example.org/toy",
        features=("hair", "legs"),
        content=hash_content(CONTENT),
        urls=(f"{origin.address}/toy.data",),
        parser="delimited",
        options={
            "separator": ",",
            "missing": "?",
            "label": 3,
            "drop": [0],
            "classes": {"1": "no", "2": "yes"},
        },
    )


def get(entry: Entry, home: Path, download: bool = True) -> Content:
    """Content without a progress bar."""
    return obtain(entry, home, download, False)


def list_files(folder: Path) -> list[str]:
    """Every file and folder below, hidden ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_downloads_once_and_then_reads_the_cache(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    home = tmp_path / "not" / "there" / "yet"
    for _ in range(2):
        content = get(entry, home)
        np.testing.assert_array_equal(content.data, CONTENT.data)
        assert content.classes == ("no", "yes")
        assert content.target.tolist() == [1, 0, 1]
    assert origin.requests == ["/toy.data"]
    assert list_files(home) == ["toys", "toys/toy.csv.gz"]
    readable = (home / "toys").stat().st_mode & 0o444
    assert (home / entry.file).stat().st_mode & 0o444 == readable  # readable according to the umask


def test_default_cache_is_poochs(entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / project)
    obtain(entry, None, True, False)
    assert (tmp_path / "sparsek" / entry.file).is_file()


def test_given_folder_comes_first(
    entry: Entry, origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tidy(tmp_path / "given" / entry.file, CONTENT)
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path / "given"))
    (tmp_path / "cache" / "toys").mkdir(parents=True)
    (tmp_path / "cache" / entry.file).write_bytes(b"never looked at")
    assert hash_content(get(entry, tmp_path / "cache")) == entry.content
    assert origin.requests == []


def test_a_cache_serves_as_given_folder(
    entry: Entry, origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    get(entry, tmp_path / "cache")
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path / "cache"))
    get(entry, tmp_path / "other", download=False)
    assert not (tmp_path / "other").exists()


def test_a_remade_file_with_the_same_content_is_taken(entry: Entry, tmp_path: Path) -> None:
    path = tmp_path / entry.file
    write_tidy(path, CONTENT)
    for recorded in (hash_file(path), "0" * 64):
        assert hash_content(get(replace(entry, sha256=recorded), tmp_path)) == entry.content


def test_given_folder_must_exist(entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match=r"SPARSEK_DATA must name a folder that exists; got .*nowhere"):
        get(entry, tmp_path)


def test_missing_and_not_to_be_downloaded(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    with pytest.raises(
        OSError, match=r"toy: no .*toy.csv.gz, and download_if_missing is False. By hand: get"
    ) as e:
        get(entry, tmp_path, download=False)
    assert isinstance(e.value, DatasetError)
    assert origin.requests == []


def test_no_origin(entry: Entry, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"toy: no .*, and it cannot be downloaded. Draw it yourself"):
        get(replace(entry, urls=(), note="Draw it yourself."), tmp_path)


@pytest.mark.parametrize("given", [True, False])
def test_other_values_in_a_tidy_file(
    entry: Entry, given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given:
        monkeypatch.setenv("SPARSEK_DATA", str(tmp_path))
    changed = CONTENT.data.copy()
    changed[0, 1] = np.nextafter(0.5, 1)
    write_tidy(tmp_path / entry.file, replace(CONTENT, data=changed))
    message = rf"toy: expected content with SHA-256 {entry.content}, got .*Delete .*toy.csv.gz"
    with pytest.raises(ChecksumError, match=message):
        get(entry, tmp_path / "cache" if given else tmp_path)


def test_other_shape_in_a_tidy_file(entry: Entry, tmp_path: Path) -> None:
    write_tidy(tmp_path / entry.file, replace(CONTENT, data=CONTENT.data[:2], target=CONTENT.target[:2]))
    with pytest.raises(ChecksumError, match=r"toy: expected shape \(3, 2\), got \(2, 2\)"):
        get(entry, tmp_path)


@pytest.mark.parametrize("keep", [0, 10, -10])
def test_half_a_tidy_file(entry: Entry, keep: int, tmp_path: Path) -> None:
    path = tmp_path / entry.file
    write_tidy(path, CONTENT)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ChecksumError, match=r"toy: .* cannot be read .* damaged or half written. Delete"):
        get(entry, tmp_path)


def test_no_network(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    closed = replace(
        entry, urls=("http://127.0.0.1:9/toy.data",)
    )  # the discard port, on which no server listens
    message = (
        r"(?s)toy: http://127.0.0.1:9/toy.data could not be downloaded: .*By hand: get toy.data from https"
    )
    with pytest.raises(DatasetError, match=message):
        get(closed, tmp_path)
    assert list_files(tmp_path) == []


def test_address_gone(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    origin.files.clear()
    with pytest.raises(DatasetError, match=r"could not be downloaded: 404"):
        get(entry, tmp_path)
    assert list_files(tmp_path) == []


def test_half_a_download(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    origin.cut = True
    with pytest.raises(DatasetError, match=r"(?s)toy.data could not be downloaded: .*By hand"):
        get(entry, tmp_path)
    assert list_files(tmp_path) == []
    origin.cut = False
    get(entry, tmp_path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (ORIGIN[:34], r"expected shape \(3, 2\), got \(2, 2\) from http"),
        (ORIGIN.replace(b"0.5", b"0.6"), "expected content with SHA-256"),
        (ORIGIN.replace(b"0.5", b"abc"), "is not in the origin's format"),
        (ORIGIN.replace(b",2\n", b",3\n"), "is not in the origin's format"),
        (b"<html>\n<body>moved</body></html>", "is not in the origin's format"),
        (b"", "is not in the origin's format"),
    ],
)
def test_changed_origin(entry: Entry, origin: Origin, body: bytes, message: str, tmp_path: Path) -> None:
    origin.files["/toy.data"] = body
    with pytest.raises(ChecksumError, match=f"toy: .*{message}.*origin/toy/"):
        get(entry, tmp_path)
    assert list_files(tmp_path) == []


def test_files_put_by_hand(entry: Entry, origin: Origin, tmp_path: Path) -> None:
    folder = tmp_path / "origin" / "toy"
    folder.mkdir(parents=True)
    (folder / "toy.data").write_bytes(ORIGIN)
    assert hash_content(get(entry, tmp_path, download=False)) == entry.content
    (folder / "toy.data").write_bytes(ORIGIN[:-10])
    with pytest.raises(ChecksumError, match="origin/toy"):
        get(entry, tmp_path)
    assert origin.requests == []


def test_failure_to_write_leaves_nothing(
    entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("sparsek._files.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        get(entry, tmp_path)
    assert list_files(tmp_path) == ["toys"]


@pytest.fixture
def archive(entry: Entry, origin: Origin) -> Entry:
    """A set as Mendeley Data has it: a zip with name.x.txt, features by samples, and name.y.txt."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("Ten sets/toy.x.txt", "1 2 3\n4 5 6\n")
        file.writestr("Ten sets/toy.y.txt", "0\n1\n1\n")
    origin.files["/download/1"] = packed.getvalue()
    return replace(
        entry,
        file="toys/toy.npz",
        features=("gene{}",),
        content="",
        class_sizes=(1, 2),
        urls=(f"{origin.address}/download/1",),
        members=("toy.x.txt", "toy.y.txt"),
        parser="matrix",
        options={},
    )


def test_zip_archive_without_recorded_content(archive: Entry, origin: Origin, tmp_path: Path) -> None:
    for _ in range(2):
        content = get(archive, tmp_path)
        np.testing.assert_array_equal(content.data, [[1, 4], [2, 5], [3, 6]])
        assert content.features == ("gene1", "gene2")
    assert origin.requests == ["/download/1"]
    assert list_files(tmp_path) == ["toys", "toys/toy.npz"]


def test_zip_archive_with_other_class_sizes(archive: Entry, tmp_path: Path) -> None:
    with pytest.raises(ChecksumError, match=r"expected classes of \(2, 1\) rows, got \(1, 2\)"):
        get(replace(archive, class_sizes=(2, 1)), tmp_path)


def test_zip_archive_that_is_none(archive: Entry, origin: Origin, tmp_path: Path) -> None:
    for members, body in ((("other.txt",), None), (archive.members, b"<html>")):
        origin.files["/download/1"] = body or origin.files["/download/1"]
        with pytest.raises(ChecksumError, match=r"gave no sound zip archive with .*By hand"):
            get(replace(archive, members=members), tmp_path)
    assert list_files(tmp_path) == []


@pytest.fixture
def without_pooch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)


def test_without_pooch(
    entry: Entry, without_pooch: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for home in (None, tmp_path):
        with pytest.raises(DatasetError, match=r"toy.*pooch.*pip install 'sparsek\[datasets\]'"):
            obtain(entry, home, True, False)
    write_tidy(tmp_path / entry.file, CONTENT)
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path))
    assert hash_content(obtain(entry, None, True, False)) == entry.content
