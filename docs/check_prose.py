"""Check the pages: ``python docs/check_prose.py`` prints every sentence that is hard to read, and wide code.

Sentences have a limit of words, and some words and turns of phrase are not used, in the docstrings of the
package too. Code, tables, formulas, licences and references are left out. A line of code or output has a
limit of characters. `make lint` runs this; it needs only Python.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 35
"""Words in a sentence."""
WIDEST = 100
"""Characters in a line of code or output, which a window of 1400 pixels shows beside two sidebars."""
AVOID = {
    r"\bbut for\b": "except",
    r"\bcrowds? out\b": "say what is displaced by what",
    r"\bhas much to do\b|\bhave much to do\b": "say what takes time",
    r"\btakes? turns\b|\btake turns\b": "say what alternates",
    r"\bdecides? (most|least)\b": "say what is more important",
    r"\bof the file only\b": "turn the sentence round",
    r"\bis refused, with what\b": "say what the error says",
    r"\bfor ever\b": "without end",
    r"\bas loud as\b|\bis heard\b": "a picture; say it plainly",
    r"\bgladly\b": "often",
    r"\butili[sz]e": "use",
    r"\bin order to\b": "to",
    r"\bsimply\b|\bobviously\b|\bof course\b|\beasily\b": "leave it out",
    r"\bnothing but\b": "only",
    r"\bwhatsoever\b": "leave it out",
    r"\bthereof\b|\bwherein\b|\bthereby\b|\bhence\b": "so, or a new sentence",
    r"\bnor do(es)?\b|\bnor is\b|\bnor are\b": "a sentence of its own",
    r"\bbe it\b|\bwere they\b|\bwere it\b": "if",
}
"""Expressions that make readers stop, and what to write instead."""
PAGES = (
    *("README.md", "SECURITY.md", "docs/*.md", "docs/methods/*.md", "docs/questions/*.md"),
    "docs/examples/*.py",
)
SKIPPED = re.compile(
    r"^(```|:::).*?^(```|:::+)$|^\$\$.*?\$\$|^\|.*?$|^<!--.*?-->$|^---\n.*?^---$|^ {4}.*?$|^## References.*",
    flags=re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"(\{\w+\})?`[^`]*`|\$[^$]*\$|</?\w+[^>]*>|https?://\S+")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.!?])[)*_\"]*\s+(?=[\"*_(]*[A-Z0-9`])|(?<=:)\s+")
BLOCK = re.compile(
    r"^(?P<fence>```+)(?P<kind>[^`\n]*)\n(?P<body>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
PARTS = re.compile(
    r"^(Examples|References)\n-+\n.*?(?=^\w[\w ]*\n-{3,}\n|\Z)|^\w[\w ]*\n-{3,}$"
    r"|^\*{0,2}\w[\w*, .]* : .*$|^Sources?: .*?(?=^$|\Z)|^=+ .*?^=+ [= ]*$(?!\n\w)|^Permission is hereby.*",
    flags=re.DOTALL | re.MULTILINE,
)
"""What is no sentence in a docstring: examples, references, headings, arguments, tables, a licence."""
NAMED = re.compile(r"``.*?``", re.DOTALL)
SHORT = re.compile(r"\b(e\.g|i\.e|et al|cf|vs|Fig|Eq|No)\.")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of every paragraph and list item of a page, without code, tables and references."""
    blank = SKIPPED.sub(lambda found: "\n" * found[0].count("\n"), text)
    start, lines = 1, list[str]()
    for number, line in enumerate([*blank.splitlines(), ""], 1):
        item = re.match(r"\s*([-*]|\d+\.)\s|\s*#", line)
        if lines and (not line.strip() or item):
            yield start, " ".join(lines)
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(re.sub(r"^\s*([-*]|\d+\.|#+)\s+", "", line).strip())


def sentences(paragraph: str) -> list[str]:
    """The sentences, code and formulas being a word each."""
    plain = SHORT.sub(r"\1", LINK.sub(r"\1", CODE.sub("Code", paragraph)))
    return [sentence for sentence in END.split(plain) if sentence]


def findings(text: str) -> Iterator[tuple[int, str]]:
    """Line and complaint of everything that is hard to read in a page."""
    for line, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            words = re.findall(r"[\w'-]*\w", sentence)
            if len(words) > LONGEST:
                yield (
                    line,
                    f"{len(words)} words, {LONGEST} are allowed: {' '.join(words[:8])} ...",
                )
        for pattern, advice in AVOID.items():
            for found in re.finditer(
                pattern, CODE.sub("code", paragraph), flags=re.IGNORECASE
            ):
                yield line, f'"{found[0]}": {advice}'


def wide_lines(text: str) -> Iterator[tuple[int, str]]:
    """Line and complaint of code and output that is too wide; the style sheet wraps blocks of commands."""
    for block in BLOCK.finditer(text):
        if block["kind"].startswith("{") or block["body"].startswith("$ "):
            continue
        first = text.count("\n", 0, block.start("body")) + 1
        for number, line in enumerate(block["body"].splitlines(), first):
            if len(line) > WIDEST:
                yield (
                    number,
                    f"{len(line)} characters, {WIDEST} fit: {line.strip()[:40]} ...",
                )


def code_of(path: Path) -> str:
    """A page, or an example as one block of code: without the text at its head and in its comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    _, head, code = text.split('"""', 2)
    shown = ["" if line.startswith("#") else line for line in code.splitlines()[1:]]
    return "\n" * head.count("\n") + "```python\n" + "\n".join(shown) + "\n```\n"


def text_of(path: Path) -> str:
    """A page, or the text of an example: what stands behind # at the start of a line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    shown = [
        line.partition("# ")[2] if line.startswith("# ") else ""
        for line in text.splitlines()
    ]
    return "\n".join("" if re.fullmatch(r"-+|%%", line) else line for line in shown)


def blank(found: re.Match[str]) -> str:
    """As many empty lines as were found."""
    return "\n" * found[0].count("\n")


def docstring_findings(path: Path) -> Iterator[tuple[int, str]]:
    """Line and complaint of what is hard to read in the docstrings of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        text = PARTS.sub(blank, ast.get_docstring(node) or "")
        # A list of names and what each is: one of them is a sentence.
        text = NAMED.sub(lambda found: "`Code`" + blank(found), text).replace(
            "; `Code`", ". `Code`"
        )
        first = 1 if isinstance(node, ast.Module) else node.body[0].lineno
        for line, complaint in findings(text):
            yield first + line - 1, complaint


def main() -> int:
    """Print what is found in all pages and docstrings; the exit code is 1 if there is something."""
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    shown = [
        f"{path.relative_to(ROOT)}:{line}: {complaint}"
        for path in paths
        for line, complaint in (*findings(text_of(path)), *wide_lines(code_of(path)))
    ]
    files = sorted(ROOT.glob("sparsek/**/*.py"))
    shown += [
        f"{path.relative_to(ROOT)}:{line}: {complaint}"
        for path in files
        for line, complaint in docstring_findings(path)
    ]
    print(
        "\n".join(shown)
        or f"{len(paths)} pages, {len(files)} files: no long sentence, no word to avoid, no wide code"
    )
    return int(bool(shown))


if __name__ == "__main__":
    sys.exit(main())
