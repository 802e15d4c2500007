"""The interface of the papers: found by listing, run and written by the commands."""

import argparse
import ast
import inspect
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from matplotlib.figure import Figure

import sparsek
from sparsek._registry import ESTIMATORS
from sparsek.datasets import ChecksumError, DatasetError
from sparsek.datasets._registry import Entry
from validation import papers
from validation.__main__ import main
from validation.papers import figures_cmd, find_papers, tables_cmd
from validation.papers.kernel import dec, doughnut
from validation.papers.kernel import paper as kernel
from validation.papers.minmax import samples as minmax_samples
from validation.papers.minmax.paper import PAPER as MINMAX
from validation.papers.paper import Make, Paper, Result, Task
from validation.papers.pcskm.paper import PAPER as PCSKM
from validation.papers.shared.data import find_missing, which_are_here
from validation.papers.shared.store import RESULTS, load_table
from validation.report import command as report_cmd
from validation.report.sections import Section

FOLDER = Path(papers.__file__).parent
TOY = """
import pandas as pd
from validation.papers.paper import Paper, Result
from validation.report.sections import Section

def run(task):
    return Result({"toy": pd.DataFrame({"scale": [task.scale]})}, text="a toy")

PAPER = Paper("toy", "toy", 0, {"toy": lambda result, folder: Section("Toy", "toy", "")}, tables={9: run},
              figures={1: run}, pages={"tables": "toy.html"})
"""


def run(*arguments: str, folder: Path) -> int:
    return main([*arguments, "--output", str(folder), "--n-jobs", "1"])


def give(monkeypatch: pytest.MonkeyPatch, paper: Paper) -> None:
    """Give the commands this paper in place of the one with its name."""
    monkeypatch.setattr(tables_cmd, "find_papers", lambda: find_papers() | {paper.name: paper})
    monkeypatch.setattr(figures_cmd, "find_papers", lambda: find_papers() | {paper.name: paper})


def recorded(*names: str) -> Make:
    """A run that returns the recorded results."""
    return lambda task: Result({name: load_table(name)[0] for name in names})


def test_every_folder_with_a_paper_is_found() -> None:
    found = find_papers()
    assert set(found) == {path.parent.name for path in FOLDER.glob("*/paper.py")}
    for name, paper in found.items():
        assert paper.name == name
        assert paper.section_makers.keys() == paper.captions.keys()
        assert paper.captions.keys() <= {path.stem for path in RESULTS.glob("*.csv")}
        assert bool(paper.tables) == ("tables" in paper.pages)
    places = [paper.place for paper in found.values()]
    assert places == sorted(set(places))


def test_a_paper_is_added_by_its_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "__init__.py").touch()
    (tmp_path / "toy" / "paper.py").write_text(TOY)
    monkeypatch.setattr(papers, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setattr(papers, "__path__", [str(tmp_path)])
    found = find_papers.__wrapped__()  # clears the papers found before
    assert list(found) == ["toy"]
    for module in (tables_cmd, figures_cmd):
        monkeypatch.setattr(module, "find_papers", lambda: found)
    assert run("tables", folder=tmp_path / "results") == 0
    assert "a toy" in capsys.readouterr().out
    assert pd.read_csv(tmp_path / "results" / "toy.csv")["scale"].tolist() == ["quick"]
    assert "<h3" in (tmp_path / "results" / "toy.html").read_text(encoding="utf-8")
    assert run("tables", "--table", "9", "--paper", "toy", folder=tmp_path / "results") == 0
    assert run("figures", "--paper", "toy", folder=tmp_path / "results") == 0
    assert [section.title for section in report_cmd.reproduce(found.values(), tmp_path / "a", 1)] == ["Toy"]


@pytest.mark.parametrize("command", [tables_cmd, figures_cmd], ids=["tables", "figures"])
def test_help_says_which_paper_has_which(command: ModuleType) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    text = " ".join(parser.format_help().split())
    said = {
        f"{name} has {min(numbers)} to {max(numbers)}"
        for name, paper in find_papers().items()
        for makers in [paper.tables if command is tables_cmd else paper.figures]
        if (numbers := [number for number in makers if isinstance(number, int)])
    }
    assert len(said) > 1
    assert [words for words in said if words not in text] == []


def test_help_names_every_table() -> None:
    parser = argparse.ArgumentParser()
    tables_cmd.add_arguments(parser)
    text = " ".join(parser.format_help().split())
    for paper in tables_cmd.papers_with_tables().values():
        captions = [caption for caption in paper.captions.values() if ", Table " in caption]
        assert len(captions) == len(paper.tables)
        assert all(caption in text for caption in captions)


def test_quick_and_full_run_everything_once() -> None:
    seen: list[tuple[str, Task]] = []

    def note(name: str) -> Make:
        def make(task: Task) -> Result:
            seen.append((name, task))
            return Result({name: pd.DataFrame()}, {name: Figure()})

        return make

    both = note("both")
    makers = {
        name: lambda result, folder, name=name: Section(name, name, "") for name in ("both", "one", "no")
    }
    paper = Paper("toy", "toy", 0, makers, tables={1: note("one")}, figures={1: both, 2: both})
    result = paper.quick(Path("here"), 2)
    assert list(result.frames) == list(result.figures) == ["one", "both"]
    assert seen == [(name, Task("quick", Path("here"), 2, at_hand=True)) for name in ("one", "both")]
    assert [section.title for section in paper.sections(result)] == ["both", "one"]  # as in the report
    seen.clear()
    paper.full(Path("here"), 2, live_r=True)
    assert seen == [(name, Task("full", Path("here"), 2, live_r=True)) for name in ("one", "both")]


def test_minmax_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {number: f"minmax-table-{number}" for number in (1, 4)}
    give(monkeypatch, replace(MINMAX, tables={n: recorded(name) for n, name in names.items()}))
    assert run("tables", "--paper", "minmax", "--table", "1", "--table", "4", folder=tmp_path) == 0
    for name in names.values():
        columns = load_table(name)[0].columns.tolist()
        assert pd.read_csv(tmp_path / f"{name}.csv").columns.tolist() == columns
    page = (tmp_path / "minmax-tables.html").read_text(encoding="utf-8")
    assert page.count("<h3") == 2
    assert "Colon" in page


def test_pcskm_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        *("pcskm-figure-1", "pcskm-figure-2", "pcskm-figure-2-shares", "pcskm-bounds"),
        "pcskm-penalties",
    )
    give(monkeypatch, replace(PCSKM, figures=dict.fromkeys(PCSKM.figures, recorded(*names))))
    assert run("figures", "--paper", "pcskm", folder=tmp_path) == 0
    assert {path.stem for path in tmp_path.glob("*.csv")} == set(names)
    page = (tmp_path / "pcskm-figures.html").read_text(encoding="utf-8")
    assert "does not hold" in page


def test_kernel_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "SEEDS", {"quick": {"doughnut": 1, "dec": 1}})
    monkeypatch.setattr(doughnut, "N_SAMPLES", 60)
    seen: list[int] = []

    def run_dec(n_seeds: int, n_jobs: int) -> pd.DataFrame:
        seen.append(n_seeds)
        return load_table("dec")[0]

    monkeypatch.setattr(dec, "run", run_dec)
    monkeypatch.setattr(dec, "draw", lambda trials: Figure())
    assert run("figures", "--paper", "kernel", folder=tmp_path) == 0
    assert seen == [1]
    found = pd.read_csv(tmp_path / "doughnut.csv")
    assert set(found["method"]) == set(doughnut.METHODS)
    assert set(found["ring"]) == set(doughnut.RINGS)
    assert (tmp_path / "doughnut.png").stat().st_size > 0
    page = (tmp_path / "kernel-figures.html").read_text(encoding="utf-8")
    assert "sparse kernel k-means" in page


def test_a_table_that_the_paper_does_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("tables", "--table", "6", folder=tmp_path) == 2
    assert "has Tables 1 to 4; got --table 6" in capsys.readouterr().out


def test_figures_that_a_paper_does_not_have_or_does_not_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("figures", "--figure", "4", folder=tmp_path) == 2
    assert "the SKFR paper has Figures 1 to 3; got --figure 4" in capsys.readouterr().out
    assert run("figures", "--paper", "inference", "--figure", "4", folder=tmp_path) == 2
    assert "has the figures level, power, sets, noise, robust, call, one, fdr, coverage; got --figure 4" in (
        capsys.readouterr().out
    )
    inference = find_papers()["inference"]
    assert figures_cmd.choose(inference, ["one"]) == [inference.figures["one"]]
    assert figures_cmd.choose(inference, None) == list(inference.figures.values())


def test_missing_data_are_named_and_damaged_data_are_an_error() -> None:
    errors = {"gone": DatasetError("not here"), "damaged": ChecksumError("not as published")}

    def fetch(name: str) -> None:
        if name in errors:
            raise errors[name]

    assert find_missing(["here", "gone"], fetch) == {"gone": "not here"}
    with pytest.raises(ChecksumError, match="not as published"):
        find_missing(["here", "damaged"], fetch)


def test_every_paper_names_the_data_that_it_fetches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARSEK_DATA", str(tmp_path))
    minmax_samples.load_sample.cache_clear()  # what earlier tests read
    asked = []

    def obtain(entry: Entry, *_: object) -> None:
        asked.append(entry.name)
        raise DatasetError(f"{entry.name}: not here")

    monkeypatch.setattr("sparsek.datasets._fetch.obtain", obtain)
    monkeypatch.setattr("validation.papers.shared.data.obtain", obtain)
    for paper in find_papers().values():
        asked.clear()
        paper.look_up()
        assert set(asked) == set(paper.data)
    assert which_are_here(["zoo", "ecoli", "zoo"]) == {"ecoli": False, "zoo": False}
    assert capsys.readouterr().out == ""


def wanted(name: str) -> list[str]:
    """The options whose default is a choice of ours: drawn seeds that may become greedy, and single moves."""
    taken = inspect.signature(getattr(sparsek, name)).parameters
    ours = {"init": ("k-means++", "screened"), "refine": (None,)}
    return [option for option, values in ours.items() if option in taken and taken[option].default in values]


def test_every_estimator_of_a_paper_names_its_start() -> None:
    names = {row.name for row in ESTIMATORS}
    unnamed, seen = [], 0
    for path in sorted(Path(papers.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", "")
            if name not in names:
                continue
            given = {keyword.arg for keyword in node.keywords}
            seen += 1
            missing = [option for option in wanted(name) if option not in given and None not in given]
            unnamed += [f"{path.name}:{node.lineno} {name}({option}=)" for option in missing]
    assert seen > 20
    assert unnamed == []
