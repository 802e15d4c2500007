"""Begins the comparison of another project with R: ``python -m r_reference.start FOLDER``, from a checkout.

Copies what records R's answers and compares with them, without the cases and records of sparsek. The copy
needs sparsek installed, of which it uses R's random numbers and the comparison of results.
"""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
LEFT_OUT = (
    *("packages", "recorded", "cases.json", "arguments.toml", "formals.csv", "README.md", "start.py"),
    "__pycache__",
)
"""What is about sparsek alone."""
EMPTY = '{"datasets": {}, "cases": []}\n'
"""A table of cases without any."""


def start(folder: Path) -> None:
    """Copy the comparison into a folder.

    Raises FileExistsError if the folder has one of its two parts.
    """
    for name in ("r_reference", "validation"):
        if (folder / name).exists():
            raise FileExistsError(f"{folder / name} is there; name a folder without {name}")
    shutil.copytree(HERE, folder / HERE.name, ignore=shutil.ignore_patterns(*LEFT_OUT))
    parity = Path("validation", "parity")
    shutil.copytree(ROOT / parity, folder / parity, ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.copy(ROOT / "validation" / "__init__.py", folder / "validation")
    shutil.copy(ROOT / "LICENSE", folder / HERE.name)
    (folder / HERE.name / "packages").mkdir()
    (folder / HERE.name / "cases.json").write_text(EMPTY, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the folder of the other project: python -m r_reference.start FOLDER")
    try:
        start(Path(sys.argv[1]))
    except FileExistsError as error:
        sys.exit(str(error))
