"""The validation report from made-up results: content, verdict, exit code, no external resources."""

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r_reference.recipes import load_table as load_cases
from sparsek.compare import FieldComparison
from sparsek.engine import describe_choice
from tests.places import ROOT
from validation import environment
from validation.__main__ import main
from validation.parity.cases import CaseResult
from validation.report import build as report
from validation.report import drawing as figures
from validation.report import realdata
from validation.report.build import describe_call, list_cases
from validation.report.outcomes import TestRun
from validation.report.sections import Picture, Section, inferred, make_table, our_choice, show_cells

# Elements that close themselves or hold no text of their own.
VOID = {"meta", "br", "wbr", "img", "link", "input"}


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
    picture = Picture("What it shows", figures.draw_lre_histogram([15.0]))
    settings = (inferred("raw columns"), our_choice("ten starts"))
    return Section("Table 9: made up", "paper-9", "Text.", (picture,), (table,), settings, ("A remark.",))


def build(
    *results: CaseResult, skipped: tuple[dict[str, Any], ...] = (), tests: TestRun | None = None
) -> dict[str, Any]:
    """A report of these results."""
    facts = environment.describe_environment({"R": "R version 4.2.2", "base": "4.2.2", "sparcl": "1.0.4"})
    benchmark = dataclasses.replace(make_section(), title="Benchmark", anchor="benchmark")
    return report.build_report(
        results, skipped, [make_real_data()], facts, [make_section()], tests=tests, benchmark=benchmark
    )


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
    assert (
        "FAIL: 1 of 2 parity cases exact (2 recorded, 0 live, 0 live skipped), 1 differ; this is not the "
        "platform of the records: " in last
    )
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
    sentence = (
        "Pass, which is about R alone: sparsek agrees with R in all comparisons made, 2 exactly and 0 within "
        "a stated tolerance, 2 with recorded answers and 0 with R live; 0 live ones were skipped; the "
        'numbers that papers print are judged apart, in <a href="#printed">section 2</a>.'
    )
    assert page.count(f'<p class="sentence">{sentence}</p>') == 2  # the verdict and the sign-off
    said = capsys.readouterr().out
    assert "PASS: 2 of 2 parity cases exact (2 recorded, 0 live, 0 live skipped)" in said
    assert "PASS is about R alone; the numbers that papers print are judged apart, in section 2" in said


def test_a_pass_without_papers_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, page, _ = write(tmp_path, build(make_result(1)) | {"sections": []})
    assert "; the numbers that papers print were left out.</p>" in page
    assert "PASS is about R alone; the numbers that papers print were left out" in capsys.readouterr().out


def test_what_is_within_a_tolerance_is_not_shown_as_exact(tmp_path: Path) -> None:
    """87 functions of SKFR within a tolerance were shown as "all 87"."""
    near = [
        make_result(i, package="near", function="f", exact=False, within_tolerance=True) for i in range(87)
    ]
    changes = {"source": "live"}, {}, {"exact": False, "within_tolerance": True}, {"exact": False}
    mixed = [make_result(1, package="mixed", function="g", **change) for change in changes]
    same = [make_result(i, package="same", function="h") for i in range(3)]
    _, page, _ = write(tmp_path, build(*near, *mixed, *same))
    overview = page[page.index('id="overview"') : page.index('id="parity"')]
    rows = {
        name: [
            " ".join(re.sub("<.*?>", "", cell).split()) for cell in re.findall("<td.*?</td>", row, re.DOTALL)
        ]
        for name, row in re.findall(
            r'<td><a href="#package-\w+">(\w+)</a></td>(.*?)</tr>', overview, re.DOTALL
        )
    }
    assert {name: cells[:2] for name, cells in rows.items()} == {
        "near": ["0 exact, 87 within", "none"],
        "mixed": ["1 differ, 1 exact, 1 within", "all 1 exact"],
        "same": ["all 3 exact", "none"],
    }
    assert "0 of 87 recorded exact, 87 within tolerance</span>" in page
    assert "all 87" not in page
    assert not re.search(r"are the same, bit for bit, under the same seed\.", page)


def test_exceptions_from_bit_for_bit_are_counted(tmp_path: Path) -> None:
    near = make_result(2, exact=False, within_tolerance=True)
    _, page, _ = write(tmp_path, build(make_result(1), near))
    assert "1 exactly and 1 within a stated tolerance" in page
    assert "bit for bit, under the same seed, except in 1 cases." in page


@pytest.mark.parametrize("unlike", [[], ["the platform is Darwin on arm64"]])
def test_the_machine_is_compared_in_a_sentence(unlike: list[str]) -> None:
    built = build(make_result(1))
    built["environment"]["unlike_reference"] = unlike
    page = report.render_html(built, "0" * 64)
    (said,) = re.findall(r"Beside R on x86-64 Linux</th><td>(.*?)</td>", page, re.DOTALL)
    assert said.startswith(
        "This machine differs from that of the" if unlike else "This machine has the processor"
    )
    assert all(text in said for text in unlike)
    assert "nothing" not in said


def test_one_failing_case_fails_and_is_named(failing: tuple[int, str, dict[str, Any]]) -> None:
    code, page, numbers = failing
    assert code == 1
    assert numbers["passed"] is False
    assert (
        "Fail: sparsek differs from R in 1 of 3 comparisons, 2 with recorded answers and 1 with R live; "
        "12 live ones were skipped; the numbers that papers print" in page
    )
    assert [case["id"] for case in numbers["failing"]] == ["kmeans-002"]
    row = page[page.index("<code>kmeans-002</code>") :]
    row = row[: row.index("</tr>")]
    assert "1002" in row  # the seed
    assert "6.2" in row  # the worst LRE
    assert "centers: 1.25 against 1.2500007" in row


def test_no_case_at_all_fails(tmp_path: Path) -> None:
    code, page, _ = write(tmp_path, build())
    assert code == 1
    assert "Fail: no case was compared; 0 live ones were skipped; the numbers" in page


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
    assert "<p>Live comparisons skipped: 12, package sparcl is not installed.</p>" in page


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
    parts = re.findall(r'<details class="part" id="(package-[\w-]+)">\s*<summary><h3>(.*?)</h3>', page)
    assert parts == [(f"package-{name.replace(' ', '-')}", name) for name in names]
    for anchor, _ in parts:
        assert page.count(f'href="#{anchor}"') == 2  # the contents and the overview
    sections = re.split(r'<details class="part" id="package-', page)[1:]
    for section, expected in zip(sections, [["f"], ["ewkm"], ["permute"], ["kmeans", "sample"]], strict=True):
        rows = re.findall(r"<code>(\w+)</code></a></td>\s*<td>(\w+)</td>", section.split("</table>")[0])
        assert rows == [(function, source) for function in expected for source in ("recorded", "live")]
        assert "250.00</td>" in section  # milliseconds per call, R's and ours
        assert "125.00</td>" in section
        assert "2.00</td>" in section
        for function in expected:
            assert section.count(f'id="function-{function}"') == 1


def test_every_section_is_there(failing: tuple[int, str, dict[str, Any]]) -> None:
    _, page, numbers = failing
    headings = re.findall(r'<details class="section" id="[\w-]+">\s*<summary><h2>\d\. (.*?)</h2>', page)
    assert headings == [
        "Parity with R",
        "Printed results repeated",
        "Real data",
        "Deliberate deviations from R",
        "Inputs of every kind",
        "Scope and intended use",
        "Environment",
        "Requirements and their tests",
        "Sign-off",
    ]
    assert " open>" not in page[page.index("<main") :]  # all is closed but the contents
    for entry in numbers["requirements"] + numbers["deviations"]:
        assert f'<td class="word">{entry["id"]}</td>' in page
    for score in realdata.SCORES:
        assert f'<th scope="col" class="n">{score}</th>' in page
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
    assert [link for link in checker.links if not link.startswith("#")] == ["sbom.json", "report.json"]


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
    start = page.index('<details class="part" id="paper-9">')
    text = page[start : page.index("</details>", start)]
    assert "<summary><h3>Table 9: made up</h3></summary>" in text
    assert re.findall("<td.*?</td>", text) == [
        '<td class="word">a &lt;b&gt;</td>', '<td class="n">1</td>', '<td class="n">0.00</td>',
        '<td class="good word">holds</td>', "<td></td>", '<td class="n">2</td>', '<td class="n"></td>',
        '<td class="bad word">does not hold</td>',
    ]  # fmt: skip
    assert '<span class="mark">inferred</span>raw columns' in text
    assert '<span class="mark">our choice</span>ten starts' in text
    assert "A remark." in text
    assert '<figure><div class="picture" role="img" tabindex="0" aria-label="What it shows"><svg' in text
    assert page.count('href="#paper-9"') == 1


def test_the_benchmark_is_in_the_section_on_real_data(tmp_path: Path) -> None:
    _, page, _ = write(tmp_path, build(make_result(1)))
    start = page.index('<details class="part" id="benchmark">')
    assert page.index('id="realdata"') < start < page.index('id="deviations"')
    part = page[start : page.index("</details>", start)]
    assert all(text in part for text in ("Benchmark", "Text.", "a &lt;b&gt;", "A remark."))
    _, page, _ = write(tmp_path, build(make_result(1)) | {"benchmark": None})
    assert 'id="benchmark"' not in page


def test_rows_of_a_table_fill_its_columns() -> None:
    with pytest.raises(ValueError, match=r"Caption: 2 columns, but a row of 1: \[3\]"):
        make_table("Caption", ["a", "b"], [[1, 2], [3]])


def test_histogram_draws_one_bar_per_digit() -> None:
    svg = figures.draw_lre_histogram([15.0, 15.0, 6.2, 0.0])
    assert svg.startswith("<svg")
    assert svg.count('class="bar-other"') == 2
    assert svg.count('class="bar-exact"') == 1


def test_counts_have_no_decimals_and_rates_keep_them() -> None:
    rows = [[453.0, 1.0, 0.0, 7.0], [1.0, 0.0, 998.0, 8.5], [12.0, 0.25, 28.75, 17.0]]
    table = make_table("Caption", ["count", "rate", "mean count", "iterations"], rows)
    shown = [[text for text, _ in row] for row in show_cells(dataclasses.asdict(table))]
    assert shown == [
        ["453", "1.000", "0.000", "7.000"],
        ["1", "0.000", "998", "8.500"],
        ["12", "0.250", "28.8", "17.000"],
    ]


def test_lists_of_cases_name_call_seed_and_outcomes() -> None:
    known = next(case for case in load_cases()["cases"] if case["args"] == {"centers": 3, "nstart": 5})
    same = {"id": known["id"], "seed": known["seed"]}
    results = [
        make_result(2, **same),
        make_result(2, **same, source="live", exact=False, worst_lre=6.25, message="x" * 200),
        make_result(9999, exact=False, within_tolerance=True, worst_lre=9.0, message="centers: 1 against 2"),
    ]
    lists = list_cases([dataclasses.asdict(result) for result in results])
    first, second = lists["kmeans"]
    assert first[:3] == [known["id"], "centers=3, nstart=5; 12 x 3 given", known["seed"]]
    assert first[3:6] == ["equal", "differs", 6.2]
    assert first[6] == "x" * 87 + "..."
    assert second == ["kmeans-9999", "", 10999, "within tolerance", "", 9.0, "centers: 1 against 2"]


@pytest.mark.parametrize(
    ("args", "data", "text"),
    [
        ({"scale": True, "method": "average"}, None, 'scale=TRUE, method="average"'),
        ({"cl": [1, 1, 2, 2, 3, 3, 3]}, None, "cl=c(1, 1, 2, 2, 3, 3, ...)"),
        ({"m": {"matrix": [[1]]}}, {"dataset": "wine", "scaled": True}, "m=a matrix; wine, scaled"),
        ({}, {"draw": "normal", "n": 9, "p": 2, "steps": [["add", 5]]}, "9 x 2 normal, add"),
        ({"start": {"rows_of_x": [1, 2]}}, {"rows": [[1, 2]]}, "start=x[c(1, 2), ]; 1 x 2 given"),
    ],
)
def test_calls_are_shown_as_r_has_them(args: dict[str, Any], data: dict[str, Any] | None, text: str) -> None:
    assert describe_call({"args": args, "data": data}) == text


def test_lists_of_cases_are_in_the_page(failing: tuple[int, str, dict[str, Any]]) -> None:
    _, page, _ = failing
    start = page.index('id="case-lists">') + len('id="case-lists">')
    lists = json.loads(page[start : page.index("</script>", start)])
    assert [row[0] for row in lists["kmeans"]] == ["kmeans-001", "kmeans-002"]
    assert lists["kmeans"][1][3:] == ["differs", "", 6.2, "centers: 1.25 against 1.2500007"]


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
    names = [case["id"] for case in load_cases()["cases"] if case["function"] == "runif"][:2]
    options = ["--no-live-r", "--papers", "--cases", f"^({names[0]}|{names[1]})$"]
    assert main(["report", *options, "--output", str(folder)]) == 0
    assert "PASS: 2 of 2 parity cases exact" in capsys.readouterr().out
    numbers = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [case["id"] for case in numbers["cases"]] == names
    assert [data["name"] for data in numbers["real_data"]] == ["iris", "wine", "WDBC"]
    assert numbers["skipped"] == [{"cases": 2, "reason": "R left out on request"}]
    assert numbers["sections"] == []
    assert "<p>Left out on request.</p>" in (folder / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("missing", [(), ("zoo",), ("ecoli", "zoo")])
def test_data_sets_that_are_not_here_take_one_line(
    missing: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = {name: name not in missing for name in ("ecoli", "glass", "zoo")}
    facts = environment.describe_environment({})
    built = report.build_report([make_result(1)], (), [], facts, [make_section()], data_sets=here)
    _, page, numbers = write(tmp_path, built)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 + bool(missing)  # verdict, what it is about, place of the report
    assert numbers["data_sets"] == here
    if missing:
        assert len(lines[2]) < 140
        assert lines[2].startswith(f"{len(missing)} of the papers' 3 data sets")
        file, anchor = re.findall(r"\((docs/.*)#(.*)\)", lines[2])[0]
        assert f"\n## {anchor.capitalize()}\n" in (ROOT / file).read_text(encoding="utf-8")
    named = re.findall(r"data sets are not here: .*: (.*)\.</p>", page)
    assert named == [", ".join(missing)] * bool(missing)
