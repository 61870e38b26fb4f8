"""pycolmap is the judge of our COLMAP files."""

import numpy as np
import pytest

from anylens import Camera, FormatError
from anylens.formats import FORMATS, read, write
from anylens.formats.colmap_models import MODELS, from_colmap
from anylens.formats.foreign import ForeignCamera

from .cases import cameras_of, grid

pycolmap = pytest.importorskip("pycolmap")
HELD = FORMATS["colmap_text"].holds


def points_seen_by(camera):
    """Points in front of the camera whose pixels lie in the image, beyond which COLMAP does not reach."""
    rays, valid = camera.unproject(grid(camera))
    front = valid & (rays[:, 2] > 0.05)
    return rays[front] * np.linspace(1, 5, front.sum())[:, None]


def reconstruct(folder):
    """pycolmap reads cameras only as part of a model: give it empty companions."""
    for name in ("images", "points3D"):
        if (folder / "cameras.bin").exists():
            (folder / f"{name}.bin").write_bytes(b"\0" * 8)
        else:
            (folder / f"{name}.txt").write_text("")
    return pycolmap.Reconstruction(str(folder)).cameras


@pytest.mark.parametrize("kind", ["text", "binary"])
@pytest.mark.parametrize("model", [*HELD, "ucm"])
def test_pycolmap_projects_the_same_pixels(tmp_path, kind, model):
    cameras = [c for c in cameras_of(model) if max(c.hfov_deg, c.vfov_deg) < 180]
    assert cameras
    write(cameras, tmp_path / ("cameras.txt" if kind == "text" else "cameras.bin"), f"colmap_{kind}")
    theirs = reconstruct(tmp_path)
    for i, camera in enumerate(cameras):
        points = points_seen_by(camera)
        pixels, _ = camera.project(points)
        other = theirs[i + 1].img_from_cam(points)
        assert (theirs[i + 1].width, theirs[i + 1].height) == (camera.width, camera.height)
        assert np.abs(np.asarray(other) - pixels).max() < 1e-8


def test_we_read_what_pycolmap_writes(tmp_path):
    ours = Camera("kb:4", cameras_of("kb:4")[1].params, 752, 480)
    rec = pycolmap.Reconstruction()
    rec.add_camera(
        pycolmap.Camera(camera_id=5, model="OPENCV_FISHEYE", width=752, height=480, params=list(ours.params))
    )
    rec.write_text(str(tmp_path))
    rec.write_binary(str(tmp_path))
    for name in ("cameras.txt", "cameras.bin"):
        [back] = read(tmp_path / name)
        assert (back.name, back.camera) == ("5", ours)
    assert read(tmp_path)[0].camera == ours


@pytest.mark.parametrize("model", [m for m in MODELS if m.name in ("OPENCV", "FULL_OPENCV", "THIN_PRISM_FISHEYE")])
def test_tangential_and_rational_terms_are_not_dropped_but_refitted_from_exact_rays(tmp_path, model):
    params = [500.0, 505.0, 320.0, 240.0, -0.1, 0.02, 0.001, -0.0008, 0.003, 0.002, 0.001, 0.0005][: model.size]
    (tmp_path / "cameras.txt").write_text(f"1 {model.name} 640 480 {' '.join(map(str, params))}\n")
    with pytest.raises(FormatError, match="tangential"):
        read(tmp_path / "cameras.txt")
    [back] = read(tmp_path / "cameras.txt", refit=True, max_error=10)
    assert 0.01 < back.error < 5
    theirs = reconstruct(tmp_path)[1]
    foreign = from_colmap(model, params, 640, 480, "")
    assert isinstance(foreign, ForeignCamera)
    pixels = grid(back.camera)
    rays, valid = foreign.unproject(pixels)
    assert valid.all()
    assert np.abs(np.asarray(theirs.img_from_cam(rays)) - pixels).max() < 1e-7  # the rays are exact
    again, _ = back.camera.project(rays)
    assert np.linalg.norm(again - pixels, axis=-1).max() == pytest.approx(back.error, rel=0.1)


def test_zero_tangential_terms_are_no_obstacle():
    [back] = read("# comment\n1 OPENCV 640 480 500 505 320 240 -0.1 0.02 0 0\n")
    assert back.camera == Camera("radial:2", [500.0, 505.0, 320.0, 240.0, -0.1, 0.02], 640, 480)


def test_fisheyes_of_180_degrees_are_refused(tmp_path):
    wide = Camera("kb:4", [200.0, 200.0, 320.0, 240.0, 0.0, 0.0, 0.0, 0.0], 640, 480)
    assert wide.hfov_deg > 180
    with pytest.raises(FormatError, match="180"):
        write(wide, tmp_path / "cameras.txt")


@pytest.mark.parametrize(
    "text",
    [
        "1 PINHOLE 640 480 500 500 320\n",
        "1 NONSENSE 640 480 500\n",
        "x\n",
        "",
        "1 PINHOLE 640 480 nan 500 320 240\n",
        "1 PINHOLE 0 480 500 500 320 240\n",
        "1 PINHOLE 640 480 -5 500 320 240\n",
        "1 EQUIRECTANGULAR 640 480 640 480\n",
    ],
)
def test_damaged_text_is_a_format_error(text):
    with pytest.raises(FormatError):
        read(text.encode(), "colmap_text")


def test_every_cut_of_a_binary_file_is_a_format_error(tmp_path):
    write(cameras_of("radial:2"), tmp_path / "cameras.bin")
    whole = (tmp_path / "cameras.bin").read_bytes()
    for size in range(len(whole)):
        with pytest.raises(FormatError):
            read(whole[:size], "colmap_binary")
