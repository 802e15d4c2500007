"""The table of what takes which kind of data says what a run finds."""

import runpy
from typing import Any

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")  # few rows, and hardly any starts
CALLS = ("`explain`", "`ThinnedSearch`", "`FitUncertainty`", "`FeatureFDR`")


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    """The names of the file that writes the table."""
    return runpy.run_path(str(ROOT / "docs" / "kinds_of_data.py"))


def test_the_page_has_what_a_run_finds(run: dict[str, Any]) -> None:
    for library in ("polars", "dask.array"):
        pytest.importorskip(library)
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    for name, cells in run["found"](CALLS).items():
        assert f"| {name} | {' | '.join(cells)} |\n" in page


def test_the_page_has_every_call_and_every_reason(run: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert f"| with SKFR | {' | '.join(run['KINDS'])} |" in page
    assert all(f"\n| {name} | " in page for name in run["CALLS"])
    assert all(f". {why[0].upper()}{why[1:]}.\n" in page for why in run["WHY"].values())


def test_a_cell_needs_its_reason(run: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run["WHY"], ("`explain`", "numbers"), "it is so")
    with pytest.raises(AssertionError, match="`explain` on numbers: True, and the reason is it is so"):
        run["found"](["`explain`"], ["numbers"])
