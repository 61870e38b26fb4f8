"""Reading panoramas: every format, tone mapping, shapes, caps, caches, and bad input named."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from anylens.data.exr import read_exr
from anylens.data.panorama_file import black_caps, read_panorama
from anylens.data.panoramas import Panorama, PanoramaStore, list_panoramas
from anylens.data.rgbe import read_rgbe
from anylens.data.tonemap import tone_map
from anylens.errors import ImageError


def light(height=32, seed=0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(0, 1.5, (height, 2 * height, 3))).astype(np.float32)


def write_hdr(path, linear, coded=True, cut=None):
    height, width = linear.shape[:2]
    top = linear.max(axis=2)
    exponent = np.ceil(np.log2(top)).astype(int)
    mantissa = np.clip(linear / np.ldexp(1.0, exponent - 8)[..., None], 0, 255).astype(np.uint8)
    rgbe = np.concatenate([mantissa, (exponent + 128).astype(np.uint8)[..., None]], axis=2)
    body = b""
    for row in rgbe:
        if not coded:
            body += row.tobytes()
            continue
        body += bytes([2, 2, width >> 8, width & 255])
        for channel in row.T:
            for start in range(0, width, 100):
                part = channel[start : start + 100]
                same = bool((part == part[0]).all())
                body += bytes([128 + len(part), part[0]]) if same else bytes([len(part)]) + part.tobytes()
    text = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode()
    path.write_bytes((text + body)[:cut])


def write_exr(path, linear, compression=3, dtype="<f2", cut=None):
    """A small EXR writer after the published file layout; one part, scan lines, channels B, G, R."""
    height, width = linear.shape[:2]
    kind = {"<f2": 1, "<f4": 2}[dtype]

    def attribute(name, type_name, value):
        return name.encode() + b"\0" + type_name.encode() + b"\0" + struct.pack("<i", len(value)) + value

    channels = b"".join(c + b"\0" + struct.pack("<iIii", kind, 0, 1, 1) for c in (b"B", b"G", b"R")) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    header = (
        attribute("channels", "chlist", channels)
        + attribute("compression", "compression", bytes([compression]))
        + attribute("dataWindow", "box2i", window)
        + attribute("displayWindow", "box2i", window)
        + attribute("lineOrder", "lineOrder", b"\0")
        + attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
        + attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0))
        + attribute("screenWindowWidth", "float", struct.pack("<f", 1))
        + b"\0"
    )
    lines = 16 if compression == 3 else 1
    chunks = []
    for y in range(0, height, lines):
        raw = b"".join(
            linear[row, :, c].astype(dtype).tobytes() for row in range(y, min(y + lines, height)) for c in (2, 1, 0)
        )
        if compression:
            split = np.frombuffer(raw, np.uint8)
            split = np.concatenate([split[0::2], split[1::2]]).astype(int)
            steps = np.concatenate([split[:1], (np.diff(split) + 128) & 255]).astype(np.uint8).tobytes()
            packed = zlib.compress(steps) if compression in (2, 3) else _rle(steps)
            raw = packed if len(packed) < len(raw) else raw
        chunks.append(struct.pack("<ii", y, len(raw)) + raw)
    start = 8 + len(header) + 8 * len(chunks)
    offsets = [start + sum(len(c) for c in chunks[:i]) for i in range(len(chunks))]
    data = b"\x76\x2f\x31\x01\x02\0\0\0" + header + struct.pack(f"<{len(chunks)}Q", *offsets) + b"".join(chunks)
    path.write_bytes(data[:cut])


def _rle(raw):
    out, i = b"", 0
    while i < len(raw):
        run = 1
        while i + run < len(raw) and raw[i + run] == raw[i] and run < 127:
            run += 1
        out += (
            bytes([run - 1, raw[i]]) if run > 2 else bytes([255, raw[i]]) if run == 1 else bytes([254]) + raw[i : i + 2]
        )
        i += run
    return out


@pytest.mark.parametrize("coded", [True, False])
def test_radiance_reads_back(tmp_path, coded):
    linear = light()
    linear[4] = 0.5  # a line of runs
    write_hdr(tmp_path / "a.hdr", linear, coded)
    read = read_rgbe(tmp_path / "a.hdr")
    assert np.abs(read - linear).max(axis=2).max() <= (linear.max(axis=2) / 100).max()


@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
@pytest.mark.parametrize("compression", [0, 1, 2, 3])
def test_exr_reads_back(tmp_path, compression, dtype):
    linear = light(40)
    linear[:, :20] = 0.25
    write_exr(tmp_path / "a.exr", linear, compression, dtype)
    assert np.array_equal(read_exr(tmp_path / "a.exr"), linear.astype(dtype).astype(np.float32))


def test_exr_agrees_with_opencv(tmp_path, monkeypatch):
    cv2 = pytest.importorskip("cv2")
    monkeypatch.setenv("OPENCV_IO_ENABLE_OPENEXR", "1")
    linear = light(40)
    write_exr(tmp_path / "a.exr", linear)
    try:
        other = cv2.imread(str(tmp_path / "a.exr"), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        other = None
    if other is None:
        pytest.skip("this OpenCV reads no EXR")
    assert np.allclose(other[..., ::-1], read_exr(tmp_path / "a.exr"))


def test_tone_mapping_is_a_photograph():
    """Middle grey in the middle, order kept, no dependence on the unit of light, odd values survived."""
    linear = light(64)
    image = tone_map(linear)
    assert 75 < np.median(image) < 150
    assert np.abs(image.astype(int) - tone_map(linear * 1e4)).max() <= 1
    grey = np.repeat(np.logspace(-2, 2, 128)[None, :, None], 64, axis=0) * np.ones(3)
    assert (np.diff(tone_map(grey)[0, :, 0].astype(int)) >= 0).all()
    linear[0, 0], linear[0, 1], linear[0, 2] = np.nan, np.inf, -1
    assert tone_map(linear)[0, 0].max() == 0
    assert tone_map(np.zeros((4, 8, 3))).max() == 0


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_pictures_read_and_shrink(tmp_path, suffix):
    image = np.full((64, 128, 3), (200, 100, 50), np.uint8)
    Image.fromarray(image).save(tmp_path / f"a.{suffix}")
    read = read_panorama(tmp_path / f"a.{suffix}", max_width=64)
    assert read.shape == (32, 64, 3)
    assert np.abs(read.astype(int) - [200, 100, 50]).max() <= 4


@pytest.mark.parametrize(
    ("size", "word"),
    [((300, 50), "cubemap"), ((200, 150), "cubemap"), ((100, 100), "fisheye"), ((300, 100), "2:1")],
)
def test_other_shapes_are_refused_by_name(tmp_path, size, word):
    Image.new("RGB", size).save(tmp_path / "odd.png")
    with pytest.raises(ImageError, match=rf"odd.png.*{word}"):
        read_panorama(tmp_path / "odd.png")


def test_damaged_files_are_named(tmp_path):
    write_hdr(tmp_path / "short.hdr", light(), cut=2000)
    write_exr(tmp_path / "short.exr", light(), cut=3000)
    write_exr(tmp_path / "piz.exr", light())
    data = (tmp_path / "piz.exr").read_bytes()
    (tmp_path / "piz.exr").write_bytes(data.replace(b"compression\0\x01\0\0\0\x03", b"compression\0\x01\0\0\0\x04"))
    (tmp_path / "text.png").write_text("hello")
    Image.new("RGB", (64, 32)).save(tmp_path / "cut.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "cut.jpg").read_bytes()[:200])
    for name in ("short.hdr", "short.exr", "piz.exr", "text.png", "cut.jpg", "missing.png", "missing.hdr"):
        with pytest.raises(ImageError, match=name):
            read_panorama(tmp_path / name)


def test_black_caps_are_measured():
    image = np.full((90, 180, 3), 100, np.uint8)
    image[-6:] = 0
    assert black_caps(image) == (12.0, 0.0)
    assert black_caps(np.zeros((90, 180, 3), np.uint8)) == (180.0, 180.0)


def test_the_second_start_reads_the_cache(tmp_path, pano_folder, monkeypatch):
    panoramas = list_panoramas(pano_folder)
    store = PanoramaStore(tmp_path)
    first = store.prepare(panoramas[0])
    monkeypatch.setattr("anylens.data.panoramas.read_panorama", lambda *_: pytest.fail("decoded again"))
    again = PanoramaStore(tmp_path)
    assert again.prepare(panoramas[0]) == first
    assert again.pyramid(first).levels[0].shape == (512 + 4, 1024 + 4, 3)
    with pytest.raises(ImageError, match="nowhere"):
        store.prepare(Panorama("nowhere", str(tmp_path / "nowhere.png"), "x"))


def test_a_damaged_cache_is_made_again(tmp_path, pano_folder):
    store = PanoramaStore(tmp_path)
    panorama = list_panoramas(pano_folder)[0]
    cached = store.prepare(panorama)
    file = store.folder / cached.file
    file.write_bytes(file.read_bytes()[:1000])
    assert PanoramaStore(tmp_path).prepare(panorama) == cached
    assert file.stat().st_size > 1000


def test_empty_folders_are_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ImageError, match="no panoramas here"):
            list_panoramas(folder)


def test_places_are_kept_together(pano_folder):
    panoramas = list_panoramas(pano_folder)
    by_place = {}
    for p in panoramas:
        by_place.setdefault(p.place, set()).add(p.split)
    assert all(len(splits) == 1 for splits in by_place.values())
