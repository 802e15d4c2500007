"""The summary of a fit as a value: tables and notes, printed as text, HTML or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from sparsek._printable import in_html, on_one_line
from sparsek.summary import tables


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """Summary of a fit, as tables; printing gives the text, a notebook shows the HTML.

    Attributes
    ----------
    title : str
        The estimator.
    tables : dict of str to DataFrame
        The tables shown, by heading.
    features : DataFrame
        One row per feature, the most important first; the columns depend on the estimator. Empty if it
        has no results per feature.
    notes : tuple of str
        Explanations of the numbers.
    lead : str
        What comes first: the parameters that differ from their defaults; for a search what it chose.
    groups : DataFrame
        One row per group of features that a fit selects as a whole, the most important first: rank, group,
        selected, gain per degree of freedom or weight, number of its features (size), and their names.
        Empty without groups.

    See Also
    --------
    summarise : The summary of a fitted estimator.
    """

    title: str
    tables: dict[str, pd.DataFrame]
    features: pd.DataFrame
    notes: tuple[str, ...]
    lead: str = ""
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_text(self) -> str:
        """The summary as plain text, in lines of at most 80 characters.

        A name and its value are never parted, so a line is longer where they need it. Wide characters, such
        as Chinese ones, count as two; control characters are shown as in Python's literals.

        Returns
        -------
        str
            Lines without a final line break.
        """
        parts = [tables.as_text(heading, table) for heading, table in self.tables.items()]
        lead = map(tables.wrapped, self.lead.splitlines())
        title = tables.wrapped(self.title)
        return "\n".join([title, *lead, *parts, *map(tables.wrapped, self.notes)])

    def as_html(self) -> str:
        """The summary as a piece of HTML without styles.

        Returns
        -------
        str
            A ``div`` with one table per heading.
        """
        parts = [
            f"<h4>{in_html(self.title)}</h4>",
            *(f"<p>{in_html(line)}</p>" for line in self.lead.splitlines()),
        ]
        for heading, table in self.tables.items():
            parts.append(f"<h5>{in_html(heading)}</h5>" if heading else "")
            parts.append(tables.as_html(table))
        parts.extend(f"<p>{in_html(note)}</p>" for note in self.notes)
        return "<div>\n" + "\n".join(part for part in parts if part) + "\n</div>"

    def as_latex(self) -> str:
        r"""The summary as LaTeX tables with the rules of the package booktabs.

        Returns
        -------
        str
            One ``tabular`` per heading.
        """
        titles = [
            " ".join([self.title, *self.lead.splitlines()]),
            *[heading for heading in self.tables if heading],
        ]
        parts = map(tables.as_latex, self.tables.values())
        return "\n".join(
            f"% {on_one_line(title)}\n{part}" for title, part in zip(titles, parts, strict=False)
        )
