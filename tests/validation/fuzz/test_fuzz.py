"""The fuzzing campaign: planted faults are found, calls repeat by their number, counts reach the report."""

import pickle
import time
import warnings
from collections import Counter
from collections.abc import Callable
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.utils._param_validation import Interval, StrOptions

import sparsek
from tests.validation.fuzz.planted_calls import DIES, LONG, SLEEPS, DiesAtStart, make_planted
from validation.__main__ import main
from validation.fuzz import (
    command,
    commands,
    containers,
    functions,
    invariants,
    parameters,
    strangers,
    values,
)
from validation.fuzz.command import count_table, report
from validation.fuzz.judge import CLEAR, CRASH, HANG, KINDS, RAW, RIGHT, UNCLEAR, WRONG, Call, judge
from validation.fuzz.verdict import CALLS, TRIES, load_campaign, missing
from validation.fuzz.workers import STARTS, run_calls
from validation.papers.shared.store import save_table
from validation.report.requirements import requirement_rows
from validation.report.risks import campaign_gist

X = values.blobs(np.random.default_rng(0))


def kind_of(run: Callable[[], Any], **fields: Any) -> str:
    return judge(Call("planted", run, **fields), 5.0).kind


def _as_sparsek(text: str) -> Callable[[], Any]:
    """A function whose code claims to stand in sparsek."""
    names: dict[str, Any] = {"np": np, "warnings": warnings, "sparsek": sparsek}
    code = compile(
        f"def planted():\n    {text}\n", str(Path(sparsek.__file__).with_name("planted.py")), "exec"
    )
    exec(code, names)
    return names["planted"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("return 1", RIGHT),
        ("raise ValueError('k must be at least 1; got 0')", CLEAR),
        ("raise sparsek.errors.RError('more cluster centers than data points')", CLEAR),
        ("raise ValueError('bad')", UNCLEAR),  # names nothing
        ("raise KeyError('a message of many words')", UNCLEAR),  # the wrong class
        ("return int('not a number at all')", UNCLEAR),  # raised by Python
        ("return np.zeros((2, 3)) @ np.zeros((2, 3))", UNCLEAR),  # raised by numpy
        ("return np.linalg.inv(np.zeros((2, 2)))", UNCLEAR),
        ("return np.float64(1e300) ** 2", RAW),
        ("warnings.warn('old', DeprecationWarning)", RAW),
        ("warnings.warn('increase max_iter', UserWarning)", RIGHT),
        ("while True: pass", HANG),
    ],
)
def test_classes(text: str, kind: str) -> None:
    outcome = judge(Call("planted", _as_sparsek(text)), 0.5)
    assert outcome.kind == kind
    assert outcome.place == ("" if kind == RIGHT else "sparsek/planted.py:2")


def test_checks_of_scikit_learn_are_clear() -> None:
    holes = np.full((5, 2), np.nan)
    assert kind_of(lambda: sparsek.SparseKMeans(2).fit(holes)) == CLEAR
    assert kind_of(lambda: KMeans(n_clusters=-1).fit(X)) == CLEAR
    assert kind_of(lambda: sparsek.SparseKMeans(2).fit([["a", "b"]] * 4)) == CLEAR


def test_changed_input_is_wrong() -> None:
    data = X.copy()
    assert kind_of(lambda: data.sort(axis=0), inputs=(data,)) == WRONG
    frame = pd.DataFrame({"a": [2.0, 1.0]})
    assert kind_of(lambda: frame.sort_values("a", inplace=True), inputs=(frame,)) == WRONG
    assert kind_of(lambda: frame.sum(), inputs=(frame, {"settings": [data]})) == RIGHT


def test_accepted_nonsense_is_wrong() -> None:
    assert kind_of(lambda: 1, refuse="a text") == WRONG


def test_same_time_limit_for_the_checks() -> None:
    assert judge(Call("planted", lambda: 1, check=lambda *_: time.sleep(9)), 0.2).kind == HANG


class Planted(KMeans):  # type: ignore[misc]  # scikit-learn has no types
    """k-means with a fault."""

    fault = ""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Planted":
        super().fit(np.asarray(X, dtype=float), sample_weight=sample_weight)
        if self.fault == "NaN":
            self.cluster_centers_[0, 0] = np.nan
        if self.fault == "labels":
            self.labels_ = self.labels_ + 1
        if self.fault == "negative":
            self.feature_weights_ = -np.ones(X.shape[1])
        if self.fault == "container" and isinstance(X, pd.DataFrame):
            self.labels_ = self.labels_[::-1]
        if self.fault == "refit":
            self.inertia_ += getattr(self, "fits_", 0)
            self.fits_ = getattr(self, "fits_", 0) + 1
        if self.fault == "random":
            self.inertia_ += np.random.default_rng().random()
        if self.fault == "engine" and sparsek.get_engine() == "compiled":
            self.labels_ = self.labels_[::-1]
        if self.fault == "place" and not np.asarray(X).flags.c_contiguous:
            self.labels_ = self.labels_[::-1]
        if self.fault == "unit" and np.abs(X).max() != np.abs(globals()["X"]).max():
            self.labels_[:] = 0
        if self.fault == "order" and (np.asarray(X)[0] != globals()["X"][0]).any():
            self.labels_[0] = (self.labels_[0] + 1) % self.n_clusters
        return self

    def predict(self, X: Any) -> Any:
        if self.fault == "method":
            raise IndexError
        return super().predict(X) if self.fault != "own data" else np.zeros(len(X), dtype=np.int32)


def _fit(fault: str, container: str = "array") -> invariants.Fit:
    model = Planted(3, init=X[[0, 1, 2]], n_init=1)
    model.fault = fault
    data = pd.DataFrame(X) if container == "frame" else X
    return invariants.Fit(model.fit(data), "blobs", container, data, X, {}, [], np.random.default_rng(5))


@pytest.mark.parametrize(
    ("fault", "invariant", "container"),
    [
        ("NaN", invariants.check_finite, "array"),
        ("labels", invariants.check_ranges, "array"),
        ("negative", invariants.check_ranges, "array"),
        ("method", invariants.check_methods, "array"),
        ("container", invariants.in_plain_array, "frame"),
        ("refit", invariants.refit, "array"),
        ("random", invariants.cloned, "array"),
        pytest.param("engine", invariants.by_the_other_engine, "array", marks=pytest.mark.compiled),
        ("unit", invariants.scaled, "array"),
        ("order", invariants.permuted, "array"),
        ("own data", invariants.on_own_data, "array"),
        ("place", invariants.from_other_places, "array"),
    ],
)
def test_invariants(
    fault: str, invariant: Callable[[Any], None], container: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in ("OWN_DATA", "SAME_EVERYWHERE"):
        monkeypatch.setattr(invariants, names, ("Planted",))
    monkeypatch.setattr(invariants, "SOURCES", {"columns first": np.asfortranarray})
    monkeypatch.setattr(Planted, "fault", fault)  # also for the clones
    planted = _fit(fault, container)
    assert kind_of(lambda: planted, check=lambda fit, _: invariant(fit)) == WRONG
    monkeypatch.setattr(Planted, "fault", "")
    sound = _fit("", container)
    assert kind_of(lambda: sound, check=lambda fit, _: invariant(fit)) == RIGHT


def test_a_pickle_that_forgets_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = _fit("")
    invariants.pickled(fit)
    monkeypatch.setattr(pickle, "loads", lambda text: Planted(3, random_state=0).fit(-X))
    with pytest.raises(invariants.Violation):
        invariants.pickled(fit)


def test_processes_that_die_or_hang_are_replaced() -> None:
    found = {
        finished.number: finished
        for finished in run_calls(make_planted, 0, iter(range(6)), 0.3, 1, grace=0.3)
    }
    kinds = {number: finished.outcome.kind for number, finished in found.items()}
    assert kinds == {0: RIGHT, DIES: CRASH, SLEEPS: HANG, 3: RIGHT, LONG: HANG, 5: RIGHT}
    assert found[3].text == found[LONG].text != found[5].text  # numbers of the processes


def test_a_process_that_ends_before_its_first_call_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every start but the last one may fail; where all do, the campaign ends with one line."""
    deaths = tmp_path / "deaths"
    make: Any = DiesAtStart(deaths)
    deaths.write_text(str(STARTS - 1))
    (found,) = run_calls(make, 0, iter([0]), 5.0, 1)
    assert found.outcome.kind == RIGHT
    assert deaths.read_text() == "0"
    deaths.write_text(str(STARTS + 1))
    monkeypatch.setattr(command, "make_call", make)
    assert main(["fuzz", "--calls", "1", "--n-jobs", "1", "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"fuzz: error: {STARTS} processes in a row ended")


def test_calls_follow_from_their_numbers() -> None:
    for number in range(40):
        assert command.make_call(7, number).text == command.make_call(7, number).text
    assert {command.target_of(0, number) for number in range(16000)} == set(command.TARGETS)


def test_every_estimator_is_a_target() -> None:
    assert {row.name for row in command.estimators.ESTIMATORS} <= set(command.TARGETS)


@pytest.mark.parametrize("kind", values.MAKERS)
def test_kinds_of_data(kind: str) -> None:
    for seed in range(20):
        made = values.MAKERS[kind][1](np.random.default_rng(seed))
        assert made.ndim == 2
        assert made.dtype == np.float64
        assert len(made) <= values.SIZES["rows"][1]


def test_a_third_of_the_data_are_whole_numbers_with_ties() -> None:
    drawn = [values.draw(np.random.default_rng(seed))[1].ravel() for seed in range(600)]
    small = [x[np.abs(x) < 1e6] for x in drawn]
    whole = [x for x in small if x.size and (x == np.rint(x)).all()]
    assert sum(len(np.unique(x)) < x.size for x in whole) >= len(drawn) / 3


@pytest.mark.parametrize("name", containers.MAKERS)
def test_containers_hold_the_plain_values(name: str) -> None:
    held = containers.MAKERS[name][1](X, np.random.default_rng(3))
    if name in containers.CATEGORIES:
        np.testing.assert_array_equal(np.isnan(held.plain), held.X.isna())
        return
    if held.refuse:
        assert held.plain is None
        return
    readers: dict[str, Callable[[Any], Any]] = {".npy": np.load, ".parquet": pd.read_parquet}
    data = readers[held.X.suffix](held.X) if isinstance(held.X, Path) else held.X
    dense = data.toarray() if hasattr(data, "toarray") else data
    dense = dense.filled(np.nan) if isinstance(dense, np.ma.MaskedArray) else dense
    np.testing.assert_array_equal(np.asarray(dense, dtype=held.plain.dtype), held.plain)


@pytest.mark.parametrize("shape", [(5, 0), (0, 3), (0, 0)])
def test_containers_of_nothing_are_made(shape: tuple[int, int]) -> None:
    """A call that cannot be made ends its process, and counts as a crash."""
    for _, make in containers.MAKERS.values():
        make(np.zeros(shape), np.random.default_rng(0))


class Constrained(KMeans):  # type: ignore[misc]
    """An estimator whose parameters have ranges."""

    _parameter_constraints = {  # noqa: RUF012  # scikit-learn's form
        **KMeans._parameter_constraints,
        "tol": [Interval(Real, 0, 1, closed="left"), None],
        "algorithm": [StrOptions({"lloyd", "elkan"})],
        "copy_x": ["boolean"],
    }


def test_values_from_constraints() -> None:
    r = np.random.default_rng(0)
    tolerances = {parameters.valid_value(Constrained, "tol", r)[0] for _ in range(50)}  # type: ignore[index]
    assert None in tolerances
    assert all(0 <= value < 1 for value in tolerances if value is not None)
    assert {parameters.valid_value(Constrained, "algorithm", r) for _ in range(30)} == {
        ("elkan",),
        ("lloyd",),
    }
    odd = [parameters.change_odd(Constrained, {}, r) for _ in range(800)]
    refused = {text for _, text in odd if text}
    assert {"copy_x='false'", "tol=-1", "tol=-1e-06", "algorithm='x'"} <= refused
    accepted = [settings["tol"] for settings, text in odd if "tol" in settings and not text]
    assert {0, 0.5} <= set(accepted) <= {0, 0.5, 1e-300, None}


@pytest.mark.parametrize("name", ["sparsek fit", "sparsek tune"])
def test_commands_are_not_all_refused(name: str) -> None:
    """Options that a command has no longer would hide everything behind them."""
    calls = (commands.make_call(name, np.random.default_rng(seed)) for seed in range(100))
    assert any(judge(call, 60.0).kind == RIGHT for call in calls)


@pytest.mark.parametrize("name", strangers.NAMES)
def test_what_strangers_send_is_read_or_refused(name: str) -> None:
    for seed in range(6):
        call = strangers.make_call(name, np.random.default_rng(seed))
        outcome = judge(call, 60.0)
        assert outcome.kind in (RIGHT, CLEAR), f"{call.text}: {outcome.detail}"


def test_forged_results_differ_in_one_place() -> None:
    sound = {"a": [1, {"b": 2}], "c": "x"}
    found = [strangers.forged(sound, np.random.default_rng(seed)) for seed in range(60)]
    assert sound == {"a": [1, {"b": 2}], "c": "x"}
    assert sum(other != sound for other in found) > 50
    assert {len(other) for other in found} == {1, 2}  # something may be removed


def test_files_of_the_user_that_are_lost_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that writes through every link."""
    monkeypatch.setattr(strangers, "_spoil", lambda folder, secret, r: secret.write_text("") or "emptied")
    call = strangers.make_call("results of strangers", np.random.default_rng(0))
    with pytest.raises(invariants.Violation, match="a file of the user was lost"):
        call.run()


def test_rows_of_a_start() -> None:
    functions.check_rows(np.array([2, 0]), 3, 2)
    for rows, k in (([0, 0], 2), ([0, 3], 2), ([0], 2), ([0.0, 1.0], 2)):
        with pytest.raises(invariants.Violation):
            functions.check_rows(np.array(rows), 3, k)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fuzz", "--calls", "3", "--limit", "300", "--n-jobs", "1", "--output", str(tmp_path)]
    code = main([*command, "--seed", "0", "1"])
    lines = (tmp_path / "fuzz-findings.jsonl").read_text().splitlines()
    assert code == int(bool(lines))
    assert "6 calls" in capsys.readouterr().out
    campaign = load_campaign(tmp_path)
    assert campaign is not None
    assert campaign["command"] == "python -m validation fuzz --calls 3 --seed 0 1 --limit 300"


def test_findings_give_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    good = count_table(Counter({("SKFR", RIGHT): 3, ("kmeans", CLEAR): 2}))
    assert report(good, 1.0) == 0
    for kind in KINDS[2:]:
        assert report(count_table(Counter({("SKFR", RIGHT): 3, ("faults", kind): 1})), 1.0) == 1
    assert "5 calls, 5 a minute: 3 right, 2 clear, 0 wrong" in capsys.readouterr().out


def test_record(tmp_path: Path) -> None:
    assert load_campaign(tmp_path) is None
    counts = Counter({("SKFR", RIGHT): 3, ("KPod", WRONG): 1, ("kmeans", CLEAR): 2})
    save_table(count_table(counts), tmp_path, "fuzz", "python -m validation fuzz")
    campaign = load_campaign(tmp_path)
    assert campaign is not None
    assert campaign["kinds"] == list(KINDS)
    assert campaign["groups"] == {
        "estimators": [3, 0, 1, 0, 0, 0, 0],
        "R's functions": [0, 2, 0, 0, 0, 0, 0],
        "all": [3, 2, 1, 0, 0, 0, 0],
    }
    assert campaign["calls"] == {"SKFR": 3, "KPod": 1, "kmeans": 2}
    assert campaign_gist(campaign) == "6 calls, 1 findings"


def full_campaign(tmp_path: Path, **changed: Any) -> dict[str, Any]:
    """A campaign of every target as it is read from its record."""
    counts = Counter({(name, RIGHT): 200 for name in command.TARGETS})
    counts["faults", CLEAR] = 20
    counts.update({(name, RIGHT): TRIES for name in command.HARD})
    counts.update(changed.pop("counts", {}))
    left_out = changed.pop("left_out", "")
    table = count_table(Counter({key: count for key, count in counts.items() if key[0] != left_out}))
    save_table(table, tmp_path, "fuzz", "python -m validation fuzz --calls 17000 --seed 11 12 13 --faults")
    found = load_campaign(tmp_path)
    assert found is not None
    return {**found, "sparsek": "0.1.0 (commit 49ad23520f7b)", **changed}


@pytest.mark.parametrize(
    ("changed", "points"),
    [
        ({}, []),
        ({"counts": {("SKFR", WRONG): 1}}, ["1 findings"]),
        ({"counts": {("faults", HANG): 2}}, ["2 findings"]),
        (
            {"calls": dict.fromkeys([*command.TARGETS, *command.HARD, "faults"], 10)},
            ["calls, fewer than 50,000", "tried fewer than 200 times: search killed, one folder"],
        ),
        (
            {"command": "python -m validation fuzz --calls 50000 --seed 1 --faults"},
            ["seeds: 1, fewer than 3"],
        ),
        ({"command": "python -m validation fuzz --calls 50000 --seed 1 1 1"}, ["seeds: 1, fewer than 3"]),
        ({"left_out": "plots.plot_dotplot()"}, ["never called: plots.plot_dotplot()"]),
        ({"left_out": "faults"}, ["faults were not tried"]),
        ({"left_out": "fork after fit"}, ["tried fewer than 200 times: fork after fit"]),
        ({"sparsek": "0.1.0 (commit 49ad23520f7b-dirty)"}, ["not of a clean commit"]),
        ({"sparsek": "0.1.0"}, ["not of a clean commit"]),
    ],
)
def test_what_a_campaign_lacks_is_named(tmp_path: Path, changed: dict[str, Any], points: list[str]) -> None:
    found = missing(full_campaign(tmp_path, **changed))
    assert len(found) == len(points)
    assert all(point in line for point, line in zip(points, found, strict=True))


def test_the_requirement_is_judged_by_the_record(tmp_path: Path) -> None:
    def lacks(campaign: dict[str, Any] | None) -> list[str]:
        (row,) = [row for row in requirement_rows([], None, campaign) if row["id"] == "FUZZ-1"]
        assert f"{CALLS:,} calls" in row["text"]
        return row["lacks"]

    assert lacks(None) == ["no campaign is recorded"]
    assert lacks(full_campaign(tmp_path)) == []
    assert lacks(full_campaign(tmp_path, left_out="KPod")) == ["never called: KPod"]


def test_centres_of_columns_without_values_may_be_missing() -> None:
    holes = X.copy()
    holes[:, 1] = np.nan
    holes[0, 1] = 3.0
    weights = np.ones(len(X))
    weights[0] = 0

    def check(model: Any) -> None:
        options = {"sample_weight": weights}
        invariants.check_finite(
            invariants.Fit(model, "", "array", holes, holes, options, [], np.random.default_rng(0))
        )

    model = sparsek.KPod(2, random_state=0).fit(holes, sample_weight=weights)
    assert np.isnan(model.cluster_centers_[:, 1]).all()
    check(model)
    model.cluster_centers_[0, 0] = np.nan
    with pytest.raises(invariants.Violation, match="cluster_centers_ has NaN"):
        check(model)


def test_searches_without_a_refit_are_compared_by_what_they_chose() -> None:
    search = sparsek.PermutationGap(
        sparsek.SKFR(2), "n_clusters", [2, 3], n_permutations=2, refit=False, random_state=0
    ).fit(X)
    other = sparsek.PermutationGap(
        sparsek.SKFR(2), "n_clusters", [2, 3], n_permutations=2, refit=False, random_state=0
    ).fit(X)
    assert invariants.same_labels(search, other)
    other.best_params_ = {"n_clusters": 9}
    assert not invariants.same_labels(search, other)


def test_tables_of_exceptions_name_what_there_is() -> None:
    for name, (parameter, value, reason) in invariants.UNIT_MATTERS.items():
        model = getattr(sparsek, name)(**{parameter: value})
        model._validate_params()
        assert reason
    assert set(functions.DIFFERENCES) <= set(functions.ON_DATA)


def test_equal_dissimilarities_are_joined_in_the_order_of_the_rows() -> None:
    assert invariants.has_ties(sparsek.COSA(2, regularization=1e-300).fit(X).dissimilarity_matrix_)
    assert not invariants.has_ties(sparsek.COSA(2).fit(X).dissimilarity_matrix_)
    assert not invariants.has_ties(None)
