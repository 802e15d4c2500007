"""What is installed: hashes of files, archives and packages, also as a bill of materials (SBOM)."""

import datetime
import hashlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sparsek

PACKAGE = Path(sparsek.__file__).parent
ARCHIVES = PACKAGE.parent / "dist"
"""Where ``python -m build`` puts wheel and source archive."""
REPEAT = "find sparsek -type f -not -path '*/__pycache__/*' | LC_ALL=C sort | xargs sha256sum | sha256sum"
"""What computes the digest of all files, in the folder that has the package."""


def sha256(data: bytes) -> str:
    """SHA-256 of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def hash_files(folder: Path = PACKAGE) -> dict[str, str]:
    """SHA-256 of every file of the package, by its path, in the order of the paths."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    named = {path.relative_to(folder.parent).as_posix(): path for path in found}
    return {name: sha256(named[name].read_bytes()) for name in sorted(named)}


def digest_of(files: dict[str, str]) -> str:
    """One digest of all files: that of the lines which ``sha256sum`` prints of them."""
    return sha256("".join(f"{digest}  {name}\n" for name, digest in files.items()).encode())


def needed(name: str) -> list[Requirement]:
    """What an installed package needs here without extras; nothing if it is not installed."""
    try:
        texts = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    here = {**default_environment(), "extra": ""}
    found = map(Requirement, texts)
    return [entry for entry in found if entry.marker is None or entry.marker.evaluate(here)]


def _closure() -> Iterator[str]:
    """Names of the packages that sparsek needs, and that these need."""
    seen, waiting = {"sparsek"}, ["sparsek"]
    while waiting:
        for requirement in needed(waiting.pop()):
            name = canonicalize_name(requirement.name)
            if name not in seen:
                seen.add(name)
                waiting.append(name)
                yield name


def list_packages() -> list[dict[str, str]]:
    """Name, version, and SHA-256 of the list of files of every package that sparsek needs, by name."""
    rows = []
    for name in sorted(_closure()):
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # the check of installation names it
        record = found.read_text("RECORD") or ""
        rows.append({"name": name, "version": found.version, "record": sha256(record.encode())})
    return rows


def describe_release() -> dict[str, Any]:
    """Version, files, archives and packages, with their hashes."""
    files = hash_files()
    archives = sorted(ARCHIVES.glob(f"sparsek-{sparsek.__version__}*"))
    return {
        "version": sparsek.__version__,
        "digest": digest_of(files),
        "repeat": REPEAT,
        "files": files,
        "archives": {path.name: sha256(path.read_bytes()) for path in archives},
        "packages": list_packages(),
    }


def bill_of_materials(release: dict[str, Any]) -> dict[str, Any]:
    """The release as CycloneDX 1.5."""
    hashed = [(name, digest) for part in ("archives", "files") for name, digest in release[part].items()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "component": {
                "type": "library",
                "name": "sparsek",
                "version": release["version"],
                "purl": f"pkg:pypi/sparsek@{release['version']}",
                "components": [
                    {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
                    for name, digest in hashed
                ],
            },
        },
        "components": [
            {
                "type": "library",
                "name": row["name"],
                "version": row["version"],
                "purl": f"pkg:pypi/{row['name']}@{row['version']}",
                "properties": [{"name": "sparsek:sha256-of-RECORD", "value": row["record"]}],
            }
            for row in release["packages"]
        ],
    }
