"""The bundled photos: small, with true cameras of their size."""

import pytest
from PIL import Image

from anylens import ImageError
from anylens.examples import example_camera, example_names, example_path


def test_examples_have_their_true_cameras():
    assert len(example_names()) >= 2
    for name in example_names():
        camera, path = example_camera(name), example_path(name)
        with Image.open(path) as picture:
            assert picture.size == (camera.width, camera.height)
        assert path.stat().st_size < 150_000
    assert example_camera("room").hfov_deg == pytest.approx(65, abs=0.01)
    with pytest.raises(ImageError, match="room"):
        example_path("../room")
