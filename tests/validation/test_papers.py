"""Tables and figures of the papers besides the SKFR paper, through the commands."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from validation import papers
from validation.__main__ import main
from validation.papers.kernel import dec, doughnut
from validation.papers.kernel import report_sections as kernel
from validation.papers.printed import Result
from validation.papers.skfr.simulation.store import load_table


def run(*arguments: str, folder: Path) -> int:
    return main([*arguments, "--output", str(folder), "--n-jobs", "1"])


def test_minmax_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = {f"minmax-table-{number}": load_table(f"minmax-table-{number}")[0] for number in (1, 4)}
    monkeypatch.setattr(
        papers,
        "run_table",
        lambda n, *_: Result({f"minmax-table-{n}": full[f"minmax-table-{n}"]}, {}, (), {}, {}),
    )
    assert run("tables", "--paper", "minmax", "--table", "1", "--table", "4", folder=tmp_path) == 0
    for name, frame in full.items():
        assert pd.read_csv(tmp_path / f"{name}.csv").columns.tolist() == frame.columns.tolist()
    page = (tmp_path / "minmax-tables.html").read_text(encoding="utf-8")
    assert page.count("<h3") == 2
    assert "Colon" in page


def test_pcskm_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("pcskm-figure-1", "pcskm-figure-2", "pcskm-figure-2-shares", "pcskm-bounds")
    frames = {name: load_table(name)[0] for name in names}
    monkeypatch.setattr(papers, "run_figures", lambda *_: frames)
    monkeypatch.setattr(papers, "draw_all", lambda _: {})
    assert run("figures", "--paper", "pcskm", folder=tmp_path) == 0
    assert {path.stem for path in tmp_path.glob("*.csv")} == set(names)
    page = (tmp_path / "pcskm-figures.html").read_text(encoding="utf-8")
    assert "does not hold" in page


def test_kernel_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "SEEDS", {"quick": {"doughnut": 1, "dec": 1}})
    monkeypatch.setattr(doughnut, "N_SAMPLES", 60)
    seen: list[int] = []

    def reproduce(n_seeds: int, n_jobs: int) -> tuple[pd.DataFrame, Figure]:
        seen.append(n_seeds)
        return load_table("dec")[0], Figure()

    monkeypatch.setattr(dec, "reproduce", reproduce)
    assert run("figures", "--paper", "kernel", folder=tmp_path) == 0
    assert seen == [1]
    found = pd.read_csv(tmp_path / "doughnut.csv")
    assert set(found["method"]) == set(doughnut.METHODS)
    assert (tmp_path / "doughnut.png").stat().st_size > 0
    page = (tmp_path / "kernel-figures.html").read_text(encoding="utf-8")
    assert "sparse kernel k-means" in page


def test_a_table_that_the_paper_does_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tables", "--table", "6", folder=tmp_path) == 2
    assert "has Tables 1 to 4; got --table 6" in capsys.readouterr().out
