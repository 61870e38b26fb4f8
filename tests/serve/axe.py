"""axe-core, fetched with npm outside of the tree: what would keep someone from using a page."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from browser import needed

VERSION = "4.14.0"


def fetch():
    """The script, from a folder that later runs find again."""
    kept = Path(tempfile.gettempdir()) / f"axe-core-{VERSION}.min.js"
    if not kept.is_file():
        npm = shutil.which("npm")
        needed(npm, "npm, with which axe-core is fetched,")
        with tempfile.TemporaryDirectory() as place:
            install = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", place]
            done = subprocess.run([*install, f"axe-core@{VERSION}"], capture_output=True, timeout=120)
            script = Path(place) / "node_modules/axe-core/axe.min.js"
            needed(done.returncode == 0 and script.is_file(), "axe-core, which npm could not fetch,")
            half = kept.with_suffix(f".{os.getpid()}")
            shutil.copy(script, half)
            half.replace(kept)
    return kept.read_text(encoding="utf-8")


def troubles(page, script):
    """What axe finds serious or critical, as id and place."""
    page.evaluate(script)
    found = page.evaluate("axe.run(document)")["violations"]
    return [(v["id"], n["target"]) for v in found if v["impact"] in ("serious", "critical") for n in v["nodes"]]
