import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
sys.path.insert(0, str(Path(__file__).parent))
from browser import chromium, opened
from running_service import InThread

from anylens.examples import example_path
from anylens.serve.settings import Settings


@pytest.fixture(scope="session")
def service():
    with InThread(Settings()) as running:
        yield running


@pytest.fixture(scope="session")
def room():
    """The bytes of the bundled photo."""
    return example_path("room").read_bytes()


@pytest.fixture(scope="session")
def photos():
    """All bundled photos by name."""
    return {name: example_path(name).read_bytes() for name in ("room", "street", "fisheye")}


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser, service):
    with opened(browser, service.url) as found:
        yield found
