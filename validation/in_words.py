"""What README and the pages say of parity: counts and platforms from the record, arguments from the table."""

import re
from pathlib import Path

import pandas as pd

from r_reference.formals import load_formals, stated_differences, unrecorded
from validation import kernels
from validation.papers.shared.store import RESULTS, load_table
from validation.platforms import ARM64, NAME, NO_VECTORS_PRESCOTT, OWN, load_platforms

KINDS = ["exact", "within", "different"]
LABELS = {
    OWN: ("x86-64 Linux", "python -m validation platforms --only own"),
    kernels.NO_VECTORS: ("numpy without its vector loops", "... --only no-vector-loops"),
    NO_VECTORS_PRESCOTT: (
        "numpy without its vector loops, OpenBLAS kernel Prescott",
        '... --only "no-vector-loops, Prescott"',
    ),
    "software": ("our own 80-bit arithmetic, log, exp and pow", "... --only software"),
    "compiled": ("loops compiled by numba", "... --only compiled"),
    ARM64: ("64-bit ARM Linux, emulated by qemu-user", "... --arm64"),
    **{kernel: (f"OpenBLAS kernel {kernel}", f"... --only {kernel}") for kernel in kernels.KERNELS},
}
"""What a setting is, and the command that runs it."""


def _enumerate(words: list[str]) -> str:
    """Words with commas, and "and" before the last."""
    return ", ".join(words[:-1]) + " and " * (len(words) > 1) + words[-1]


def parity_in_words(folder: Path = RESULTS) -> str:
    """How many recorded answers are equal, and which packages have others: two sentences."""
    table, about = load_table(NAME, folder)
    own = table[table["setting"] == OWN]
    if own["different"].sum():
        raise ValueError(
            f"{own['different'].sum()} recorded cases differ; python -m validation parity names them"
        )
    versions = set(re.findall(r"R version (\S+)", " ".join(about["environment"]["recorded_with"])))
    sums, first = own[KINDS].sum(), own.iloc[0]
    parts = []
    for _, row in own[own["within"] > 0].sort_values("within", ascending=False).iterrows():
        cases = row[KINDS].sum()
        share = f"all {cases}" if row["within"] == cases else f"{row['within']} of {cases}"
        parts.append(f"{share} of {row['package']}")
    return (
        f"Of {sums.sum():,} recorded answers of R {_enumerate(sorted(versions))}, {sums['exact']:,} are "
        f"equal in every bit ({first['processor']}, OpenBLAS kernel {first['kernel']}). "
        f"The other {sums['within']} agree within stated tolerances: {_enumerate(parts)}."
    )


def equal_in_words(folder: Path = RESULTS) -> str:
    """How many recorded answers of R are equal: one sentence."""
    table, _ = load_table(NAME, folder)
    sums = table.loc[table["setting"] == OWN, KINDS].sum()
    if sums["different"]:
        raise ValueError(f"{sums['different']} recorded cases differ; python -m validation parity names them")
    return (
        f"{sums['exact']:,} of {sums.sum():,} recorded answers of R are equal in every bit, the rest within "
        "stated tolerances."
    )


def arguments_in_words() -> str:
    """How many functions have R's arguments: two sentences."""
    table = load_formals()
    seen = {entry["function"] for entry in stated_differences().values() if entry["kind"] != "not given"}
    return (
        f"Of {len(table)} functions that were compared with R, {len(table) - len(seen)} have R's arguments, "
        f"in R's order and with R's defaults. The other {len(seen)} lack an argument or have another default."
    )


def list_arguments() -> str:
    """Which arguments are not those of R, and which were not compared: sentences."""
    found: dict[str, dict[str, list[str]]] = {"lacks": {}, "default": {}}
    for name, entry in stated_differences().items():
        if entry["kind"] in found:
            function, argument = name.removesuffix(")").split("(")
            found[entry["kind"]].setdefault(function, []).append(argument)
    named = {
        kind: [f"`{function}({', '.join(arguments)})`" for function, arguments in functions.items()]
        for kind, functions in found.items()
    }
    return (
        f"{arguments_in_words()} These arguments are missing: {_enumerate(named['lacks'])}. "
        f"These have another default: {_enumerate(named['default'])}. "
        f"Arguments of {_enumerate(sorted(unrecorded()))} were not compared."
    )


def platforms_in_words(folder: Path = RESULTS) -> str:
    """Where the recorded answers were compared: a sentence."""
    rows = load_platforms(folder)
    whole = rows[rows["pattern"] == ""]
    linux = whole[whole["machine"] == "x86_64"]
    pythons = sorted({".".join(text.split(".")[:2]) for text in linux["python"]}, key=lambda v: int(v[2:]))
    names = [kernel for kernel in kernels.KERNELS if kernel in set(linux["kernel"])]
    if linux["different"].sum():
        raise ValueError(f"{linux['different'].sum()} recorded cases differ on x86-64 Linux")
    emulated = _emulated(rows[rows["setting"] == ARM64])
    return (
        f"All recorded answers were compared on x86-64 Linux with Python {_enumerate(pythons)} and with the "
        f"OpenBLAS kernels {_enumerate(names)}. None differs.{emulated} "
        "macOS and Windows have not been tried yet."
    )


def _emulated(arm: pd.DataFrame) -> str:
    """What was compared on emulated 64-bit ARM: sentences, nothing without a record."""
    if arm.empty:
        return ""
    sums = arm[KINDS].sum()
    text = f" On emulated 64-bit ARM {sums.sum():,} of them were compared, and {sums['different']} differ"
    names = sorted(set(" ".join(arm["functions"]).split()))
    return f"{text}: cases of {_enumerate([f'`{name}`' for name in names])}." if names else f"{text}."


def platform_table(folder: Path = RESULTS) -> str:
    """Exact, tolerated and different cases under every recorded setting: a table in Markdown."""
    rows = load_platforms(folder)
    header = ("where", "versions", "cases", "exact", "within a tolerance", "different", "commit", "command")
    lines = [header, ("---",) * len(header)]
    for setting, group in rows.groupby("setting", sort=False):
        label, command = LABELS.get(str(setting), ("another Python", "... --python PATH"))
        first = group.iloc[0]
        if setting == OWN:
            label += f", {first['processor']}, OpenBLAS kernel {first['kernel']}"
        versions = f"Python {first['python']}, numpy {first['numpy']}, scipy {first['scipy']}"
        part = f" --cases '{first['pattern']}'" if first["pattern"] else ""
        sums = group[KINDS].sum()
        counts = [f"{count:,}" for count in (sums.sum(), *sums)]
        lines.append((label, versions, *counts, f"`{first['commit'][:8]}`", f"`{command}{part}`"))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
