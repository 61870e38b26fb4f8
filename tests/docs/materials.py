"""The files that the manual's examples speak of, made from the bundled photos."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from PIL import Image

from anylens.examples import example_camera, example_path

ROOT = Path(__file__).resolve().parents[2]


def lay_out(folder: Path) -> None:
    """photo.jpg, street.jpg, fisheye.jpg; holiday/ with three photos of one camera, one of them upright; a film,
    a mask, camera files, known/ with photographs whose cameras are known, and the repository's weights/."""
    (folder / "weights").symlink_to(ROOT / "weights")
    for name, target in (("room", "photo"), ("street", "street"), ("fisheye", "fisheye")):
        shutil.copy(example_path(name), folder / f"{target}.jpg")
    _holiday(folder / "holiday")
    (folder / "fisheye.json").write_text(example_camera("fisheye").to_json())
    (folder / "street.json").write_text(example_camera("street").to_json())
    mask = np.zeros((720, 960), dtype=np.uint8)
    mask[600:] = 255
    Image.fromarray(mask).save(folder / "dashboard.png")
    _film(folder / "film.mp4")
    _known(folder / "known")


def _holiday(folder: Path) -> None:
    """Three photos by one phone, with tags that say so."""
    folder.mkdir()
    image = Image.open(example_path("room"))
    for i, picture in enumerate((image, image.transpose(Image.Transpose.FLIP_LEFT_RIGHT), image.resize((480, 360)))):
        tags = Image.Exif()
        tags[0x010F], tags[0x0110] = "Maker", "Phone 7"
        inner = tags.get_ifd(0x8769)
        inner[0x920A], inner[0xA405] = 4.2, 27
        picture.save(folder / f"day{i + 1}.jpg", quality=88, exif=tags)


def _film(path: Path) -> None:
    """A second of film that zooms in a little."""
    import cv2

    image = cv2.imread(str(example_path("room")))
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 8, (480, 360))
    for i in range(8):
        cut = 6 * i
        part = image[cut * 3 // 4 : 720 - cut * 3 // 4, cut : 960 - cut]
        film.write(cv2.resize(part, (480, 360), interpolation=cv2.INTER_AREA))
    film.release()


def _known(folder: Path) -> None:
    """A small data set for `anylens evaluate`: the examples with their true cameras."""
    folder.mkdir()
    rows = []
    for name in ("room", "street", "fisheye"):
        shutil.copy(example_path(name), folder / f"{name}.jpg")
        camera = example_camera(name).to_dict()
        rows.append({"file": f"{name}.jpg", "group": "drawn", "camera": name, **camera})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def lay_out_panoramas(folder: Path) -> None:
    """panoramas/: two small rooms drawn in code."""
    from anylens.data.synthetic import box_world

    place = folder / "panoramas"
    place.mkdir()
    for seed in range(2):
        Image.fromarray(box_world(1024, seed)).save(place / f"room{seed}.jpg", quality=95)


def lay_out_colmap(folder: Path) -> None:
    """database.db and images/, as COLMAP's feature extraction leaves them."""
    import pycolmap

    (folder / "images").mkdir()
    shutil.copy(example_path("room"), folder / "images" / "a.jpg")
    database = pycolmap.Database.open(str(folder / "database.db"))
    camera = pycolmap.Camera(model="SIMPLE_RADIAL", width=960, height=720, params=[1152.0, 480.0, 360.0, 0.0])
    number = database.write_camera(camera)
    database.write_image(pycolmap.Image(name="a.jpg", camera_id=number))
    database.close()
