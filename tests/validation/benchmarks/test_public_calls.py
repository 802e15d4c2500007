"""Every row of docs/speed.md times what a user calls: our texts name nothing that is private."""

import numpy as np
import pytest

import sparsek
from sparsek import rcompat
from validation.benchmarks import speed
from validation.benchmarks.calls import Alone, Call, data_of, filled, public_call
from validation.benchmarks.tables import ALONE, TABLES
from validation.benchmarks.tables.methods import LLOYD
from validation.papers.shared.store import load_table

CALLS = [call for calls in TABLES.values() for call in calls]
SMALL = (20, 200, 2, 2)
"""Rows, columns, clusters and selected columns of data that stand in for those of a call."""
NOT_RESIZED = {"digits", "with_dist"}
"""Functions of data whose size is given."""


def data_for(call: Call | Alone, make: object) -> dict[str, object]:
    """The names that a call may use."""
    size = call.size if isinstance(call, Alone) else (call.sizes + call.large)[0]
    function = getattr(make, "func", make)
    if function.__name__ in NOT_RESIZED:
        return data_of(make, size)  # type: ignore[arg-type]
    return data_of(make, SMALL[: len(size)])  # type: ignore[arg-type]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_rows_call_public_functions_alone(call: Call) -> None:
    for make in call.data.values():
        data = data_for(call, make) | ({"first": 1} if call.first else {})
        for text in filter(None, (call.ours, call.threads)):
            public_call(filled(text, (call.sizes + call.large)[0]), **data)


@pytest.mark.parametrize(
    "call", [call for calls in ALONE.values() for call in calls], ids=lambda call: call.name
)
def test_calls_alone_call_public_functions(call: Alone) -> None:
    data = data_for(call, call.data) | {"folder": ""}
    public_call(filled(call.ours, call.size), **data)
    if call.figures:
        public_call(call.figures, found=None, **data)


def test_names_tell_rows_apart() -> None:
    for calls in TABLES.values():
        rows = [
            (call.name, call.peer, size, kind)
            for call in calls
            for size in call.sizes + call.large
            for kind in call.data
        ]
        assert len(set(rows)) == len(rows)


def test_a_call_is_its_text() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = public_call("SKFR(2, 2, random_state=0).fit(X)", X=X)()
    assert np.array_equal(found.labels_, sparsek.SKFR(2, 2, random_state=0).fit(X).labels_)
    again = public_call("rcompat.kmeans(X, 2, rng=RRandom(1)).cluster", X=X)()
    assert np.array_equal(again, rcompat.kmeans(X, 2, rng=sparsek.rng.RRandom(1)).cluster)


def test_fields_are_in_the_order_of_r() -> None:
    text = 'fields([dict(a=m, b=dict(c=1)), dict(a=m, b=dict(c=2))], "a", "b$c")'
    found = public_call(text, m=np.array([[1, 2], [3, 4]]), dict=dict)()
    assert found.tolist() == [1, 3, 2, 4, 1, 1, 3, 2, 4, 2]


@pytest.mark.parametrize(
    "text",
    [
        "SKFR(2)._validate_fit(X)",
        "run_plain(X)",
        "sparsek.methods.skfr",
        "rcompat.arithmetic",
        "__import__('sparsek').methods",
        "and_next(lambda rng: run_plain(rng))",
    ],
)
def test_a_private_name_in_a_call_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"is private|is no public name"):
        public_call(text, X=1)


def test_recorded_calls_stand_in_the_tables() -> None:
    rows, _ = load_table(speed.NAME)
    for topic, call in set(zip(rows["topic"], rows["call"], strict=True)):
        assert call in {one.name for one in TABLES[topic]}, f"{topic} no longer times {call!r}: drop its rows"


def test_recorded_rows_of_one_start_name_the_settings_of_the_peer() -> None:
    rows, _ = load_table(speed.NAME)
    starts = rows[rows["call"] == "SKFR, one start"]
    assert len(starts) > 0
    assert starts["peer"].str.endswith(LLOYD).all()
