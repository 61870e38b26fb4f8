"""Files as other programs write them: Kalibr, nerfstudio, Metashape, ROS; and what must be refused."""

import json

import numpy as np
import pytest

from anylens import Camera, FormatError
from anylens.formats import read, write
from anylens.formats.foreign import ForeignCamera
from anylens.formats.plain_yaml import dump_yaml, parse_yaml

from .cases import cameras_of, grid

CAMCHAIN = """cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: [-0.28340811, 0.07395907, 0.0, 0.0]
  distortion_model: radtan
  intrinsics: [458.654, 457.296, 367.215, 248.375]
  resolution: [752, 480]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
  - [0.9999, 0.002, 0.003, -0.11]
  - [-0.002, 0.9999, 0.01, 0.0004]
  - [-0.003, -0.01, 0.9999, -0.0008]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: omni
  distortion_coeffs: []
  distortion_model: none
  intrinsics: [1.3, 700.0, 701.0, 370.0, 250.0]
  resolution: [752, 480]
cam2:
  camera_model: eucm
  distortion_coeffs: [0.0, 0.0, 0.0, 0.0]
  distortion_model: radtan
  intrinsics: [0.6, 1.1, 460.0, 459.0, 365.0, 248.0]
  resolution: [752, 480]
cam3:
  camera_model: ds
  distortion_model: none
  intrinsics: [-0.24, 0.57, 350.0, 349.0, 365.0, 248.0]
  resolution: [752, 480]
"""


def test_kalibr_orders_its_intrinsics_by_model():
    found = {n.name: n.camera for n in read(CAMCHAIN)}
    assert list(found) == ["cam0", "cam1", "cam2", "cam3"]
    half = 0.5
    assert found["cam0"].named() == pytest.approx(
        {
            "fx": 458.654,
            "fy": 457.296,
            "cx": 367.215 + half,
            "cy": 248.375 + half,
            "k1": -0.28340811,
            "k2": 0.07395907,
        }
    )
    assert found["cam1"].named() == {"fx": 700.0, "fy": 701.0, "cx": 370.5, "cy": 250.5, "xi": 1.3}
    assert found["cam2"].named() == {
        "fx": 460.0,
        "fy": 459.0,
        "cx": 365.5,
        "cy": 248.5,
        "alpha": 0.6,
        "beta": 1.1,
    }
    assert found["cam3"].named() == {
        "fx": 350.0,
        "fy": 349.0,
        "cx": 365.5,
        "cy": 248.5,
        "xi": -0.24,
        "alpha": 0.57,
    }


def test_kalibr_omni_with_radtan_is_refused_or_refitted():
    text = CAMCHAIN.replace(
        "distortion_coeffs: []\n  distortion_model: none",
        "distortion_coeffs: [-0.05, 0.01, 0.0, 0.0]\n  distortion_model: radtan",
    )
    with pytest.raises(FormatError, match="cam1"):
        read(text)
    found = {n.name: n for n in read(text, refit=True, max_error=2.0)}
    assert found["cam1"].error > 0
    assert found["cam0"].error == 0


def test_written_kalibr_has_the_orders_of_its_documentation(tmp_path):
    yaml = pytest.importorskip("yaml")
    cameras = [cameras_of(m)[-1] for m in ("ucm", "eucm", "ds", "fov", "kb:4")]
    write(cameras, tmp_path / "camchain.yaml")
    data = yaml.safe_load((tmp_path / "camchain.yaml").read_text())
    for i, camera in enumerate(cameras):
        fx, fy, cx, cy, *k = (float(v) for v in camera.params)
        node, head = data[f"cam{i}"], [fx, fy, cx - 0.5, cy - 0.5]
        pinhole = camera.model in ("fov", "kb:4")
        assert node["intrinsics"] == (head if pinhole else [*k, *head])
        assert node["distortion_coeffs"] == (k if pinhole else [])
    assert [data[f"cam{i}"]["camera_model"] for i in range(5)] == ["omni", "eucm", "ds", "pinhole", "pinhole"]
    assert [data[f"cam{i}"]["distortion_model"] for i in range(3, 5)] == ["fov", "equidistant"]


def test_nerfstudio_intrinsics_at_the_top_or_per_frame():
    top = {
        "camera_model": "OPENCV",
        "fl_x": 500.0,
        "fl_y": 501.0,
        "cx": 320.5,
        "cy": 241.0,
        "w": 640,
        "h": 480,
        "k1": -0.1,
        "k2": 0.02,
        "p1": 0,
        "p2": 0,
        "frames": [{"file_path": "a.png"}, {"file_path": "b.png"}],
    }
    [one] = read(json.dumps(top))
    assert one.camera == Camera("radial:2", [500.0, 501.0, 320.5, 241.0, -0.1, 0.02], 640, 480)
    frames = [{**top, "file_path": f"{i}.png", "fl_x": 500.0 + i} for i in range(2)]
    for frame in frames:
        del frame["frames"]
    two = read(json.dumps({"camera_model": "OPENCV", "frames": frames}))
    assert [(n.name, float(n.camera.params[0])) for n in two] == [("0.png", 500.0), ("1.png", 501.0)]
    with pytest.raises(FormatError, match="tangential"):
        read(json.dumps({**top, "p1": 0.001}))
    [fisheye] = read(json.dumps({**top, "camera_model": "OPENCV_FISHEYE", "k3": 0.001}))
    assert fisheye.camera.model == "kb:4"
    [angle] = read(json.dumps({"camera_angle_x": np.pi / 2, "w": 640, "h": 480, "frames": []}))
    assert angle.camera.hfov_deg == pytest.approx(90)


METASHAPE = """<?xml version="1.0" encoding="UTF-8"?>
<calibration>
  <projection>frame</projection><width>6000</width><height>4000</height>
  <f>4500.5</f><cx>12.25</cx><cy>-8.5</cy><b1>-1.5</b1><b2>{b2}</b2>
  <k1>-0.05</k1><k2>0.02</k2><k3>-0.003</k3><p1>{p1}</p1><p2>{p2}</p2>
  <date>2024-01-01T00:00:00Z</date>
</calibration>
"""


def test_metashape_counts_from_the_image_centre():
    [back] = read(METASHAPE.format(b2=0, p1=0, p2=0))
    assert back.camera == Camera("radial:3", [4499.0, 4500.5, 3012.25, 1991.5, -0.05, 0.02, -0.003], 6000, 4000)


@pytest.mark.parametrize("terms", [{"b2": 2.0, "p1": 0, "p2": 0}, {"b2": 0, "p1": 1e-4, "p2": -2e-4}])
def test_metashape_skew_and_swapped_tangential_terms_follow_its_manual(terms):
    from anylens.formats.metashape import parse

    with pytest.raises(FormatError, match=r"skew|tangential"):
        read(METASHAPE.format(**terms))
    [(_, foreign)] = parse(METASHAPE.format(**terms).encode())
    assert isinstance(foreign, ForeignCamera)
    X, Y, Z = points = np.array([0.3, -0.2, 1.1])
    x, y = X / Z, Y / Z
    r2 = x * x + y * y
    radial = 1 - 0.05 * r2 + 0.02 * r2**2 - 0.003 * r2**3
    p1, p2 = terms["p1"], terms["p2"]
    xd = x * radial + p1 * (r2 + 2 * x * x) + 2 * p2 * x * y
    yd = y * radial + p2 * (r2 + 2 * y * y) + 2 * p1 * x * y
    wanted = [3000 + 12.25 + xd * 4500.5 - xd * 1.5 + yd * terms["b2"], 2000 - 8.5 + yd * 4500.5]
    pixels, _ = foreign.project(points[None])
    assert np.allclose(pixels[0], wanted, atol=1e-9)
    rays, solved = foreign.unproject(pixels)
    assert solved.all()
    assert np.allclose(rays[0], points / np.linalg.norm(points), atol=1e-11)


def test_metashape_sensors_of_a_camera_export():
    text = """<document version="1.4.0"><chunk><sensors>
      <sensor id="0" label="FC330" type="frame"><resolution width="4000" height="3000"/>
        <calibration type="frame" class="initial"><f>1</f></calibration>
        <calibration type="frame" class="adjusted"><resolution width="4000" height="3000"/><f>2300</f>
        <cx>5</cx><cy>1</cy><k1>-0.01</k1></calibration></sensor></sensors></chunk></document>"""
    [back] = read(text)
    assert back.name == "FC330"
    assert back.camera == Camera("radial:1", [2300.0, 2300.0, 2005.0, 1501.0, -0.01], 4000, 3000)


def test_our_results_are_read_as_cameras():
    camera = cameras_of("eucm")[0]
    lines = [
        {"file": "a.jpg", "ok": True, "camera": camera.to_dict()},
        {"file": "b.jpg", "ok": False, "error": "x"},
    ]
    [back] = read("\n".join(json.dumps(line) for line in lines))
    assert (back.name, back.camera) == ("a.jpg", camera)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        "[]",
        "[1, 2]",
        '{"model": "kb:9"}',
        "<calibration/>",
        "<a></a>",
        "<a>",
        '{"frames": 3}',
        '{"model": "pinhole", "width": 640, "height": 480, "params": {"fx": 1}}',
        "cam0:\n  intrinsics: x\n",
        "%YAML:1.0\n---\ncamera_matrix: 3\n",
        "%YAML:1.0\n---\ncamera_matrix: [1, 2\n",
        "a: [1, {b: 2]\n",
        "\n\n",
        "a\nb\n",
        '{"model": "pinhole", "width": 640, "height": 480, "params": [NaN, 1, 2, 3]}',
        "distortion_model: [\n",
        '<!DOCTYPE a [<!ENTITY b "c">]><calibration>&b;</calibration>',
        "distortion_model: x\ncamera_matrix: [1,2]\n",
    ],
)
def test_nonsense_is_a_format_error(text):
    with pytest.raises(FormatError):
        read(text + "\n")


def test_missing_files_and_folders_are_format_errors(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path, "a\0b"):
        with pytest.raises(FormatError):
            read(path)
    with pytest.raises(FormatError, match="Known"):
        read(tmp_path / "x", "nonsense")
    with pytest.raises(FormatError, match="only be written"):
        read("x\n", "lensfun")


def test_an_opencv_file_without_image_size_takes_one():
    matrix = "rows: 3\n   cols: 3\n   dt: d\n   data: [500, 0, 319.5, 0, 500, 239.5, 0, 0, 1]\n"
    text = f"%YAML:1.0\n---\nK: !!opencv-matrix\n   {matrix}"
    with pytest.raises(FormatError, match="--size"):
        read(text)
    assert read(text, size=(640, 480))[0].camera == Camera("pinhole", [500.0, 500.0, 320.0, 240.0], 640, 480)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n  - 1\n  - [2, 3]\n  - c: 4\n    d: '#x'\n",
        "a:\n- 1\n- 2\nb: {x: [1, 2], y: z}\n",
        'a: [1,\n  2, 3] # no\nb: "q: r"\nc: -1.5e-3\nd:\n  e:\n    f: true\ng:\n',
        "- 1\n- - 2\n  - 3\n",
        "a: .5\nb: ~\n",
    ],
)
def test_plain_yaml_agrees_with_a_yaml_library(text):
    yaml = pytest.importorskip("yaml")
    assert parse_yaml(text) == yaml.safe_load(text)


def test_dumped_yaml_reads_back():
    data = {"a": 1, "b": [0.1, 1e-05, -3e20], "c": {"d": "two words", "e": "x"}, "f": True}
    assert parse_yaml(dump_yaml(data)) == data


@pytest.mark.parametrize("model", ["kb:4", "radial:2"])
def test_foreign_rays_are_ours_where_only_radial_terms_are_set(model):
    camera = cameras_of(model)[0]
    fx, fy, cx, cy, *k = (float(v) for v in camera.params)
    plane = "equidistant" if model == "kb:4" else "pinhole"
    foreign = ForeignCamera("x", (fx, fy), (cx, cy), camera.width, camera.height, plane, radial=tuple(k))
    assert foreign.plain() == camera
    rays, valid = foreign.unproject(grid(camera))
    ours, also = camera.unproject(grid(camera))
    both = valid & also
    assert both.mean() > 0.9
    assert np.abs(rays - ours)[both].max() < 1e-9
