"""The check of prose and width of code: what it finds, what it leaves out, and that the pages pass it."""

import runpy
from pathlib import Path

import pytest

from tests.places import ROOT

CHECK = runpy.run_path(str(ROOT / "docs" / "check_prose.py"))
LONG = " ".join(["word"] * (CHECK["LONGEST"] + 1)) + "."


def complaints(text: str) -> list[str]:
    """What the check says of a page."""
    return [complaint for _, complaint in CHECK["findings"](text)]


def test_pages_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHECK["main"]() == 0, capsys.readouterr().out


def test_a_long_sentence_is_found_with_its_line() -> None:
    assert list(CHECK["findings"](f"# Title\n\nShort. W{LONG[1:]}\n")) == [
        (3, "36 words, 35 are allowed: Word word word word word word word word ...")
    ]
    assert complaints(LONG.replace("word word", "word. Word", 1)) == []


@pytest.mark.parametrize("text", ["all rows but for one", "that say the same crowd out others", "for ever"])
def test_words_to_avoid_are_found_also_across_lines(text: str) -> None:
    assert len(complaints(text)) == 1
    assert len(complaints(text.replace(" ", "\n"))) == 1


@pytest.mark.parametrize(
    "page",
    [
        f"```python\n{LONG}\n```\n",
        f"| {LONG} |\n",
        f"    {LONG}\n",
        f"## References\n\n{LONG}\n",
        f"The call `{LONG}` is code.\n",
        f"- {LONG[: len(LONG) // 2]}\n- {LONG[len(LONG) // 2 :]}\n",
    ],
)
def test_code_tables_and_references_are_left_out_and_items_count_alone(page: str) -> None:
    assert complaints(page) == []


def test_docstrings_are_read_without_arguments_examples_and_names(tmp_path: Path) -> None:
    parts = f"Parameters\n----------\nx : int, {LONG}\n\nExamples\n--------\n{LONG}\n"
    names = f"Fields: ``a``, {LONG[: len(LONG) // 2]}; ``b``, {LONG[len(LONG) // 2 :]}\n"
    file = tmp_path / "file.py"
    file.write_text(f'"""Title."""\n\n\ndef f(x):\n    """Title.\n\n    {LONG}\n    """\n', encoding="utf-8")
    assert [line for line, _ in CHECK["docstring_findings"](file)] == [7]
    file.write_text(f'"""Title.\n\n{names}\n{parts}"""\n', encoding="utf-8")
    assert list(CHECK["docstring_findings"](file)) == []


def test_wide_code_is_found_with_its_line() -> None:
    wide = "x" * (CHECK["WIDEST"] + 1)
    complaint = f"101 characters, 100 fit: {wide[:40]} ..."
    page = f"Text.\n\n```python\nx = 1\n{wide}\n```\n"
    assert list(CHECK["wide_lines"](page)) == [(5, complaint)]
    assert list(CHECK["wide_lines"](page.replace(wide, wide[1:]))) == []
    assert list(CHECK["wide_lines"](f"{wide}\n\n```console\n$ run\n{wide}\n```\n")) == []


def test_code_of_examples_keeps_its_lines(tmp_path: Path) -> None:
    wide = "x" * (CHECK["WIDEST"] + 1)
    example = tmp_path / "example.py"
    example.write_text(f'"""\nTitle\n=====\n{wide}\n"""\n\n# {wide}\n{wide}\n', encoding="utf-8")
    assert [line for line, _ in CHECK["wide_lines"](CHECK["code_of"](example))] == [8]
