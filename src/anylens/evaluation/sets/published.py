"""The published sets in their own file layouts, each a folder as it is unpacked.

stanford2d3d   area_*/data/pose/*_domain_pose.json (camera_k_matrix), area_*/data/rgb/*_domain_rgb.png
tartanair      SCENE/…/image_left/*.png; one camera for all: f = 320, centre (320, 240), 640x480
lamar          LOCATION/sessions/SESSION/sensors.txt and images.txt, pictures below raw_data
tum_mono       sequence_NN/camera.txt (fx fy cx cy w as shares of the size, then the size), images/ or images.zip
perspective    images.csv with fname, width, height, vfov (radians), k1, px, py: prepared test sets
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from anylens.camera import Camera
from anylens.errors import AnylensError, FormatError
from anylens.evaluation.sample import DataSet, Problem
from anylens.evaluation.sets.colmap import group_of
from anylens.evaluation.sets.listing import Entry, to_set
from anylens.evaluation.sets.pictures import ZipMember
from anylens.formats.colmap_models import BY_NAME, from_colmap

SUFFIXES = (".jpg", ".jpeg", ".png")


def is_stanford(folder: Path) -> bool:
    return any(folder.glob("area_*/data/pose")) or any(folder.glob("data/pose/*_domain_pose.json"))


def read_stanford(folder: Path) -> DataSet:
    entries, problems = [], []
    for pose in sorted(folder.rglob("*_domain_pose.json")):
        if pose.parent.parent.name == "pano":  # equirectangular: no intrinsics
            continue
        picture = pose.parent.parent / "rgb" / pose.name.replace("_domain_pose.json", "_domain_rgb.png")
        name = picture.relative_to(folder).as_posix()
        try:
            k = json.loads(pose.read_text(encoding="utf-8"))["camera_k_matrix"]
            head = [float(v) for v in (k[0][0], k[1][1], k[0][2], k[1][2])]
        except (OSError, ValueError, LookupError, TypeError) as error:
            problems.append(Problem(name, f"no camera_k_matrix ({type(error).__name__})"))
            continue
        entries.append(Entry(name, picture, partial(Camera, "pinhole", head), "pinhole", pose.name.split("_frame")[0]))
    return to_set("Stanford2D3D", folder, entries, problems)


def is_tartanair(folder: Path) -> bool:
    return any(folder.glob("*/*/*/image_left")) or any(folder.glob("*/*/*/*/image_left"))


def read_tartanair(folder: Path) -> DataSet:
    camera = Camera("pinhole", [320.0, 320.0, 320.0, 240.0], 640, 480)
    files = sorted(p for p in folder.rglob("image_left/*") if p.suffix.lower() in SUFFIXES)
    entries = [
        Entry(p.relative_to(folder).as_posix(), p, camera, "pinhole", p.relative_to(folder).parts[0]) for p in files
    ]
    return to_set("TartanAir", folder, entries)


def is_lamar(folder: Path) -> bool:
    return bool(_lamar_sessions(folder))


def read_lamar(folder: Path) -> DataSet:
    entries, problems = [], []
    for session in _lamar_sessions(folder):
        cameras = {}
        for words in _comma_lines(session / "sensors.txt"):
            try:
                if words[2] == "camera":
                    width, height, *params = (float(w) for w in words[4:])
                    cameras[words[0]] = from_colmap(BY_NAME[words[3]], params, width, height, words[0])
            except (AnylensError, LookupError, ValueError) as error:
                problems.append(Problem(f"{session.name}: sensor {words[0]}", str(error)))
        for words in _comma_lines(session / "images.txt"):
            if len(words) < 3 or words[1] not in cameras:
                problems.append(Problem(f"{session.name}: {words[-1]}", "its sensor is no camera that can be read"))
                continue
            path = next((p for p in (session / "raw_data" / words[2], session / words[2]) if p.is_file()), None)
            path = path or session / "raw_data" / words[2]
            camera = cameras[words[1]]
            entries.append(Entry(path.relative_to(folder).as_posix(), path, camera, group_of(camera), words[1]))
    return to_set("LaMAR", folder, entries, problems)


def is_tum_mono(folder: Path) -> bool:
    return any(folder.glob("sequence_*/camera.txt"))


def read_tum_mono(folder: Path) -> DataSet:
    entries: list[Entry] = []
    problems: list[Problem] = []
    for sequence in sorted(p.parent for p in folder.glob("sequence_*/camera.txt")):
        try:
            lines = (sequence / "camera.txt").read_text(encoding="utf-8").splitlines()
            fx, fy, cx, cy, w = (float(v) for v in lines[0].split()[:5])
            width, height = (int(v) for v in lines[1].split()[:2])
            model, coefs = ("fov", [w]) if w else ("pinhole", [])
            camera = Camera(model, [fx * width, fy * height, cx * width, cy * height, *coefs], width, height)
            entries += [Entry(f"{sequence.name}/{name}", source, camera, "fov", sequence.name)
                        for name, source in _tum_pictures(sequence)]  # fmt: skip
        except (OSError, ValueError, IndexError, AnylensError, BadZipFile) as error:
            problems.append(Problem(sequence.name, f"{type(error).__name__}: {error}"))
    return to_set("TUM mono", folder, entries, problems)


def is_perspective_list(folder: Path) -> bool:
    return (folder / "images.csv").is_file()


def read_perspective_list(folder: Path) -> DataSet:
    entries, problems = [], []
    with open(folder / "images.csv", newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                width, height = float(row["width"]), float(row["height"])
                f = height / 2 / math.tan(float(row["vfov"]) / 2)
                centre = [float(row.get("px") or width / 2), float(row.get("py") or height / 2)]
                k = [float(row.get(n) or 0) for n in ("k1", "k2")]
                model, coefs = ("radial:2", k) if k[1] else ("radial:1", k[:1]) if k[0] else ("pinhole", [])
                camera = Camera(model, [f, f, *centre, *coefs], int(width), int(height))
                path = next(
                    p / row["fname"] for p in (folder / "images", folder) if (p / row["fname"]).is_file() or p == folder
                )
                entries.append(Entry(row["fname"], path, camera, group_of(camera)))
            except (KeyError, ValueError, ZeroDivisionError, AnylensError) as error:
                problems.append(Problem(f"line {number}", f"{type(error).__name__}: {error}"))
    return to_set(folder.name, folder, entries, problems)


def _tum_pictures(sequence: Path) -> Iterator[tuple[str, object]]:
    if (sequence / "images").is_dir():
        yield from ((p.name, p) for p in sorted((sequence / "images").iterdir()) if p.suffix.lower() in SUFFIXES)
    elif (sequence / "images.zip").is_file():
        with ZipFile(sequence / "images.zip") as archive:
            names = sorted(n for n in archive.namelist() if n.lower().endswith(SUFFIXES))
        yield from ((Path(n).name, ZipMember(sequence / "images.zip", n)) for n in names)
    else:
        raise FormatError("no images folder and no images.zip")


def _lamar_sessions(folder: Path) -> list[Path]:
    return sorted(p.parent for p in folder.rglob("sensors.txt") if (p.parent / "images.txt").is_file())


def _comma_lines(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [word.strip() for word in line.split(",")]
