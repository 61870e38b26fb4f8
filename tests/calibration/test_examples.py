"""The bundled photos: small, with true cameras of their size."""

import pytest
from exact_network import ExactNetwork
from PIL import Image

from anylens import Calibrator, ImageError
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


@pytest.mark.parametrize(("name", "roll", "pitch"), [("room", 1.0, -6.0), ("street", -1.5, 3.0)])
def test_edges_put_a_wrong_scale_right(name, roll, pitch):
    """The network believes in a focal length 13 % too short; the walls and windows of the picture know better."""
    camera, path = example_camera(name), example_path(name)
    network = ExactNetwork(camera, focal_std=0.2, scales=(1.15,))
    found = {
        edges: Calibrator(predictor=network)(path, camera.model, prior="none", edges=edges) for edges in (False, True)
    }
    errors = {edges: abs(one.hfov_deg - camera.hfov_deg) for edges, one in found.items()}
    assert errors[True] < 0.5 * errors[False]
    assert found[True].decided_by == "edges"
    assert found[True].gravity.roll_deg == pytest.approx(roll, abs=1.0)
    assert found[True].gravity.pitch_deg == pytest.approx(pitch, abs=2.0)
    row = found[True].to_dict()
    assert row["pitch_deg"] == pytest.approx(found[True].gravity.pitch_deg, abs=1e-3)
    assert len(row["gravity"]) == 3
    refined = Calibrator(predictor=network)(path, camera.model, prior="none", refine=True)
    assert abs(refined.hfov_deg - camera.hfov_deg) < 0.5 * errors[False]
    assert refined.camera != found[True].camera
