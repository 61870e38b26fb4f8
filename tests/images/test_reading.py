"""Unusual pictures are read; broken ones are ImageErrors that name their reason, nothing else."""

import io
import os
import struct
import warnings
import zlib
from functools import cache

import numpy as np
import pytest
from PIL import Image

from anylens import ImageError
from anylens.images import read_photo

from .pictures import encode, exif_block, scene

RGB = scene()
GREY = np.asarray(Image.fromarray(RGB).convert("L"))


def close(photo, wanted, tolerance=6):
    """Same picture up to compression, a few grey levels."""
    difference = np.abs(photo.rgb.astype(int) - np.broadcast_to(wanted, photo.rgb.shape))
    return difference.mean() < tolerance


def as_rgb(grey):
    return grey[..., None]


@cache
def unusual() -> dict[str, tuple[bytes, np.ndarray]]:
    picture = Image.fromarray(RGB)
    alpha = picture.copy()
    alpha.putalpha(255)
    sixteen = Image.fromarray(GREY.astype(np.uint16) * 257)
    other = Image.fromarray(255 - RGB)
    files = {
        "jpeg": (encode(picture, "JPEG", quality=95), RGB),
        "progressive": (encode(picture, "JPEG", quality=95, progressive=True), RGB),
        "png": (encode(picture, "PNG"), RGB),
        "grey": (encode(Image.fromarray(GREY), "JPEG", quality=95), as_rgb(GREY)),
        "16-bit grey png": (encode(sixteen, "PNG"), as_rgb(GREY)),
        "16-bit grey tiff": (encode(sixteen, "TIFF"), as_rgb(GREY)),
        "float tiff": (encode(Image.fromarray(GREY.astype(np.float32) / 255), "TIFF"), as_rgb(GREY)),
        "alpha": (encode(alpha, "PNG"), RGB),
        "grey alpha": (encode(alpha.convert("LA"), "PNG"), as_rgb(GREY)),
        "cmyk": (encode(picture.convert("CMYK"), "JPEG", quality=95), RGB),
        "cmyk tiff": (encode(picture.convert("CMYK"), "TIFF"), RGB),
        "palette": (encode(picture.quantize(256), "PNG"), RGB),
        "gif": (encode(picture.quantize(256), "GIF"), RGB),
        "animated gif": (encode(picture, "GIF", save_all=True, append_images=[other, other]), RGB),
        "animated webp": (encode(picture, "WEBP", save_all=True, append_images=[other], quality=95), RGB),
        "apng": (encode(picture, "PNG", save_all=True, append_images=[other]), RGB),
        "mpo": (encode(picture, "MPO", save_all=True, append_images=[other], quality=95), RGB),
        "webp": (encode(picture, "WEBP", quality=95), RGB),
        "bmp": (encode(picture, "BMP"), RGB),
        "bilevel": (encode(Image.fromarray(GREY > 100), "PNG"), as_rgb((GREY > 100) * 255)),
        "ycbcr tiff": (encode(picture.convert("YCbCr"), "TIFF", compression="jpeg", quality=95), RGB),
        "ppm": (encode(picture, "PPM"), RGB),
        "16-bit colour png": (sixteen_bit_png(RGB), RGB),
    }
    return files


def sixteen_bit_png(rgb):
    from anylens.images.deep import encode_png16

    return encode_png16(rgb.astype(np.uint16) * 257)


@pytest.mark.parametrize("kind", list(unusual()))
@pytest.mark.parametrize("extension", [".jpg", ".png"])
def test_unusual_files_are_read_whatever_their_extension(tmp_path, kind, extension):
    data, wanted = unusual()[kind]
    path = tmp_path / f"photo{extension}"
    path.write_bytes(data)
    for source in (path, str(path), data, io.BytesIO(data)):
        photo = read_photo(source)
        assert (photo.width, photo.height) == (96, 64)
        assert photo.rgb.dtype == np.uint8
        assert photo.opaque is None
        assert close(photo, wanted, 12 if kind in ("gif", "palette", "animated gif", "cmyk") else 4)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_every_orientation_is_turned_upright(orientation, kind):
    from anylens.images.orientation import INVERSE, turn_pixels

    stored = np.ascontiguousarray(turn_pixels(RGB, INVERSE[orientation]))
    options = {"quality": 95} if kind in ("JPEG", "WEBP") else {}
    photo = read_photo(encode(Image.fromarray(stored), kind, exif=exif_block(orientation), **options))
    assert (photo.width, photo.height) == (96, 64)
    assert photo.rgb.shape == RGB.shape
    assert close(photo, RGB, 4)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_our_turns_are_pillows(orientation):
    from PIL import ImageOps

    from anylens.images import turn_pixels

    picture = Image.open(io.BytesIO(encode(Image.fromarray(RGB), "PNG", exif=exif_block(orientation))))
    assert np.array_equal(turn_pixels(RGB, orientation), np.asarray(ImageOps.exif_transpose(picture)))


def test_transparent_pixels_are_grey_and_marked():
    alpha = np.full((64, 96), 255, np.uint8)
    alpha[:20] = 0
    photo = read_photo(encode(Image.fromarray(np.dstack([RGB, alpha])), "PNG"))
    assert photo.opaque is not None
    assert not photo.opaque[:20].any()
    assert photo.opaque[20:].all()
    assert (photo.rgb[:20] == 128).all()
    assert np.array_equal(photo.rgb[20:], RGB[20:])


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.astype(np.uint16) * 257,
        lambda x: x / 255.0,
        lambda x: (x / 255).astype(np.float32),
        lambda x: np.moveaxis(x, 2, 0),
        lambda x: x.astype(np.int64),
        lambda x: np.dstack([x, np.full(x.shape[:2], 255, np.uint8)]),
        lambda x: (x.astype(np.uint32) * 4095 // 255).astype(np.uint16),
    ],
)
def test_arrays_of_every_kind_are_the_same_picture(make):
    assert np.abs(read_photo(make(RGB)).rgb.astype(int) - RGB).max() <= 1


def test_torch_and_pillow_images_are_the_same_picture():
    torch = pytest.importorskip("torch")
    for source in (
        torch.from_numpy(RGB),
        torch.from_numpy(RGB).permute(2, 0, 1).float() / 255,
        Image.fromarray(RGB),
    ):
        assert np.abs(read_photo(source).rgb.astype(int) - RGB).max() <= 1


@pytest.mark.parametrize(
    "array",
    [
        RGB.astype(float),
        -RGB.astype(float),
        np.full((64, 64), np.nan),
        RGB[None],
        np.zeros((64, 64, 7)),
        np.zeros(5),
        np.zeros((64, 64), complex),
        np.zeros((2, 64, 64, 3)),
        np.zeros((1, 500)),
        np.array(["a"]),
        np.full((64, 64), -3),
        np.full((64, 64), np.inf, np.float32),
    ],
    ids=str,
)
def test_arrays_that_are_no_pictures_say_why(array):
    with pytest.raises(ImageError):
        read_photo(array)


def test_float_range_message_names_the_range():
    with pytest.raises(ImageError, match=r"\[0, 1\].*255"):
        read_photo(RGB.astype(np.float32))


def header_png(width, height):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@cache
def broken() -> dict[str, bytes]:
    jpeg, png = encode(Image.fromarray(RGB), "JPEG", quality=95), encode(Image.fromarray(RGB), "PNG")
    tiff, gif = encode(Image.fromarray(RGB), "TIFF"), encode(Image.fromarray(RGB).quantize(16), "GIF")
    webp = encode(Image.fromarray(RGB), "WEBP")
    files = {
        "empty": b"",
        "text": b"this is not a picture\n" * 20,
        "html": b"<!DOCTYPE html><html></html>",
        "zeros": b"\0" * 4000,
        "noise": np.random.default_rng(0).bytes(4000),
        "1x1": encode(Image.new("RGB", (1, 1)), "PNG"),
        "1x20000": encode(Image.new("RGB", (1, 20000)), "PNG"),
        "20000x2": encode(Image.new("L", (20000, 2)), "PNG"),
        "30000x30000": header_png(30000, 30000),
        "2^31 pixels wide": header_png(2**31 - 1, 2**31 - 1),
        "pdf": b"%PDF-1.4\n" + b"x" * 100,
        "zip": b"PK\x03\x04" + b"x" * 100,
        "mp4": b"\0\0\0\x20ftypisom" + b"\0" * 100,
        "heic": b"\0\0\0\x20ftypheic" + b"\0" * 100,
        "exr": b"\x76\x2f\x31\x01" + b"\0" * 100,
        "jpeg header": b"\xff\xd8\xff\xe0" + b"\0" * 10,
        "png header": b"\x89PNG\r\n\x1a\n",
    }
    for name, data in (("jpeg", jpeg), ("png", png), ("tiff", tiff), ("gif", gif), ("webp", webp)):
        for share in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9):
            files[f"{name} cut at {share}"] = data[: int(len(data) * share)]
    rng = np.random.default_rng(1)
    for i in range(40):  # bytes overwritten: either still a picture or an ImageError
        data = bytearray([jpeg, png, tiff, webp][i % 4])
        for at in rng.integers(0, len(data), 30):
            data[at] = rng.integers(256)
        files[f"maybe {i}"] = bytes(data)
    return files


@pytest.mark.parametrize("name", list(broken()))
def test_broken_files_are_named_failures(tmp_path, name):
    path = tmp_path / "photo.jpg"
    path.write_bytes(broken()[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            photo = read_photo(path)
        except ImageError as error:
            message = str(error)
        else:
            message = "photo.jpg: fine after all"
            assert name.startswith("maybe")
            assert photo.rgb.shape[2] == 3
    assert message.startswith("photo.jpg: ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("30000x30000", "megapixels"),
        ("1x20000", "too small"),
        ("empty", "empty"),
        ("text", "text"),
        ("heic", "pillow-heif"),
        ("jpeg cut at 0.5", "damaged or cut off"),
        ("mp4", "video"),
    ],
)
def test_the_reason_is_the_right_one(name, reason):
    with pytest.raises(ImageError, match=reason):
        read_photo(broken()[name])


def test_paths_that_cannot_be_read(tmp_path):
    (tmp_path / "a.jpg").symlink_to(tmp_path / "b.jpg")
    (tmp_path / "b.jpg").symlink_to(tmp_path / "a.jpg")
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "folder.jpg").mkdir()
    for name, reason in (
        ("a.jpg", "loop"),
        ("pipe.jpg", "not a regular file"),
        ("folder.jpg", "folder"),
        ("none.jpg", "no such file"),
        ("x" * 300 + ".jpg", "too long"),
        ("n\0l.jpg", "null"),
    ):
        with pytest.raises(ImageError, match=reason):
            read_photo(tmp_path / name)
    locked = tmp_path / "locked.jpg"
    locked.write_bytes(b"x")
    locked.chmod(0)
    with pytest.raises(ImageError, match="permission" if os.geteuid() else "not a picture|text"):
        read_photo(locked)


def test_raw_files_are_not_taken_for_their_thumbnail():
    from PIL import TiffImagePlugin

    info = TiffImagePlugin.ImageFileDirectory_v2()
    info[254] = 1  # NewSubfileType: a reduced picture, as in NEF and DNG
    with pytest.raises(ImageError, match="raw"):
        read_photo(encode(Image.fromarray(RGB), "TIFF", tiffinfo=info))


def test_large_jpegs_may_be_decoded_smaller_and_keep_their_size():
    data = encode(Image.fromarray(scene(1600, 1200)), "JPEG", exif=exif_block(6))
    photo = read_photo(data, at_least=300)
    assert (photo.width, photo.height) == (1200, 1600)
    assert photo.rgb.shape == (400, 300, 3)
    assert read_photo(data).rgb.shape == (1600, 1200, 3)


def test_the_pixel_limit_is_an_argument_and_no_global(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    data = encode(Image.fromarray(RGB), "PNG")
    assert read_photo(data).width == 96
    with pytest.raises(ImageError, match="megapixels"):
        read_photo(data, max_pixels=1000)
