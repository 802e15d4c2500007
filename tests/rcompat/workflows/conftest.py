"""The ports are programs, run by the tests alone."""

from pathlib import Path

collect_ignore = [path.with_suffix(".py").name for path in Path(__file__).parent.glob("*.R")]
