"""The command that compares the recorded cases under every setting."""

import pandas as pd
import pytest

from tests.validation.parity.parts import CASES
from validation import __main__ as command
from validation import kernels
from validation.environment import commit_here
from validation.platforms import NAME, load_platforms, run_here

MEDIANS = [case["id"] for case in CASES["median"][:3]]
FEW = f"^({'|'.join([*MEDIANS, CASES['sparsekmeans1'][0]['id']])})$"
"""Three cases of one function and one of another."""


@pytest.mark.parametrize("commit", ["360456904578", "012345678901", "1234e5678901"])
def test_a_setting_is_recorded_in_place_of_its_old_rows(tmp_path, capfd, commit: str) -> None:
    arguments = ["platforms", "--only", "software", "--cases", FEW, "--output", str(tmp_path)]
    assert command.main(arguments) == 0
    old = load_platforms(tmp_path)
    old = pd.concat([old.assign(setting="own", commit=commit), old.assign(exact=7)])
    old.to_csv(tmp_path / f"{NAME}.csv", index=False)
    assert command.main(arguments) == 0
    rows = load_platforms(tmp_path)
    assert rows["setting"].tolist() == ["own", "own", "software", "software"]
    assert rows["package"].tolist() == ["SKFR", "stats"] * 2
    assert rows[["exact", "within", "different"]].to_numpy().tolist() == [[0, 1, 0], [3, 0, 0]] * 2
    assert set(rows.loc[rows["setting"] == "software", "sums"]) == {"software"}
    assert set(rows["pattern"]) == {FEW}
    assert rows["commit"].tolist() == [commit] * 2 + [commit_here() or ""] * 2
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
