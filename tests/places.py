"""Paths of the project and of the benchmark data."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The top of the checkout."""
DATA = Path(os.environ.get("SPARSEK_DATA") or ROOT.parent / "shared" / "data")
"""Benchmark data, which a fresh clone does not have."""
