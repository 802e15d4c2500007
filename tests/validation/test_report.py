"""The validation report from made-up results: content, verdict, exit code, no external resources."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsek.compare import FieldComparison
from sparsek.engine import describe_choice
from validation import environment
from validation.__main__ import main
from validation.parity.compare import CaseResult
from validation.report import build as report
from validation.report import drawing as figures
from validation.report import realdata
from validation.report.sections import Picture, Section, inferred, make_table, our_choice

# Elements that close themselves or hold no text of their own.
VOID = {"meta", "br", "wbr", "img", "link"}


def make_result(number: int, **changes: Any) -> CaseResult:
    """An exact recorded kmeans case unless `changes` say otherwise."""
    fields: dict[str, Any] = {
        "id": f"kmeans-{number:03d}",
        "function": "kmeans",
        "seed": 1000 + number,
        "package": "stats",
        "source": "recorded",
        "exact": True,
        "worst_lre": 15.0,
        "fields": (FieldComparison("centers", True, 15.0, 0.0, ""),),
        "message": "",
        "seconds": 0.25,
        "r_seconds": 0.125,
    }
    return CaseResult(**{**fields, **changes})


def make_real_data() -> dict[str, Any]:
    """A data set with one method that weighs features and one that does not."""
    scores = dict.fromkeys(realdata.SCORES, 0.75)
    row = {"method": "sparse <method>", "scores": scores, "sizes": [3, 2], "call": "sparse"}
    plain = {**row, "method": "plain", "selected": None, "weights": None}
    sparse = {**row, "selected": ["petal length"], "weights": [0.0, 1.0]}
    features = ["sepal width", "petal length"]
    sizes = {"n": 5, "p": 2, "n_clusters": 2, "l1_bound": 1.25, "seed": 1}
    return {"name": "toy", "features": features, "rows": [plain, sparse], **sizes}


def make_section() -> Section:
    """A section with a picture, a table, a setting and a remark."""
    rows = [["a <b>", 1, -0.0001, "holds"], [None, 2, np.nan, "does not hold"]]
    table = make_table("Caption", ["Name", "p", "Value", "Verdict"], rows, digits=2)
    picture = Picture("What it shows", figures.draw_lre_histogram("made-up", [15.0]))
    settings = (inferred("raw columns"), our_choice("ten starts"))
    return Section("Table 9: made up", "paper-9", "Text.", (picture,), (table,), settings, ("A remark.",))


def build(*results: CaseResult, skipped: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """A report of these results."""
    facts = environment.describe_environment({"R": "R version 4.2.2", "base": "4.2.2", "sparcl": "1.0.4"})
    return report.build_report(results, skipped, [make_real_data()], facts, [make_section()])


def write(folder: Path, built: dict[str, Any]) -> tuple[int, str, dict[str, Any]]:
    """Exit code, page and numbers of a written report."""
    code = report.write_report(built, folder)
    page = (folder / "index.html").read_text(encoding="utf-8")
    return code, page, json.loads((folder / "report.json").read_text(encoding="utf-8"))


class PageChecker(HTMLParser):
    """Collects the external resources of a page, its ids and links, and whether its elements nest."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("src", "href", "srcset", "data"):
                self.loaded.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, dict[str, Any]]:
    """A report with one failing case of three, and live comparisons skipped."""
    bad = make_result(2, exact=False, worst_lre=6.25, message="centers: 1.25 against 1.2500007")
    live = make_result(3, source="live", function="runif", package="base", r_seconds=0.001, compiled=True)
    skipped = ({"cases": 12, "reason": "package sparcl is not installed"},)
    return write(tmp_path_factory.mktemp("failing"), build(make_result(1), bad, live, skipped=skipped))


def test_failures_elsewhere_name_the_platform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "LONG_DOUBLE_BITS", 53)
    monkeypatch.setattr(environment.elementary, "other_digits", lambda: ["exp"])
    code, page, _ = write(tmp_path, build(make_result(1), make_result(2, exact=False, worst_lre=6.0)))
    assert code == 1
    last = capsys.readouterr().out
    assert "FAIL: 1 of 2 parity cases exact, 1 differ; this is not the platform of the records: " in last
    assert "long double has 53 bits; exp of the C library have other last digits than glibc's" in last
    assert "long double has 53 bits" in page


def test_live_cases_of_another_r_are_counted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "this R adds in double; its own answers differ from x86-64 R"
    monkeypatch.setattr(environment.bridge, "other_digits", lambda: reason)
    live = make_result(2, source="live", exact=False, worst_lre=6.0, message="centers: 1 against 2")
    code, page, numbers = write(tmp_path, build(make_result(1), live))
    assert code == 0
    assert (numbers["counts"]["apart"], numbers["counts"]["failing"]) == (1, 0)
    assert f"counted apart: 1 live cases differ: {reason}" in capsys.readouterr().out
    assert reason in page


def test_all_exact_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, page, numbers = write(tmp_path / "new" / "folder", build(make_result(1), make_result(2)))
    assert code == 0
    assert numbers["passed"] is True
    assert "Pass: sparsek equals R in every case compared." in page
    assert "PASS: 2 of 2 parity cases exact" in capsys.readouterr().out


def test_one_failing_case_fails_and_is_named(failing: tuple[int, str, dict[str, Any]]) -> None:
    code, page, numbers = failing
    assert code == 1
    assert numbers["passed"] is False
    assert "Fail: 1 of 3 cases differ from R." in page
    assert [case["id"] for case in numbers["failing"]] == ["kmeans-002"]
    row = page[page.index("<code>kmeans-002</code>") :]
    row = row[: row.index("</tr>")]
    assert "1002" in row  # the seed
    assert "6.2" in row  # the worst LRE
    assert "centers: 1.25 against 1.2500007" in row


def test_no_case_at_all_fails(tmp_path: Path) -> None:
    code, page, _ = write(tmp_path, build())
    assert code == 1
    assert "Fail: no case was compared." in page


def test_summary_counts_by_package_function_and_source(failing: tuple[int, str, dict[str, Any]]) -> None:
    _, page, numbers = failing
    (package,) = numbers["packages"]  # kmeans is in stats and runif in base: one section
    assert (package["name"], package["cases"], package["exact"], package["worst_lre"]) == (
        "stats and base", {"recorded": 2, "live": 1}, {"recorded": 1, "live": 1}, 6.25
    )  # fmt: skip
    rows = {(row["function"], row["source"]): row for row in package["functions"]}
    assert rows.keys() == {("kmeans", "recorded"), ("runif", "live")}
    kmeans = rows["kmeans", "recorded"]
    assert (kmeans["cases"], kmeans["exact"], kmeans["worst_lre"]) == (2, 1, 6.25)
    assert (kmeans["ms"], kmeans["r_ms"], kmeans["ratio"]) == (250.0, 125.0, 2.0)
    assert rows["runif", "live"]["ratio"] is None  # too short to time
    assert numbers["counts"] == {
        "recorded": 2, "live": 1, "compared": 3, "exact": 2, "within": 0, "failing": 1,
        "apart": 0, "skipped": 12, "compiled": 1
    }  # fmt: skip
    assert f"{describe_choice()}; 1 of 3 comparisons with R ran compiled" in page
    assert "12 live comparisons skipped: package sparcl is not installed." in page


def test_packages_have_sections_in_the_order_of_their_cases(tmp_path: Path) -> None:
    functions = {"other": "f", "stats": "kmeans", "wskm": "ewkm", "base": "sample", "sparcl": "permute"}
    results = [
        make_result(i, package=package, function=function, source=source)
        for i, (package, function) in enumerate(functions.items())
        for source in ("recorded", "live")
    ]
    _, page, numbers = write(tmp_path, build(*results))
    names = ["other", "wskm", "sparcl", "stats and base"]
    assert [package["name"] for package in numbers["packages"]] == names
    headings = re.findall(r'<h3 id="(package-[\w-]+)">(.*?)</h3>', page)
    assert headings == [(f"package-{name.replace(' ', '-')}", name) for name in names]
    for anchor, _ in headings:
        assert page.count(f'href="#{anchor}"') == 2  # the table of contents and the overview
    sections = re.split(r'<h3 id="package-', page)[1:]
    for section, expected in zip(sections, [["f"], ["ewkm"], ["permute"], ["kmeans", "sample"]], strict=True):
        rows = re.findall(r"<td><code>(\w+)</code></td>\s*<td>(\w+)</td>", section.split("</table>")[0])
        assert rows == [(function, source) for function in expected for source in ("recorded", "live")]
        assert "250.00</td>" in section  # milliseconds per call, R's and ours
        assert "125.00</td>" in section
        assert "2.00</td>" in section


def test_every_section_is_there(failing: tuple[int, str, dict[str, Any]]) -> None:
    _, page, numbers = failing
    headings = re.findall(r"<h2>\d\. (.*?)</h2>", page)
    assert headings == [
        "Scope and intended use",
        "Environment",
        "Requirements and their tests",
        "Parity with R",
        "Real data",
        "Printed results repeated",
        "Deliberate deviations from R",
        "Inputs of every kind",
        "Sign-off",
    ]
    for entry in numbers["requirements"] + numbers["deviations"]:
        assert f">{entry['id']}</td>" in page
    for score in realdata.SCORES:
        assert f">{score}</th>" in page
    assert "R version 4.2.2, sparcl 1.0.4" in page
    assert "numpy" in page
    assert "long double has" in page


def test_page_loads_nothing_and_is_well_formed(failing: tuple[int, str, dict[str, Any]]) -> None:
    _, page, _ = failing
    checker = PageChecker()
    checker.feed(page)
    assert checker.open == []
    assert checker.loaded == []
    assert "http" not in page
    assert "@import" not in page
    assert len(checker.ids) == len(set(checker.ids))
    anchors = {link.removeprefix("#") for link in checker.links if link.startswith("#")}
    assert anchors <= set(checker.ids)
    assert [link for link in checker.links if not link.startswith("#")] == ["report.json"]


def test_page_escapes_text_from_results(failing: tuple[int, str, dict[str, Any]]) -> None:
    assert "sparse &lt;method&gt;" in failing[1]
    assert "<method>" not in failing[1]


def test_sections_show_tables_pictures_settings_and_remarks(
    failing: tuple[int, str, dict[str, Any]],
) -> None:
    _, page, numbers = failing
    (section,) = numbers["sections"]
    assert "pictures" not in section
    assert section["tables"][0]["rows"] == [["a <b>", 1, -0.0001, "holds"], [None, 2, None, "does not hold"]]
    start = page.index('<h3 id="paper-9">Table 9: made up</h3>')
    text = page[start : page.index("</section>", start)]
    assert re.findall("<td.*?</td>", text) == [
        '<td class="word">a &lt;b&gt;</td>', '<td class="n">1</td>', '<td class="n">0.00</td>',
        '<td class="good word">holds</td>', "<td></td>", '<td class="n">2</td>', '<td class="n"></td>',
        '<td class="bad word">does not hold</td>',
    ]  # fmt: skip
    assert '<span class="mark">inferred</span>raw columns' in text
    assert '<span class="mark">our choice</span>ten starts' in text
    assert "A remark." in text
    assert "<figure><svg" in text
    assert page.count('href="#paper-9"') == 1


def test_rows_of_a_table_fill_its_columns() -> None:
    with pytest.raises(ValueError, match=r"Caption: 2 columns, but a row of 1: \[3\]"):
        make_table("Caption", ["a", "b"], [[1, 2], [3]])


def test_histogram_draws_one_bar_per_digit() -> None:
    svg = figures.draw_lre_histogram("test", [15.0, 15.0, 6.2, 0.0])
    assert svg.startswith("<svg")
    assert svg.count(figures.ALARM) == figures.LRE_LIMIT
    assert svg.count(figures.ACCENT) == 1


def test_real_data_analysis_of_iris() -> None:
    data = realdata.analyse("iris")
    assert (data["n"], data["p"], data["n_clusters"]) == (150, 4, 3)
    raw = data["rows"][0]
    assert raw["method"] == "k-means, raw"
    # The textbook partition of iris: 50 setosa, 62 and 38 of the two others, ARI 0.730.
    assert raw["sizes"] == [62, 50, 38]
    assert round(raw["scores"]["ARI"], 3) == 0.730
    for row in data["rows"]:
        assert sum(row["sizes"]) == 150
        nmi = [row["scores"][f"NMI ({mean})"] for mean in ("max", "arithmetic", "geometric", "min")]
        assert nmi == sorted(nmi)  # one number divided by min(H) <= geometric <= arithmetic <= max(H)


def test_command_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "report"
    options = ["--no-live-r", "--no-reproduction", "--cases", "^runif-00[12]$"]
    assert main(["report", *options, "--output", str(folder)]) == 0
    assert "PASS: 2 of 2 parity cases exact" in capsys.readouterr().out
    numbers = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [case["id"] for case in numbers["cases"]] == ["runif-001", "runif-002"]
    assert [data["name"] for data in numbers["real_data"]] == ["iris", "wine", "WDBC"]
    assert numbers["skipped"] == [{"cases": 2, "reason": "R left out on request"}]
    assert numbers["sections"] == []
    assert "<p>Left out on request.</p>" in (folder / "index.html").read_text(encoding="utf-8")
