"""The calls of an R script and their twins."""

import re
from inspect import isfunction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.port.hints import as_text, find_hints, find_packages
from sparsek.port.tokens import TextError
from sparsek.port.ways import GUIDE, PAGES, PLAIN, WAYS
from tests.cli.cli_runner import error_of, run
from tests.places import ROOT


@pytest.mark.parametrize(
    ("call", "python"),
    [
        ("set.seed(42)", "rcompat.set_seed(42)"),
        ("stats::rnorm(n = 3L, mean = -1)", "rcompat.rnorm(n=3, mean=-1)"),
        ("KMeansSparseCluster(x, K=3, wbounds=c(1.2, 2), silent=TRUE)",
         "rcompat.KMeansSparseCluster(x, K=3, wbounds=[1.2, 2], silent=True)"),
        ("sparcl::KMeansSparseCluster.permute(x, K = 2)", "rcompat.KMeansSparseCluster_permute(x, K=2)"),
        ("kmeans(my.data, 3, iter = 20, nst = 5)", "rcompat.kmeans(my_data, 3, iter_max=20, nstart=5)"),
        ("wskm::ewkm(x, 3, lambda = .5)", "rcompat.ewkm(x, 3, lambda_=.5)"),
        ("kmeans(x[, 1:4], c(2, f(y)))", "rcompat.kmeans(<x[, 1:4]>, <c(2, f(y))>)"),
        ("kmeans(x, 'a\\\\n', NA)", "rcompat.kmeans(x, <'a\\\\n'>, <NA>)"),
        ("hclust(dist(x), 'average')", "rcompat.hclust(rcompat.dist(x), 'average')"),
        ("hclust(dist(x)^2)", "rcompat.hclust(<dist(x)^2>)"),
        ("kmeans(x, NULL, trace = 0, a.b = 1:2)", "rcompat.kmeans(x, None, trace=0, <a.b=<1:2>>)"),
        ("sample(c(1, -2, 'a'))", "rcompat.sample([1, -2, 'a'])"),
        ("kpod(if (a) b else d, 3)", "rcompat.kpod(<if (a) b else d>, 3)"),
        ("table(a, b)", "rcompat.table(a, b)"),
        ("table(x, truth = y)", "rcompat.table(x, y, dnn=['', 'truth'])"),
        ("cut(tree, h = 2)", "rcompat.cut(tree, h=2)"),
        ("str(x)", "rcompat.str(x)"),
        ("kmeans(`a b`, 012, x\u00b2)", "rcompat.kmeans(<`a b`>, 12, <x\u00b2>)"),
        ("sample(..1, 00L)", "rcompat.sample(<..1>, 0)"),
        ("table(`a b` = `class`)", "rcompat.table(class_, dnn=['a b'])"),
        ("kmeans(centers = 3, x)", "rcompat.kmeans(x, centers=3)"),
        ("kmeans(x = d, 3, nstart = 2)", "rcompat.kmeans(x=d, nstart=2, centers=3)"),
        ("kmeans(x, 3, x = 1, x = 2)", "rcompat.kmeans(x=1, centers=x, iter_max=3, <x=2>)"),
        ("clues::adjustedRand(fit$cluster, y)", "rcompat.adjustedRand(<fit$cluster>, y)"),
    ],
)  # fmt: skip
def test_calls_with_a_twin(call: str, python: str) -> None:
    hint = find_hints(f"# a comment\nz <- {call}")[0]
    if "trace" in call and "no argument trace" in hint.remark:
        python = python.replace("trace=0", "<trace=0>")  # until kmeans has it
    assert (hint.line, hint.python) == (2, python)
    assert hint.call == call


def test_arguments_that_our_function_lacks() -> None:
    assert find_hints("kmeans(x, 3, nonsense = 1)")[0].remark == "no argument nonsense"
    assert find_hints("set.seed(1, 2, 3, 4, 5)")[0].remark == "takes 4 arguments"


def test_what_is_piped_is_the_first_argument() -> None:
    assert find_hints("x |> kmeans(3)")[0].python == "rcompat.kmeans(<what is piped>, 3)"


def test_what_is_not_a_call_of_a_function_here() -> None:
    text = """
    mine <- function(a) if (a) sample(3) else (2)
    mine(1); other = \\(z) z; other(2)
    fit$sample(2); while (TRUE) break
    for (i in 1:3) { "kmeans(3)" } # kmeans(x)
    return(2)
    """
    assert [hint.call for hint in find_hints(text)] == ["sample(3)"]


def test_functions_of_other_packages_are_not_ours() -> None:
    (hint,) = find_hints("dplyr::sample(3)")
    assert (hint.name, hint.python, hint.remark) == ("dplyr::sample", None, "")


def test_classes_and_helpers_are_no_functions_of_r() -> None:
    assert [hint.python for hint in find_hints("RList(3); packages.of(2)")] == [None, None]


def test_the_list_of_what_is_lacking() -> None:
    text = as_text(find_hints("x <- nonsense(1)\ny <- nonsense(2); predict(x, y)\nz <- runif(3)"))
    assert text.splitlines() == [
        "line 3    runif(3)",
        "          rcompat.runif(3)",
        "not in sparsek.rcompat:",
        "  nonsense (line 1, 2)",
        "  predict (line 2; of a similar name: predict_ewkm)",
    ]
    assert as_text(find_hints("x <- 3")) == "the script calls no function"


def test_words_of_every_script_need_no_hint() -> None:
    text = "library(sparcl)\nx <- list(c(1, 2), nrow(y)); names(x); points(x); cat(paste0('a', length(x)))"
    assert find_hints(text) == []


def test_the_nearest_way_in_python() -> None:
    text = as_text(find_hints("a <- sapply(x, f)\nb <- which.max(a)"))
    assert text.splitlines()[1:] == [
        "  sapply (line 1; in Python: [f(v) for v in x])",
        "  which.max (line 2; in Python: numpy.argmax(x) + 1)",
    ]
    text = as_text(find_hints("fpc::plotcluster(x, g)\nplot(hc)\nheatmap(x)\nfviz_nbclust(x, kmeans)"))
    assert "rcompat.heatmap(x)" in text
    assert "fpc::plotcluster (line 1; in Python: sparsek.plots.plot_clusters(labels, x, plane=" in text
    assert "plot (line 2; in Python: sparsek.plots.plot_dendrogram(tree)" in text
    assert "fviz_nbclust (line 4; in Python: sparsek.plots.plot_elbow(fit, x, criterion=" in text
    twins = {name.replace("_", ".") for name in dir(rcompat)} | set(dir(rcompat))
    assert not twins & (PLAIN | set(WAYS))


def test_a_way_in_python_comes_before_functions_of_a_similar_name() -> None:
    text = as_text(find_hints("o <- order(w, decreasing = TRUE)\nm <- merge(a, b)\nload('a.RData')"))
    assert text.splitlines()[1:] == [
        "  order (line 1; in Python: numpy.argsort(x, kind='stable') + 1, of -x if decreasing; without kind "
        "ties may turn over; of a similar name: order_dendrogram)",
        "  merge (line 2; in Python: pandas.merge(a, b, on='id'); R sorts the rows by the key: sort=True; "
        "of a similar name: merge_selective_inference)",
        "  load (line 3; in Python: rdata.read_rda(file), or save as csv in R, then pandas.read_csv)",
    ]


def test_packages_have_their_place_on_the_page_about_r() -> None:
    text = "library(sparcl); require('RSKC'); dplyr::mutate(x)\nlibrary(nonsense, quietly = TRUE)"
    assert find_packages(text) == ["sparcl", "RSKC", "dplyr", "nonsense"]
    assert as_text([], find_packages(text)).splitlines()[1:] == [
        "packages:",
        "  sparcl         docs/migrating-from-r.md#sparcl",
        "  RSKC           docs/migrating-from-r.md#rskc-and-clues",
        "  dplyr          no twin",
        "  nonsense       no twin",
    ]
    headings = re.findall("^## (.*)$", (ROOT / GUIDE).read_text(encoding="utf-8"), flags=re.MULTILINE)
    anchors = {re.sub("[^a-z0-9-]", "", heading.lower().replace(" ", "-")) for heading in headings}
    assert set(PAGES.values()) <= anchors
    assert {package for name in dir(rcompat) for package in rcompat.packages_of(name)} <= set(PAGES)


@pytest.mark.parametrize("name", [name for name in dir(rcompat) if isfunction(getattr(rcompat, name))])
def test_every_function_is_found_by_its_r_name(name: str) -> None:
    r_name = name.replace("_", ".")
    assert find_hints(f"{r_name}()")[0].python == f"rcompat.{name}()"
    for package in rcompat.packages_of(name):
        assert find_hints(f"{package}::{r_name}()")[0].python == f"rcompat.{name}()"


def test_the_command_runs_nothing(tmp_path: Path) -> None:
    script = tmp_path / "a.R"
    script.write_text("file.create('made')\nset.seed(1)\n", encoding="utf-8")
    lines = run("port", "--hints", script).stdout.splitlines()
    assert lines[:2] == ["line 2    set.seed(1)", "          rcompat.set_seed(1)"]
    assert not (tmp_path / "made").exists()
    script.write_text("x <- 'a\n", encoding="utf-8")
    assert "a.R: line 1: cannot read" in error_of("port", "--hints", script)


@given(st.text("kmeans(cx3,=:+'\"`;#\n.[]{}<-|>\\ )", max_size=50))
def test_any_text_has_hints_or_is_refused(text: str) -> None:
    try:
        as_text(find_hints(text))
    except TextError:
        return
