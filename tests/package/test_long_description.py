"""The page of the package on an index: README with addresses in place of paths, rendered and followed."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest

from tests.package.test_packaging import PROJECT, SETTINGS, need
from tests.places import ROOT

pytestmark = pytest.mark.thorough

REPOSITORY = PROJECT["urls"]["Repository"]
PAGES = f"{REPOSITORY}/blob/v{PROJECT['version']}/"
FILES = PAGES.replace("https://github.com/", "https://raw.githubusercontent.com/").replace("/blob/", "/")


@cache
def description() -> str:
    """The long description as the build makes it."""
    need("build", "hatchling", "hatch_fancy_pypi_readme")
    from build.util import project_wheel_metadata

    return str(project_wheel_metadata(ROOT, isolated=False).get_payload())


class Addresses(HTMLParser):
    """Collects what a page links to and shows."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.links += [values["href"]] if "href" in values else []
        self.pictures += [values["src"]] if tag == "img" else []


def headings_of(path: str) -> set[str]:
    """The anchors of the headings of a page."""
    text = (ROOT / path).read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def is_there(link: str) -> bool:
    """Whether a link leads to a file of the tree, and to a heading of it if it names one."""
    path, _, heading = link.removeprefix(PAGES).partition("#")
    return (
        link.startswith(PAGES) and (ROOT / path).is_file() and (not heading or heading in headings_of(path))
    )


@pytest.mark.filterwarnings("error")
def test_every_link_and_picture_leads_to_a_file() -> None:
    need("comrak")
    from readme_renderer.markdown import render

    found = Addresses()
    found.feed(render(description()))
    links = [
        link for link in found.links if not link.startswith("#user-content-")
    ]  # of the page's own headings
    assert len(links) > 20
    assert [link for link in links if not is_there(link)] == []
    assert f"{FILES}docs/selection.png" in found.pictures
    lost = [
        picture
        for picture in found.pictures
        if not picture.startswith(FILES) or not (ROOT / picture.removeprefix(FILES)).is_file()
    ]
    assert (len(found.pictures), lost) == (5, [])


def test_nothing_else_of_readme_is_changed() -> None:
    plain = description().replace(FILES, "").replace(PAGES, "")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    here = ("sparsek is not on PyPI yet. In a copy of this repository:", '".[cli,fast]"')
    there = ("From PyPI:", '"sparsek[cli,fast]"')
    for ours, theirs in zip(here, there, strict=True):
        assert readme.count(ours) == plain.count(theirs) == 1
        readme = readme.replace(ours, theirs)
    assert plain == readme


def test_the_address_of_the_repository_is_one() -> None:
    assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+", REPOSITORY)
    owner, name = REPOSITORY.split("/")[-2:]
    urls = PROJECT["urls"]
    assert urls == {
        "Documentation": f"https://{owner}.github.io/{name}/stable/",  # release.yml puts it there
        "Repository": REPOSITORY,
        "Issues": f"{REPOSITORY}/issues",
        "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
    }
    hook = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    given = [
        entry["replacement"].replace("$HFPR_VERSION", PROJECT["version"]) for entry in hook["substitutions"]
    ]
    assert given[:2] == [rf"\1{FILES}", rf"\1{PAGES}"]
