"""Data sets of R packages, read from an installed R."""

import io
import shutil
import subprocess
from contextlib import redirect_stdout

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.rcompat.base import installed


def read(name: str):
    """A data set; the test is skipped without R or the package."""
    try:
        return getattr(rcompat, name.replace(".", "_"))()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.fixture
def fresh_reading():
    """Nothing is kept from earlier readings, nor for later ones."""
    installed._read.cache_clear()
    yield
    installed._read.cache_clear()


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("package", "name", "shape"),
    [
        ("RSKC", "optd", (1797, 64)),
        pytest.param("RSKC", "DutchUtility", (2000, 240), marks=pytest.mark.slow),
        pytest.param("RSKC", "DBWorld", (64, 4702), marks=pytest.mark.slow),
        pytest.param("wskm", "fgkm.sample", (600, 50), marks=pytest.mark.slow),
        pytest.param("wskm", "twkm.sample", (2000, 410), marks=pytest.mark.slow),
    ],
)
def test_data_are_those_of_r(package, name, shape):
    data = read(name)
    code = f'x <- data.matrix({package}::{name}); cat(sprintf("%.17g", c(x[2, ], x[, 3])), sep = " ")'
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    wanted = np.array(done.stdout.split(), dtype=float)
    assert data.shape == shape
    assert np.array_equal(np.concatenate([data[1], data[:, 2]]), wanted)
    assert len(data.attributes["dimnames"][1]) == shape[1]


@pytest.mark.live_r
def test_bitmaps_are_printed_as_by_r():
    read("optd")
    out = io.StringIO()
    with redirect_stdout(out):
        rcompat.showbitmap([3, 1797])
    code = "library(RSKC, quietly = TRUE); invisible(showbitmap(c(3, 1797)))"
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    assert out.getvalue() == done.stdout
    with pytest.raises(RError, match=r"subscript out of bounds .*from 1 to 1797; got 1798"):
        rcompat.showbitmap(1798)
    with pytest.raises(RError, match=r"attempt to select less than one element in get1index <real>"):
        rcompat.showbitmap(0)


@pytest.mark.live_r
def test_digits_are_drawn():
    read("DutchUtility")
    axes = rcompat.showDigit(703)
    assert axes.get_title() == "observation703 True digit3"
    picture = np.asarray(axes.images[0].get_array())
    assert picture.shape == (16, 15)
    assert picture[0, 0] == 1.0  # nothing there
    assert picture.min() == pytest.approx(0.3, rel=1e-12)  # R's darkest grey; a power and its root
    plt.close(axes.figure)
    with pytest.raises(RError, match=r"subscript out of bounds .*from 1 to 2000; got 2001"):
        rcompat.showDigit(2001)


@pytest.mark.usefixtures("fresh_reading")
def test_without_r_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(installed.shutil, "which", lambda program: None)
    with pytest.raises(ImportError, match=r"optd is a data set of R's package RSKC.*install R"):
        rcompat.optd()


@pytest.mark.live_r
def test_without_the_package_the_error_says_what_to_install():
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH")
    with pytest.raises(ImportError, match=r'install.packages\("nopackage"\) in R; R says'):
        installed.read_numbers("nopackage", "nothing")
