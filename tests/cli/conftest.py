import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))
from tiny_network import write_tiny_network


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    pytest.importorskip("onnx")
    path = tmp_path_factory.mktemp("network") / "tiny.onnx"
    write_tiny_network(path)
    return str(path)


def make_photo(path, level=110, width=128, height=96, exif=None, **how):
    noise = np.random.default_rng(level).integers(-12, 12, (height, width, 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.clip(level + noise, 0, 255).astype(np.uint8)).save(path, exif=exif or Image.Exif(), **how)
    return path


@pytest.fixture
def photo(tmp_path):
    return make_photo(tmp_path / "one.jpg")


@pytest.fixture
def folder(tmp_path):
    """Thirty small photos, six to a subfolder."""
    for i in range(30):
        make_photo(tmp_path / "photos" / f"set{i // 6}" / f"p{i:02}.jpg", 60 + 4 * i)
    return tmp_path / "photos"
