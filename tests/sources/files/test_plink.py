"""Genotypes of PLINK's ``.bed`` files: every bit of them, fits from them, and files that are damaged."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SKFR, EntropyWeightedPowerKMeans, KPod, PowerKMeans, SparseKMeans
from sparsek.sources.files.opening import as_reader
from sparsek.sources.files.plink import PANEL_BLOCKS, PlinkReader
from sparsek.sources.readers import load, set_block_bytes
from tests.sources.files.plink_files import read_plink, simulated, write_plink
from tests.sources.test_changed_files import before_second_pass, overwrite

READ = [SKFR, SparseKMeans, PowerKMeans, EntropyWeightedPowerKMeans]
TIGHT: dict[str, Any] = {"memory_limit": "40kB", "random_state": 0}
EXAMPLE = bytes.fromhex("6c1b01 dc0f e70f 6b01")
"""The example of the format's reference: six samples, three variants."""


def grouped(seed: int, n: int = 120, p: int = 30) -> np.ndarray:
    """Genotypes of three groups whose first six variants differ in frequency."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    frequency = np.full((n, p), 0.5)
    for k in range(3):
        frequency[group == k, 2 * k : 2 * k + 2] = 0.05
    return rng.binomial(2, frequency).astype(float)


def blocks(reader: PlinkReader, n_rows: int) -> np.ndarray:
    """All rows, read in blocks of so many."""
    reader.block_rows = n_rows
    found, at = np.full(reader.shape, -1.0), 0
    for start, rows in reader.blocks():
        assert start == at
        assert rows.flags.c_contiguous
        assert len(rows) <= n_rows
        found[start : start + len(rows)] = rows
        at += len(rows)
    assert at == reader.shape[0]
    return found


def test_the_example_of_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "example.bed"
    path.write_bytes(EXAMPLE)
    path.with_suffix(".bim").write_text("1 snp1 0 1 G A\n1 snp2 0 2 1 2\n1 snp3 0 3 A C\n")
    path.with_suffix(".fam").write_text("".join(f"{line} 0 0 1 0\n" for line in ("1 1", "1 2", "1 3")) * 2)
    pairs = [
        ("GG", "22", "CC"),
        ("AA", "00", "AC"),
        ("00", "12", "AC"),
        ("AA", "22", "00"),
        ("AA", "22", "00"),
        ("AA", "22", "AA"),
    ]
    copies = [
        [np.nan if pair == "00" else pair.count(first) for pair, first in zip(row, "G1A", strict=True)]
        for row in pairs
    ]
    table = load(PlinkReader(path))
    assert np.array_equal(table.to_numpy(), copies, equal_nan=True)
    assert list(table.columns) == ["snp1", "snp2", "snp3"]


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 40),
    p=st.integers(1, 9),
    seed=st.integers(0, 999),
    block=st.integers(1, 45),
    data=st.data(),
)
def test_any_block_and_any_rows(
    n: int, p: int, seed: int, block: int, data: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    X = simulated(seed, n, p, missing=0.2)
    path = write_plink(tmp_path_factory.mktemp("plink"), X)
    assert np.array_equal(read_plink(path, n, p), X, equal_nan=True)
    reader = PlinkReader(path)
    assert reader.shape == (n, p)
    assert np.array_equal(blocks(reader, block), X, equal_nan=True)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))), dtype=np.intp)
    assert np.array_equal(reader.take(rows), X[rows], equal_nan=True)


@pytest.mark.parametrize("gap", [-1, 8_192])
def test_several_panels_and_parts_of_variants(
    gap: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsek.sources.files.flat.GAP_BYTES", gap)
    monkeypatch.setattr("sparsek.sources.files.flat.COLUMNS_BYTES", 40)
    X = simulated(0, PANEL_BLOCKS * 3 + 7, 23, missing=0.1)
    reader = PlinkReader(write_plink(tmp_path, X))
    for block in (1, 3, 4, 7, 1000):
        assert np.array_equal(blocks(reader, block), X, equal_nan=True)
    assert np.array_equal(reader.take(np.array([1, 50, 99])), X[[1, 50, 99]], equal_nan=True)


@pytest.mark.parametrize("estimator", READ)
def test_a_fit_to_the_file_is_that_to_the_array(estimator: Any, tmp_path: Path) -> None:
    X = grouped(0)
    path = write_plink(tmp_path, X)
    whole = estimator(3, random_state=0, n_init=2).fit(X)
    for limit in (None, "40kB"):
        model = estimator(3, memory_limit=limit, random_state=0, n_init=2).fit(str(path))
        assert np.array_equal(model.feature_names_in_, [f"rs{j}" for j in range(30)])
        assert np.array_equal(model.predict(path), model.labels_)
        if limit is None:
            assert np.array_equal(model.labels_, whole.labels_)
            assert np.array_equal(model.cluster_centers_, whole.cluster_centers_)


def test_given_starts_give_the_same_bits_by_blocks(tmp_path: Path) -> None:
    X = grouped(1, n=600)
    path, start = write_plink(tmp_path, X), np.arange(600) % 3
    whole = SKFR(3, 6, init=start, standardize=True).fit(X)
    by_blocks = SKFR(3, 6, init=start, memory_limit="60kB", standardize=True).fit(path)
    assert np.array_equal(by_blocks.labels_, whole.labels_)
    assert np.array_equal(by_blocks.cluster_centers_, whole.cluster_centers_)
    assert np.array_equal(by_blocks.feature_weights_, whole.feature_weights_)


def test_missing_genotypes(tmp_path: Path) -> None:
    X = np.where(np.random.default_rng(0).random((120, 30)) < 0.05, np.nan, grouped(0))
    path = write_plink(tmp_path, X)
    for model in (KPod(3, random_state=0), SKFR(3, 6, random_state=0, standardize=True)):
        assert np.array_equal(model.fit(path).labels_, model.fit(X).labels_)
    for limit in (None, "40kB"):
        with pytest.raises(ValueError, match=r"NaN|missing"):
            SparseKMeans(3, memory_limit=limit, standardize=False).fit(path)


def test_names_and_ids(tmp_path: Path) -> None:
    path = write_plink(tmp_path, np.zeros((2, 3)))
    path.with_suffix(".bim").write_text("X . 0 7 A G\n1 rs2 0 8 A G\n1 . 0 9 A CT\n")
    path.with_suffix(".fam").write_text("F1 S 0 0 0 -9\nF2 S 0 0 0 -9\n")
    reader = PlinkReader(path)
    assert reader.names == ["X:7:A:G", "rs2", "1:9:A:CT"]
    assert reader.ids == ["F1_S", "F2_S"]
    path.with_suffix(".fam").write_text("F S1 0 0 0 -9\nF S2 0 0 0 -9\n")
    assert PlinkReader(path).ids == ["S1", "S2"]
    path.with_suffix(".bim").write_text("1 rs1 0 7 A G\n1 rs2 0 8 A G\n1 rs1 0 9 A CT\n")
    with pytest.raises(ValueError, match=r"line 3 of .*study\.bim repeats the variant 'rs1'; rename"):
        SKFR(2, standardize=True).fit(path)


def test_capitals_and_links(tmp_path: Path) -> None:
    X = simulated(0, 9, 4)
    path = write_plink(tmp_path, X)
    for suffix in (".bed", ".bim", ".fam"):
        path.with_suffix(suffix).rename(tmp_path / f"STUDY{suffix.upper()}")
    assert np.array_equal(load(PlinkReader(tmp_path / "STUDY.BED")).to_numpy(), X)
    (tmp_path / "link.bed").symlink_to(tmp_path / "STUDY.BED")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*link\.fam, which names the samples"):
        as_reader(tmp_path / "link.bed")
    (tmp_path / "link.fam").symlink_to(tmp_path / "STUDY.FAM")
    (tmp_path / "link.bim").symlink_to(tmp_path / "STUDY.BIM")
    assert np.array_equal(load(PlinkReader(tmp_path / "link.bed")).to_numpy(), X)
    (tmp_path / "loop.bed").symlink_to(tmp_path / "loop.bed")
    with pytest.raises((FileNotFoundError, OSError, RuntimeError)):
        as_reader(tmp_path / "loop.bed")


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("bit", range(8))
def test_every_bit_of_the_header(at: int, bit: int, tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 9, 4))
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)
    text = r"is no \.bed file of PLINK: it begins with" if at < 2 else "lie by samples|in an unknown order"
    with pytest.raises(ValueError, match=text):
        SKFR(2, standardize=True).fit(path)


def test_every_length(tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 9, 4))
    content = path.read_bytes()
    for length in [*range(len(content)), len(content) + 1, 2 * len(content)]:
        path.write_bytes((content + content)[:length])
        with pytest.raises(ValueError, match=r"no \.bed file|and must have 15|more than the|format of PLINK"):
            SKFR(2, standardize=True).fit(path)


@pytest.mark.parametrize("suffix", [".bim", ".fam"])
def test_every_length_of_the_texts(suffix: str, tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 9, 4))
    file = path.with_suffix(suffix)
    content = file.read_bytes()
    refused = 0
    for length in range(len(content) - 1):
        file.write_bytes(content[:length])
        try:
            PlinkReader(path)
        except ValueError as error:
            refused += suffix in str(error)
    last = content.rstrip().split()[-1]  # a number that is cut off within the last field cannot be seen
    assert refused >= len(content) - 1 - len(last)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "has no lines; copy it again"),
        (b"F S 0 0 0\n", "line 1 has 5 fields in place of 6"),
        (b"F S 0 0 0 -9\n\n", "line 2 has 0 fields"),
        (b"F S 0 0 0 -9 1\n", "line 1 has 7 fields"),
        (b"F \xff 0 0 0 -9\n", "codec can't decode"),
        (b"\0" * 3_000_000, "line 1 has 1 fields"),
        (b"F S 0 0 0 -9\n" * 100, "more than the 12 lines|more than the 48 lines"),
    ],
)
@pytest.mark.parametrize("suffix", [".bim", ".fam"])
def test_texts_of_another_form(suffix: str, content: bytes, text: str, tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 9, 4))
    path.with_suffix(suffix).write_bytes(content)
    with pytest.raises(ValueError, match=text):
        SKFR(2, standardize=True).fit(path)


def test_a_table_of_intervals(tmp_path: Path) -> None:
    (tmp_path / "genes.bed").write_text("chr1\t100\t200\n")
    for suffix in (".bim", ".fam"):
        (tmp_path / f"genes{suffix}").write_text("1 a 0 0 0 0\n")
    with pytest.raises(ValueError, match="genomic intervals are tables"):
        SKFR(2, standardize=True).fit(tmp_path / "genes.bed")


@pytest.mark.parametrize("suffix", [".bed", ".bim", ".fam"])
def test_files_that_change(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_plink(tmp_path, grouped(0))
    file = path.with_suffix(suffix)
    before_second_pass(monkeypatch, lambda: overwrite(file, file.stat().st_size // 2, b"1"))
    with pytest.raises(OSError, match=rf"{file.name} was changed while it was read"):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(path)


def test_memory(tmp_path: Path) -> None:
    n, p = 4000, 400
    path = write_plink(tmp_path, np.zeros((4, 1)))
    rng = np.random.default_rng(0)
    path.write_bytes(b"\x6c\x1b\x01" + rng.integers(0, 256, n * p // 4, dtype=np.uint8).tobytes())
    path.with_suffix(".bim").write_text("".join(f"1 rs{j} 0 {j} A G\n" for j in range(p)))
    path.with_suffix(".fam").write_text("".join(f"F S{i} 0 0 0 -9\n" for i in range(n)))
    reader = PlinkReader(path)
    set_block_bytes(reader, 200_000)
    tracemalloc.start()
    for _ in reader.blocks():
        pass
    reader.take(np.arange(0, n, 100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_500_000  # the numbers take 12.8 MB; a part of the variants 2 MB
