"""SKFR's starts for several numbers of features on the same data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sklearn.utils import check_random_state

from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.sums import Labels
from sparsek.methods.skfr.forms import Inputs, run_starts
from sparsek.methods.starts.screening import least_normal


def run_sizes(models: list[Any], inputs: Inputs) -> Iterator[list[FitResult[Any]]]:
    """What `SKFR.fit` does for each of models that differ in their number of features alone, one after the
    other: with the same draws for all, and the columns screened once."""
    given = models[0].random_state
    generator = check_random_state(given)
    state = generator.get_state()
    screens = models[0]._screens()
    order = least_normal(inputs.problem.Z, inputs.weights) if screens else None
    starts: Iterable[Labels] = []
    for model in models:
        if screens or not starts:  # only screened starts depend on the number of features
            generator.set_state(state)
            model.random_state = generator
            starts = model._starts(inputs, order)
            model.random_state = given
        yield run_starts(inputs.problem, starts, model._form(inputs), model.anneal)
