"""A fit leaves nothing of an earlier one; a failed fit, and parameters that are set later, change nothing."""

import warnings
from contextlib import suppress

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import sparsek
from tests.variants import FIRST, SEARCHES, VARIANTS, make

RNG = np.random.default_rng(0)


def groups(n, p):
    """Rows of two groups in two of the columns."""
    X = RNG.normal(size=(n, p))
    X[: n // 2, :2] += 5
    return X


TABLE = pd.DataFrame(groups(30, 5), columns=list("abcde"))
X, NEW = groups(24, 4), groups(12, 4)
FORMS = [
    "SKFR(2, 3, loss='absolute')",
    "SKFR(2, 3, loss='cosine', standardize=False)",
    "SKFR(2, winsorize=2.0)",
    "KernelKMeans(kernel='linear')",
    "IFPCA(postselection='complete')",
    "MADDKMeans(variant='centroid', version=1)",
    "GeometricKMedians(algorithm='recursive')",
    "PowerKMeans(polish=True)",
]
EVERY = sorted(FIRST | SEARCHES, key=VARIANTS.index)
OTHER = {
    "n_clusters": 3,
    "n_features_to_select": 1,
    "l1_bound": 1.2,
    "alpha": 0.7,
    "gamma": 0.3,
    "power": 1,
    "width": 0.5,
    "max_iter": 1,
    "random_state": 5,
    "init": "maximin",
    "never": [0],
    "threshold": 0.9,
}
"""Other values of parameters that are numbers, or of any kind."""
ANSWERS = ("predict", "transform", "score", "predict_proba", "impute")
LEFT_OUT = ("estimator", "checkpoint", "memory_limit", "cache", "blas_threads", "n_jobs", "verbose")


def chosen(text):
    """An estimator with few starts and two clusters."""
    model = make(text)
    given = {"n_clusters": 2, "random_state": 0, "n_init": 1}
    return model.set_params(**{name: given[name] for name in given.keys() & model.get_params().keys()})


def others(model):
    """Other values of each parameter of a model, as far as its constraints, or `OTHER`, name them."""
    known = model.get_params(deep=False)
    for name in sorted(known.keys() - set(LEFT_OUT)):
        constraints = model._parameter_constraints.get(name, [])
        values = [value for one in constraints for value in sorted(getattr(one, "options", []), key=str)]
        values += [OTHER[name]] if name in OTHER else []
        values += [None] if None in constraints else []
        values += [not known[name]] if isinstance(known[name], bool) else []
        yield from ((name, value) for value in values if not same(value, known[name]))


def same(one, other):
    """Whether two values are of one type and equal, in all their parts."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return one.shape == other.shape and all(map(same, one.ravel(), other.ravel()))
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, pd.DataFrame | pd.Series | pd.Index):
        return one.equals(other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(type(one), "__slots__") and not hasattr(one, "__dict__"):
        names = [name for base in type(one).__mro__ for name in getattr(base, "__slots__", ())]
        return all(same(getattr(one, name, None), getattr(other, name, None)) for name in names)
    if hasattr(one, "__dict__") and not callable(one):
        return same(vars(one), vars(other))
    return callable(one) or one == other or one != one


def differing(one, other):
    """Names of the attributes of two models that are not the same."""
    names = vars(one).keys() | vars(other).keys()
    return sorted(
        name for name in names if not same(vars(one).get(name, names), vars(other).get(name, names))
    )


def quietly(call, *args, **named):
    """The result of a call, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **named)


@pytest.mark.parametrize("text", EVERY)
def test_a_second_fit_is_a_first_one(text) -> None:
    """After fits to other data with every other value of every parameter, one after the other."""
    model, fresh = chosen(text), quietly(chosen(text).fit, X)
    plain = model.get_params(deep=False)
    quietly(model.fit, TABLE)
    for name, value in others(model):
        if text not in SEARCHES or name in ("refit", "rule", "keep_fits", "method", "n_resamples"):
            with suppress(ValueError, TypeError):  # some values go with others only
                quietly(model.set_params(**{**plain, name: value}).fit, TABLE)
    quietly(model.set_params(**plain).fit, X)
    assert differing(model, fresh) == []


def answers(model):
    """What the methods of a fitted model give for new rows, and its own columns."""
    found = {name: quietly(getattr(model, name), NEW) for name in ANSWERS if hasattr(model, name)}
    for name in ("get_support", "get_feature_names_out"):
        if hasattr(model, name):
            found[name] = getattr(model, name)()
    return found | {"summary": quietly(model.summary)._repr_html_()}


@pytest.mark.parametrize("text", EVERY + FORMS)
def test_parameters_that_are_set_later_change_no_answer(text) -> None:
    model = quietly(chosen(text).fit, X)
    known, plain = answers(model), model.get_params(deep=False)
    changed = list(others(model))
    for values in (dict(changed), dict(reversed(changed))):  # the last and the first value of each
        model.set_params(**values)
        assert same(answers(model), known)
        assert same({name: model.get_params()[name] for name in values}, values)
    assert same(vars(model), vars(model.set_params(**plain)))


@pytest.mark.parametrize("text", EVERY)
def test_a_fit_that_fails_leaves_the_one_before(text) -> None:
    model, before = chosen(text), quietly(chosen(text).fit, X)
    quietly(model.fit, X)
    with pytest.raises((ValueError, TypeError)):
        quietly(model.fit, np.full((8, 3), np.inf))
    assert differing(model, before) == []


def test_rows_with_batches_groups_categories_weights_and_holes_leave_nothing() -> None:
    table = TABLE.assign(kind=pd.Categorical(np.repeat(["x", "y", "z"], 10)))
    table.iloc[3, 1] = np.nan
    batch = np.arange(30) % 2
    for text in ("SKFR(2, 2, n_init=1, random_state=0)", "SparseKMeans(2, l1_bound=1.5, n_init=1)"):
        model, fresh = make(text).set_params(random_state=0), make(text).set_params(random_state=0)
        quietly(model.fit, TABLE, sample_weight=np.arange(30) % 3, batch=batch)
        quietly(model.set_params(groups=list("uuvvw")).fit, TABLE)
        quietly(model.set_params(groups=None).fit, table.dropna())
        quietly(model.fit, X)
        assert differing(model, quietly(fresh.fit, X)) == []


def test_attributes_of_the_caller_and_of_scikit_learn_stay() -> None:
    model = sparsek.SKFR(2, 2, random_state=0).set_output(transform="pandas")
    model.note, model._note = "mine", "of another package"
    assert isinstance(quietly(model.fit, X).transform(X), pd.DataFrame)
    assert isinstance(quietly(model.fit, X).transform(X), pd.DataFrame)
    assert (model.note, model._note) == ("mine", "of another package")


def test_rows_for_a_recursion_begin_anew_after_another_algorithm() -> None:
    model = quietly(sparsek.GeometricKMedians(2, random_state=0).fit, TABLE)
    fresh = sparsek.GeometricKMedians(2, algorithm="recursive", random_state=0)
    quietly(model.set_params(algorithm="recursive").partial_fit, X)
    assert differing(model, quietly(fresh.partial_fit, X)) == []


def test_an_estimator_of_a_script_goes_to_other_processes() -> None:
    """Its class goes there by value, as that of nothing that can be imported."""
    script = {"__name__": "__main__"}
    exec(
        "import sparsek\n"
        "class Own(sparsek.SKFR):\n"
        "    def fit(self, X, y=None, sample_weight=None):\n"
        "        return super().fit(X, y, sample_weight)\n",
        script,
    )
    model = script["Own"](2, 2, random_state=0)
    known = model.fit(X).labels_
    assert cloudpickle.loads(cloudpickle.dumps(model)).fit(X).labels_.tolist() == known.tolist()
