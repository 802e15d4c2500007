"""`python -m validation kernels`: which settings run, which are skipped and why, and what a failure does."""

from __future__ import annotations

from pathlib import Path

import pytest

from validation import __main__ as command
from validation import kernels, suite
from validation.kernels import NO_VECTORS, SETTINGS, State

AVX512 = State(("SkylakeX", "SkylakeX"), ("X86_V3", "X86_V4"))
AVX2 = State(("Haswell", "Haswell"), ("X86_V3",))
SSE = State(("Katmai", "Katmai"), ("X86_V3",))


def machine(own, **settings):
    """A stand-in for `probe`: what computes by itself and under the settings, None where the process dies."""

    def probe(environment):
        if "NPY_DISABLE_CPU_FEATURES" in environment:
            return settings[NO_VECTORS.replace("-", "_")]
        return settings[environment["OPENBLAS_CORETYPE"]] if environment else own

    return probe


SERVER = machine(
    AVX512,
    Haswell=State(AVX2.kernels, AVX512.loops),
    Zen=State(AVX2.kernels, AVX512.loops),
    SkylakeX=AVX512,
    Prescott=State(SSE.kernels, AVX512.loops),
    no_vector_loops=State(AVX512.kernels, ()),
)
LAPTOP = machine(
    AVX2, Haswell=AVX2, Zen=AVX2, SkylakeX=None, Prescott=SSE, no_vector_loops=State(AVX2.kernels, ())
)
NO_OPENBLAS = State((), ())
OTHER_BLAS = machine(
    NO_OPENBLAS, **dict.fromkeys(("Haswell", "Zen", "SkylakeX", "Prescott", "no_vector_loops"), NO_OPENBLAS)
)
ONE_KERNEL = machine(
    AVX2, **dict.fromkeys(("Haswell", "Zen", "SkylakeX", "Prescott", "no_vector_loops"), AVX2)
)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command on a machine; the settings in `failing` fail. Gives exit code, settings run, output."""

    def run(probe, *arguments, failing=()):
        ran = []

        def run_tests(file, options, environment, n_jobs):
            assert options[:2] == ["-m", "not slow"]
            ran.append((file.name, environment, options[2:]))
            return file.name not in failing, "outcomes"

        monkeypatch.setattr(kernels, "probe", probe)
        monkeypatch.setattr(kernels, "run_tests", run_tests)
        code = command.main(["kernels", *arguments])
        return code, ran, capsys.readouterr()

    return run


def test_all_settings_that_differ_run_on_a_processor_with_all_instructions(run):
    code, ran, shown = run(SERVER, "tests/methods", "-k", "cycle")
    assert code == 0
    assert [name for name, _, _ in ran] == ["Haswell", "SkylakeX", "Prescott", NO_VECTORS]
    assert [given for _, given, _ in ran] == [
        {"OPENBLAS_CORETYPE": "Haswell"},
        {"OPENBLAS_CORETYPE": "SkylakeX"},
        {"OPENBLAS_CORETYPE": "Prescott"},
        {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"},
    ]
    assert all(tests == ["tests/methods", "-k", "cycle"] for _, _, tests in ran)
    assert shown.out.splitlines() == [
        "Haswell: passed: outcomes",
        "Zen: skipped, the same code as Haswell",
        "SkylakeX: passed: outcomes",
        "Prescott: passed: outcomes",
        "no-vector-loops: passed: outcomes",
    ]


def test_a_kernel_that_the_processor_cannot_run_is_named_and_skipped(run):
    code, ran, shown = run(LAPTOP)
    assert code == 0
    assert [name for name, _, _ in ran] == ["Haswell", "Prescott", NO_VECTORS]
    assert "SkylakeX: skipped, this processor cannot run it" in shown.out.splitlines()


@pytest.mark.parametrize(
    ("probe", "expected"),
    [(SERVER, ["Haswell", "Prescott"]), (LAPTOP, ["Prescott", NO_VECTORS])],
)
def test_others_are_the_first_that_differ_from_the_machines_own(run, probe, expected):
    code, ran, _ = run(probe, "--others", "2", "tests/methods")
    assert code == 0
    assert [name for name, _, _ in ran] == expected


def test_where_nothing_can_run_nothing_passes(run):
    code, ran, shown = run(OTHER_BLAS)
    assert (code, ran) == (2, [])
    assert shown.out.count("skipped, numpy and scipy are not linked to OpenBLAS here") == 4
    assert "no-vector-loops: skipped, numpy uses no vector loops that can be switched off here" in shown.out
    assert shown.err == "error: no setting can run here\n"


def test_a_setting_without_effect_is_skipped(run):
    code, ran, shown = run(ONE_KERNEL, "--only", f"Prescott,SkylakeX,{NO_VECTORS}")
    assert (code, ran) == (2, [])
    assert "Prescott: skipped, OpenBLAS runs Haswell instead" in shown.out
    assert "SkylakeX: skipped, OpenBLAS runs Haswell instead" in shown.out
    assert "no-vector-loops: skipped, numpy keeps its loops X86_V3" in shown.out


def test_a_failure_under_one_setting_fails_the_command_after_the_others_ran(run):
    code, ran, shown = run(SERVER, failing=["Haswell"])
    assert code == 1
    assert len(ran) == 4
    assert "Haswell: FAILED: outcomes" in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "Haswell,Zen5"], "'Zen5' is none of Haswell, Zen, SkylakeX, Prescott, no-vector-loops"),
        (["--others", "0"], "must be at least 1; got 0"),
    ],
)
def test_unknown_settings_are_refused(run, capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        run(SERVER, *arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.thorough
def test_the_probe_and_pytest_run(monkeypatch, tmp_path):
    own = kernels.probe({})
    assert own is not None
    assert kernels.probe({"PYTHONHOME": str(tmp_path)}) is None  # the process ends with an error
    switched = kernels.probe(kernels.variables(NO_VECTORS, own))
    assert switched == State(own.kernels, ())
    monkeypatch.setattr(suite, "ROOT", tmp_path)
    file = tmp_path / "kernels" / "Haswell"
    names = {"OPENBLAS_CORETYPE": "Haswell"}
    (tmp_path / "test_it.py").write_text(
        "import os\n\n\ndef test_setting():\n    assert os.environ['OPENBLAS_CORETYPE'] == 'Haswell'\n",
        encoding="utf-8",
    )
    passed, line = suite.run_tests(file, ["test_it.py"], names, "0")
    assert passed
    assert line.startswith("1 passed, 0 failed, 0 skipped; 0.")
    passed, line = suite.run_tests(file, ["test_it.py"], {"OPENBLAS_CORETYPE": "Zen"}, "0")
    assert not passed
    assert line.startswith("0 passed, 1 failed, 0 skipped; 0.")
    assert "pytest ended with 1, see kernels/Haswell.txt\n  FAILED test_it.py::test_setting" in line
    passed, line = suite.run_tests(file, ["gone.py"], names, "0")
    assert not passed
    assert "0 passed, 0 failed" in line or "no outcomes" in line


def test_the_page_names_every_setting():
    page = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
    assert [name for name in SETTINGS if f"`{name}`" not in page] == []
