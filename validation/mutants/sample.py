"""The fixed sample of mutants: which tokens of the code are changed, and how."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_item import MutationSpec

from validation.mutants.noise import behaviour
from validation.mutants.reach import default_lines, off_default_lines

FOLDERS = ("sparsek/methods", "sparsek/rcompat")
"""Folders whose code is mutated."""


@dataclass(frozen=True)
class Mutant:
    """One changed token."""

    key: str  # Digest of file, operator, text of the line and occurrence: unchanged if other lines change
    spec: MutationSpec  # Specification for cosmic-ray, with the path relative to the top of the tree
    before: str  # before, after: the line before and after the change
    after: str

    @property
    def file(self) -> str:
        """The path of the mutated file."""
        return self.spec.module_path.as_posix()

    def __str__(self) -> str:
        place = f"{self.file}:{self.spec.start_pos[0]} in {self.spec.definition_name or 'the module'}"
        return f"{place}\n    - {self.before}\n    + {self.after}"


def _candidates(root: Path, path: Path, operators: list[str]) -> Iterator[tuple[str, MutationSpec]]:
    """Every possible change to a file, with its key."""
    source = path.read_text(encoding="utf-8")
    lines, file = source.splitlines(), path.relative_to(root)
    nodes = list(ast_nodes(get_ast(source)))
    for name in operators:
        operator, seen = get_operator(f"core/{name}")(), Counter[str]()
        places = ((node, *place) for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (node, start, end) in enumerate(places):
            line = lines[start[0] - 1].strip()
            seen[line] += 1
            text = f"{file.as_posix()}\n{name}\n{line}\n{seen[line]}"
            key = hashlib.sha256(text.encode()).hexdigest()[:16]
            function = node.search_ancestor("funcdef", "classdef")
            yield (
                key,
                MutationSpec(
                    file,
                    f"core/{name}",
                    occurrence,
                    start,
                    end,
                    definition_name=function.name.value if function else None,
                ),
            )


def _mutant(root: Path, key: str, spec: MutationSpec) -> Mutant | None:
    """The mutant, or None if the change has no effect (see `noise`)."""
    source = (root / spec.module_path).read_text(encoding="utf-8")
    changed = mutate_code(source, get_operator(spec.operator_name)(), spec.occurrence)
    if changed is None or behaviour(changed) in (None, behaviour(source)):
        return None
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    before, after = next((old.strip(), new.strip()) for old, new in pairs if old != new)
    return Mutant(key, spec, before, after)


def draw_sample(root: Path, operators: list[str], size: int) -> list[Mutant]:
    """The first mutants in the order of their keys, half of them in lines that defaults do not reach."""
    run = default_lines(root, FOLDERS)
    files = {
        path: path.relative_to(root).as_posix()
        for folder in FOLDERS
        for path in (root / folder).rglob("*.py")
    }
    off = {
        file: off_default_lines(path.read_text("utf-8"), run.get(file, set())) for path, file in files.items()
    }
    candidates = sorted(
        (entry for path in sorted(files) for entry in _candidates(root, path, operators)),
        key=lambda entry: entry[0],
    )
    room, sample = {True: size // 2, False: size - size // 2}, []
    for key, spec in candidates:
        beside = spec.start_pos[0] in off[spec.module_path.as_posix()]
        mutant = _mutant(root, key, spec) if room[beside] else None
        if mutant is not None:
            room[beside] -= 1
            sample.append(mutant)
        if not any(room.values()):
            break
    return sample
