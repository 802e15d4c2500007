"""Write the lists that are derived from `sparsek/_registry.py`: ``python docs/write_lists.py``.

These are the stub of the package, the estimators in the reference, the pages in the index of methods, and the
table of estimators that take weights of rows.
With ``--check`` nothing is written, and the exit code is 1 if a file is out of date
(tests/package/test_registry.py). With ``--kinds`` the table of what takes which kind of data is written from
a run (tests/methods/search/test_kinds_table.py).
"""

import re
import sys
from pathlib import Path

import sparsek
from sparsek._registry import ESTIMATORS, MODULES, ROWS, SUBMODULES, Section

ROOT = Path(__file__).parent.parent
WIDTH = 110
"""Longest line that ruff allows."""
BEGIN = "<!-- From sparsek/_registry.py, written by docs/write_lists.py: -->\n"
QUOTED = re.compile(r"[A-Z]\w+(\(.*?\))?")
"""A class in a sentence, with its arguments."""
BEGIN_KINDS = "<!-- From a run, written by docs/write_lists.py --kinds: -->\n"
END = "<!-- End of what docs/write_lists.py writes -->\n"


def in_ruffs_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as ruff sorts names."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def write_import(module: str, names: list[str]) -> str:
    """The import of these names, on several lines if one would be too long."""
    names = sorted(names, key=in_ruffs_order)
    line = f"from sparsek.{module} import {', '.join(names)}\n"
    if len(line) <= WIDTH:
        return line
    return (
        f"from sparsek.{module} import (\n"
        + "".join(f"    {name},\n" for name in names)
        + ")\n"
    )


def write_stub() -> str:
    """Text of `sparsek/__init__.pyi`."""
    names: dict[str, list[str]] = {}
    for name, module in MODULES.items():
        names.setdefault(module, []).append(name)
    lines = [f"from sparsek import {name} as {name}\n" for name in sorted(SUBMODULES)]
    lines += [write_import(module, names[module]) for module in sorted(names)]
    exported = sorted([*MODULES, "__version__"], key=in_ruffs_order)
    listed = "".join(f'    "{name}",\n' for name in exported)
    return "".join(lines) + f"\n__version__: str\n__all__ = [\n{listed}]\n"


def rows_by_section() -> list[tuple[Section, list[str]]]:
    """Every section and the names of its rows."""
    sections: list[tuple[Section, list[str]]] = []
    for row in ROWS:
        if isinstance(row, Section):
            sections.append((row, []))
        else:
            sections[-1][1].append(row.name)
    return sections


def write_reference() -> str:
    """The estimators' part of `docs/api.md`."""
    parts = []
    for section, names in rows_by_section():
        text = f"{section.text}\n\n" if section.text else ""
        listed = "".join(f"   {name}\n" for name in names)
        parts.append(
            f"### {section.title}\n\n{text}```{{eval-rst}}\n.. currentmodule:: sparsek\n\n"
            f".. autosummary::\n   :toctree: api\n   :caption: {section.title}\n\n{listed}```\n\n"
        )
    return "\n" + "".join(parts)


def write_index() -> str:
    """The pages of the estimators for `docs/methods/index.md`, each in the first section that has it."""
    pages = {row.name: row.page for row in ESTIMATORS}
    seen: list[str] = []
    parts = []
    for section, names in rows_by_section():
        found = dict.fromkeys(pages[name] for name in names if name in pages)
        new = [page for page in found if page not in seen]
        seen += new
        if new:
            listed = "".join(f"{page}\n" for page in new)
            parts.append(
                f"```{{toctree}}\n:caption: {section.title}\n:maxdepth: 1\n\n{listed}```\n\n"
            )
    return "\n" + "".join(parts)


def write_weights() -> str:
    """The estimators that take weights of rows, and why the others do not."""
    lines = ["| estimator | `sample_weight` | why not | instead |", "|---|---|---|---|"]
    for row in ESTIMATORS:
        reason = getattr(sparsek, row.name)._no_weights
        cells = (
            ("yes", "", "")
            if reason is None
            else ("no", reason.why, re.sub(QUOTED, r"`\g<0>`", reason.instead))
        )
        lines.append(f"| `{row.name}` | {' | '.join(cells)} |".replace("  ", " "))
    return "\n" + "\n".join(lines) + "\n\n"


def between_marks(path: Path, text: str, begin: str = BEGIN) -> str:
    """The file with the part between the marks replaced by this text."""
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(END)
    return before + begin + text + END + after


def main(arguments: list[str]) -> int:
    """Write or check the lists; returns the exit code."""
    if arguments == ["--kinds"]:
        from kinds_of_data import (
            write_kinds,
        )  # beside this file; it fits, searches and tests

        page = ROOT / "docs" / "scaling.md"
        page.write_text(between_marks(page, write_kinds(), BEGIN_KINDS), encoding="utf-8")
        return 0
    stub, reference, index, weights = (
        ROOT / name
        for name in (
            "sparsek/__init__.pyi",
            "docs/api.md",
            "docs/methods/index.md",
            "docs/questions/survey-weights.md",
        )
    )
    wanted = {
        stub: write_stub(),
        reference: between_marks(reference, write_reference()),
        index: between_marks(index, write_index()),
        weights: between_marks(weights, write_weights()),
    }
    stale = [
        path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text
    ]
    if arguments == ["--check"]:
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is out of date: run python docs/write_lists.py"
            )
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
