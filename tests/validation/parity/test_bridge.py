"""The bridge to R leaves the environment of child processes as it was."""

import os
import subprocess
import sys

import pytest

from r_reference import bridge

CODE = """
import os
from r_reference import bridge
assert bridge.available("stats")[0]
print(os.environ.get("LD_LIBRARY_PATH"))
"""


@pytest.mark.live_r
def test_child_processes_do_not_get_rs_libraries() -> None:
    found, reason = bridge.available()
    if not found:
        pytest.skip(reason)
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "None"
