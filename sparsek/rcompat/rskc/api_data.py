"""The data sets of R's RSKC, read from an installed R, and its pictures of handwritten digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_number, as_vector
from sparsek.rcompat.base.installed import read_numbers, read_texts
from sparsek.rcompat.base.printing import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS, COLUMNS, LEVELS = 16, 15, 6
"""Size of a digit of `DutchUtility` in blocks, and the largest count of a block."""
DARKEST, LIGHTEST, GAMMA = 0.3, 0.9, 2.2
"""R's shades of grey."""
TITLE_POINTS = 14.4


def DutchUtility() -> RArray:
    """Handwritten digits on maps of Dutch utilities, R's ``RSKC::DutchUtility``, read from an installed R.

    Returns
    -------
    RArray of shape (2000, 240)
        Counts from 0 to 6 of black points in 16 x 15 blocks, 200 rows of each digit. The names of the rows
        are the digits, those of the columns the places of the blocks.

    Raises
    ------
    ImportError
        Without R or its package RSKC, whose licence does not let the data travel with sparsek.
    """
    return read_numbers("RSKC", "DutchUtility")


def optd() -> RArray:
    """Optical recognition of handwritten digits, R's ``RSKC::optd``, read from an installed R.

    Returns
    -------
    RArray of shape (1797, 64)
        Counts from 0 to 16 of black points in 8 x 8 blocks. The names of the rows are the digits, those of
        the columns the places of the blocks.

    Raises
    ------
    ImportError
        Without R or its package RSKC, whose licence does not let the data travel with sparsek.
    """
    return read_numbers("RSKC", "optd")


def DBWorld() -> RArray:
    """Words in e-mails of the list DBWorld, R's ``RSKC::DBWorld``, read from an installed R.

    Returns
    -------
    RArray of shape (64, 4702)
        Words by e-mail. The names of the rows are the kinds of e-mails, those of the columns the words.

    Raises
    ------
    ImportError
        Without R or its package RSKC, whose licence does not let the data travel with sparsek.
    """
    return read_numbers("RSKC", "DBWorld")


def showbitmap(index: ArrayLike) -> None:
    """Print digits of `optd` as bitmaps of 32 x 32 points, as R's ``RSKC::showbitmap``.

    Parameters
    ----------
    index : int or array_like of int
        Rows of `optd`, from 1 to 1797; fractions are cut off.

    Raises
    ------
    RError
        With R's message, for rows that there are not; nothing is printed then.
    ImportError
        Without R or its package RSKC.
    """
    wanted = as_vector(index, "index")
    bitmaps, digits = read_texts("RSKC", "bitmapMat"), read_texts("RSKC", "bitmapLab").ravel()
    for number in wanted:
        if not number >= 1:
            message = "attempt to select less than one element in get1index <real>"
            raise RError(message, f"index must be from 1 to {len(digits)}; got {number:g}")
        if number >= len(digits) + 1:
            raise RError("subscript out of bounds", f"index must be from 1 to {len(digits)}; got {number:g}")
    for number in wanted:
        place = math.floor(number) - 1
        lines = "\n".join(bitmaps[:, place])
        print(f"\n{lines}\n obs= {format_number(number)}  true digit= {digits[place]}  ")


def showDigit(index: float, cex_main: float = 1, *, ax: Axes | None = None) -> Axes:
    """Draw a digit of `DutchUtility`, as R's ``RSKC::showDigit``.

    Parameters
    ----------
    index : int
        Row of `DutchUtility`, from 1 to 2000; a fraction is cut off.
    cex_main : float, default=1
        Size of the title, as a multiple of R's.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Raises
    ------
    RError
        With R's message, for a row that there is not.
    ImportError
        Without R or its package RSKC.
    ImportError
        Without matplotlib.
    """
    from sparsek.plots._figure import new_axes

    data = DutchUtility()
    number = as_number(index, "index")
    if not 1 <= number < len(data) + 1:
        raise RError("subscript out of bounds", f"index must be from 1 to {len(data)}; got {index!r}")
    place = math.floor(number) - 1
    blocks = np.asarray(data)[place].reshape(ROWS, COLUMNS)
    shades = np.linspace(LIGHTEST**GAMMA, DARKEST**GAMMA, LEVELS) ** (1 / GAMMA)
    axes = new_axes() if ax is None else ax
    box = (0.5, COLUMNS + 0.5, ROWS + 0.5, 0.5)
    axes.imshow(np.array([1.0, *shades])[blocks.astype(int)], cmap="gray", vmin=0, vmax=1, extent=box)
    axes.set_xticks(range(1, COLUMNS + 1))
    axes.set_yticks(range(1, ROWS + 1))
    digit = data.attributes["dimnames"][0][place]
    title = f"observation{format_number(number)} True digit{digit}"
    axes.set_title(title, fontsize=TITLE_POINTS * as_number(cex_main, "cex_main"), fontweight="bold")
    return axes
