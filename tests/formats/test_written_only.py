"""ST-maps and Lensfun: write-only, checked by decoding the EXR, by OpenEXR and by Lensfun where installed."""

import math
import re
import struct
import zlib

import numpy as np
import pytest

from anylens import Camera, FormatError, ImageError
from anylens.formats import write
from anylens.images.exr import encode_exr
from anylens.undistortion import make_target, undistort
from anylens.undistortion.resampling import sample_numpy

from .cases import cameras_of


def decode_exr(data: bytes) -> dict[str, np.ndarray]:
    """Channels of a scanline ZIP file, decoded from the format's description and not from our writer."""
    magic, version = struct.unpack_from("<ii", data)
    assert (magic, version) == (20000630, 2)
    at, attributes = 8, {}
    while data[at]:
        name = data[at : data.index(b"\0", at)].decode()
        at += len(name) + 1
        kind = data[at : data.index(b"\0", at)].decode()
        at += len(kind) + 1
        (size,) = struct.unpack_from("<i", data, at)
        attributes[name], at = data[at + 4 : at + 4 + size], at + 4 + size
    at += 1
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    names, rest = [], attributes["channels"]
    while rest[0]:
        name, _, rest = rest.partition(b"\0")
        kind = struct.unpack_from("<i", rest)[0]
        names, rest = [*names, name.decode()], rest[16:]
    dtype = np.dtype({1: "<f2", 2: "<f4"}[kind])
    out = {n: np.empty((height, width), dtype) for n in names}
    for i in range((height + 15) // 16):
        (offset,) = struct.unpack_from("<Q", data, at + 8 * i)
        top, size = struct.unpack_from("<ii", data, offset)
        lines = min(16, height - top)
        body = data[offset + 8 : offset + 8 + size]
        if size < lines * width * len(names) * dtype.itemsize:
            d = bytearray(zlib.decompress(body))
            for j in range(1, len(d)):
                d[j] = (d[j - 1] + d[j] - 128) & 255
            half = (len(d) + 1) // 2
            merged = bytearray(len(d))
            merged[::2], merged[1::2] = d[:half], d[half:]
            body = bytes(merged)
        block = np.frombuffer(body, dtype).reshape(lines, len(names), width)
        for c, name in enumerate(names):
            out[name][top : top + lines] = block[:, c]
    return out


@pytest.mark.parametrize("half", [False, True])
def test_exr_holds_the_numbers(half):
    rng = np.random.default_rng(1)
    channels = {n: rng.normal(size=(37, 23)).astype(np.float32) for n in ("R", "G", "B")}
    channels["B"][:] = 0.25
    back = decode_exr(encode_exr(channels, half=half))
    for name, values in channels.items():
        assert np.array_equal(back[name], values.astype(np.float16) if half else values)


def test_openexr_reads_our_exr(tmp_path):
    OpenEXR = pytest.importorskip("OpenEXR")
    x = np.random.default_rng(0).normal(size=(40, 50)).astype(np.float32)
    (tmp_path / "a.exr").write_bytes(encode_exr({"R": x, "G": 2 * x, "B": 0 * x}))
    pixels = OpenEXR.File(str(tmp_path / "a.exr")).channels()["RGB"].pixels
    assert np.array_equal(pixels, np.stack([x, 2 * x, 0 * x], axis=-1))


def test_exr_channels_must_match():
    with pytest.raises(ImageError):
        encode_exr({"R": np.zeros((3, 4)), "G": np.zeros((4, 3))})


def test_an_st_map_applied_to_the_photo_undistorts_it(tmp_path):
    camera = Camera("radial:2", [230.0, 231.0, 161.0, 119.0, -0.2, 0.05], 320, 240)
    write(camera, tmp_path / "map.exr")
    st = decode_exr((tmp_path / "map.exr").read_bytes())
    x, y = np.meshgrid(np.arange(320), np.arange(240))
    photo = np.stack([x, y], axis=-1).astype(np.float32)
    # What Nuke does: s, t are positions over the picture, t upwards; positions count from the corner.
    applied = sample_numpy(photo, st["R"] * 320, (1 - st["G"]) * 240)
    ours = undistort(photo, camera, backend="numpy")
    assert np.abs(applied - ours.image)[ours.mask].max() < 1e-3


def test_distort_and_undistort_maps_are_each_others_inverse(tmp_path):
    camera = cameras_of("kb:4")[1].resize(188, 120)
    maps = {}
    for direction in ("undistort", "distort"):
        write(camera, tmp_path / "map.exr", direction=direction, balance=0.5)
        maps[direction] = decode_exr((tmp_path / "map.exr").read_bytes())
    w, h = camera.width, camera.height
    straight = make_target(camera, balance=0.5)
    v, u = 25, 125
    at = maps["distort"]["R"][v, u] * w, (1 - maps["distort"]["G"][v, u]) * h
    rays, _ = straight.unproject([list(at)])
    assert np.allclose(camera.project(rays)[0], [[u + 0.5, v + 0.5]], atol=1e-3)
    assert (maps["undistort"]["R"] == -1).any()  # empty pixels are marked
    with pytest.raises(FormatError):
        write(camera, tmp_path / "map.exr", direction="sideways")


def lens_of(text):
    return dict(re.findall(r"<(model|type|aspect-ratio|cropfactor)>([^<]*)<", text)) | dict(
        re.findall(r'(k1|k2|focal|model|x|y)="([^"]*)"', text)
    )


def test_lensfun_numbers():
    from anylens.formats.lensfun import render
    from anylens.formats.named import NamedCamera

    camera = Camera("simple_radial:2", [600.0, 320.0, 250.0, -0.1, 0.02], 640, 480)
    found = lens_of(render([NamedCamera("My <lens>", camera)]))
    s = 600 / 240
    assert float(found["k1"]) == pytest.approx(-0.1 / s**2, rel=1e-8)
    assert float(found["k2"]) == pytest.approx(0.02 / s**4, rel=1e-8)
    assert float(found["focal"]) == pytest.approx(600 * math.hypot(36, 24) / 800, rel=1e-5)
    assert float(found["y"]) == pytest.approx(10 / 240, rel=1e-6)
    assert found["aspect-ratio"] == "640:480"


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (900, 500)])
@pytest.mark.parametrize("model", ["simple_radial:2", "simple_kb:2"])
def test_lensfun_distorts_like_our_camera(tmp_path, model, size):
    lensfunpy = pytest.importorskip("lensfunpy")
    width, height = size
    short = min(size)
    camera = Camera(model, [0.9 * short, width / 2 + 4, height / 2 - 6, -0.08, 0.01], width, height)
    write({"test lens": camera}, tmp_path / "lensfun.xml", "lensfun")
    text = (
        (tmp_path / "lensfun.xml")
        .read_text()
        .replace(
            "<lens>",
            "<camera><maker>anylens</maker><model>body</model>"
            "<mount>Generic</mount><cropfactor>1</cropfactor></camera><lens>",
            1,
        )
    )
    db = lensfunpy.Database(xml=text, load_common=False)
    body = db.find_cameras("anylens", "body")[0]
    lens = db.find_lenses(body, "anylens", "test lens")[0]
    modifier = lensfunpy.Modifier(lens, 1.0, width, height)
    focal = 0.9 * short * math.hypot(36, 24) / math.hypot(width, height)
    modifier.initialize(focal, 8.0, 1.0, 1.0, pixel_format=np.uint8, flags=lensfunpy.ModifyFlags.DISTORTION)
    theirs = modifier.apply_geometry_distortion()
    # Lensfun keeps the projection and removes the polynomial: the target is the plain camera of the same
    # kind.
    plain = "simple_pinhole" if "radial" in model else "simple_equidistant"
    target = Camera(plain, camera.params[:3], width, height)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    rays, _ = target.unproject(np.stack([x, y], axis=-1).reshape(-1, 2))
    ours = camera.project(rays)[0].reshape(height, width, 2) - 0.5
    # Lensfun takes the side as one pixel shorter, 0.2 % of a distortion of up to 40 px here.
    assert np.abs(theirs - ours).max() < 0.1
