"""Tests that are run for a mutant: those of the mirrored folder, the most likely to fail first."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

PARITY = "tests/validation/parity/test_parity.py"


def _folders(root: Path, file: Path, also: dict[str, list[str]]) -> list[Path]:
    """The mirrored test folder, then the folders that the settings add."""
    further = [Path("tests", name) for name in also.get(file.parent.as_posix(), [])]
    return [place for place in (Path("tests", *file.parent.parts[1:]), *further) if (root / place).is_dir()]


def _test_files(root: Path, folder: Path, words: list[str], left_out: list[str]) -> list[str]:
    """The test files of a folder; files that often name the module or the function come first."""
    paths = [path for path in (root / folder).glob("test_*.py") if path.name not in left_out]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    paths.sort(key=lambda path: (-sum(texts[path].count(word) for word in words), path.name))
    return [path.relative_to(root).as_posix() for path in paths]


@cache
def _records(root: Path) -> dict[str, list[str]]:
    """The tests of the recorded cases by package: for each function some cases, then the others."""
    cases = json.loads((root / "r_reference" / "cases.json").read_text(encoding="utf-8"))["cases"]
    found: dict[str, list[str]] = {}
    for (package, function), count in Counter((case["package"], case["function"]) for case in cases).items():
        names = ["test_some_recorded_cases"] + ["test_the_other_recorded_cases"] * (count > 1)
        found.setdefault(package, []).extend(f"{PARITY}::{name}[{function}]" for name in names)
    return found


def select_tests(root: Path, file: Path, function: str | None, settings: dict[str, Any]) -> list[str]:
    """The arguments of pytest for a mutant."""
    words = [".".join(file.with_suffix("").parts), *([function] if function else [])]
    folders = _folders(root, file, settings["also"])
    tests = [name for folder in folders for name in _test_files(root, folder, words, settings["left_out"])]
    examples = [file.as_posix()] if ">>> " in (root / file).read_text(encoding="utf-8") else []
    packages = settings["records"].get(file.parent.as_posix(), [])
    cases = [name for package in packages for name in _records(root)[package]]
    return [*examples, *tests, *cases, *settings["always"]]
