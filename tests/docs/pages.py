"""Pages of the manual as scripts: their Python and shell blocks in order, run in a folder with the bundled photos."""

from __future__ import annotations

import contextlib
import doctest
import glob
import io
import re
import shlex
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"(?:<!-- (?P<mark>[^>]*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
SERVICE = "127.0.0.1:8420"
NOT_RUN = ("not run", "first", "test")  # the latter two install the package: CI runs them as they are


@dataclass(frozen=True)
class Block:
    """A fenced block; `mark` is the comment right above it, `line` where it starts."""

    language: str
    text: str
    mark: str
    line: int

    @property
    def runs(self) -> bool:
        return not self.mark.startswith(NOT_RUN)

    @property
    def code(self) -> int:
        """The exit code that its commands should have: `<!-- exits 2 -->`."""
        return int(self.mark.split()[1]) if self.mark.startswith("exits ") else 0


def all_pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["language"], m["text"], m["mark"] or "", text[: m.start("text")].count("\n") + 1)
        for m in FENCE.finditer(text)
    ]


def commands(text: str) -> list[list[str]]:
    """The words of each command; comments and continued lines as in a shell, patterns expanded."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            found.append([name for word in words for name in _expand(word, line)])
    return found


def _expand(word: str, line: str) -> list[str]:
    quoted = f'"{word}"' in line or f"'{word}'" in line
    return (not quoted and "*" in word and sorted(glob.glob(word))) or [word]


def run_command(words: list[str]) -> tuple[int, str]:
    """Exit code and output of `anylens …`, in this process, or of curl; `> FILE` is understood."""
    from anylens.cli import main

    if words[0] == "curl":
        done = subprocess.run([*words, "--fail-with-body"], capture_output=True, timeout=120)
        return done.returncode, (done.stdout[:2000] + done.stderr).decode("utf-8", "replace")
    assert words[0] == "anylens", f"'{words[0]}' is no command of this manual; mark the block <!-- not run: why -->"
    target = None
    if ">" in words:
        at = words.index(">")
        words, target = words[:at], words[at + 1]
    out, problems = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(problems):
        try:
            code = main(words[1:])
        except SystemExit as stop:  # tyro's own usage errors and --help
            code = int(stop.code or 0)
    if target:
        Path(target).write_text(out.getvalue(), encoding="utf-8")
    return code, out.getvalue() + problems.getvalue()


def run_python(block: Block, names: dict[str, Any], where: str) -> None:
    """A block in the page's namespace; one with `>>>` is checked against what it says it prints."""
    if ">>> " in block.text:
        example = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(example, out=report.write, clear_globs=False)
        names.update(example.globs)
        assert runner.failures == 0, report.getvalue()
        return
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile("\n" * block.line + block.text, where, "exec"), names)


def run_page(page: Path, service: str = "") -> int:
    """Every block of a page, in order, in the current folder; how many ran. service: where `anylens serve` is."""
    names: dict[str, Any] = {"__name__": "manual"}
    count = 0
    for block in blocks(page):
        if not block.runs:
            continue
        where = f"{page.relative_to(ROOT)}:{block.line}"
        block = replace(block, text=block.text.replace(SERVICE, service or SERVICE))
        if block.language == "python":
            run_python(block, names, where)
            count += 1
        elif block.language == "bash":
            for words in commands(block.text):
                code, shown = run_command(words)
                assert code == block.code, f"{where}: {' '.join(words)} exits with {code}\n{shown}"
                count += 1
    return count
