"""A real browser on the page: Debian's chromium, driven by Playwright, cut off from every other machine.

Where it is missing the tests are skipped; with ANYLENS_BROWSER_TESTS=1, as in CI, they fail instead.
"""

import base64
import os
import shutil
from contextlib import contextmanager

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
DROP = """files => {
    const transfer = new DataTransfer();
    for (const { name, type, content } of files) {
        const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type }));
    }
    for (const kind of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
}"""


def needed(found, what):
    """Skip without it, or fail where it was promised."""
    if not found:
        give_up = pytest.fail if os.environ.get("ANYLENS_BROWSER_TESTS") == "1" else pytest.skip
        give_up(f"{what} is not installed")


@contextmanager
def chromium():
    """A browser without pages."""
    path = shutil.which("chromium")
    needed(path, "chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser, url, *, path="/", width=1280, height=800, scheme="light", quiet=True, **more):
    """The page at `url`, watched: whatever it asks for comes from there, and its console stays empty."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
    page = context.new_page()
    page.set_default_timeout(60_000)
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.asked = asked
    page.goto(url + path)
    yield page
    context.close()
    assert [one for one in asked if not one.startswith((url, f"blob:{url}"))] == []
    assert not quiet or said == []


def drop(page, *files):
    """Drop (name, bytes) on the page and wait until all are looked at."""
    page.wait_for_selector("body[data-ready]")
    given = [{"name": n, "type": "image/jpeg", "content": base64.b64encode(c).decode()} for n, c in files]
    page.evaluate(DROP, given)
    page.wait_for_selector("#result", state="visible")
    settled(page)


def settled(page):
    """Nothing is being looked at or fitted any more."""
    page.wait_for_selector("#progress", state="hidden")
    page.wait_for_selector("#facts[aria-busy]", state="detached")


def choose(page, model):
    """A camera model by its pill, fitted."""
    page.check(f"#models input[value='{model}']")
    page.wait_for_selector(f"#fitted-model:text-is('{model}')")
    settled(page)
