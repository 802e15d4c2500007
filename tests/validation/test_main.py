"""`python -m validation` where a library of its extra is missing."""

import importlib

import pytest

from validation import __main__ as command


@pytest.mark.parametrize("arguments", [["report"], ["compare", "data.csv"]])
def test_a_missing_library_is_named_with_what_installs_it(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'minisom'", name="minisom")

    monkeypatch.setattr(importlib, "import_module", missing)
    assert command.main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("error: minisom is missing")
    assert 'pip install ".[validation]"' in shown
    assert "make validate" in shown


def test_a_missing_part_of_the_project_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name="validation.report.gone")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError):
        command.main(["report"])
