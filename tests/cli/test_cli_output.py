"""Where results go: folders that are refused, runs at once, signals; and what is printed or written."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek._printable import printable
from sparsek._signals import undisturbed
from sparsek.cli import _checks, _folder
from sparsek.cli._cells import InputError, ReadOptions
from sparsek.cli._folder import check_folder, new_folder
from sparsek.cli._messages import Stopped, stopped_by_signals
from sparsek.cli._read import read_table
from sparsek.cli._write import as_text_cell
from tests.cli.cli_runner import a_result, error_of, make_frame, run
from tests.places import ROOT


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    make_frame().to_csv(file)
    return file


def command(data: Path, out: object) -> list[object]:
    return ["fit", data, "--k", 3, "--id-col", "id", "--n-init", 2, "--no-plots", "--out", out]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_folder_that_one_is_in_is_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for out in (".", "..", "/", tmp_path / "here", "../here"):
        for force in ([], ["--force"]):
            assert "is the folder that you are in, or around it" in error_of(*command(data, out), *force)
    assert names(tmp_path) == ["data.csv", "here"]


def test_a_link_stays_and_its_folder_holds_the_results(data: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link = tmp_path / "link"
    link.symlink_to("far/result")
    run(*command(data, link))
    assert "result holds results already" in error_of(*command(data, link)).replace(
        "link holds", "result holds"
    )
    run(*command(data, link), "--force")
    assert link.is_symlink()
    assert names(tmp_path / "far") == ["result"]
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert "loop is a file; name a folder" in error_of(*command(data, loop))


def holding_folder(out: Path) -> None:
    (out / "labels.csv").mkdir()
    (out / "labels.csv" / "thesis.tex").write_text("precious")


def holding_link(out: Path) -> None:
    (out / "labels.csv").symlink_to(out.parent / "data.csv")


def holding_data_of_others(out: Path) -> None:
    (out / "labels.csv").write_text("precious")


def holding_a_result_of_others(out: Path) -> None:
    (out / "result.json").write_text("[1]")


def holding_a_result_that_names_sparsek(out: Path) -> None:
    (out / "result.json").write_text('{"sparsek": "we like it", "data": {}, "parameters": {}, "checks": {}}')


@pytest.mark.parametrize(
    "fill",
    [
        holding_folder,
        holding_link,
        holding_data_of_others,
        holding_a_result_of_others,
        holding_a_result_that_names_sparsek,
    ],
)
def test_force_removes_nothing_that_sparsek_did_not_write(data: Path, tmp_path: Path, fill: object) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert callable(fill)
    fill(out)
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    assert "name another folder" in error_of(*command(data, out), "--force")
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_the_data_are_not_replaced(data: Path, tmp_path: Path) -> None:
    run(*command(data, tmp_path / "out"))
    inside = tmp_path / "out" / "centers.csv"
    line = error_of("fit", inside, "--k", 2, "--id-col", 1, "--out", tmp_path / "out", "--force")
    assert "centers.csv, which is read; name another folder" in line
    assert inside.exists()


def test_an_empty_folder_is_filled(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    run(*command(data, tmp_path / "out"))
    assert names(tmp_path) == ["data.csv", "out"]


def fill(folder: Path, text: str, force: bool, ready: threading.Barrier, errors: list[Exception]) -> None:
    """Put a result into a folder, after all others have written theirs too."""
    try:
        with new_folder(folder, force) as new:
            (new / "result.json").write_text(json.dumps(a_result(sparsek=text)))
            (new / "labels.csv").write_text(text)
            ready.wait()
    except Exception as error:
        errors.append(error)


@pytest.mark.parametrize("force", [False, True])
def test_runs_at_once(tmp_path: Path, force: bool) -> None:
    folder = tmp_path / "out"
    for _ in range(20):
        ready, errors = threading.Barrier(8), []
        runs = [
            threading.Thread(target=fill, args=(folder, str(number), force, ready, errors))
            for number in range(8)
        ]
        for thread in runs:
            thread.start()
        for thread in runs:
            thread.join()
        # Without --force one run wins, and the others say so; with it the last one wins.
        assert [type(error) for error in errors] == [InputError] * (0 if force else 7)
        assert all("holds results already" in str(error) for error in errors)
        assert names(tmp_path) == ["out"]
        winner = (folder / "labels.csv").read_text()
        assert json.loads((folder / "result.json").read_text())["sparsek"] == winner
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def test_what_appears_in_the_folder_meanwhile_is_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    def meanwhile() -> None:
        with new_folder(folder, force=True) as new:
            (new / "result.json").write_text(json.dumps(a_result()))
            (folder / "thesis.tex").write_text("precious")

    with pytest.raises(InputError, match=r"holds thesis.tex, which sparsek did not write"):
        meanwhile()
    assert names(tmp_path) == ["out"]
    assert (folder / "thesis.tex").read_text() == "precious"


def test_a_folder_that_must_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_folder.os, "access", lambda *_: False)  # the super-user may write everywhere
    with pytest.raises(InputError, match="must not be written"):
        check_folder(tmp_path / "out", force=False)


needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows ends processes without a signal")


@needs_signals
def test_signals_wait_for_what_must_not_be_disturbed(tmp_path: Path) -> None:
    done = []

    def stopped() -> None:
        with stopped_by_signals(), new_folder(tmp_path / "out", force=False) as new:
            (new / "labels.csv").write_text("")
            with undisturbed():
                signal.raise_signal(signal.SIGTERM)
                done.append(1)
            done.append(2)

    with pytest.raises(Stopped):
        stopped()
    assert done == [1]
    assert names(tmp_path) == []
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def children(process: int) -> list[int]:
    """Numbers of all processes below a process, as Linux shows them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it ended meanwhile
            continue
        if int(parent) == process and state != "Z":
            found += [int(folder.name), *children(int(folder.name))]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_sigterm_ends_workers_and_leaves_nothing(data: Path, tmp_path: Path) -> None:
    # A folder that is written while the signal comes: the run stops in the middle of its fits.
    arguments = [
        "tune",
        data,
        "--k",
        "2:9",
        "--select",
        2,
        "--criterion",
        "gap",
        "--permutations",
        5000,
        "--id-col",
        "id",
        "--n-jobs",
        2,
    ]
    command = [sys.executable, "-c", "from sparsek.cli import main; main()", *map(str, arguments)]
    started = subprocess.Popen(
        [*command, "--out", tmp_path / "out"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 100
    while len(workers := children(started.pid)) < 3 and time.monotonic() < until:  # two and what watches them
        time.sleep(0.1)
    started.send_signal(signal.SIGTERM)
    out, err = started.communicate(timeout=100)
    assert (started.returncode, out, err) == (143, "", "sparsek: stopped by SIGTERM\n")
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < until:
        time.sleep(0.1)
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    assert names(tmp_path) == ["data.csv"]


def test_formulas_become_texts_on_request(tmp_path: Path) -> None:
    frame = make_frame().set_axis(["=a", "+b", "-c", "@d", "e", "f"], axis=1)
    hidden = ["\n=1", "\uff1d1", "\u200b=1", "\ufeff=1", "\u00a0=1", " \uff0d1", "\u22121", " \x1f@a"]
    assert [as_text_cell(text) for text in hidden] == [f"'{text}" for text in hidden]
    assert [as_text_cell(text) for text in ("a=1", "\u00a0a", "\uff11", "", " ")] == [
        "a=1",
        "\u00a0a",
        "\uff11",
        "",
        " ",
    ]
    ids = ["=1+1", "+x", "-y", "@z", "\tt", "\rr", "-5", "+1e3", "u", ""]
    frame.index = pd.Index([*ids, *frame.index[10:]], name="id")
    data = tmp_path / "data.csv"
    frame.to_csv(data, quoting=csv.QUOTE_NONNUMERIC)
    fit = ["fit", data, "--k", 3, "--select", 2, "--id-col", "id", "--n-init", 2, "--no-plots"]
    run(*fit, "--out", tmp_path / "plain")
    run(*fit, "--out", tmp_path / "safe", "--safe-csv")
    texts = {"dtype": str, "keep_default_na": False}
    plain, safe = (pd.read_csv(tmp_path / name / "labels.csv", **texts) for name in ("plain", "safe"))
    assert plain["id"].tolist()[:10] == ids
    assert safe["id"].tolist()[:10] == ["'=1+1", "'+x", "'-y", "'@z", "'\tt", "'\rr", "-5", "+1e3", "u", ""]
    assert plain["cluster"].tolist() == safe["cluster"].tolist()
    plain, safe = (pd.read_csv(tmp_path / name / "centers.csv", **texts) for name in ("plain", "safe"))
    assert safe["feature"].tolist() == ["'=a", "'+b", "'-c", "'@d", "e", "f"]
    assert safe.iloc[:, 1:].to_numpy().tolist() == plain.iloc[:, 1:].to_numpy().tolist()
    safe = pd.read_csv(tmp_path / "safe" / "features.csv")
    assert {"'=a", "'+b", "e"} <= set(safe["feature"])
    assert safe["weight"].dtype == np.float64
    assert "spreadsheets take as formulas" in " ".join(run("fit", "--help").stdout.replace("│", " ").split())


@pytest.mark.parametrize("value", [-1.5, -3, True, "-1", "+.5e-3", "-inf", "", "a=b"])
def test_cells_that_are_no_formulas(value: object) -> None:
    assert as_text_cell(value) == (f"'{value}" if value == "-inf" else value)


ESCAPES = "\x1b]0;title\x07\x1b[31m\u202e\x9b2J"


def test_terminal_escapes_do_not_come_through(tmp_path: Path) -> None:
    frame = make_frame().rename(columns={"a": f"a{ESCAPES}"}, index={"r4": f"r4{ESCAPES}"})
    data = tmp_path / f"data{chr(27)}.csv"
    frame.to_csv(data)
    out = tmp_path / f"out{chr(27)}"
    done = run("fit", data, "--k", 3, "--select", 2, "--id-col", "id", "--n-init", 2, "--out", out)
    shown = done.stdout + done.stderr + (out / "summary.txt").read_text()
    assert printable(shown) == shown
    assert re.search(r" a\\x1b\]0;title.*….*\\x9b2J ", done.stdout)
    assert pd.read_csv(out / "labels.csv")["id"].tolist() == frame.index.tolist()  # word for word
    for options in (["--drop", "z"], ["--id-col", 2], ["--method", "kpod", "--constraints", data], []):
        line = run("fit", data, "--k", 3, *options, "--traceback", code=2).stderr
        assert printable(line) == line
    frame.iloc[4, 0] = np.nan
    frame.to_csv(data)
    assert r"in row r4\x1b]0;" in error_of(
        "fit", data, "--k", 3, "--id-col", "id", "--method", "sparse-kmeans"
    )


@pytest.mark.thorough
def test_text_that_the_terminal_cannot_show_is_escaped(data: Path) -> None:
    make_frame().rename(columns={"a": "größe"}).to_csv(data)
    arguments = ["fit", str(data), "--k", "3", "--select", "2", "--id-col", "id", "--n-init", "2"]
    done = subprocess.run(
        [sys.executable, "-c", "from sparsek.cli import main; main()", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert r"gr\xf6\xdfe" in done.stdout


def scaled(columns: dict[str, list[float]]) -> pd.DataFrame:
    return _checks.scaled(pd.DataFrame(columns))[0]


def test_scaling_neither_overflows_nor_blows_up_rounding_errors() -> None:
    z = [-1.0, 0.0, 1.0]
    far = {"big": [-1e300, 0, 1e300], "largest": [-1.7e308, 0, 1.7e308], "tiny": [-1e-300, 0, 1e-300]}
    assert scaled(far).to_dict("list") == {"big": z, "largest": z, "tiny": z}
    assert scaled({"constant": [0.1] * 3, "single": [7, np.nan, np.nan]}).fillna(9).to_dict("list") == {
        "constant": [0, 0, 0],
        "single": [0, 9, 9],
    }
    columns = make_frame().to_dict("list")
    frame = pd.DataFrame(columns)
    assert scaled(columns).equals((frame - frame.mean()) / frame.std())


def test_infinite_numbers_are_refused_before_the_fit(data: Path, tmp_path: Path) -> None:
    data.write_text("id,a,b\nu,1,2\nv,1e999,3\nw,-inf,4\n")
    assert read_table(data, ReadOptions(id_col="id")).frame.shape == (3, 2)
    for scale in ([], ["--scale"]):
        line = error_of("fit", data, "--k", 2, "--id-col", "id", *scale)
        assert "has 2 infinite numbers, or numbers beyond 1.8e308, the first in row v, column a" in line


def test_an_interrupt_during_the_imports_ends_with_one_line() -> None:
    code = """
import sys
class Interrupt:
    def find_spec(self, name, *others):
        if name == "sparsek.cli._app":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from sparsek.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "sparsek: stopped by SIGINT\n")
