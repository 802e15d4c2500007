"""Public names are loaded at first use, and the stub for type checkers lists the same names."""

import ast
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sparsek
from sparsek._registry import ESTIMATORS

STUB = Path(sparsek.__file__).with_suffix(".pyi")
SCRATCH = """\
import sparsek
from sparsek import SKFR, skfr_path

model = SKFR(3, n_features_to_select=2).fit([[1.0, 2.0]])
reveal_type(model)
reveal_type(model.labels_)
skfr_path.nothing
""" + "".join(f"sparsek.{row.name}(misspelt=1)\n" for row in ESTIMATORS)


def run_python(code: str) -> str:
    """Output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def stub_imports() -> dict[str, str]:
    """Name to module, from the imports of the stub."""
    found = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name: str(node.module) for alias in node.names}
    return found


def test_the_stub_names_what_the_package_has() -> None:
    names = {name: f"sparsek.{module}" for name, module in sparsek._MODULES.items()}
    assert stub_imports() == names | dict.fromkeys(sparsek._SUBMODULES, "sparsek")
    (exported,) = [
        ast.literal_eval(node.value)
        for node in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    ]
    assert sorted(exported) == sorted(sparsek.__all__)


@pytest.mark.parametrize("name", sorted(sparsek._MODULES))
def test_a_name_is_what_its_module_defines(name: str) -> None:
    item = getattr(sparsek, name)
    assert item is getattr(import_module(item.__module__), name)
    assert item.__module__ == f"sparsek.{sparsek._MODULES[name]}"
    assert name in dir(sparsek)
    assert pickle.loads(pickle.dumps(item)) is item


@pytest.mark.parametrize("name", sorted(sparsek._SUBMODULES))
def test_completion_lists_public_names_only(name: str) -> None:
    module = import_module(f"sparsek.{name}")
    assert dir(module) == sorted(module.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'sparsek' has no attribute 'SKFRR'"):
        sparsek.SKFRR  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'SKFRR'"):
        from sparsek import SKFRR  # noqa: F401


@pytest.mark.thorough
def test_import_loads_nothing() -> None:
    assert run_python("import sys, sparsek; print('numpy' in sys.modules, 'sklearn' in sys.modules)") == (
        "False False"
    )
    loaded = run_python(
        "import sys; from sparsek import SKFR\n"
        "print('sparsek.methods.dec.estimator' in sys.modules, 'matplotlib' in sys.modules)"
    )
    assert loaded.split()[:2] == ["False", "False"]


def test_a_fit_to_an_array_loads_nothing_for_rows_elsewhere() -> None:
    loaded = run_python(
        "import sys, numpy as np; from sparsek import SKFR, KPod, SparseKMeans\n"
        "X = np.random.default_rng(0).normal(size=(30, 3))\n"
        "for make in (SKFR(2, 2), SparseKMeans(2, l1_bound=1.2), KPod(2)):\n"
        "    make.set_params(n_init=2, random_state=0).fit(X).predict(X)\n"
        "where = tuple(f'sparsek.sources.{name}' for name in ('files', 'dask', 'sites'))\n"
        "print([name for name in sys.modules if name.startswith(where)])"
    )
    assert loaded.splitlines()[-1] == "[]"


@pytest.mark.thorough
def test_star_import_and_submodules() -> None:
    code = (
        "import sparsek; print(sparsek.rcompat.runif.__name__, sparsek.errors.RError.__name__)\n"
        "from sparsek import *; print(all(name in globals() for name in sparsek.__all__))"
    )
    assert run_python(code) == "runif RError\nTrue"


@pytest.mark.thorough
def test_mypy_sees_the_types(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is not installed (make lint)")
    (tmp_path / "scratch.py").write_text(SCRATCH, encoding="utf-8")
    config = tmp_path / "mypy.ini"
    others = "sklearn.*,scipy.*,pandas.*,matplotlib.*,dask.*,joblib.*,narwhals.*"
    # Not asked for, nor are their stubs.
    skipped = "follow_imports = skip\nfollow_imports_for_stubs = True\n"
    config.write_text(f"[mypy]\n[mypy-{others}]\n{skipped}", encoding="utf-8")
    cache = str(tmp_path / "cache")
    shown, _, _ = api.run([str(tmp_path), "--config-file", str(config), "--cache-dir", cache])
    lines = [line for line in shown.splitlines() if "scratch.py:" in line]
    assert 'Revealed type is "sparsek.methods.skfr.estimator.SKFR"' in lines[0]
    assert "signedinteger" in lines[1]
    assert "[attr-defined]" in lines[2]
    refused = [line for line in lines if "[call-arg]" in line and "Unexpected keyword" in line]
    for row, line in zip(ESTIMATORS, refused, strict=True):
        assert f'Unexpected keyword argument "misspelt" for "{row.name}"' in line
