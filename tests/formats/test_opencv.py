"""OpenCV is the judge of our OpenCV and ROS files: FileStorage, projection, undistortion, the half pixel."""

import numpy as np
import pytest

from anylens import Camera, FormatError
from anylens.formats import read, write
from anylens.undistortion import undistort

from .cases import cameras_of, grid

cv2 = pytest.importorskip("cv2")


def load(path):
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    size = int(storage.getNode("image_width").real()), int(storage.getNode("image_height").real())
    return storage.getNode("camera_matrix").mat(), storage.getNode("distortion_coefficients").mat(), size


@pytest.mark.parametrize("model", ["simple_pinhole", "pinhole", "simple_radial:1", "radial:2", "radial:3"])
def test_opencv_projects_the_same_points(tmp_path, model):
    for camera in cameras_of(model):
        write(camera, tmp_path / "c.yaml", "opencv")
        K, D, size = load(tmp_path / "c.yaml")
        rays, valid = camera.unproject(grid(camera))
        pixels, _ = cv2.projectPoints(rays[valid], np.zeros(3), np.zeros(3), K, D)
        assert size == (camera.width, camera.height)
        assert np.abs(pixels[:, 0] + 0.5 - grid(camera)[valid]).max() < 1e-8


@pytest.mark.parametrize("model", ["kb:1", "kb:4", "equidistant"])
def test_opencv_fisheye_projects_the_same_points(tmp_path, model):
    for camera in cameras_of(model):
        write(camera, tmp_path / "c.yaml", "opencv_fisheye")
        K, D, _ = load(tmp_path / "c.yaml")
        rays, valid = camera.unproject(grid(camera))
        valid &= rays[:, 2] > 0.05  # OpenCV's fisheye module divides by Z
        pixels, _ = cv2.fisheye.projectPoints(rays[valid][:, None], np.zeros(3), np.zeros(3), K, D)
        assert np.abs(pixels[:, 0] + 0.5 - grid(camera)[valid]).max() < 1e-8


def picture(width, height, seed=0):
    noise = np.random.default_rng(seed).integers(0, 256, (height // 8, width // 8, 3), dtype=np.uint8)
    return cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)


@pytest.mark.parametrize("fisheye", [False, True])
def test_opencv_undistorts_the_same_image_from_our_file(tmp_path, fisheye):
    camera = cameras_of("kb:4")[1] if fisheye else cameras_of("radial:2")[0]
    image = picture(camera.width, camera.height)
    ours = undistort(image, camera, fov_deg=70)
    write(camera, tmp_path / "c.yaml", "opencv_fisheye" if fisheye else "opencv")
    write(ours.camera, tmp_path / "new.yaml", "opencv")
    (K, D, size), (new, _, _) = load(tmp_path / "c.yaml"), load(tmp_path / "new.yaml")
    module = cv2.fisheye if fisheye else cv2
    x, y = module.initUndistortRectifyMap(K, D, np.eye(3), new, size, cv2.CV_32FC1)
    theirs = cv2.remap(image, x, y, cv2.INTER_LINEAR)
    inside = (x > 1) & (x < size[0] - 2) & (y > 1) & (y < size[1] - 2)
    assert inside.mean() > 0.9
    difference = np.abs(theirs.astype(int) - ours.image)[inside]
    assert difference.max() <= (1 if int(cv2.__version__[0]) >= 5 else 6)


@pytest.mark.parametrize("backend", ["numpy", "opencv"])
def test_a_ramp_shows_the_half_pixel(tmp_path, backend):
    """The value of a pixel is its ray's x / z, and must be so in a shifted pinhole view, too."""
    camera = Camera("radial:2", [400.0, 410.0, 330.3, 237.9, -0.2, 0.05], 640, 480)
    x, y = np.meshgrid(np.arange(640) + 0.5, np.arange(480) + 0.5)
    rays, _ = camera.unproject(np.stack([x, y], axis=-1).reshape(-1, 2))
    ramp = (rays[:, 0] / rays[:, 2]).reshape(480, 640).astype(np.float32)
    write(camera, tmp_path / "c.yaml", "opencv")
    [back] = read(tmp_path / "c.yaml")
    target = Camera("pinhole", [450.0, 440.0, 300.0, 250.0], 640, 480)
    straight = undistort(ramp, back.camera, target, backend=backend)
    wanted = (x - 300.0) / 450.0
    inner = straight.mask.copy()
    inner[:2] = inner[-2:] = False
    inner[:, :2] = inner[:, -2:] = False
    error_px = np.abs(straight.image - wanted)[inner] * 450
    # half a pixel would be 0.5; OpenCV before 5 rounds to 1/32
    assert np.percentile(error_px, 99) < (0.01 if backend == "numpy" else 0.04)
    raw = (tmp_path / "c.yaml").read_text()
    assert "329.8" in raw  # the file itself has the centre half a pixel lower


def test_a_vector_of_four_is_not_four_radial_terms():
    text = (
        "%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: !!opencv-matrix\n   rows: 3\n"
        "   cols: 3\n   dt: d\n   data: [ 500., 0., 319.5,\n       0., 500., 239.5, 0., 0., 1. ]\n"
        "distortion_coefficients: !!opencv-matrix\n   rows: 4\n   cols: 1\n   dt: d\n"
        "   data: [ -0.1, 0.02, {}, {} ]\n"
    )
    assert read(text.format(0, 0))[0].camera == Camera("radial:2", [500.0, 500.0, 320.0, 240.0, -0.1, 0.02], 640, 480)
    with pytest.raises(FormatError, match="tangential"):
        read(text.format(0.001, 0))
    assert read(text.format(0.001, 0), "opencv_fisheye")[0].camera.model == "kb:4"


def test_we_read_what_filestorage_writes(tmp_path):
    storage = cv2.FileStorage(str(tmp_path / "s.yml"), cv2.FILE_STORAGE_WRITE)
    storage.write("image_width", 1280)
    storage.write("image_height", 720)
    storage.write("camera_matrix", np.array([[900.123456789, 0, 639.5], [0, 901, 359.5], [0, 0, 1.0]]))
    storage.write("distortion_coefficients", np.array([[-0.31234567891234, 1e-05, 0, 0, 0.0012]]))
    storage.write("avg_reprojection_error", 0.1)
    storage.writeComment("a comment")
    storage.release()
    [back] = read(tmp_path / "s.yml")
    k = [-0.31234567891234, 1e-05, 0.0012]
    assert np.allclose(back.camera.params, [900.123456789, 901, 640, 360, *k], rtol=1e-13)


@pytest.mark.parametrize("model", ["radial:3", "kb:4", "pinhole"])
def test_a_yaml_library_reads_our_ros_and_kalibr_numbers_as_numbers(tmp_path, model):
    yaml = pytest.importorskip("yaml")
    camera = cameras_of(model)[0]
    params = np.array(camera.params)
    params[-1] = 1e-05
    write(Camera(model, params, 640, 480), tmp_path / "c.yaml", "ros")
    data = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert all(isinstance(v, float) for v in data["camera_matrix"]["data"] + data["distortion_coefficients"]["data"])
    assert data["distortion_model"] == ("equidistant" if model == "kb:4" else "plumb_bob")
    assert data["camera_matrix"]["data"][2] == params[2] - 0.5


def test_ros_rational_polynomial_is_refitted_from_opencvs_own_rays(tmp_path):
    vector = [0.1, -0.05, 0.0004, -0.0003, 0.01, 0.3, -0.02, 0.004]
    text = f"image_width: 640\nimage_height: 480\ncamera_name: left\ncamera_matrix:\n  rows: 3\n  cols: 3\n" \
           f"  data: [500, 0, 320, 0, 505, 240, 0, 0, 1]\ndistortion_model: rational_polynomial\n" \
           f"distortion_coefficients:\n  rows: 1\n  cols: 8\n  data: {vector}\n"  # fmt: skip
    with pytest.raises(FormatError, match="rational"):
        read(text)
    [back] = read(text, model="radial:4")
    assert back.name == "left"
    assert back.error < 1
    K = np.array([[500, 0, 320], [0, 505, 240], [0, 0, 1.0]])
    rays, _ = back.camera.unproject(grid(back.camera))
    theirs, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), K, np.array(vector))
    worst = np.linalg.norm(theirs[:, 0] + 0.5 - grid(back.camera), axis=-1).max()
    assert worst == pytest.approx(back.error, rel=0.15)
