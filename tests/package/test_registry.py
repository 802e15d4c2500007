"""The rows of the registry are correct, and the files derived from them are up to date."""

import inspect
import runpy

import pytest

import sparsek
from sparsek._registry import ESTIMATORS, ROWS, RegistryRow, Section
from tests.places import ROOT


def test_what_is_written_from_the_rows_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    write = runpy.run_path(str(ROOT / "docs" / "write_lists.py"))["main"]
    assert (write(["--check"]), capsys.readouterr().out) == (0, "")


@pytest.mark.parametrize("row", ESTIMATORS, ids=lambda row: row.name)
def test_the_page_of_an_estimator_names_it(row: RegistryRow) -> None:
    page = ROOT / "docs" / "methods" / f"{row.page}.md"
    assert row.name in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ESTIMATORS, ids=lambda row: row.name)
def test_every_check_is_of_the_class_of_its_row(row: RegistryRow) -> None:
    assert all(text.startswith(f"{row.name}(") for text in row.checks)


def test_estimators_have_rows_of_estimators() -> None:
    names = [row.name for row in ROWS if not isinstance(row, Section)]
    assert len(set(names)) == len(names)
    items = {name: getattr(sparsek, name) for name in names}
    classes = {n for n, item in items.items() if inspect.isclass(item) and hasattr(item, "fit")}
    assert classes == {row.name for row in ESTIMATORS}


def test_names_in_the_command_line_are_unique() -> None:
    methods = [row.method for row in ESTIMATORS if row.method]
    assert len(set(methods)) == len(methods)
