"""Agreement with other people's programs: OpenCV and COLMAP project and unproject the same pixels."""

import cv2
import numpy as np
import pycolmap
import pytest
from cameras import examples, grid

from anylens import Camera


def points(camera: Camera) -> np.ndarray:
    rays, valid = camera.unproject(grid(camera.width, camera.height))
    return (rays * np.random.default_rng(0).uniform(0.5, 4, (len(rays), 1)))[valid & (rays[:, 2] > 0.05)]


def opencv_matrix(camera: Camera) -> np.ndarray:
    K = np.array(camera.K)
    K[:2, 2] -= 0.5  # OpenCV puts the centre of the first pixel at 0
    return K


@pytest.mark.parametrize("model", ["pinhole", "radial:1", "radial:2", "radial:3", "simple_radial:2"])
def test_opencv_pinhole_and_radial(model):
    for camera in examples(model):
        x = points(camera)
        k = [*camera.coefs, 0, 0, 0][:3]
        D = np.array([k[0], k[1], 0, 0, k[2]])
        theirs, _ = cv2.projectPoints(x[:, None], np.zeros(3), np.zeros(3), opencv_matrix(camera), D)
        assert camera.project(x)[0] - 0.5 == pytest.approx(theirs[:, 0], abs=1e-6)
        pixels = camera.project(x)[0]
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 200, 1e-14)
        back = cv2.undistortPoints(pixels[:, None] - 0.5, opencv_matrix(camera), D, criteria=criteria)[:, 0]
        rays = camera.unproject(pixels)[0]
        centre = np.abs(back).max(-1) < 0.5  # OpenCV's fixed point does not converge far out
        assert (rays[:, :2] / rays[:, 2:])[centre] == pytest.approx(back[centre], abs=1e-6)


def test_opencv_fisheye():
    for camera in examples("kb:4"):
        x = points(camera)
        theirs, _ = cv2.fisheye.projectPoints(x[:, None], np.zeros(3), np.zeros(3), opencv_matrix(camera), camera.coefs)
        assert camera.project(x)[0] - 0.5 == pytest.approx(theirs[:, 0], abs=1e-6)
        back = cv2.fisheye.undistortPoints(theirs, opencv_matrix(camera), camera.coefs)[:, 0]
        rays = camera.unproject(theirs[:, 0] + 0.5)[0]
        assert rays[:, :2] / rays[:, 2:] == pytest.approx(back, rel=1e-4, abs=1e-4)


COLMAP = {
    "SIMPLE_PINHOLE": ("simple_pinhole", lambda p: p),
    "PINHOLE": ("pinhole", lambda p: p),
    "SIMPLE_RADIAL": ("simple_radial:1", lambda p: p),
    "RADIAL": ("simple_radial:2", lambda p: p),
    "OPENCV": ("radial:2", lambda p: [*p, 0, 0]),
    "FULL_OPENCV": ("radial:3", lambda p: [*p[:6], 0, 0, p[6], 0, 0, 0]),
    "OPENCV_FISHEYE": ("kb:4", lambda p: p),
    "SIMPLE_RADIAL_FISHEYE": ("simple_kb:1", lambda p: p),
    "RADIAL_FISHEYE": ("simple_kb:2", lambda p: p),
    "FOV": ("fov", lambda p: p),
    "SIMPLE_DIVISION": ("simple_division:1", lambda p: p),
    "DIVISION": ("division:1", lambda p: p),
    "EUCM": ("eucm", lambda p: p),
    "SIMPLE_FISHEYE": ("simple_equidistant", lambda p: p),
    "FISHEYE": ("equidistant", lambda p: p),
}


@pytest.mark.parametrize("name", COLMAP)
def test_colmap(name):
    if not hasattr(pycolmap.CameraModelId, name):
        pytest.skip(f"this pycolmap has no {name}")
    model, params = COLMAP[name]
    for camera in examples(model):
        theirs = pycolmap.Camera(
            model=name, width=camera.width, height=camera.height, params=params(list(camera.params))
        )
        x = points(camera)
        seen = [theirs.img_from_cam(p) for p in x]
        ours = camera.project(x)[0]
        known = np.array([s is not None for s in seen])
        assert known.mean() > 0.9
        assert ours[known] == pytest.approx(np.array([s for s in seen if s is not None]), abs=1e-6)
        inside = ours[known & (np.linalg.norm(x[:, :2], axis=1) < x[:, 2])]
        rays = camera.unproject(inside)[0]
        back = np.array([theirs.cam_from_img(p) for p in inside], float)
        assert rays[:, :2] / rays[:, 2:] == pytest.approx(back, abs=1e-5)
