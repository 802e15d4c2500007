"""Writes the files here that Python packages make: python tests/cli/data/write.py tests/cli/data."""

import sys
from pathlib import Path


def write(folder: Path) -> None:
    """Write the files; not all packages are there when tests are collected."""
    import openpyxl
    import pandas as pd
    import polars as pl
    import pyreadstat

    frame = pd.DataFrame({"age": [31, None, 45, 52], "income": [1.5, 2.25, None, 4.0], "q1": [1, 2, 9, 3]})
    answers = {1: "never", 2: "sometimes", 3: "often", 9: "refused"}
    labels = {"q1": answers, "age": {99: "no answer"}}
    pyreadstat.write_sav(
        frame, str(folder / "survey.sav"), variable_value_labels=labels, missing_ranges={"q1": [9]}
    )
    indexed = frame.set_index(pd.Index(["Ann", "Bo", "Cy", "Di"], name="person"))
    indexed.to_parquet(folder / "indexed.parquet")
    table = pl.DataFrame({"a": [0.5, 1.25, None], "n": [1, 2, 3]})
    table.write_ipc(folder / "table.feather", compression="zstd")
    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active["A1"] = "A survey of four people"
    data = book.create_sheet("Data")
    people = (["Ann", 31, 1.5], ["Bo", -999, 2.25], ["Cy", 45, "?"])
    for row in (["Answers, 2024"], [], ["person", "age", "income"], *people):
        data.append(row)
    book.save(folder / "cover.xlsx")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
