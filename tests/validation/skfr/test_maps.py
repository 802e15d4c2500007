"""The schedules of the self-organising map of Table 3."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from minisom import MiniSom

from validation.papers.skfr.real_tables import maps, table3_maps
from validation.papers.skfr.real_tables.maps import SCHEDULES, USED, train
from validation.papers.skfr.real_tables.study import Study


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(40, 3))


def test_the_used_schedule_is_minisom_in_two_phases(rows: np.ndarray) -> None:
    nodes = rows[:9]
    weights = nodes.reshape(3, 3, -1)
    for radius, epochs in ((1.5, 10), (1.0, 40)):
        grid = MiniSom(
            3, 3, 3, sigma=radius, learning_rate=0.5, topology="hexagonal",
            decay_function="linear_decay_to_zero", random_seed=7,
        )  # fmt: skip
        grid.get_weights()[:] = weights
        grid.train(rows, epochs * len(rows), random_order=True)
        weights = grid.get_weights()
    labels, error = train(SCHEDULES[USED], rows, nodes, 7)
    assert labels.tolist() == [3 * i + j for i, j in map(grid.winner, rows)]
    assert error == pytest.approx(grid.quantization_error(rows), rel=1e-12)  # distances by another formula


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_gives_a_node_to_every_row_and_only_its_seed_counts(
    name: str, rows: np.ndarray
) -> None:
    schedule = replace(SCHEDULES[name], phases=((1.0, 0.5, 3),))
    labels, error = train(schedule, rows, rows[:9], 1)
    assert labels.shape == (40,)
    assert set(labels) <= set(range(9))
    again, same = train(schedule, rows, rows[:9], 1)
    assert (again.tolist(), same) == (labels.tolist(), error)
    far = np.abs(rows - rows.mean(axis=0)).max()
    assert error < far


def test_a_batch_step_with_a_tiny_radius_is_a_step_of_lloyd(rows: np.ndarray) -> None:
    nodes = rows[:4]
    labels = maps._distances(rows, nodes).argmin(axis=1)
    means = np.array([rows[labels == j].mean(axis=0) for j in range(4)])
    # Sums in another order: rounding.
    np.testing.assert_allclose(maps._batch(rows, nodes, np.array([1e-3])), means, rtol=1e-12, atol=1e-14)


def test_a_batch_step_with_a_huge_radius_moves_all_nodes_to_the_mean(rows: np.ndarray) -> None:
    moved = maps._batch(rows, rows[:4], np.array([1e9]))
    # exp(-1e-18) is 1 exactly, so only the order of summing differs.
    np.testing.assert_allclose(moved, np.tile(rows.mean(axis=0), (4, 1)), rtol=1e-12, atol=1e-14)


def test_schedules_beside_the_printed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [USED, "SOM, batch from axes"]
    trials = pd.DataFrame(
        [
            {"data": half, "method": name, "nodes": nodes, "total": total, "objective": 0.0}
            for name in names
            for half, nodes, total in (("control", 2, 20), ("trisomic", 20, 300))
            for _ in range(20)
        ]
    )
    monkeypatch.setattr(Study, "run", lambda self, cells, description: trials)
    found = table3_maps.run_maps(Study(None, None, 1, ()))
    table = table3_maps.show_maps(found)
    assert [row[:2] for row in table.rows] == [
        (SCHEDULES[USED].text, "used"),
        (SCHEDULES["SOM, batch from axes"].text, "rejected"),
        ("printed", None),
    ]
    assert table.rows[0][2:] == pytest.approx((2.0, 20.0, 20.0, 300.0, 0))
    assert table.rows[2][2:6] == (8.0, 110.0, 5.0, 84.0)
