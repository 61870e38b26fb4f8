"""The manual is true: it builds in strict mode, its code runs, its links lead somewhere, nothing is missing in it."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import threading
from pathlib import Path

import pytest

from anylens.cli import COMMANDS
from anylens.formats import FORMATS
from anylens.profiles.base import Profile

from .materials import lay_out, lay_out_colmap, lay_out_panoramas
from .pages import DOCS, ROOT, all_pages, blocks, run_page

RUNNING = [p for p in all_pages() if any(b.runs and b.language in ("python", "bash") for b in blocks(p))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)[^)]*\)|<img[^>]*src=\"([^\"]+)\"")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    pytest.importorskip("mkdocs")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    site = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(site), strict=True))
    return site


def test_site_builds_in_strict_mode(built):
    assert (built / "index.html").is_file()
    assert len(list(built.rglob("*.html"))) >= len(all_pages()) - 1


def test_site_asks_nothing_of_other_servers(built):
    """Scripts, styles, fonts and pictures come from the site itself."""
    loads = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(https?:[^\">]*)|<link[^>]*rel=\"?(?:stylesheet|preconnect)"
                       r"[^>]*href=\"?(https?:[^\">]*)")  # fmt: skip
    for page in built.rglob("*.html"):
        assert not loads.findall(page.read_text(encoding="utf-8")), page.name


@contextlib.contextmanager
def serving():
    """`anylens serve` on a free port, in a thread; gives its host and port."""
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx")
    import uvicorn

    from anylens.serve import create_app
    from anylens.serve.running import bind

    listening = bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


@pytest.mark.parametrize("page", RUNNING, ids=name_of)
def test_code_of_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANYLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    lay_out(tmp_path)
    if page.name == "colmap.md":
        lay_out_colmap(tmp_path)
    if "panoramas" in page.read_text(encoding="utf-8"):
        lay_out_panoramas(tmp_path)
    if page.name != "service.md":
        assert run_page(page) > 0
        return
    with serving() as place:
        assert run_page(page, place) > 0


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_links_and_pictures_exist(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for match in LINK.finditer(text):
        target = (match[1] or match[2]).split("#")[0]
        if target and not target.startswith(("http:", "https:", "mailto:")):
            assert os.path.exists(page.parent / target), f"{page.name}: {target}"


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_blocks_that_do_not_run_say_why(page):
    for block in blocks(page):
        if block.mark.startswith("not run"):
            assert len(block.mark) > len("not run: "), f"{page.name}:{block.line}"


def text_of(*names: str) -> str:
    return "\n".join((DOCS / name).read_text(encoding="utf-8") for name in names)


def test_every_model_has_its_formula_and_bounds_name():
    text = text_of("models.md")
    for name, profile in Profile.registry.items():
        assert f"`{name}" in text, name
        assert profile.formula in text, profile.formula
        for coefficient in profile(max(profile.orders)).coefs:
            assert f"`{coefficient}`" in text or "`k1` … `k4`" in text, (name, coefficient)


def test_every_format_and_every_command_is_described():
    text = text_of("formats.md")
    for name, row in FORMATS.items():
        assert f"`{name}`" in text, name
        assert row.title in text, row.title
    everything = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    for command in COMMANDS:
        assert f"anylens {command}" in everything, command


@pytest.mark.parametrize("module", ["doubts", "group"])
def test_every_warning_is_explained(module):
    """The first three words of every sentence that these modules can say are in the page about warnings."""
    import anylens.calibration

    source = Path(anylens.calibration.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    page = text_of("uncertainty.md")
    docstrings = {ast.get_docstring(n, clean=False) for n in ast.walk(ast.parse(source))
                  if isinstance(n, (ast.Module, ast.FunctionDef, ast.ClassDef))}  # fmt: skip
    said = [n.values[0] if isinstance(n, ast.JoinedStr) else n for n in ast.walk(ast.parse(source))
            if isinstance(n, (ast.JoinedStr, ast.Constant))]  # fmt: skip
    texts = {n.value for n in said if isinstance(n, ast.Constant) and isinstance(n.value, str)} - docstrings
    heads = {" ".join(t.split()[:2]) for t in texts if len(t.split()) >= 2 and t[0] not in " (%°,;"}
    assert heads
    for head in heads:
        assert head in page, head
