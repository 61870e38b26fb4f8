import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from small_photos import make_photo
from tiny_network import write_tiny_network


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    pytest.importorskip("onnx")
    path = tmp_path_factory.mktemp("network") / "tiny.onnx"
    write_tiny_network(path)
    return str(path)


@pytest.fixture
def photo(tmp_path):
    return make_photo(tmp_path / "one.jpg")


@pytest.fixture
def folder(tmp_path):
    """Thirty small photos, six to a subfolder."""
    for i in range(30):
        make_photo(tmp_path / "photos" / f"set{i // 6}" / f"p{i:02}.jpg", 60 + 4 * i)
    return tmp_path / "photos"
