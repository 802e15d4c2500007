"""Files with flipped bits, results forged to harm, and names of scripts that are code elsewhere."""

import ast
import contextlib
import importlib
import importlib.util
import json
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import sparsek
from sparsek._files import PART
from sparsek.cli import _app
from sparsek.cli._folder import FORM
from sparsek.datasets._rdata import read_rdata
from sparsek.port.hints import find_hints
from validation.fuzz.commands import RUNNER, _ended
from validation.fuzz.invariants import require, same_results
from validation.fuzz.judge import Call, RefusedError
from validation.fuzz.strangers import MARK, SECRET, plain_table, sound_model, sound_results
from validation.fuzz.values import Random

MEMORY = 10**9
"""Bytes of memory that a call may take beside what the process has."""


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Limit the address space to `MEMORY` more than now; without effect where the system does not say."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        yield
        return
    limit = pages * resource.getpagesize() + MEMORY
    if before[1] != resource.RLIM_INFINITY:
        limit = min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


# --- flipped bits ------------------------------------------------------------------------------------------


def _table() -> pd.DataFrame:
    return plain_table(np.random.default_rng(0))


def _zarr(path: Path) -> None:
    zarr = importlib.import_module("zarr")
    zarr.open_array(str(path), mode="w", shape=(24, 4), chunks=(10, 4), dtype="f8")[:] = _table().to_numpy()


def _hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=_table().to_numpy(), chunks=(10, 4), compression="gzip", shuffle=True)


def _hdf5_plain(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["X"] = _table().to_numpy()


def _rda(path: Path) -> None:
    """A list of numbers, texts and a factor, as `save` writes them in R."""
    body = b"RDX2\nX\n" + np.array([2, 262657, 131840], ">i4").tobytes()
    tag = np.array([1026, 1, 9, 1], ">i4").tobytes() + b"x"
    numbers = np.array([14 + 512, 24], ">i4").tobytes() + _table()["a"].to_numpy(">f8").tobytes()
    dim = np.array([1026, 1, 9, 3], ">i4").tobytes() + b"dim" + np.array([13, 2, 6, 4, 254], ">i4").tobytes()
    path.write_bytes(body + tag + numbers + dim + np.array([254], ">i4").tobytes())


WRITERS: dict[str, Callable[[Path], Any]] = {
    ".npy": lambda path: np.save(path, _table().to_numpy()),
    ".parquet": lambda path: _table().to_parquet(path, row_group_size=10),
    ".h5": _hdf5,
    ".hdf5": _hdf5_plain,
    ".npz": lambda path: path.write_bytes(sound_model()),
    ".rda": _rda,
    **({".zarr": _zarr} if importlib.util.find_spec("zarr") else {}),
}
"""What writes a file of each kind that sparsek reads by itself, or by what h5py and Zarr have opened."""
BY_PATH = (".npy", ".parquet")


@cache
def sound(ending: str) -> dict[str, bytes]:
    """The files of a kind: one, or those in a folder."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, f"x{ending}")
        WRITERS[ending](path)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        return {str(file.relative_to(place)): file.read_bytes() for file in files}


def flipped(content: bytes, r: Random) -> bytes:
    """The content with one to three bits changed, mostly in its first or last bytes, where the format is."""
    changed = bytearray(content)
    for _ in range(int(r.integers(1, 4))):
        ends = min(400, len(content))
        at = int(r.choice([r.integers(ends), len(content) - 1 - r.integers(ends), r.integers(len(content))]))
        changed[at] ^= 1 << int(r.integers(8))
    return bytes(changed)


def _opened(path: Path) -> Any:
    """What a user passes for a file; RefusedError where h5py or Zarr refuse it."""
    if path.suffix in BY_PATH:
        return path
    try:
        if path.suffix == ".zarr":
            return importlib.import_module("zarr").open_array(str(path), mode="r")
        found = h5py.File(path, "r")["X"]
        return found if found.dtype and found.shape else None  # what may be damaged too
    except Exception as error:  # theirs, before sparsek is called
        raise RefusedError(f"not opened: {error}") from error


def _in_memory(given: Any) -> Any:
    """The rows as others read them."""
    if not isinstance(given, Path):
        return np.asarray(given[:], dtype=np.float64)
    if given.suffix == ".npy":
        return np.load(given)
    return np.column_stack([column.to_numpy() for column in pq.ParquetFile(given).read().columns])


def _flips(r: Random) -> Call:
    """A file with flipped bits is refused, or fitted as the array that others read in it."""
    ending, seed = str(r.choice(list(WRITERS))), int(r.integers(2**31))
    models = [sparsek.SKFR(2, 2, n_init=2, random_state=0), sparsek.SparseKMeans(2, n_init=2, random_state=0)]
    models += [sparsek.KPod(2, n_init=2, random_state=0)]
    model = models[int(r.integers(len(models)))]
    if r.random() < 0.5 and "memory_limit" in model.get_params():
        model.set_params(memory_limit="4kB")  # several blocks, of a table that fits whole

    def run() -> Any:
        change, files = np.random.default_rng(seed), dict(sound(ending))
        name = sorted(files)[int(change.integers(len(files)))]
        files[name] = flipped(files[name], change)
        with tempfile.TemporaryDirectory() as place, little_memory():
            for file, content in files.items():
                Path(place, file).parent.mkdir(parents=True, exist_ok=True)
                Path(place, file).write_bytes(content)
            path = Path(place, f"x{ending}")
            if ending == ".rda":
                return read_rdata(path)
            if ending == ".npz":
                return sparsek.DEC.load(path).predict(_table())
            given = _opened(path)
            fitted = model.fit(given)
            require(fitted.predict(given).shape == fitted.labels_.shape, "other rows when it is read again")
            other = type(model)(**model.get_params()).fit(_in_memory(given))
            require(same_results(fitted, other), "another result than of the array")
            return fitted

    return Call(f"{model} of a file{ending} with bits flipped from seed {seed}".replace("\n", " "), run)


# --- results forged to harm --------------------------------------------------------------------------------

NESTED = 100_000
TEXTS: tuple[str, ...] = (
    "NaN", "-Infinity", "1e400", "-0.0", "1" * 400, "9" * 5000, "null", "true", "[]", "{}", '""',
    f'"{MARK}"', '"../../secret.txt"', '"/etc/passwd"', '"\\u0000\\u001b[2J\\ud800\\u202e"', '"a\\nb\\rc"',
    "[" * NESTED + "]" * NESTED, '{"a":' * NESTED + "1" + "}" * NESTED, "[" * 500 + "]" * 500,
    '{"a":' * 300 + "1" + "}" * 300, "[" + "1," * 10**5 + "1]", f'"{"x" * 10**6}"', "'single'", "01", "1_0",
)  # fmt: skip
"""What stands in place of a value of result.json; some of it is no JSON."""
TIMES = (0, -(2**33), 2**33, 2**40)
"""Seconds since 1970 of the last change of result.json."""


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values inside a structure."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        yield (*place, key)
        yield from _places(member, (*place, key))


def hostile(content: bytes, r: Random) -> tuple[str, str]:
    """The text of a result.json with one to three values replaced or doubled; what was done."""
    structure, done, texts = json.loads(content), [], {}
    for _ in range(int(r.integers(1, 4))):
        known = [(name,) for name in FORM] + [("summary", name) for name in FORM["summary"]]
        places = known if r.random() < 0.5 else list(_places(structure))
        *path, key = places[int(r.integers(len(places)))]
        at = structure
        with contextlib.suppress(KeyError, IndexError, TypeError):  # something above it was replaced
            for step in path:
                at = at[step]
            mark = f"@@{len(texts)}@@"
            texts[mark] = TEXTS[int(r.integers(len(TEXTS)))]
            if isinstance(at, dict) and r.random() < 0.3:
                key = [MARK, "\x1b[31m", "../x", key + " "][int(r.integers(4))]
            at[key] = mark
            done.append(f"{'.'.join(map(str, [*path, key]))[:60]}={texts[mark][:20]}")
    text = json.dumps(structure, indent=1)
    for mark, new in texts.items():
        text = text.replace(f'"{mark}"', new)
    if r.random() < 0.2:  # a key twice
        lines = text.splitlines()
        twice = [i for i, line in enumerate(lines) if line.startswith(' "') and line.endswith(",")]
        if twice:
            i = twice[int(r.integers(len(twice)))]
            lines.insert(i, lines[i].partition(":")[0] + ": 7,")
            text = "\n".join(lines)
            done.append("a key twice")
    return text, ", ".join(done)


def _hostile(r: Random) -> Call:
    """`sparsek report` of a forged folder, `fit --force` onto it: refused or done, nothing else touched."""
    seed, command = int(r.integers(2**31)), "report" if r.random() < 0.7 else "fit"
    text, done = hostile(sound_results()["result.json"], np.random.default_rng(seed))
    time = TIMES[int(r.integers(len(TIMES)))] if r.random() < 0.2 else None
    large = ["result.json", "weights.png"][int(r.integers(2))] if r.random() < 0.05 else ""
    foreign = f".report.html.0123456789abcdef{PART}" if r.random() < 0.1 else ""

    def run() -> Any:
        with tempfile.TemporaryDirectory() as place, little_memory():
            folder, others = Path(place, "out"), Path(place, "others")
            folder.mkdir()
            others.mkdir()
            Path(place, "secret.txt").write_text(SECRET, encoding="utf-8")
            for name, content in sound_results().items():
                (folder / name).write_bytes(content)
            (folder / "result.json").write_text(text, encoding="utf-8")
            if large:
                os.truncate(folder / large, 8 * MEMORY)
            if foreign:
                (folder / foreign).symlink_to(Path(place, "secret.txt"))
            if time is not None:
                os.utime(folder / "result.json", (time, time))
            arguments = ["report", str(folder)]
            if command == "fit":
                plain_table(np.random.default_rng(1)).to_csv(Path(place, "t.csv"), index=False)
                arguments = ["fit", str(Path(place, "t.csv")), "--k", "2", "--select", "2", "--n-init", "1"]
                arguments += ["--no-plots", "--out", str(folder), "--force"]
            before = _outside(place)
            found = _ended(RUNNER.invoke(_app.app, arguments))
            require(before == _outside(place), "files outside the folder were changed")
            page = folder / "report.html"
            return page.read_text(encoding="utf-8") if page.is_file() else "", found.stdout + found.stderr

    def check(found: Any, warned: list[str]) -> None:
        for text in found:
            require("<script" not in text and "\x1b" not in text, "markup or escapes come through")
            require(SECRET[:40] not in text and "root:" not in text, "files outside the folder are read")

    return Call(
        f"sparsek {command} of a folder with {done}, of {time}, large: {large} {foreign}", run, (), check
    )


def _outside(place: str) -> dict[str, bytes]:
    """The files that are not in the folder of results."""
    found = (path for path in sorted(Path(place).rglob("*")) if path.is_file())
    return {str(path): path.read_bytes() for path in found if path.parent.name != "out"}


# --- names of scripts --------------------------------------------------------------------------------------

CANARY = "canary"
PARTS: tuple[bytes, ...] = (
    b"'", b'"', b"`", b"\n", b"\r", b" ", b"\t", b"-", b"--args", b"-e", b"\\", b"\xff\xfe", b"\xc3\x28",
    "\u202e".encode(), b"\x1b[31m", b"<b>", b"&amp;", b"%s", b"{0}", b"$HOME", b"*", b"#", b"~", b"@x",
    b"'''", b'"""', b"x" * 240, b"a", b"b", b";touch canary;", b"$(touch canary)", b"`touch canary`",
    b"\");system(\"touch canary\");(\"", b"');open('canary','w');('", b"\nopen('canary','w')\n",
)  # fmt: skip
"""What names of files are made of; nothing of it may be run."""
VALUES = (
    "3", "1e5L", "012", "0x1F", "2i", ".5", "5.", "TRUE", "T", "NULL", "NA", "Inf", "-1", "x$y", "x[1, ]",
    "`a b`", "`x'y`", "`class`", "None", "lambda", "x\u00b2", "'it\"s'", '"a\\nb"', "'two\nlines'",
    'r"(raw)"',
    "c(1, 2)", "c(a = 1)", "c(`a b`, 1)", "function(x) x", "y ~ x", "-x", "!x", "if (a) b", "{x}", "f(`g h`)",
    "x <- 1", "\\(x) x", "x |> f()", "'\u202e'", "set.seed(1)", "...", "..1", ".x", "x.y", "print",
)  # fmt: skip
LABELS = ("", "", "", "centers = ", "`iter.max` = ", "'nstart' = ", "`a b` = ", "lambda = ", "x.y = ", "K = ")
FUNCTIONS = (
    "kmeans", "stats::kmeans", "dist", "sample", "table", "KMeansSparseCluster", "c", "set.seed", "cutree",
    "paste",
    "scale", "hclust", "matrix", "print", "summary", "sum", "`my f`", "rnorm", "apply", "prop.table",
)  # fmt: skip


def script(r: Random) -> str:
    """Lines of R with calls of all kinds."""
    lines = []
    for i in range(int(r.integers(1, 6))):
        count = int(r.integers(0, 4))
        arguments = [
            LABELS[int(r.integers(len(LABELS)))] + VALUES[int(r.integers(len(VALUES)))] for _ in range(count)
        ]
        name = FUNCTIONS[int(r.integers(len(FUNCTIONS)))]
        lines.append(f"x{i} <- {name}({', '.join(arguments)})")
    return "\n".join(lines) + "\n"


def _names(r: Random) -> Call:
    """`sparsek port` of scripts with such names: what it prints and writes is sound, nothing else runs."""
    chosen = [PARTS[int(i)] for i in r.integers(len(PARTS), size=int(r.integers(1, 5)))]
    name = b"".join(chosen).replace(b"/", b"")[:240] + b".R"
    lines, runs = script(r), r.random() < 0.15
    dashes = ["--"] if r.random() < 0.7 else []

    def run() -> Any:
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            try:
                Path(os.fsdecode(name)).write_text("x <- 1\n" if runs else lines, encoding="utf-8")
                Path(os.fsdecode(name[:-2] + b".py")).write_text("x = 1\n", encoding="utf-8")
                before = set(os.listdir())
                arguments = [
                    "port",
                    "--html",
                    "page.html",
                    *dashes,
                    os.fsdecode(name),
                    os.fsdecode(name)[:-2] + ".py",
                ]
                if not runs:
                    arguments = ["port", "--hints", *dashes, os.fsdecode(name)]
                try:
                    found = _ended(RUNNER.invoke(_app.app, arguments))
                finally:
                    require(
                        set(os.listdir()) - before <= {"page.html"}, f"it wrote {set(os.listdir()) - before}"
                    )
                page = Path("page.html").read_text(encoding="utf-8") if Path("page.html").exists() else ""
                return found.stdout + found.stderr, page
            finally:
                os.chdir(here)

    def check(found: Any, warned: list[str]) -> None:
        printed, page = found
        for text in found:
            require("\x1b" not in text and "\u202e" not in text, "escapes of the name come through")
        require("<b>" not in page, "markup of the name comes through")
        if not runs:
            for hint in find_hints(lines):
                if hint.python is not None and "<" not in hint.python:
                    _require_python(hint.python)
                    require(hint.python in printed, "a hint is not printed")

    return Call(f"sparsek port {'--hints ' * (not runs)}of {name!r}: {lines!r}", run, (), check)


def _require_python(text: str) -> None:
    """Raise Violation unless a text is one expression of Python."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError as error:
        require(False, f"no Python: {text!r}: {error}")


MAKERS: dict[str, Callable[[Random], Call]] = {
    "flipped bits": _flips,
    "hostile results": _hostile,
    "names of R scripts": _names,
}
"""What makes a call of each target."""
