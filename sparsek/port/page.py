"""The comparison of two scripts as an HTML page without external resources."""

from __future__ import annotations

from sparsek._printable import in_html
from sparsek.port.comparing import PortComparison, Row

STYLE = """
:root { --ink: #1d2733; --muted: #5b6876; --line: #dde3e9; --good: #1b6e3c; --bad: #b3261e; --paper: #fff; }
body { margin: 0 auto; padding: 2rem; max-width: 66rem; color: var(--ink); background: var(--paper);
       font-family: "Segoe UI", "Helvetica Neue", Arial, sans-serif; line-height: 1.5; }
h1 { font-size: 1.6rem; }
table { width: 100%; border-collapse: collapse; font-size: .86rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; }
th { border-bottom: 1.5px solid var(--ink); }
td { border-bottom: 1px solid var(--line); }
pre { white-space: pre-wrap; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .muted { color: var(--muted); }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --muted: #9aa6b2; --line: #37414b; --good: #6fcf97; --bad: #ff8a80;
          --paper: #14181e; }
}
"""
COLUMNS = ("where", "object", "result", "LRE", "max difference", "first difference")


def _cells(row: Row) -> list[str]:
    """The cells of a row of the table."""
    comparison = row.comparison
    if comparison.exact:
        return [row.check, comparison.field, "equal", "", "", ""]
    size = comparison.max_abs_diff
    numbers = ["", ""] if size is None else [f"{comparison.lre:.1f}", f"{size:.3g}"]
    return [row.check, comparison.field, "differs", *numbers, comparison.message]


def _table_row(row: Row) -> str:
    """A row of the table."""
    kind = "good" if row.comparison.exact else "bad"
    cells = [in_html(cell) for cell in _cells(row)]
    cells[2] = f'<span class="{kind}">{cells[2]}</span>'
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def as_page(comparison: PortComparison) -> str:
    """A comparison as a page."""
    title = in_html(f"{comparison.r.name} and {comparison.python.name}")
    verdict = "good" if comparison.passed else "bad"
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = "\n".join(map(_table_row, comparison.rows))
    notes = "\n".join(f'<p class="muted">{in_html(note)}</p>' for note in comparison.notes)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p class="{verdict}">{in_html(comparison.verdict)}</p>
<pre>{in_html(chr(10).join(comparison.stream_lines))}</pre>
<p>LRE: the number of leading decimal digits that agree. Fields are named as in R.</p>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
{notes}
</body>
</html>
"""
