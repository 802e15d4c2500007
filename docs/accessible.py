"""Sphinx extension: names for screen readers, where theme and gallery leave them out (axe-core finds it)."""

import re
from pathlib import Path
from typing import Any

CHANGES = (
    # An empty cell above row names is no header.
    (re.compile(r'<th class="head"[^>]*>(<p></p>)?</th>'), "<td></td>"),
    # The button shows "Search Ctrl+K" on wide windows: its name begins with that.
    (
        re.compile(r'(<button[^>]*search-button-field[^>]*? aria-label="Search)"'),
        r'\1 Ctrl+K"',
    ),
    (
        re.compile(r'<summary>(?=<span class="toctree-toggle")'),
        '<summary aria-label="pages below">',
    ),
    # What scrolls can be reached by the keyboard.
    (
        re.compile(r'<div class="wide-picture docutils">'),
        '<div class="wide-picture docutils" tabindex="0" role="group" aria-label="picture">',
    ),
    # Pictures of the gallery hide the text of their links.
    (
        re.compile(
            r'(tooltip="[^>]*><img alt="" [^>]*>\s*<p><a )(class="[^>]*><span class="[^"]*">)([^<]*)'
        ),
        r'\1aria-label="\3" \2\3',
    ),
)
"""What is replaced in every page."""


def name_all(app: Any, error: Exception | None) -> None:
    """Change the pages that were written."""
    if error is None and app.builder.name == "html":
        for path in Path(app.outdir).rglob("*.html"):
            if "report" not in path.relative_to(app.outdir).parts:
                text = changed = path.read_text(encoding="utf-8")
                for pattern, new in CHANGES:
                    changed = pattern.sub(new, changed)
                if changed != text:
                    path.write_text(changed, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Run at the end of a build."""
    app.connect("build-finished", name_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
