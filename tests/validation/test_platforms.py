"""The command that compares the recorded cases under every setting."""

import pandas as pd
import pytest

from tests.validation.parity.parts import CASES
from validation import __main__ as command
from validation import kernels
from validation.environment import commit_here
from validation.platforms import NAME, run_here

MEDIANS = [case["id"] for case in CASES["median"][:3]]
FEW = f"^({'|'.join([*MEDIANS, CASES['sparsekmeans1'][0]['id']])})$"
"""Three cases of one function and one of another."""


def test_a_setting_is_recorded_in_place_of_its_old_rows(tmp_path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["platforms", "--only", "software", "--cases", FEW, "--output", str(tmp_path)]
    file = tmp_path / f"{NAME}.csv"
    assert command.main(arguments) == 0
    old = pd.read_csv(file)
    pd.concat([old.assign(setting="own"), old.assign(exact=7)]).to_csv(file, index=False)
    assert command.main(arguments) == 0
    rows = pd.read_csv(file)
    assert rows["setting"].tolist() == ["own", "own", "software", "software"]
    assert rows["package"].tolist() == ["SKFR", "stats"] * 2
    assert rows[["exact", "within", "different"]].to_numpy().tolist() == [[0, 1, 0], [3, 0, 0]] * 2
    assert set(rows.loc[rows["setting"] == "software", "sums"]) == {"software"}
    assert set(rows["pattern"]) == {FEW}
    assert set(rows["commit"]) == {commit_here()}
    assert "3 exact, 1 within, 0 different" in capfd.readouterr().out


def test_a_kernel_that_cannot_run_is_left_out(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(kernels, "choose", lambda _: [("Zen", {}, "OpenBLAS runs Haswell instead")])
    assert command.main(["platforms", "--only", "Zen", "--output", str(tmp_path)]) == 0
    assert "Zen: left out, OpenBLAS runs Haswell instead" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_unknown_settings_and_interpreters_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["platforms", "--only", "VAX"]) == 2
    assert "no setting is called VAX; known are own, Haswell" in capsys.readouterr().out
    assert command.main(["platforms", "--python", "/nowhere/python"]) == 2
    assert "there is no interpreter /nowhere/python" in capsys.readouterr().out


def test_a_case_that_differs_is_counted_and_named(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sparsek.rcompat.median", lambda x, **_: 0.5)
    (row,) = run_here(f"^{MEDIANS[0]}$")["counts"]
    assert (row["package"], row["exact"], row["different"]) == ("stats", 0, 1)
    assert f"DIFFERS {MEDIANS[0]}" in capsys.readouterr().out
