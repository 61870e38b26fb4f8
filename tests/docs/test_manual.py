"""The manual is true: it builds in strict mode, its code runs, its links lead somewhere, nothing is missing in it."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import threading
from pathlib import Path

import pytest

from anylens.cli import COMMANDS, main
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
    loads = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(?:https?:)?//|<link[^>]*href=\"?(?:https?:)?//")
    styles = re.compile(r"@import[^;]*//|url\(\s*[\"']?(?:https?:)?//")
    for page in built.rglob("*.html"):
        assert not loads.findall(page.read_text(encoding="utf-8")), page.name
    for sheet in built.rglob("*.css"):
        assert not styles.findall(sheet.read_text(encoding="utf-8")), sheet.name


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
    """Pages as text, indices as `k_n` however they are set."""
    text = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"<sub>(.*?)</sub>", r"_\1", text)


def test_every_option_of_the_manual_exists(capsys):
    """`--name` anywhere in the manual is an option of some command, or of a program that is named on the line."""
    known = {"--help", "--nproc-per-node"}  # the latter is torchrun's
    for command in COMMANDS:
        with contextlib.suppress(SystemExit):
            main([command, "--help"])
        known |= set(re.findall(r"--[a-z][a-z0-9-]*", capsys.readouterr().out))
    for page in all_pages():
        for line in page.read_text(encoding="utf-8").splitlines():
            if not line.startswith(("colmap ", "python -m venv")):
                for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", line):
                    assert option in known, f"{page.name}: {option}"


def test_every_option_of_the_tool_is_in_the_manual(capsys):
    """Of the commands for everyday use; those of training and evaluation have too many to list."""
    everything = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    for command in ("calibrate", "undistort", "convert", "colmap", "serve", "models", "info", "export-onnx"):
        with contextlib.suppress(SystemExit):
            main([command, "--help"])
        options = re.findall(r"^\W*(?:-h, )?(--[a-z][a-z0-9-]*)", capsys.readouterr().out, re.MULTILINE)
        assert "--help" in options
        for option in set(options) - {"--help"}:
            assert option in everything, f"{command} {option}"


def test_model_card_speaks_of_the_bundled_network(capsys):
    """Steps and views as `anylens info` has them, there and in the README."""
    assert main(["info", "--json"]) == 0
    found = re.fullmatch(r"(\d+) steps, (\d+) views", json.loads(capsys.readouterr().out)["trained"])
    assert found is not None
    steps, views = (f"{int(number):,}" for number in found.groups())
    assert f"{views}: {steps} steps" in text_of("model.md")
    assert f"{views} views" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_method_page_has_the_constants_of_the_code():
    from anylens.calibration import group, scale, shape
    from anylens.edges import contribution, likelihood
    from anylens.evidence import PRIORS
    from anylens.fitting import refine

    method, known = text_of("method.md"), text_of("known.md")
    assert f"at most {refine.DAMPED.steps} steps" in method
    assert f"less than {refine.DAMPED.tolerance:.0e}".replace("e-0", "e-") in method
    assert f"d = {group.DOUBT}, ρ = {group.REPEATED}" in method
    assert f"Of more than {group.MOST} photos" in method
    assert f"σ = {likelihood.NOISE.sigma_deg:g}°, ε = {likelihood.NOISE.inliers}" in method
    assert f"τ = {contribution.TEMPER} · max(0, S_max / S_full − {contribution.CHANCE})" in method
    assert f"{contribution.DOUBT:.0%}".replace("%", " %") in method
    assert f"{contribution.BELIEF:g} nats" in method
    assert f"the {contribution.COUNT}\n" in method
    assert f"normal, {100 * scale.TAG_STD:g} % wide with {100 * scale.TAG_DOUBT:g} % doubt" in method
    assert f"{100 * scale.LOOSE_STD:g} % with {100 * scale.LOOSE_DOUBT:g} %" in method
    assert f"mixed with {100 * scale.NETWORK_DOUBT:g} % of no opinion" in method
    assert f"its distribution to the power {scale.NETWORK_TEMPER:g}" in method
    assert f"trained on to the power {scale.PRIOR_WEIGHT:g}, whose place the prior takes" in method
    assert f"to the power {scale.PRIOR_WEIGHT:g}, chosen by error and coverage" in method
    assert f"{100 * scale.PRIOR_DOUBT:g} % of no opinion ({100 * scale.EDITED_DOUBT:g} % for edited photos)" in method
    assert shape.CENTRE_STD == 0.25  # "a quarter of width and height"
    for name, kinds in PRIORS.items():
        told = "; ".join(f"{100 * share:g} % {middle:g} mm {std:.2f}" for share, middle, std in kinds)
        assert re.search(rf"`{name}`[^|]*\| {re.escape(told)} \|", known), name


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


@pytest.mark.parametrize(("module", "name"), [("doubts", "uncertainty.md"), ("group", "uncertainty.md")])
def test_every_warning_is_explained(module, name):
    """The first words of every sentence that these modules can say are in the page about warnings."""
    import anylens.calibration

    source = Path(anylens.calibration.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    page = text_of(name)
    docstrings = {ast.get_docstring(n, clean=False) for n in ast.walk(ast.parse(source))
                  if isinstance(n, (ast.Module, ast.FunctionDef, ast.ClassDef))}  # fmt: skip
    said = [n.values[0] if isinstance(n, ast.JoinedStr) else n for n in ast.walk(ast.parse(source))
            if isinstance(n, (ast.JoinedStr, ast.Constant))]  # fmt: skip
    texts = {n.value for n in said if isinstance(n, ast.Constant) and isinstance(n.value, str)} - docstrings
    heads = {" ".join(t.split()[:2]) for t in texts if len(t.split()) >= 2 and t[0] not in " (%°,;"}
    assert heads
    for head in heads:
        assert head in page, head


def test_warnings_of_videos_and_doubts_about_tags_are_explained():
    from anylens.images.exif import ExifTags, focal_from_exif

    assert "frames that disagree with the others: " in (ROOT / "src/anylens/batches/videos.py").read_text()
    assert "frames that disagree with the others: " in text_of("uncertainty.md")
    odd = ExifTags(make="NIKON", model="NIKON D90", software="GIMP", focal_mm=50, focal_35mm=900, digital_zoom=2,
                   width=300, height=200, rendered=6)  # fmt: skip
    tag = focal_from_exif(odd, 1000, 500)
    assert tag is not None
    phrases = [re.escape(line.split(" | ")[0].lstrip("| ")) for line in text_of("known.md").splitlines()
               if line.startswith("| ") and line.count("|") == 3]  # fmt: skip
    patterns = [p.replace("…", ".+") for p in phrases]
    assert len(tag.doubts) == 7
    for doubt in tag.doubts:
        assert any(re.fullmatch(p, doubt) for p in patterns), doubt
