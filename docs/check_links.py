"""Follow the links of the built pages: ``python docs/check_links.py`` prints each that leads nowhere.

Links, pictures, frames, scripts and style sheets of every page below `docs/_build` have to be there, and so
have the anchors that links name. Addresses of other sites are left out. `make docs-check` runs this; it needs
nothing but Python.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

BUILT = Path(__file__).parent / "_build"
LEADING = {"href", "src", "data", "poster", "srcset"}
"""Attributes that name a file, an anchor or a site."""


@dataclass
class Page(HTMLParser):
    """What a page names, with the numbers of the lines, and the anchors that it has."""

    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the anchors of an element."""
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.append(value or "")
            elif name == "srcset":
                for image in (value or "").split(","):
                    self.links.append((self.getpos()[0], image.split()[0]))
            elif name in LEADING:
                self.links.append((self.getpos()[0], value or ""))


def read_page(path: Path) -> Page:
    """The links and anchors of a file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _pages(folder: Path) -> list[Path]:
    """The pages in a folder; what is in `_static` are parts of the theme."""
    return sorted(path for path in folder.rglob("*.html") if "_static" not in path.parts)


def findings(folder: Path) -> Iterator[str]:
    """Links of the pages in a folder that lead nowhere, and anchors that a page has twice."""
    pages = {path.resolve(): read_page(path) for path in _pages(folder)}
    for path, page in pages.items():
        name = path.relative_to(folder.resolve()).as_posix()
        for line, link in page.links:
            if complaint := _follow(path, link, folder.resolve(), pages):
                yield f"{name}:{line}: {link or 'an empty link'} {complaint}"
        for anchor, count in Counter(page.anchors).items():
            if count > 1:
                yield f"{name}: #{anchor} is there {count} times"


def _follow(path: Path, link: str, folder: Path, pages: dict[Path, Page]) -> str:
    """What is wrong with a link of a page; an empty text if nothing is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    if not link:
        return "names no page"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_relative_to(folder) or not target.is_file():
        return "is not there"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"names an anchor that {target.relative_to(folder).as_posix()} does not have"
    return ""


def main(built: Path = BUILT) -> int:
    """Print the findings; the exit code is 1 if there are some."""
    if not (built / "index.html").is_file():
        print(f"there are no pages in {built}: run make docs first", file=sys.stderr)
        return 1
    found = list(findings(built))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"links of {len(_pages(built))} pages followed, {len(found)} lead nowhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
