"""Asks sites, checks the form of their answers, and adds them up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sparsek.core.steps import Array


class Round(NamedTuple):
    """A question to all sites.

    Attributes
    ----------
    question : str
        What was asked, see `Site.answer`.
    asked : int
        How many numbers were in the question, of the site that got most of them.
    answered : int
        How many numbers were in the answer, of the site that sent most of them.

    See Also
    --------
    Coordinator : Keeps the rounds.
    """

    question: str
    asked: int
    answered: int


class SiteReports(NamedTuple):
    """What the sites say of their rows."""

    n_rows: int  # Number of rows of positive weight of all sites
    n_columns: int  # Number of columns
    sizes: list[int]  # Number of rows of each site
    single: bool  # Whether all rows are in single precision
    weighted: bool  # Whether any rows have weights
    heaviest: float  # The largest weight
    names: list[str] | None  # Names of the columns; None where not all sites have them


class Answers:
    """The answers of all sites to one question."""

    def __init__(self, question: str, given: list[Mapping[str, Any]]) -> None:
        self._question, self._given = question, given

    @property
    def refused(self) -> str:
        """Which site refuses to answer and why; empty if none does."""
        for number, answer in enumerate(self._given):
            if "refused" in answer:
                return f"site {number}, counted from 0, refuses to answer {self._question!r}: " + str(
                    np.asarray(answer["refused"])
                )
        return ""

    def refuse(self, more: str = "") -> None:
        """Raise ValueError if a site refuses to answer."""
        if self.refused:
            raise ValueError(self.refused + more)

    def arrays(self, name: str, shape: tuple[int | None, ...], kinds: str = "iu") -> list[Array]:
        """A part of all answers; ValueError where it has another form, None for any length."""
        found = []
        for number, answer in enumerate(self._given):
            part = np.asarray(answer[name]) if name in answer else None
            if part is None or part.dtype.kind not in kinds or not _fits(part.shape, shape):
                form = "is missing" if part is None else f"has shape {part.shape} and dtype {part.dtype}"
                raise ValueError(
                    f"{name} in the answer of site {number} to {self._question!r} must have shape {shape}; "
                    f"it {form}"
                )
            found.append(part)
        return found

    def added(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """The sum of a part of all answers, int64."""
        return np.asarray(np.sum(self.arrays(name, shape), axis=0, dtype=np.int64))


class Coordinator:
    """Asks sites and adds up their answers; holds no row.

    Parameters
    ----------
    sites : sequence
        The sites: each a `Site`, or an object with the method ``answer(question)`` that carries the question
        to one and brings its answer back. Sites are asked one after the other, in this order.

    Attributes
    ----------
    rounds : list of Round
        What was asked so far, with the fields ``question``, ``asked`` and ``answered``: how many numbers went
        to each site and came back, of the site with most of them.

    Raises
    ------
    TypeError
        `sites` is no sequence, or a site has no method ``answer``.
    ValueError
        There is no site.

    See Also
    --------
    Site : Holds rows and answers.
    fit : Fit an estimator to the rows of some sites.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.federated import Coordinator, Site
    >>> X = np.arange(24.0).reshape(12, 2)
    >>> coordinator = Coordinator([Site(X[:6]), Site(X[6:])])
    >>> [int(answer["n"]) for answer in coordinator.ask({"ask": "rows"})]
    [6, 6]
    >>> coordinator.rounds
    [Round(question='rows', asked=0, answered=6)]
    """

    def __init__(self, sites: Iterable[Any]) -> None:
        if not isinstance(sites, list | tuple):
            raise TypeError(f"sites must be a list of sites; got {type(sites).__name__}")
        if not sites:
            raise ValueError("sites is empty; give at least one site")
        for number, site in enumerate(sites):
            if isinstance(site, type) or not callable(getattr(site, "answer", None)):
                raise TypeError(
                    f"site {number}, counted from 0, is of type {type(site).__name__}, which has no method "
                    "answer(question); make a sparsek.federated.Site of the rows where they lie"
                )
        self.sites = tuple(sites)
        self.rounds: list[Round] = []

    def ask(
        self, question: Mapping[str, Any], own: list[dict[str, Any]] | None = None
    ) -> list[Mapping[str, Any]]:
        """Ask all sites.

        Parameters
        ----------
        question : mapping of str to array-like
            What all sites are asked, see `Site.answer`.
        own : list of dict or None, default=None
            Parts of the question of each site.

        Returns
        -------
        list of dict
            The answers in the order of the sites.

        Raises
        ------
        ValueError
            An answer is no mapping.
        """
        given: list[Mapping[str, Any]] = []
        for number, site in enumerate(self.sites):
            answer = site.answer({**question, **({} if own is None else own[number])})
            if not isinstance(answer, Mapping):
                raise ValueError(
                    f"site {number}, counted from 0, answered with {type(answer).__name__}; answers are "
                    "mappings of names to arrays"
                )
            given.append(answer)
        asked = _count(question) + max(map(_count, own or [{}]))
        self.rounds.append(Round(str(question["ask"]), asked, max(map(_count, given))))
        return given


def answers_to(
    sites: Coordinator,
    what: str,
    own: list[dict[str, Any]] | None = None,
    may_refuse: bool = False,
    **parts: Any,
) -> Answers:
    """The answers of all sites to one question; ValueError if one refuses, unless it may."""
    found = Answers(what, sites.ask({"ask": what, **parts}, own))
    if not may_refuse:
        found.refuse()
    return found


def describe(sites: Coordinator) -> SiteReports:
    """What the sites say of their rows; ValueError where they do not fit together."""
    found = answers_to(sites, "rows")
    n, sizes, p, single, weighted = (
        [int(part) for part in found.arrays(name, ())] for name in ("n", "n_given", "p", "single", "weighted")
    )
    heaviest = [float(part) for part in found.arrays("heaviest", (), "fiu")]
    for number, own in enumerate(p):
        if own != p[0]:
            raise ValueError(f"sites 0 and {number} have {p[0]} and {own} columns; all need the same ones")
    if not sum(n):
        raise ValueError("no site has a row of positive weight; add rows")
    names = _common_names([part.tolist() for part in found.arrays("names", (None,), "Uf")])
    return SiteReports(sum(n), p[0], sizes, all(single), any(weighted), max(heaviest), names)


def _common_names(names: list[list[Any]]) -> list[str] | None:
    """The names of the columns, if all sites have them; ValueError where they differ."""
    if not all(names):
        return None
    for number, own in enumerate(names):
        for column, (first, other) in enumerate(zip(names[0], own, strict=True)):
            if first != other:
                raise ValueError(
                    f"column {column}, counted from 0, is {first!r} at site 0 and {other!r} at site "
                    f"{number}; bring the columns into one order"
                )
    return [str(name) for name in names[0]]


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(b in (None, a) for a, b in zip(shape, wanted, strict=True))


def _count(message: Mapping[str, Any]) -> int:
    """How many numbers are in a message; texts are none."""
    parts = [np.asarray(part) for part in message.values()]
    return sum(part.size for part in parts if part.dtype.kind in "fiub")
