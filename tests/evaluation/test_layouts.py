"""The published sets and COLMAP reconstructions, each in a tiny folder of that layout."""

import json
import zipfile

import numpy as np
import pytest

from anylens import Camera
from anylens.evaluation.presets import PRESETS
from anylens.evaluation.sets import LAYOUTS, open_set
from anylens.evaluation.sets.editing import edit
from anylens.images import read_photo

from .written import write_picture

IMAGES_TXT = "# Image list\n1 1 0 0 0 0 0 0 1 a.png\n10 10 -1\n2 1 0 0 0 0 0 0 2 b.png\n\n3 1 0 0 0 0 0 0 9 c.png\n\n"


def stanford(folder):
    write_picture(folder / "area_1/data/rgb/camera_x_office_1_frame_0_domain_rgb.png", 54, 54)
    pose = folder / "area_1/data/pose/camera_x_office_1_frame_0_domain_pose.json"
    pose.parent.mkdir(parents=True)
    pose.write_text(json.dumps({"camera_k_matrix": [[50.0, 0, 27.0], [0, 50.0, 27.0], [0, 0, 1]]}))
    pose.with_name("camera_y_office_1_frame_0_domain_pose.json").write_text("{}")
    return [("pinhole", [50.0, 50.0, 27.0, 27.0])], 1


def tartanair(folder):
    write_picture(folder / "hospital/Easy/P001/image_left/000000_left.png", 640, 480)
    return [("pinhole", [320.0, 320.0, 320.0, 240.0])], 0


def megadepth(folder):
    place = folder / "0000/sparse/manhattan/0"
    place.mkdir(parents=True)
    (place / "cameras.txt").write_text("1 SIMPLE_PINHOLE 64 48 60 32 24\n2 SIMPLE_RADIAL 128 96 120 64 48 -0.1\n")
    (place / "images.txt").write_text(IMAGES_TXT)
    write_picture(folder / "0000/images/a.png")
    write_picture(folder / "0000/images/b.png")  # half the size of its camera
    return [("simple_pinhole", [60.0, 32.0, 24.0]), ("simple_radial:1", [60.0, 32.0, 24.0, -0.1])], 1


def lamar(folder):
    place = folder / "HGE/sessions/query_phone"
    place.mkdir(parents=True)
    (place / "sensors.txt").write_text(
        "# sensor_id, name, sensor_type, [sensor_params]+\ncam1, phone, camera, PINHOLE, 64, 48, 60, 61, 32, 24\n"
        "imu1, x, imu\n"
    )
    (place / "images.txt").write_text("# timestamp, sensor_id, image_path\n17, cam1, img/1.png\n18, imu1, img/2.png\n")
    write_picture(place / "raw_data/img/1.png")
    return [("pinhole", [60.0, 61.0, 32.0, 24.0])], 1


def scannetpp(folder):
    place = folder / "data/abc/dslr/colmap"
    place.mkdir(parents=True)
    (place / "cameras.txt").write_text("1 OPENCV_FISHEYE 64 48 30 30 32 24 0.01 0 0 0\n")
    (place / "images.txt").write_text("1 1 0 0 0 0 0 0 1 DSC1.png\n\n")
    write_picture(folder / "data/abc/dslr/resized_images/DSC1.png")
    return [("kb:4", [30.0, 30.0, 32.0, 24.0, 0.01, 0, 0, 0])], 0


def tum_mono(folder):
    for name, w in (("sequence_01", 0.9), ("sequence_02", 0.9)):
        (folder / name).mkdir(parents=True)
        (folder / name / "camera.txt").write_text(f"0.5 0.6 0.5 0.5 {w}\n64 48\ncrop\n640 480\n")
    write_picture(folder / "sequence_01/images/00000.png")
    write_picture(folder / "x.png")
    with zipfile.ZipFile(folder / "sequence_02/images.zip", "w") as archive:
        archive.write(folder / "x.png", "00000.png")
    return [("fov", [32.0, 0.6 * 48, 32.0, 24.0, 0.9])] * 2, 0


def perspective(folder):
    write_picture(folder / "images/a.png")
    (folder / "images.csv").write_text(f"fname,roll,pitch,width,height,vfov,k1\na.png,0,0,64,48,{np.pi / 2},-0.1\n")
    return [("radial:1", [24.0, 24.0, 32.0, 24.0, -0.1])], 0


MAKERS = {f.__name__.replace("stanford", "stanford2d3d"): f for f in (
    stanford, tartanair, megadepth, lamar, scannetpp, tum_mono, perspective)}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_layout_is_recognised_and_read(name, tmp_path):
    cameras, problems = MAKERS[name](tmp_path)
    assert next(n for n, layout in LAYOUTS.items() if layout.fits(tmp_path)) == name
    data = open_set(tmp_path)
    assert [(s.truth.model, np.round(s.truth.params, 9).tolist()) for s in data.samples] == [
        (model, pytest.approx(params)) for model, params in cameras
    ]
    assert len(data.problems) == problems, data.problems
    for sample in data.samples:
        photo = read_photo(sample.picture())
        assert (photo.width, photo.height) == (sample.width, sample.height)
        assert sample.hfov_deg == pytest.approx(sample.truth.hfov_deg)


def test_binary_reconstructions_with_tangential_terms(tmp_path):
    pycolmap = pytest.importorskip("pycolmap")
    made = pycolmap.Reconstruction()
    camera = pycolmap.Camera(model="OPENCV", width=64, height=48, camera_id=3,
                             params=[60, 61, 32, 24, -0.1, 0.01, 0.002, -0.001])  # fmt: skip
    if hasattr(made, "add_camera_with_trivial_rig"):
        made.add_camera_with_trivial_rig(camera)
        made.add_image_with_trivial_frame(pycolmap.Image(name="x/a.png", camera_id=3, image_id=7), pycolmap.Rigid3d())
    else:
        made.add_camera(camera)
        made.add_image(pycolmap.Image(name="x/a.png", camera_id=3, image_id=7, cam_from_world=pycolmap.Rigid3d()))
        made.register_image(7)
    place = tmp_path / "sparse/0"
    place.mkdir(parents=True)
    made.write_binary(str(place))
    write_picture(tmp_path / "images/x/a.png")
    [sample] = open_set(tmp_path).samples
    points = np.array([[5.0, 7.0], [60.0, 40.0]])
    rays, valid = sample.truth.unproject(points)
    assert valid.all()
    assert camera.img_from_cam(rays) == pytest.approx(points, abs=1e-5)


def test_damaged_reconstructions_are_named(tmp_path):
    place = tmp_path / "sparse"
    place.mkdir()
    (place / "cameras.bin").write_bytes(b"\1" * 30)
    (place / "images.bin").write_bytes(b"\1" * 30)
    data = open_set(tmp_path)
    assert not data.samples
    assert len(data.problems) == 1


@pytest.mark.parametrize("how", ["crop", "stretch", "both"])
def test_edited_photos_keep_their_rays(how, tmp_path):
    write_picture(tmp_path / "a.png", 200, 100)
    camera = Camera("radial:1", [150.0, 150.0, 100.0, 50.0, -0.1], 200, 100)
    from anylens.evaluation.sample import Sample

    before = Sample("a.png", tmp_path / "a.png", 200, 100, camera)
    [after], [again], [other] = (edit([before], how, seed) for seed in (1, 1, 2))
    assert after == again or after.source == again.source
    assert after.source != other.source
    left, top, width, height = after.source.box
    assert after.picture().shape == (after.height, after.width, 3)
    assert (width < 200 and height < 100) == (how != "stretch")
    at = np.array([[0.3, 0.6]])
    was = camera.unproject(np.array([left, top]) + at * [width, height])[0]
    now = after.truth.unproject(at * [after.width, after.height])[0]
    assert now == pytest.approx(was, abs=1e-9)
    ratio = (after.truth.params[1] / after.truth.params[0]) if how != "crop" else 1.0
    assert 0.49 < ratio < 2.05


def test_presets_name_known_layouts_and_models():
    for preset in PRESETS.values():
        assert preset.layout in LAYOUTS
        Camera(preset.model, np.ones(len(_names(preset.model))), 4, 4)
    assert PRESETS["tum-mono"].last_cameras == 16
    assert not any("megadepth" in name and p.edited != "no" for name, p in PRESETS.items())


def _names(model):
    from anylens.profiles import parse

    return parse(model).param_names


def test_the_last_sequences(tmp_path):
    tum_mono(tmp_path)
    assert [s.camera for s in open_set(tmp_path, cameras=1).samples] == ["sequence_02"]
