"""What the report has for those who file it: risks by rule, checks by name, hashes of the release."""

import importlib.metadata
import itertools
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import sparsek
from r_reference.recipes import load_table as load_cases
from sparsek._registry import ESTIMATORS
from tests.validation.report.test_report import build, make_result, write
from validation.report import checks, release, risks
from validation.report.outcomes import TestRun
from validation.report.requirements import load_table

FUNCTIONS = {case["function"] for case in load_cases()["cases"]}
NAMES = FUNCTIONS | {entry.name for entry in ESTIMATORS}


def case(exact: bool = True, within: bool = False, function: str = "kmeans") -> dict[str, Any]:
    """What a row of risks reads of a case."""
    return {"function": function, "exact": exact, "within_tolerance": within}


def test_impacts_name_functions_once_that_are_compared() -> None:
    named = [name for entry in load_table("impacts") for name in entry["functions"]]
    assert len(named) == len(set(named))
    assert set(named) <= NAMES
    assert {entry["impact"] for entry in load_table("impacts")} | {risks.RESULT} == set(risks.CLASSES)


def test_every_function_has_a_use_and_a_class() -> None:
    rows = risks.risk_rows([])
    assert sorted(row["name"] for row in rows) == sorted(NAMES)
    assert [row["name"] for row in rows if len(row["use"]) < 20] == []
    assert {row["evidence"] for row in rows} == {"none"}


@pytest.mark.parametrize(
    ("cases", "found"),
    [
        ([], "none"),
        ([case(), case()], "exact"),
        ([case(), case(False, True)], "within"),
        ([case(), case(False)], "differs"),
    ],
)
def test_evidence_is_the_worst_of_the_cases(cases: list[dict[str, Any]], found: str) -> None:
    row = next(row for row in risks.risk_rows(cases) if row["name"] == "kmeans")
    assert (row["evidence"], row["count"]) == (found, len(cases))
    assert row["risk"] == {"none": "high", "exact": "low", "within": "medium", "differs": "high"}[found]


def test_worse_evidence_and_more_at_stake_never_lower_the_class() -> None:
    rank = {name: -place for place, name in enumerate(risks.ORDER)}
    for classes in risks.CLASSES.values():
        for better in (("exact", "within", "differs"), ("tested", "failed")):
            found = [rank[classes[evidence]] for evidence in better]
            assert found == sorted(found)
    for less, more in itertools.pairwise(("step", risks.RESULT, "conclusion")):
        assert all(rank[risks.CLASSES[less][e]] <= rank[risks.CLASSES[more][e]] for e in risks.CLASSES[less])


@pytest.mark.parametrize(
    ("counts", "outdated", "found"),
    [
        ({"tests/methods/skfr/test_a.py::test_b": Counter(passed=2)}, False, ("tested", 2, "medium")),
        ({"tests/methods/skfr/test_a.py::test_b": Counter(passed=1, failed=1)}, False, ("failed", 2, "high")),
        ({"tests/methods/skfr/test_a.py::test_b": Counter(passed=2)}, True, ("none", 0, "high")),
        ({"tests/methods/kpod/test_a.py::test_b": Counter(passed=2)}, False, ("none", 0, "high")),
    ],
)
def test_estimators_have_the_tests_of_their_family(
    counts: dict[str, Counter[str]], outdated: bool, found: tuple[str, int, str]
) -> None:
    rows = risks.risk_rows([], TestRun("2026-01-01", outdated, counts))
    row = next(row for row in rows if row["name"] == "SKFR")
    assert (row["evidence"], row["count"], row["risk"]) == found


def test_the_digest_is_that_of_sha256sum(tmp_path: Path) -> None:
    files = release.hash_files()
    assert "sparsek/__init__.py" in files
    assert not any("__pycache__" in name for name in files)
    if shutil.which("sha256sum") is None:
        pytest.skip("there is no sha256sum")
    folder = Path(sparsek.__file__).parents[1]
    done = subprocess.run(
        ["bash", "-c", release.REPEAT], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == release.digest_of(files)


def test_a_changed_file_changes_the_digest(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "a.py").write_text("1")
    before = release.digest_of(release.hash_files(folder))
    (folder / "a.py").write_text("2")
    assert release.digest_of(release.hash_files(folder)) != before


def test_archives_of_this_version_are_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "ARCHIVES", tmp_path)
    (tmp_path / f"sparsek-{sparsek.__version__}.tar.gz").write_bytes(b"")
    (tmp_path / "sparsek-0.0.0.tar.gz").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of nothing, FIPS 180-4
    assert release.describe_release()["archives"] == {f"sparsek-{sparsek.__version__}.tar.gz": empty}


def test_the_bill_lists_files_and_packages(tmp_path: Path) -> None:
    _, page, numbers = write(tmp_path, build(make_result(1)))
    bill = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    named = {entry["name"]: entry["version"] for entry in bill["components"]}
    assert {"numpy", "scipy", "scikit-learn", "threadpoolctl"} <= named.keys()
    assert named["numpy"] == importlib.metadata.version("numpy")
    assert "pytest" not in named
    listed = {entry["name"]: entry["hashes"][0] for entry in bill["metadata"]["component"]["components"]}
    assert numbers["release"]["files"].items() <= {k: v["content"] for k, v in listed.items()}.items()
    assert all(re.fullmatch("[0-9a-f]{64}", entry["content"]) for entry in listed.values())
    assert numbers["release"]["digest"] in page


def outcomes(rows: list[dict[str, str]]) -> dict[str, str]:
    """The outcome of each check."""
    return {row["id"]: row["outcome"] for row in rows}


FACTS = {"unlike_reference": [], "long_double": "long double has 64 bits"}


def test_a_missing_an_old_and_no_package_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [Requirement("numpy>=99"), Requirement("no-such-package>=1"), Requirement("scipy")]
    monkeypatch.setattr(checks, "needed", lambda name: wanted)
    row = next(row for row in checks.installation_checks(FACTS) if row["id"] == "IQ-2")
    if checks._distribution() is not None:
        assert row["outcome"] == "fail"
        assert "numpy>=99 is needed" in row["shown"]
        assert "no-such-package is missing" in row["shown"]
        assert "scipy" not in row["shown"]
    monkeypatch.setattr(checks, "_distribution", lambda: None)
    assert outcomes(checks.installation_checks(FACTS))["IQ-1"] == "not run"
    assert outcomes(checks.installation_checks(FACTS))["IQ-2"] == "not run"


@pytest.mark.parametrize(("commit", "outcome"), [("abc", "pass"), ("abc-dirty", "fail"), (None, "not run")])
def test_files_of_a_checkout(commit: str | None, outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_distribution", lambda: None)
    monkeypatch.setattr(checks, "commit_here", lambda: commit)
    assert outcomes(checks.installation_checks(FACTS))["IQ-3"] == outcome


def test_files_of_a_wheel_are_compared_with_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "sparsek"
    package.mkdir()
    (package / "__init__.py").write_text("")
    facts = tmp_path / "sparsek-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Name: sparsek\nVersion: 0.1.0\nRequires-Python: >=3.11\n")
    hash_of_nothing = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    (facts / "RECORD").write_text(f"sparsek/__init__.py,sha256={hash_of_nothing},0\n")
    monkeypatch.setattr(checks.sparsek, "__file__", str(package / "__init__.py"))
    monkeypatch.setattr(checks, "_distribution", lambda: importlib.metadata.Distribution.at(facts))
    assert outcomes(checks.installation_checks(FACTS))["IQ-3"] == "pass"
    assert outcomes(checks.installation_checks(FACTS))["IQ-1"] == "pass"
    (package / "__init__.py").write_text("changed = True")
    row = checks.installation_checks(FACTS)[2]
    assert (row["outcome"], row["shown"]) == ("fail", "changed: sparsek/__init__.py")


def test_another_platform_is_named() -> None:
    facts = FACTS | {"unlike_reference": ["long double has 53 bits"]}
    row = checks.installation_checks(facts)[3]
    assert (row["outcome"], row["shown"]) == ("differs", "long double has 53 bits")


def test_operational_checks_are_those_of_the_run() -> None:
    bad = make_result(2, exact=False, source="live")
    built = build(make_result(1), bad, skipped=({"cases": 3, "reason": "sparcl is not installed"},))
    assert outcomes(built["operation"]) == {"OQ-1": "pass", "OQ-2": "fail", "OQ-3": "not run", "OQ-4": "pass"}
    assert built["operation"][1]["shown"] == "1 comparisons, 1 differ; skipped 3: sparcl is not installed"
    assert outcomes(build(make_result(1))["operation"])["OQ-2"] == "not run"


@pytest.mark.parametrize(
    ("failed", "outdated", "outcome"), [(0, False, "pass"), (1, False, "fail"), (0, True, "not run")]
)
def test_outcomes_of_the_tests_are_a_check(failed: int, outdated: bool, outcome: str) -> None:
    tests = TestRun("2026-01-01", outdated, {})
    rows = [{"id": "A-1", "outcomes": Counter(passed=2, failed=failed)}]
    report = build(make_result(1)) | {"requirements": rows}
    row = checks.operational_checks(report, tests)[2]
    assert row["outcome"] == outcome
    assert ("A-1" in row["shown"]) == bool(failed)


def test_the_page_shows_uses_checks_and_hashes(tmp_path: Path) -> None:
    _, page, _ = write(tmp_path, build(make_result(1)))
    for text in ("Installation checks", "Operational checks", "Hashes of the release", "IQ-4", "OQ-4"):
        assert text in page
    table = page[page.index("<caption>Intended use") : page.index('id="environment"')]
    assert set(re.findall(r"<tr><td><code>([\w.]+)</code></td>", table)) == NAMES
