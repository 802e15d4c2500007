"""One HTML page about a fit: its summary, pictures, settings and data, to send to a colleague or to print."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sparsek._files import check_target, named_in_errors, whole_file
from sparsek._limits import opened, read_whole
from sparsek._printable import in_html
from sparsek.cli._cells import InputError
from sparsek.cli._folder import PAGE, RESULT, read_result

PICTURES = {
    "choice.png": "The criterion by which the size was chosen, with standard errors. Where the curve is "
    "flat, neighbouring sizes are nearly as good.",
    "weights.png": "Feature weights, the largest first. Grey features are not in use. A steep fall after the "
    "first ones says that they carry the clusters.",
    "pca.png": "The rows on principal components of the selected features and of all; a colour is a cluster. "
    "Clusters that lie apart in the first picture alone are seen by the selected features alone.",
    "centers.png": "Cluster means of the features in use, in standard deviations from the mean: red is above "
    "it, blue below.",
    "silhouette.png": "Silhouettes of the rows, by cluster: near 1 a row lies well inside its cluster, near "
    "0 between two, below 0 nearer to another.",
    "convergence.png": "The objective over the iterations of the best start, and where the others ended. If "
    "few ended as low as the best, raise --n-init.",
    "missingness.png": "Missing cells, by cluster. Where clusters differ in what is missing, they may follow "
    "the holes.",
}
"""Pictures that a folder of results may have, in the order of the page, with what they show."""
TITLES = {"choice.png": "How the size was chosen", "weights.png": "Features", "pca.png": "Rows"}
"""Headings before some pictures."""
PNG = b"\x89PNG\r\n\x1a\n"
"""First bytes of a PNG picture."""
STYLE = """
:root { --ink: #1d2733; --muted: #566270; --line: #dde3e9; --paper: #fff; --bad: #b3261e;
        color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 56rem; color: var(--ink); background: var(--paper);
       font-family: "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; line-height: 1.5; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; border-top: 2px solid var(--ink); padding-top: .6rem; }
.muted, figcaption { color: var(--muted); font-size: .9rem; }
.warning { border-left: 5px solid var(--bad); padding-left: .8rem; }
.wide { overflow-x: auto; }
code { font-size: .9rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.wide td, .wide th { overflow-wrap: normal; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1.2rem .25rem 0;
         border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1.5px solid var(--ink); }
figure { margin: 1rem 0 1.5rem; break-inside: avoid; }
img { max-width: 100%; height: auto; background: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --muted: #9aa6b2; --line: #37414b; --paper: #14181e; --bad: #ff8a80; }
}
@page { size: A4; margin: 16mm 14mm; }
@media print { body { padding: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; } }
"""


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Write the page of a folder of results.

    Raises InputError if the folder holds no results, or the file cannot be written.
    """
    before = _state(folder)
    result, files = _read_folder(folder)
    written = date.fromtimestamp((folder / RESULT).stat().st_mtime)
    target = folder / PAGE if out is None else out
    if out is None and target.is_symlink():
        raise InputError(f"{target} is a link, and would lead the page elsewhere: delete it, or use --out")
    check_target(target)
    page = as_page(result, files, written)
    with named_in_errors(target), whole_file(target) as part:
        part.write_text(page, encoding="utf-8")
        if _state(folder) != before:  # other pictures may have been read, or the page be put beside others
            raise InputError(f"{folder} was replaced by other results meanwhile; write its page again")
    return target


def _state(folder: Path) -> tuple[int, int] | None:
    """What changes when other results take the place of these; None while there are none."""
    try:
        found = (folder / RESULT).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The content of result.json, and the pictures that are there."""
    try:
        result = read_result(folder / RESULT)
    except InputError as error:
        raise InputError(
            f"{folder} holds no results of sparsek: {error}; make some by sparsek fit --out"
        ) from error
    files = {}
    for name in PICTURES:
        file = folder / name
        if file.is_symlink():
            raise InputError(f"{file} is a link, and a page holds only files of its folder: delete the link")
        if file.is_file():
            files[name] = read_whole(file, opened)
            if not files[name].startswith(PNG):
                raise InputError(f"{file} is no PNG picture: delete it")
    return result, files


def as_page(result: Mapping[str, Any], files: Mapping[str, bytes], written: date) -> str:
    """The page as text, from the content and the day of result.json and the pictures beside it."""
    from sparsek.cli._checks import in_words  # slow to import

    data = result["data"]
    title = _safe(f"{result['estimator']} of {data['file']}")
    size = f"{data['rows']} rows, {data['features']} features"
    warnings = "".join(f'<p class="warning">{_safe(line)}</p>' for line in result["warnings"])
    facts = [("Rows", data["rows"]), ("Features", data["features"]), ("SHA-256 of the file", data["sha256"])]
    scaling = "mean 0 and sd 1" if result["scaled"] else "as in the file"
    settings = [("method", result["method"]), ("columns", scaling), *result["parameters"].items()]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="muted">{_safe(size)}; fitted on {written.isoformat()} by sparsek {_safe(result["sparsek"])}</p>
<p>To repeat it, in the folder of the file: <code>{_safe(result["command"])}</code></p>
{warnings}
<h2>Summary</h2>
{_summary(result["summary"])}
{_pictures(files)}
<h2>Data</h2>
{_facts([*facts, *in_words(result["checks"])])}
<h2>Settings</h2>
{_facts(settings)}
</main>
</body>
</html>
"""


def _safe(value: Any) -> str:
    """A value as text that is no command to a terminal and no HTML."""
    return in_html(str(value))


def _summary(summary: Mapping[str, Any]) -> str:
    """The settings, the tables and the notes of a summary."""
    sentences = {
        name: "".join(f'<p class="muted">{_safe(line)}</p>\n' for line in summary[name])
        for name in ("lead", "notes")
    }
    parts = "".join(
        (f"<h3>{_safe(part['heading'])}</h3>\n" if part["heading"] else "") + _table(part)
        for part in summary["parts"]
    )
    return sentences["lead"] + parts + sentences["notes"]


def _table(part: Mapping[str, Any]) -> str:
    """The table of a part; nothing if it has none."""
    if not part["rows"]:
        return ""
    right = [' class="n"' if number is True else "" for number in part["numbers"]]
    head = "".join(
        f'<th scope="col"{kind}>{_safe(name)}</th>'
        for name, kind in zip_longest(part["names"], right[: len(part["names"])], fillvalue="")
    )
    rows = "".join(f"<tr>{_cells(row, right)}</tr>\n" for row in part["rows"])
    label = _safe(part["heading"] or "Data and result")
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{label}"><table>\n'
        f"{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _cells(row: Sequence[Any], right: Sequence[str]) -> str:
    """The cells of a row."""
    return "".join(
        f"<td{kind}>{_safe(cell)}</td>" for cell, kind in zip_longest(row, right[: len(row)], fillvalue="")
    )


def _facts(pairs: Iterable[tuple[str, Any]]) -> str:
    """A table of names and values."""
    rows = "".join(
        f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(value)}</td></tr>\n' for name, value in pairs
    )
    return f"<table>\n<tbody>\n{rows}</tbody>\n</table>"


def _pictures(files: Mapping[str, bytes]) -> str:
    """The pictures that are there, inside the page."""
    found = ""
    for name, caption in PICTURES.items():
        if name in files:
            content = base64.b64encode(files[name]).decode("ascii")
            heading = f"<h2>{TITLES[name]}</h2>\n" if name in TITLES else ""
            found += (
                f'{heading}<figure><img alt="{caption}" src="data:image/png;base64,{content}">'
                f"<figcaption>{caption}</figcaption></figure>\n"
            )
    return found
