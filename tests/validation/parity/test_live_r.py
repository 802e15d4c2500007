"""A running R against sparsek: every case of the table, a few fresh ones, and the compare command."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from r_reference import bridge
from r_reference.case_parts import Case
from r_reference.listing import function_names
from r_reference.recipes import FOLDER
from tests.places import ROOT
from tests.validation.parity.parts import FUNCTIONS, other_cases, some_cases
from validation import __main__ as command
from validation.parity import cases as parity
from validation.parity.command import format_failures

live = pytest.mark.live_r


def need(package: str) -> None:
    """Skip the test if R or the package is missing."""
    found, reason = bridge.available(package)
    if not found:
        pytest.skip(reason)  # counted and printed with its reason by conftest


def compare(cases: Sequence[Case], record_property: Callable[[str, object], None]) -> None:
    """Compare cases of a function with R; all that differ are named."""
    record_property("live", len(cases))
    for package in sorted({package for case in cases for package in parity.packages_of(case)}):
        need(package)
    assert format_failures([parity.compare_live(case) for case in cases]) == ""


@live
@pytest.mark.parametrize("function", FUNCTIONS)
def test_some_recorded_cases_live(function: str, record_property: Callable[[str, object], None]) -> None:
    compare(some_cases(function), record_property)


@live
@pytest.mark.slow
@pytest.mark.parametrize("function", list(filter(other_cases, FUNCTIONS)))
def test_the_other_recorded_cases_live(function: str, record_property: Callable[[str, object], None]) -> None:
    compare(other_cases(function), record_property)


@live
@pytest.mark.thorough
@pytest.mark.seeds(1, 20240)
@pytest.mark.parametrize("function", function_names())
def test_fresh_cases_live(function: str, seed: int, record_property: Callable[[str, object], None]) -> None:
    compare(parity.random_cases(5, seed=seed, pattern=f"^{re.escape(function)}$"), record_property)


@live
@pytest.mark.parametrize(
    ("call", "package"),
    [
        ("kmeans(3, nstart=5)", "stats"),
        ("KMeansSparseCluster(K=3, wbounds=c(1.2, 1.6), nstart=20)", "sparcl"),
        ("hclust('average')", "stats"),
        ("kpod(3)", "kpodclustr"),
        ("kGmedian(2)", "Gmedian"),
        ("GmedianCov(scores=2)", "Gmedian"),
        ("ewkm(3, 0.5)", "wskm"),
    ],
)
def test_compare_command(call: str, package: str, capsys: pytest.CaptureFixture[str]) -> None:
    need(package)
    file = str(FOLDER / "data" / "iris.csv")
    assert command.main(["compare", file, "--call", call, "--seed", "1"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "fields equal" in last or "within the tolerances" in last


@live
def test_compare_command_reports_a_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    need("stats")
    original = bridge.run_case
    monkeypatch.setattr(
        bridge, "run_case", lambda case, args: original({**case, "seed": case["seed"] + 1}, args)
    )
    file = tmp_path / "data.csv"
    file.write_text("\n".join(f"{i % 7},{i * i % 11}" for i in range(40)))
    assert command.main(["compare", str(file), "--no-header", "--call", "kmeans(4)", "--seed", "1"]) == 1
    printed = capsys.readouterr().out
    assert "points differ after pairing the clusters" in printed
    assert "fields differ" in printed


@live
def test_bridge_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    need("stats")
    case = {"function": "kmeans", "package": "stats", "seed": 1, "sample_kind": "Rejection", "before": 0}
    outcome = bridge.run_case(case, {"x": [[1.0], [2.0]], "centers": 5})
    assert outcome["error"] == "cannot take a sample larger than the population when 'replace = FALSE'"
    assert capfd.readouterr() == ("", "")


def test_missing_parts_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "_start", lambda: (None, "R is not installed"))
    assert bridge.available.__wrapped__("stats") == (False, "R is not installed")
    with pytest.raises(RuntimeError, match="R is not installed"):
        bridge._functions.__wrapped__()


def test_packages_that_are_missing_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {None, "stats"}
    monkeypatch.setattr(bridge, "available", lambda package=None: (package in here, f"no {package}"))
    some: Any = [{"package": name, "args": {}} for name in ("wskm", "stats", "clues", "clues", "Gmedian")]
    (skip,) = parity.live_skips(some)
    assert skip == {"cases": 4, "reason": "the R packages clues, Gmedian, wskm are not installed"}
    assert parity.live_skips(some[:2])[0]["reason"] == "the R package wskm is not installed"
    assert parity.live_skips(some[1:2]) == []
    here.clear()
    assert parity.live_skips(some) == [{"cases": 5, "reason": "no None"}]


def test_start_reports_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(bridge.shutil, "which", lambda name: None)
    monkeypatch.delenv("R_HOME", raising=False)
    assert bridge._start.__wrapped__() == (None, "R is not installed")
    monkeypatch.setenv("R_HOME", "somewhere")
    monkeypatch.setattr(bridge.importlib, "import_module", missing)
    assert bridge._start.__wrapped__() == (None, "rpy2 is not installed")


@pytest.mark.parametrize(
    ("r", "rpy2", "remedy"),
    [
        (
            "4.2.2",
            "3.6.4",
            "; R 4.2.2 is older than 4.5, which rpy2 3.6.4 needs: run python -m pip ",
        ),
        ("4.4.3", "4.0", '"rpy2==3.5.17"'),
        ("4.5.0", "3.6.4", ""),
        ("4.2.2", "3.5.17", ""),
        ("", "3.6.4", ""),
    ],
)
def test_an_rpy2_that_is_too_new_for_r_is_named(
    r: str, rpy2: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(name: str) -> None:
        raise ImportError("undefined symbol: R_getVar")

    shown = f'R version {r} (2022-10-31) -- "Innocent and Trusting"' if r else ""
    monkeypatch.setattr(bridge.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=shown))
    monkeypatch.setattr(bridge, "version", lambda name: rpy2)
    monkeypatch.setattr(bridge.importlib, "import_module", fails)
    monkeypatch.setenv("R_HOME", "somewhere")
    reason = bridge._start.__wrapped__()[1]
    assert reason.startswith("rpy2 cannot start R: ImportError: undefined symbol: R_getVar")
    assert remedy in reason
    assert ("pip install" in reason) == bool(remedy)


def test_make_installs_the_same_rpy2() -> None:
    script = (ROOT / ".ci" / "install-rpy2").read_text(encoding="utf-8")
    assert f'"rpy2=={bridge.LAST_FOR_OLD_R}"' in script
    assert re.findall(r'"\$(?:major|minor)" -(?:eq|ge) (\d+)', script) == [str(n) for n in bridge.NEEDED_R]
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert f"R older than {'.'.join(map(str, bridge.NEEDED_R))} " in page
    assert f'`"rpy2=={bridge.LAST_FOR_OLD_R}"`' in page


@pytest.mark.parametrize(
    ("digits", "machine", "reason"),
    [
        ("64", "x86_64-pc-linux-gnu", ""),
        ("53", "x86_64-pc-linux-gnu", "this R adds in double; its own answers differ from x86-64 R"),
        ("113", "aarch64-linux-gnu", "this R adds in 113 bits; its own answers differ from x86-64 R"),
        ("64", "i386-pc-solaris", "this R runs on i386; its own answers differ from x86-64 R"),
    ],
)
def test_another_r_is_named(digits: str, machine: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "available", lambda package=None: (True, ""))
    monkeypatch.setattr(
        bridge, "provenance", lambda package: {"long_double_digits": digits, "platform": machine}
    )
    assert bridge.other_digits() == reason


@live
def test_an_r_without_long_double_has_the_digits_of_a_double() -> None:
    need("base")
    code = "local({ .Machine$longdouble.digits <- NULL; environment(f) <- environment(); f() })"
    functions = bridge._functions()
    interface, _ = bridge._start()
    call = interface.evalr("function(f) " + code)
    assert call(functions["long_double_digits"])[0] == 53
