"""The ports are programs, run by the tests alone."""

from pathlib import Path

FOLDER = Path(__file__).parent
collect_ignore = [str(path.with_suffix(".py").relative_to(FOLDER)) for path in FOLDER.glob("*/*.R")]
