"""Content of a data set from the folder SPARSEK_DATA, the cache, or a download from its origin."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from sparsek._limits import LimitedFile, SizeError, check_zip
from sparsek.datasets._content import Content, hash_content, hash_file, read_tidy, write_tidy
from sparsek.datasets._parsers import PARSERS
from sparsek.datasets._registry import Entry

TIMEOUT = 60
"""Seconds without data after which a download fails."""


INSTALL = "pip install 'sparsek[datasets]'"
"""How to get the packages that download and read the origins' files."""


class DatasetError(OSError):
    """A data set cannot be found or downloaded; the text says where it was looked for and what to do."""


class ChecksumError(DatasetError):
    """A file differs from the data set that the registry describes."""


def obtain(entry: Entry, data_home: Any, download_if_missing: bool, progressbar: bool) -> Content:
    """Content of a set: from SPARSEK_DATA, else the cache folder, else its origin."""
    cache = find_cache(data_home)
    folders = [folder for folder in (find_given_folder(), cache) if folder is not None]
    for folder in folders:
        if (folder / entry.file).is_file():
            return read_checked(folder / entry.file, entry)
    for folder in folders:
        paths = [folder / "origin" / entry.name / name for name in entry.origin_files]
        if paths and all(path.is_file() for path in paths):
            return parse_checked(paths, entry, str(paths[0].parent))
    missing = f"{entry.name}: no {' nor '.join(str(folder / entry.file) for folder in folders) or 'folder'}"
    if not entry.urls:
        raise DatasetError(f"{missing}, and it cannot be downloaded. {entry.note}")
    if not download_if_missing:
        raise DatasetError(f"{missing}, and download_if_missing is False. {_by_hand(entry)}")
    if cache is None:
        raise DatasetError(f"{missing}, and without pooch no cache folder: {INSTALL}, or give data_home")
    content = download(entry, cache, progressbar)
    write_tidy(cache / entry.file, content)
    return content


def find_given_folder() -> Path | None:
    """The folder that the environment variable SPARSEK_DATA names, if any."""
    given = os.environ.get("SPARSEK_DATA")
    if not given:
        return None
    if not Path(given).is_dir():
        raise DatasetError(f"SPARSEK_DATA must name a folder that exists; got {given!r}")
    return Path(given)


def find_cache(data_home: Any) -> Path | None:
    """`data_home`, or the user's cache folder; None if the package pooch, which finds it, is missing."""
    if data_home is not None:
        if not isinstance(data_home, str | os.PathLike):
            raise TypeError(f"data_home must be a folder's name or None; got {data_home!r}")
        return Path(data_home).expanduser()
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("sparsek"))


def read_checked(path: Path, entry: Entry) -> Content:
    """Content of a tidy file, checked: the file or its content must have the recorded hash."""
    try:
        content = read_tidy(path, entry.features, entry.decimals)
    except Exception as error:  # a damaged file can raise any error
        raise ChecksumError(
            f"{entry.name}: {path} cannot be read ({error}); it is damaged or half written. {_remedy(path)}"
        ) from error
    if not entry.sha256 or hash_file(path) != entry.sha256:
        check_content(content, entry, str(path), _remedy(path))
    return content


def parse_checked(paths: Sequence[Path], entry: Entry, where: str) -> Content:
    """Content of the origin's files."""
    try:
        content = PARSERS[entry.parser](paths, entry)
    except ImportError as error:
        raise DatasetError(f"{entry.name}: {error}; {INSTALL}") from error
    except Exception as error:  # a damaged or changed file can raise any error
        raise ChecksumError(
            f"{entry.name}: what came from {where} is not in the origin's format ({error}). {_by_hand(entry)}"
        ) from error
    check_content(content, entry, where, _by_hand(entry))
    return content


def check_content(content: Content, entry: Entry, where: str, remedy: str) -> None:
    """Raise unless shape, class sizes and hash agree with the registry, if recorded there."""
    if content.data.shape != entry.shape:
        raise ChecksumError(
            f"{entry.name}: expected shape {entry.shape}, got {content.data.shape} from {where}. {remedy}"
        )
    sizes = tuple(int((content.target == code).sum()) for code in range(len(content.classes)))
    if entry.class_sizes and sizes != entry.class_sizes:
        raise ChecksumError(
            f"{entry.name}: expected classes of {entry.class_sizes} rows, got {sizes} from {where}. {remedy}"
        )
    found = hash_content(content)
    if entry.content and found != entry.content:
        raise ChecksumError(
            f"{entry.name}: expected content with SHA-256 {entry.content}, got {found} from {where}: "
            f"the values, their order or their names differ. {remedy}"
        )


def download(entry: Entry, cache: Path, progressbar: bool) -> Content:
    """Content downloaded from the origin; its files are kept in a temporary folder only."""
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(f"{entry.name} is downloaded by pooch, which is missing: {INSTALL}") from error
    cache.mkdir(parents=True, exist_ok=True)
    fetch = pooch.HTTPDownloader(progressbar=progressbar, timeout=TIMEOUT)
    with tempfile.TemporaryDirectory(dir=cache, prefix=f".{entry.name}-") as scratch:
        paths = [Path(scratch, f"{number}-{url.rpartition('/')[2]}") for number, url in enumerate(entry.urls)]
        for url, path in zip(entry.urls, paths, strict=True):
            try:
                with LimitedFile(path, "wb") as file:
                    fetch(url, file, None)
            except (OSError, SizeError) as error:  # includes the exceptions of requests
                raise DatasetError(
                    f"{entry.name}: {url} could not be downloaded: {error}. {_by_hand(entry)}"
                ) from error
        if entry.members:
            paths = _unpack(paths[0], entry)
        return parse_checked(paths, entry, " and ".join(entry.urls))


def _unpack(archive: Path, entry: Entry) -> list[Path]:
    """The entry's members of a zip archive, found by their name in any folder of it."""
    try:
        check_zip(archive)
        with zipfile.ZipFile(archive) as opened:
            inside = {PurePosixPath(name).name: name for name in opened.namelist()}
            return [Path(opened.extract(inside[member], archive.parent)) for member in entry.members]
    except Exception as error:  # a damaged archive can raise any error
        raise ChecksumError(
            f"{entry.name}: {entry.urls[0]} gave no sound zip archive with {' and '.join(entry.members)} "
            f"({error}). {_by_hand(entry)}"
        ) from error


def _remedy(path: Path) -> str:
    """Advice for the error message about a bad tidy file."""
    return f"Delete {path} to have it fetched again, or replace it."


def _by_hand(entry: Entry) -> str:
    """Advice on how to download the origin's files by hand."""
    names = ", ".join(entry.origin_files)
    return (
        f"By hand: get {names} from {entry.page} and put it into origin/{entry.name}/ of the folder that "
        "SPARSEK_DATA or data_home names."
    )
