"""Live R through rpy2's low-level interface, imported only when asked for; no global converters."""

import importlib
import io
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

SCRIPT = Path(__file__).parent / "evaluate.R"
NEEDED_R = (4, 5)
"""What every rpy2 after `LAST_FOR_OLD_R` needs of R: older ones lack ``R_getVar``."""
LAST_FOR_OLD_R = "3.5.17"
"""The rpy2 for older versions of R; .ci/install-rpy2 chooses likewise."""


def _quiet(*_: Any) -> None:
    """Discard R's console output."""


@cache
def _start() -> tuple[Any, str]:
    """Start R once: rpy2's interface and "", or None and the reason why R cannot be used."""
    if shutil.which("R") is None and "R_HOME" not in os.environ:
        return None, "R is not installed"
    libraries = os.environ.get("LD_LIBRARY_PATH")
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            interface = importlib.import_module("rpy2.rinterface")
            callbacks: Any = importlib.import_module("rpy2.rinterface_lib.callbacks")
            callbacks.consolewrite_print = _quiet
            callbacks.consolewrite_warnerror = _quiet
            interface.initr()
        # rpy2 adds R's libraries here; child processes would inherit them and might load another Python.
        if libraries is None:
            os.environ.pop("LD_LIBRARY_PATH", None)
        else:
            os.environ["LD_LIBRARY_PATH"] = libraries
    except ModuleNotFoundError:
        return None, "rpy2 is not installed"
    except Exception as exception:  # any error means only that live R is not available
        reason = f"rpy2 cannot start R: {type(exception).__name__}: {exception}"
        return None, reason + _fitting_rpy2(_version_of_r())
    return interface, ""


def _version_of_r() -> str:
    """The version of the R that rpy2 takes, or "" if it does not say."""
    home = os.environ.get("R_HOME")
    command = str(Path(home) / "bin" / "R") if home else "R"
    try:
        shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    found = re.search(r"R version (\d+\.\d+\.\d+)", shown)
    return found[1] if found else ""


def _fitting_rpy2(found: str) -> str:
    """What to install where R of this version is too old for the rpy2 that is there; "" if it is not."""
    try:
        here = version("rpy2")
    except PackageNotFoundError:
        return ""
    if not found or _as_numbers(found) >= NEEDED_R or _as_numbers(here) <= _as_numbers(LAST_FOR_OLD_R):
        return ""
    needed = ".".join(map(str, NEEDED_R))
    return (
        f"; R {found} is older than {needed}, which rpy2 {here} needs: run python -m pip uninstall -y "
        f'rpy2-rinterface rpy2-robjects, then python -m pip install "rpy2=={LAST_FOR_OLD_R}"'
    )


def _as_numbers(text: str) -> tuple[int, ...]:
    """The first three numbers of a version."""
    return tuple(map(int, re.findall(r"\d+", text)[:3]))


@cache
def available(package: str | None = None) -> tuple[bool, str]:
    """Whether live R and, if named, a package can be used."""
    interface, reason = _start()
    if interface is None:
        return False, reason
    if package is None:
        return True, ""
    found = interface.evalr(f'suppressWarnings(requireNamespace("{package}", quietly = TRUE))')
    return (True, "") if found[0] else (False, f"the R package {package} is not installed")


@cache
def _functions() -> Any:
    """The R environment with the functions of evaluate.R."""
    interface, reason = _start()
    if interface is None:
        raise RuntimeError(f"{reason}; install R and the extra that has rpy2 for live comparisons")
    text = f"local({{ e <- new.env(); sys.source({str(SCRIPT)!r}, e, chdir = TRUE); e }})"
    return interface.evalr(text)


def _to_r(value: Any) -> Any:
    """A Python argument as an R object: text, logical, double, matrix."""
    interface, _ = _start()
    if isinstance(value, str):
        return interface.StrSexpVector([value])
    if isinstance(value, bool | np.bool_):
        return interface.BoolSexpVector([bool(value)])
    array = np.asarray(value, dtype=float)
    vector = interface.FloatSexpVector(array.ravel(order="F"))
    if array.ndim == 2:
        vector.do_slot_assign("dim", interface.IntSexpVector(list(array.shape)))
    return vector


def _named_list(members: Mapping[str, Any]) -> Any:
    """An R list with names."""
    interface, _ = _start()
    vector = interface.ListSexpVector([_to_r(value) for value in members.values()])
    vector.do_slot_assign("names", interface.StrSexpVector(list(members)))
    return vector


def _numbers(vector: Any) -> np.ndarray:
    """An R vector or matrix of numbers as an array of doubles; integer NA becomes NaN."""
    interface, _ = _start()
    values = np.array([np.nan if v is interface.NA_Integer else float(v) for v in vector])
    if "dim" in vector.list_attrs():
        return values.reshape(tuple(vector.do_slot("dim")), order="F")
    return values


def _members(vector: Any) -> dict[str, Any]:
    """The members of a named R list."""
    return dict(zip(vector.do_slot("names"), vector, strict=True)) if len(vector) else {}


def run_case(case: Mapping[str, Any], args: Mapping[str, Any]) -> dict[str, Any]:
    """Run the call of a case in R.

    Raises RuntimeError if R or rpy2 is missing.
    """
    interface, _ = _start()
    call = _functions()["evaluate_case"]
    result = _members(
        call(
            _to_r(case["function"]),
            _to_r(case["package"]),
            _named_list(args),
            _to_r(case["seed"]),
            _to_r(case["sample_kind"]),
            _to_r(case["before"]),
        )
    )
    error = result["error"]
    return {
        "value": {name: _numbers(field) for name, field in _members(result["value"]).items()},
        "error": error[0] if isinstance(error, interface.StrSexpVector) else None,
        "warnings": list(result["warnings"]),
        "state": _numbers(result["state"]),
        "next": _numbers(result["next"]),
        "seconds": float(result["seconds"][0]),
    }


def other_digits() -> str:
    """Why the answers of the live R differ from those of R on x86-64, or "" if they need not."""
    if not available()[0]:
        return ""
    facts = provenance("base")
    differ = "its own answers differ from x86-64 R"
    bits = facts["long_double_digits"]
    if bits != "64":
        return f"this R adds in {'double' if bits == '53' else f'{bits} bits'}; {differ}"
    machine = facts["platform"].split("-")[0]
    return "" if machine == "x86_64" else f"this R runs on {machine}; {differ}"


def provenance(package: str) -> dict[str, str]:
    """Versions of R and of the package, platform and libraries of the live R."""
    return {
        name: str(field[0]) for name, field in _members(_functions()["provenance"](_to_r(package))).items()
    }


def live_versions(packages: list[str]) -> dict[str, str]:
    """Versions of the live R and of its installed packages."""
    facts = [provenance(package) for package in packages if available(package)[0]]
    versions = {"R": facts[0]["r"]} if facts else {}
    return versions | {fact["package"]: fact["package_version"] for fact in facts}
