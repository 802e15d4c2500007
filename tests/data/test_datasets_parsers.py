"""Parsers of the origins' formats, on small files made here in those formats."""

import bz2
import gzip
import lzma
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from sparsek.datasets._content import Content
from sparsek.datasets._parsers import PARSERS
from sparsek.datasets._rdata import read_rdata
from sparsek.datasets._registry import load_registry

REGISTRY = load_registry()
Part = Callable[[], bytes]


def parse(name: str, folder: Path, *texts: str | bytes) -> Content:
    """Result of the parser of a data set on files with these texts."""
    entry = REGISTRY[name]
    paths = [folder / f"{number}-{file}" for number, file in enumerate(entry.origin_files)]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return PARSERS[entry.parser](paths, entry)


def label(content: Content) -> list[str]:
    """Class names of the rows."""
    return [content.classes[code] for code in content.target]


def test_newthyroid(tmp_path: Path) -> None:
    content = parse(
        "newthyroid", tmp_path, "1,107,10.1,2.2,0.9,2.7\n3,113,9.9,3.1,2.0,5.9\n2,127,12.9,2.4,1.4,0.6\n"
    )
    assert label(content) == ["normal", "hypo", "hyper"]
    assert content.classes == ("hyper", "hypo", "normal")
    assert content.data[1].tolist() == [113, 9.9, 3.1, 2, 5.9]
    assert content.features == ("t3_resin", "thyroxin", "t3", "tsh", "diff_tsh")


def test_zoo(tmp_path: Path) -> None:
    rows = "aardvark,1,0,0,1,0,0,1,1,1,1,0,0,4,0,0,1,1\nclam,0,0,1,0,0,0,1,0,0,0,0,0,0,0,0,0,7\n"
    content = parse("zoo", tmp_path, rows)
    assert label(content) == ["mammal", "mollusc.et.al"]
    assert content.data[0].tolist() == [1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 4, 0, 0, 1]
    assert content.features[12] == "legs"


def test_libras(tmp_path: Path) -> None:
    values = np.round(np.random.default_rng(0).random((3, 90)), 5)
    rows = [",".join(map(str, [*row, cls])) for row, cls in zip(values.tolist(), (10, 2, 1), strict=True)]
    content = parse("libras", tmp_path, "\r\n".join(rows))
    np.testing.assert_array_equal(content.data, values)
    assert content.classes == ("1", "2", "10")  # sorted by value, not as text
    assert content.target.tolist() == [2, 1, 0]
    assert content.features[:3] == ("x1", "y1", "x2")
    assert content.features[-1] == "y45"


def test_ecoli(tmp_path: Path) -> None:
    rows = (
        "AAT_ECOLI   0.49  0.29  0.48  0.50  0.56  0.24  0.35   cp\n"
        "ACEA_ECOLI  0.07  0.40  0.48  0.50  0.54  0.35  0.44  imS\n"
    )
    content = parse("ecoli", tmp_path, rows)
    assert content.data[1].tolist() == [0.07, 0.40, 0.48, 0.50, 0.54, 0.35, 0.44]
    assert label(content) == ["cp", "imS"]


def test_wall_robot4(tmp_path: Path) -> None:
    content = parse(
        "wall_robot4", tmp_path, "1.687,0.445,2.332,0.429,Slight-Right-Turn\n1,2,3,4,Move-Forward\n"
    )
    assert content.data.tolist() == [[1.687, 0.445, 2.332, 0.429], [1, 2, 3, 4]]
    assert label(content) == ["Slight-Right-Turn", "Move-Forward"]


def test_mice_protein(tmp_path: Path) -> None:
    text = (
        "\ufeffMouseID,A_N,B_N,Genotype,Treatment,Behavior,class\n"
        "309_1,0.5,,Control,Memantine,C/S,c-CS-m\n"
        "310_2,,2.8,Ts65Dn,Saline,S/C,t-SC-s\n"
    )
    content = parse("mice_protein", tmp_path, text)
    np.testing.assert_array_equal(content.data, [[0.5, np.nan], [np.nan, 2.8]])
    assert content.features == ("A_N", "B_N")
    assert content.extra["MouseID"] == ("309_1", "310_2")
    assert content.extra["Behavior"] == ("C/S", "S/C")
    assert label(content) == ["c-CS-m", "t-SC-s"]


def test_glass(tmp_path: Path) -> None:
    rows = (
        "1,1.52101,13.64,4.49,1.10,71.78,0.06,8.75,0.00,0.00,1\n"
        "214,1.51711,14.23,0.00,2.08,73.36,0.00,8.62,1.67,0.00,7\n"
    )
    content = parse("glass", tmp_path, rows)
    assert content.data[1].tolist() == [1.51711, 14.23, 0, 2.08, 73.36, 0, 8.62, 1.67, 0]
    assert label(content) == ["1", "7"]


def test_breast_cancer_wisconsin(tmp_path: Path) -> None:
    content = parse(
        "breast_cancer_wisconsin", tmp_path, "1000025,5,1,1,1,2,1,3,1,1,2\n1057013,8,4,5,1,2,?,7,3,1,4\n"
    )
    np.testing.assert_array_equal(content.data[1], [8, 4, 5, 1, 2, np.nan, 7, 3, 1])
    assert label(content) == ["benign", "malignant"]


def test_vehicle_joins_nine_files(tmp_path: Path) -> None:
    rows = [
        f"{number} 48 83 178 72 10 162 42 20 159 176 379 184 70 6 16 187 197 {cls} \r\n"
        for number, cls in enumerate(["van", "bus", "saab"] * 3)
    ]
    content = parse("vehicle", tmp_path, *rows)
    assert content.data[:, 0].tolist() == list(range(9))
    assert content.data[0, 1:].tolist() == [
        48,
        83,
        178,
        72,
        10,
        162,
        42,
        20,
        159,
        176,
        379,
        184,
        70,
        6,
        16,
        187,
        197,
    ]
    assert label(content) == ["van", "bus", "saab"] * 3


def test_synthetic_control_has_classes_in_blocks(tmp_path: Path) -> None:
    values = np.round(30 + np.random.default_rng(0).standard_normal((12, 60)), 4)
    content = parse(
        "synthetic_control", tmp_path, "\n".join("  ".join(f"{v:.4f}" for v in row) + " " for row in values)
    )
    np.testing.assert_array_equal(content.data, values)
    assert label(content)[:4] == ["normal", "normal", "cyclic", "cyclic"]
    assert label(content)[-1] == "downward_shift"


def test_scikit_feature_matlab_file(tmp_path: Path) -> None:
    X = np.arange(8, dtype=np.uint8).reshape(4, 2)
    savemat(tmp_path / "0-BASEHOCK.mat", {"X": X, "Y": np.array([[1], [2], [2], [1]], dtype=np.uint8)})
    content = PARSERS["matlab"]([tmp_path / "0-BASEHOCK.mat"], REGISTRY["basehock"])
    np.testing.assert_array_equal(content.data, X)
    assert content.target.tolist() == [0, 1, 1, 0]
    assert content.classes == ("rec.sport.baseball", "rec.sport.hockey")
    assert content.features == ("word1", "word2")


def test_replicates_in_matlab_files(tmp_path: Path) -> None:
    X = np.random.default_rng(0).random((2, 5, 4))
    y = np.array([[1, 2, 3, 3, 1], [3, 2, 1, 1, 1]])
    paths = [tmp_path / f"data{r}.mat" for r in range(2)]
    for path, data, target in zip(paths, X, y, strict=True):
        savemat(path, {"x": data, "x_labs": target[:, None], "constr": np.zeros((3, 2))})
    content = PARSERS["matlab"](paths, REGISTRY["digits048"])
    np.testing.assert_array_equal(content.data, X)
    np.testing.assert_array_equal(content.target, y - 1)
    assert content.features == ("x1", "y1", "x2", "y2")


def test_matrix_of_features_by_samples(tmp_path: Path) -> None:
    content = parse("lymphoma", tmp_path, "-0.3779942 1e-3 7\n2 3 4\n", "0\n2\n1\n")
    assert content.data.tolist() == [[-0.3779942, 2], [1e-3, 3], [7, 4]]
    assert content.data.flags.c_contiguous
    assert content.classes == ("DLBCL", "FL", "CLL")
    assert label(content) == ["DLBCL", "CLL", "FL"]
    assert content.features == ("gene1", "gene2")


def test_labels_in_matlabs_notation(tmp_path: Path) -> None:
    assert label(parse("sucancer", tmp_path, "1 2\n", "   0.0000000e+00\t\n   1.0000000e+00\n")) == ["0", "1"]


def test_series_of_the_ucr_archive(tmp_path: Path) -> None:
    X = np.random.default_rng(0).random((4, 3, 1))
    np.savez(tmp_path / "T.npz", X_train=X[:3], X_test=X[3:], y_train=[4, 1, 2], y_test=[3])
    content = PARSERS["series"]([tmp_path / "T.npz"], REGISTRY["trace"])
    np.testing.assert_array_equal(content.data, X[:, :, 0])
    assert label(content) == ["4", "1", "2", "3"]
    assert content.features == ("t1", "t2", "t3")


def test_h5ad(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        group = file.create_group("raw.X")
        group.attrs["h5sparse_shape"] = (3, 2)
        for name, values in (
            ("data", np.float32([1.5, 2, 3])),
            ("indices", [1, 0, 1]),
            ("indptr", [0, 1, 1, 3]),
        ):
            group[name] = values
        file["raw.var"] = np.array([(b"HES4",), (b"TNFRSF4",)], dtype=[("index", "S13")])
        file["obs"] = np.array([(1,), (0,), (1,)], dtype=[("bulk_labels", "i1")])
        file["uns/bulk_labels_categories"] = np.array([b"CD34+", b"Dendritic"])
    content = PARSERS["h5ad"]([tmp_path / "x.h5ad"], REGISTRY["pbmc68k_reduced"])
    assert content.data.tolist() == [[0, 1.5], [0, 0], [2, 3]]
    assert content.features == ("HES4", "TNFRSF4")
    assert label(content) == ["Dendritic", "CD34+", "Dendritic"]


class Writer:
    """Writes R objects in the format of R's save(), version 2, XDR; each method writes one part."""

    def __init__(self) -> None:
        self.symbols: list[str] = []

    def file(self, objects: dict[str, Part]) -> bytes:
        return b"RDX2\nX\n" + struct.pack(">iii", 2, 0x040202, 0x020300) + self.pairlist(objects)

    def pairlist(self, items: dict[str, Part]) -> bytes:
        parts = [struct.pack(">i", 2 | 1024) + self.symbol(name) + write() for name, write in items.items()]
        return b"".join(parts) + struct.pack(">i", 254)

    def symbol(self, name: str) -> bytes:
        if name in self.symbols:
            return struct.pack(">i", (self.symbols.index(name) + 1) << 8 | 255)
        self.symbols.append(name)
        return struct.pack(">i", 1) + self.chars(name)

    def chars(self, text: str | None) -> bytes:
        raw = (text or "").encode()
        return struct.pack(">ii", 9, -1 if text is None else len(raw)) + raw

    def vector(self, kind: int, length: int, body: bytes, attributes: dict[str, Part] | None) -> bytes:
        head = struct.pack(">ii", kind | 512 * bool(attributes), length)
        return head + body + (self.pairlist(attributes) if attributes else b"")

    def reals(self, *values: float, **attributes: Part) -> Part:
        return lambda: self.vector(14, len(values), np.array(values, dtype=">f8").tobytes(), attributes)

    def integers(self, *values: int, **attributes: Part) -> Part:
        return lambda: self.vector(13, len(values), np.array(values, dtype=">i4").tobytes(), attributes)

    def strings(self, *values: str | None) -> Part:
        return lambda: self.vector(16, len(values), b"".join(map(self.chars, values)), None)

    def list(self, **items: Part) -> Part:
        names = self.strings(*items)
        return lambda: self.vector(19, len(items), b"".join(w() for w in items.values()), {"names": names})


def make_rdata() -> bytes:
    """A list of a 3 x 2 matrix, a factor and texts; another matrix, whose "dim" is a reference."""
    write = Writer()
    gene = write.reals(1, 2, 4, 10, 30, 20, dim=write.integers(3, 2))
    factor = write.integers(1, 2, 1, levels=write.strings("NB", "EWS"))
    srbct = write.list(**{"gene": gene, "class": factor, "texts": write.strings("é", None)})
    return write.file({"srbct": srbct, "other": write.reals(0.1, dim=write.integers(1, 1))})


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_r_file(pack: Any, tmp_path: Path) -> None:
    (tmp_path / "x.rda").write_bytes(pack(make_rdata()))
    objects = read_rdata(tmp_path / "x.rda")
    assert objects["srbct"]["gene"].tolist() == [[1, 10], [2, 30], [4, 20]]
    assert objects["srbct"]["class"] == ["NB", "EWS", "NB"]
    assert objects["srbct"]["texts"] == ["é", None]
    assert objects["other"].tolist() == [[0.1]]


def test_r_file_of_another_kind(tmp_path: Path) -> None:
    for raw, message in ((b"RDX3\nX\n", "not a binary R data file of version 2"), (b"", "not a binary")):
        (tmp_path / "x.rda").write_bytes(raw)
        with pytest.raises(ValueError, match=message):
            read_rdata(tmp_path / "x.rda")
    write = Writer()
    (tmp_path / "x.rda").write_bytes(write.file({"f": lambda: struct.pack(">i", 3)}))  # a function
    with pytest.raises(ValueError, match="an R object of type 3"):
        read_rdata(tmp_path / "x.rda")


def test_srbct_standardises_each_sample(tmp_path: Path) -> None:
    content = parse("srbct", tmp_path, make_rdata())
    # Two values a and b become -1 / sqrt(2) and 1 / sqrt(2), up to a few roundings.
    np.testing.assert_allclose(content.data, [[-(0.5**0.5), 0.5**0.5]] * 3, rtol=1e-15)
    assert label(content) == ["NB", "EWS", "NB"]
    assert content.classes == ("EWS", "BL", "NB", "RMS")  # in the order of the registry


def test_unknown_class_code_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="9"):
        parse("newthyroid", tmp_path, "9,107,10.1,2.2,0.9,2.7\n")


def test_numbers_are_read_to_the_last_bit(tmp_path: Path) -> None:
    """Decimal texts that fast converters read with an error of one unit; Python's float is exact."""
    texts = [
        "0.503643884",
        "8.4140512685",
        "1.1754943508222875e-38",
        "9007199254740993",
        "0.1000000000000000055",
    ]
    entry = replace(REGISTRY["wall_robot4"], features=tuple("abcde"), options={"separator": ",", "label": 5})
    (tmp_path / "x").write_text(",".join([*texts, "A"]) + "\n")
    assert PARSERS["delimited"]([tmp_path / "x"], entry).data[0].tolist() == [float(text) for text in texts]
