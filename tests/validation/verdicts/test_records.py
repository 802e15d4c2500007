"""Records of printed numbers have all columns that their verdicts are computed from."""

import argparse
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.places import ROOT
from validation.papers import find_papers, tables_cmd
from validation.papers.shared.outcomes import OUTCOMES
from validation.papers.shared.store import RESULTS, load_record, load_table, record_command
from validation.papers.skfr.real_tables.grid_section import NAME as GRID
from validation.papers.skfr.real_tables.grid_section import judged_grid

Judge = Callable[[Path], tuple[pd.DataFrame, dict[str, Any]]]
JUDGED: dict[str, Judge] = {
    name: judge for paper in find_papers().values() for name, judge in paper.judged.items()
}
JUDGES = {
    record: judge
    for name, judge in JUDGED.items()
    for record in (name, f"{name}-readings")
    if (RESULTS / f"{record}.csv").exists()
}
"""Every record that is judged, with its judge; readings are judged with their table."""
VERDICTS = ["verdict", "interval", "p_different", "sd_verdict", "sd_interval", "word", "agrees"]


def keep(record: str, columns: list[str], folder: Path) -> None:
    """Copy a record and those it is judged with to a folder, with some of its columns."""
    for path in RESULTS.glob(f"{record.removesuffix('-readings')}*"):
        shutil.copy(path, folder)
    load_table(record)[0][columns].to_csv(folder / f"{record}.csv", index=False)


def read_columns(record: str, folder: Path) -> list[str]:
    """The columns that a judge asks for, by the error where a record has only another one."""
    keep(record, [], folder)
    (folder / f"{record}.csv").write_text("other\n1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"the record {record} has no column") as found:
        (JUDGES | {GRID: judged_grid})[record](folder)
    (names,) = re.findall(r"has no column (.*?), from which", str(found.value))
    return names.split(", ")


@cache
def recorded_verdicts(judge: Judge) -> pd.DataFrame:
    return judge(RESULTS)[0]


@pytest.mark.parametrize("record", JUDGES)
def test_a_judge_reads_the_columns_it_asks_for_and_no_others(record: str, tmp_path: Path) -> None:
    columns = read_columns(record, tmp_path)
    keep(record, columns, tmp_path)
    verdicts, expected = JUDGES[record](tmp_path)[0], recorded_verdicts(JUDGES[record])
    names = [name for name in (*VERDICTS, "reason") if name in expected]
    assert len(names) > 2
    pd.testing.assert_frame_equal(verdicts[names], expected[names])


def test_the_grid_of_readings_is_judged_by_all_of_its_columns(tmp_path: Path) -> None:
    assert sorted(read_columns(GRID, tmp_path)) == sorted(load_table(GRID)[0])


@pytest.mark.parametrize("column", ["n_iter", OUTCOMES])
def test_table_1_without_what_it_is_judged_by_is_refused(column: str, tmp_path: Path) -> None:
    """It once had nothing on single runs: its cells counted as undecided, with intervals from -inf to inf."""
    keep("table-1", [name for name in load_table("table-1")[0] if name != column], tmp_path)
    with pytest.raises(ValueError, match=rf"table-1 has no column {column}, .* --paper skfr --table 1 "):
        JUDGED["table-1"](tmp_path)


@pytest.mark.parametrize("record", JUDGED)
def test_every_mean_in_a_record_has_an_interval(record: str) -> None:
    judged = recorded_verdicts(JUDGED[record])
    assert judged[judged["word"].ne("") & judged["interval"].str.contains("inf")].empty


@pytest.mark.parametrize("record", [*JUDGES, GRID])
def test_the_command_that_records_again_is_one(record: str) -> None:
    words = record_command(record).split()
    parser = argparse.ArgumentParser()
    tables_cmd.add_arguments(parser)
    options = parser.parse_args(words[4:])
    assert words[:4] == ["python", "-m", "validation", "tables"]
    assert ROOT / options.output == RESULTS
    made = {f"table-{number}" for number in options.table}
    paper = find_papers()[options.paper]
    assert [name for name in paper.captions if name.removeprefix(f"{paper.name}-") in made]


def test_a_record_that_is_not_there_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no record table-2 .* --paper skfr --table 2"):
        load_record("table-2", ["ours"], tmp_path)
