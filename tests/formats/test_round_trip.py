"""Write → read → the same rays to 1e-9, for every format and model it holds; refusals for the rest."""

import numpy as np
import pytest

from anylens import Camera, FormatError
from anylens.formats import FORMATS, NamedCamera, read, write
from anylens.formats.embedding import embed_first
from anylens.formats.table import format_by_file_name

from .cases import ALL_MODELS, cameras_of, same_rays

READABLE = [name for name, row in FORMATS.items() if row.reads and row.writes]
NAMES = {
    "colmap_binary": "cameras.bin",
    "colmap_text": "cameras.txt",
    "anylens": "c.json",
    "metashape": "c.xml",
    "nerfstudio": "transforms.json",
}


def in_reach(format_name, camera):
    """COLMAP refuses fisheyes of 180° and more."""
    return not (format_name.startswith("colmap") and max(camera.hfov_deg, camera.vfov_deg) >= 180)


@pytest.mark.parametrize("format_name", READABLE)
@pytest.mark.parametrize("model", ALL_MODELS)
def test_same_rays_or_a_refusal_that_names_the_way_out(tmp_path, format_name, model):
    path = tmp_path / NAMES.get(format_name, "camera.yaml")
    target = FORMATS[format_name]
    for camera in cameras_of(model):
        path.unlink(missing_ok=True)
        held = embed_first(camera, target.holds) is not None
        if held and in_reach(format_name, camera):
            [written] = write(camera, path, format_name)
            [back] = read(path, format_name)
            assert written.error == 0
            assert same_rays(camera, back.camera) < 1e-9
            assert back.error == 0
        elif held:
            with pytest.raises(FormatError, match="180"):
                write(camera, path, format_name)
        else:
            with pytest.raises(FormatError, match="--model") as caught:
                write(camera, path, format_name)
            assert model in str(caught.value)
            assert not path.exists()


@pytest.mark.parametrize("format_name", READABLE)
def test_every_model_that_the_table_promises_is_held_as_it_is(tmp_path, format_name):
    for model in FORMATS[format_name].holds:
        for camera in cameras_of(model):
            if in_reach(format_name, camera):
                [written] = write(camera, tmp_path / "camera.file", format_name)
                assert written.camera.model == model
                assert written.camera == camera


@pytest.mark.parametrize("format_name", READABLE)
def test_the_format_is_recognised_without_being_named(tmp_path, format_name):
    model = FORMATS[format_name].holds[-1]
    camera = next(c for c in cameras_of(model) if in_reach(format_name, c))
    path = tmp_path / ("file.bin" if format_name == "colmap_binary" else "file.unknown")
    write(camera, path, format_name)
    assert same_rays(read(path)[0].camera, camera) < 1e-9
    if format_name != "colmap_binary":
        assert same_rays(read(path.read_text())[0].camera, camera) < 1e-9


@pytest.mark.parametrize("format_name", [n for n in READABLE if FORMATS[n].many])
def test_several_cameras_keep_order_and_rays(tmp_path, format_name):
    cameras = [Camera("pinhole", [500.0 + i, 510.0, 320.0 + i, 240.0], 640 + i, 480) for i in range(3)]
    names = ["3", "1", "7"] if format_name.startswith("colmap") else ["cam0", "cam1", "cam2"]
    path = tmp_path / "cameras.file"
    write([NamedCamera(n, c) for n, c in zip(names, cameras)], path, format_name)
    back = read(path, format_name)
    assert [b.name for b in back] == names
    assert all(same_rays(a, b.camera) < 1e-9 for a, b in zip(cameras, back))


@pytest.mark.parametrize("format_name", [n for n in READABLE if not FORMATS[n].many])
def test_one_camera_per_file_formats_write_one_file_each(tmp_path, format_name):
    model = FORMATS[format_name].holds[0]
    cameras = {"left": cameras_of(model)[0], "right": cameras_of(model)[0]}
    with pytest.raises(FormatError, match=r"\{name\}"):
        write(cameras, tmp_path / "c.yaml", format_name)
    write(cameras, tmp_path / "{name}.yaml", format_name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["left.yaml", "right.yaml"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("cameras.bin", "colmap_binary"),
        ("cameras.txt", "colmap_text"),
        ("transforms.json", "nerfstudio"),
        ("a.json", "anylens"),
        ("left.yaml", "opencv"),
        ("x-camchain.yaml", "kalibr"),
        ("camera_info.yaml", "ros"),
        ("my_fisheye.yml", "opencv_fisheye"),
        ("m.xml", "metashape"),
        ("st.exr", "stmap"),
        ("lensfun_mine.xml", "lensfun"),
    ],
)
def test_file_names_choose_the_format(name, wanted):
    assert format_by_file_name(name).name == wanted


@pytest.mark.parametrize("format_name", ["opencv", "colmap_text", "kalibr", "ros"])
def test_refits_state_the_largest_pixel_error(tmp_path, format_name):
    camera = Camera("division:1", [420.0, 419.0, 322.5, 238.0, -0.05], 640, 480)
    path = tmp_path / "camera.file"
    [written] = write(camera, path, format_name, refit=True)
    [back] = read(path, format_name)
    rays, _ = camera.unproject(
        grid := np.stack(np.meshgrid(np.linspace(0, 640, 40), np.linspace(0, 480, 40)), -1).reshape(-1, 2)
    )
    again, _ = back.camera.project(rays)
    measured = np.linalg.norm(again - grid, axis=-1).max()
    assert measured <= written.error * 1.05 + 1e-6
    assert written.error <= 1.0


def test_a_refit_beyond_the_limit_is_refused_and_can_be_allowed(tmp_path):
    camera = Camera("kb:4", [300.0, 300.0, 320.0, 240.0, 0.01, 0.0, 0.0, 0.0], 640, 480)
    with pytest.raises(FormatError, match="--max-error"):
        write(camera, tmp_path / "c.yaml", "opencv", model="pinhole")
    [written] = write(camera, tmp_path / "c.yaml", "opencv", model="pinhole", max_error=np.inf)
    assert written.error > 5
    assert "refitted as pinhole" in written.note
