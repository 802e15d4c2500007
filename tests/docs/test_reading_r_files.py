"""What docs/migrating-from-r.md says about files written by R."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from tests.places import ROOT

PAGE = (ROOT / "docs" / "migrating-from-r.md").read_text(encoding="utf-8")
DATA = "x <- cbind(a = c(1/3, pi * 1e10, NA, -2/7), b = c(0.1, 2/3 * 1e-20, 5, 1e300))\n"
DATA += "rownames(x) <- paste0('r', 1:4)\n"


@pytest.mark.live_r
def test_a_file_written_as_the_page_says_keeps_every_bit(tmp_path):
    if not shutil.which("Rscript"):
        pytest.skip("R is not installed")
    (line,) = re.findall(r"^write\.csv\(.*$", PAGE, re.MULTILINE)
    script = f"{DATA}{line}\nwriteBin(as.vector(x), 'x.bin')\n"
    subprocess.run(["Rscript", "-e", script], cwd=tmp_path, check=True)
    assert 'pandas.read_csv("x.csv", index_col=0, skipinitialspace=True)' in PAGE
    major, minor = map(int, pd.__version__.split(".")[:2])
    precise = {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}
    frame = pd.read_csv(tmp_path / "x.csv", index_col=0, skipinitialspace=True, **precise)
    wanted = np.fromfile(tmp_path / "x.bin").reshape(2, 4).T
    np.testing.assert_array_equal(frame.to_numpy(), wanted)
    assert frame.index.tolist() == ["r1", "r2", "r3", "r4"]


@pytest.mark.live_r
def test_a_saved_object_keeps_every_bit(tmp_path):
    pyreadr = pytest.importorskip("pyreadr")
    if not shutil.which("Rscript"):
        pytest.skip("R is not installed")
    script = f"{DATA}saveRDS(as.data.frame(x), 'x.rds')\nwriteBin(as.vector(x), 'x.bin')\n"
    subprocess.run(["Rscript", "-e", script], cwd=tmp_path, check=True)
    frame = pyreadr.read_r(str(tmp_path / "x.rds"))[None]
    np.testing.assert_array_equal(frame.to_numpy(), np.fromfile(tmp_path / "x.bin").reshape(2, 4).T)
