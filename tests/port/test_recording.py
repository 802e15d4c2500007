"""Reading of recordings, and the driver of Python scripts."""

from pathlib import Path

import numpy as np
import pytest

from sparsek.port import recording
from sparsek.port.recording import ScriptError, Statement, common, read_recording, run_python, run_r
from tests.port.scripts import PORT, lines_of, plain

SCRIPT = Path("s.R")
BEGIN = ("state", {"value": None, "seeded": False})
STATEMENT = ("statement", {"line": 3, "text": "f(\n1)"})
STATE = ("state", {"value": "1 2", "seeded": True})
END = ("check", {"name": "", "line": 0})


def record(tmp_path: Path, text: str) -> recording.Recording:
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    return run_python(script)


def test_a_recording_is_read() -> None:
    numbers = ("numbers", {"field": "$m", "dim": [2, 2], "values": "0x1p+0 NA -Inf -0x0p+0"})
    texts = ("texts", {"field": "$t", "values": ["u"]})
    objects = [("object", {"name": "f"}), ("object", {"name": "x"}), numbers, texts]
    found = read_recording(SCRIPT, lines_of(BEGIN, STATEMENT, STATE, END, *objects))
    assert found.statements == [Statement(3, "f(\n1)", "1 2", True)]
    assert found.checks[""].objects["f"] == {}
    expected = {"$m": np.array([[1.0, -np.inf], [np.nan, -0.0]]), "$t": ["u"]}
    assert plain(found.checks[""].objects["x"]) == plain(expected)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([BEGIN, STATEMENT, ("error", {"message": "no"})], r"s.R fails in line 3: f\( ...\n  no"),
        ([("error", {"message": "no"})], "s.R cannot be read: no"),
        ([BEGIN, STATEMENT], r"s.R fails in line 3: f\( ...\n  the script ends here, .*; exit code 7"),
        ([BEGIN, ("check", {"name": "a", "line": 1}), ("check", {"name": "a", "line": 9}), END],
         "s.R, line 9: the check 'a' is there twice"),
    ],
)  # fmt: skip
def test_scripts_that_fail(entries: list, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        read_recording(SCRIPT, lines_of(*entries), "exit code 7")


def test_spellings() -> None:
    assert [common(name) for name in ("km.fit", "km_fit", "lambda", "lambda_")] == [
        "km_fit",
        "km_fit",
        "lambda",
        "lambda",
    ]


def test_long_statements_are_cut() -> None:
    assert Statement(1, "x" * 200, None, False).shown() == f"line 1: {'x' * 100} ..."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a = 1\nb = (2 +\n1 / 0)",
            r"fails in line 2: b = \(2 \+ ...\n  ZeroDivisionError: division by zero",
        ),
        ("a = (", "cannot be read: SyntaxError: .* was never closed"),
        (
            "import sys\nsys.exit(3)",
            r"fails in line 2: sys.exit\(3\)\n  the script ends here, .*; exit code 3",
        ),
        ("# check: a\n# check: a", "line 2: the check 'a' is there twice"),
    ],
)
def test_python_scripts_that_fail(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        record(tmp_path, text)


def test_scripts_and_programs_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ScriptError, match=r"there is no file .*a\.py"):
        run_python(tmp_path / "a.py")
    monkeypatch.setattr(recording.shutil, "which", lambda name: None)
    with pytest.raises(ScriptError, match="Rscript is not found: install R, or add"):
        run_r(tmp_path / "a.R")


def test_a_python_script_runs_as_by_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside.py").write_text("value = 5\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    text = """import sys
from pathlib import Path
from beside import value
name = [__name__, Path(__file__).name, Path.cwd().name, sys.argv[0][-9:]]
def class_of():
    return sys.modules["__main__"].value
found = class_of()
_private = 1
print("not shown")
"""
    found = record(tmp_path, text).checks[""].objects
    assert {name: plain(fields) for name, fields in found.items() if fields} == {
        "value": plain({"": np.array([5.0])}),
        "name": {"": ["__main__", "script.py", "elsewhere", "script.py"]},
        "found": plain({"": np.array([5.0])}),
    }


def test_states_and_seeds_of_a_python_script(tmp_path: Path) -> None:
    text = """from sparsek import rcompat
from sparsek.rng import RRandom
rcompat.set_seed(1)
rcompat.runif(1)
own = RRandom(3).runif(2)
def f():
    rcompat.set_seed(1)
f()
"""
    found = record(tmp_path, text)
    states = [statement.state for statement in found.statements]
    assert (found.before, states[:2]) == (None, [None, None])
    assert states[2] == states[6] != states[3] == states[4] == states[5]
    assert [statement.seeded for statement in found.statements] == [
        False,
        False,
        True,
        False,
        True,
        False,
        True,
    ]


def test_objects_of_a_python_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    text = PORT + "lists = [[1, 2], ['a'], []]\nnothing = None\n"
    text += "odd = [1, 'a']\ndates = pd.to_datetime(['2020-01-01'])\n"
    script.write_text(text, encoding="utf-8")
    found = run_python(script, ["lists", "kind", "odd", "dates", "nothing", "whole"]).checks[""].objects
    assert set(found) == {"lists", "kind", "odd", "dates", "nothing", "whole"}
    assert plain(found["lists"]) == plain({"[[1]]": np.array([1.0, 2.0]), "[[2]]": ["a"]})
    assert found["kind"] == {"": ["low", 'hält "x"\\\n']}
    expected = {"": np.array([[1.5, 1.0], [np.nan, 0.0]]), " column names": ["a", "b"]}
    assert plain(found["whole"]) == plain(expected)
    assert found["dates"] == found["nothing"] == {}
    assert plain(found["odd"]) == plain({"[[1]]": np.array([1.0]), "[[2]]": ["a"]})


def test_what_counts_from_0(tmp_path: Path) -> None:
    found = record(
        tmp_path,
        """import numpy as np
from sparsek import rcompat
for i in range(3):
    k = i
    for u, (v, w) in enumerate([(1, 2)]):
        t = max(j for j in range(3))
j = 5
best = np.argmax([1, 3, 2])
first, rest = np.argsort([3, 1, 2])[:1], 7
rest = 8
def f():
    for hidden in range(3): pass
""",
    )
    assert found.loops == {"i", "u", "v", "w"}
    assert found.positions == {"best", "first", "t"}
    assert not found.free_signs


def test_names_and_calls_of_results(tmp_path: Path) -> None:
    text = """import pandas as pd
from sparsek import rcompat
x = pd.DataFrame({"u": [1.0, 2, 8], "v": [2.0, 1, 9]}, index=list("abc"))
tree = rcompat.hclust(rcompat.dist(x))
groups = rcompat.cutree(tree, 2)
counts = rcompat.table(groups)
"""
    objects = record(tmp_path, text).checks[""].objects
    assert objects["x"][" row names"] == objects["groups"][" names"] == ["a", "b", "c"]
    assert objects["x"][" column names"] == ["u", "v"]
    assert objects["counts"][" names"] == ["1", "2"]
    assert "$call" not in objects["tree"]  # R's calls are no data either
