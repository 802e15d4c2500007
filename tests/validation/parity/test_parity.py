"""Every recorded case: input, fields, error, warnings and random stream equal R's, bit for bit."""

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from r_reference import make_cases
from r_reference.case_parts import DATASETS, Case
from r_reference.listing import PACKAGES, limits, tolerances
from r_reference.recipes import FOLDER, load_table, make_data
from r_reference.records import RECORDED, case_id, read_lines
from tests.validation.parity.parts import CASES as CASES_OF
from tests.validation.parity.parts import FUNCTIONS, WITH_LOOPS, by_engine, other_cases, some_cases
from validation import __main__ as command
from validation.parity import cases as parity
from validation.parity.command import format_failures
from validation.parity.outcome import flatten_value, load_record, run_ours
from validation.report.requirements import load_table as load_toml

CASES = {case["id"]: case for case in load_table()["cases"]}
LEAST = {"kmeans": 200, "KMeansSparseCluster": 80, "KMeansSparseCluster.permute": 20}


def compare(cases: Sequence[Case], engine: str, record_property: Callable[[str, object], None]) -> None:
    """Compare cases of a function with their records; all that differ are named."""
    record_property("recorded", len(cases))
    results = [parity.compare_recorded(case) for case in cases]
    assert format_failures(results) == ""
    assert any(result.compiled for result in results) == (engine == "compiled")


@pytest.mark.parametrize(("function", "engine"), by_engine(FUNCTIONS), indirect=["engine"])
def test_some_recorded_cases(
    function: str, engine: str, record_property: Callable[[str, object], None]
) -> None:
    compare(some_cases(function), engine, record_property)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "engine"), by_engine(list(filter(other_cases, FUNCTIONS))), indirect=["engine"]
)
def test_the_other_recorded_cases(
    function: str, engine: str, record_property: Callable[[str, object], None]
) -> None:
    compare(other_cases(function), engine, record_property)


def test_functions_with_loops_have_cases() -> None:
    assert set(WITH_LOOPS) <= set(FUNCTIONS)


def test_table_holds_what_is_promised() -> None:
    functions = [case["function"] for case in CASES.values()]
    assert sum(name not in LEAST for name in functions) >= 60
    assert all(functions.count(name) >= least for name, least in LEAST.items())
    several = [
        case for case in CASES_OF["KMeansSparseCluster"] if "2$ws" in load_record(case)["result"]["value"]
    ]
    assert len(several) >= 80
    assert {case["args"].get("algorithm") for case in CASES.values() if case["function"] == "kmeans"} >= {
        "Hartigan-Wong",
        "Lloyd",
        "Forgy",
        "MacQueen",
    }


def test_table_is_what_make_cases_writes() -> None:
    assert json.loads(json.dumps(make_cases.make_table())) == load_table()
    for name in DATASETS:
        assert (FOLDER / "data" / f"{name}.csv").read_text() == make_cases.dataset_text(name)


def test_every_record_has_its_case() -> None:
    found: list[str] = []
    for file in RECORDED.glob("*/*.jsonl"):
        lines = read_lines(file)
        found += lines["id"]
        named = {json.loads(line)["run"] for line in lines["id"].values()}
        assert named == set(lines["run"])
    assert found
    assert sorted(found) == sorted(CASES)


def test_ids_are_digests_of_the_cases() -> None:
    assert all(case_id(case) == name for name, case in CASES.items())


def test_records_are_of_the_versions_that_are_installed() -> None:
    recorded = {}
    for case in CASES.values():
        if case["package"] not in recorded:
            recorded[case["package"]] = load_record(case)["provenance"]["package_version"]
    for file in PACKAGES.glob("*/VERSION"):
        installed = file.read_text().strip().replace("-", ".")  # as R prints versions
        assert recorded[file.parent.name].replace("-", ".") == installed


def test_random_cases_are_reproducible_and_new() -> None:
    first, again = parity.random_cases(3, seed=5), parity.random_cases(3, seed=5)
    assert first == again
    assert parity.random_cases(3, seed=6) != first
    assert not {case["seed"] for case in first} & {case["seed"] for case in CASES.values()}


def test_a_difference_is_named() -> None:
    case = some_cases("kmeans")[0]
    ours = run_ours(case, make_data(case["data"]))
    ours["value"]["withinss"][1] += 1e-9
    ours["warnings"] = ["something"]
    result = parity.compare_recorded(case, ours)
    assert not result.exact
    assert "withinss: 1 of 3 entries differ, first at [2]" in result.message
    assert "'something', R has None" in result.message


def test_another_input_or_an_older_case_fails() -> None:
    case = some_cases("kmeans")[0]
    rows = [[value + 1 for value in row] for row in case["data"]["rows"]]
    assert "input matrix differs" in parity.compare_recorded({**case, "data": {"rows": rows}}).message
    assert "another version" in parity.compare_recorded({**case, "before": 1}).message


def test_missing_record_says_how_to_record() -> None:
    with pytest.raises(FileNotFoundError, match=r"record\.R '\^kmeans-0\$'"):
        load_record({**some_cases("kmeans")[0], "id": "kmeans-0"})


def test_flatten_value_names_fields_as_r() -> None:
    flat = flatten_value([{"ws": np.ones(1), "wcss": {"bcss": 2.0, "none": None}}, {"crit": np.empty(0)}])
    assert {name: value.tolist() for name, value in flat.items()} == {"1$ws": [1.0], "1$wcss$bcss": [2.0]}


def test_parity_command(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    count = len(CASES_OF["runif"])
    assert command.main(["parity", "--cases", "^runif-", "--json", str(tmp_path / "p.json")]) == 0
    assert f"{count} of {count} comparisons exact" in capsys.readouterr().out
    assert (tmp_path / "p.json").exists()
    assert command.main(["parity", "--cases", "nothing like it"]) == 2
    assert "no case matches" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        command.main(["parity", "--cases", "("])
    assert "'(' is not a regular expression" in capsys.readouterr().err


def test_parity_command_fails_on_a_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shifted(case: dict, x: object) -> dict:
        outcome = run_ours(case, x)
        outcome["value"]["value"] = outcome["value"]["value"] + 1.0
        return outcome

    monkeypatch.setattr(parity, "run_ours", shifted)
    case = CASES_OF["runif"][0]
    assert command.main(["parity", "--cases", f"^{case['id']}$"]) == 1
    assert f"DIFFERS {case['id']} (seed 0, recorded): value: 300 of 300" in capsys.readouterr().out


def test_only_stated_fields_may_differ_within_their_limits() -> None:
    case = some_cases("GmedianCov")[0]
    ours = run_ours(case, make_data(case["data"]))

    def changed(field: str, relative: float) -> parity.CaseResult:
        value = ours["value"] | {field: ours["value"][field] * (1 + relative)}
        return parity.compare_recorded(case, {**ours, "value": value})

    near = changed("vectors", 1e-10)
    assert (near.passed, near.within_tolerance, near.exact) == (True, True, False)
    assert not changed("vectors", 1e-7).passed
    assert not changed("covmedian", 1e-10).passed
    assert not parity.compare_recorded(case, {**ours, "warnings": ["something"]}).passed
    for entry in tolerances():
        assert entry["reason"]
        assert ("limit" in entry) != (entry.get("min_lre", 0) >= 10)
        assert ("limit" in entry) == any(function in limits() for function in entry["functions"])
        assert any(row["id"] == entry["deviation"] for row in load_toml("deviations"))
