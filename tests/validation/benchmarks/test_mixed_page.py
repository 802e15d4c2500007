"""The comparison with packages for categories: the published data, and tables from lines that are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from validation.benchmarks import mixed_page as page
from validation.benchmarks.mixed_tables import documented, read_table, write_table
from validation.papers.shared.store import save_table

LINE = {"p": 4, "ARI": 0.5, "selected": 2, "right": np.nan, "relevant": np.nan, "seconds": 2.0, "problem": ""}
LINES = [
    {**LINE, "data": "known", "method": "SKFR", "right": 1, "relevant": 3, "ARI": 0.9},
    {**LINE, "data": "known", "method": "VarSelLCM", "right": 2, "relevant": 3, "seconds": 5.0},
    {**LINE, "data": "holes", "method": "SKFR"},
    {**LINE, "data": "holes", "method": "VarSelLCM", "ARI": 0.515},
    {"p": 4, "data": "holes", "method": "kmodes", "problem": "takes no missing values"},
]


def test_the_data_are_those_of_the_paper() -> None:
    """The lambda that Szepannek (2018) prints for them, and the extremes of its x3."""
    frame = documented().frame
    shares = [frame[name].value_counts(normalize=True).to_numpy() for name in ("x1", "x2")]
    concentration = np.mean([1 - (share**2).sum() for share in shares])
    assert frame[["x3", "x4"]].var().mean() / concentration == pytest.approx(5.52477, abs=5e-6)
    assert [round(float(end), 3) for end in (frame["x3"].min(), frame["x3"].max())] == [-4.299, 4.511]
    noisy = documented(4)
    assert noisy.frame.shape == (400, 12)
    pd.testing.assert_frame_equal(noisy.frame[frame.columns.tolist()], frame)


def test_tables_come_back_from_their_files(tmp_path: Any) -> None:
    table = documented(1)
    write_table(table, tmp_path / "table.csv")
    again = read_table(tmp_path / "table.csv")
    assert again.categories == table.categories == ["x1", "x2", "noise1"]
    pd.testing.assert_frame_equal(again.frame, table.frame, check_categorical=False)
    assert again.k == 4


def test_tables_of_the_page(tmp_path: Any) -> None:
    lines = pd.DataFrame(LINES)
    assert page.table_of(lines).to_numpy().tolist() == [
        ["known", "0.90", "0.50", ""],
        ["holes", "0.50", "0.52", ""],
    ]
    assert page.selected_table(lines)["SKFR"].tolist() == ["2 of 4, 1 of 3 right", "2 of 4"]
    assert page.time_table(lines)["VarSelLCM"].tolist() == ["2.5", "1"]
    assert page.wins(lines, "SKFR", "VarSelLCM") == (1, 1, 0)
    save_table(lines, tmp_path, page.NAME, "mixed_peers.py")
    example = {"example": "a", "quantity": "b", "printed": "1.000", "found": "0.999", "SKFR": None}
    save_table(pd.DataFrame([example]), tmp_path, page.PUBLISHED, "mixed_peers.py")
    text = page.peers_in_words(tmp_path)
    assert "- SKFR against VarSelLCM: higher on 1, within 0.02 on 1, lower on 0." in text
    assert "| a | b | 1.000 | 0.999 |  |" in text
