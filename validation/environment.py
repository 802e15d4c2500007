"""The environment of a validation run: versions, platform, linear algebra, width of long double."""

import importlib.metadata
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

import sparsek
from r_reference import bridge
from r_reference.records import PART_OF_R, recorded_with
from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import HAS_EXTENDED, LONG_DOUBLE_BITS, VARIABLE
from sparsek.engine import describe_choice

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "threadpoolctl")


def cpu_model() -> str:
    """The name of the processor, from the operating system."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@cache
def commit_here() -> str | None:
    """The commit of the checkout, marked if files differ from it; None outside a checkout.

    It is that of the first question: later a run may have written results into the checkout.
    """
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _blas_libraries() -> list[str]:
    """Every linear algebra and threading library loaded, with its version and number of threads."""
    return [
        f"{lib['internal_api']} {lib['version'] or ''}".strip()
        + f" ({Path(lib['filepath']).name}), {lib['num_threads']} threads"
        for lib in threadpool_info()
    ]


def unlike_reference() -> list[str]:
    """What differs here from the platform of the recorded results, x86-64 Linux."""
    reasons = [] if LONG_DOUBLE_BITS == 64 else [f"long double has {LONG_DOUBLE_BITS} bits"]
    functions = elementary.other_digits()
    if functions:
        reasons.append(f"{', '.join(functions)} of the C library have other last digits than glibc's")
    machine, system = platform.machine(), platform.system()
    if (machine, system) != ("x86_64", "Linux"):
        reasons.append(f"the platform is {system} on {machine}")
    return reasons


def _long_double() -> str:
    """The width of long double here, and what adds in its place where it is not R's."""
    bits = f"long double has {LONG_DOUBLE_BITS} bits"
    if HAS_EXTENDED:
        return f"{bits}, as in R on x86-64"
    why = f" and is switched off by {VARIABLE}" if LONG_DOUBLE_BITS == 64 else " and R's on x86-64 has 64"
    return f"{bits}{why}: sums run in sparsek's own 80-bit arithmetic, which gives the same"


def describe_environment(r_versions: dict[str, str]) -> dict[str, Any]:
    """The facts a reader needs to repeat the run."""
    commit = commit_here()
    return {
        "sparsek": sparsek.__version__ + (f" (commit {commit})" if commit else ""),
        "versions": {
            "Python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
        "r": [
            version if name == "R" else f"{name} {version}"
            for name, version in r_versions.items()
            if name not in PART_OF_R
        ],
        "recorded_with": recorded_with(),
        "engine": describe_choice(),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "blas": _blas_libraries(),
        "long_double": _long_double(),
        "unlike_reference": unlike_reference(),
        "live_r_differs": bridge.other_digits() if r_versions else "",
    }
