"""The records of R's answers: ``recorded/<package>/<function>.jsonl``.

The first lines of a file are runs of ``record.R``, each with what it was made with; the others are records in
the order of ``cases.json``. The id of a case is made of the function and a digest of all that the case says.
"""

import hashlib
import json
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from r_reference.case_parts import Case
from r_reference.recipes import FOLDER

RECORDED = FOLDER / "recorded"
PART_OF_R = ("base", "stats")
"""Packages with the version of R."""
DIGITS = 8
FIRST = re.compile(r'\{"(id|run)": "([^"]*)"')
"""How a line begins: a record with the id of its case, a run with its own."""


def case_id(case: Case) -> str:
    """The id of a case, such as ``kmeans-3f9a1c02``; a case that says anything else has another id."""
    said = json.dumps({name: value for name, value in case.items() if name != "id"}, sort_keys=True)
    return f"{case['function']}-{hashlib.sha256(said.encode()).hexdigest()[:DIGITS]}"


def record_file(case: Case) -> Path:
    """The file with the record of a case."""
    return RECORDED / case["package"] / f"{case['function']}.jsonl"


@lru_cache(maxsize=16)
def read_lines(file: Path) -> dict[str, dict[str, str]]:
    """The lines of a file, not parsed: under "id" the records by case, under "run" the runs."""
    found: dict[str, dict[str, str]] = {"id": {}, "run": {}}
    for line in file.read_text(encoding="utf-8").splitlines():
        start = FIRST.match(line)
        if start is None:
            raise ValueError(f"{file.name}: no record and no run: {line[:60]}")
        found[start[1]][start[2]] = line
    return found


def read_record(case: Case) -> dict[str, Any]:
    """The record of a case: ``id``, ``input``, ``result``, ``seconds`` and ``provenance``.

    Raises FileNotFoundError if the case has not been recorded.
    """
    file, name = record_file(case), case["id"]
    lines = read_lines(file) if file.exists() else {"id": {}}
    if name not in lines["id"]:
        raise FileNotFoundError(f"no record of case {name}; run Rscript r_reference/record.R '^{name}$'")
    record: dict[str, Any] = json.loads(lines["id"][name])
    record["provenance"] = json.loads(lines["run"][record.pop("run")])["provenance"]
    return record


def runs() -> list[dict[str, str]]:
    """What the records were made with: versions, platform, libraries and date of every run."""
    texts = {text for file in sorted(RECORDED.glob("*/*.jsonl")) for text in read_lines(file)["run"].values()}
    return [json.loads(text)["provenance"] for text in sorted(texts)]


@cache
def recorded_with() -> list[str]:
    """Versions of R and its packages behind the records; one line per combination, usually one."""
    combinations: dict[str, dict[str, None]] = {}
    for facts in runs():
        r = f"{facts['r']} on {facts['platform']}, {facts['blas']}, recorded {facts['date']}"
        packages = combinations.setdefault(r, {})
        if facts["package"] not in PART_OF_R:
            packages[f"{facts['package']} {facts['package_version']}"] = None
    return [f"{r}: {', '.join(packages)}" for r, packages in combinations.items()]
