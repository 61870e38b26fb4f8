"""What commands print, renewed in the pages: the fenced block after `<!-- output of: anylens … -->`."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from anylens.cli import main

BLOCK = re.compile(r"(<!-- output of: anylens (?P<words>.*?) -->\n```text\n)(?P<old>.*?)(?=```\n)", re.DOTALL)


def renew(page: Path) -> bool:
    """Run every such command of a page and put its output in place; whether anything changed."""

    def run(match: re.Match[str]) -> str:
        screen = io.StringIO()
        with contextlib.redirect_stdout(screen):
            main(shlex.split(match["words"]))
        return match[1] + screen.getvalue().rstrip() + "\n"

    old = page.read_text(encoding="utf-8")
    new = BLOCK.sub(run, old)
    if new != old:
        page.write_text(new, encoding="utf-8")
    return new != old
