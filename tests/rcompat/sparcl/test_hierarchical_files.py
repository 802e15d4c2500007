"""The files of the wrapper (with the texts that R wrote), reading of GCT files, and drawings."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sparsek.errors import RError
from sparsek.rcompat import ColorDendrogram, HierarchicalSparseCluster, HierarchicalSparseCluster_wrapper
from sparsek.rcompat.sparcl.api_wrapper import read_number
from sparsek.rcompat.sparcl.tree_files import as_character, write_files
from sparsek.rng import RRandom
from tests.rcompat.sparcl.test_hierarchical import X, cluster

GCT = """\
#1.2
9	7
Name	Description	S 1	S 2	S 3	S 4	S 5	S 6	S 7
gene1	desc 1	3.03807	3.70747	4.25879	-1.15213	0.195783	0.0301239	0.0854177
gene2	desc 2	5.11661	2.78114	5.26737	-0.744782	-1.13122	-0.716358	0.252652
gene3	desc 3	4.15205	3.69234	3.04698	-0.648243	1.22431	0.199812	-0.578484
gene4	desc 4	3.0577	3.79627	2.33353	-0.484455	-0.741073	1.16062	1.01207
gene5	desc 5	-0.0720785	-1.13678	0.900625	0.85177	0.727715	0.736502	-0.35213
gene6	desc 6	0.705516	1.30036	0.038252	-0.979284	0.793761	0.786507	-0.310463
gene7	desc 7	1.69888	-0.794594	0.348438	-2.2654	-0.162205	1.13086	-0.455546
gene8	desc 8	-0.899166	0.726839	-0.809441	0.267085	-1.73726	-1.41143	-0.453551
gene9	desc 9	-1.03549	1.36214	0.917457	-0.785142	0.573518	0.918196	0.256287
"""
TUNED = {
    "out": """\
Results of running permutations to choose optimal wbound:
	Wbound	# Non-Zero W's	Gap Statistic	Standard Deviation
1	1.1	2	0.0137	0.0166
2	1.2111	2	0.0181	0.0148
3	1.3222	2	0.0213	0.0124
4	1.4333	3	0.0216	0.0081
5	1.5444	3	0.0252	0.0091
6	1.6556	4	0.0279	0.0101
7	1.7667	4	0.0298	0.0108
8	1.8778	4	0.0305	0.0111
9	1.9889	5	0.0277	0.011
10	2.1	7	0.0237	0.0107
Tuning parameter that leads to largest Gap statistic:  1.877778

Results of running Sparse Clustering:
Wbound is  1.877778 :
Number of non-zero weights:  4
Sum of weights:  1.877781
""",
    "txt": """\
Gene Name		Gene Description		Weight
gene2		desc 2		0.63800452802011
gene5		desc 5		0.622738523065923
gene8		desc 8		0.394480883952832
gene7		desc 7		0.222557377571047
""",
    "atr": """\
NODE1X	ARRY1X	ARRY3X	0.984189574869754
NODE2X	ARRY5X	ARRY6X	0.984146417313197
NODE3X	ARRY2X	ARRY7X	0.975483848433545
NODE4X	NODE1X	NODE3X	0.959873365600347
NODE5X	NODE2X	NODE4X	0.913450777134928
NODE6X	ARRY4X	NODE5X	0.903709360101715
""",
    "cdt": """\
GID	UID	NAME	GWEIGHT	S 4	S 5	S 6	S 1	S 3	S 2	S 7
AID				ARRY4X	ARRY5X	ARRY6X	ARRY1X	ARRY3X	ARRY2X	ARRY7X
GENE1X	gene2	desc 2	1	-0.744782	-1.13122	-0.716358	5.11661	5.26737	2.78114	0.252652
GENE2X	gene5	desc 5	1	0.85177	0.727715	0.736502	-0.0720785	0.900625	-1.13678	-0.35213
GENE3X	gene7	desc 7	1	-2.2654	-0.162205	1.13086	1.69888	0.348438	-0.794594	-0.455546
GENE4X	gene8	desc 8	1	0.267085	-1.73726	-1.41143	-0.899166	-0.809441	0.726839	-0.453551
""",
}
CLUSTERED = {
    "gtr": """\
NODE1X	GENE1X	GENE3X	0.168849578841034
NODE2X	GENE2X	NODE1X	-0.421411161042977
""",
    "cdt": """\
GID	UID	NAME	GWEIGHT	S 1	S 3	S 2	S 7	S 4	S 5	S 6
AID				ARRY1X	ARRY3X	ARRY2X	ARRY7X	ARRY4X	ARRY5X	ARRY6X
GENE2X	gene5	desc 5	1	-0.0720785	0.900625	-1.13678	-0.35213	0.85177	0.727715	0.736502
GENE1X	gene2	desc 2	1	5.11661	5.26737	2.78114	0.252652	-0.744782	-1.13122	-0.716358
GENE3X	gene8	desc 8	1	-0.899166	-0.809441	0.726839	-0.453551	0.267085	-1.73726	-1.41143
""",
}


@pytest.fixture
def gct(tmp_path):
    path = tmp_path / "toy.x.gct"
    path.write_text(GCT)
    return path


def written(path: Path, ending: str) -> str:
    return path.with_suffix(f".{ending}").read_bytes().decode()


# --- the wrapper ------------------------------------------------------------------------------------------


def test_files_of_a_tuned_clustering(gct):
    fit = HierarchicalSparseCluster_wrapper(gct, rng=RRandom(1))
    assert list(fit) == ["perm.out", "out", "x"]
    assert fit.x.shape == (7, 9)
    assert list(fit.out)[-2:] == ["genenames", "genedesc"]
    assert {ending: written(gct, ending) for ending in TUNED} == TUNED
    assert len(list(gct.parent.iterdir())) == 5


def test_files_with_clustered_genes(gct):
    prefix = gct.with_name("pre")
    fit = HierarchicalSparseCluster_wrapper(
        gct, wbound=1.6, cluster_features=True, outputfile_prefix=str(prefix), rng=RRandom(1)
    )
    assert list(fit) == ["out", "x"]
    assert {ending: written(prefix, ending) for ending in CLUSTERED} == CLUSTERED
    assert written(prefix, "out").startswith("Results of running Sparse Clustering:\nWbound is  1.6 :\n")


def test_summary_and_weights_are_always_written(gct):
    HierarchicalSparseCluster_wrapper(gct, wbound=1.6, output_cluster_files=False, rng=RRandom(1))
    found = {path.name for path in gct.parent.iterdir()}
    assert found == {"toy.x.gct", "toy.x.out", "toy.x.txt"}


@pytest.mark.parametrize("between", [" ", "   ", "\t\t", " \t "])
def test_spaces_between_the_dimensions(gct, between):
    lines = gct.read_text().split("\n")
    wanted = HierarchicalSparseCluster_wrapper(gct, wbound=1.6, rng=RRandom(1))
    lines[1] = f" {between.join(lines[1].split())} "
    gct.write_text("\n".join(lines))
    assert str(HierarchicalSparseCluster_wrapper(gct, wbound=1.6, rng=RRandom(1))) == str(wanted)


@pytest.mark.parametrize("dimensions", ["9", "9 7 1", ""])
def test_other_numbers_of_dimensions(gct, dimensions):
    lines = gct.read_text().split("\n")
    lines[1] = dimensions
    gct.write_text("\n".join(lines))
    with pytest.raises(RError, match="the condition has length > 1"):
        HierarchicalSparseCluster_wrapper(gct, wbound=1.6, rng=RRandom(1))


def test_genes_of_largest_variance(gct):
    gct.write_text(GCT.replace("4.15205", "NA"))
    fit = HierarchicalSparseCluster_wrapper(gct, wbound=1.5, maxnumgenes=4, rng=RRandom(1))
    assert fit.out.genenames == ["gene2", "gene1", "gene4", "gene7"]  # gene3 would be the second name
    everything = HierarchicalSparseCluster_wrapper(gct, wbound=1.5, maxnumgenes=None, rng=RRandom(1))
    assert everything.x.shape == (7, 9)


def test_nothing_is_half_written(gct, monkeypatch):
    gct.with_suffix(".txt").write_text("old")
    with pytest.raises(FileNotFoundError):
        HierarchicalSparseCluster_wrapper(
            gct, wbound=1.6, outputfile_prefix="no/such/folder/x", rng=RRandom(1)
        )

    def full(self, *args, **options):
        if ".atr." in self.name:
            raise OSError("no space left on device")
        return original(self, *args, **options)

    original = Path.write_text
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space left"):
        HierarchicalSparseCluster_wrapper(gct, wbound=1.6, rng=RRandom(1))
    assert sorted(path.name for path in gct.parent.iterdir()) == ["toy.x.gct", "toy.x.txt"]
    assert gct.with_suffix(".txt").read_text() == "old"


def test_input_without_an_ending(gct):
    plain = gct.rename(gct.with_name("plain"))
    HierarchicalSparseCluster_wrapper(plain, wbound=1.6, rng=RRandom(1))
    names = ["plain", *(f"plain.{ending}" for ending in ("atr", "cdt", "out", "txt"))]
    assert sorted(path.name for path in gct.parent.iterdir()) == names


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("9\t7", "9\t6", "Number of sample names 7 not equal to the number of columns 6 ."),
        ("\t-0.310463", "", "line 6 did not have 9 elements"),
        ("1.36214", "abc", "scan() expected 'a real', got 'abc'"),
    ],
)
def test_errors_of_r_in_the_file(gct, old, new, message):
    gct.write_text(GCT.replace(old, new))
    rng = RRandom(1)
    with pytest.raises(RError) as caught:
        HierarchicalSparseCluster_wrapper(gct, rng=rng)
    assert caught.value.r_message == message
    assert np.array_equal(rng.random_seed, RRandom(1).random_seed)


def test_bad_file(gct):
    gct.write_text("#1.2\n9\t7\n")
    with pytest.raises(ValueError, match="is not a GCT file"):
        HierarchicalSparseCluster_wrapper(gct)
    with pytest.raises(FileNotFoundError):
        HierarchicalSparseCluster_wrapper(gct.with_name("none.gct"))
    gct.write_text(GCT)
    with pytest.raises(ValueError, match="maxnumgenes must be at least 1"):
        HierarchicalSparseCluster_wrapper(gct, maxnumgenes=0)
    with pytest.raises(MemoryError, match="raise memory_limit"):
        HierarchicalSparseCluster_wrapper(gct, memory_limit=100)


def test_files_of_a_clustering_without_names(tmp_path):
    prefix = tmp_path / "output"
    cluster(
        X, output_cluster_files=True, outputfile_prefix=str(prefix), genedesc=[1, 2.5, "c", "d", "e", "f"]
    )
    lines = written(prefix, "cdt").splitlines()
    assert lines[0].split("\t")[4:] == [f"Sample {i}" for i in (4, 5, 6, 1, 2, 3)]
    assert [line.split("\t")[1:4] for line in lines[2:4]] == [["Gene 1", "1", "1"], ["Gene 2", "2.5", "1"]]
    assert not prefix.with_suffix(".gtr").exists()


@pytest.mark.parametrize(
    "text", ["0", "-0.0", "1e5", " 2.5 ", "-1.25E-3", ".5", "3.", "123456789012345678901234567890"]
)
def test_numbers_are_read(text):
    assert read_number(text) == float(text)


def test_missing_and_infinite_cells_are_read():
    assert all(math.isnan(read_number(text)) for text in ("", "NA", "NaN", " "))
    assert (read_number("Inf"), read_number("-Inf")) == (math.inf, -math.inf)
    assert read_number("1e-320") == 1e-320
    for text in ("x", "1e", ".", "--1", "1,5"):
        with pytest.raises(RError):
            read_number(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e5, "1e+05"), (123456, "123456"), (1e15, "1e+15"), (1e-4, "1e-04"), (0.1 + 0.2, "0.3"), (-0.0, "0"),
     (1 / 3, "0.333333333333333"), (123456789.123456789, "123456789.123457"), (math.nan, "NA"),
     (math.inf, "Inf"), (-math.inf, "-Inf"), (0.0001234, "0.0001234")],
)  # fmt: skip
def test_numbers_are_written_as_r_does(value, text):
    assert as_character(value) == text


def test_write_files_replaces(tmp_path):
    write_files({"a": ["1"], "b": []}, str(tmp_path / "x"))
    write_files({"a": ["2", "3"]}, str(tmp_path / "x"))
    assert (tmp_path / "x.a").read_bytes() == b"2\n3\n"
    assert (tmp_path / "x.b").read_bytes() == b""


# --- drawings ---------------------------------------------------------------------------------------------


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_plot_of_a_clustering(pyplot):
    fit = HierarchicalSparseCluster(X, wbound=1.6, rng=RRandom(1))
    left, right = fit.plot()
    assert (left.get_title(), right.get_title()) == ("Sparse Clustering", "Wbound is 1.6")
    assert len(left.lines) == 5
    assert right.lines[0].get_ydata().tolist() == fit.ws.ravel().tolist()
    # As in R: objects 2 and 3 are at positions 5 and 6, their leaves a tenth of the range below their merge.
    first = left.lines[0]
    foot = fit.hc.height[0] - 0.1 * np.ptp(fit.hc.height)
    assert first.get_xdata().tolist() == [5, 5, 6, 6]
    np.testing.assert_allclose(
        first.get_ydata(), [foot, fit.hc.height[0], fit.hc.height[0], foot], rtol=1e-12
    )
    given_axes = pyplot.subplots(1, 2)[1]
    assert fit.plot(axes=tuple(given_axes)) == tuple(given_axes)


def test_colored_dendrogram(pyplot):
    tree = HierarchicalSparseCluster(X, wbound=1.6, rng=RRandom(1)).hc
    ax = ColorDendrogram(tree, y=[1, 1, 2, 2, 3, 8], main="M", branchlength=0.03, labels="abcdef", cex_main=2)
    (leaves,) = ax.collections
    segments = {int(x): (bottom, top) for (x, bottom), (_, top) in leaves.get_segments()}
    for object_, (x, merge) in {1: (4, 3), 4: (1, 2), 5: (2, 0)}.items():
        top = tree.height[merge]
        assert tree.order[x - 1] == object_
        np.testing.assert_allclose(segments[x], (top - 0.03, top), rtol=1e-12)
    colors = pyplot.matplotlib.colors.to_rgba_array(
        ["#DF536B"] * 2 + ["#61D04F"] * 2 + ["#2297E6", "#000000"]
    )
    assert leaves.get_colors().tolist() == colors.tolist()  # R's colours 2, 3, 4 and 9, which is 1 again
    assert ax.get_title() == "M"
    assert ax.get_xlabel() == 'hclust (*, "average")'
    assert [t.get_text() for t in ax.texts] == list("abcdef")
    named = ColorDendrogram(tree, y=["red"] * 6, sub="s", xlab="x", ax=pyplot.subplots()[1])
    assert named.get_xlabel() == "x\ns"


def test_colored_dendrogram_refuses():
    tree = HierarchicalSparseCluster(X, wbound=1.6, rng=RRandom(1)).hc
    with pytest.raises(RError, match="invalid dendrogram input"):
        ColorDendrogram(tree, y=[1, 2, 3])
    with pytest.raises(ValueError, match="whole numbers of at least 0"):
        ColorDendrogram(tree, y=[1, 1, 1, 1, 1, -1])
    for labels in (["a"], np.array("a")):
        with pytest.raises(ValueError, match="labels must be None or 6 texts"):
            ColorDendrogram(tree, y=[1] * 6, labels=labels)


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sparsek\[plot\]"):
        cluster(X).plot()
