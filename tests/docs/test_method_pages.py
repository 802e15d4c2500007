"""The pages on the methods: every Python block runs, and prints what the text block after it shows."""

import importlib
import re
from pathlib import Path

import pytest

from tests.places import ROOT

FOLDER = ROOT / "docs" / "methods"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
METHODS = sorted(set(PAGES) - {"index"})
OTHERS = {
    "tutorial",
    "skfr-gain",
    "explain",
    "federated",
    "soft-membership",
    "genotypes",
}
"""Pictures of other pages."""
ANY_SCALE = pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
UNSCALED = ("dec", "entropy-weighted", "sparse-kmeans")
"""Pages with columns of several scales on purpose: pixels, and what goes wrong with other units."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=ANY_SCALE if name in UNSCALED else ()) for name in METHODS]
)
def test_blocks_print_what_the_page_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", PAGES[name], flags=re.DOTALL | re.MULTILINE)
    assert blocks[0][0] == "python"
    names: dict[str, object] = {}
    for (kind, content), (following, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "python":
            exec(compile(content, f"{name}.md", "exec"), names)
            printed = capsys.readouterr().out
            if following == "text":
                assert printed.splitlines() == shown.splitlines()


@pytest.mark.parametrize("name", METHODS)
def test_page_has_what_a_reader_looks_for(name: str) -> None:
    page = PAGES[name]
    assert "$" in page, "a formula"
    assert re.search(r"when not", page, flags=re.IGNORECASE)
    assert re.search(r"^## From R$", page, flags=re.MULTILINE)
    assert re.search(r"^## References$", page, flags=re.MULTILINE)
    assert f"](../_made/{name}.svg)" in page, "a picture"
    steps = page.partition("## In five lines\n\n")[2].partition("\n\n")[0]
    assert [line[:3] for line in steps.splitlines()] == ["1. ", "2. ", "3. ", "4. ", "5. "]
    assert re.search(r"^\*\*Cost\.\*\* ", page, flags=re.MULTILINE)
    assert re.search(r"^## When to use it$", page, flags=re.MULTILINE)


def test_every_page_has_its_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    drawings = importlib.import_module("method_pictures").DRAWINGS
    others = {"tutorial", "skfr-gain", "explain", "federated", "survey-weights", "groups", "questionnaires"}
    assert set(drawings) == {*METHODS, *others, "soft-membership", "genotypes", "batches"}


def test_links_between_pages_hold() -> None:
    for name, page in PAGES.items():
        for target in re.findall(r"\]\(([\w./-]+\.md)[^)]*\)", page):
            assert (FOLDER / target).exists(), f"{name}.md: {target}"
