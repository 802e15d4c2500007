"""The fuzzing campaign finds planted faults of fits that depend on what must not matter."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sparsek
from validation.fuzz import sameness, values
from validation.fuzz.invariants import Fit
from validation.fuzz.judge import Violation

X = values.blobs(np.random.default_rng(0))
FITTED: dict[int, Any] = {}
"""Objects that were fitted before; they live on, so that no number is used twice."""


class SKFR(sparsek.SKFR):
    """A method with a fault, of the name that the invariants know."""

    fault = ""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "SKFR":  # type: ignore[override]
        super().fit(X, sample_weight=sample_weight)
        wrong = {
            "weights": sample_weight is not None and np.sum(sample_weight) < 2,
            "precision": np.asarray(X).dtype == np.float32,
            "groups": self.groups is not None,
        }
        if self.fault == "state" and id(self) in FITTED:
            self.earlier_ = 1
        FITTED[id(self)] = self
        if wrong.get(self.fault):
            self.labels_ = np.roll(self.labels_, 1)
        self._told = repr(self.get_params())
        return self

    def predict(self, X: Any) -> Any:  # type: ignore[override]
        found = super().predict(X)
        return found + 1 if self.fault == "later" and self._told != repr(self.get_params()) else found

    def get_support(self, indices: bool = False) -> Any:
        found = super().get_support(indices)
        return found & (np.arange(len(found)) != found.argmax()) if self.fault == "share" else found


def fit_of(fault: str) -> Fit:
    """A fit of the planted method."""
    model = SKFR(3, 2, n_init=2, standardize=True, ddof=0, random_state=0).fit(X)
    return Fit(model, "blobs", "array", X, X, {}, [], np.random.default_rng(1))


@pytest.mark.filterwarnings("ignore::sparsek.errors.PrecisionWarning", "ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(
    ("fault", "invariant"),
    [
        ("state", sameness.after_another),
        ("later", sameness.before_parameters),
        ("weights", sameness.with_small_weights),
        ("precision", sameness.in_single_precision),
        ("share", sameness.with_a_share),
        ("groups", sameness.with_groups_of_one),
    ],
)
def test_faults_are_found(
    fault: str, invariant: Callable[[Fit], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    invariant(fit_of(""))
    monkeypatch.setattr(SKFR, "fault", fault)
    with pytest.raises(Violation):
        invariant(fit_of(fault))


def test_every_invariant_has_a_planted_fault() -> None:
    (marks,) = [m for m in test_faults_are_found.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]
    assert {invariant for _, invariant in marks.args[1]} == set(sameness.UNCHANGED)
