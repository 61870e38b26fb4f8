"""The page of `anylens serve` in a real browser (Playwright and Debian's chromium), as a picture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

BROWSER = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def draw_all(folder: Path) -> None:
    """The street, calibrated on the page. Raises where Playwright or the browser is missing."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "anylens", "serve", "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        place = re.search(r"http://\S+", service.stdout.readline())
        assert place is not None
        with sync_playwright() as play, TemporaryDirectory() as room:
            browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
            view = browser.new_page(viewport={"width": 1360, "height": 900}, device_scale_factor=1)
            view.goto(f"{place.group()}#example=street")
            view.wait_for_selector("#result:not([hidden])")
            view.wait_for_selector("#working", state="hidden")
            view.wait_for_timeout(1500)
            view.screenshot(path=f"{room}/page.png")
            browser.close()
            Image.open(f"{room}/page.png").convert("RGB").save(folder / "page.jpg", quality=84, optimize=True)
    finally:
        service.terminate()
        service.wait(10)
