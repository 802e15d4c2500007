"""The steps that `fit`, `tune` and `test` share: read, check, describe, write and print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.cli import _methods
from sparsek.cli._cells import ALL_TEXT, SPACES, InputError, ReadOptions, number_of
from sparsek.cli._checks import check_data, prepare, refuse_suspects, refuse_turned
from sparsek.cli._messages import say, show
from sparsek.cli._options import Choice, Choices, Reading, Running, Writing, forced, split_names
from sparsek.cli._read import Table, read_table
from sparsek.cli._summary import part_as_text, stored
from sparsek.cli._text import parse_orders
from sparsek.cli._truth import Classes, compare_classes
from sparsek.cli._truth import as_parts as truth_as_parts
from sparsek.cli._write import describe_fit, to_json, write_results
from sparsek.inputs.scales import guessed_orders, with_orders
from sparsek.inputs.suspects import hints

N_RESAMPLES = 100
"""How often ``--proba`` fits resamples of a method without probabilities."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Columns that are no features: what each row has beside them."""

    truth: str | None = None
    batch: str | None = None
    weights: str | None = None


def read_data(
    file: Path, reading: ReadOptions, apart: Apart
) -> tuple[Table, Classes | None, list[str] | None, NDArray[np.float64] | None]:
    """The table, and the known classes, the batches and the weights of its rows if columns hold them."""
    table = read_table(file, replace(reading, **asdict(apart)))
    columns = [column for column in (reading.id_col, *asdict(apart).values()) if column is not None]

    def words(column: str) -> list[str]:
        others = [other for other in columns if other != column]
        return read_table(file, replace(reading, id_col=column, drop=(*reading.drop, *others))).ids

    classes = None if apart.truth is None else Classes(apart.truth, words(apart.truth))
    batches = None if apart.batch is None else words(apart.batch)
    for row, name in enumerate(batches or []):
        if name.strip(SPACES) in reading.missing:
            raise InputError(
                f"{file} has no batch in row {table.ids[row]}, column {apart.batch}; name the batch of every "
                "row, or take the row out"
            )
    weights = None if apart.weights is None else words(apart.weights)
    return table, classes, batches, None if weights is None else _weights(table, weights, reading, apart)


def _weights(table: Table, words: list[str], reading: ReadOptions, apart: Apart) -> NDArray[np.float64]:
    """The weights of the rows."""
    found = np.empty(len(words))
    for row, word in enumerate(words):
        try:
            found[row] = number_of(word, reading.mark)
        except ValueError:
            found[row] = np.nan
        if not 0 <= found[row] < np.inf:
            raise InputError(
                f"{table.file} has the weight {word!r} in row {table.ids[row]}, column {apart.weights}; "
                "weights are numbers of at least 0: correct it, or take the row out"
            )
    return found


def check_values(table: Table, method: str) -> None:
    """Refuse infinite numbers, and missing values if the method needs complete data."""
    numbers = table.frame.select_dtypes("number")
    infinite = np.argwhere(np.isinf(numbers.to_numpy()))
    if len(infinite):
        row, column = infinite[0]
        raise InputError(
            f"{table.file} has {len(infinite)} infinite numbers, or numbers beyond 1.8e308, the first in row "
            f"{table.ids[row]}, column {numbers.columns[column]}; methods need finite ones"
        )
    holes = table.frame.isna().to_numpy()
    if holes.any() and not _methods.takes(method, "missing"):
        row, column = np.argwhere(holes)[0]
        able = [name for name in _methods.METHODS if _methods.takes(name, "missing")]
        raise InputError(
            f"{table.file} has {holes.sum()} missing values, the first in row {table.ids[row]}, column "
            f"{table.frame.columns[column]}; method {method} needs complete data, {' and '.join(able)} do not"
        )


class Work:
    """One call of `fit`, `tune` or `test`, from the file to the results."""

    table: Table
    classes: Classes | None
    batches: list[str] | None
    weights: NDArray[np.float64] | None
    taken_out: pd.DataFrame | None
    standardised: bool
    hints: list[str]

    def __init__(
        self,
        command: str,
        choice: Choice | Choices,
        scale: bool | None,
        writing: Writing,
        running: Running,
        reading: Reading,
        apart: Apart,
    ) -> None:
        self.command, self.choice, self.scale, self.apart = command, choice, scale, apart
        self.writing, self.running, self.reading = writing, running, reading
        self.settings = _methods.parse_settings(choice.settings or [])
        self.orders = parse_orders(reading.ordered)

    @property
    def beside(self) -> dict[str, Any]:
        """What `fit` gets beside the rows."""
        given = {"batch": self.batches, "sample_weight": self.weights}
        return {name: value for name, value in given.items() if value is not None}

    def estimator(self, n_clusters: int) -> Any:
        """The estimator of the method, with its parameters checked."""
        assert isinstance(self.choice, Choice)  # not of several values
        running = {"seed": self.running.seed, "n_jobs": self.running.n_jobs}
        return _methods.make_estimator(
            self.choice.method, n_clusters, self.choice.options(), self.settings, **running
        )

    def read(self, file: Path, has_truth: bool = True) -> Table:
        """The checked table."""
        options = self.reading.options()
        if options.categories != (ALL_TEXT,):
            more = (name for name in self.orders or () if name not in options.categories)
            options = replace(options, categories=(*options.categories, *more))
        table, self.classes, self.batches, self.weights = read_data(file, options, self.apart)
        self.table = self._in_order(table)
        if self.table.recognised:
            say(f"{file} has {self.table.recognised}; --sep and --decimal say otherwise")
        if self.reading.transpose is None:
            refuse_turned(self.table)
        keep, ignored = split_names(self.reading.keep), self._ignored()
        refuse_suspects(self.table, keep, ignored, truth=has_truth)
        check_values(self.table, self.choice.method)
        self.hints = hints(self.table.frame, [*keep, *ignored])
        for hint in self.hints:
            say(f"warning: {hint}")
        return self.table

    def _in_order(self, table: Table) -> Table:
        """The table with the given orders of levels, and those of the words of usual scales."""
        if self.orders is None:
            return table
        unknown = [name for name in self.orders if name not in table.frame.columns]
        if unknown:
            raise InputError(f"{table.file} has no feature {unknown[0]!r}, which --ordered names")
        frame = with_orders(table.frame, self.orders)
        found = guessed_orders(frame)
        by_levels: dict[str, list[str]] = {}
        for name, levels in found.items():
            by_levels.setdefault(" < ".join(levels), []).append(name)
        for levels_in_words, names in by_levels.items():
            say(
                f"taken as ordered, {levels_in_words}: {', '.join(names)}; --ordered says otherwise, and "
                "--ordered none takes them as categories without an order"
            )
        return replace(table, frame=with_orders(frame, found))

    def _ignored(self) -> list[str]:
        """The columns that --never names, by their groups where there are groups."""
        given = forced(self.choice)
        groups = given["groups"]
        return [name for one in given["never"] or () for name in (groups or {}).get(one, [one])]

    def prepared(self, model: Any) -> pd.DataFrame:
        """The columns for the fit."""
        frame, self.taken_out = prepare(self.table, model, self.scale, self.settings)
        if self.batches is not None:  # the estimator standardises within them
            frame, self.taken_out = self.table.frame, None
        self.standardised = self.taken_out is not None or bool(model.get_params().get("standardize"))
        return frame.set_axis(self.table.ids)  # by which a warning names rows

    def finish(self, fitted: Any, model: Any, chosen: Mapping[str, Any], warned: Sequence[str]) -> None:
        """Write the files and print the result."""
        scaling: Any = getattr(fitted, "scaling_", None)
        chosen_scale = scaling is not None and scaling.carrying is not None
        if chosen_scale:
            self.standardised = scaling.method == "standardized"
        result = self._described(model, chosen, warned)
        summary, shown = fitted.summary(), []
        if "truth" in result:
            shown = truth_as_parts(result["truth"])
        if "tests" in result:
            from sparsek.cli._testing import as_parts as tests_as_parts

            shown = tests_as_parts(result["tests"])
        result["summary"] = stored(summary, shown)
        text = "\n\n".join([summary.as_text(), *map(part_as_text, shown)])
        out, files = self.writing.out, []
        if out is not None:
            options = {name: getattr(self.writing, name) for name in ("plots", "force", "safe_csv")}
            files = write_results(
                out,
                fitted,
                self.table,
                result,
                summary=text,
                scale=self.taken_out,
                batches=self.batches,
                **options,
            )
        show(to_json(result) if self.running.as_json else text)
        if "standardize" not in self.settings:
            if chosen_scale:
                say(f"{scaling.in_words()}; --scale and --no-scale decide otherwise")
            elif self.standardised:
                within = "" if self.batches is None else " within batches"
                say(
                    f"columns were standardised{within} to mean 0 and sd 1; --no-scale takes them as they are"
                )
            elif self.scale is None and "standardize" in model.get_params():
                say("columns were taken as they are; --scale gives them mean 0 and sd 1")
        if files:
            say(f"wrote {', '.join(files)} to {out}")

    def _described(self, model: Any, chosen: Mapping[str, Any], warned: Sequence[str]) -> dict[str, Any]:
        """Contents of result.json."""
        known = {} if self.classes is None else {"truth": compare_classes(self.classes, model.labels_)}
        batches: dict[str, Any] = {} if self.batches is None else {"batches": dict(Counter(self.batches))}
        if self.weights is not None:
            batches["weights"] = {"column": self.apart.weights, "sum": float(self.weights.sum())}
        return {
            "command": self.command,
            "method": self.choice.method,
            "scaled": self.standardised,
            **chosen,
            **describe_fit(model, self.table, model.get_params()),
            **known,
            **batches,
            "checks": check_data(self.table),
            "warnings": [*self.hints, *warned],
        }


def probabilities(model: Any, frame: pd.DataFrame, running: Running) -> dict[str, Any]:
    """Where they are from, and the numbers by row and cluster."""
    if hasattr(model, "predict_proba"):
        return {"from": "predict_proba of the method", "values": model.predict_proba(frame)}
    from sparsek import FitUncertainty

    sure = FitUncertainty(
        model, n_resamples=N_RESAMPLES, n_jobs=running.n_jobs, random_state=running.seed, verbose=1
    )._of_fit(model, frame)
    return {"from": f"shares of {N_RESAMPLES} bootstrap resamples", "values": sure.membership_}
