"""Unusual photos calibrate, broken ones are named failures: a hundred of them beside ten good ones harm nothing."""

import ctypes
import json
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image
from small_photos import make_photo

from anylens.cli import main
from anylens.images.deep import encode_png16
from anylens.images.exr import encode_exr

DROP_FROM_BOUNDS, OVERRIDE_MODES, SEARCH_ANYWHERE = 24, 1, 2  # prctl's and two of root's capabilities, by number


def unusual(folder):
    rgb = np.random.default_rng(0).integers(60, 180, (96, 128, 3), dtype=np.uint8)
    picture, other = Image.fromarray(rgb), Image.fromarray(255 - rgb)
    standing = Image.Exif()
    standing[0x0112] = 6
    Image.fromarray(rgb[..., 0].astype(np.uint16) * 256).save(folder / "deep grey.png")
    (folder / "deep.png").write_bytes(encode_png16(rgb.astype(np.uint16) * 257))
    picture.convert("L").save(folder / "grey.jpg")
    picture.convert("RGBA").save(folder / "alpha.png")
    picture.convert("CMYK").save(folder / "cmyk.jpg")
    picture.convert("P").save(folder / "palette.png")
    picture.save(folder / "moving.gif", save_all=True, append_images=[other])
    picture.save(folder / "moving.webp", save_all=True, append_images=[other])
    picture.save(folder / "pair.mpo", format="MPO", save_all=True, append_images=[other])
    picture.rotate(90, expand=True).save(folder / "turned.jpg", exif=standing)
    picture.save(folder / "wrong.jpg", format="PNG")
    picture.save(folder / "plain.tif")


def test_unusual_photos_calibrate(capsys, network, tmp_path):
    unusual(tmp_path)
    assert main([str(tmp_path), "--json", "--weights", network]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 12
    assert {(r["camera"]["width"], r["camera"]["height"]) for r in rows} == {(128, 96)}
    colour = {r["file"]: r["hfov_deg"] for r in rows if "grey" not in r["file"]}
    # One picture, whatever holds it; the network of these tests reads nothing but its brightness.
    assert max(colour.values()) - min(colour.values()) < 1.0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_exif_block_is_passed_over_in_silence(network, tmp_path, jobs):
    for i in range(3):
        make_photo(tmp_path / f"{i}.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0" + b"\xff" * 40)
    words = [str(tmp_path), "--json", "--jobs", jobs, "--weights", network]
    entry = [sys.executable, "-c", "from anylens.cli import entry; entry()", *words]
    done = subprocess.run(entry, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == ""


def break_photos(folder):
    """Ten of each kind, 100 in all."""
    whole = make_photo(folder / "good0.jpg", 80).read_bytes()
    claims = bytearray(whole)
    frame = claims.index(b"\xff\xc0")  # a JPEG's size stands behind this mark, unguarded
    claims[frame + 5 : frame + 9] = (30000).to_bytes(2, "big") * 2
    head = b"IHDR" + struct.pack(">IIBBBBB", 30000, 30000, 8, 2, 0, 0, 0)
    rest = b"IDAT" + zlib.compress(bytes(1000))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in (head, rest, b"IEND")
    )
    nothing = np.full((32, 32), np.nan, dtype=np.float32)
    for i in range(10):
        (folder / f"cut{i}.jpg").write_bytes(whole[: 40 + i * 30])
        (folder / f"cut late{i}.jpg").write_bytes(whole[: len(whole) * (60 + 3 * i) // 100])
        (folder / f"zero{i}.png").write_bytes(b"")
        Image.new("RGB", (1, 1)).save(folder / f"dot{i}.png")
        Image.new("RGB", (1, 20000)).save(folder / f"thin{i}.png")
        (folder / f"huge{i}.png").write_bytes(png if i % 2 else claims)
        (folder / f"nan{i}.exr").write_bytes(encode_exr({"R": nothing, "G": nothing, "B": nothing}))
        (folder / f"text{i}.jpg").write_text("no picture at all\n" * (i + 1))
        os.symlink(folder / f"loop{(i + 1) % 10}.jpg", folder / f"loop{i}.jpg")
        make_photo(folder / f"locked{i}.jpg").chmod(0)


def obey_modes():
    """Root reads whatever the mode says; without these two capabilities it asks like everyone else."""
    for capability in (OVERRIDE_MODES, SEARCH_ANYWHERE):
        ctypes.CDLL(None).prctl(DROP_FROM_BOUNDS, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities of root by prctl")
def test_a_hundred_broken_files_and_ten_good_ones(network, tmp_path):
    folder, out = tmp_path / "mixed", tmp_path / "rows.jsonl"
    for i in range(10):
        make_photo(folder / f"good{i}.jpg", 80 + 10 * i)
    break_photos(folder)
    run = ("import resource, sys; from anylens.cli import main; code = main(sys.argv[1:]); "
           "kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN); "
           "print(code, *(resource.getrusage(k).ru_maxrss for k in kinds))")  # fmt: skip
    words = ["calibrate", folder, "--out", out, "--jobs", "2", "--weights", network]
    done = subprocess.run([sys.executable, "-c", run, *map(str, words)], preexec_fn=obey_modes, capture_output=True,
                          text=True, check=True)  # fmt: skip
    code, own, largest_child = map(int, done.stdout.split())
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert code == 1
    assert {os.path.basename(r["file"]) for r in rows if r["ok"]} == {f"good{i}.jpg" for i in range(10)}
    failed = {os.path.basename(r["file"]): r["error"] for r in rows if not r["ok"]}
    assert len(failed) == 100
    for kind, reason in {
        "cut": "cut off", "cut late": "cut off", "zero": "empty", "dot": "1x1 is too small", "thin": "too small",
        "huge": "megapixels", "nan": "OpenEXR", "text": "text", "loop": "loop", "locked": "no permission",
    }.items():  # fmt: skip
        for i in range(10):
            [error] = [text for name, text in failed.items() if name.rsplit(".", 1)[0] == f"{kind}{i}"]
            assert reason in error
    assert "10 calibrated, 100 failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert (own + 2 * largest_child) * 1024 < 2 * 2**30  # Linux counts in KiB
