"""What README and the pages state is what the records say."""

from collections.abc import Iterator
from functools import cache

import pytest

from validation import __main__ as command
from validation import statements
from validation.statements import BETWEEN, STATEMENTS, fill_in, find_pages


@pytest.fixture(autouse=True, scope="module")
def written_once() -> Iterator[None]:
    """The records do not change between the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, write in STATEMENTS.items():
            patch.setitem(STATEMENTS, name, cache(write))
        yield


def test_the_pages_state_what_the_records_say() -> None:
    assert command.main(["statements", "--check"]) == 0


def test_every_statement_stands_on_a_page_and_is_written_back_where_it_was_changed() -> None:
    seen = set()
    for path in find_pages():
        text = path.read_text(encoding="utf-8")
        seen |= {marks["name"] for marks in BETWEEN.finditer(text)}
        assert fill_in(BETWEEN.sub(r"\1Something else.\n\3", text)) == text
    assert seen == set(STATEMENTS)


def test_a_page_that_is_out_of_date_is_named_then_written(tmp_path, monkeypatch, capsys) -> None:
    page = tmp_path / "README.md"
    page.write_text("<!-- papers, written by python -m validation statements: -->\nOf 3.\n<!-- End -->\n")
    monkeypatch.setattr(statements, "ROOT", tmp_path)
    assert command.main(["statements", "--check"]) == 1
    assert "README.md is out of date" in capsys.readouterr().out
    assert command.main(["statements"]) == 0
    assert command.main(["statements", "--check"]) == 0
    assert STATEMENTS["papers"]() in page.read_text()


def test_an_unknown_statement_is_named() -> None:
    with pytest.raises(ValueError, match=r"no statement is called 'pages'; known are .*papers"):
        fill_in("<!-- pages, written by python -m validation statements: -->\n<!-- End -->")
