"""Tables 3 and 4 as a whole, on small data: columns, verdicts, R's runs, pictures, files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.utils import Bunch

from r_reference import bridge
from sparsek.datasets import DatasetError
from tests.validation.skfr.test_real_tables import fresh_caches, mice  # noqa: F401 (fixtures)
from validation.__main__ import main
from validation.papers.paper import Result, Task
from validation.papers.shared.store import load_table
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS
from validation.papers.skfr.paper import PAPER
from validation.papers.skfr.real_tables import (
    designs,
    grid_section,
    maps,
    table3,
    table3_maps,
    table4,
    tables,
)
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MICE, Scale

TINY = Scale(2, 3, 3, 1, appendix=True, n_permutations=2, n_init=1, n_values=4)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two data sets, few runs, short training of the maps."""
    monkeypatch.setitem(designs.SCALES, "quick", TINY)
    for module in (table4, tables):
        monkeypatch.setattr(module, "BENCHMARKS", {name: BENCHMARKS[name] for name in ("iris", "wine")})
    monkeypatch.setattr(table3, "PRINTED_S", 2)
    monkeypatch.setattr(table3, "READINGS_3", designs.READINGS_3[:3])
    monkeypatch.setattr(table3, "READINGS_SOM", designs.READINGS_SOM[:1])
    monkeypatch.setattr(table4, "BY_READING", {name: rows[:1] for name, rows in table4.BY_READING.items()})
    short = [replace(some, phases=((1.0, 0.5, 1),)) for some in maps.SCHEDULES.values()]
    monkeypatch.setattr(maps, "SCHEDULES", dict(zip(maps.SCHEDULES, short, strict=True)))
    monkeypatch.setattr(table3_maps, "RUNS_MAPS", 3)
    save = Figure.savefig
    monkeypatch.setattr(
        Figure,
        "savefig",
        lambda figure, path, dpi=100, **options: save(figure, path, dpi=dpi / 10, **options),
    )


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_table_4(tmp_path: Path) -> None:
    result = tables.run_table(4, Task("quick", tmp_path, 1))
    table = result.frames["table-4"]
    assert table["data"].unique().tolist() == ["Iris", "Wine"]
    assert table["method"].tolist() == [*table4.METHODS] * 2
    assert "verdict" not in table  # verdicts are computed when they are shown
    assert table[["ours", "ari", "se"]].notna().all(axis=None)
    assert table.set_index(["data", "method"]).loc[("Wine", "k-means++"), "printed"] == 0.414
    grid = result.frames["table-4-grid"]
    assert grid.groupby("data")["s"].unique().apply(list)["iris"] == [1, 2, 3, 4]
    readings = result.frames["table-4-readings"]
    assert len(readings) == 2 * sum(map(len, table4.BY_READING.values()))
    chosen = result.frames["table-4-tuning"].query("largest")
    assert chosen.groupby(["data", "method"]).size().eq(1).all()
    assert set(result.frames["table-4-selected"]["data"]) <= {"Iris", "Wine"}
    grids = {"table-4-grid-iris", "table-4-grid-wine"}
    assert set(result.figures) == {"table-4-nmi", "table-4-centers"} | grids
    result.write(tmp_path, "quick")
    assert json.loads((tmp_path / "table-4.json").read_text())["scale"] == "quick"
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table-4-grid.csv"), grid)
    assert (tmp_path / "table-4-nmi.png").stat().st_size > 0
    again = tables.run_table(4, Task("quick", tmp_path, 1))  # all from the checkpoint
    for name, frame in result.frames.items():
        pd.testing.assert_frame_equal(again.frames[name], frame, check_exact=True)


def test_table_4_of_the_data_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "is_here", lambda name: name == "iris")
    result = tables.run_table(4, Task("quick", tmp_path, 1, at_hand=True))
    assert result.frames["table-4"]["data"].unique().tolist() == ["Iris"]


def test_runs_of_r_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_runs = RUNS_OF_THE_PAPERS
    cell = {"data": "iris", "method": "SKFR1", "trial": range(n_runs), "ari": 0.5, "nmi_joint": 0.4}
    trials = pd.DataFrame({**cell, "nmi": 0.1, "value": 4.0, "n_selected": 4, "labels": "a"})
    theirs = trials.assign(labels=["a"] * (n_runs - 1) + ["b"], nmi=0.2)
    (row,) = table4._summarise(trials.assign(nmi=0.815), theirs).to_dict("records")
    assert row["R"] == pytest.approx(0.2, rel=1e-14)  # a mean of 20 equal numbers
    assert (row["R_runs"], row["R_compared"], row["R_equal"]) == (n_runs, n_runs, n_runs - 1)
    other = table4._summarise(trials, theirs.assign(value=3.0)).to_dict("records")[0]
    assert (other["R_runs"], other["R_compared"]) == (n_runs, 0)  # runs with another s are not compared


def test_table_3(mice: Bunch, tmp_path: Path) -> None:  # noqa: F811 (a fixture)
    result = tables.run_table(3, Task("quick", tmp_path, 1))
    table = result.frames["table-3"]
    assert table["half"].unique().tolist() == list(MICE)
    assert list(dict.fromkeys(table["method"])) == list(table3.METHODS)
    assert (
        table.set_index(["half", "method", "measure"]).loc[("trisomic", "k-means++", "total"), "printed"]
        == 152
    )
    assert (
        table["ours"] <= table["run_mean"] + 1e-12
    ).all()  # the reported run is the best: rounding of means
    proteins = result.frames["table-3-proteins"]
    assert proteins[["control", "trisomic"]].sum().tolist() == [2, 2]
    # Shares of three runs add up to the number selected in each.
    np.testing.assert_allclose(proteins[["control_share", "trisomic_share"]].sum(), 2, rtol=1e-14)
    readings = result.frames["table-3-readings"]
    cells = 2 * (4 * 3 + 1 + 1)
    assert len(readings) == cells * 3 * 2
    assert readings["ours"].notna().all()
    tried = result.frames["table-3-maps"]
    assert tried["schedule"].nunique() == len(maps.SCHEDULES)
    assert len(tried) == len(maps.SCHEDULES) * 2 * 2
    assert tried.groupby("half")["used"].sum().tolist() == [2, 2]
    assert result.frames["table-3-tuning"]["half"].tolist() == list(MICE)
    assert set(result.figures) == {"table-3-mixed", "table-3-centers"}
    panels = result.figures["table-3-centers"].axes
    assert [ax.get_title() for ax in panels[:2]] == ["control mice", "trisomic mice"]
    assert len(panels[0].get_xticklabels()) == 2
    again = tables.run_table(3, Task("quick", tmp_path, 1))
    for name, frame in result.frames.items():
        pd.testing.assert_frame_equal(again.frames[name], frame, check_exact=True)


@pytest.mark.live_r
@pytest.mark.parametrize(("method", "value"), [("SKM", 1.5), ("EW k-means", np.nan)])
def test_r_itself_gives_the_labels_of_the_twins(method: str, value: float) -> None:
    from validation.papers.skfr.real_tables.methods import IN_R
    from validation.papers.skfr.real_tables.runs import MethodCell, run_trial

    found, why = bridge.available(IN_R[method][0])
    if not found:
        pytest.skip(why)
    for trial in range(3):
        cells = [MethodCell("wine", method, designs.MAIN_4, value, 3, source) for source in ("ours", "R")]
        ours, theirs = (run_trial(cell, trial) for cell in cells)
        assert ours["labels"] == theirs["labels"]


def test_live_r_needs_r(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "available", lambda package=None: (False, "R is not installed"))
    with pytest.raises(RuntimeError, match="R is not installed; leave live_r out"):
        tables.run_table(4, Task("quick", tmp_path, 1, live_r=True))


@pytest.mark.parametrize(("number", "scale"), [(2, "quick"), (3, "slow")])
def test_unknown_tables_and_scales(number: int, scale: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="number must be 3 or 4 and scale quick or full"):
        tables.run_table(number, Task(scale, tmp_path, 1))


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    full, _ = load_table("table-4")
    grid, about = load_table("table-4-grid")
    grid = grid[grid["data"] == "iris"]
    monkeypatch.setattr(grid_section, "load_record", lambda *_: (grid, about))
    monkeypatch.setattr(table4, "make_table_4", lambda *_: {"table-4": full, "table-4-grid": grid})
    assert main(["tables", "--table", "4", "--output", str(tmp_path), "--n-jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "0.815/0.6" in printed
    assert "of 40 numbers" in printed
    assert "of 40 spreads" in printed
    assert "labels in 463 of 463 runs" in printed
    assert (tmp_path / "table-4.csv").exists()
    assert (tmp_path / "table-4-grid-iris.png").exists()
    page = (tmp_path / "tables.html").read_text(encoding="utf-8")
    assert (
        page.index("labels in 463 of 463 runs") < page.index('class="map"') < page.index("different, lower")
    )
    assert "<svg" in page


def test_command_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> None:
        raise DatasetError("zoo is not here")

    monkeypatch.setattr(table4, "make_table_4", missing)
    assert main(["tables", "--table", "4", "--output", str(tmp_path)]) == 2
    assert "zoo is not here" in capsys.readouterr().out


def test_sections_without_a_run_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "is_here", lambda name: False)
    third_table = tables.run_table(3, Task("quick", Path(), 1, at_hand=True))
    assert [*map(len, third_table.frames.values())] == [0]
    third, fourth = PAPER.sections(Result({**third_table.frames, "table-4": pd.DataFrame()}))
    assert "of 16 numbers" in third.text
    assert "of 40 numbers" in fourth.text
    assert third.remarks[0].startswith("Chosen after seeing the printed numbers: columns from 0 to 1")
    protocols = {row[0] for row in fourth.tables[0].rows if "protocol" in str(row[12])}
    assert protocols == {"Ecoli"}  # said in its rows
