"""The tables of constraints of all estimators: complete, checked before the data are looked at, and true."""

import inspect
import warnings
from fractions import Fraction
from numbers import Integral

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    Options,
    generate_invalid_param_val,
    generate_valid_param,
    make_constraint,
)
from sklearn.utils.estimator_checks import check_param_validation

import sparsek
from sparsek import DEC, SKFR, SparseKernelKMeans
from sparsek._registry import ESTIMATORS
from sparsek.inputs.arguments import Described, Numbers, Range
from tests.variants import SEARCHES, VARIANTS, make, one_of_each_body

MODELS = {type(model).__name__: model for model in map(make, reversed(VARIANTS))}
OTHERS = {"ConstraintSplitter": sparsek.ConstraintSplitter()}

PARAMETERS = [
    (name, parameter) for name, model in MODELS.items() for parameter in model.get_params(deep=False)
]
FLAGS = [
    (name, parameter)
    for name, parameter in PARAMETERS
    if "boolean" in MODELS[name]._parameter_constraints[parameter]
]
DATA = np.random.default_rng(0).normal(size=(24, 5)) + 4 * (np.arange(24)[:, None] < 12)


class Untouchable:
    """Data that fail the test when they are looked at."""

    def __getattribute__(self, name):
        raise AssertionError(f"the data were asked for {name}")


def constraints(name, parameter):
    return [make_constraint(entry) for entry in MODELS[name]._parameter_constraints[parameter]]


def refuses(name, parameter, value):
    """Whether `fit` refuses the value before it looks at the data."""
    model = clone(MODELS[name]).set_params(**{parameter: value})
    message = rf"The '{parameter}' parameter of {type(model).__name__} must be .* Got .* instead\."
    with pytest.raises(InvalidParameterError, match=message):
        model.fit(Untouchable())


def test_every_estimator_is_here():
    assert set(MODELS) == {row.name for row in ESTIMATORS}


@pytest.mark.parametrize("name", [*MODELS, *OTHERS])
def test_tables_have_the_parameters_and_allow_their_defaults(name):
    model = (MODELS | OTHERS)[name]
    signature = inspect.signature(type(model))
    assert set(model._parameter_constraints) == set(signature.parameters)
    model._validate_params()
    for parameter in signature.parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            clone(model).set_params(**{parameter.name: parameter.default})._validate_params()


@pytest.mark.parametrize("name", MODELS)
def test_scikit_learn_finds_every_parameter_validated(name):
    check_param_validation(name, MODELS[name])


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_a_flag_is_true_or_false(name, flag):
    for value in ("false", "False", 2, 0, 1.0, None):
        # SpectralGEM has a flag that may be None; IFPCA may keep its null scores in a folder named "false".
        if value is None and None in MODELS[name]._parameter_constraints[flag]:
            continue
        if isinstance(value, str) and flag == "cache":
            continue
        refuses(name, flag, value)
    for value in (True, False, np.True_):
        clone(MODELS[name]).set_params(**{flag: value})._validate_params()


def test_the_flags_of_the_issue_are_among_them():
    assert {
        *(
            ("SKFR", "standardize"),
            ("SKFR", "refine"),
            ("MinMaxKMeans", "refine"),
            ("PermutationGap", "refit"),
        ),
        *(("PCSparseKMeans", flag) for flag in ("label_seeds", "warm_labels", "penalties_in_weights")),
        *((name, "label_seeds") for name in ("PCKMeans", "MPCKMeans")),
    } <= set(FLAGS)


@pytest.mark.parametrize("name", MODELS)
def test_any_other_object_is_refused(name):
    for parameter in MODELS[name].get_params(deep=False):
        refuses(name, parameter, object())


@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_not_texts_nor_truth_values_nor_infinite(name):
    for parameter in MODELS[name].get_params(deep=False):
        for constraint in constraints(name, parameter):
            if isinstance(constraint, Range | Numbers):
                wrong = True, np.True_, "1", np.nan, -np.inf
                assert not any(constraint.is_satisfied_by(value) for value in wrong), parameter
                assert not constraint.is_satisfied_by(np.inf) or parameter == "memory_limit", parameter


@settings(max_examples=75)
@given(st.data())
def test_generated_values_are_accepted_or_refused(data):
    name, parameter = data.draw(st.sampled_from(PARAMETERS))
    found = constraints(name, parameter)
    constraint = data.draw(st.sampled_from(found))
    if isinstance(constraint, Described):  # only the model knows which values these are
        return
    model = clone(MODELS[name])
    valid = generate_valid_param(constraint)
    if isinstance(constraint, Interval):
        low = -(10**6) if constraint.left is None else constraint.left
        high = 10**6 + abs(low) if constraint.right is None else constraint.right
        numbers = st.integers(low, high) if constraint.type is Integral else st.floats(low, high)
        valid = data.draw(numbers.filter(constraint.is_satisfied_by))
    elif isinstance(constraint, Options):
        valid = data.draw(st.sampled_from(list(constraint.options)))
    if parameter != "estimator":  # a made-up object; that of the model is accepted
        model.set_params(**{parameter: valid})
    model._validate_params()
    try:
        invalid = generate_invalid_param_val(constraint)
    except NotImplementedError:  # nothing known that this kind refuses
        return
    if not any(other.is_satisfied_by(invalid) for other in found):
        refuses(name, parameter, invalid)


NAMED = {"kernel", "alpha", "learning_rate"}
"""What the errors name that come from several parameters, or from a parameter and the data."""


def fit_error(model):
    """The message of the ValueError that a fit ends with; empty without one."""
    try:
        model.fit(DATA)
    except ValueError as error:
        return str(error)
    return ""


def end_values(constraint):
    """Options that are no functions, truth values, None and the ends of intervals."""
    if isinstance(constraint, Options):
        # A function must take what is passed for this parameter, which no constraint says.
        return [option for option in constraint.options if not callable(option)]
    if not isinstance(constraint, Interval):
        return [value for value in (True, False, None) if constraint.is_satisfied_by(value)]
    inside = [(constraint.left, np.inf), (constraint.right, -np.inf)]
    ends = [end for end, _ in inside if end is not None and abs(end) < 1000]
    if constraint.type is not Integral:
        ends += [float(np.nextafter(end, towards)) for end, towards in inside if end is not None] + [1e300]
    return [end for end in ends if constraint.is_satisfied_by(end)]


QUICK = [
    name for name in MODELS if name not in ("PermutationGap", "EntryCrossValidation", "ConsensusClustering")
]
SEARCHERS = {text.partition("(")[0] for text in SEARCHES}
FIRST_QUICK = {
    type(model).__name__
    for model in one_of_each_body(MODELS[name] for name in reversed(QUICK) if name not in SEARCHERS)
}
"""Those whose fit and predict are the same lines refuse in the same places; searches fit many times."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FIRST_QUICK else pytest.mark.thorough) for name in QUICK]
)
def test_the_ends_of_the_ranges_work(name):
    """A fit, or an error that names the value: limits of the data or of other parameters."""
    for parameter in MODELS[name].get_params(deep=False):
        if parameter in ("checkpoint", "cache", "memory_limit", "verbose", "n_jobs", "alpha_step"):
            continue
        for value in (end for entry in constraints(name, parameter) for end in end_values(entry)):
            model = clone(MODELS[name])
            quick = {
                "n_init": 2,
                "n_clusters": 2,
                "n_features_to_select": 2,
                "l1_bound": 1.5,
                parameter: value,
            }
            model.set_params(**{key: quick[key] for key in quick if key in model.get_params()})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)
                message = fit_error(model)
            assert not message or any(
                text in message for text in (parameter, "kernel", "alpha", "learning_rate")
            )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (sparsek.SKFR(n_jobs="x"), "'n_jobs' parameter of SKFR must be an int .* Got 'x' instead"),
        (sparsek.SKFR(n_jobs=0), "'n_jobs' parameter of SKFR"),
        (sparsek.PermutationGap(None), "'estimator' parameter of PermutationGap must be .* Got None instead"),
        (sparsek.PermutationGap(sparsek.SKFR), "'estimator' parameter of PermutationGap"),
        (sparsek.StabilitySelection("SKFR"), "'estimator' parameter of StabilitySelection"),
        (sparsek.ConsensusClustering(None), "'estimator' parameter of ConsensusClustering"),
        (sparsek.SKFR(memory_limit="2 apples"), "'memory_limit' parameter .* a text such as '2GB'"),
    ],
)
def test_wrong_values_are_named_at_once(model, message):
    with pytest.raises(InvalidParameterError, match=message):
        model.fit(Untouchable())


LIMITS = {"l1_bound": ("sqrt(n_features)", 5**0.5), "n_features_to_select": ("n_features", 5)}
LIMITED = [(name, parameter) for name, parameter in PARAMETERS if parameter in LIMITS]


def fitted(name, parameter, value):
    """The fit of a variant of an estimator with this value."""
    quick = {"n_init": 2, "n_clusters": 2, "random_state": 0, parameter: value}
    model = clone(MODELS[name])
    return model.set_params(**{key: quick[key] for key in quick if key in model.get_params()}).fit(DATA)


@pytest.mark.parametrize(("name", "parameter"), LIMITED)
@settings(max_examples=3)
@given(above=st.integers(1, 10**6))
def test_too_much_is_the_most_that_is_possible_with_one_warning(name, parameter, above):
    what, most = LIMITS[parameter]
    wanted = int(most) + above
    with pytest.warns(UserWarning, match="is more than") as caught:
        model = fitted(name, parameter, wanted)
    (warning,) = [one for one in caught if "is more than" in str(one.message)]
    number = f"{most:.6g}"
    told = f"{parameter}={wanted} is more than {what}={number}: {number} is used, the largest possible value"
    assert str(warning.message) == told
    assert warning.filename == __file__
    exact = fitted(name, parameter, most)
    assert getattr(model, parameter) == wanted
    np.testing.assert_array_equal(model.get_support(), exact.get_support())
    if hasattr(exact, "labels_"):
        np.testing.assert_array_equal(model.labels_, exact.labels_)
        np.testing.assert_array_equal(model.feature_weights_, exact.feature_weights_)


def test_of_too_many_values_one_is_told():
    for kind in (sparsek.SparseMinMaxKMeans, SparseKernelKMeans, sparsek.SparseKMeans):
        estimator = kind(2, n_init=2)
        search = sparsek.PermutationGap(estimator, "l1_bound", [1.5, 8, 9], n_permutations=2, random_state=0)
        with pytest.warns(UserWarning, match="is more than") as caught:
            search.fit(DATA)
        assert len(caught) <= 2  # one for each value, where values are fitted one by one
        assert search.objectives_[1] == search.objectives_[2]
    with pytest.warns(UserWarning, match="l1_bound=9 is more than") as caught:
        path = sparsek.l1_bound_path(
            sparsek.SparseMinMaxKMeans(2, n_init=2, random_state=0), DATA, [8, 1.5, 9]
        )
    assert len(caught) == 1
    assert path.values.tolist() == [5**0.5, 1.5, 5**0.5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sparsek.skfr_path(sparsek.SKFR(standardize="false"), DATA),
            "'standardize' parameter of SKFR",
        ),
        (lambda: sparsek.skfr_path(sparsek.SKFR(), DATA, ["2"]), "'n_features_to_select' parameter of SKFR"),
        (
            lambda: sparsek.l1_bound_path(sparsek.SparseMinMaxKMeans(n_init=True), DATA),
            "'n_init' parameter of SparseMinMaxKMeans",
        ),
        (
            lambda: sparsek.l1_bound_path(sparsek.SparseMinMaxKMeans(), DATA, [np.nan]),
            "'l1_bound' parameter of SparseMinMaxKMeans",
        ),
        (lambda: sparsek.cosa_distances(DATA, tol="small"), "'tol' parameter of cosa_distances"),
        (lambda: sparsek.madd_distances(DATA, True), "'version' parameter of madd_distances"),
        (
            lambda: sparsek.cross_validate_constraints(None, DATA, np.zeros(24)),
            "'estimator' parameter of cross_validate_constraints",
        ),
        (
            lambda: sparsek.cross_validate_constraints(sparsek.PCKMeans(2), DATA, [0, 1] * 12, n_jobs="x"),
            "'n_jobs' parameter of cross_validate_constraints",
        ),
        (lambda: sparsek.init.robin(DATA, 2, crit="5"), "'crit' parameter of robin"),
        (lambda: sparsek.init.maximin(DATA, 2, first=None), "'first' parameter of maximin"),
        (lambda: sparsek.init.dkm_plus_plus(DATA, True), "'n_clusters' parameter of dkm_plus_plus"),
        (
            lambda: sparsek.init.random_rows(DATA, 2, random_state="1"),
            "'random_state' parameter of random_rows",
        ),
        (
            lambda: sparsek.init.kmeans_plus_plus(DATA, 2, n_local_trials="all"),
            "'n_local_trials' parameter of kmeans_plus_plus",
        ),
        (lambda: sparsek.init.seeding(DATA, 2, fill=True), "'fill' parameter of seeding"),
        (
            lambda: sparsek.ConstraintSplitter(n_draws="3").split(DATA, np.zeros(24)).__next__(),
            "'n_draws' parameter of ConstraintSplitter",
        ),
    ],
)
def test_functions_refuse_the_same(call, message):
    with pytest.raises(InvalidParameterError, match=message):
        call()


@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (lambda: SKFR(2, anneal=True), "anneal any more; leave it out"),
        (lambda: SKFR(2).set_params(anneal=False), "anneal any more; leave it out"),
        (lambda: SKFR(2, power=1), "power any more; init='paper' draws"),
        (lambda: SKFR(2, init_on="raw"), "init_on any more; starts but the screened ones"),
    ],
)
def test_a_parameter_that_is_gone_says_what_to_do(make, remedy):
    with pytest.raises(TypeError, match=f"SKFR has no parameter {remedy}"):
        make()


def test_the_settings_of_the_paper_can_be_changed():
    model = SKFR.paper(3, 2, missing="observed", n_init=5)
    expected = SKFR(3, 2, init="paper", standardize=True, missing="observed", n_init=5)
    assert model.get_params() == expected.get_params()


@pytest.mark.parametrize(
    "estimator",
    [
        sparsek.SparseKernelKMeans(2, kernel=object),
        sparsek.KernelKMeans(2, kernel=object),
        sparsek.SKFR(2, projection=object),
        sparsek.SKFR(2, init=object),
        sparsek.PermutationGap(sparsek.SKFR(2), "n_clusters", [2], objective=object),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_class_is_no_function(estimator):
    with pytest.raises(InvalidParameterError, match=r"a function.*Got <class 'object'> instead"):
        estimator.fit(DATA)


def test_numpy_scalars_and_fractions_are_numbers():
    for value in (np.int32(3), np.float32(0.5), np.float64(0.5), Fraction(1, 2), 1.0, 1):
        sparsek.SKFR(n_features_to_select=value)._validate_params()
    sparsek.SKFR(ddof=np.int8(0), winsorize=np.float16(4))._validate_params()


def test_messages_list_the_names_in_the_order_of_the_documentation():
    message = r"must be a str among \{'observed', 'mm'\}\. Got 'none' instead\."
    with pytest.raises(InvalidParameterError, match=message):
        sparsek.SKFR(missing="none").fit(DATA)


def test_numpys_small_integers_do_not_overflow() -> None:
    X = np.random.default_rng(0).normal(size=(37, 4))
    options = {"n_init": 2, "random_state": 0}
    models = SKFR(**options), SKFR(scope="local", **options), sparsek.SparseKMeans(**options)
    for small in (model.set_params(n_clusters=np.int8(2)) for model in models):
        plain = clone(small).set_params(n_clusters=2)
        assert small.fit(X).labels_.tolist() == plain.fit(X).labels_.tolist()
    with pytest.raises(MemoryError, match="memory_limit allows 2"):
        SparseKernelKMeans(1, memory_limit=np.int8(2)).fit(X)


@pytest.mark.parametrize("sizes", [np.array(2), [(1, 2), 3], [[1], [2]], "ab"])
def test_sizes_of_layers_are_one_sequence(sizes: object) -> None:
    with pytest.raises(ValueError, match="'hidden_sizes' parameter of DEC must be a sequence"):
        DEC(2, hidden_sizes=sizes).fit(np.ones((5, 2)))
