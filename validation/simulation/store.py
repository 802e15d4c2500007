"""Results as CSV, with a JSON file that says when and with what they were made."""

import datetime
import json
from pathlib import Path

import pandas as pd

from validation.environment import describe_environment


def save_table(table: pd.DataFrame, folder: Path, name: str, scale: str) -> Path:
    """Write ``<name>.csv`` and ``<name>.json`` into a folder, each whole or not at all.

    Parameters
    ----------
    table : DataFrame
        The results.
    folder : Path
        Made when missing.
    name : str
        Stem of the files.
    scale : str
        How many trials, for the record.

    Returns
    -------
    Path
        The CSV file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "name": name,
        "scale": scale,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "environment": describe_environment({}),
    }
    texts = {".csv": table.to_csv(index=False), ".json": json.dumps(about, indent=1)}
    for suffix, text in texts.items():
        temporary = folder / f"{name}{suffix}.part"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(folder / f"{name}{suffix}")
    return folder / f"{name}.csv"
